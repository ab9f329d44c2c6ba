package actors

import (
	"math"
	"runtime"
	"runtime/debug"
	"sync"

	"github.com/asynkron/protoactor-go/actor"
)

// batchMax bounds a batch, so that system messages (stop, restart) are looked
// at in between.
const batchMax = 1024

// linger is how often an idle mailbox yields before its goroutine ends: new
// work that arrives meanwhile costs no goroutine start.
const linger = 4

// inlineBatches is how many batches a sender works off by itself.
const inlineBatches = 4

// batched is what a batchMailbox hands over together, as a slice.
type batched interface{ batchable() }

// batch is a run of messages that were queued when the actor came to them. The
// slice is the mailbox's: it is valid until Receive returns.
type batch[T batched] struct{ items []T }

// batchMailbox is a mailbox that hands over all waiting messages of type T at
// once. Without it there is no group commit: an actor that takes one message at
// a time syncs once for each. Everything else is delivered alone and in order,
// so poison pills and requests with a sender work as usual.
//
// An inline mailbox lets the sender who finds it idle do the work at once, on
// the sender's own goroutine, for a few batches: a single producer then pays no
// goroutine switch at all. Whoever comes meanwhile is served too, and when there
// is more than that the work moves to a goroutine of its own.
//
// The mailbox outlives a restart of its actor. Close ends it for good.
type batchMailbox[T batched] struct {
	mu        sync.Mutex
	user      []any
	head      int // of user, where messages are taken one by one
	system    []any
	turns     int64 // how often something was taken out
	running   bool
	suspended bool
	single    bool // nothing is handed over together
	inline    bool
	stopped   bool      // a stop has been delivered
	failed    bool      // and not restarted since
	noResume  bool      // an actor that has failed is restarted, whoever resumes it
	closed    func(any) // takes what is posted after Close
	onFailure func(reason any)
	parent    *actor.PID // of an actor whose parent may watch it
	bound     *bound     // of a mailbox that others fill

	invoker    actor.MessageInvoker
	dispatcher actor.Dispatcher
	run        func() // made once: a method value costs an allocation
	spare      []any
	batch      batch[T]
	current    any // what Receive is at, for the supervisor
}

func newBatchMailbox[T batched]() *batchMailbox[T] {
	m := &batchMailbox[T]{}
	_, m.single = any(*new(T)).(oneByOne)
	m.run = m.process
	return m
}

// RegisterHandlers is part of actor.Mailbox.
func (m *batchMailbox[T]) RegisterHandlers(invoker actor.MessageInvoker, dispatcher actor.Dispatcher) {
	m.mu.Lock()
	m.invoker, m.dispatcher = invoker, dispatcher
	m.mu.Unlock()
}

// Start is part of actor.Mailbox.
func (m *batchMailbox[T]) Start() {}

// UserMessageCount is part of actor.Mailbox.
func (m *batchMailbox[T]) UserMessageCount() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.waiting()
}

// waiting is how many messages are queued; m.mu is held.
func (m *batchMailbox[T]) waiting() int { return len(m.user) - m.head }

// PostUserMessage is part of actor.Mailbox.
func (m *batchMailbox[T]) PostUserMessage(message any) {
	if lifecycle(message) {
		return
	}
	m.mu.Lock()
	if m.closed != nil {
		refuse := m.closed
		m.mu.Unlock()
		refuse(message)
		return
	}
	if m.bound != nil && !m.bound.takes(message, m.waiting()) {
		m.mu.Unlock()
		m.bound.refuse(message)
		return
	}
	m.user = append(m.user, message)
	start := !m.running && !m.suspended && m.dispatcher != nil
	carry := false
	if start {
		m.running = true
		carry = m.inline && m.mayCarry(message) // Close may give the message away from here on
	}
	m.mu.Unlock()
	switch {
	case !start:
	case carry:
		m.processInline()
	default:
		m.dispatcher.Schedule(m.run)
	}
}

// PostSystemMessage is part of actor.Mailbox.
func (m *batchMailbox[T]) PostSystemMessage(message any) {
	m.mu.Lock()
	m.system = append(m.system, message)
	start := !m.running && m.dispatcher != nil
	if start {
		m.running = true
	}
	m.mu.Unlock()
	if start {
		m.dispatcher.Schedule(m.run)
	}
}

// Close gives what is queued, and whatever is posted later, to refuse. An actor
// calls it when it stops, because protoactor drops queued messages silently and
// the puts among them would wait for ever.
func (m *batchMailbox[T]) Close(refuse func(message any)) {
	m.mu.Lock()
	left := m.user[m.head:]
	m.user, m.head = nil, 0
	m.closed = refuse
	m.mu.Unlock()
	for _, message := range left {
		refuse(message)
	}
}

// process is one run on a goroutine of its own: until nothing is left to do.
func (m *batchMailbox[T]) process() {
	debug.SetPanicOnFault(true) // the goroutine ends with the run
	for !m.deliver(linger, math.MaxInt) && !m.rest() {
	}
}

// processInline is one run on the sender's goroutine: it ends early and hands
// over to a goroutine when there is much to do, or when a message panicked.
func (m *batchMailbox[T]) processInline() {
	old := debug.SetPanicOnFault(true)
	defer debug.SetPanicOnFault(old)
	if !m.deliver(0, inlineBatches) && !m.rest() {
		m.dispatcher.Schedule(m.run)
	}
}

// rest ends the run if there is nothing to do.
func (m *batchMailbox[T]) rest() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.system) == 0 && (m.suspended || m.waiting() == 0) {
		m.running = false
		return true
	}
	return false
}

// deliver works until the mailbox is empty, and has then ended the run (true);
// or until a message panicked, or it has taken from the queue so many times. An
// empty mailbox is looked at again after a yield, linger times.
func (m *batchMailbox[T]) deliver(linger, rounds int) (ended bool) {
	returned := false
	defer func() {
		switch reason := recover(); {
		case reason != nil:
			m.fail(reason)
		case !returned: // the goroutine is at its end, and somebody must go on
			m.fail(errGoexit)
			m.dispatcher.Schedule(m.run)
		}
	}()
	idle := 0
	for {
		m.mu.Lock()
		if len(m.system) > 0 {
			message := m.system[0]
			m.system = append(m.system[:0], m.system[1:]...)
			m.turns++
			m.mu.Unlock()
			m.systemMessage(message)
			continue
		}
		if m.suspended || m.waiting() == 0 {
			if m.suspended || idle >= linger {
				m.running = false
				m.mu.Unlock()
				returned = true
				return true
			}
			m.mu.Unlock()
			idle++
			runtime.Gosched()
			continue
		}
		if rounds--; rounds < 0 {
			m.mu.Unlock()
			returned = true
			return false
		}
		m.turns++
		idle = 0
		if m.single {
			m.current = m.pop()
			m.mu.Unlock()
			m.invoker.InvokeUserMessage(m.current)
			continue
		}
		m.user, m.spare = m.spare[:0], m.user
		m.mu.Unlock()
		m.userMessages()
	}
}

func (m *batchMailbox[T]) systemMessage(message any) {
	if m.amiss(message) {
		return
	}
	switch message.(type) {
	case *actor.SuspendMailbox:
		m.setSuspended(true)
	case *actor.ResumeMailbox:
		m.setSuspended(false)
	case *actor.Stop:
		m.mu.Lock()
		m.stopped = true
		m.mu.Unlock()
		m.current = message
		m.invoker.InvokeSystemMessage(message)
	default:
		m.current = message
		m.invoker.InvokeSystemMessage(message)
	}
}

func (m *batchMailbox[T]) setSuspended(v bool) {
	m.mu.Lock()
	m.suspended = v
	m.mu.Unlock()
}

// userMessages hands over what was taken. When a message panics, or a system
// message waits, the rest goes back to the front of the queue.
func (m *batchMailbox[T]) userMessages() {
	taken := m.spare
	at := 0
	defer func() {
		rest := taken[at:]
		if len(rest) > 0 {
			m.mu.Lock()
			m.user = append(append(make([]any, 0, len(rest)+len(m.user)), rest...), m.user...)
			m.mu.Unlock()
		}
		clear(taken)
	}()
	for at < len(taken) {
		if at > 0 && m.interrupted() {
			return
		}
		items := m.batch.items[:0]
		for at < len(taken) && len(items) < batchMax {
			item, ok := taken[at].(T)
			if !ok {
				break
			}
			items = append(items, item)
			at++
		}
		m.batch.items = items
		if len(items) > 0 {
			m.current = &m.batch
		} else {
			m.current = taken[at]
			at++
		}
		m.invoker.InvokeUserMessage(m.current)
	}
}

// interrupted reports whether a system message waits.
func (m *batchMailbox[T]) interrupted() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.turns++
	return len(m.system) > 0
}

// oneByOne is the item type of a mailbox that hands over nothing together.
type oneByOne struct{}

func (oneByOne) batchable() {}

// goroutines runs each mailbox on a goroutine of its own while it has work. The
// mailbox itself lets faults in mapped memory become panics, so that a start
// costs no closure.
type goroutines struct{}

// Schedule is part of actor.Dispatcher.
func (goroutines) Schedule(run func()) { go run() }

// Throughput is part of actor.Dispatcher.
func (goroutines) Throughput() int { return 300 }

// propsOf describes an actor that works from a mailbox of ours.
func propsOf[T batched](mailbox *batchMailbox[T], producer actor.Producer) *actor.Props {
	return actor.PropsFromProducer(producer, actor.WithDispatcher(goroutines{}),
		actor.WithMailbox(func() actor.Mailbox { return mailbox }))
}
