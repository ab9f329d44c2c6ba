package crash

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"

	"github.com/actorstore/actorstore/actors"
	"github.com/actorstore/actorstore/commitlog/checkpoint"
	"github.com/actorstore/actorstore/commitlog/mapped/mappedtest"
	"github.com/actorstore/actorstore/recoverer"
	"github.com/actorstore/actorstore/tests/crash/oracle"
	"github.com/actorstore/actorstore/tests/crash/workload"
)

// atRest is a store that was closed and whose contents are known.
type atRest struct {
	judge
	im    *image // of the run that it comes from
	fs    *mappedtest.FS
	found *oracle.Found
	model *oracle.Model
	stale *mappedtest.FS // as it was earlier
}

// rest opens what a run has left at its end, checks it and closes it.
func (j judge) rest(ctx context.Context, r *run) (*atRest, error) {
	im := &image{run: r, seed: 1}
	fsys := r.final.Kill()
	s, err := open(ctx, j.system, im.options(fsys))
	if err != nil {
		return nil, err
	}
	f, err := s.check(ctx, r.model, r.model.Now(), oracle.Closed)
	if err = errors.Join(err, s.Close(ctx)); err != nil {
		return nil, err
	}
	a := &atRest{judge: j, im: im, fs: fsys, found: f, model: r.model.Fork(f)}
	if len(r.images) > 0 {
		a.stale = r.images[len(r.images)/2].fs
	}
	return a, nil
}

// damage hits the store once and looks whether it is noticed, whether anything
// wrong is returned and whether anything else is lost.
func (a *atRest) damage(ctx context.Context, seed uint64) error {
	rng := rand.New(rand.NewPCG(seed, 31))
	a.im.notes.forget()
	fsys := a.fs.Kill()
	h, err := a.hit(fsys, rng)
	if err != nil || h == nil {
		return err
	}
	unclean := rng.IntN(3) == 0
	if unclean {
		if err := checkpoint.CreateAbort(fsys, checkpoint.NewLayout(root, ""), 1); err != nil {
			return err
		}
	}
	err = a.noticed(ctx, fsys.Kill(), h)
	if err == nil && seed%3 == 0 {
		err = a.repaired(ctx, fsys.Kill(), h, rng)
	}
	if err == nil {
		err = a.opened(ctx, fsys, h, rng)
	}
	if err != nil {
		return fmt.Errorf("%s, unclean %v: %w", h, unclean, err)
	}
	return nil
}

// noticed checks and reads the damaged store without opening it.
func (a *atRest) noticed(ctx context.Context, fsys *mappedtest.FS, h *hit) error {
	o := a.im.options(fsys)
	i, err := actors.Inspect(ctx, o)
	if err != nil {
		if h.structural || h.class == deletedFile {
			return nil
		}
		return fmt.Errorf("inspect: %w", err)
	}
	defer i.Close()
	var findings []recoverer.Finding
	if err := i.Verify(ctx, func(f recoverer.Finding) { findings = append(findings, f) }); err != nil {
		return fmt.Errorf("verify: %w", err)
	}
	if h.matters && len(findings) == 0 && i.Report().ReadOnly == nil {
		return fmt.Errorf("not noticed by verify")
	}
	if !h.matters && !h.structural && h.class == logFile && len(findings) > 0 {
		return fmt.Errorf("nothing was hit, but verify finds %v", findings[0])
	}
	hurt := h.hurt()
	if h.class == queueFile || h.class == batchFile { // nothing but the files tells where a queue ends
		hurt.Silent = true
		hurt.Unit = func(topic string, id int32, _ int64) bool { return h.inQueue(topic, id) }
	}
	if _, err := a.found.Tolerate(ctx, i.Reader(), hurt, a.reading()); err != nil {
		return fmt.Errorf("inspection: %w", err)
	}
	return nil
}

func (a *atRest) reading() oracle.Options {
	return oracle.Options{MultiDispatch: true, MaxMatches: a.im.run.o.MaxMsgsNumBatch}
}

// opened opens the damaged store, puts, closes and opens it again.
func (a *atRest) opened(ctx context.Context, fsys *mappedtest.FS, h *hit, rng *rand.Rand) error {
	before := listing(fsys)
	s, err := open(ctx, a.system, a.im.options(fsys))
	if err != nil {
		if !h.structural && h.class != deletedFile {
			return fmt.Errorf("open: %w", err)
		}
		if diff := before.differs(listing(fsys)); diff != "" {
			return fmt.Errorf("open was refused (%w), and yet has changed %s", err, diff)
		}
		return nil
	}
	hurt := h.hurt()
	// Units that lead below the log's minimum look like those that retention
	// leaves behind; only the log itself tells.
	hurt.Silent = a.found.Min > 0
	if err := s.Dispatched(ctx); err != nil {
		return errors.Join(fmt.Errorf("dispatched: %w", err), s.Close(ctx))
	}
	if _, err := a.found.Tolerate(ctx, s.view, hurt, a.reading()); err != nil {
		return errors.Join(fmt.Errorf("after opening: %w", err), s.Close(ctx))
	}
	state, err := s.State()
	if err != nil {
		return errors.Join(err, s.Close(ctx))
	}
	if state.ReadOnly != nil { // its end is in doubt, and so it says at close too
		_ = s.Close(ctx)
		return nil
	}
	return a.goOnHurt(ctx, s, fsys, hurt, rng)
}

// goOnHurt puts into a damaged store and opens it once more.
func (a *atRest) goOnHurt(ctx context.Context, s *opened, fsys *mappedtest.FS, hurt oracle.Hurt, rng *rand.Rand) error {
	m := a.model.Fork(a.found)
	w := &workload.Runner{Store: s.Store, Model: m, Window: 4}
	list := workload.PlanOf("single").Ops(rng.Uint64(), 220*generation)
	for range rng.IntN(6) {
		if err := w.Do(ctx, list.Next()); err != nil {
			return errors.Join(fmt.Errorf("going on: %w", err), s.Close(ctx))
		}
	}
	if err := errors.Join(w.Settle(ctx), s.Close(ctx)); err != nil {
		return err
	}
	s, err := open(ctx, a.system, a.im.options(fsys))
	if err != nil {
		return fmt.Errorf("second open: %w", err)
	}
	if err = s.Dispatched(ctx); err == nil { // the index may still be on its way
		_, err = a.found.Tolerate(ctx, s.view, hurt, a.reading())
	}
	if err == nil {
		err = m.Present(ctx, s.view)
	}
	if err = errors.Join(err, s.Close(ctx)); err != nil {
		return fmt.Errorf("after the second opening: %w", err)
	}
	return a.rebuilt(ctx, fsys, m, hurt)
}

// rebuilt opens a store without a summary after an unclean stop: queues are made
// right from the log, the index too where its files are gone, and only what was
// hit in the log itself is missing.
func (a *atRest) rebuilt(ctx context.Context, fsys *mappedtest.FS, m *oracle.Model, hurt oracle.Hurt) error {
	layout := checkpoint.NewLayout(root, "")
	if err := errors.Join(fsys.Remove(layout.QueuesFile()), checkpoint.CreateAbort(fsys, layout, 1)); err != nil {
		return err
	}
	if hurt.Keys {
		list, err := fsys.ReadDir(layout.Index())
		for _, e := range list {
			err = errors.Join(err, fsys.Remove(filepath.Join(layout.Index(), e.Name())))
		}
		if err != nil {
			return err
		}
	}
	s, err := open(ctx, a.system, a.im.options(fsys))
	if err != nil {
		return fmt.Errorf("open to rebuild: %w", err)
	}
	hurt.Unit, hurt.Keys = oracle.Whole().Unit, false
	if err = s.Dispatched(ctx); err == nil {
		_, err = a.found.Tolerate(ctx, s.view, hurt, a.reading())
	}
	if err == nil {
		err = m.Present(ctx, s.view)
	}
	if err = errors.Join(err, s.Close(ctx)); err != nil {
		return fmt.Errorf("rebuilt: %w", err)
	}
	return nil
}

// files are the contents of a tree, without what an opening may always touch.
type files map[string][]byte

func listing(fsys *mappedtest.FS) files {
	out := files{}
	var walk func(dir string)
	walk = func(dir string) {
		list, err := fsys.ReadDir(dir)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			panic(err)
		}
		for _, e := range list {
			path := filepath.Join(dir, e.Name())
			switch {
			case e.IsDir() && e.Name() != "tmp" && e.Name() != "aside":
				walk(path)
			case !e.IsDir() && e.Name() != "lock" && e.Name() != "abort":
				b, err := readFile(fsys, path)
				if err != nil {
					panic(err)
				}
				out[path] = b
			}
		}
	}
	walk(root)
	return out
}

// differs names a file that is not the same in both.
func (f files) differs(o files) string {
	for path, b := range f {
		if c, ok := o[path]; !ok || !bytes.Equal(b, c) {
			return path
		}
	}
	for path := range o {
		if _, ok := f[path]; !ok {
			return path
		}
	}
	return ""
}

// putFile replaces the contents of a file, or removes it.
func putFile(fsys *mappedtest.FS, path string, b []byte, gone bool) error {
	if gone {
		return errors.Join(fsys.Remove(path), fsys.SyncDir(filepath.Dir(path)))
	}
	f, err := fsys.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o644)
	if err != nil {
		return err
	}
	_, err = f.WriteAt(b, 0)
	return errors.Join(err, f.Sync(), f.Close())
}

// within is the part of a path below a directory of the store.
func within(path, dir string) (string, bool) {
	return strings.CutPrefix(path, filepath.Join(root, dir)+"/")
}
