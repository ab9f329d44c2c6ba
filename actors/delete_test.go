package actors

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/actorstore/actorstore/commitlog"
	"github.com/actorstore/actorstore/commitlog/mapped/mappedtest"
	"github.com/actorstore/actorstore/commitlog/record"
	"github.com/actorstore/actorstore/reader"
)

// F21: a deleted topic stays away over any kind of stop, and its successor
// starts at 0 with nothing of it.
func TestDeleteTopic(t *testing.T) {
	bothFlushTypes(t, func(t *testing.T, flush func(*Options)) {
		for _, again := range []string{"restart", "crash", "crash without close"} {
			t.Run(again, func(t *testing.T) {
				r := open(t, flush)
				r.puts("a", 0, 100)
				r.puts("b", 0, 10)
				r.dispatched()
				held := &reader.GetResult{}
				rd, _ := r.s.Reader()
				if err := rd.Get(r.ctx, reader.GetRequest{Topic: "a", MaxCount: 5}, held); err != nil {
					t.Fatal(err)
				}
				if err := r.s.DeleteTopic(r.ctx, "a"); err != nil {
					t.Fatal(err)
				}
				if string(held.Messages[4].Body) != "4" {
					t.Error("a result changed")
				}
				gone := func() {
					t.Helper()
					if got := r.bodies("a", 0); len(got) != 0 {
						t.Errorf("%d messages of a deleted topic", len(got))
					}
					if n := r.found("a", "k-3"); n != 0 {
						t.Errorf("its key is found %d times", n)
					}
					r.numbered("b", 10)
				}
				gone()
				stop := func() {
					t.Helper()
					switch again {
					case "restart":
						r.reopen(flush)
					case "crash":
						r.close()
						r.crash(flush)
					default:
						r.crash(flush)
					}
				}
				stop()
				gone()
				r.puts("a", 0, 5)
				r.numbered("a", 5)
				r.indexed("a", 5)
				stop()
				r.numbered("a", 5)
				r.indexed("a", 5)
				r.numbered("b", 10)
				if err := r.s.DeleteTopic(r.ctx, "a"); err != nil {
					t.Error(err)
				}
				if err := r.s.DeleteTopic(r.ctx, "never was"); err != nil {
					t.Error(err)
				}
				r.puts("a", 0, 3)
				r.numbered("a", 3)
				r.close()
				r.healthy()
			})
		}
	})
}

// A deletion that is given up, or fails, changes nothing: the numbers go on.
func TestDeleteTopicFails(t *testing.T) {
	t.Run("given up", func(t *testing.T) {
		r := open(t)
		r.puts("a", 0, 10)
		release := r.hold("dispatch")
		r.puts("a", 10, 20)
		ctx, cancel := context.WithCancel(r.ctx)
		go cancel()
		if err := r.s.DeleteTopic(ctx, "a"); !errors.Is(err, context.Canceled) {
			t.Errorf("%v", err)
		}
		release()
		r.puts("a", 20, 30)
		r.numbered("a", 30)
		r.close()
	})
	t.Run("list", func(t *testing.T) {
		r := open(t)
		r.puts("a", 0, 10)
		r.script.Add(mappedtest.Rule{Op: mappedtest.OpRename, Path: root + "/actorstore/deleted", Err: syscall.EIO})
		if err := r.s.DeleteTopic(r.ctx, "a"); !errors.Is(err, syscall.EIO) {
			t.Errorf("%v", err)
		}
		r.puts("a", 10, 20)
		r.numbered("a", 20)
		if err := r.s.DeleteTopic(r.ctx, "a"); err != nil {
			t.Errorf("again: %v", err)
		}
		r.puts("a", 0, 5)
		r.numbered("a", 5)
		r.close()
	})
	t.Run("remove", func(t *testing.T) {
		r := open(t)
		r.puts("a", 0, 100)
		r.dispatched()
		r.script.Add(mappedtest.Rule{Op: mappedtest.OpRemove, Path: root + "/consumequeue/a/0/*", Err: syscall.EIO})
		if err := r.s.DeleteTopic(r.ctx, "a"); !errors.Is(err, syscall.EIO) {
			t.Errorf("%v", err)
		}
		if err := r.s.DeleteTopic(r.ctx, "a"); err != nil {
			t.Errorf("again: %v", err)
		}
		r.puts("a", 0, 5)
		r.numbered("a", 5)
		r.reopen()
		r.numbered("a", 5)
		r.close()
	})
}

// A log that has failed may hold puts of the topic behind its end, which the next
// opening finds: nothing is deleted then.
func TestDeleteTopicReadOnly(t *testing.T) {
	r := open(t, func(o *Options) { o.FlushDiskType = SyncFlush })
	r.puts("a", 0, 10)
	r.dispatched()
	r.script.Add(mappedtest.Rule{Op: mappedtest.OpDatasync, Forever: true, Err: syscall.EIO})
	if _, err := r.s.Put(r.ctx, &record.Message{Topic: "a", Body: []byte("x")}); err == nil {
		t.Fatal("a put without a sync")
	}
	if err := r.s.DeleteTopic(r.ctx, "a"); !errors.Is(err, commitlog.ErrReadOnly) {
		t.Errorf("delete of a read-only store: %v", err)
	}
	rd, _ := r.s.Reader()
	if n, err := rd.MaxOffset("a", 0); n != 10 || err != nil {
		t.Errorf("its queue ends at %d, %v", n, err)
	}
	_ = r.s.Close(r.ctx) // cannot end in order
}

// Puts go on while their topic is deleted again and again: each is refused or is
// there, in a topic without a hole.
func TestDeleteTopicUnderLoad(t *testing.T) {
	bothFlushTypes(t, func(t *testing.T, flush func(*Options)) {
		r := open(t, flush, func(o *Options) { o.RestartBudget = 1000 })
		var end atomic.Bool
		var wait sync.WaitGroup
		for p := range 4 {
			wait.Go(func() {
				for i := 0; !end.Load(); i++ {
					if _, err := r.s.Put(r.ctx, message("a", 0, fmt.Sprint(p, "-", i))); err != nil &&
						!errors.Is(err, ErrDeleting) && !errors.Is(err, ErrRestarting) {
						t.Error(err)
						return
					}
				}
			})
		}
		for range 10 {
			if err := r.s.DeleteTopic(r.ctx, "a"); err != nil {
				t.Error(err)
			}
		}
		end.Store(true)
		wait.Wait()
		r.dispatched()
		n := len(r.bodies("a", 0))
		if result := r.put("a", 0, "last"); result.QueueOffset != int64(n) {
			t.Errorf("next offset %d, %d messages are there", result.QueueOffset, n)
		}
		r.close()
		r.healthy()
	})
}
