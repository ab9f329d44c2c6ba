package crash

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"

	"github.com/actorstore/actorstore/actors"
	"github.com/actorstore/actorstore/commitlog/mapped/mappedtest"
	"github.com/actorstore/actorstore/recoverer"
	"github.com/actorstore/actorstore/tests/crash/oracle"
)

// repaired repairs the damaged store, killed once in the middle or not, and looks
// whether nothing is left but what was hit in the log.
func (a *atRest) repaired(ctx context.Context, fsys *mappedtest.FS, h *hit, rng *rand.Rand) error {
	o := a.im.options(fsys)
	before := listing(fsys)
	plan, err := actors.Repair(ctx, o, false, false)
	if err != nil && h.class == logFile && h.structural && before.segments() <= 1 {
		return nil // a log of one segment does not tell how long it was, and one of none does not tell anything
	}
	if err != nil {
		return fmt.Errorf("plan of repair: %w", err)
	}
	if diff := before.differs(listing(fsys)); diff != "" {
		return fmt.Errorf("the plan of repair has changed %s", diff)
	}
	if rng.IntN(2) == 0 {
		o.FS = mappedtest.NewScript(fsys, mappedtest.Rule{At: 1 + rng.IntN(1000), Forever: true, Err: errKilled})
		_, _ = actors.Repair(ctx, o, true, true)
		fsys = fsys.Crash(rng.Uint64(), mappedtest.Random)
		o = a.im.options(fsys)
	}
	if _, err := actors.Repair(ctx, o, true, true); err != nil {
		return fmt.Errorf("repair, %d steps: %w", len(plan.Steps), err)
	}
	again, err := actors.Repair(ctx, o, false, false)
	if err != nil {
		return fmt.Errorf("second plan of repair: %w", err)
	}
	if len(again.Steps) > 0 {
		return fmt.Errorf("a second repair finds %v", again.Steps)
	}
	for _, f := range again.Left {
		if f.Where != recoverer.CommitLog {
			return fmt.Errorf("after repair: %s", f)
		}
	}
	if h.class == deletedFile {
		return nil // deleted topics come back
	}
	s, err := open(ctx, a.system, o)
	if err != nil {
		return fmt.Errorf("open after repair: %w", err)
	}
	hurt := h.hurt()
	hurt.Unit, hurt.Silent, hurt.Keys = oracle.Whole().Unit, a.found.Min > 0, false
	if err := s.Dispatched(ctx); err != nil {
		return errors.Join(err, s.Close(ctx))
	}
	_, err = a.found.Tolerate(ctx, s.view, hurt, a.reading())
	if err = errors.Join(err, s.Close(ctx)); err != nil {
		return fmt.Errorf("repaired: %w", err)
	}
	return nil
}

// segments counts those of the log.
func (f files) segments() (n int) {
	for path := range f {
		if classOf(path) == logFile {
			n++
		}
	}
	return n
}

var errKilled = errors.New("killed")
