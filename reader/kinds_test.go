package reader

import (
	"errors"
	"fmt"
	"strconv"
	"testing"

	"github.com/actorstore/actorstore/commitlog/record"
	"github.com/actorstore/actorstore/consumequeue"
)

// TestLightQueue: a light queue holds records of another topic and other offsets.
func TestLightQueue(t *testing.T) {
	s := newStore(t, shape{})
	for i := range 20 {
		m := message("src", 3, fmt.Sprint("src", i))
		if i%2 == 1 {
			m.Properties.Set(record.PropertyMultiDispatch, "%LMQ%b,%LMQ%a")
		}
		if i == 4 {
			m.Properties.Set(record.PropertyMultiDispatch, "%LMQ%a")
		}
		s.put(m)
	}
	g, err := s.get(GetRequest{Topic: "%LMQ%a", MaxCount: 100})
	s.must(err)
	if len(g.Messages) != 11 || g.NextOffset != 11 {
		t.Fatalf("%+v", g.Place)
	}
	if m := g.Messages[2]; m.Topic != "src" || m.QueueID != 3 || m.QueueOffset != 4 || string(m.Body) != "src4" {
		t.Errorf("%+v", m)
	}
	g, err = s.get(GetRequest{Topic: "%LMQ%b", Offset: 9})
	if err != nil || len(g.Messages) != 1 || string(g.Messages[0].Body) != "src19" {
		t.Errorf("%v %v", err, bodies(g.Messages))
	}
	// A unit at an offset that the record does not name is not its own.
	q := s.queues.Queue("%LMQ%b", 0)
	var u [2]consumequeue.Unit
	_, err = q.Read(3, u[:])
	s.must(err)
	s.must(q.Rewrite(3, consumequeue.Entry{QueueOffset: 3, PhysicalOffset: u[1].PhysicalOffset, Size: u[1].Size, Num: 1}))
	if _, err := s.get(GetRequest{Topic: "%LMQ%b", Offset: 3}); !errors.Is(err, record.ErrCorrupt) {
		t.Errorf("wrong record in a light queue: %v", err)
	}
}

// batch makes an inner batch of n messages.
func batch(topic string, n int) *record.Message {
	inner := make([]record.Message, n)
	for i := range inner {
		inner[i] = record.Message{Topic: topic, Body: []byte(fmt.Sprint("inner", i))}
	}
	m := &record.Message{Topic: topic, SysFlag: record.SysInnerBatch | record.SysNeedUnwrap, Body: record.EncodeInnerBatch(nil, inner)}
	m.Properties.Set(record.PropertyInnerNum, strconv.Itoa(n))
	return m
}

// TestBatchQueue: a unit covers many offsets; asking for any of them gives the
// whole record.
func TestBatchQueue(t *testing.T) {
	s := newStore(t, shape{})
	var times []int64
	for range 30 {
		s.put(batch("B", 10))
		times = append(times, s.now)
	}
	for _, c := range []struct {
		offset   int64
		maxCount int
		first    int64
		records  int
		next     int64
	}{
		{0, 10, 0, 1, 10}, {0, 19, 0, 1, 10}, {0, 20, 0, 2, 20}, {7, 1, 0, 1, 10}, {9, 20, 0, 2, 20},
		{10, 1, 10, 1, 20}, {295, 1000, 290, 1, 300}, {0, 1000, 0, 30, 300},
	} {
		g, err := s.get(GetRequest{Topic: "B", Offset: c.offset, MaxCount: c.maxCount})
		if err != nil || len(g.Messages) != c.records || g.NextOffset != c.next || g.Messages[0].QueueOffset != c.first {
			t.Errorf("at %d max %d: %v, %d records, %+v", c.offset, c.maxCount, err, len(g.Messages), g.Place)
		}
	}
	g, err := s.get(GetRequest{Topic: "B", Offset: 300})
	if err != nil || g.Status != OffsetOverflowOne {
		t.Errorf("%v %v", err, g.Status)
	}
	for i, offset := range []int64{0, 5, 9} {
		if ms, err := s.r.MessageTime("B", 0, offset); err != nil || ms != times[0] {
			t.Errorf("%d: time at %d is %d, %v", i, offset, ms, err)
		}
	}
	if got, err := s.r.OffsetByTime("B", 0, times[4], consumequeue.Lower); err != nil || got != 40 {
		t.Errorf("by time: %d %v", got, err)
	}
}

// TestTransactions: pending halves are in no queue, the committed message is.
func TestTransactions(t *testing.T) {
	s := newStore(t, shape{})
	for i, flag := range []int32{0, record.SysTransactionPrepared, record.SysTransactionRollback, record.SysTransactionCommit, 0} {
		m := message("T", 0, fmt.Sprint(i))
		m.SysFlag = flag
		s.put(m)
	}
	g, err := s.get(GetRequest{Topic: "T"})
	if err != nil || fmt.Sprint(bodies(g.Messages)) != "[0 3 4]" {
		t.Errorf("%v %v", err, bodies(g.Messages))
	}
}

// TestBadBatchCount: a unit of a batch queue that tells fewer messages than its
// record has is an error with a place to go on at, and costs no other record.
func TestBadBatchCount(t *testing.T) {
	r := hurtBatch(t, 3*consumequeue.BatchUnitSize+37, 3)
	seen := map[int64]bool{}
	for at := int64(0); at < 300; {
		var g GetResult
		err := r.Get(ctx, GetRequest{Topic: "B", Offset: at, MaxCount: 20}, &g)
		var ce *record.CorruptionError
		if bad := at == 30; bad != errors.As(err, &ce) || bad && (ce.Next != 40 || len(g.Messages) != 0) || g.NextOffset <= at {
			t.Fatalf("at %d: %v, next %d", at, err, g.NextOffset)
		}
		for i := range g.Messages {
			seen[g.Messages[i].QueueOffset] = true
		}
		at = g.NextOffset
	}
	if len(seen) != 29 || seen[30] {
		t.Errorf("%d of 30 records: %v", len(seen), seen)
	}
}
