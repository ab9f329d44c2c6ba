package sim

import "fmt"

// watermarks are those of the log behind a step.
type watermarks struct {
	min, dispatched, confirm, flushed, appended int64
	failed                                      bool
}

func (m watermarks) String() string {
	return fmt.Sprintf("min %d dispatched %d confirm %d flushed %d appended %d failed %t", m.min, m.dispatched, m.confirm, m.flushed, m.appended, m.failed)
}

func (w *world) marks() watermarks {
	log := w.l.log
	return watermarks{log.Min(), log.Dispatched(), log.Confirm(), log.Flushed(), log.Appended(), log.Failed() != nil}
}

// invariants must hold behind every step.
func (w *world) invariants() {
	l, was, is := w.l, w.was, w.marks()
	w.was = is
	if is.failed && !was.failed {
		w.done.ReadOnly++
	}
	switch {
	case is.min > is.dispatched, is.dispatched > is.confirm, is.confirm > is.appended, is.flushed > is.appended:
		w.fail("watermarks out of order: %v", is)
	case l.sync && is.confirm > is.flushed:
		w.fail("shown before it is durable: %v", is)
	case is.min < was.min, is.dispatched < was.dispatched, is.confirm < was.confirm, is.flushed < was.flushed, is.appended < was.appended,
		was.failed && !is.failed:
		w.fail("watermarks go back: %v, then %v", was, is)
	case was.failed && (is.flushed > was.flushed || is.appended > was.appended):
		w.fail("a log that has failed goes on: %v, then %v", was, is)
	}
	for q := range l.queues.All() {
		if q.Loaded() && (q.MaxPhysical() > is.confirm || q.MinOffset() > q.MaxOffset()) {
			w.fail("%s-%d: units %d to %d reach to %d, confirm is %d", q.Topic(), q.ID(), q.MinOffset(), q.MaxOffset(), q.MaxPhysical(), is.confirm)
		}
	}
	windows := map[any]bool{}
	for _, s := range l.sinks {
		if s.Applied() > is.confirm || s.Applied() < is.dispatched {
			w.fail("%s has applied %d: %v", s.name, s.Applied(), is)
		}
		for _, b := range s.box {
			if b != nil {
				windows[b] = true
			}
		}
	}
	if n := len(windows) + len(l.windows); n != windowCount {
		w.fail("%d windows, want %d", n, windowCount)
	}
}
