package sim

import (
	"fmt"

	"github.com/actorstore/actorstore/dispatch"
	"github.com/actorstore/actorstore/progress"
)

// dispatcher is what the dispatch actor keeps, and its sinks.
type dispatcher struct {
	reput      *dispatch.Reput
	sent       []progress.Record // windows on their way, in order
	wake       bool
	inbox      []toDispatch
	away       bool // it has died
	windows    []*dispatch.Window
	sinks      []*sink
	dispatched *progress.Record
}

// toDispatch is a message: a sink that goes, comes back, or wants a rewind.
type toDispatch struct {
	what string
	sink *sink
}

// startSinks makes dispatch and the sinks of a store that was just opened.
func (l *life) startSinks() {
	for range windowCount {
		l.windows = append(l.windows, &dispatch.Window{})
	}
	applied := l.log.Dispatched()
	for i := range l.w.setup.o.QueueShards {
		q := dispatch.NewQueueSink(i, nil)
		q.Reset(applied)
		l.sinks = append(l.sinks, &sink{core: q, name: fmt.Sprintf("queues-%d", i)})
	}
	if l.index != nil {
		x := dispatch.NewIndexSink(l.index)
		x.Reset(applied)
		if from := l.report.IndexFrom; from >= 0 && from < applied {
			x.Reset(from)
		}
		l.sinks = append(l.sinks, &sink{core: x, name: indexName, away: x.Applied() < applied})
	}
	l.startDispatch()
	for _, s := range l.sinks {
		s.start()
	}
}

func (l *life) startDispatch() {
	l.away, l.wake = false, true
	l.reput = dispatch.NewReput(l.log.Reader(), l.queues, l.rules(), l.position())
	l.sent = nil
}

// dispatch is one message of the dispatch actor.
func (l *life) dispatch() {
	if len(l.inbox) == 0 {
		l.wake = false
		l.pass()
		return
	}
	m := l.inbox[0]
	l.inbox = l.inbox[1:]
	switch m.what {
	case "away":
		m.sink.away = true
	case "back":
		m.sink.away = false
		l.rewind()
	case "rewind":
		l.rewind()
	}
	l.pass()
}

// pass does what the watermarks and the free windows allow.
func (l *life) pass() {
	l.progressed()
	for l.reput.Pos() < l.log.Confirm() && len(l.windows) > 0 && !l.away {
		n := len(l.windows) - 1
		w := l.windows[n]
		l.windows = l.windows[:n]
		l.send(w)
	}
}

// send reads one window and gives it to every sink that is there. Dispatch dies
// of a log that cannot be read.
func (l *life) send(w *dispatch.Window) {
	limit := l.log.Confirm()
	if l.w.rng != nil && l.w.rng.IntN(3) == 0 { // a window need not reach to the end
		limit = l.reput.Pos() + 1 + l.w.rng.Int64N(limit-l.reput.Pos())
		limit = l.recordEnd(limit)
	}
	err := l.reput.Read(w, limit)
	for _, d := range w.Damage {
		l.w.fail("dispatch meets damage that nobody has made: %v", d.Err)
	}
	if w.End > w.Start {
		l.share(w)
	} else {
		l.windows = append(l.windows, w)
	}
	if err != nil {
		if !injected(err) {
			l.w.fail("dispatch cannot read on a healthy disk: %v", err)
		}
		l.w.trace.note("dispatch dies: %v", err)
		l.away = true
	}
}

// recordEnd is the end of the entry that holds the byte in front of a limit.
func (l *life) recordEnd(limit int64) int64 {
	s := l.log.Reader().Scan(l.reput.Pos(), l.log.Confirm(), 0)
	defer s.Close()
	for s.Pos() < limit {
		if _, err := s.Next(); err != nil {
			return l.log.Confirm()
		}
	}
	return s.Pos()
}

func (l *life) share(w *dispatch.Window) {
	l.sent = append(l.sent, progress.Record{Start: w.LastRecord, End: w.End, StoreTimestamp: w.LastTimestamp})
	n := 0
	for _, s := range l.sinks {
		if !s.away {
			n++
		}
	}
	if n == 0 {
		w.Share(1)
		l.windowDone(w)
		return
	}
	w.Share(n)
	for _, s := range l.sinks {
		if !s.away {
			s.box = append(s.box, w)
		}
	}
}

// windowDone gives a window back once all sinks are done with it.
func (l *life) windowDone(w *dispatch.Window) {
	if w.Done() {
		l.windows = append(l.windows, w)
	}
	l.wake = true
}

// position is how far the slowest sink has come of those that get windows.
func (l *life) position() int64 {
	least := l.log.Confirm()
	for _, s := range l.sinks {
		if !s.away {
			least = min(least, s.Applied())
		}
	}
	return least
}

// applied is how far the slowest sink has come.
func (l *life) applied() int64 {
	least := l.log.Confirm()
	for _, s := range l.sinks {
		least = min(least, s.Applied())
	}
	return least
}

// progressed publishes what all sinks have taken in.
func (l *life) progressed() {
	applied := l.applied()
	n := 0
	for n < len(l.sent) && l.sent[n].End <= applied {
		n++
	}
	if n > 0 {
		if r := l.sent[n-1]; r.Start >= 0 {
			l.dispatched = &r
		}
		l.sent = append(l.sent[:0], l.sent[n:]...)
	}
	l.log.SetDispatched(applied)
}

// rewind starts again from the slowest sink.
func (l *life) rewind() {
	at := l.position()
	l.reput.Rewind(at)
	for len(l.sent) > 0 && l.sent[len(l.sent)-1].End > at {
		l.sent = l.sent[:len(l.sent)-1]
	}
}

// dispatchDies lets it lose its memory.
func (l *life) dispatchDies() {
	l.away = true
	l.w.done.Restarts++
}
