package crash

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"sync"

	"github.com/actorstore/actorstore/commitlog/checkpoint"
	"github.com/actorstore/actorstore/commitlog/mapped/mappedtest"
	"github.com/actorstore/actorstore/tests/crash/oracle"
)

const (
	recutDepth = 3 // how often in a row an opening is cut
	recutWidth = 2 // images of one opening
)

// recut cuts the opening of an image, and the opening of what that leaves, and
// so on. Each time the store must come to the state that an opening without a
// cut gives. It returns how many images were opened.
func (j *judge) recut(ctx context.Context, im *image) (int, error) {
	if im.cut == oracle.Killed && im.seed%2 == 0 {
		if err := disown(im.fs); err != nil {
			return 0, err
		}
	}
	s, err := open(ctx, j.system, im.options(im.fs.Kill()))
	if err != nil {
		return 1, fmt.Errorf("open: %w", err)
	}
	want, err := s.check(ctx, im.run.model, im.at, im.cut)
	if err = errors.Join(err, s.Close(ctx)); err != nil {
		return 1, err
	}
	if want.Doubtful {
		return 1, nil
	}
	c := &recutter{judge: j, im: im, want: want, rng: rand.New(rand.NewPCG(im.seed, 11))}
	err = c.descend(ctx, im.fs, recutDepth, "")
	return 1 + c.cases, err
}

// disown makes a store one of RocketMQ's, which has no mark and no summary.
func disown(fsys *mappedtest.FS) error {
	layout := checkpoint.NewLayout(root, "")
	for _, path := range []string{layout.MarkFile(), layout.QueuesFile()} {
		if err := fsys.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return fsys.SyncDir(layout.Ours())
}

type recutter struct {
	*judge
	im    *image
	want  *oracle.Found
	rng   *rand.Rand
	cases int
}

// descend opens what is left so far, cuts that opening at some calls, and goes
// on with what each cut leaves.
func (c *recutter) descend(ctx context.Context, fsys *mappedtest.FS, depth int, path string) error {
	c.cases++
	fsys = fsys.Kill()
	before, err := readLog(fsys)
	if err != nil {
		return err
	}
	var cuts *cuts
	o := c.im.options(fsys)
	if depth > 0 {
		cuts = newCuts(fsys, c.rng)
		o.FS = cuts.script
	}
	s, err := open(ctx, c.system, o)
	if err != nil {
		return fmt.Errorf("open after cuts%s: %w", path, err)
	}
	if cuts != nil {
		cuts.script.Clear()
	}
	f, err := s.check(ctx, c.im.run.model, c.im.at, max(c.im.cut, oracle.Killed))
	if err == nil {
		err = c.same(f)
	}
	if err == nil {
		err = before.kept(fsys, f.End)
	}
	if err = errors.Join(err, s.Close(ctx)); err != nil {
		return fmt.Errorf("after cuts%s: %w", path, err)
	}
	if cuts == nil {
		return nil
	}
	for _, cut := range cuts.left {
		if err := c.descend(ctx, cut.fs, depth-1, path+" "+cut.name); err != nil {
			return err
		}
	}
	return nil
}

// same wants the state of an opening without a cut. After a kill not even the
// page cache of the first life is sure to stay, so there less may be left.
func (c *recutter) same(f *oracle.Found) error {
	if err := c.want.Same(f); err != nil {
		return fmt.Errorf("another state than without a cut: %w", err)
	}
	return nil
}

// cuts takes images while a store is being opened.
type cuts struct {
	script *mappedtest.Script
	fs     *mappedtest.FS
	mu     sync.Mutex
	rng    *rand.Rand
	skip   int
	left   []leftover
}

type leftover struct {
	fs   *mappedtest.FS
	name string
}

func newCuts(fsys *mappedtest.FS, rng *rand.Rand) *cuts {
	c := &cuts{script: mappedtest.NewScript(fsys), fs: fsys, rng: rand.New(rand.NewPCG(rng.Uint64(), 1))}
	c.skip = c.rng.IntN(30)
	for _, op := range changing {
		c.script.Add(mappedtest.Rule{Op: op, Forever: true, Before: c.take, Then: c.take})
	}
	return c
}

func (c *cuts) take() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.skip--; c.skip > 0 || len(c.left) >= recutWidth {
		return
	}
	c.skip = 1 + int(c.rng.ExpFloat64()*8)
	mode := mappedtest.Mode(c.rng.IntN(len(mappedtest.Modes())))
	name := fmt.Sprintf("%s at call %d", mode, c.script.Calls())
	c.left = append(c.left, leftover{c.fs.Crash(c.rng.Uint64(), mode), name})
}
