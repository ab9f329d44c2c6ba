package sim

import (
	"fmt"
	"runtime/debug"
)

// Options say how a seed is run.
type Options struct {
	Steps int          // how many, 0 = all
	Only  map[int]bool // which of them, nil = all
	Plant Plant
	Trace bool // keep the whole trace
}

// Result is what came of a seed.
type Result struct {
	Seed  uint64
	Setup string
	What  string // the violation, "" if there is none
	Step  int    // where the run has ended
	Sum   uint64 // of the trace
	Trace string // the last steps
	Tally Tally
	Only  map[int]bool // what Shrink has left
}

// Run carries out the steps of a seed on one goroutine and checks the store after
// each of them, after each stop and at the end.
func Run(seed uint64, o Options) Result {
	t := &trace{all: o.Trace}
	w := newWorld(seed, o.Plant, t)
	r := Result{Seed: seed, Setup: w.setup.String()}
	r.What = w.run(&o)
	if r.What != "" {
		w.trace.end()
	}
	r.Step, r.Sum, r.Trace, r.Tally = w.step, t.sum, t.String(), w.done
	return r
}

func (w *world) run(o *Options) (what string) {
	defer func() {
		switch reason := recover().(type) {
		case nil:
		case violation:
			what = reason.what
		default:
			what = fmt.Sprintf("panic: %v\n%s", reason, debug.Stack())
		}
	}()
	n := steps
	if o.Steps > 0 {
		n = min(n, o.Steps)
	}
	for i := range n {
		if o.Only == nil || o.Only[i] {
			w.one(i)
		}
		if w.over {
			break
		}
	}
	w.ending(n)
	return ""
}

// one is one step.
func (w *world) one(i int) {
	w.step, w.rng = i, stepRand(w.seed, i)
	w.mono += 1e6
	if w.l == nil {
		w.trace.note("%d open", i)
		w.open()
	} else {
		a := w.pick()
		w.trace.note("%d %s", i, a.name)
		a.do(w)
	}
	w.after()
	w.trace.end()
}

// after judges the store behind a step.
func (w *world) after() {
	if w.l != nil && !w.dead && !w.over {
		w.answers()
		w.invariants()
	}
	if w.dead {
		w.bury()
	}
	w.trace.note("%v calls %d", w.was, w.script.Calls())
}

// ending closes the store, or cuts it, and looks at it for the last time.
func (w *world) ending(i int) {
	w.heal()
	w.cut = plannedCut{}
	w.step, w.rng = i, stepRand(w.seed, i)
	if w.l != nil && !w.over {
		w.trace.note("end: close")
		w.close()
		w.after()
		w.trace.end()
	}
	for try := 0; w.l == nil; try++ {
		if try == 3 {
			w.fail("the store cannot be opened at the end")
		}
		w.trace.note("end: open")
		w.rng = nil // no more surprises
		w.open()
		w.after()
		w.trace.end()
	}
	w.heal()
	w.l.release()
	w.leaks()
}
