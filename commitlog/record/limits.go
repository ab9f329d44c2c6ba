package record

import (
	"fmt"
	"math"
	"net/netip"
	"strconv"
	"unicode/utf8"
)

// Defaults of Limits.
const (
	DefaultMaxMessageSize = 4 << 20
	DefaultSegmentSize    = 1 << 30
)

// Limits is the one place that says which messages may be written. What passes
// can be encoded, fits a segment, and can be read and dispatched by RocketMQ.
// (RocketMQ also holds a whole record to MaxMessageSize + 65536 bytes; what
// passes here is always shorter.)
type Limits struct {
	MaxMessageSize int            // bytes of a body, and of all bodies of a batch; 0 = 4 MiB
	SegmentSize    int64          // bytes of a segment; 0 = 1 GiB
	AppendPropCRC  bool           // as Encoder.AppendPropCRC: 21 bytes of the properties are taken
	V1Only         bool           // refuse topics over 127 bytes, which need a v2 record
	Host           netip.AddrPort // as Encoder.Host; a record with IPv6 hosts is longer
}

// Check says whether a message may be put. The rules, in order: the topic passes
// CheckPutTopic; QueueID is not negative; the body is within MaxMessageSize (nil
// counts as empty); the properties are what a record can hold, see
// checkProperties, and within 32767 bytes (32746 with AppendPropCRC), counting
// what the store will add; the record and the 8 bytes of a BLANK fit a segment.
// The error is *LimitError.
func (l *Limits) Check(m *Message) error {
	_, err := l.check(m)
	return err
}

// check gives the size that the record can reach.
func (l *Limits) check(m *Message) (int64, error) {
	if err := CheckPutTopic(m.Topic); err != nil {
		return 0, err
	}
	if l.V1Only && len(m.Topic) > maxTopicV1 {
		return 0, topicError("at most 127 bytes without v2 records", strconv.Itoa(len(m.Topic)))
	}
	if m.QueueID < 0 {
		return 0, &LimitError{Field: "queueId", Want: ">= 0", Got: strconv.Itoa(int(m.QueueID))}
	}
	if err := l.checkBody(int64(len(m.Body))); err != nil {
		return 0, err
	}
	added, err := checkProperties(m)
	if err != nil {
		return 0, err
	}
	if err := l.checkReadable(m.Properties); err != nil {
		return 0, err
	}
	plain := Encoder{Host: l.Host}
	most := MaxProperties
	if l.AppendPropCRC {
		most -= CRCTrailer + 1
	}
	if n := plain.propertiesSize(m.Properties) + added; n > most {
		return 0, &LimitError{Field: "properties", Properties: true,
			Want: fmt.Sprintf("at most %d bytes", most), Got: fmt.Sprintf("%d, %d of them added by the store", n, added)}
	}
	plain.AppendPropCRC = l.AppendPropCRC
	size := int64(plain.Size(m) + added)
	return size, l.checkSegment(size)
}

// checkReadable refuses properties that Verify takes for damaged where no checksum
// over the record tells otherwise: they are not UTF-8, end in zeros, or end nearly
// as a checksum does.
func (l *Limits) checkReadable(p Properties) error {
	if l.AppendPropCRC {
		return nil
	}
	if carriesCRC(p) { // it will be left out
		q := make([]byte, len(p))
		p = q[:copyProperties(q, p)]
	}
	switch {
	case len(p) == 0:
		return nil
	case !utf8.Valid(p):
		return propertyError("UTF-8, as records have no checksum of their own", string(p))
	case likeTrailer(p):
		return propertyError("no value that ends nearly like a checksum", string(p))
	case p[len(p)-1] == 0:
		return propertyError("no zeros at the end, as records have no checksum of their own", string(p))
	}
	return nil
}

func (l *Limits) checkBody(n int64) error {
	most := int64(l.MaxMessageSize)
	if most <= 0 {
		most = DefaultMaxMessageSize
	}
	if n > most {
		return &LimitError{Field: "body", Want: fmt.Sprintf("at most %d bytes (MaxMessageSize)", most), Got: strconv.FormatInt(n, 10)}
	}
	return nil
}

func (l *Limits) checkSegment(size int64) error {
	most := l.SegmentSize
	if most <= 0 {
		most = DefaultSegmentSize
	}
	most = min(most, math.MaxInt32) - BlankSize
	if size > most {
		return &LimitError{Field: "body",
			Want: fmt.Sprintf("records of at most %d bytes together (SegmentSize - 8)", most), Got: strconv.FormatInt(size, 10)}
	}
	return nil
}

// CheckBatch says whether messages may be put as one batch: there is one at
// least, each passes Check, all have the topic and queue of the first, none is
// part of a transaction, delayed or an inner batch, the bodies together are
// within MaxMessageSize, and all records together fit one segment. The error is
// *LimitError; Field names the message where it is one's fault.
func (l *Limits) CheckBatch(msgs []Message) error {
	if len(msgs) == 0 {
		return &LimitError{Field: "batch", Want: "at least one message", Got: "none"}
	}
	var bodies, total int64
	for i := range msgs {
		m := &msgs[i]
		size, err := l.check(m)
		if err == nil {
			err = checkMember(m, &msgs[0])
		}
		if err != nil {
			return inBatch(i, err)
		}
		bodies += int64(len(m.Body))
		total += size
	}
	if err := l.checkBody(bodies); err != nil {
		return err
	}
	return l.checkSegment(total)
}

// checkMember holds the rules that only members of a batch have.
func checkMember(m, first *Message) error {
	switch {
	case m.Topic != first.Topic:
		return topicError(strconv.Quote(first.Topic)+" as the first message of the batch", strconv.Quote(m.Topic))
	case m.QueueID != first.QueueID:
		return &LimitError{Field: "queueId", Want: fmt.Sprintf("%d as the first message of the batch", first.QueueID), Got: strconv.Itoa(int(m.QueueID))}
	case m.SysFlag&(SysTransactionMask|SysInnerBatch) != 0:
		return &LimitError{Field: "sysFlag", Want: "no transaction and no inner batch in a batch", Got: fmt.Sprintf("%#x", m.SysFlag)}
	}
	if delay := m.Properties.Bytes(PropertyDelay); delay != nil {
		if level, ok := parseInt(delay, 32); !ok || level > 0 {
			return &LimitError{Field: PropertyDelay, Want: "no delay in a batch", Got: strconv.QuoteToASCII(string(delay))}
		}
	}
	return nil
}

// inBatch adds the number of the message to a LimitError.
func inBatch(i int, err error) error {
	e := *err.(*LimitError)
	e.Field = fmt.Sprintf("message %d: %s", i, e.Field)
	return &e
}
