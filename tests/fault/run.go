package fault

import (
	"context"
	"errors"
	"time"

	"github.com/actorstore/actorstore"
	"github.com/actorstore/actorstore/commitlog/mapped/mappedtest"
	"github.com/actorstore/actorstore/flusher"
	"github.com/actorstore/actorstore/tests/crash/oracle"
)

// heal is how soon a store must take puts again once the fault is gone.
const heal = 5 * time.Second

// run is one case on its way. It must run in a synctest bubble: time is virtual.
type run struct {
	*Client
	Case
	disk   *mappedtest.FS
	script *mappedtest.Script
	used   int // calls before this script
	open   bool
	at     oracle.Snapshot // of the last ending
	cut    oracle.Cut
	failed mappedtest.Call // that the fault has hit first, if N is not 0
	logf   func(format string, args ...any)
}

// Run carries a case out and gives what must not be, the number of calls, and
// the first call that failed.
func Run(c Case, logf func(format string, args ...any)) (faults []error, calls int, failed mappedtest.Call) {
	r := &run{Case: c, logf: logf, disk: mappedtest.NewFS(), cut: oracle.Killed}
	r.Client = NewClient(nil, "/data/store", c.Workload.Sync)
	r.at = r.Model.Now()
	if c.Workload.Tune != nil {
		c.Workload.Tune(r.Client)
	}
	r.arm()
	if r.start() {
		c.Workload.Do(r)
	}
	if r.open {
		r.healed()
		r.leave(c.Ending, c.Seed)
	}
	calls = r.used + r.script.Calls()
	r.noteFailed()
	r.script.Clear()
	r.judge()
	return r.Faults, calls, r.failed
}

// arm puts the fault before the disk; calls before it count.
func (r *run) arm() {
	r.script = mappedtest.NewScript(r.disk)
	err := Errnos[r.Errno].Err
	switch {
	case r.K == 0:
	case r.K > r.used:
		r.script.Add(mappedtest.Rule{At: r.K - r.used, Err: err, Forever: r.Often == Forever, There: r.Often == There})
	case r.Often == There && r.failed.N > 0:
		r.script.Add(mappedtest.Rule{Op: r.failed.Op, Path: r.failed.Path, Err: err, Forever: true})
	case r.Often == Forever:
		r.script.Add(mappedtest.Rule{Err: err, Forever: true})
	}
	r.Options.FS = r.script
}

// noteFailed looks for the call that the fault has hit.
func (r *run) noteFailed() {
	if r.failed.N == 0 {
		r.failed, _ = r.script.Failed()
	}
}

// start opens the store under the fault.
func (r *run) start() bool {
	r.open = r.Open()
	return r.open
}

// healed takes the fault away and wants a store that is healthy within moments,
// or that says that it is read-only, and that shows what it has acknowledged.
func (r *run) healed() {
	r.script.Clear()
	state, err := r.Store.State()
	if err != nil {
		r.Fault("state: %w", err)
		return
	}
	if state.ReadOnly == nil || errors.Is(state.ReadOnly, actorstore.ErrDiskFull) {
		r.takesPuts()
	} else {
		p := r.Put("after", 0, 100)
		if !p.Refused() || p.Result.Status != flusher.ServiceNotAvailable {
			r.Fault("read-only (%v), but a put gets %v", state.ReadOnly, p.Result.Status)
		}
	}
	r.dispatched()
}

// takesPuts wants a put to succeed soon.
func (r *run) takesPuts() {
	var p *Put
	for began := time.Now(); time.Since(began) < heal; time.Sleep(100 * time.Millisecond) {
		if p = r.Put("after", 0, 100); p.Acked() {
			return
		}
		if s, err := r.Store.State(); err == nil && s.ReadOnly != nil && !errors.Is(s.ReadOnly, actorstore.ErrDiskFull) {
			return // the failure was noticed only now
		}
	}
	r.Fault("%v after the fault was gone a put gets %v: %v", heal, p.Result.Status, p.Result.Err)
}

// dispatched wants all that was acknowledged in the queues soon, while the store
// is still open. Under SYNC_FLUSH a failed flush keeps back what it did not
// cover until the store is opened again; that was not acknowledged.
func (r *run) dispatched() {
	ctx, cancel := context.WithTimeout(context.Background(), 2*heal)
	defer cancel()
	for {
		state, err := r.Store.State()
		if err != nil {
			r.Fault("state: %w", err)
			return
		}
		if state.Watermarks.Dispatched >= state.Watermarks.Confirm {
			r.shown(ctx, state)
			return
		}
		select {
		case <-time.After(50 * time.Millisecond):
		case <-ctx.Done():
			r.Fault("not dispatched %v after the fault was gone: %+v, read-only: %v", 2*heal, state.Watermarks, state.ReadOnly)
			return
		}
	}
}

// shown wants what was acknowledged to be seen. A store whose recovery could not
// prove the end of its log is read-only, and shows only what is proven.
func (r *run) shown(ctx context.Context, state actorstore.State) {
	var err error
	if state.ReadOnly == nil {
		err = r.Intact(ctx)
	} else {
		err = r.Model.Shown(ctx, r.Store.Reader, state.Watermarks.Min, state.Watermarks.Confirm)
	}
	if now, serr := r.Store.State(); err != nil && serr == nil && now.Watermarks.Min == state.Watermarks.Min {
		r.Fault("while open, read-only %v: %w", state.ReadOnly, err) // and retention was not at work
	}
}

// end ends the store in the middle of a workload. A copy of what is left is
// opened without fault: what an ending may take, and has taken, is not waited
// for any more, and must not come back.
func (r *run) end(how Ending, seed uint64) {
	r.leave(how, seed)
	o := r.Options
	o.FS = r.disk.Kill()
	r.log(o, how)
	ctx := context.Background()
	s, err := Open(ctx, o)
	if err != nil {
		r.Fault("a copy does not open: %w", err)
		return
	}
	f, err := r.Check(ctx, s, r.at, r.cut)
	if err != nil {
		r.Fault("a copy: %w", err)
	}
	if f != nil {
		r.Model = r.Model.Forget(f)
	}
	if err := s.Close(ctx); err != nil {
		r.Fault("close of a copy: %w", err)
	}
}

// marks are those of the store; where retention is at work it goes on as soon as
// the store is open again.
func (r *run) marks() oracle.Watermarks {
	w := r.Marks()
	if r.Options.MaxStoreSize > 0 {
		w.Min = -1
	}
	return w
}

// leave ends the store and makes the disk what the ending leaves of it. The old
// store is closed on the old disk, whatever it thinks of it.
func (r *run) leave(how Ending, seed uint64) {
	r.open = false
	old, script, disk := r.Store, r.script, r.disk
	r.cut = oracle.Killed
	switch how {
	case ByClose:
		marks := r.marks()
		r.at = r.Model.Take(func() oracle.Watermarks { return marks }, func() {
			if err := r.Close(); err == nil {
				r.disk = disk.Crash(seed, mappedtest.Nothing) // a clean stop needs no cache
			} else {
				r.disk = disk.Kill()
			}
		})
	case ByKill:
		r.at = r.Model.Take(r.marks, func() { r.disk = disk.Kill() })
	case ByDrop:
		r.cut = oracle.PowerCut
		r.at = r.Model.Take(r.marks, func() { r.disk = r.dropped(disk) })
	case ByPowerCut:
		r.cut = oracle.PowerCut
		modes := mappedtest.Modes()
		r.at = r.Model.Take(r.marks, func() { r.disk = disk.Crash(seed, modes[int(seed%uint64(len(modes)))]) })
	}
	r.used += script.Calls()
	r.noteFailed()
	r.arm()
	if how != ByClose {
		script.Clear()
		r.Store = nil
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		_ = old.Close(ctx)
	}
	if n, m := disk.OpenFiles(), disk.Mappings(); n != 0 || m != 0 {
		r.Fault("after close %d files are open and %d mapped", n, m)
	}
}

// dropped is the disk without its clean pages. One of which no call has worked any
// more was mounted again.
func (r *run) dropped(disk *mappedtest.FS) *mappedtest.FS {
	to := disk.DropCaches()
	if r.Often == Forever {
		to.Remount()
	}
	return to
}
