package record

import "fmt"

// innerHeader is what an inner message takes without body and properties.
const innerHeader = 4 + 4 + 4 + 4 + 4 + 2

// EncodeInnerBatch appends the messages to dst in the form of a batch request:
// size, two zero fields, flag, body, properties. This is also the body of an
// inner batch record. Nothing but flag, body and properties is kept. Messages
// must have passed Limits.Check; properties that no record can hold panic.
func EncodeInnerBatch(dst []byte, msgs []Message) []byte {
	for i := range msgs {
		m := &msgs[i]
		checkLength("properties", len(m.Properties))
		dst = be.AppendUint32(dst, uint32(innerHeader+len(m.Body)+len(m.Properties)))
		dst = be.AppendUint64(dst, 0)
		dst = be.AppendUint32(dst, uint32(m.Flag))
		dst = be.AppendUint32(dst, uint32(len(m.Body)))
		dst = append(dst, m.Body...)
		dst = be.AppendUint16(dst, uint16(len(m.Properties)))
		dst = append(dst, m.Properties...)
	}
	return dst
}

// DecodeInnerBatch takes such a body apart. Bodies and properties alias it. As
// in RocketMQ the size, magic and checksum fields are not looked at: the lengths
// of body and properties lead to the next message. The error is
// *CorruptionError; its Offset is a position in body.
func DecodeInnerBatch(body []byte) ([]Message, error) {
	var msgs []Message
	for at := 0; at < len(body); {
		m, n, want := decodeInner(body[at:])
		if want != "" {
			return nil, &CorruptionError{Offset: int64(at), Want: want,
				Got: fmt.Sprintf("%d bytes that hold less", len(body)-at), Next: -1}
		}
		msgs = append(msgs, m)
		at += n
	}
	return msgs, nil
}

// decodeInner reads one inner message; want is what it misses.
func decodeInner(b []byte) (m Message, size int, want string) {
	const atBodyLen = 16
	if len(b) < innerHeader {
		return m, 0, "an inner message of at least 22 bytes"
	}
	m.Flag = int32(be.Uint32(b[12:]))
	n := int(int32(be.Uint32(b[atBodyLen:])))
	if n < 0 || n > len(b)-innerHeader {
		return m, 0, fmt.Sprintf("a body of %d bytes", n)
	}
	at := atBodyLen + 4
	m.Body = b[at : at+n : at+n]
	at += n + 2
	n = int(int16(be.Uint16(b[at-2:])))
	if n < 0 || n > len(b)-at {
		return m, 0, fmt.Sprintf("properties of %d bytes", n)
	}
	m.Properties = b[at : at+n : at+n]
	return m, at + n, ""
}
