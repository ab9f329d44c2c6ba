package commitlog

import (
	"strconv"
	"strings"

	"github.com/actorstore/actorstore/commitlog/record"
)

// lmqPrefix marks the name of a light queue.
const lmqPrefix = "%LMQ%"

// queueOffsets is how many queue offsets a message takes: none for a prepared
// or rolled-back transaction, INNER_NUM for an inner batch, else one.
func queueOffsets(m *record.Message) int64 {
	switch m.SysFlag & record.SysTransactionMask {
	case record.SysTransactionPrepared, record.SysTransactionRollback:
		return 0
	}
	if m.SysFlag&record.SysInnerBatch != 0 {
		if v, ok := m.Properties.Get(record.PropertyInnerNum); ok {
			if n, err := strconv.ParseInt(v, 10, 16); err == nil && n > 0 {
				return n
			}
		}
	}
	return 1
}

// withInnerBase is m with INNER_BASE set to the first of its queue offsets.
func withInnerBase(m *record.Message, base int64) *record.Message {
	c := *m
	c.Properties = append(record.Properties(nil), m.Properties...)
	c.Properties.Set(record.PropertyInnerBase, strconv.FormatInt(base, 10))
	return &c
}

// multiDispatch numbers the light queues that a message names in
// INNER_MULTI_DISPATCH. Their offsets move only when the message is in the log.
type multiDispatch struct {
	taken []*int64
}

// wanted follows RocketMQ: not for retry, dead-letter, system and delay topics.
func (d *multiDispatch) wanted(enabled bool, m *record.Message) bool {
	if !enabled || m.Properties.Bytes(record.PropertyMultiDispatch) == nil {
		return false
	}
	for _, prefix := range []string{"%RETRY%", "%DLQ%", "rmq_sys_"} {
		if strings.HasPrefix(m.Topic, prefix) {
			return false
		}
	}
	return m.Topic != record.TopicSchedule
}

// number is m with INNER_MULTI_QUEUE_OFFSET: one offset for each name, in order.
// A name that is no light queue gets none and so no offset either, which keeps
// the two lists alike; RocketMQ stops dispatching at such a record.
func (d *multiDispatch) number(m *record.Message, offsets *OffsetTable) *record.Message {
	names, _ := m.Properties.Get(record.PropertyMultiDispatch)
	var kept, numbers []string
	d.taken = d.taken[:0]
	for name := range strings.SplitSeq(names, ",") {
		if !strings.HasPrefix(name, lmqPrefix) || record.CheckTopic(name) != nil {
			continue
		}
		next := offsets.Next(name, 0)
		kept = append(kept, name)
		numbers = append(numbers, strconv.FormatInt(*next, 10))
		d.taken = append(d.taken, next)
	}
	c := *m
	c.Properties = append(record.Properties(nil), m.Properties...)
	c.Properties.Set(record.PropertyMultiDispatch, strings.Join(kept, ","))
	c.Properties.Set(record.PropertyMultiOffset, strings.Join(numbers, ","))
	return &c
}

// commit takes the offsets that number gave out.
func (d *multiDispatch) commit() {
	for _, next := range d.taken {
		*next++
	}
	d.taken = d.taken[:0]
}

// forget gives them back.
func (d *multiDispatch) forget() { d.taken = d.taken[:0] }
