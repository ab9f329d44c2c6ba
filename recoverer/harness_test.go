package recoverer_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/actorstore/actorstore/commitlog"
	"github.com/actorstore/actorstore/commitlog/checkpoint"
	"github.com/actorstore/actorstore/commitlog/mapped"
	"github.com/actorstore/actorstore/commitlog/mapped/mappedtest"
	"github.com/actorstore/actorstore/commitlog/record"
	"github.com/actorstore/actorstore/consumequeue"
	"github.com/actorstore/actorstore/indexsvc"
	"github.com/actorstore/actorstore/recoverer"
)

// Small geometry, so that borders are crossed often.
const (
	segmentSize   = 4096
	queueFileSize = 200 // 10 units
	indexSlots    = 7
	indexEntries  = 20
	startTime     = int64(1700000000000)
)

// store is an open store of a test. Everything is written through the cores.
type store struct {
	t      testing.TB
	fs     mapped.FS
	layout checkpoint.Layout
	log    *commitlog.Log
	queues *consumequeue.Store
	index  *indexsvc.Service

	indexOff bool // recovery knows of none
	entries  int  // of an index file
	handles  int  // of queue files, 0 = as many as by default
	renewed  []int64
	length   int64 // of a segment

	append *commitlog.Appender
	sync   *commitlog.Syncer
	now    int64
	crc    bool
	file   int64 // size of a simple queue's files
	fields checkpoint.Checkpoint
	input  recoverer.Input
	report recoverer.Report
}

type option func(*store, *recoverer.Input)

func withoutCRC(s *store, _ *recoverer.Input)      { s.crc = false }
func largeQueueFiles(s *store, _ *recoverer.Input) { s.file = 1000 * consumequeue.UnitSize }
func largeIndexFiles(s *store, _ *recoverer.Input) { s.entries = 1200 }
func longSegments(s *store, _ *recoverer.Input)    { s.length = 4 * segmentSize }
func fewFilesOpen(s *store, _ *recoverer.Input)    { s.handles = 1 }
func multiDispatch(_ *store, in *recoverer.Input)  { in.MultiDispatch = true }
func withoutIndex(s *store, _ *recoverer.Input)    { s.indexOff = true }
func syncFlush(_ *store, in *recoverer.Input)      { in.SyncFlush = true }
func checkQueues(_ *store, in *recoverer.Input)    { in.CheckAll = true }
func indexFirst(_ *store, in *recoverer.Input)     { in.Parallel = backwards }
func parallel(_ *store, in *recoverer.Input) {
	in.Parallel = func(n int, f func(int)) {
		var wait sync.WaitGroup
		for i := range n {
			wait.Go(func() { f(i) })
		}
		wait.Wait()
	}
}

// inTurn is how recoveries run parts that may run at once, nil for one after the
// other from the first to the last.
var inTurn func(n int, f func(int))

// backwards runs the last part first.
func backwards(n int, f func(int)) {
	for i := range n {
		f(n - 1 - i)
	}
}

// openFiles opens what stands on disk without recovering it.
func openFiles(t testing.TB, fsys mapped.FS, readOnly bool, options ...option) (*store, error) {
	s := &store{t: t, fs: fsys, layout: checkpoint.NewLayout("/store", ""), now: startTime, crc: true, file: queueFileSize, entries: indexEntries, length: segmentSize}
	in := recoverer.Input{FS: fsys, Layout: s.layout, Parallel: inTurn}
	for _, o := range options {
		o(s, &in)
	}
	var err error
	s.log, err = commitlog.Open(commitlog.Options{
		FS: fsys, Dir: s.layout.CommitLog(), TmpDir: s.layout.CommitLogTmp(), SegmentSize: s.length, ReadOnly: readOnly,
		Staged: true, EnableLmq: in.MultiDispatch, Encoder: record.Encoder{AppendPropCRC: s.crc}, Renewed: s.renewed,
	})
	if err != nil {
		return s, err
	}
	s.queues, err = consumequeue.Open(consumequeue.Options{
		FS: fsys, Dir: s.layout.ConsumeQueue(), BatchDir: s.layout.BatchConsumeQueue(), TmpDir: s.layout.Tmp(),
		FileSize: s.file, BatchFileSize: 10 * consumequeue.BatchUnitSize, ReadOnly: readOnly,
		MaxOpenFiles: s.handles,
	})
	if err != nil {
		return s, err
	}
	s.index, err = indexsvc.Open(indexsvc.Options{FS: fsys, Dir: s.layout.Index(), TmpDir: s.layout.Tmp(),
		MaxHashSlotNum: indexSlots, MaxIndexNum: s.entries, ReadOnly: readOnly})
	if err != nil {
		return s, err
	}
	in.State, _, err = recoverer.ReadState(fsys, s.layout)
	in.Log, in.Queues, in.Index = s.log, s.queues, s.index
	if s.indexOff {
		in.Index = nil
	}
	s.input, s.fields = in, in.Checkpoint
	return s, err
}

// tryOpen opens and recovers a store, as a shell does.
func tryOpen(t testing.TB, fsys mapped.FS, options ...option) (*store, error) {
	if err := fsys.MkdirAll("/store"); err != nil {
		return nil, err
	}
	s, err := openFiles(t, fsys, false, options...)
	if err == nil {
		for _, dir := range []string{s.layout.CommitLog(), s.layout.ConsumeQueue(), s.layout.Index()} {
			err = errors.Join(err, fsys.MkdirAll(dir))
		}
	}
	if err == nil {
		err = checkpoint.Prepare(fsys, s.layout)
	}
	if err == nil {
		err = checkpoint.CreateAbort(fsys, s.layout, 1)
	}
	if err == nil {
		s.report, err = recoverer.Recover(context.Background(), s.input)
	}
	if err != nil {
		s.release()
		return s, err
	}
	s.fields = s.report.Checkpoint
	s.append = s.log.Appender(s.log.Allocator(), s.report.Offsets)
	s.sync = s.log.Syncer()
	return s, nil
}

func open(t testing.TB, fsys mapped.FS, options ...option) *store {
	t.Helper()
	s, err := tryOpen(t, fsys, options...)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// release closes the files and nothing else, as a killed process does.
func (s *store) release() {
	if s.index != nil {
		s.index.Close()
	}
	if s.queues != nil {
		s.queues.Close()
	}
	if s.log != nil {
		s.log.Close()
	}
}

// message makes the i-th message of a queue.
func message(topic string, queue int32, i int, body int) *record.Message {
	m := &record.Message{Topic: topic, QueueID: queue, BornTimestamp: startTime,
		Body: bytes.Repeat([]byte{byte('a' + i%26)}, body)}
	m.SetKeys(fmt.Sprintf("k%d", i))
	return m
}

// put appends, flushes and dispatches one message and returns where it stands.
func (s *store) put(m *record.Message) commitlog.Appended {
	s.t.Helper()
	at := s.add(m)
	s.flush()
	s.dispatch()
	return at
}

// add only appends.
func (s *store) add(m *record.Message) commitlog.Appended {
	s.t.Helper()
	s.now += 10
	at, err := s.append.Append(m, s.now)
	if err == nil {
		err = s.append.Publish()
	}
	if err != nil {
		s.t.Fatalf("append: %v", err)
	}
	return at
}

func (s *store) flush() {
	s.t.Helper()
	if err := s.sync.Flush(); err != nil {
		s.t.Fatalf("flush: %v", err)
	}
	s.log.SetConfirm(s.log.Flushed())
}

// dispatch brings queues and index up to confirm.
func (s *store) dispatch() {
	s.t.Helper()
	sc := s.log.Reader().Scan(s.log.Dispatched(), s.log.Confirm(), record.CRCNone)
	defer sc.Close()
	for {
		e, err := sc.Next()
		if err != nil {
			break
		}
		if e.Kind != record.KindRecord {
			continue
		}
		var req record.DispatchRequest
		if err := record.ParseDispatch(e.Bytes, &req, nil); err != nil {
			s.t.Fatal(err)
		}
		req.Units(s.input.MultiDispatch, nil, func(u record.QueueUnit) {
			kind := consumequeue.Simple
			if u.Inner {
				kind = consumequeue.Batch
			}
			q, err := s.queues.Ensure(u.Topic, u.QueueID, kind)
			if err == nil {
				offset, num := u.At(kind == consumequeue.Batch)
				err = q.Append([]consumequeue.Entry{{QueueOffset: offset, PhysicalOffset: req.PhysicalOffset, Size: req.Size,
					TagsCode: req.TagsCode, StoreTimestamp: req.StoreTimestamp, Num: num}})
			}
			if err != nil {
				s.t.Fatalf("queue %s-%d: %v", u.Topic, u.QueueID, err)
			}
		})
		if err := s.index.Put([]record.DispatchRequest{req}); err != nil {
			s.t.Fatalf("index: %v", err)
		}
	}
	s.log.SetDispatched(s.log.Confirm())
}

// mark writes mark and checkpoint as the checkpoint actor does.
func (s *store) mark() {
	s.t.Helper()
	start, end, ok := s.log.FlushedRecord()
	m := checkpoint.Mark{FlushedEnd: end, LastRecordStart: -1, Sync: s.input.SyncFlush, Mounted: s.fs.Mounted(s.layout.CommitLog())}
	if ok {
		err := s.log.Reader().View(start, int(end-start), func(b []byte) error {
			m.LastRecordStart, m.LastRecordCRC = start, crcOf(b)
			t, err := record.StoreTimestampOf(b)
			s.fields.PhysicMsgTimestamp = t
			return err
		})
		if err != nil {
			s.t.Fatal(err)
		}
	} else if end != 0 {
		return
	}
	m.Fields = s.fields.Digest()
	if err := checkpoint.WriteMark(s.fs, s.layout, m); err != nil {
		s.t.Fatal(err)
	}
	if err := checkpoint.WriteCheckpoint(s.fs, s.layout.CheckpointFile(), s.fields); err != nil {
		s.t.Fatal(err)
	}
}

// summary syncs queues and index and writes the summary.
func (s *store) summary() {
	s.t.Helper()
	sum := &checkpoint.QueueSummary{Dispatched: s.log.Dispatched(), IndexApplied: s.log.Dispatched()}
	if s.indexOff {
		sum.IndexApplied = -1
	}
	for q := range s.queues.All() {
		sum.Queues = append(sum.Queues, checkpoint.QueueEnd{Topic: q.Topic(), QueueID: q.ID(), Kind: uint8(q.Kind()),
			MinOffset: q.MinOffset(), MaxOffset: q.MaxOffset()})
	}
	_, err := s.queues.Sync()
	if err == nil {
		err = s.index.Flush()
	}
	if err == nil {
		err = checkpoint.WriteQueues(s.fs, s.layout, sum)
	}
	if err != nil {
		s.t.Fatal(err)
	}
	s.fields.IndexMsgTimestamp = s.index.FlushedEndTimestamp()
}

// close is a clean stop.
func (s *store) close() {
	s.t.Helper()
	s.flush()
	s.dispatch()
	s.summary()
	s.mark()
	if err := checkpoint.RemoveAbort(s.fs, s.layout); err != nil {
		s.t.Fatal(err)
	}
	s.release()
}

// kill is the end of the process: the page cache stays.
func (s *store) kill() { s.release() }

// read reads a whole queue: "offset:body" for each message, "offset!" for a
// place that cannot be read.
func (s *store) read(topic string, queue int32) string {
	s.t.Helper()
	q := s.queues.Queue(topic, queue)
	if q == nil {
		return "none"
	}
	var out []string
	for at := q.MinOffset(); at < q.MaxOffset(); {
		var one [1]consumequeue.Unit
		n, err := q.Read(at, one[:])
		if err != nil || n == 0 {
			out = append(out, fmt.Sprintf("%d?", at))
			at++
			continue
		}
		u := one[0]
		out = append(out, fmt.Sprintf("%d%s", u.Base, s.body(&u, topic, queue)))
		at = u.Base + int64(u.Num)
	}
	return strings.Join(out, " ")
}

// body is ":x" with the first byte of the record's body, "!" if it is damaged.
func (s *store) body(u *consumequeue.Unit, topic string, queue int32) string {
	text := "!"
	_ = s.log.Reader().View(u.PhysicalOffset, int(u.Size), func(b []byte) error {
		var m record.MessageExt
		err := record.Verify(b, u.PhysicalOffset, record.CRCRecord)
		if err == nil {
			err = record.Decode(b, &m)
		}
		if err == nil && int(m.StoreSize) == len(b) {
			text = ":" + string(m.Body[:min(1, len(m.Body))])
			if m.QueueOffset != u.Base && !strings.HasPrefix(topic, "%LMQ%") {
				text += fmt.Sprintf("(is %s-%d %d)", m.Topic, m.QueueID, m.QueueOffset)
			}
		}
		return err
	})
	return text
}

// line is what read gives for messages from..to-1 whose bodies began at letter i.
func line(from, to int) string {
	var out []string
	for i := from; i < to; i++ {
		out = append(out, fmt.Sprintf("%d:%c", i, 'a'+i%26))
	}
	return strings.Join(out, " ")
}

// hits are the physical offsets that a key is found at, newest first.
func (s *store) hits(topic, key string) []int64 {
	var at []int64
	err := s.index.Query(topic, key, 64, func(offset int64) bool {
		at = append(at, offset)
		return true
	})
	if err != nil {
		s.t.Errorf("query %s: %v", key, err)
	}
	return at
}

// queuesOf lists the queues with their bounds.
func (s *store) queuesOf() string {
	var out []string
	for q := range s.queues.All() {
		out = append(out, fmt.Sprintf("%s-%d[%d,%d)", q.Topic(), q.ID(), q.MinOffset(), q.MaxOffset()))
	}
	return strings.Join(out, " ")
}

func newFS() *mappedtest.FS { return mappedtest.NewFS() }
