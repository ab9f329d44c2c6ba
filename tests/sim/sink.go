package sim

import (
	"errors"

	"github.com/actorstore/actorstore/consumequeue"
	"github.com/actorstore/actorstore/dispatch"
)

const indexName = "index"

// stuckAfter is how many failures at one place that are not the disk's make a
// sink give up.
const stuckAfter = 5

// applier is a core: a shard of the queues, or the index.
type applier interface {
	Apply(*dispatch.Window) error
	Applied() int64
	Reset(int64)
}

// sink is one of them and what its actor keeps.
type sink struct {
	core   applier
	name   string
	box    []*dispatch.Window // nil: the next step of catching up
	down   bool               // it has failed and waits for its restart
	away   bool               // dispatch's: it gets no windows
	behind bool               // catching up
	asked  bool               // for a rewind
	own    *dispatch.Reput    // while it catches up
	window dispatch.Window    // of own
	at     int64              // where it failed last
	same   int                // failures there that were not the disk's
}

func (s *sink) Applied() int64 { return s.core.Applied() }

// start is the first moment of its actor.
func (s *sink) start() {
	s.down, s.behind, s.asked, s.own = false, true, false, nil
	s.box = append(s.box, nil)
}

// take is one message.
func (l *life) take(s *sink) {
	w := s.box[0]
	s.box = s.box[1:]
	if w == nil {
		l.catchUp(s)
		return
	}
	defer l.windowDone(w)
	switch err := s.core.Apply(w); {
	case err == nil:
		s.asked = false
	case !errors.Is(err, dispatch.ErrHole):
		l.sinkFails(s, err)
	case !s.behind && !s.asked:
		s.asked = true
		l.inbox = append(l.inbox, toDispatch{"rewind", s})
	}
}

// nearEnd is how far behind confirm a sink may be to get windows again.
const nearEnd = 1 << 10

func (l *life) catchUp(s *sink) {
	if s.Applied() >= l.log.Confirm() || l.ownWindow(s) {
		s.own, s.behind = nil, false
		if l.w.plant == LoseBack && s.away {
			return
		}
		l.inbox = append(l.inbox, toDispatch{"back", s})
		return
	}
	if !s.down {
		s.box = append(s.box, nil)
	}
}

func (l *life) ownWindow(s *sink) (near bool) {
	if s.own == nil {
		s.own = dispatch.NewReput(l.log.Reader(), l.queues, l.rules(), s.Applied())
	}
	err := s.own.Read(&s.window, l.log.Confirm())
	if err == nil {
		err = s.core.Apply(&s.window)
	}
	if err != nil {
		l.sinkFails(s, err)
		return false
	}
	return l.log.Confirm()-s.own.Pos() <= nearEnd
}

// sinkFails takes a sink out of the flow until it is restarted and has caught up.
func (l *life) sinkFails(s *sink, err error) {
	l.w.trace.note("%s dies: %v", s.name, err)
	l.w.done.Restarts++
	s.down = true
	l.inbox = append(l.inbox, toDispatch{"away", s})
	if errors.Is(err, errDies) || injected(err) || errors.Is(err, consumequeue.ErrDeleted) {
		return
	}
	if s.at != s.Applied() {
		s.at, s.same = s.Applied(), 0
	}
	if s.same++; s.same >= stuckAfter {
		l.w.fail("%s fails at %d again and again: %v", s.name, s.at, err)
	}
}

// errDies is the failure of an actor for no reason.
var errDies = errors.New("for no reason")

// sinkDies lets a sink lose its memory.
func (l *life) sinkDies(s *sink) {
	if l.w.plant == SkipReplay {
		s.core.Reset(l.log.Confirm())
	}
	l.sinkFails(s, errDies)
}
