package actors

import (
	"sync"
	"time"

	"github.com/asynkron/protoactor-go/actor"
)

// mostDeclined is how many answers may wait for one asker until it is refused
// without an answer.
const mostDeclined = 2 * mostAsks

// replies brings answers to those who asked by message. An asker is not ours: its
// mailbox may be full and its sender wait, it may work on the goroutine of whoever
// sends, and behind one that has gone are the subscribers of dead letters. So no
// actor of the store sends an answer itself. What goes to one asker goes in order;
// one that takes its time has a goroutine to itself and holds up nobody else.
type replies struct {
	calls callbacks
	limit int64 // bytes that may wait before those who keep answers waiting find no more

	mu    sync.Mutex
	lines map[pidKey]*line
	bytes int64 // of all that wait or are being sent
	spare []*line
}

// pidKey is a PID that can be compared.
type pidKey struct {
	address, id string
	request     uint32
}

// line is what waits for one asker.
type line struct {
	r       *replies
	system  *actor.ActorSystem
	to      *actor.PID
	answers []any
	room    [2]any // for the first ones
	inHand  int64  // bytes of the one that is being sent
	late    bool   // somebody has waited for room in vain
	run     func() // made once
}

func keyOf(pid *actor.PID) pidKey { return pidKey{pid.Address, pid.Id, pid.RequestId} }

// send queues an answer and returns at once.
func (r *replies) send(system *actor.ActorSystem, to *actor.PID, answer any) {
	r.queue(system, to, answer, 0)
}

// decline is send for who is refused: one who asks on and on and takes no answer gets
// none any more.
func (r *replies) decline(system *actor.ActorSystem, to *actor.PID, answer any) {
	r.queue(system, to, answer, mostDeclined)
}

func (r *replies) queue(system *actor.ActorSystem, to *actor.PID, answer any, most int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	l := r.lines[keyOf(to)]
	if l != nil && most > 0 && len(l.answers) >= most {
		return
	}
	r.bytes += heft(answer)
	if l != nil { // who is at it comes to this one as well
		l.answers = append(l.answers, answer)
		return
	}
	if n := len(r.spare); n > 0 {
		l, r.spare = r.spare[n-1], r.spare[:n-1]
	} else {
		l = &line{r: r}
		l.run = l.work
	}
	l.system, l.to, l.answers = system, to, append(l.room[:0], answer)
	if r.lines == nil {
		r.lines = make(map[pidKey]*line)
	}
	r.lines[keyOf(to)] = l
	r.calls.run(l.run)
}

// full tells whether so many answers wait for somebody that it gets no more.
func (r *replies) full(to *actor.PID) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	l := r.lines[keyOf(to)]
	return l != nil && len(l.answers) >= mostAsks
}

// room waits a little while for room for what a look-up may find: a reader is faster
// than who takes its answers. False if there is none.
func (r *replies) room(to *actor.PID) bool {
	for began := time.Now(); ; time.Sleep(slowCallback / 50) {
		if is, late := r.look(to, time.Since(began) >= slowCallback); is || late {
			return is
		}
	}
}

// look tells whether there is room, or nobody is to wait for it; late says that
// somebody has.
func (r *replies) look(to *actor.PID, late bool) (is, isLate bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	l := r.lines[keyOf(to)]
	if l == nil || len(l.answers) == 0 || len(l.answers) < mostAsks && r.bytes < r.limit {
		return true, false
	}
	l.late = l.late || late
	return false, l.late
}

// work sends what waits. A subscriber of dead letters may panic, or end the
// goroutine: another one takes the rest.
func (l *line) work() {
	done := false
	defer func() {
		if !done {
			l.r.calls.run(l.run)
		}
	}()
	for {
		answer := l.next()
		if answer == nil {
			done = true
			return
		}
		send(l.system, l.to, answer)
	}
}

// next takes the next answer out; nil if there is none, and the line has ended.
func (l *line) next() (answer any) {
	r := l.r
	r.mu.Lock()
	defer r.mu.Unlock()
	r.bytes -= l.inHand
	l.inHand, l.late = 0, false
	if len(l.answers) == 0 {
		delete(r.lines, keyOf(l.to))
		l.system, l.to, l.answers = nil, nil, nil
		if len(r.spare) < 16 {
			r.spare = append(r.spare, l)
		}
		return nil
	}
	answer, l.answers[0] = l.answers[0], nil
	l.answers = l.answers[1:]
	l.inHand = heft(answer) // now: then it is the asker's
	return answer
}

// heft is about what an answer holds in memory.
func heft(answer any) int64 {
	switch a := answer.(type) {
	case *GetReply:
		return 256 + int64(a.Result.Size())
	case *QueryReply:
		n := int64(256)
		for i := range a.Result.Messages {
			n += int64(a.Result.Messages[i].StoreSize)
		}
		return n
	case *LookupReply:
		if a.Message != nil {
			return 256 + int64(a.Message.StoreSize)
		}
	case *TopicsReply:
		return 256 + 128*int64(len(a.Topics))
	}
	return 256
}
