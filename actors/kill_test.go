package actors

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/actorstore/actorstore/commitlog/mapped/mappedtest"
	"github.com/actorstore/actorstore/flusher"
	"github.com/actorstore/actorstore/reader"
)

// load puts until it is ended, from several goroutines, each to its own queue,
// and notes what was answered.
type load struct {
	r       *rig
	mu      sync.Mutex
	acked   map[string]int64 // body: queue offset
	refused atomic.Int64
	end     atomic.Bool
	wait    sync.WaitGroup
}

func (r *rig) load() *load {
	l := &load{r: r, acked: make(map[string]int64)}
	for p := range 3 {
		l.wait.Go(func() {
			for i := 0; !l.end.Load(); i++ {
				body := fmt.Sprint(p, "-", i)
				result, err := r.s.Put(r.ctx, message("load", int32(p), body))
				if err == nil {
					l.mu.Lock()
					l.acked[body] = result.QueueOffset
					l.mu.Unlock()
					continue
				}
				l.refused.Add(1)
				if s := statusOf(err); s != flusher.ServiceNotAvailable && s != flusher.FlushDiskTimeout {
					r.t.Errorf("put %s: %v", body, err)
				}
				time.Sleep(time.Millisecond)
			}
		})
	}
	return l
}

func (l *load) count() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.acked)
}

// more waits until so many puts more were answered.
func (l *load) more(n int) {
	l.r.t.Helper()
	want := l.count() + n
	eventually(l.r.t, "puts are answered", func() bool { return l.count() >= want })
}

func (l *load) stop() {
	l.end.Store(true)
	l.wait.Wait()
}

// check finds every message that was answered at its offset, once.
func (l *load) check() {
	l.r.t.Helper()
	l.r.dispatched()
	at := make(map[string]int64)
	for p := range int32(3) {
		for i, body := range l.r.bodies("load", p) {
			if _, twice := at[body]; twice {
				l.r.t.Errorf("%s is there twice", body)
			}
			at[body] = int64(i)
		}
	}
	keys := 100 // looked up, of all
	for body, offset := range l.acked {
		if got, ok := at[body]; !ok || got != offset {
			l.r.t.Fatalf("%s was answered with offset %d, is there: %v, at %d", body, offset, ok, got)
		}
		if keys--; keys >= 0 && l.r.found("load", "k-"+body) != 1 {
			l.r.t.Fatalf("%s is not found by its key", body)
		}
	}
}

// Each actor may die under load: it comes back, its siblings do not notice, and
// nothing that was answered is lost. Close works afterwards (F65).
func TestActorsMayFail(t *testing.T) {
	for _, name := range []string{appendName, flusherName, "dispatch", "queues-0", "queues-1", "index",
		"allocator", "checkpoint", "retention", "reader-0", "reader-1"} {
		t.Run(name, func(t *testing.T) {
			bothFlushTypes(t, func(t *testing.T, flush func(*Options)) {
				r := open(t, flush)
				l := r.load()
				l.more(20)
				const times = 2
				for i := range times {
					r.kill(name)
					eventually(t, "it has failed", func() bool { return r.told("restarted "+name) == i+1 })
					l.more(30)
				}
				l.stop()
				l.check()
				for _, e := range r.heard() {
					if e != "restarted "+name && e != "opened clean=true" {
						t.Errorf("killed %s, and the store told of %q", name, e)
					}
				}
				if derived := name != appendName && name != flusherName; derived && l.refused.Load() > 0 {
					t.Errorf("%d puts were refused because %s died", l.refused.Load(), name)
				}
				r.reopen(flush)
				if r.told("opened clean=true") != 2 {
					t.Errorf("the stop was not clean: %q", r.events)
				}
				l.check()
				r.close()
			})
		})
	}
}

// The store actor itself fails: everything is closed and opened again.
func TestStoreActorFails(t *testing.T) {
	bothFlushTypes(t, func(t *testing.T, flush func(*Options)) {
		r := open(t, flush)
		r.puts("a", 0, 10)
		before := r.tree()
		r.kill(storeName)
		eventually(t, "it is open again", func() bool { now := r.tree(); return now != nil && now != before })
		r.puts("a", 10, 20)
		r.numbered("a", 20)
		r.close()
	})
}

// F55: a panic in any call to the disk costs at most its own batch.
func TestPanicsOfTheDisk(t *testing.T) {
	for _, c := range []struct {
		name  string
		rule  mappedtest.Rule
		flush func(*Options)
	}{
		{"append write", mappedtest.Rule{Op: mappedtest.OpWrite, Path: root + "/commitlog/*"}, syncFlush},
		{"flush", mappedtest.Rule{Op: mappedtest.OpDatasync, Path: root + "/commitlog/*"}, syncFlush},
		{"msync", mappedtest.Rule{Op: mappedtest.OpFlush, Path: root + "/commitlog/*"}, asyncFlush},
		{"queue write", mappedtest.Rule{Op: mappedtest.OpWrite, Path: "queuefile-*"}, asyncFlush},
		{"queue open", mappedtest.Rule{Op: mappedtest.OpOpen, Path: "queuefile-*", At: 2}, asyncFlush},
		{"index", mappedtest.Rule{Op: mappedtest.OpMap, Path: root + "/index/*"}, asyncFlush},
		{"mark", mappedtest.Rule{Op: mappedtest.OpWrite, Path: root + "/actorstore/mark"}, asyncFlush},
		{"disk usage", mappedtest.Rule{Op: mappedtest.OpDiskUsage}, asyncFlush},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := open(t, c.flush, func(o *Options) { o.CleanResourceInterval = 2 * time.Millisecond })
			l := r.load()
			l.more(10)
			var panics atomic.Int64
			c.rule.Before = func() { panics.Add(1); panic("disk") }
			r.script.Add(c.rule)
			eventually(t, "it panics", func() bool { return panics.Load() == 1 })
			l.more(100)
			l.stop()
			l.check()
			r.answered()
			_ = r.s.Close(r.ctx)
			r.crash(c.flush)
			l.check()
			r.close()
		})
	}
}

// After a panic between two puts the tail of the log is made sure again: what
// was encoded but not published never comes back.
func TestTailAfterPanic(t *testing.T) {
	r := open(t, asyncFlush)
	r.puts("a", 0, 3)
	release := r.hold(appendName)
	at := r.tree().log().Appended()
	// Bytes behind the end, as of a batch that was not published.
	file := r.tree().log().Segments()[0]
	copy(file.Bytes()[at:], strings.Repeat("torn", 1000))
	release()
	r.kill(appendName)
	eventually(t, "restarted", func() bool { return r.told("restarted append") == 1 })
	eventually(t, "puts go on", func() bool { _, err := r.s.Put(r.ctx, message("b", 0, "x")); return err == nil })
	end := r.tree().log().Appended() - file.Offset()
	if left := bytes.Count(file.Bytes()[end:], []byte("torn")); left != 0 {
		t.Errorf("%d bytes of what was not published stand behind the end", 4*left)
	}
	if kept, err := r.disk.ReadDir(r.layout().Aside()); err != nil || len(kept) != 1 {
		t.Errorf("kept aside: %v, %v", kept, err)
	}
	r.puts("a", 3, 6)
	r.numbered("a", 6)
	r.crash(asyncFlush)
	r.numbered("a", 6)
	for _, e := range r.heard() {
		if strings.HasPrefix(e, "corruption") {
			t.Error(e)
		}
	}
	r.close()
}

// Whoever is waiting when append or flusher dies is answered (A1), and deletions
// and flushes as well.
func TestEverybodyIsAnswered(t *testing.T) {
	bothFlushTypes(t, func(t *testing.T, flush func(*Options)) {
		r := open(t, flush, func(o *Options) { o.RestartBudget = 1000 })
		ctx, cancel := context.WithTimeout(r.ctx, patience)
		defer cancel()
		var wait sync.WaitGroup
		var end atomic.Bool
		again := func(f func() error) {
			wait.Go(func() {
				for !end.Load() {
					if err := f(); errors.Is(err, context.DeadlineExceeded) {
						t.Error("not answered")
						return
					}
				}
			})
		}
		for q := range int32(4) {
			again(func() error { _, err := r.s.Put(ctx, message("a", q, "x")); return err })
		}
		again(func() error { return r.s.Flush(ctx) })
		again(func() error { return r.s.DeleteTopic(ctx, "b") })
		again(func() error {
			answer, err := r.s.system.Root.RequestFuture(r.s.PID(), &Put{*message("b", 0, "x")}, patience).Result()
			if err == nil && answer.(*PutReply).Result.Status == flusher.UnknownError {
				t.Errorf("%+v", answer)
			}
			return err
		})
		for i := range 30 {
			r.kill([]string{appendName, flusherName}[i%2])
			time.Sleep(time.Millisecond)
		}
		end.Store(true)
		wait.Wait()
		r.answered()
		eventually(t, "puts go on", func() bool { _, err := r.s.Put(ctx, message("a", 0, "x")); return err == nil })
		r.dispatched()
		r.close()
	})
}

// Nobody else's reader is disturbed: a Get through messages works beside.
func TestReadersRestart(t *testing.T) {
	f := &seam{hooks: make(map[string]func())}
	r := open(t, func(o *Options) { o.Faults = f })
	r.puts("a", 0, 3)
	r.dispatched()
	for range 6 {
		f.mu.Lock()
		f.hooks["reader-0"], f.hooks["reader-1"] = func() { panic("killed") }, func() { panic("killed") }
		f.mu.Unlock()
		answer, err := r.s.system.Root.RequestFuture(r.s.PID(), &Get{}, patience).Result()
		if err != nil || !errors.Is(answer.(*GetReply).Err, ErrRestarting) {
			t.Fatalf("%v %v", answer, err)
		}
	}
	f.mu.Lock()
	clear(f.hooks)
	f.mu.Unlock()
	for range 4 {
		get := &Get{reader.GetRequest{Topic: "a", MaxCount: 10}}
		answer, err := r.s.system.Root.RequestFuture(r.s.PID(), get, patience).Result()
		if err != nil || answer.(*GetReply).Err != nil || len(answer.(*GetReply).Result.Messages) != 3 {
			t.Fatalf("%v %v", answer, err)
		}
	}
	r.close()
}
