package dispatch_test

import (
	"errors"
	"fmt"
	"sync"
	"syscall"
	"testing"

	"github.com/actorstore/actorstore/commitlog/mapped/mappedtest"
	"github.com/actorstore/actorstore/commitlog/record"
	"github.com/actorstore/actorstore/consumequeue"
	"github.com/actorstore/actorstore/dispatch"
)

type sink interface {
	Apply(*dispatch.Window) error
	Applied() int64
	Reset(int64)
}

// three are windows of one record each.
func three(b *bed) (ws []*dispatch.Window) {
	for range 3 {
		b.put(message("t", 0, record.PropertyKeys, "k"))
		ws = append(ws, b.read(b.log.Confirm()))
	}
	return ws
}

// A window behind a hole is refused and changes nothing; one that is there
// already changes nothing either; the sinks come to the same end (D1, D2).
func TestSinkOrder(t *testing.T) {
	for _, name := range []string{"queue", "index"} {
		t.Run(name, func(t *testing.T) {
			b := begin(t, segment, dispatch.Rules{})
			ws := three(b)
			s := map[string]sink{"queue": b.sinks[0], "index": b.keys}[name]
			count := func() int {
				if name == "queue" {
					return len(b.units("t", 0))
				}
				return len(b.found("t", "k"))
			}
			for _, step := range []struct {
				window  int
				err     error
				applied int // windows
			}{
				{1, dispatch.ErrHole, 0}, {2, dispatch.ErrHole, 0}, {0, nil, 1}, {2, dispatch.ErrHole, 1}, {0, nil, 1},
				{1, nil, 2}, {0, nil, 2}, {1, nil, 2}, {2, nil, 3}, {2, nil, 3}, {0, nil, 3},
			} {
				wantErr(t, s.Apply(ws[step.window]), step.err)
				if step.applied > 0 {
					equal(t, "applied", s.Applied(), ws[step.applied-1].End)
				}
				equal(t, "taken in", count(), step.applied)
			}
			// A window that begins in what is applied and ends behind it.
			at := b.put(message("t", 0, record.PropertyKeys, "k"))
			b.reput.Rewind(ws[1].Start)
			noErr(t, s.Apply(b.read(b.log.Confirm())))
			equal(t, "applied", s.Applied(), at.End())
			equal(t, "taken in", count(), 4)
			// Everything again from the start.
			s.Reset(0)
			for _, w := range ws {
				noErr(t, s.Apply(w))
			}
			equal(t, "taken in", count(), 4)
			// An empty window where the sink stands moves nothing.
			noErr(t, s.Apply(&dispatch.Window{Start: ws[2].End, End: ws[2].End}))
			equal(t, "applied", s.Applied(), ws[2].End)
		})
	}
}

// Only the batches of its shard are a queue sink's; the shards together take all.
func TestShards(t *testing.T) {
	b := begin(t, segment, dispatch.Rules{Shards: 3})
	want := map[string][]int64{}
	for i := range 40 {
		topic := fmt.Sprint("topic", i%7)
		at := b.put(message(topic, int32(i%2)))
		key := fmt.Sprint(topic, "/", i%2)
		want[key] = append(want[key], at.PhysicalOffset)
	}
	w := b.read(b.log.Confirm())
	for i, s := range b.sinks {
		noErr(t, s.Apply(w))
		equal(t, "applied", s.Applied(), w.End)
		if n := len(b.grown); n == 0 || n == len(want) && i < 2 {
			t.Errorf("%d of %d queues after shard %d", n, len(want), i)
		}
	}
	equal(t, "queues", len(b.grown), len(want))
	for i := range 7 {
		for id := range int32(2) {
			topic := fmt.Sprint("topic", i)
			same(t, topic, b.units(topic, id), want[fmt.Sprint(topic, "/", id)])
		}
	}
}

// The disk refuses: Applied stays, and the window can be applied again.
func TestSinkFails(t *testing.T) {
	for _, op := range []mappedtest.Op{mappedtest.OpWrite, mappedtest.OpRename, mappedtest.OpOpen, mappedtest.OpAllocate} {
		b := begin(t, segment, dispatch.Rules{})
		b.put(message("t", 0, record.PropertyKeys, "k"))
		b.put(message("u", 0, record.PropertyKeys, "k"))
		w := b.read(b.log.Confirm())
		for name, s := range map[string]sink{"queue": b.sinks[0], "index": b.keys} {
			if name == "queue" && op == mappedtest.OpAllocate || name == "index" && op == mappedtest.OpWrite {
				continue // queue files are sparse, index files written through a map
			}
			b.fs.Add(mappedtest.Rule{Op: op, Forever: true, Err: syscall.ENOSPC})
			for range 2 {
				if err := s.Apply(w); !errors.Is(err, syscall.ENOSPC) {
					t.Fatalf("%s, %v: got error %v", name, op, err)
				}
				equal(t, "applied", s.Applied(), 0)
			}
			b.fs.Clear()
			noErr(t, s.Apply(w))
			equal(t, "applied", s.Applied(), w.End)
			if name == "queue" {
				equal(t, "units", len(b.units("t", 0))+len(b.units("u", 0)), 2)
			} else {
				equal(t, "keys", len(b.found("t", "k"))+len(b.found("u", "k")), 2)
			}
		}
	}
}

// A gap in the offsets of a queue that no damage explains is a fault of ours, and
// refused.
func TestGapWithoutDamage(t *testing.T) {
	b := begin(t, segment, dispatch.Rules{})
	b.put(message("t", 0))
	*b.out.Offsets().Next("t", 0) = 5
	b.put(message("t", 0))
	w := b.read(b.log.Confirm())
	for range 2 {
		var gap *consumequeue.GapError
		if err := b.sinks[0].Apply(w); !errors.As(err, &gap) || gap.Want != 1 || gap.Got != 5 {
			t.Fatalf("got %v, want a gap from 1 to 5", err)
		}
	}
	equal(t, "applied", b.sinks[0].Applied(), 0)
}

// Nor does damage that lies in front of the queue's last record explain a gap
// behind it.
func TestGapBehindDamage(t *testing.T) {
	b := begin(t, segment, dispatch.Rules{})
	b.put(message("t", 0))
	b.spoil(b.put(message("u", 0)))
	b.put(message("t", 0))
	b.catchUp()
	*b.out.Offsets().Next("t", 0) = 5
	b.put(message("t", 0))
	var gap *consumequeue.GapError
	if err := b.sinks[0].Apply(b.read(b.log.Confirm())); !errors.As(err, &gap) || gap.Want != 2 || gap.Got != 5 {
		t.Fatalf("got %v, want a gap from 2 to 5", err)
	}
}

// The last sink gives a window back.
func TestShareDone(t *testing.T) {
	for range 100 {
		w := &dispatch.Window{}
		w.Share(4)
		var group sync.WaitGroup
		last := make(chan bool, 4)
		for range 4 {
			group.Go(func() { last <- w.Done() })
		}
		group.Wait()
		n := 0
		for range 4 {
			if <-last {
				n++
			}
		}
		equal(t, "sinks that were the last", n, 1)
	}
}

// The index keeps its copies of the keys while the window's log goes away.
func TestWindowOwnsKeys(t *testing.T) {
	b := begin(t, segment, dispatch.Rules{})
	b.put(message("t", 0, record.PropertyKeys, "one two", record.PropertyUniqKey, "u1", record.PropertyTags, "x"))
	b.put(message("t", 0))
	b.put(message("t", 0))
	last := b.put(message("t", 0))
	w := b.read(b.log.Confirm())
	b.write(0, make([]byte, segment-100)) // nobody may look there any more
	equal(t, "kept", len(w.Keyed), 2)     // the record with keys, and the last one without
	equal(t, "last", w.Keyed[1].PhysicalOffset, last.PhysicalOffset)
	noErr(t, b.keys.Apply(w))
	for _, key := range []string{"one", "two", "u1"} {
		same(t, key, b.found("t", key), []int64{0})
	}
}
