package recoverer_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/actorstore/actorstore/commitlog"
	"github.com/actorstore/actorstore/commitlog/checkpoint"
	"github.com/actorstore/actorstore/commitlog/mapped"
	"github.com/actorstore/actorstore/commitlog/record"
	"github.com/actorstore/actorstore/consumequeue"
	"github.com/actorstore/actorstore/indexsvc"
	"github.com/actorstore/actorstore/recoverer"
	"github.com/actorstore/actorstore/tests/golden"
)

// openGolden recovers a store of RocketMQ's.
func openGolden(t *testing.T, name, root string, inspect bool) (recoverer.Report, *store) {
	t.Helper()
	fsys, layout, set := mapped.OS(), checkpoint.NewLayout(root, ""), golden.SettingsOf(name)
	s := &store{t: t, fs: fsys, layout: layout}
	var err error
	if s.log, err = commitlog.Open(commitlog.Options{FS: fsys, Dir: layout.CommitLog(), TmpDir: layout.CommitLogTmp(),
		SegmentSize: int64(set.SegmentSize), Staged: true, ReadOnly: inspect, Encoder: record.Encoder{}}); err != nil {
		t.Fatal(err)
	}
	if s.queues, err = consumequeue.Open(consumequeue.Options{FS: fsys, Dir: layout.ConsumeQueue(), BatchDir: layout.BatchConsumeQueue(),
		TmpDir: layout.Tmp(), FileSize: int64(set.QueueFileSize), ReadOnly: inspect}); err != nil {
		t.Fatal(err)
	}
	if s.index, err = indexsvc.Open(indexsvc.Options{FS: fsys, Dir: layout.Index(), TmpDir: layout.Tmp(),
		MaxHashSlotNum: set.MaxHashSlotNum, MaxIndexNum: set.MaxIndexNum, ReadOnly: inspect}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.release)
	in := recoverer.Input{FS: fsys, Layout: layout, Log: s.log, Queues: s.queues, Index: s.index, MultiDispatch: set.LMQ}
	if in.State, _, err = recoverer.ReadState(fsys, layout); err != nil {
		t.Fatal(err)
	}
	recover := recoverer.Recover
	if inspect {
		recover = recoverer.Inspect
	}
	s.input = in
	rep, err := recover(context.Background(), in)
	if err != nil {
		t.Fatal(err)
	}
	return rep, s
}

func TestGolden(t *testing.T) {
	for _, name := range golden.Names() {
		for _, inspect := range []bool{true, false} {
			t.Run(name+map[bool]string{true: "/inspect", false: "/recover"}[inspect], func(t *testing.T) {
				root := golden.Open(t, name)
				before := diskTree(t, root)
				rep, s := openGolden(t, name, root, inspect)
				want := golden.Expected(t, name)
				if rep.Min != want.Min || rep.End != want.Max {
					t.Errorf("log [%d, %d), want [%d, %d)", rep.Min, rep.End, want.Min, want.Max)
				}
				for _, f := range rep.Findings {
					t.Errorf("finding: %s", f)
				}
				derived := len(diskDirs(t, root, "consumequeue", "index")) == 2
				if !inspect || derived {
					checkGoldenQueues(t, s, want)
				}
				if inspect {
					if diff := difference(before, diskTree(t, root)); len(diff) > 0 {
						t.Errorf("Inspect changed %v", diff)
					}
				}
			})
		}
	}
}

func checkGoldenQueues(t *testing.T, s *store, want *golden.Reading) {
	t.Helper()
	n := 0
	for range s.queues.All() {
		n++
	}
	if n != len(want.Queues) {
		t.Errorf("%d queues, want %d", n, len(want.Queues))
	}
	for _, w := range want.Queues {
		q := s.queues.Queue(w.Topic, w.Queue)
		if q == nil {
			t.Errorf("no queue %s-%d", w.Topic, w.Queue)
			continue
		}
		if q.MinOffset() != w.MinOffset || q.MaxOffset() != w.MaxOffset {
			t.Errorf("queue %s-%d [%d, %d), want [%d, %d)", w.Topic, w.Queue, q.MinOffset(), q.MaxOffset(), w.MinOffset, w.MaxOffset)
			continue
		}
		units := make([]consumequeue.Unit, len(w.Messages))
		if got, err := q.Read(w.MinOffset, units); err != nil || got != len(units) {
			t.Errorf("queue %s-%d: %d units, %v", w.Topic, w.Queue, got, err)
		}
		for i, m := range w.Messages {
			if units[i].PhysicalOffset != m.Phy || units[i].Size != m.Size {
				t.Errorf("queue %s-%d offset %d: unit %+v, want %d bytes at %d", w.Topic, w.Queue, m.Offset, units[i], m.Size, m.Phy)
				break
			}
		}
	}
	for _, query := range want.Queries {
		if got := s.hits(query.Topic, query.Key); len(got) < len(query.Offsets) {
			t.Errorf("query %s/%s: %v, want %v", query.Topic, query.Key, got, query.Offsets)
		}
	}
}

// diskDirs tells which of the names are directories.
func diskDirs(t *testing.T, root string, names ...string) (found []string) {
	t.Helper()
	for _, name := range names {
		if info, err := os.Stat(filepath.Join(root, name)); err == nil && info.IsDir() {
			found = append(found, name)
		}
	}
	return found
}

// TestGoldenRebuild compares what is made from the log alone with what the
// original engine wrote.
func TestGoldenRebuild(t *testing.T) {
	like, root := golden.Open(t, golden.Clean), golden.Open(t, golden.Rebuilt)
	_, s := openGolden(t, golden.Rebuilt, root, false)
	s.release()
	want := diskTree(t, filepath.Join(like, "consumequeue"))
	got := diskTree(t, filepath.Join(root, "consumequeue"))
	for _, diff := range difference(want, got) {
		t.Errorf("queue file %s", diff)
	}
	compareIndex(t, filepath.Join(root, "index"), filepath.Join(like, "index"))
}

// compareIndex compares contents in order; names may differ.
func compareIndex(t *testing.T, got, want string) {
	t.Helper()
	files := func(dir string) (all [][]byte) {
		entries, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			b, err := os.ReadFile(filepath.Join(dir, e.Name()))
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, b)
		}
		return all
	}
	a, b := files(got), files(want)
	if len(a) != len(b) {
		t.Errorf("%d index files, want %d", len(a), len(b))
		return
	}
	for i := range a {
		if !bytes.Equal(a[i], b[i]) {
			t.Errorf("index file %d differs", i)
		}
	}
}

// diskTree is every file below a directory with its contents.
func diskTree(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		rel, _ := filepath.Rel(dir, path)
		out[rel] = string(b)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}
