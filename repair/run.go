package repair

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/actorstore/actorstore/commitlog/checkpoint"
	"github.com/actorstore/actorstore/commitlog/mapped"
	"github.com/actorstore/actorstore/commitlog/record"
	"github.com/actorstore/actorstore/indexsvc"
	"github.com/actorstore/actorstore/recoverer"
)

// ErrChoice is what errors.Is finds when a store needs a step that gives
// something up, and Input.SkipDamaged is not set. Nothing was changed.
var ErrChoice = errors.New("a decision is needed")

// Run does what Plan says. If there is nothing to do it changes nothing, but that
// damage which was not known is known from then on. After an error it may be run
// again.
func Run(ctx context.Context, in Input) (Report, error) {
	p, err := in.plan(ctx)
	rep := &p.report
	if err != nil {
		return *rep, err
	}
	if len(rep.Steps) == 0 {
		if !slices.Equal(p.damage, p.known) {
			err = checkpoint.WriteDamage(in.FS, in.Layout, p.damage)
		}
		return *rep, err
	}
	if n := rep.Choices(); n > 0 && !in.SkipDamaged {
		return *rep, fmt.Errorf("%w: %d of %d steps give something up", ErrChoice, n, len(rep.Steps))
	}
	before, err := in.kept()
	if err != nil {
		return *rep, err
	}
	err = in.do(ctx, p)
	after, kerr := in.kept()
	for path, size := range after {
		if _, old := before[path]; !old && !strings.HasPrefix(filepath.Base(path), parkedPrefix) {
			rep.Kept = append(rep.Kept, Kept{path, size})
		}
	}
	slices.SortFunc(rep.Kept, func(a, b Kept) int { return strings.Compare(a.Path, b.Path) })
	if err = errors.Join(err, kerr); err != nil {
		return *rep, err
	}
	rep.Done = true
	for i := range rep.Steps {
		rep.Steps[i].Done = true
	}
	return *rep, in.after(ctx, rep)
}

// after tells what is left.
func (in *Input) after(ctx context.Context, rep *Report) error {
	rep.Left = nil
	_, checked, release, err := in.check(ctx, in.FS, func(_ *recoverer.Input, f recoverer.Finding) { rep.Left = append(rep.Left, f) })
	rep.Min, rep.End = checked.Min, checked.End
	if err == nil { // what is known from now on is what stands
		err = checkpoint.WriteDamage(in.FS, in.Layout, recoverer.Known(checked.Damage))
	}
	return errors.Join(err, release())
}

func (in *Input) do(ctx context.Context, p *plan) error {
	if err := checkpoint.Prepare(in.FS, in.Layout); err != nil {
		return err
	}
	// From here on the store is not as a clean stop has left it.
	if err := checkpoint.CreateAbort(in.FS, in.Layout, os.Getpid()); err != nil {
		return err
	}
	steps := p.report.Steps
	if err := in.doFiles(steps); err != nil {
		return err
	}
	for _, path := range slices.Sorted(maps.Keys(p.copies)) {
		rel, err := filepath.Rel(in.Layout.Root, path)
		if err != nil {
			return err
		}
		if err := in.copyAside(strings.ReplaceAll(rel, string(filepath.Separator), "-"), path); err != nil {
			return err
		}
	}
	for i := range steps {
		if err := in.renew(p, &steps[i]); err != nil {
			return err
		}
	}
	return in.recover(ctx, p)
}

// renew moves away what recovery then writes anew.
func (in *Input) renew(p *plan, s *Step) error {
	paths := []string{s.Path}
	switch s.Action {
	case Renew:
		if s.Where == recoverer.MarkFile && p.marked {
			return nil // only its other slot is bad: see finish
		}
	case Accept: // the mark tells of what is not there, the summary of units for it
		paths = []string{in.Layout.MarkFile(), in.Layout.QueuesFile()}
	default:
		return nil
	}
	for _, path := range paths {
		if there, err := mapped.Exists(in.FS, path); err != nil {
			return fmt.Errorf("%s %s: %w", s.Action, path, err) // it would be written over
		} else if !there {
			continue
		}
		to, err := in.moveAside(path)
		if err != nil {
			return fmt.Errorf("%s %s: %w", s.Action, path, err)
		}
		s.To = to
	}
	return nil
}

// renewMark writes the mark that counts into a new file.
func (in *Input) renewMark() error {
	marks, err := checkpoint.ReadMarks(in.FS, in.Layout)
	if err != nil || len(marks) == 0 {
		return err
	}
	page, _, err := checkpoint.ReadCheckpoint(in.FS, in.Layout.CheckpointFile())
	if err != nil {
		return err
	}
	if err := in.copyAside("actorstore-mark", in.Layout.MarkFile()); err != nil {
		return err
	}
	for _, m := range marks {
		if m.Matches(page) {
			return checkpoint.RenewMark(in.FS, in.Layout, m, page)
		}
	}
	return nil
}

// recover makes everything say what the log says.
func (in *Input) recover(ctx context.Context, p *plan) (err error) {
	opened, release, err := in.Open(in.FS, false)
	defer func() { err = errors.Join(err, release()) }()
	if err != nil {
		return err
	}
	opened.Clean, opened.CheckAll, opened.DeferIndex = p.clean, true, 0
	if err := p.dropIndex(opened.Index, in.Layout.Aside()); err != nil {
		return err
	}
	rep, err := recoverer.Recover(ctx, opened)
	if err != nil {
		return err
	}
	if err := errors.Join(rep.ReadOnly, rep.IndexErr); err != nil {
		return err
	}
	if err := in.finish(&rep); err != nil {
		return err
	}
	return checkpoint.RemoveAbort(in.FS, in.Layout)
}

// finish leaves a checkpoint page and a mark file that are whole.
func (in *Input) finish(rep *recoverer.Report) error {
	if there, err := mapped.Exists(in.FS, in.Layout.CheckpointFile()); err != nil {
		return err
	} else if !there {
		if err := checkpoint.WriteCheckpoint(in.FS, in.Layout.CheckpointFile(), rep.Checkpoint); err != nil {
			return err
		}
	}
	if err := checkpoint.CheckMark(in.FS, in.Layout); !errors.Is(err, record.ErrCorrupt) {
		return err
	}
	return in.renewMark()
}

// dropIndex takes out what cannot be believed; recovery fills it again.
func (p *plan) dropIndex(x *indexsvc.Service, aside string) error {
	switch {
	case x == nil:
		return nil
	case p.anew:
		return x.Reset(aside)
	case len(p.rotten) > 0:
		return x.DropFrom(slices.Min(slices.Collect(maps.Keys(p.rotten))), aside)
	}
	return nil
}
