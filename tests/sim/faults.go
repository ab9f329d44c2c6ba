package sim

import (
	"errors"
	"syscall"

	"github.com/actorstore/actorstore/commitlog/mapped/mappedtest"
	"github.com/actorstore/actorstore/tests/crash/oracle"
)

// faults are what the disk is going to do.
type faults struct {
	rules []mappedtest.Rule
	hits  int // how often a rule has made a call fail
}

var errnos = []error{syscall.EIO, syscall.ENOSPC, syscall.EMFILE, syscall.EFBIG, syscall.EDQUOT}

// injected tells whether an error is one of ours.
func injected(err error) bool {
	for _, e := range errnos {
		if errors.Is(err, e) {
			return true
		}
	}
	return false
}

var failing = []mappedtest.Op{
	mappedtest.OpAny, mappedtest.OpAny, mappedtest.OpWrite, mappedtest.OpWrite, mappedtest.OpDatasync, mappedtest.OpDatasync,
	mappedtest.OpFlush, mappedtest.OpFlush, mappedtest.OpSync, mappedtest.OpSyncDir, mappedtest.OpSyncFS, mappedtest.OpRename,
	mappedtest.OpAllocate, mappedtest.OpOpen, mappedtest.OpMap, mappedtest.OpRemove, mappedtest.OpTruncate, mappedtest.OpRead,
	mappedtest.OpMkdir, mappedtest.OpStat,
}

// plan lets one of the next calls fail, or all from there on.
func (w *world) planFault() {
	r := mappedtest.Rule{
		Op: failing[w.rng.IntN(len(failing))], At: 1 + w.rng.IntN(12), Forever: w.rng.IntN(4) == 0,
		Err: errnos[w.rng.IntN(len(errnos))], Landed: w.rng.IntN(3), Short: w.rng.IntN(2) << 20, // nothing, or all of it: what is written ends with a sector
	}
	w.trace.note("the %d. %v fails with %v, for ever %t", r.At, r.Op, r.Err, r.Forever)
	r.Before = w.call
	r.Then = func() {
		w.faults.hits++
		w.done.Faults++
		w.call()
	}
	w.faults.rules = append(w.faults.rules, r)
	w.arm()
}

// arm hands the rules to the disk: faults first, then what looks at every call.
func (w *world) arm() {
	w.script.Clear()
	w.script.Add(w.faults.rules...)
	w.script.Add(w.plant.rules()...)
	sync := func() {
		w.call()
		w.beside()
	}
	w.script.Add(
		mappedtest.Rule{Op: mappedtest.OpDatasync, Forever: true, Before: sync, Then: w.call},
		mappedtest.Rule{Op: mappedtest.OpFlush, Forever: true, Before: sync, Then: w.call},
		mappedtest.Rule{Forever: true, Before: w.call, Then: w.call})
}

// heal makes the disk well.
func (w *world) heal() {
	w.faults = faults{}
	w.arm()
}

// plannedCut is a cut that comes in the middle of something.
type plannedCut struct {
	in    int // looks at the disk until then; 0 = never
	cut   oracle.Cut
	seed  uint64
	mode  mappedtest.Mode
	image *mappedtest.FS // what it has left
}

// planCut decides what a cut will be.
func (w *world) planCut(in int) {
	modes := mappedtest.Modes()
	w.cut = plannedCut{in: in, cut: oracle.PowerCut, seed: w.rng.Uint64(), mode: modes[w.rng.IntN(len(modes))]}
	if w.rng.IntN(3) == 0 {
		w.cut.cut = oracle.Killed
	}
}

// call runs in front of and behind every call to the disk.
func (w *world) call() {
	if w.dead || w.looking || w.cut.in == 0 {
		return
	}
	if w.cut.in--; w.cut.in == 0 {
		w.takeCut()
	}
}

// takeCut is the moment of a cut: what the disk holds now is all that is left.
func (w *world) takeCut() {
	c := &w.cut
	take := func() {
		if c.cut == oracle.Killed {
			c.image = w.fs.Kill()
		} else {
			c.image = w.fs.Crash(c.seed, c.mode)
		}
	}
	if w.owed != nil { // nothing was promised since
		take()
		w.owed.cut = max(w.owed.cut, c.cut)
	} else {
		w.answers()
		at := w.model.Take(w.l.marks, take)
		w.owed = &owed{at, c.cut, w.l.log.Flushed()}
	}
	w.trace.note("%s %s", c.cut, c.mode)
	w.done.Cuts++
	w.dead = true
}

// bury puts what a cut has left into the next machine.
func (w *world) bury() {
	image := w.cut.image
	if w.l != nil {
		w.script.Clear()
		w.l.release()
		w.l = nil
	}
	w.dead, w.was = false, watermarks{}
	w.insert(image)
}
