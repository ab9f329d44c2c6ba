package reader

import (
	"context"
	"errors"
	"syscall"
	"testing"

	"github.com/actorstore/actorstore/commitlog/mapped/mappedtest"
	"github.com/actorstore/actorstore/commitlog/record"
	"github.com/actorstore/actorstore/consumequeue"
)

// again opens the queues of a store anew, on a disk that can fail.
func (s *store) again() (*Reader, *mappedtest.Script) {
	s.t.Helper()
	_, err := s.queues.Sync()
	s.must(err)
	script := mappedtest.NewScript(s.fs)
	queues, err := consumequeue.Open(consumequeue.Options{
		FS: script, Dir: s.root + "/consumequeue", BatchDir: s.root + "/batchconsumequeue", TmpDir: s.root + "/tmp",
		FileSize: 400, BatchFileSize: 460})
	s.must(err)
	s.t.Cleanup(func() { queues.Close() })
	return New(s.log.Reader(), queues, s.index, Options{}), script
}

// TestQueueCannotBeLoaded: every way of reading gives the disk's error, and a place
// to go on at that is the caller's own; when the disk is well the queue is there.
func TestQueueCannotBeLoaded(t *testing.T) {
	s := newStore(t, shape{})
	s.fill("T", 0, 30, 50)
	r, script := s.again()
	script.Add(mappedtest.Rule{Op: mappedtest.OpReadDir, Path: s.root + "/consumequeue/T/0", Forever: true, Err: syscall.EIO})
	var g GetResult
	var v ViewResult
	for name, read := range map[string]func() error{
		"Get":  func() error { return r.Get(ctx, GetRequest{Topic: "T", Offset: 7}, &g) },
		"Poll": func() error { return r.Poll(ctx, r.Notifier(), GetRequest{Topic: "T", Offset: 7}, &g) },
		"View": func() (err error) {
			v, err = r.View(ctx, GetRequest{Topic: "T", Offset: 7}, func(*record.MessageExt) error { return errors.New("lent") })
			return err
		},
		"MinOffset":    func() error { _, err := r.MinOffset("T", 0); return err },
		"MaxOffset":    func() error { _, err := r.MaxOffset("T", 0); return err },
		"MessageTime":  func() error { _, err := r.MessageTime("T", 0, 7); return err },
		"OffsetByTime": func() error { _, err := r.OffsetByTime("T", 0, 7, consumequeue.Lower); return err },
		"Topics":       func() error { return r.Topics()[0].Queues[0].Err },
	} {
		g = GetResult{}
		if err := read(); !errors.Is(err, syscall.EIO) || len(g.Messages) != 0 || v.Count != 0 {
			t.Errorf("%s: %v", name, err)
		}
		if name == "Poll" && g.NextOffset != 7 {
			t.Errorf("Poll goes on at %d", g.NextOffset)
		}
	}
	script.Clear()
	if err := r.Get(ctx, GetRequest{Topic: "T", Offset: 7}, &g); err != nil || len(g.Messages) != 23 {
		t.Errorf("later: %v, %d messages", err, len(g.Messages))
	}
}

// TestUnitsCannotBeRead: what fails for another reason than damage may be there the
// next time, and is not stepped over; messages in front of it come first.
func TestUnitsCannotBeRead(t *testing.T) {
	s := newStore(t, shape{})
	s.fill("T", 0, 60, 50)
	r, script := s.again()
	_, err := r.MaxOffset("T", 0)
	s.must(err)
	script.Add(mappedtest.Rule{Op: mappedtest.OpOpen, Path: "00000000000000000400", Forever: true, Err: syscall.EIO})
	var g GetResult
	if err := r.Get(ctx, GetRequest{Topic: "T", Offset: 15, MaxCount: 32}, &g); err != nil || len(g.Messages) != 5 || g.NextOffset != 20 {
		t.Errorf("in front: %v, %d messages, next %d", err, len(g.Messages), g.NextOffset)
	}
	if err := r.Get(ctx, GetRequest{Topic: "T", Offset: 20}, &g); !errors.Is(err, syscall.EIO) || g.NextOffset != 20 || g.Status != OffsetFoundNull {
		t.Errorf("at it: %v %+v", err, g.Place)
	}
	if _, err := r.MessageTime("T", 0, 20); !errors.Is(err, syscall.EIO) {
		t.Errorf("time: %v", err)
	}
	script.Clear()
	if err := r.Get(ctx, GetRequest{Topic: "T", Offset: 20, MaxCount: 3}, &g); err != nil || len(g.Messages) != 3 {
		t.Errorf("later: %v, %d messages", err, len(g.Messages))
	}
}

// TestCancelledReads: what was read until the context ended is returned, and the
// next call says why it ended.
func TestCancelledReads(t *testing.T) {
	s := newStore(t, shape{segment: 1 << 20})
	at := s.fill("T", 0, 1200, 10)
	c, cancel := context.WithCancel(ctx)
	v, err := s.r.View(c, GetRequest{Topic: "T", MaxCount: 1000}, func(m *record.MessageExt) error {
		if m.QueueOffset == 5 {
			cancel()
		}
		return nil
	})
	if err != nil || v.Count < 6 || v.Count >= 1000 || v.NextOffset != int64(v.Count) || !v.More {
		t.Errorf("%v %+v", err, v)
	}
	if v, err := s.r.View(c, GetRequest{Topic: "T", Offset: v.NextOffset}, nil); !errors.Is(err, context.Canceled) || v.Count != 0 {
		t.Errorf("the next call: %v %+v", err, v)
	}
	if m, err := s.r.Lookup(c, at[0].PhysicalOffset); m != nil || !errors.Is(err, context.Canceled) {
		t.Errorf("Lookup: %v %v", m, err)
	}
}
