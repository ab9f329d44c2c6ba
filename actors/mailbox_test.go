package actors

import (
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/asynkron/protoactor-go/actor"
)

// parcel is a message that is handed over in batches.
type parcel struct{ n int }

func (*parcel) batchable() {}

// box is a mailbox whose actor is the test: what it is handed goes to got, and
// it runs when the test says so.
type box struct {
	*batchMailbox[*parcel]
	got       []string
	scheduled []func()
	at        func(message any) // what the actor does besides
}

func newBox() *box {
	b := &box{batchMailbox: newBatchMailbox[*parcel]()}
	b.RegisterHandlers(b, b)
	return b
}

func (b *box) Schedule(fn func()) { b.scheduled = append(b.scheduled, fn) }
func (b *box) Throughput() int    { return 300 }

// step runs what is scheduled until nothing is.
func (b *box) step() {
	for len(b.scheduled) > 0 {
		fn := b.scheduled[0]
		b.scheduled = b.scheduled[1:]
		fn()
	}
}

func (b *box) InvokeUserMessage(message any) {
	line := fmt.Sprintf("%T", message)
	switch m := message.(type) {
	case string:
		line = m
	case *batch[*parcel]:
		line = ""
		for _, p := range m.items {
			line += fmt.Sprint(p.n, ",")
		}
	}
	b.got = append(b.got, line)
	if b.at != nil {
		b.at(message)
	}
}

func (b *box) InvokeSystemMessage(message any) {
	b.got = append(b.got, fmt.Sprintf("%T", message))
	if b.at != nil {
		b.at(message)
	}
}

// EscalateFailure does what protoactor's does: it suspends the mailbox.
func (b *box) EscalateFailure(reason, message any) {
	b.got = append(b.got, fmt.Sprint("failed: ", reason))
	b.PostSystemMessage(&actor.SuspendMailbox{})
}

func (b *box) post(ns ...int) {
	for _, n := range ns {
		b.PostUserMessage(&parcel{n})
	}
}

func (b *box) want(t *testing.T, want ...string) {
	t.Helper()
	if !slices.Equal(b.got, want) {
		t.Errorf("handed over %q, want %q", b.got, want)
	}
	b.got = nil
}

func TestMailboxHandsOverInOrder(t *testing.T) {
	b := newBox()
	b.post(1, 2, 3)
	b.PostUserMessage("alone")
	b.post(4)
	b.PostUserMessage(&actor.MessageEnvelope{Message: &parcel{9}})
	b.post(5, 6)
	if n := b.UserMessageCount(); n != 8 {
		t.Errorf("%d messages wait, want 8", n)
	}
	if len(b.scheduled) != 1 {
		t.Errorf("%d runs for one burst, want 1", len(b.scheduled))
	}
	b.step()
	b.want(t, "1,2,3,", "alone", "4,", "*actor.MessageEnvelope", "5,6,")
	b.post(7)
	b.step()
	b.want(t, "7,")
}

func TestMailboxBoundsBatches(t *testing.T) {
	b := newBox()
	for n := range 2*batchMax + 5 {
		b.post(n)
	}
	sizes := []int{}
	b.at = func(m any) { sizes = append(sizes, len(m.(*batch[*parcel]).items)) }
	b.step()
	if !slices.Equal(sizes, []int{batchMax, batchMax, 5}) {
		t.Errorf("batches of %v", sizes)
	}
}

// A system message comes before the rest of what was taken, which stays in order.
func TestMailboxSystemMessageInBetween(t *testing.T) {
	b := newBox()
	b.post(1)
	b.PostUserMessage("stop yourself")
	b.post(2)
	b.PostUserMessage("x")
	b.at = func(m any) {
		switch m {
		case "stop yourself":
			b.PostSystemMessage(&actor.Stop{})
			b.post(3)
		}
	}
	b.step()
	b.want(t, "1,", "stop yourself", "*actor.Stop", "2,", "x", "3,")
}

func TestMailboxSuspended(t *testing.T) {
	b := newBox()
	b.PostSystemMessage(&actor.SuspendMailbox{})
	b.post(1)
	b.step()
	b.post(2)
	if len(b.scheduled) != 0 {
		t.Error("a suspended mailbox runs for a user message")
	}
	b.PostSystemMessage(&actor.Watch{})
	b.step()
	b.want(t, "*actor.Watch")
	b.PostSystemMessage(&actor.ResumeMailbox{})
	b.step()
	b.want(t, "1,2,")
}

// What stood behind the message that panicked is delivered after the restart.
func TestMailboxPanicKeepsTheRest(t *testing.T) {
	for _, inline := range []bool{false, true} {
		t.Run(fmt.Sprint("inline=", inline), func(t *testing.T) {
			b := newBox()
			b.PostSystemMessage(&actor.SuspendMailbox{})
			b.step()
			b.inline = inline
			b.post(1, 2)
			b.PostUserMessage("boom")
			b.post(3)
			b.PostUserMessage("x")
			b.at = func(m any) {
				if m == "boom" {
					b.post(4)
					panic("boom")
				}
			}
			b.PostSystemMessage(&actor.ResumeMailbox{})
			b.step()
			b.want(t, "1,2,", "boom", "failed: boom")
			b.post(5)
			b.step()
			b.want(t) // suspended
			b.PostSystemMessage(&actor.ResumeMailbox{})
			b.step()
			b.want(t, "3,", "x", "4,5,")
		})
	}
}

func TestMailboxPanicInSystemMessage(t *testing.T) {
	b := newBox()
	b.at = func(m any) {
		if _, ok := m.(*actor.Restart); ok {
			panic("restarting")
		}
	}
	b.PostSystemMessage(&actor.Restart{})
	b.post(1)
	b.step()
	b.want(t, "*actor.Restart", "failed: restarting")
	b.PostSystemMessage(&actor.ResumeMailbox{})
	b.step()
	b.want(t, "1,")
}

func TestMailboxClose(t *testing.T) {
	b := newBox()
	b.post(1, 2)
	b.PostUserMessage("x")
	var refused []any
	b.Close(func(m any) { refused = append(refused, m) })
	if len(refused) != 3 || refused[0].(*parcel).n != 1 || refused[2] != "x" {
		t.Errorf("Close refused %v", refused)
	}
	b.post(3)
	if len(refused) != 4 {
		t.Errorf("a late post was not refused: %v", refused)
	}
	b.step()
	b.want(t)
	b.PostSystemMessage(&actor.Watch{}) // still served: protoactor asks the dead, too
	b.step()
	b.want(t, "*actor.Watch")
}

// The sender works at once, for a bounded number of batches.
func TestMailboxInline(t *testing.T) {
	b := newBox()
	b.inline = true
	b.post(1)
	b.want(t, "1,")
	if len(b.scheduled) != 0 {
		t.Error("an inline run needs no goroutine")
	}
	rounds := 0
	b.at = func(any) {
		if rounds++; rounds < 10 {
			b.post(rounds)
		}
	}
	b.post(0)
	if rounds != inlineBatches {
		t.Errorf("the sender worked off %d batches, want %d", rounds, inlineBatches)
	}
	if len(b.scheduled) != 1 {
		t.Fatalf("the rest was handed over %d times, want once", len(b.scheduled))
	}
	b.step()
	if rounds != 10 || b.UserMessageCount() != 0 {
		t.Errorf("%d rounds, %d messages left", rounds, b.UserMessageCount())
	}
	b.at = nil
	b.got = nil
	b.post(11) // idle again: inline again
	b.want(t, "11,")
}

// countingActor answers for each parcel, also when it panics in the middle.
type countingActor struct {
	handled *atomic.Int64
	last    []int // of each sender
	fails   *atomic.Int64
	mailbox *batchMailbox[*sent]
	errs    chan string
}

type sent struct{ from, n int }

func (*sent) batchable() {}

func (a *countingActor) Receive(ctx actor.Context) {
	switch m := ctx.Message().(type) {
	case *batch[*sent]:
		for _, p := range m.items {
			if p.n <= a.last[p.from] {
				select {
				case a.errs <- fmt.Sprintf("parcel %d of sender %d after %d", p.n, p.from, a.last[p.from]):
				default:
				}
			}
			a.last[p.from] = p.n
		}
		n := a.handled.Add(int64(len(m.items)))
		if n%7 == 0 {
			a.fails.Add(1)
			panic("now and then")
		}
	case string:
		a.handled.Add(1)
	case *actor.Stopped:
		a.mailbox.Close(func(any) { a.handled.Add(1) })
	}
}

// Many senders, panics and restarts all the time, then a stop in the middle:
// each message is seen exactly once, in its sender's order.
func TestMailboxLosesNothing(t *testing.T) {
	for _, inline := range []bool{false, true} {
		t.Run(fmt.Sprint("inline=", inline), func(t *testing.T) {
			system := newSystem(DefaultOptions("/").Logger)
			defer system.Shutdown()
			const senders, each = 8, 3000
			var handled, fails atomic.Int64
			mailbox := newBatchMailbox[*sent]()
			mailbox.inline = inline
			last := make([]int, senders)
			for i := range last {
				last[i] = -1
			}
			errs := make(chan string, 1)
			props := actor.PropsFromProducer(func() actor.Actor {
				return &countingActor{&handled, last, &fails, mailbox, errs}
			}, actor.WithMailbox(func() actor.Mailbox { return mailbox }),
				actor.WithDispatcher(goroutines{}))
			root := system.Root.WithGuardian(actor.RestartingSupervisorStrategy())
			pid, err := root.SpawnNamed(props, "counting")
			if err != nil {
				t.Fatal(err)
			}
			var wait sync.WaitGroup
			for from := range senders {
				wait.Go(func() {
					for n := range each {
						if n == each/2 && from == 0 {
							mailbox.PostUserMessage("alone")
						}
						mailbox.PostUserMessage(&sent{from, n})
					}
				})
			}
			wait.Wait()
			for fails.Load() == 0 { // some are handled before the stop
				runtime.Gosched()
			}
			if err := system.Root.StopFuture(pid).Wait(); err != nil {
				t.Fatal(err)
			}
			if got := handled.Load(); got != senders*each+1 {
				t.Errorf("%d messages seen, want %d", got, senders*each+1)
			}
			select {
			case e := <-errs:
				t.Error(e)
			default:
			}
		})
	}
}

// A poison pill comes behind what was sent before it.
func TestMailboxPoisonInOrder(t *testing.T) {
	system := newSystem(DefaultOptions("/").Logger)
	defer system.Shutdown()
	var handled, fails atomic.Int64
	mailbox := newBatchMailbox[*sent]()
	props := actor.PropsFromProducer(func() actor.Actor {
		return &countingActor{&handled, []int{-1}, &fails, mailbox, make(chan string, 1)}
	}, actor.WithMailbox(func() actor.Mailbox { return mailbox }))
	pid := system.Root.Spawn(props)
	for n := range 5 {
		system.Root.Send(pid, &sent{0, n})
	}
	if err := system.Root.PoisonFuture(pid).Wait(); err != nil {
		t.Fatal(err)
	}
	if handled.Load() != 5 {
		t.Errorf("%d messages before the pill, want 5", handled.Load())
	}
}
