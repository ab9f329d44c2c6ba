package storetest

import (
	"syscall"
	"testing"
	"time"

	"github.com/actorstore/actorstore/actors"
	"github.com/actorstore/actorstore/commitlog/mapped/mappedtest"
)

func engineForTest() *engine {
	e := newEngine()
	e.clock.real = time.Now
	e.disk = mappedtest.NewScript(mappedtest.NewFS())
	return e
}

// passes wants somebody to come through.
func passes(t *testing.T, what string, through func()) {
	t.Helper()
	gone := make(chan struct{})
	go func() { defer close(gone); through() }()
	select {
	case <-gone:
	case <-time.After(10 * time.Second):
		t.Errorf("%s stands for ever", what)
	}
}

// A hang that had been chosen when all faults were taken away, or when the store
// ended, but began behind that, found nobody to release it.
func TestHangChosenBeforeHeal(t *testing.T) {
	for name, away := range map[string]func(*engine){"heal": (*engine).heal, "end": (*engine).end} {
		t.Run(name, func(t *testing.T) {
			e := engineForTest()
			e.arm(Script{Hang("index", 1)})
			hit, gate := e.meets(func(r *rule) bool { return r.fits("index", actors.StepWake) })
			if hit == nil {
				t.Fatal("not chosen")
			}
			calls := e.calls(HangCall(mappedtest.OpWrite, 1), e.round())
			away(e)
			passes(t, "an actor", func() { e.hang(gate, 0) })
			passes(t, "a call", calls[0].Before)
			passes(t, "an actor that comes later", func() { e.Step("index", actors.StepWake, false) })
		})
	}
}

// A fault that was to come after a while came behind the healing if its timer rang
// just then.
func TestLateFaultAfterHeal(t *testing.T) {
	e := engineForTest()
	round := e.round()
	e.heal()
	e.add(Hang("index", 1), round)
	e.add(FailCall(mappedtest.OpMkdir, 1, syscall.EIO), round)
	e.add(PauseClock(), round)
	passes(t, "an actor", func() { e.Step("index", actors.StepWake, false) })
	if err := e.disk.Mkdir("/x"); err != nil {
		t.Error(err)
	}
	if e.clock.paused || len(e.struck) > 0 {
		t.Errorf("paused %t, struck %v", e.clock.paused, e.struck)
	}
	e.add(FailCall(mappedtest.OpMkdir, 1, syscall.EIO), e.round())
	if err := e.disk.Mkdir("/y"); err == nil {
		t.Error("a fault of this round does not strike")
	}
}
