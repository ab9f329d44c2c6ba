package commitlog

import (
	"slices"
	"strconv"
	"strings"

	"github.com/actorstore/actorstore/commitlog/record"
)

// queueOffsets is how many queue offsets a message takes: none for a prepared
// or rolled-back transaction, INNER_NUM for an inner batch, else one.
func queueOffsets(m *record.Message) int64 {
	if record.IsTransactionPending(m.SysFlag) {
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
	c := *m // Set makes new bytes
	c.Properties.Set(record.PropertyInnerBase, strconv.FormatInt(base, 10))
	return &c
}

// multiDispatch numbers the light queues that a message names in
// INNER_MULTI_DISPATCH. Their offsets move only when the message is in the log.
type multiDispatch struct {
	taken []string
}

// prepare is m as it goes into the log: numbered, or, if it is to be in no light
// queue, without offsets that it brought along, which dispatch would believe.
func (d *multiDispatch) prepare(m *record.Message, offsets *OffsetTable) *record.Message {
	switch {
	case m.Properties.Bytes(record.PropertyMultiDispatch) == nil:
		return m
	case mayBranch(m):
		return d.number(m, offsets)
	}
	return withoutOffsets(m)
}

// mayBranch follows RocketMQ: retry, dead-letter, system and delay topics have no
// light queues, nor has a message that is in no queue at all.
func mayBranch(m *record.Message) bool {
	for _, prefix := range []string{record.PrefixRetry, record.PrefixDLQ, "rmq_sys_"} {
		if strings.HasPrefix(m.Topic, prefix) {
			return false
		}
	}
	return m.Topic != record.TopicSchedule && !record.IsTransactionPending(m.SysFlag)
}

// withoutOffsets is m without INNER_MULTI_QUEUE_OFFSET.
func withoutOffsets(m *record.Message) *record.Message {
	if m.Properties.Bytes(record.PropertyMultiOffset) == nil {
		return m
	}
	c := *m
	c.Properties.Delete(record.PropertyMultiOffset) // makes new bytes
	return &c
}

// allWithoutOffsets does the same for a batch.
func allWithoutOffsets(ms []record.Message) []record.Message {
	out := ms
	for i := range ms {
		if m := withoutOffsets(&ms[i]); m != &ms[i] {
			if &out[0] == &ms[0] {
				out = slices.Clone(ms)
			}
			out[i] = *m
		}
	}
	return out
}

// number is m with INNER_MULTI_QUEUE_OFFSET: one offset for each name, in order.
// A name that is no light queue gets none and so no offset either, which keeps
// the two lists alike; RocketMQ stops dispatching at such a record. Nor does a
// name that was there before, or the queue that the message is in anyway: a
// record has one unit in a queue.
func (d *multiDispatch) number(m *record.Message, offsets *OffsetTable) *record.Message {
	names, _ := m.Properties.Get(record.PropertyMultiDispatch)
	var numbers []string
	d.taken = d.taken[:0]
	for name := range strings.SplitSeq(names, ",") {
		if !strings.HasPrefix(name, record.PrefixLMQ) || record.CheckTopic(name) != nil ||
			slices.Contains(d.taken, name) || name == m.Topic && m.QueueID == 0 {
			continue
		}
		d.taken = append(d.taken, name)
		numbers = append(numbers, strconv.FormatInt(*offsets.Next(name, 0), 10))
	}
	c := *m
	c.Properties.Set(record.PropertyMultiDispatch, strings.Join(d.taken, ","))
	c.Properties.Set(record.PropertyMultiOffset, strings.Join(numbers, ","))
	return &c
}

// commit takes the offsets that number gave out.
func (d *multiDispatch) commit(offsets *OffsetTable) {
	for _, name := range d.taken {
		*offsets.Next(name, 0)++
	}
	d.taken = d.taken[:0]
}

// forget gives them back.
func (d *multiDispatch) forget() { d.taken = d.taken[:0] }
