package storetest

import (
	"strings"
	"time"

	"github.com/actorstore/actorstore/actors"
	"github.com/actorstore/actorstore/commitlog/mapped/mappedtest"
)

// Script is what shall go wrong, in any order. Each fault counts for itself.
type Script []Fault

// String is the script as Go source, to be pasted into a test.
func (s Script) String() string {
	lines := make([]string, len(s))
	for i, f := range s {
		lines[i] = "storetest." + f.String()
	}
	return "storetest.Script{" + strings.Join(lines, ", ") + "}"
}

// Fault is one thing that goes wrong. Make one with PanicAt and its like, and
// narrow it down with On, Under, After, Every, Times and For.
type Fault struct {
	deed   deed
	actor  string
	at     int // which of those that match; 1 is the first
	every  int // and each so many after it; 0 = only that one
	times  int // but not more often; 0 = no bound
	on     actors.Step
	op     mappedtest.Op
	path   string
	err    error
	after  time.Duration // armed so long after the store is open
	length time.Duration // of a hang, a delay or a pause; 0 = until Release
}

type deed uint8

const (
	doPanic deed = iota
	doPanicAfter
	doHang
	doKill
	doStop
	doDrop
	doDelay
	doReorder
	doDuplicate
	doFailCall
	doPanicCall
	doHangCall
	doPause
)

// PanicAt lets an actor panic when it comes to its n-th message; 1 is the first
// one. The actors are "append", "flusher", "dispatch", "queues-0" and so on,
// "index", "allocator", "checkpoint", "retention", "reader-0" and so on, and
// "store", their supervisor, which is restarted with all of them up to ten times in
// ten seconds. For append each put counts, and those before it in the same batch are
// encoded but not published.
func PanicAt(actor string, n int) Fault { return Fault{deed: doPanic, actor: actor, at: n} }

// PanicAfter lets an actor panic when it has dealt with its n-th message. For
// append that is a put which is encoded but not published.
func PanicAfter(actor string, n int) Fault { return Fault{deed: doPanicAfter, actor: actor, at: n} }

// Hang lets an actor stand still at its n-th message until Store.Release, or as
// long as For says. Append often runs on the goroutine of a caller, which then
// stands still with it. After Options.HangTimeout the store does without an actor
// where that is safe.
func Hang(actor string, n int) Fault { return Fault{deed: doHang, actor: actor, at: n} }

// Kill lets an actor panic at once, even if it is at rest. One that is away, since
// it has failed before, panics as soon as it is back; one that stays away (it is
// parked, or the store is read-only or closed) never does, see Store.Missed.
func Kill(actor string) Fault { return Fault{deed: doKill, actor: actor, at: 1, on: actors.StepPoke} }

// Stop stops an actor at once, as somebody would who is no part of the store. It
// comes back; "store" does not, and ends the store. One that is away just then
// comes back as it would have.
func Stop(actor string) Fault { return Fault{deed: doStop, actor: actor, at: 1} }

// Drop loses the n-th signal to an actor: a wake, which says that a watermark
// has moved, or a tick of its interval. The one after it comes through. Signals
// inside a process are lost only together with their actor. What has been lost is
// made good by the next put, restart, tick or Dispatched, or by the store's watch
// after Options.HangTimeout. Signals go to append, dispatch and allocator (wakes), to
// checkpoint, retention and the flusher of ASYNC_FLUSH (ticks); the others are sent
// messages only, and such a fault of theirs is refused.
func Drop(actor string, n int) Fault { return Fault{deed: doDrop, actor: actor, at: n} }

// Delay holds the n-th signal to an actor back for d. Since at most one wake is
// under way to an actor, nobody else's wake comes through meanwhile.
func Delay(actor string, n int, d time.Duration) Fault {
	return Fault{deed: doDelay, actor: actor, at: n, length: d}
}

// Reorder lets the n-th signal to an actor arrive behind the message that the
// actor takes next, at the latest after 5 ms.
func Reorder(actor string, n int) Fault { return Fault{deed: doReorder, actor: actor, at: n} }

// Duplicate sends the n-th signal to an actor twice.
func Duplicate(actor string, n int) Fault { return Fault{deed: doDuplicate, actor: actor, at: n} }

// FailCall lets the n-th call of the file system fail with err, counted from the
// moment when the store is open; mappedtest.OpAny counts all calls.
func FailCall(op mappedtest.Op, n int, err error) Fault {
	return Fault{deed: doFailCall, op: op, at: n, err: err}
}

// PanicCall lets whoever makes the n-th call of the file system panic in it.
func PanicCall(op mappedtest.Op, n int) Fault { return Fault{deed: doPanicCall, op: op, at: n} }

// HangCall lets the n-th call of the file system stand still until
// Store.Release, or as long as For says. In virtual time narrow it to calls that are
// made without a lock, such as writes and syncs: who waits for a sync.Mutex stops the
// clock of the bubble, and with it the end of the hang.
func HangCall(op mappedtest.Op, n int) Fault { return Fault{deed: doHangCall, op: op, at: n} }

// PauseClock lets the store's clock stand still, for ever or as long as For
// says; see Store.PauseClock.
func PauseClock() Fault { return Fault{deed: doPause} }

// On narrows a fault of an actor to one kind of message or signal, such as
// "tick"; see actors.Step. Only so a fault strikes at "started".
func (f Fault) On(kind actors.Step) Fault { f.on = kind; return f }

// Under narrows a fault of the file system to paths that fit a pattern of
// filepath.Match, as a whole or with their last step.
func (f Fault) Under(pattern string) Fault { f.path = pattern; return f }

// After arms a fault only d after the store is open; what comes earlier is not
// counted.
func (f Fault) After(d time.Duration) Fault { f.after = d; return f }

// Every repeats a fault at each k-th message, signal or call after the first.
func (f Fault) Every(k int) Fault { f.every = max(k, 1); return f }

// Times bounds how often a fault that repeats strikes. Faults of the file system
// that do not come Every(1) need it.
func (f Fault) Times(n int) Fault { f.times = n; return f }

// For says how long a hang or a pause lasts.
func (f Fault) For(d time.Duration) Fault { f.length = d; return f }
