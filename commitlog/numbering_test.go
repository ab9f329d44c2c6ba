package commitlog_test

import (
	"errors"
	"slices"
	"syscall"
	"testing"

	"github.com/actorstore/actorstore/commitlog"
	"github.com/actorstore/actorstore/commitlog/mapped"
	"github.com/actorstore/actorstore/commitlog/mapped/mappedtest"
	"github.com/actorstore/actorstore/commitlog/record"
)

func TestOffsetTable(t *testing.T) {
	table := commitlog.NewOffsetTable()
	ids := []int32{0, 1, 7, 1023, 1024, 2_000_000_000, -1}
	for round := range int64(3) {
		for _, topic := range []string{"a", "b"} {
			for _, id := range ids {
				next := table.Next(topic, id)
				equal(t, "next", *next, round)
				*next++
			}
		}
	}
	equal(t, "a queue between", *table.Next("a", 500), 0)
	same(t, "topics", slices.Sorted(table.Topics()), []string{"a", "b"})
	for range table.Topics() {
		break
	}
	table.Delete("a")
	table.Delete("c")
	for _, id := range ids {
		equal(t, "deleted", *table.Next("a", id), 0)
		equal(t, "kept", *table.Next("b", id), 3)
	}
}

func inner(num string, extra ...string) *record.Message {
	m := message("t", 0, 200)
	m.SysFlag = record.SysInnerBatch
	m.Properties = record.NewProperties(extra...)
	if num != "" {
		m.Properties.Set(record.PropertyInnerNum, num)
	}
	return m
}

// An inner batch takes INNER_NUM queue offsets and is told the first.
func TestInnerBatch(t *testing.T) {
	modes(t, func(t *testing.T, fs mapped.FS, root string, mode setting) {
		b := begin(t, fs, root, mode)
		prepared := inner("5")
		prepared.SysFlag |= record.SysTransactionPrepared
		for _, c := range []struct {
			m    *record.Message
			want int64 // queue offset
			base string
		}{
			{inner("3"), 0, "0"},
			{message("t", 0, 100), 3, ""},
			{inner("10", record.PropertyInnerBase, "77", "a", "b"), 4, "4"},
			{inner(""), 14, "14"},
			{inner("0"), 15, "15"}, // refused by Limits; takes one all the same
			{prepared, 0, "16"},
			{inner("1"), 16, "16"},
			{message("t", 0, 100), 17, ""},
		} {
			before := slices.Clone(c.m.Properties)
			at := b.put(c.m)
			equal(t, "queue offset", at.QueueOffset, c.want)
			b.publish()
			got := items(t, b.log, at.PhysicalOffset, at.End())[0].message
			equal(t, "queue offset in the record", got.QueueOffset, c.want)
			base, _ := got.Properties.Get(record.PropertyInnerBase)
			equal(t, "INNER_BASE", base, c.base)
			same(t, "the caller's properties", c.m.Properties, before)
		}
	})
}

// lmq is a message that names light queues.
func lmq(topic, names string, extra ...string) *record.Message {
	m := message(topic, 1, 200)
	m.Properties = record.NewProperties(append([]string{record.PropertyMultiDispatch, names}, extra...)...)
	return m
}

const offsetsGiven = "9,9"

func given() []string { return []string{record.PropertyMultiOffset, offsetsGiven} }

func TestLightQueues(t *testing.T) {
	modes(t, func(t *testing.T, fs mapped.FS, root string, mode setting) {
		b := begin(t, fs, root, mode, light)
		prepared := lmq("t", "%LMQ%a", given()...)
		prepared.SysFlag = record.SysTransactionPrepared
		own := lmq("%LMQ%a", "%LMQ%b,%LMQ%a", given()...)
		own.QueueID = 0
		for _, c := range []struct {
			m              *record.Message
			names, numbers string
		}{
			{lmq("t", "%LMQ%a"), "%LMQ%a", "0"},
			{lmq("t", "%LMQ%a,%LMQ%b"), "%LMQ%a,%LMQ%b", "1,0"},
			{lmq("u", "%LMQ%b,%LMQ%a", given()...), "%LMQ%b,%LMQ%a", "1,2"},
			{lmq("t", "x,%LMQ%a,,y"), "%LMQ%a", "3"},                    // no light queues among them
			{lmq("t", "%LMQ%a,%LMQ%/b,%LMQ%b"), "%LMQ%a,%LMQ%b", "4,2"}, // a name that is no directory
			{lmq("t", "%LMQ%a,%LMQ%a"), "%LMQ%a", "5"},                  // one unit for a record
			{lmq("t", "x"), "", ""},                                     // none left
			{own, "%LMQ%b", "3"},                                        // takes offset 6 of %LMQ%a as its own
			{lmq("%LMQ%a", "%LMQ%a"), "%LMQ%a", "7"},                    // another queue of that topic
			{lmq("%RETRY%g", "%LMQ%a", given()...), "%LMQ%a", ""},
			{lmq("%DLQ%g", "%LMQ%a", given()...), "%LMQ%a", ""},
			{lmq("rmq_sys_x", "%LMQ%a", given()...), "%LMQ%a", ""},
			{lmq(record.TopicSchedule, "%LMQ%a", given()...), "%LMQ%a", ""},
			{prepared, "%LMQ%a", ""},
			{lmq("t", "%LMQ%a,%LMQ%b"), "%LMQ%a,%LMQ%b", "8,4"},
		} {
			before := slices.Clone(c.m.Properties)
			at := b.put(c.m)
			b.publish()
			p := items(t, b.log, at.PhysicalOffset, at.End())[0].message.Properties
			names, _ := p.Get(record.PropertyMultiDispatch)
			numbers, _ := p.Get(record.PropertyMultiOffset)
			equal(t, "names of "+c.m.Topic, names, c.names)
			equal(t, "offsets of "+c.names, numbers, c.numbers)
			same(t, "the caller's properties", c.m.Properties, before)
		}
		equal(t, "own queue", *b.out.Offsets().Next("%LMQ%a", 0), 9)
		equal(t, "other queue", *b.out.Offsets().Next("%LMQ%a", 1), 1)
	})
}

// A batch gets into no light queue, and so must not carry offsets of any.
func TestLightQueuesInBatch(t *testing.T) {
	for _, set := range []setting{staged, func(*commitlog.Options) {}} {
		b := begin(t, mappedtest.NewFS(), "/store", light, set)
		ms := []record.Message{*lmq("t", "%LMQ%a"), *lmq("t", "%LMQ%a", given()...), *lmq("t", "%LMQ%b", given()...)}
		_, err := b.appendBatch(ms)
		noErr(t, err)
		b.publish()
		for i, it := range items(t, b.log, 0, b.log.Appended()) {
			equal(t, "queue offset", it.message.QueueOffset, int64(i))
			if v, ok := it.message.Properties.Get(record.PropertyMultiOffset); ok {
				t.Errorf("message %d of the batch carries %s=%s", i, record.PropertyMultiOffset, v)
			}
		}
		if v, _ := ms[1].Properties.Get(record.PropertyMultiOffset); v != offsetsGiven {
			t.Errorf("the caller's message was changed: %q", v)
		}
		equal(t, "next offset of the light queue", *b.out.Offsets().Next("%LMQ%a", 0), 0)
	}
}

// Without EnableLmq the properties are the producer's affair.
func TestLightQueuesOff(t *testing.T) {
	b := begin(t, mappedtest.NewFS(), "/store")
	b.put(lmq("t", "%LMQ%a", given()...))
	b.publish()
	v, _ := items(t, b.log, 0, b.log.Appended())[0].message.Properties.Get(record.PropertyMultiOffset)
	equal(t, "offsets", v, offsetsGiven)
}

// Offsets that were given out for a message that found no segment are given to
// the next one, at the end of a segment as anywhere.
func TestOffsetsAreReused(t *testing.T) {
	modes(t, func(t *testing.T, fs mapped.FS, root string, mode setting) {
		s := mappedtest.NewScript(fs)
		b := begin(t, s, root, mode, light)
		b.put(lmq("t", "%LMQ%a"))
		b.put(message("t", 0, 3500))
		s.Add(mappedtest.Rule{Op: mappedtest.OpAllocate, Err: syscall.ENOSPC})
		big := lmq("t", "%LMQ%a,%LMQ%b")
		big.Body = make([]byte, 1000)
		_, err := b.append(big)
		wantErr(t, err, commitlog.ErrNoSegment, syscall.ENOSPC)
		_, err = b.append(message("t", 0, 3000))
		noErr(t, err)
		at := b.put(big)
		b.publish()
		m := items(t, b.log, at.PhysicalOffset, at.End())[0].message
		v, _ := m.Properties.Get(record.PropertyMultiOffset)
		equal(t, "offsets", v, "1,0")
		equal(t, "queue offset", m.QueueOffset, 1)
		if errors.Is(b.log.Failed(), commitlog.ErrReadOnly) {
			t.Error("a missing segment made the log read-only")
		}
	})
}
