package storetest

import (
	"fmt"
	"math/rand/v2"
	"syscall"
	"time"

	"github.com/actorstore/actorstore"
	"github.com/actorstore/actorstore/actors"
	"github.com/actorstore/actorstore/commitlog/mapped/mappedtest"
)

// Random makes a script of n faults; the same seed gives the same script. It has
// what a store must live through without losing an acknowledged message: panics,
// kills, hangs that end, signals that are late, early, doubled or lost, a clock
// that stands still for a while, and now and then a call to the disk that fails
// or panics. They are for the actors of Actors. The flusher's ticks, which there are
// only under ASYNC_FLUSH, are left alone.
func Random(seed uint64, n int) Script {
	rng := rand.New(rand.NewPCG(seed, 0x5707e7e57))
	s := make(Script, n)
	for i := range s {
		s[i] = randomFault(rng)
		if s[i].ofActor() && !s[i].atOnce() && rng.IntN(4) == 0 {
			s[i] = s[i].Every(1 + rng.IntN(5)).Times(2 + rng.IntN(3))
		}
	}
	return s
}

// Actors are the names of the actors of a store with the options of Options,
// for tests that go through all of them. Their supervisor is "store".
func Actors() []string {
	return actorsOf(Options())[1:]
}

// actorsOf are the actors of a store, its supervisor first.
func actorsOf(o actorstore.Options) []string {
	list := []string{"store", "append", "flusher", "dispatch"}
	for n := range o.QueueShards {
		list = append(list, fmt.Sprint("queues-", n))
	}
	if o.MessageIndexEnable {
		list = append(list, "index")
	}
	list = append(list, "allocator", "checkpoint", "retention")
	for n := range o.Readers {
		list = append(list, fmt.Sprint("reader-", n))
	}
	return list
}

func randomFault(rng *rand.Rand) Fault {
	pick := func(list ...string) string { return list[rng.IntN(len(list))] }
	anyone := pick(Actors()...)
	at := 1 + rng.IntN(20)
	length := time.Duration(1+rng.IntN(50)) * time.Millisecond
	later := time.Duration(rng.IntN(500)) * time.Millisecond
	switch deed(rng.IntN(int(doPause) + 1)) {
	case doPanic:
		if at == 1 {
			return PanicAt(anyone, 1).On(actors.StepStarted) // when it comes back
		}
		return PanicAt(anyone, at)
	case doPanicAfter:
		return PanicAfter(anyone, at)
	case doHang:
		return Hang(anyone, at).For(length)
	case doKill:
		return Kill(pick(append(Actors(), "store")...)).After(later)
	case doStop:
		return Stop(anyone).After(later)
	case doDrop:
		return Drop(pick("append", "dispatch", "allocator", "checkpoint", "retention"), at)
	case doDelay:
		return Delay(pick("append", "dispatch", "allocator", "checkpoint", "retention"), at, length)
	case doReorder:
		return Reorder(pick("append", "dispatch", "allocator", "checkpoint"), at)
	case doDuplicate:
		return Duplicate(pick("append", "dispatch", "allocator", "checkpoint", "retention"), at)
	case doFailCall:
		op := []mappedtest.Op{mappedtest.OpWrite, mappedtest.OpDatasync, mappedtest.OpFlush, mappedtest.OpAllocate, mappedtest.OpOpen, mappedtest.OpMap, mappedtest.OpRename}[rng.IntN(7)]
		return FailCall(op, at, []error{syscall.EIO, syscall.ENOSPC}[rng.IntN(2)]).After(later)
	case doPanicCall:
		return PanicCall(mappedtest.OpAny, 10*at).After(later)
	case doHangCall:
		// Those that are made without a lock: see HangCall.
		return HangCall([]mappedtest.Op{mappedtest.OpWrite, mappedtest.OpDatasync, mappedtest.OpFlush}[rng.IntN(3)], at).For(length).After(later)
	default:
		return PauseClock().For(20 * length).After(later)
	}
}
