package fault

import (
	"context"
	"fmt"

	"github.com/actorstore/actorstore"
	"github.com/actorstore/actorstore/commitlog/mapped/mappedtest"
	"github.com/actorstore/actorstore/tests/crash/oracle"
)

// judge opens what is left without any fault and wants every promise kept, then
// the same again after more puts and a clean stop.
func (r *run) judge() {
	r.Options.FS = r.disk
	r.log(r.Options, r.Ending)
	for _, last := range []bool{false, true} {
		if !r.reopens(last) {
			return
		}
	}
}

// log tells what recovery is about to meet.
func (r *run) log(o actorstore.Options, how Ending) {
	if r.logf == nil && how < ByDrop {
		return
	}
	i, err := actorstore.Inspect(context.Background(), o)
	if err != nil {
		if r.logf != nil {
			r.logf("inspect: %v", err)
		}
		return
	}
	defer i.Close()
	report := i.Report()
	r.unmarked = report.Plan.Mark == nil
	if r.logf == nil {
		return
	}
	r.logf("clean %v, mark %+v (%s), log [%d,%d), cut %d, damage %v", i.Clean(), report.Plan.Mark, report.Plan.WhyNoMark,
		report.Min, report.End, report.Cut, report.Damage)
}

func (r *run) reopens(last bool) bool {
	ctx := context.Background()
	s, err := Open(ctx, r.Options)
	if err != nil {
		r.Fault("does not open again: %w", err)
		return false
	}
	r.Store = s
	defer func() {
		if err := r.Close(); err != nil {
			r.Fault("close after all: %w", err)
		}
		if n, m := r.disk.OpenFiles(), r.disk.Mappings(); n != 0 || m != 0 {
			r.Fault("after the last close %d files are open and %d mapped", n, m)
		}
		if last && !r.unmarked {
			r.verify(ctx)
		}
		r.disk = r.disk.Crash(r.Seed, mappedtest.Nothing) // a clean stop needs no cache
		r.at, r.cut = r.Model.Now(), oracle.Killed
		r.Options.FS = r.disk
	}()
	state, err := s.State()
	if err == nil {
		err = state.ReadOnly
	}
	if err != nil {
		r.Fault("reopened: %w", err)
		return false
	}
	limited, cancel := context.WithTimeout(ctx, 2*heal)
	defer cancel()
	if _, err := r.Reopened(limited, r.at, r.cut); err != nil {
		r.Fault("reopened: %w", err)
		return false
	}
	if !last {
		r.Many("orders", 2, 500, 5, 2)
		r.Put("new", 0, 50)
	}
	return len(r.Faults) == 0
}

// verify wants nothing found in a store that was closed cleanly.
func (r *run) verify(ctx context.Context) {
	i, err := actorstore.Inspect(ctx, r.Options)
	if err != nil {
		r.Fault("inspect: %w", err)
		return
	}
	defer i.Close()
	var found []error
	err = i.Verify(ctx, func(f actorstore.Finding) { found = append(found, fmt.Errorf("verify: %v", f)) })
	r.Faults = append(r.Faults, found...)
	if err != nil {
		r.Fault("verify: %w", err)
	}
}
