package actors

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// hanging opens a store with three messages in which an actor has hung for so long, until
// gate is closed.
func hanging(t *testing.T, name string, long time.Duration) (r *rig, gate chan struct{}) {
	t.Helper()
	f, gate := &seam{}, make(chan struct{})
	r = open(t, watchHangs(f))
	r.puts("a", 0, 3)
	f.next(r, name, func() { <-gate })
	time.Sleep(long)
	return r, gate
}

// The replacement of an actor that hung took its place in the watch too: a Close
// that waited for the one that was replaced said that something hangs, and named
// nobody.
func TestReplacedActorIsNamedAtClose(t *testing.T) {
	for _, name := range []string{"reader-0", dispatchName} {
		t.Run(name, func(t *testing.T) {
			virtual(t, func(t *testing.T) {
				r, gate := hanging(t, name, 3*hangLimit)
				if r.told("hung "+name) != 1 || r.told("moves "+name) != 1 {
					t.Fatalf("it was not replaced: %q", r.events)
				}
				r.numbered("a", 3)
				ghost := name + ofGhost
				if state, err := r.s.State(); err != nil || len(state.Hung) != 1 || state.Hung[0].Actor != ghost {
					t.Errorf("state: %+v %v", state.Hung, err)
				}
				err := r.s.Close(context.Background())
				var hung *HungError
				if !errors.As(err, &hung) || len(hung.Actors) != 1 || hung.Actors[0].Actor != ghost || hung.Actors[0].For < hangLimit {
					t.Errorf("close: %v", err)
				}
				close(gate)
				if err := r.s.Close(context.Background()); err != nil {
					t.Errorf("close when it moves again: %v", err)
				}
			})
		})
	}
}

// One that has ended is watched no more.
func TestReplacedActorIsForgotten(t *testing.T) {
	virtual(t, func(t *testing.T) {
		f := &seam{}
		r := open(t, watchHangs(f))
		watched := func() int {
			w := r.tree().watch
			w.mu.Lock()
			defer w.mu.Unlock()
			return len(w.list)
		}
		before := watched()
		for range 3 {
			gate := make(chan struct{})
			f.next(r, "reader-0", func() { <-gate })
			time.Sleep(3 * hangLimit)
			if n := watched(); n != before+1 {
				t.Errorf("%d are watched while one that was replaced hangs, %d before", n, before)
			}
			close(gate)
			time.Sleep(hangLimit)
			if state, err := r.s.State(); err != nil || len(state.Hung) != 0 || watched() != before {
				t.Errorf("its end: %+v %v, %d are watched", state.Hung, err, watched())
			}
		}
		for range 3 {
			if err := r.s.StopActor("reader-0"); err != nil {
				t.Error(err)
			}
			time.Sleep(time.Second)
		}
		if n := watched(); n != before {
			t.Errorf("%d are watched after restarts, %d before", n, before)
		}
		r.close()
	})
}

// One that was replaced is told to move when it does, and not before.
func TestReplacedActorMoves(t *testing.T) {
	for _, name := range []string{"reader-0", dispatchName} {
		t.Run(name, func(t *testing.T) {
			virtual(t, func(t *testing.T) {
				r, gate := hanging(t, name, 4*hangLimit)
				ghost := name + ofGhost
				if state, err := r.s.State(); err != nil || len(state.Hung) != 1 || state.Hung[0].Actor != ghost || state.Hung[0].For < 3*hangLimit {
					t.Errorf("state while it stands: %+v %v", state.Hung, err)
				}
				if n := r.told("moves " + ghost); n != 0 || r.told("hung "+ghost) != 0 {
					t.Errorf("while it stands: %q", r.events)
				}
				close(gate)
				time.Sleep(hangLimit)
				if n := r.told("moves " + ghost); n != 1 {
					t.Errorf("it moves, and that was told %d times: %q", n, r.events)
				}
				if state, err := r.s.State(); err != nil || len(state.Hung) != 0 {
					t.Errorf("state: %+v %v", state.Hung, err)
				}
				r.close()
			})
		})
	}
}

// While a Close waits for one actor, those that have ended hang no more.
func TestCloseTellsOfNoActorThatHasEnded(t *testing.T) {
	virtual(t, func(t *testing.T) {
		f, gate := &seam{}, make(chan struct{})
		r := open(t, watchHangs(f), asyncFlush)
		r.puts("a", 0, 3)
		r.dispatched()
		f.next(r, "reader-0", func() { <-gate })
		synctest.Wait() // it has it in hand
		var hung *HungError
		if err := r.s.Close(context.Background()); !errors.As(err, &hung) || len(hung.Actors) != 1 {
			t.Errorf("close: %v", err)
		}
		synctest.Wait() // what was told is on its way by itself
		for _, e := range r.heard() {
			if strings.HasPrefix(e, "hung ") && e != "hung reader-0" {
				t.Errorf("told of %q", e)
			}
		}
		close(gate)
		if err := r.s.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
}
