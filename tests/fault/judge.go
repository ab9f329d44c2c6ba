package fault

import (
	"context"
	"fmt"
	"math"

	"github.com/actorstore/actorstore"
	"github.com/actorstore/actorstore/commitlog/mapped/mappedtest"
)

// judge opens what is left without any fault and wants every promise kept, then
// the same again after more puts and a clean stop.
func (r *run) judge() {
	r.Options.FS = r.disk
	r.log()
	for _, last := range []bool{false, true} {
		if !r.reopens(last) {
			return
		}
	}
}

// log tells what recovery is about to meet.
func (r *run) log() {
	if r.logf == nil && r.Ending < ByDrop {
		return
	}
	i, err := actorstore.Inspect(context.Background(), r.Options)
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

// only wants just the promises where no mark counts, because writing the first
// one has failed: what a power cut has left of a log that was not flushed is then
// judged like a log of RocketMQ, where good records behind a bad one are kept.
func (r *run) only(ctx context.Context, min int64) {
	seen, _ := Read(ctx, r.Store)
	for _, p := range r.Puts {
		surely, perhaps := r.gone(p)
		_, is := seen[p.ID]
		if is && p.Outcome == Refused || !is && r.Promised(r.reach)(p) && !surely && !perhaps && p.Result.PhysicalOffset >= max(min, r.Expired) {
			r.Fault("without a mark: message %d, %v at %d: found %v", p.ID, p.Result.Status, p.Result.PhysicalOffset, is)
		}
	}
}

func (r *run) reopens(last bool) bool {
	ctx := context.Background()
	s, err := open(ctx, r.Options)
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
	if err := s.Dispatched(limited); err != nil {
		r.Fault("reopened, not dispatched: %w", err)
		return false
	}
	if r.unmarked {
		r.only(ctx, state.Watermarks.Min)
	} else if err := r.Check(ctx, s, state.Watermarks.Min, r.Promised(r.reach)); err != nil {
		r.Fault("reopened: %w", err)
	}
	r.Settle()
	r.reach = math.MaxInt64
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
