package actors

import (
	"fmt"
	"strings"
)

// beat is how an actor of the tree is, from what its mailbox has counted and the
// watermarks that it should move:
//
//	append       what waits in its mailbox; accepted puts that nobody works on
//	flusher      appended > flushed while puts wait; its interval
//	dispatch     confirm > what was read, with a free window; what all sinks
//	             have applied > dispatched
//	queues-n     what it was given > applied
//	index        what it was given > applied
//	checkpoint   a pass every second
//	retention    a round every interval
//	others       what waits in their mailboxes
func (t *tree) beat(name string, turns int64, busy bool) beat {
	b := beat{moved: turns, owes: busy, busy: busy}
	log := t.log()
	switch name {
	case appendName:
		// Under SYNC_FLUSH puts gather while a flush runs, and the flusher wakes it.
		b.owes = busy || t.admission.inFlight.Load() > 0 && !t.flushing.Load() && t.writable() == nil
		b.moved += log.Appended()
	case flusherName:
		b.moved += log.Flushed()
		b.disk = t.syncing.Load()
		if t.o.FlushDiskType == AsyncFlush {
			b.owes, b.slack = true, t.o.FlushIntervalCommitLog
		} else {
			b.owes = busy || t.flushing.Load()
		}
	case dispatchName:
		at := t.read.Load()
		b.moved += at
		b.owes = busy || t.spawned.Load() && (at < log.Confirm() && len(t.windows) > 0 || t.taken() > log.Dispatched())
	case checkName:
		b.owes, b.slack = true, markInterval
	case retentionName:
		b.owes, b.slack = true, t.o.CleanResourceInterval
	default:
		if s := t.sinkNamed(name); s != nil {
			at := s.Applied()
			b.moved += at
			b.owes = busy || at < s.given.Load()
		}
	}
	return b
}

// taken is the end of the log that all sinks have taken in, parked ones too.
func (t *tree) taken() int64 {
	least := t.log().Confirm()
	for _, s := range t.sinks {
		least = min(least, s.Applied())
	}
	return least
}

// holds says what an actor has in hand, for whoever has to find out why.
func (t *tree) holds(name string, b beat) string {
	log := t.log()
	switch {
	case name == storeName && t.lastStep.Load() != nil:
		return *t.lastStep.Load()
	case name == appendName:
		return fmt.Sprintf("%d bytes of puts, the log ends at %d", t.admission.inFlight.Load(), log.Appended())
	case name == flusherName && b.disk:
		return fmt.Sprintf("a sync of [%d, %d)", log.Flushed(), log.Appended())
	case name == flusherName:
		return fmt.Sprintf("flushed %d, appended %d", log.Flushed(), log.Appended())
	case name == dispatchName:
		return fmt.Sprintf("read %d, confirm %d, %d windows free", t.read.Load(), log.Confirm(), len(t.windows))
	case strings.HasPrefix(name, readerPrefix) && b.busy:
		return "a look-up"
	}
	if s := t.sinkNamed(name); s != nil {
		return fmt.Sprintf("applied %d, given %d", s.Applied(), s.given.Load())
	}
	if b.busy {
		return "a message"
	}
	if !b.owes {
		return "nothing"
	}
	return "nothing: its signal is missing"
}

// hungNow notes who hangs: for State, and for puts beyond what may be in flight.
func (t *tree) hungNow(all, pair []HungEvent) {
	if len(all) == 0 {
		t.hung.Store(nil)
	} else {
		t.hung.Store(&HungError{all})
	}
	if len(pair) == 0 {
		t.pairHung.Store(nil)
	} else {
		t.pairHung.Store(&HungError{pair})
	}
}
