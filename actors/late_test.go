package actors

import (
	"errors"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/actorstore/actorstore/commitlog/mapped/mappedtest"
	"github.com/actorstore/actorstore/reader"
)

// F63: requests whose senders have given up are answered all the same, to nobody.
// Of twenty thousand of them no goroutine and no memory stays, whoever stood still:
// the disk, or an actor that is asked.
func TestLateAnswers(t *testing.T) {
	const rounds, each = 23, 1000
	virtual(t, func(t *testing.T) {
		r := open(t, syncFlush, func(o *Options) {
			o.HangTimeout, o.ZeroAheadCommitLog = 0, 0
			o.MappedFileSizeCommitLog, o.MaxStoreSize = 64<<10, 128<<10 // the log is in memory, and none of it
			o.CleanResourceInterval = 100 * time.Millisecond
			o.MessageIndexEnable = false
		})
		var gate atomic.Pointer[chan struct{}]
		r.script.Add(mappedtest.Rule{Op: mappedtest.OpDatasync, Path: root + "/commitlog/*", Forever: true, Before: func() {
			if g := gate.Load(); g != nil {
				<-*g
			}
		}})
		for range 1 << 17 { // protoactor's registry makes its 32,768 small maps as they are needed
			r.s.system.Root.StopFuture(actor.NewFuture(r.s.system, -1).PID())
		}
		var goroutines, known int
		var memory int64
		for round := range rounds {
			shut := make(chan struct{})
			gate.Store(&shut)
			before := r.tree().log().Appended()
			r.askInVain(each, func() any { return &Put{*message("a", 0, "b")} })
			gate.Store(nil)
			close(shut)
			hold := r.hold("reader-0")
			other := r.hold("reader-1")
			r.askInVain(each/10, func() any { return &Get{reader.GetRequest{Topic: "a", MaxCount: 1}} })
			hold()
			other()
			r.put("a", 0, "last") // behind them: they have been answered
			if r.tree().log().Appended() < before+each*100 {
				t.Error("the puts did not come to be")
			}
			time.Sleep(time.Minute)
			r.answered()
			if round == 2 { // pools and tables are as large as they need be
				goroutines, known, memory = runtime.NumGoroutine(), r.known(), live()
			}
		}
		if n := runtime.NumGoroutine(); n > goroutines+10 {
			t.Errorf("%d goroutines, before %d", n, goroutines)
		}
		if n := r.known(); n != known {
			t.Errorf("the actor system knows %d processes, before %d", n, known)
		}
		if n := live(); n > memory+5<<20 { // less than a future takes
			t.Errorf("%d bytes in use, before %d", n, memory)
		}
		r.close()
	})
}

// known is how many actors and futures can be reached.
func (r *rig) known() (n int) {
	for _, m := range r.s.system.ProcessRegistry.LocalPIDs.LocalPIDs {
		n += m.Count()
	}
	return n
}

// askInVain asks the store n times and waits a millisecond for the answers.
func (r *rig) askInVain(n int, message func() any) {
	r.t.Helper()
	futures := make([]*actor.Future, n)
	for i := range futures {
		futures[i] = r.s.system.Root.RequestFuture(r.s.PID(), message(), time.Millisecond)
	}
	late := 0
	for _, f := range futures {
		if err := f.Wait(); errors.Is(err, actor.ErrTimeout) {
			late++
		}
	}
	if late < n*9/10 {
		r.t.Errorf("%d of %d answers are late", late, n)
	}
}
