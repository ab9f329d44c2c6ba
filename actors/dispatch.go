package actors

import (
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/actorstore/actorstore/dispatch"
	"github.com/actorstore/actorstore/progress"
)

// windowCount is how many windows exist at least: what dispatch may be ahead of
// the slowest sink.
const windowCount = 8

// While puts stream in, a moment's wait makes one window of what would be many
// small ones, each with a write to every queue. A put that comes alone is not
// held up.
const (
	gatherWindow = 128 << 10 // bytes that are worth a window
	gatherPause  = 200 * time.Microsecond
	gatherIdle   = 2 * time.Millisecond // without work ends the stream
)

// dispatchActor reads the log up to confirm and hands windows to the sinks.
type dispatchActor struct {
	t       *tree
	mailbox *batchMailbox[oneByOne]
	turn    int64 // of the fence, for all restarts
	reput   *dispatch.Reput
	sent    []progress.Record // windows on their way, in order
	last    time.Time         // of a window that was sent
}

// Receive is the actor.
func (d *dispatchActor) Receive(ctx actor.Context) {
	if _, woken := ctx.Message().(*wakeUp); woken {
		d.gather() // before the fence: nobody is to wait for a pause
	}
	d.t.dispatching.Lock()
	defer d.t.dispatching.Unlock()
	_, stopped := ctx.Message().(*actor.Stopped)
	switch {
	case stopped:
		d.t.quietly(func() { d.mailbox.Close(d.t.refuse) })
	case d.t.dispatching.is(d.turn):
		d.receive(ctx.Message())
	default: // another one has taken over, and who waits may ask that
		d.t.refuse(ctx.Message())
	}
}

func (d *dispatchActor) receive(message any) {
	switch m := message.(type) {
	case *actor.Started:
		d.t.dispatchWake.clear()
		d.reput = d.t.newReput(d.position())
		d.t.read.Store(d.reput.Pos())
		d.pass()
	case *wakeUp:
		d.t.dispatchWake.clear()
		d.pass()
	case *rewind:
		d.rewind()
		d.pass()
	case *sinkAway:
		if s := d.t.sinkNamed(m.name); s != nil {
			d.sideline(s, m)
		}
		d.pass()
	case *sinkBack:
		if s := d.t.sinkNamed(m.name); s != nil {
			s.away = false
			d.t.rooms.indexAway.Store(d.t.indexAway())
		}
		d.rewind()
		d.pass()
	case *forgetTopic:
		m.reply(apart(func() error {
			d.reput.Forget(m.topic)
			return d.t.rooms.queues.DeleteTopic(m.topic)
		}))
	}
}

// sideline goes on without a sink.
func (d *dispatchActor) sideline(s *sinkRef, m *sinkAway) {
	s.leave()
	s.parked = s.parked || m.why == awayParked
	d.t.rooms.indexAway.Store(d.t.indexAway())
	if m.why == awayHangs {
		d.t.giveUpOn(s)
	}
}

// giveUpOn takes back the windows that a sink has not come to, so that they are
// there for others, and tells it to catch up by itself.
func (t *tree) giveUpOn(s *sinkRef) {
	at := s.at.Load()
	if at == nil {
		return
	}
	for _, w := range at.drain(isWindow) {
		t.windowDone(w.(*dispatch.Window))
	}
	at.PostUserMessage(&fallBehind{})
}

func isWindow(message any) bool {
	_, ok := message.(*dispatch.Window)
	return ok
}

// gather waits a little in the middle of a stream of small puts.
func (d *dispatchActor) gather() {
	behind := d.t.log().Confirm() - d.t.read.Load()
	if behind > 0 && behind < gatherWindow && time.Since(d.last) < gatherIdle {
		time.Sleep(gatherPause)
	}
}

// pass does what the watermarks and the free windows allow.
func (d *dispatchActor) pass() {
	if !d.t.spawned.Load() {
		return // the sinks have no address yet
	}
	d.progress()
	for d.reput.Pos() < d.t.log().Confirm() {
		select {
		case w := <-d.t.windows:
			if !d.send(w) {
				return
			}
		default:
			return // a sink rings when it is done with one
		}
	}
}

// send reads one window and gives it to every sink that is not away; false if
// another dispatch has taken over meanwhile.
func (d *dispatchActor) send(w *dispatch.Window) (mine bool) {
	kept := false
	defer func() {
		if !kept { // reading panicked or failed
			d.t.windows <- w
		}
	}()
	err := d.fill(w)
	if !d.t.dispatching.is(d.turn) {
		return false
	}
	for i := range w.Damage {
		d.t.corruption(&w.Damage[i])
	}
	if w.End > w.Start {
		kept = true
		d.share(w)
	}
	if err != nil {
		panic(err)
	}
	return true
}

// fill reads a window outside of the fence: reading is what can hang for the
// disk's sake, and it touches nothing that is not this actor's.
func (d *dispatchActor) fill(w *dispatch.Window) error {
	limit := d.t.log().Confirm()
	d.t.dispatching.Unlock()
	defer d.t.dispatching.Lock()
	return d.reput.Read(w, limit)
}

func (d *dispatchActor) share(w *dispatch.Window) {
	d.last = time.Now()
	d.t.read.Store(w.End)
	d.note(progress.Record{Start: w.LastRecord, End: w.End, StoreTimestamp: w.LastTimestamp})
	n := 0
	for _, s := range d.t.sinks {
		if !s.away {
			n++
		}
	}
	if n == 0 {
		w.Share(1)
		d.t.windowDone(w)
		return
	}
	w.Share(n)
	for _, s := range d.t.sinks {
		if !s.away {
			s.given.Store(w.End)
			s.at.Load().PostUserMessage(w)
		}
	}
}
