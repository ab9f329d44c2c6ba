package dispatch_test

import (
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"testing"

	"github.com/actorstore/actorstore/commitlog"
	"github.com/actorstore/actorstore/commitlog/commitlogtest"
	"github.com/actorstore/actorstore/commitlog/mapped/mappedtest"
	"github.com/actorstore/actorstore/commitlog/record"
	"github.com/actorstore/actorstore/consumequeue"
	"github.com/actorstore/actorstore/dispatch"
	"github.com/actorstore/actorstore/indexsvc"
)

const (
	segment = 16 << 10
	now     = 1_700_000_000_000
)

// bed is a log with queues, an index, and what feeds them.
type bed struct {
	testing.TB
	fs     *mappedtest.Script
	log    *commitlog.Log
	out    *commitlog.Appender
	queues *consumequeue.Store
	index  *indexsvc.Service
	rules  dispatch.Rules
	reput  *dispatch.Reput
	sinks  []*dispatch.QueueSink
	keys   *dispatch.IndexSink
	grown  []string // queues that a sink told of
	clock  int64
}

func begin(t testing.TB, segmentSize int64, rules dispatch.Rules) *bed {
	t.Helper()
	fs := mappedtest.NewScript(mappedtest.NewFS())
	log := commitlogtest.Open(t, commitlog.Options{
		FS: fs, Dir: "/store/commitlog", TmpDir: "/store/tmp", SegmentSize: segmentSize, Staged: true, EnableLmq: true,
		Encoder: record.Encoder{Host: netip.MustParseAddrPort("10.0.0.1:10911")},
	}, 0, 0)
	b := &bed{TB: t, fs: fs, log: log, rules: rules, clock: now}
	b.rules.MultiDispatch = true
	b.rules.Shards = max(b.rules.Shards, 1)
	b.out = log.Appender(log.Allocator(), commitlog.NewOffsetTable())
	b.derive()
	return b
}

// derive opens the derived files as they stand and places the sinks at what the
// log says is dispatched.
func (b *bed) derive() {
	b.Helper()
	var err error
	b.queues, err = consumequeue.Open(consumequeue.Options{
		FS: b.fs, Dir: "/store/consumequeue", BatchDir: "/store/batchconsumequeue", TmpDir: "/store/tmp", FileSize: 100 * consumequeue.UnitSize,
		BatchFileSize: 100 * consumequeue.BatchUnitSize})
	noErr(b, err)
	for q := range b.queues.All() {
		noErr(b, q.Load())
	}
	b.index, err = indexsvc.Open(indexsvc.Options{FS: b.fs, Dir: "/store/index", TmpDir: "/store/tmp", MaxHashSlotNum: 100, MaxIndexNum: 400})
	noErr(b, err)
	b.sinks = nil
	for i := range b.rules.Shards {
		b.sinks = append(b.sinks, dispatch.NewQueueSink(i, func(q *consumequeue.Queue) {
			b.grown = append(b.grown, fmt.Sprintf("%s/%d", q.Topic(), q.ID()))
		}))
		b.sinks[i].Reset(b.log.Dispatched())
	}
	b.keys = dispatch.NewIndexSink(b.index)
	b.keys.Reset(b.log.Dispatched())
	b.reput = b.newReput(b.log.Dispatched())
}

func (b *bed) newReput(from int64) *dispatch.Reput {
	return dispatch.NewReput(b.log.Reader(), b.queues, b.rules, from)
}

func (b *bed) put(m *record.Message) commitlog.Appended {
	b.Helper()
	b.clock++
	return commitlogtest.Put(b, b.log, b.out, m, b.clock)
}

// read gives the next window up to a limit.
func (b *bed) read(limit int64) *dispatch.Window {
	b.Helper()
	w := &dispatch.Window{}
	noErr(b, b.reput.Read(w, limit))
	return w
}

func (b *bed) apply(w *dispatch.Window) error {
	var errs []error
	for _, s := range b.sinks {
		errs = append(errs, s.Apply(w))
	}
	return errors.Join(append(errs, b.keys.Apply(w))...)
}

// applied is what all sinks have taken in.
func (b *bed) applied() int64 {
	at := b.keys.Applied()
	for _, s := range b.sinks {
		at = min(at, s.Applied())
	}
	return at
}

// catchUp dispatches all that is confirmed and gives the damage on the way.
func (b *bed) catchUp() (damage []dispatch.Damage) {
	b.Helper()
	for b.reput.Pos() < b.log.Confirm() {
		w := b.read(b.log.Confirm())
		damage = append(damage, w.Damage...)
		noErr(b, b.apply(w))
	}
	b.log.SetDispatched(b.reput.Pos())
	return damage
}

// units are the physical offsets in a queue.
func (b *bed) units(topic string, queueID int32) []int64 {
	b.Helper()
	list := []int64{}
	for _, u := range b.all(topic, queueID) {
		list = append(list, u.PhysicalOffset)
	}
	return list
}

func (b *bed) all(topic string, queueID int32) []consumequeue.Unit {
	b.Helper()
	q := b.queues.Queue(topic, queueID)
	if q == nil {
		return nil
	}
	dst := make([]consumequeue.Unit, q.MaxOffset()+1)
	var list []consumequeue.Unit
	for at := q.MinOffset(); at < q.MaxOffset(); {
		n, err := q.Read(at, dst)
		noErr(b, err)
		list = append(list, dst[:n]...)
		last := dst[n-1]
		at = last.Base + int64(max(last.Num, 1))
	}
	return list
}

// found are the records that the index gives for a key, oldest first.
func (b *bed) found(topic, key string) []int64 {
	b.Helper()
	list := []int64{}
	noErr(b, b.index.Query(topic, key, 0, func(at int64) bool { list = append(list, at); return true }))
	slices.Reverse(list)
	return list
}

// spoil makes a record unreadable: its magic code is gone.
func (b *bed) spoil(at commitlog.Appended) {
	b.Helper()
	b.write(at.PhysicalOffset+4, []byte{1, 2, 3, 4})
}

func (b *bed) write(offset int64, p []byte) {
	b.Helper()
	commitlogtest.Write(b, b.log, offset, p)
}

func message(topic string, queueID int32, pairs ...string) *record.Message {
	return &record.Message{Topic: topic, QueueID: queueID, Properties: record.NewProperties(pairs...), Body: make([]byte, 300)}
}

// What the tests of several rooms say alike.
var (
	noErr   = commitlogtest.NoErr
	wantErr = commitlogtest.WantErr
	same    = commitlogtest.Same
)

func equal[T comparable](t testing.TB, what string, got, want T) {
	t.Helper()
	commitlogtest.Equal(t, what, got, want)
}

// batched makes every queue a batch queue.
func batched(string, bool) consumequeue.Kind { return consumequeue.Batch }
