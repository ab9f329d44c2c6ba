package record

import (
	"bytes"
	"strconv"
	"strings"
)

// What the store may add to a message: one offset for each light queue, and the
// base of an inner batch. An offset has at most 19 digits.
const (
	offsetDigits   = 19
	innerBaseAdded = len(PropertyInnerBase) + 2 + offsetDigits
)

// checkProperties refuses properties that could not be stored or would make the
// record unreadable for RocketMQ: a mark that Set left (an impossible pair), a
// transient property, a DELAY on TopicSchedule that is no i32, INNER_NUM without
// SysInnerBatch or not 1..32767, beside it an INNER_BASE that is no i64, the name
// of a light queue that cannot be a directory, and bytes at the end that would be
// taken for a checksum trailer. Other bytes, UTF-8 or not, are the producer's
// affair. added is how much the store may add to them.
func checkProperties(m *Message) (added int, err error) {
	var delay, num, base, lmq []byte
	for p := m.Properties; len(p) > 0; {
		name, value, rest := cutItem(p)
		if bytes.HasPrefix(p, []byte(mark)) {
			return 0, propertyError("a name without 0x01 and 0x02 and a value without 0x02", markedName(p))
		}
		p = rest
		switch string(name) {
		case PropertyDelay:
			delay = value
		case PropertyInnerNum:
			num = value
		case PropertyInnerBase:
			base = value
		case PropertyMultiDispatch:
			lmq = value
		default:
			if bytes.HasPrefix(name, []byte(PrefixTransient)) {
				return 0, propertyError("no "+PrefixTransient+" property", string(name))
			}
		}
	}
	if delay != nil && m.Topic == TopicSchedule {
		if _, ok := parseInt(delay, 32); !ok {
			return 0, propertyError("DELAY to be a 32-bit number", string(delay))
		}
	}
	if err := checkInner(m.SysFlag, num, base); err != nil {
		return 0, err
	}
	if m.SysFlag&SysInnerBatch != 0 {
		added += innerBaseAdded
	}
	if lmq != nil {
		for name := range strings.SplitSeq(string(lmq), ",") {
			if err := CheckTopic(name); err != nil && strings.HasPrefix(name, PrefixLMQ) {
				return 0, propertyError("light queues that can be directories", name)
			}
			added += offsetDigits + 1
		}
		added += len(PropertyMultiOffset) + 1
	}
	return added, checkEnd(m.Properties)
}

func checkInner(sysFlag int32, num, base []byte) error {
	if num == nil {
		return nil
	}
	if sysFlag&SysInnerBatch == 0 {
		return propertyError("INNER_NUM only in an inner batch", string(num))
	}
	if n, ok := parseInt(num, 16); !ok || n <= 0 {
		return propertyError("INNER_NUM to be 1..32767", string(num))
	}
	if _, ok := parseInt(base, 64); base != nil && !ok {
		return propertyError("INNER_BASE to be a 64-bit number", string(base))
	}
	return nil
}

// checkEnd refuses properties that end like a checksum trailer: without a real
// one behind it Verify would take it for one.
func checkEnd(p Properties) error {
	if !carriesCRC(p) {
		return nil
	}
	q := make([]byte, len(p))
	q = q[:copyProperties(q, p)]
	if isTrailer(q) {
		return propertyError("no value that ends with "+PropertyCRC, string(q[len(q)-CRCTrailer:]))
	}
	return nil
}

func propertyError(want, got string) error {
	return &LimitError{Field: "properties", Want: want, Got: strconv.QuoteToASCII(got)}
}
