package progress_test

import (
	"fmt"
	"net/netip"
	"syscall"
	"testing"
	"time"

	"github.com/actorstore/actorstore/commitlog"
	"github.com/actorstore/actorstore/commitlog/checkpoint"
	"github.com/actorstore/actorstore/commitlog/commitlogtest"
	"github.com/actorstore/actorstore/commitlog/mapped/mappedtest"
	"github.com/actorstore/actorstore/commitlog/record"
	"github.com/actorstore/actorstore/consumequeue"
	"github.com/actorstore/actorstore/dispatch"
	"github.com/actorstore/actorstore/indexsvc"
	"github.com/actorstore/actorstore/progress"
)

var (
	noErr   = commitlogtest.NoErr
	wantErr = commitlogtest.WantErr
	eio     = syscall.EIO
)

func equal[T comparable](t testing.TB, what string, got, want T) {
	t.Helper()
	commitlogtest.Equal(t, what, got, want)
}

const interval = time.Minute

// bed is a store without actors: a log, what is derived from it, and who writes
// down how far they are.
type bed struct {
	testing.TB
	disk   *mappedtest.FS
	script *mappedtest.Script
	layout checkpoint.Layout
	log    *commitlog.Log
	out    *commitlog.Appender
	queues *consumequeue.Store
	index  *indexsvc.Service
	reput  *dispatch.Reput
	shard  *dispatch.QueueSink
	keys   *dispatch.IndexSink
	last   *progress.Record
	w      *progress.Writer
	now    time.Time
	n      int // messages
}

func begin(t testing.TB, change ...func(*progress.Options)) *bed {
	t.Helper()
	b := &bed{TB: t, disk: mappedtest.NewFS(), layout: checkpoint.NewLayout("/store", ""), now: time.Unix(1_700_000_000, 0)}
	b.script = mappedtest.NewScript(b.disk)
	noErr(t, b.script.MkdirAll(b.layout.Root))
	noErr(t, checkpoint.Prepare(b.script, b.layout))
	b.log = commitlogtest.Open(t, commitlog.Options{
		FS: b.script, Dir: b.layout.CommitLog(), TmpDir: b.layout.Tmp(), SegmentSize: 16 << 10, Staged: true,
		Encoder: record.Encoder{Host: netip.MustParseAddrPort("10.0.0.1:10911")},
	}, 0, 0)
	b.out = b.log.Appender(b.log.Allocator(), commitlog.NewOffsetTable())
	var err error
	b.queues, err = consumequeue.Open(consumequeue.Options{FS: b.script, Dir: b.layout.ConsumeQueue(),
		BatchDir: b.layout.BatchConsumeQueue(), TmpDir: b.layout.Tmp(), FileSize: 100 * consumequeue.UnitSize,
		BatchFileSize: 100 * consumequeue.BatchUnitSize})
	noErr(t, err)
	b.index, err = indexsvc.Open(indexsvc.Options{FS: b.script, Dir: b.layout.Index(), TmpDir: b.layout.Tmp(), MaxHashSlotNum: 100, MaxIndexNum: 400})
	noErr(t, err)
	t.Cleanup(func() {
		b.script.Clear()
		_ = b.queues.Close()
		_ = b.index.Close()
	})
	b.reput = dispatch.NewReput(b.log.Reader(), b.queues, dispatch.Rules{Shards: 1, Kind: simple}, 0)
	b.shard, b.keys = dispatch.NewQueueSink(0, nil), dispatch.NewIndexSink(b.index)
	o := progress.Options{FS: b.script, Layout: b.layout, Log: b.log, Queues: b.queues, Index: b.index, Interval: interval}
	for _, f := range change {
		f(&o)
	}
	b.w = progress.New(o, checkpoint.Checkpoint{}, -1)
	return b
}

func simple(string, bool) consumequeue.Kind { return consumequeue.Simple }

// put puts n messages and dispatches them.
func (b *bed) put(n int) {
	b.Helper()
	for range n {
		at := commitlogtest.Put(b, b.log, b.out, &record.Message{Topic: "t", QueueID: int32(b.n % 3), Body: make([]byte, 300),
			Properties: record.NewProperties("KEYS", fmt.Sprint(b.n))}, b.now.UnixMilli()+int64(b.n))
		b.n++
		b.last = &progress.Record{Start: at.PhysicalOffset, End: at.PhysicalOffset + int64(at.Size), StoreTimestamp: at.StoreTimestamp}
	}
	b.dispatch()
}

func (b *bed) dispatch() {
	b.Helper()
	w := &dispatch.Window{}
	for b.reput.Pos() < b.log.Confirm() {
		noErr(b, b.reput.Read(w, b.log.Confirm()))
		noErr(b, b.shard.Apply(w))
		noErr(b, b.keys.Apply(w))
	}
	b.log.SetDispatched(b.reput.Pos())
}

func (b *bed) flush() {
	b.Helper()
	noErr(b, b.log.Syncer().Flush())
}

func (b *bed) look() progress.Look {
	return progress.Look{Last: b.last, Queues: b.shard.Applied(), Index: b.keys.Applied()}
}

// pass is one a second later.
func (b *bed) pass() error {
	b.now = b.now.Add(time.Second)
	return b.w.Pass(b.look(), b.now)
}

// mark is the newest one, and whether it counts with the page on disk.
func (b *bed) mark() (m checkpoint.Mark, counts bool) {
	b.Helper()
	m, found, err := checkpoint.ReadMark(b.disk, b.layout)
	noErr(b, err)
	return m, found && m.Matches(b.page())
}

func (b *bed) page() checkpoint.Checkpoint {
	b.Helper()
	page, _, err := checkpoint.ReadCheckpoint(b.disk, b.layout.CheckpointFile())
	noErr(b, err)
	return page
}

// claimed is the end that the summary claims, -1 without one.
func (b *bed) claimed() int64 {
	b.Helper()
	s, err := checkpoint.ReadQueues(b.disk, b.layout)
	noErr(b, err)
	if s == nil {
		return -1
	}
	return s.Dispatched
}
