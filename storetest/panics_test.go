package storetest_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/actorstore/actorstore"
	"github.com/actorstore/actorstore/storetest"
)

// kinds are the actors that panic, how often one message in so many, and what
// makes them work.
var kinds = []struct {
	actor string
	every int
	pause time.Duration // of a caller; the pauses before restarts get long
}{
	{"append", 7, ms}, {"flusher", 5, ms}, {"dispatch", 5, 50 * ms}, {"queues-0", 5, 50 * ms}, {"index", 5, 50 * ms},
	{"allocator", 1, 50 * ms}, {"checkpoint", 1, 200 * ms}, {"retention", 1, 200 * ms}, {"reader-0", 2, 50 * ms},
	{"store", 1, 200 * ms},
}

const ms = time.Millisecond

// Hundreds of panics of each actor, in front of a message and behind it, cost
// nothing that was acknowledged and leave nobody waiting; siblings go on.
func TestPanics(t *testing.T) {
	for _, k := range kinds {
		t.Run(k.actor, func(t *testing.T) {
			for name, flush := range map[string]func(*actorstore.Options){"async": asyncFlush, "sync": syncFlush} {
				t.Run(name, func(t *testing.T) {
					n := (times(*panics) + 1) / 2
					for done := 0; done < n; {
						part := min(n-done, 250)
						storetest.Racing(t, func(t *testing.T) { panicOften(t, k.actor, k.every, part, k.pause, flush) })
						done += part
					}
				})
			}
		})
	}
}

func panicOften(t *testing.T, name string, every, n int, pause time.Duration, flush func(*actorstore.Options)) {
	before, behind := (n+1)/2, n/2
	script := storetest.Script{storetest.PanicAt(name, 2).Every(2 * every).Times(before)}
	if behind > 0 {
		script = append(script, storetest.PanicAfter(name, 3+every).Every(2*every+1).Times(behind))
	}
	s := storetest.Open(t, options(flush, func(o *actorstore.Options) {
		o.RestartBudget = 1 << 30
		o.FlushIntervalCommitLog = 5 * ms
		o.CleanResourceInterval = time.Second
	}), script)
	c := load(t, s, 3, pause)
	began := time.Now()
	for s.Told("restarted "+name) < n && !t.Failed() {
		if time.Since(began) > time.Minute+time.Duration(n)*10*time.Second {
			t.Errorf("only %d of %d panics: somebody waits for ever", s.Told("restarted "+name), n)
		}
		if name == "reader-0" {
			ask(t, s)
		}
		if name == "allocator" || name == "store" { // it has little to do
			_ = s.Store.Actors().Poke(name) // the store may be opening
		}
		if name == "store" { // its parent allows ten failures in ten seconds
			time.Sleep(2500 * ms)
		}
		time.Sleep(10 * time.Millisecond)
	}
	c.stop()
	storetest.Settle() // bytes are given back behind the answer
	if got := len(s.Struck()); got != n {
		t.Errorf("%d panics, want %d", got, n)
	}
	if n := s.History.Unanswered(); n != 0 {
		t.Errorf("%d puts are not answered", n)
	}
	if state, err := s.State(); err != nil || state.InFlight != 0 || state.ReadOnly != nil {
		t.Errorf("%+v %v", state, err)
	}
	if name != "append" && name != "flusher" && name != "store" && s.History.Refused()+s.History.Unknown() > 0 {
		t.Errorf("%d puts were refused because %s died", s.History.Refused()+s.History.Unknown(), name)
	}
	if p := s.Parked(); len(p) > 0 {
		t.Errorf("parked: %v", p)
	}
	storetest.Check(t, s)
	if err := s.Close(context.Background()); err != nil {
		t.Errorf("close: %v", err)
	}
	storetest.Left(t, s)
	if err := s.Reopen(context.Background(), nil); err != nil {
		t.Fatal(err)
	}
	storetest.Check(t, s)
	if name != "store" && s.Told("opened clean=true") != 2 {
		t.Errorf("not a clean stop: %v", s.Events())
	}
	if e := s.Events(); e[len(e)-1] != "opened clean=true" {
		t.Errorf("not a clean stop: %v", e)
	}
	if err := s.Close(context.Background()); err != nil {
		t.Errorf("close: %v", err)
	}
	storetest.Left(t, s)
	if testing.Verbose() {
		t.Log(fmt.Sprint(n, " panics, ", s.History.Acknowledged(), " puts acknowledged, ", s.History.Refused(), " refused, ", s.History.Unknown(), " unknown"))
	}
}
