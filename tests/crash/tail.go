package crash

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/actorstore/actorstore/actors"
	"github.com/actorstore/actorstore/commitlog/mapped/mappedtest"
	"github.com/actorstore/actorstore/tests/crash/oracle"
	"github.com/actorstore/actorstore/tests/crash/workload"
)

// tailCase is a store that was killed with records behind its mark, and one bad
// place in its log.
type tailCase struct {
	judge
	seed   uint64
	rng    *rand.Rand
	plan   *workload.Plan
	o      actors.Options
	fs     *mappedtest.FS
	model  *oracle.Model
	mark   int64 // the log below is proven to be durable
	found  *oracle.Found
	opened actors.OpenedEvent

	hits  []piece // what was changed
	zeros bool    // whole sectors were zeroed
	blank bool    // the end of a segment was hit
	cut   bool    // the power was cut, too: a write may have been lost
	// blurred: the record has sectors of zeros anyway, or zeros in front of the end of
	// one, so any damage to it but one bit looks like a write that a power cut has lost;
	// or that bit has left a byte of zero.
	blurred bool
	what    string
}

func newTailCase(j judge, seed uint64) *tailCase {
	rng := rand.New(rand.NewPCG(seed, 41))
	names := []string{"single", "roll", "bodies", "batch", "queues", "kinds"}
	c := &tailCase{judge: j, seed: seed, rng: rng, plan: workload.PlanOf(names[rng.IntN(len(names))]), fs: mappedtest.NewFS(), model: oracle.New()}
	c.o = c.plan.Options(root)
	c.o.FlushIntervalCommitLog = time.Hour
	c.o.Events.Opened = func(e actors.OpenedEvent) { c.opened = e }
	if rng.IntN(2) == 0 {
		c.o.FlushDiskType = actors.SyncFlush
	}
	return c
}

func (c *tailCase) String() string {
	if c.found == nil {
		return fmt.Sprintf("seed %d: %s, %s", c.seed, c.plan.Name, c.o.FlushDiskType)
	}
	return fmt.Sprintf("seed %d: %s, %s, %s, mark at %d, log to %d", c.seed, c.plan.Name, c.o.FlushDiskType, c.what, c.mark, c.found.End)
}

// run is the whole case.
func (c *tailCase) run(ctx context.Context) error {
	if err := c.build(ctx); err != nil {
		return err
	}
	if len(c.found.Records) == 0 {
		return nil
	}
	if err := c.hit(); err != nil {
		return err
	}
	if c.cut = c.rng.IntN(2) == 0; c.cut {
		c.fs.Remount()
		c.what += ", power cut"
	}
	before, err := readLog(c.fs)
	if err != nil {
		return err
	}
	end, sure := c.expect()
	s, err := c.open(ctx)
	if err != nil {
		return fmt.Errorf("open: %w", err)
	}
	got := c.opened
	hurt := oracle.Whole()
	hurt.Record = func(r *oracle.Record) bool { return c.isHit(r) || r.Offset >= got.End }
	err = s.Dispatched(ctx)
	switch {
	case err != nil:
	case sure && got.End != end:
		err = fmt.Errorf("the log ends at %d, want %d", got.End, end)
	case sure && end == c.found.End && got.Cut != 0:
		err = fmt.Errorf("%d bytes were cut", got.Cut)
	case sure && c.behindMark() && got.Damaged == 0 && got.End == c.found.End:
		err = errors.New("the bad place was not noticed")
	default:
		if err = before.kept(c.fs, got.End); err == nil {
			_, err = c.found.Tolerate(ctx, s.view, hurt, c.reading())
		}
	}
	if err != nil {
		return errors.Join(err, s.Close(ctx))
	}
	return c.goOn(ctx, s, hurt)
}

func (c *tailCase) open(ctx context.Context) (*opened, error) {
	o := c.o
	o.FS = c.fs
	return open(ctx, c.system, o)
}

func (c *tailCase) reading() oracle.Options {
	return oracle.Options{MultiDispatch: true, MaxMatches: c.o.MaxMsgsNumBatch}
}

// build makes a log that is partly marked and is then killed.
func (c *tailCase) build(ctx context.Context) error {
	for life, most := range []int{20, 15} {
		s, err := c.open(ctx)
		if err != nil {
			return err
		}
		c.mark = c.opened.End
		if err := c.put(ctx, s, c.rng.IntN(most), life); err != nil {
			return errors.Join(err, s.Close(ctx))
		}
		next := c.fs
		if life == 1 {
			if err := s.Dispatched(ctx); err != nil {
				return errors.Join(err, s.Close(ctx))
			}
			next = c.fs.Kill()
		}
		if err := s.Close(ctx); err != nil {
			return err
		}
		c.fs = next
	}
	fsys := c.fs
	c.fs = fsys.Kill()
	s, err := c.open(ctx)
	if err != nil {
		return err
	}
	c.found, err = s.check(ctx, c.model, c.model.Now(), oracle.Killed)
	c.fs = fsys
	return errors.Join(err, s.Close(ctx))
}

func (c *tailCase) put(ctx context.Context, s *opened, n, life int) error {
	w := &workload.Runner{Store: s.Store, Model: c.model, Window: 4}
	ops := c.plan.Ops(c.seed, int64(life+1)*generation)
	for range n {
		op := ops.Next()
		if op.Kind != workload.Put && op.Kind != workload.PutBatch {
			continue
		}
		if err := w.Do(ctx, op); err != nil {
			return err
		}
	}
	return w.Settle(ctx)
}

// goOn puts more, closes the store and looks at it once more.
func (c *tailCase) goOn(ctx context.Context, s *opened, hurt oracle.Hurt) error {
	m := c.model.Fork(c.found)
	w := &workload.Runner{Store: s.Store, Model: m, Window: 4}
	ops := workload.PlanOf("single").Ops(c.seed, 7*generation)
	for range 3 {
		if err := w.Do(ctx, ops.Next()); err != nil {
			return errors.Join(fmt.Errorf("going on: %w", err), s.Close(ctx))
		}
	}
	if err := errors.Join(w.Settle(ctx), s.Close(ctx)); err != nil {
		return err
	}
	s, err := c.open(ctx)
	if err != nil {
		return fmt.Errorf("second open: %w", err)
	}
	_, err = c.found.Tolerate(ctx, s.view, hurt, c.reading())
	if err == nil {
		err = m.Present(ctx, s.view)
	}
	if err = errors.Join(err, s.Close(ctx)); err != nil {
		return fmt.Errorf("after the second opening: %w", err)
	}
	return nil
}
