package record

import (
	"bytes"
	"fmt"
	"math"
	"net/netip"
)

// Position is what a record gets from the append: the next logical offset of
// its queue, its place in the log and the store's clock in ms.
type Position struct{ QueueOffset, PhysicalOffset, StoreTimestamp int64 }

// Encoder writes records. It holds no state, so it may be used by many at once,
// and its methods allocate nothing. A topic of more than 127 bytes makes a v2
// record, any other a v1 record: longer ones cannot be read back from v1.
type Encoder struct {
	AppendPropCRC bool           // end every record with a checksum over the whole
	Host          netip.AddrPort // stands in for a zero BornHost or StoreHost
}

// Size is the number of bytes that Encode will write. The message must have
// passed Limits.Check.
func (e *Encoder) Size(m *Message) int {
	n := minRecord - 2*hostV4 + hostLen(hostOr(m.BornHost, e.Host)) + hostLen(hostOr(m.StoreHost, e.Host)) +
		len(m.Body) + len(m.Topic) + e.propertiesSize(m.Properties)
	if len(m.Topic) > maxTopicV1 {
		n++
	}
	return n
}

// copyHead is more than what copy stores behind what follows it.
const copyHead = 64

// Encode writes the record to the start of dst, which has at least Size bytes,
// and returns that number. Both checksums are computed from the bytes in dst, so
// they cover what is stored even if the caller changes the body meanwhile. A
// prepared or rolled-back transaction gets queueOffset 0; a zero BornTimestamp
// becomes the store's. Lengths that no record can hold make it panic: they are
// what Limits.Check refuses.
func (e *Encoder) Encode(dst []byte, m *Message, pos Position) int {
	born, store := hostOr(m.BornHost, e.Host), hostOr(m.StoreHost, e.Host)
	sysFlag := m.SysFlag &^ sysHosts
	if born.Addr().Is6() {
		sysFlag |= SysBornHostV6
	}
	if store.Addr().Is6() {
		sysFlag |= SysStoreHostV6
	}
	if IsTransactionPending(sysFlag) {
		pos.QueueOffset = 0
	}
	bornTimestamp := m.BornTimestamp
	if bornTimestamp == 0 {
		bornTimestamp = pos.StoreTimestamp
	}

	magic := MagicV1
	if len(m.Topic) > maxTopicV1 {
		magic = MagicV2
	}
	h := dst[:atBornHost]
	be.PutUint32(h[atMagic:], magic)
	be.PutUint32(h[atQueueID:], uint32(m.QueueID))
	be.PutUint32(h[atFlag:], uint32(m.Flag))
	be.PutUint64(h[atQueueOffset:], uint64(pos.QueueOffset))
	be.PutUint64(h[atPhysicalOffset:], uint64(pos.PhysicalOffset))
	be.PutUint32(h[atSysFlag:], uint32(sysFlag))
	be.PutUint64(h[atBornTimestamp:], uint64(bornTimestamp))
	at := atBornHost + putHost(dst[atBornHost:], born)
	be.PutUint64(dst[at:], uint64(pos.StoreTimestamp))
	at += 8
	at += putHost(dst[at:], store)
	f := dst[at : at+16]
	be.PutUint32(f, uint32(m.ReconsumeTimes))
	be.PutUint64(f[4:], uint64(m.PreparedTransactionOffset))
	be.PutUint32(f[12:], uint32(len(m.Body)))
	at += 16
	body := dst[at : at+len(m.Body)]
	if len(body) > copyHead { // of a large body copy may store the head after the rest
		copy(body[:copyHead], m.Body)
	}
	copy(body, m.Body)
	be.PutUint32(h[atBodyCRC:], uint32(BodyCRC(body)))
	return e.encodeTail(dst, at+len(body), m)
}

// encodeTail writes topic, properties, size and checksum; at is behind the body.
func (e *Encoder) encodeTail(dst []byte, at int, m *Message) int {
	if n := len(m.Topic); n <= maxTopicV1 {
		dst[at] = byte(n)
		at++
	} else {
		checkLength("topic", n)
		be.PutUint16(dst[at:], uint16(n))
		at += 2
	}
	at += copy(dst[at:], m.Topic)
	start := at + 2
	at = start + copyProperties(dst[start:], m.Properties)
	if e.AppendPropCRC {
		if at > start && dst[at-1] != itemEnd {
			dst[at] = itemEnd
			at++
		}
		at += CRCTrailer
	}
	checkLength("properties", at-start)
	be.PutUint16(dst[start-2:], uint16(at-start))
	if at > math.MaxInt32 {
		panic(fmt.Sprintf("record: %d bytes do not fit a record", at))
	}
	be.PutUint32(dst[atSize:], uint32(at))
	if e.AppendPropCRC {
		at -= CRCTrailer
		putTrailer(dst[at:at+CRCTrailer], uint32(BodyCRC(dst[:at])))
		at += CRCTrailer
	}
	return at
}

// EncodeBlank writes the filler of a segment that has remaining bytes left, its
// own 8 included.
func (e *Encoder) EncodeBlank(dst []byte, remaining int64) {
	be.PutUint32(dst, uint32(remaining))
	be.PutUint32(dst[4:], MagicBlank)
}

// checkLength stops a length that would turn negative in its 16 bits.
func checkLength(what string, n int) {
	if n > math.MaxInt16 {
		panic(fmt.Sprintf("record: %s of %d bytes: the message was not checked against Limits", what, n))
	}
}

// propertiesSize is what the properties take in a record, trailer included.
func (e *Encoder) propertiesSize(p Properties) int {
	n, last := len(p), byte(itemEnd)
	if carriesCRC(p) {
		n = 0
		for item := range p.stored() {
			n += len(item)
			last = item[len(item)-1]
		}
	} else if n > 0 {
		last = p[n-1]
	}
	if e.AppendPropCRC {
		if last != itemEnd {
			n++
		}
		n += CRCTrailer
	}
	return n
}

// copyProperties writes p without any checksum property. dst must have room.
func copyProperties(dst []byte, p Properties) int {
	if !carriesCRC(p) {
		_ = dst[:len(p)]
		return copy(dst, p)
	}
	n := 0
	for item := range p.stored() {
		n += copy(dst[n:], item)
	}
	return n
}

// carriesCRC is a quick look whether p may hold a checksum property. Few
// properties hold a '#' at all.
func carriesCRC(p Properties) bool {
	i := bytes.IndexByte(p, PropertyCRC[len(PropertyCRC)-1])
	return i >= 0 && bytes.Contains(p, []byte(PropertyCRC))
}
