package reader

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"

	"github.com/actorstore/actorstore/commitlog/record"
	"github.com/actorstore/actorstore/consumequeue"
)

// decode reads a record and makes sure that it is the one the unit stands for.
func (w *walk) decode(u *consumequeue.Unit, b []byte, m *record.MessageExt) error {
	m.Topic = w.topic // kept by Decode if it is the record's: no allocation
	if err := record.Decode(b, m); err != nil {
		return w.damaged(u, err)
	}
	w.topic = m.Topic
	if m.PhysicalOffset != u.PhysicalOffset {
		return w.mismatch(u, fmt.Sprintf("physicalOffset %d", u.PhysicalOffset), strconv.FormatInt(m.PhysicalOffset, 10))
	}
	if m.QueueOffset == u.Base && m.QueueID == w.req.QueueID && m.Topic == w.req.Topic ||
		w.dispatchedHere(u, m) || w.batchBase(u, m) {
		return w.counts(u, m)
	}
	return w.mismatch(u, fmt.Sprintf("the record of %s-%d at %d", w.req.Topic, w.req.QueueID, u.Base),
		fmt.Sprintf("that of %s-%d at %d", m.Topic, m.QueueID, m.QueueOffset))
}

// dispatchedHere tells that the record names this queue, and this offset in it,
// as one of its light queues. Such a queue holds records of other topics.
func (w *walk) dispatchedHere(u *consumequeue.Unit, m *record.MessageExt) bool {
	names := m.Properties.Bytes(record.PropertyMultiDispatch)
	offsets := m.Properties.Bytes(record.PropertyMultiOffset)
	for names != nil && offsets != nil {
		var name, offset []byte
		name, names = cutComma(names)
		offset, offsets = cutComma(offsets)
		if string(name) != w.req.Topic {
			continue
		}
		id := m.QueueID
		if strings.HasPrefix(w.req.Topic, record.PrefixLMQ) {
			id = 0
		}
		n, err := strconv.ParseInt(string(offset), 10, 64)
		if id == w.req.QueueID && err == nil && n == u.Base {
			return true
		}
	}
	return false
}

// batchBase tells that an inner batch carries the unit's base offset in its
// properties.
func (w *walk) batchBase(u *consumequeue.Unit, m *record.MessageExt) bool {
	if w.q.Kind() != consumequeue.Batch || m.Topic != w.req.Topic || m.QueueID != w.req.QueueID {
		return false
	}
	base, err := strconv.ParseInt(string(m.Properties.Bytes(record.PropertyInnerBase)), 10, 64)
	return err == nil && base == u.Base
}

// counts makes sure that the unit of a batch queue has as many messages as its
// record: a wrong number would step over the messages behind it.
func (w *walk) counts(u *consumequeue.Unit, m *record.MessageExt) error {
	if w.q.Kind() != consumequeue.Batch {
		return nil
	}
	num := int64(1)
	if m.SysFlag&record.SysInnerBatch != 0 {
		n, err := strconv.ParseInt(string(m.Properties.Bytes(record.PropertyInnerNum)), 10, 16)
		if err == nil && n > 0 {
			num = n
		}
	}
	if num == int64(u.Num) {
		return nil
	}
	// A reader comes past a unit in whose range it is, and the record is not.
	w.next = max(u.Base+num, w.place.NextOffset+1)
	return w.mismatch(u, fmt.Sprintf("the %d messages that the unit tells", u.Num), strconv.FormatInt(num, 10))
}

// cutComma cuts the part in front of the first comma off; rest is nil behind the
// last part.
func cutComma(list []byte) (part, rest []byte) {
	part, rest, more := bytes.Cut(list, []byte{','})
	if !more {
		return part, nil
	}
	if rest == nil {
		rest = []byte{}
	}
	return part, rest
}
