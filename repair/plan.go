package repair

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/actorstore/actorstore/commitlog/checkpoint"
	"github.com/actorstore/actorstore/commitlog/mapped"
	"github.com/actorstore/actorstore/commitlog/record"
	"github.com/actorstore/actorstore/consumequeue"
	"github.com/actorstore/actorstore/recoverer"
)

// Input is a store that nobody else uses.
type Input struct {
	FS     mapped.FS
	Layout checkpoint.Layout
	Sizes  Sizes
	// SkipDamaged agrees to what gives something up: see Step.Choice.
	SkipDamaged bool
	// Open opens log, queues and index as they stand on a file system, and reads
	// the small files; the second result lets all of it go.
	Open func(fsys mapped.FS, readOnly bool) (recoverer.Input, func() error, error)
}

// Plan finds out what Run would do and changes nothing. An error names a store
// that cannot be judged, or is the disk's.
func Plan(ctx context.Context, in Input) (Report, error) {
	p, err := in.plan(ctx)
	return p.report, err
}

// plan is what Run works by.
type plan struct {
	report Report
	clean  bool                // the last stop was
	marked bool                // a mark counts
	damage []checkpoint.Damage // of the log, as it is found now
	known  []checkpoint.Damage // and as it was known
	copies map[string]bool     // queue files that will be written over
	rotten map[string]bool     // names of index files that cannot be believed
	anew   bool                // the index lacks what it should have
	places map[place]bool      // what has been counted
	failed error               // why not all that will be written over is known
}

// placesMost bounds the memory for that; of a store in which more is wrong the
// count is too high.
const placesMost = 1 << 16

// place is one that several findings may be about.
type place struct {
	where  recoverer.Where
	path   string
	offset int64
}

func (in *Input) plan(ctx context.Context) (*plan, error) {
	p := &plan{places: map[place]bool{}, copies: map[string]bool{}, rotten: map[string]bool{}}
	var err error
	if p.report.Steps, err = Look(in.FS, in.Layout, in.Sizes); err != nil {
		return p, err
	}
	var found []recoverer.Finding // that only the whole report can answer
	opened, report, release, err := in.check(ctx, View(in.FS, p.report.Steps), func(store *recoverer.Input, f recoverer.Finding) {
		if f.Where == recoverer.ConsumeQueue || f.Where == recoverer.Index {
			p.answer(in, store, nil, f) // there may be one for every unit of the store
		} else {
			found = append(found, f)
		}
	})
	if err != nil {
		return p, errors.Join(err, release())
	}
	p.report.Min, p.report.End, p.clean = report.Min, report.End, opened.Clean
	p.marked = report.Plan.Mark != nil
	p.damage, p.known = recoverer.Known(report.Damage), opened.Known
	if !p.clean {
		p.report.Steps = append(p.report.Steps, Step{Action: Recover, Where: AbortFile, Path: in.Layout.AbortFile(),
			Count: 1, Want: "a clean stop", Got: "the mark of one that was not"})
	}
	for _, f := range found {
		p.answer(in, &opened, &report, f)
	}
	return p, errors.Join(p.failed, release())
}

// AbortFile is the part of a store that an unclean stop leaves.
const AbortFile recoverer.Where = "abort marker"

// check compares everything with everything.
func (in *Input) check(ctx context.Context, fsys mapped.FS, visit func(*recoverer.Input, recoverer.Finding)) (
	opened recoverer.Input, rep recoverer.Report, release func() error, err error) {
	opened, release, err = in.Open(fsys, true)
	if err != nil {
		return opened, rep, release, err
	}
	rep, err = recoverer.Check(ctx, opened, func(f recoverer.Finding) { visit(&opened, f) })
	return opened, rep, release, err
}

// answer finds the step that mends a finding.
func (p *plan) answer(in *Input, opened *recoverer.Input, rep *recoverer.Report, f recoverer.Finding) {
	s := Step{Where: f.Where, Path: f.Path, Offset: f.Offset, End: f.End, Want: f.Want, Got: f.Got}
	switch f.Where {
	case recoverer.ConsumeQueue:
		s.Action, s.Path = Rebuild, p.queue(in, opened, f)
	case recoverer.Index:
		if slices.Contains(opened.Index.Unused(), f.Path) {
			s.Action = Move
			break
		}
		s.Action, s.Path = Rebuild, in.Layout.Index()
		p.entry(in, opened, f)
	case recoverer.CheckpointFile, recoverer.MarkFile, recoverer.SummaryFile:
		s.Action = Renew
	case recoverer.CommitLog:
		switch {
		case lost(rep, f):
			s.Action, s.Choice = Accept, true
		case behind(rep, f):
			s.Action = Cut
		default:
			p.report.Left = append(p.report.Left, f)
			return
		}
	}
	at := place{s.Where, s.Path, s.Offset}
	if p.places[at] {
		return
	}
	if len(p.places) < placesMost {
		p.places[at] = true
	}
	p.report.add(s)
}

// add counts findings about the same queue, and about the index, as one step.
func (r *Report) add(s Step) {
	s.Count = 1
	if s.Action == Rebuild || s.Action == Renew {
		for i := range r.Steps {
			o := &r.Steps[i]
			if o.Action == s.Action && o.Where == s.Where && o.Path == s.Path {
				o.Count++
				return
			}
		}
	}
	r.Steps = append(r.Steps, s)
}

// Heals tells whether Run has a step for what a check has found; rep is of the same
// check. What it has none for is damage inside the log: nothing in a store could
// give those bytes back.
func Heals(rep *recoverer.Report, f recoverer.Finding) bool {
	return f.Where != recoverer.CommitLog || lost(rep, f) || behind(rep, f)
}

// behind tells a finding about what stands behind the end of the log.
func behind(rep *recoverer.Report, f recoverer.Finding) bool {
	return f.Offset >= rep.End && f.End > f.Offset && rep.ReadOnly == nil
}

// lost tells the finding that the log was longer than its segments reach.
func lost(rep *recoverer.Report, f recoverer.Finding) bool {
	var ce *record.CorruptionError
	return rep.Plan.Doubt != nil && errors.As(rep.Plan.Doubt, &ce) && ce.Offset == f.Offset && ce.Want == f.Want
}

// entry notes which index files cannot stay. A record without an entry tells
// against the index unless it is newer than all that has one.
func (p *plan) entry(in *Input, opened *recoverer.Input, f recoverer.Finding) {
	switch name := filepath.Base(f.Path); {
	case f.Path != in.Layout.Index():
		p.rotten[name] = true
	case f.Offset <= opened.Index.EndPhyOffset():
		p.anew = true
	}
}

// queue names the queue of a finding, and notes the files that will be written
// over: that of the finding, or all where only the contents tell which.
func (p *plan) queue(in *Input, opened *recoverer.Input, f recoverer.Finding) string {
	if topic, id, ok := queueOf(in, f.Path); ok {
		p.copy(in, opened, topic, id, f.Path)
		return topic + "-" + strconv.Itoa(int(id))
	}
	i := strings.LastIndexByte(f.Path, '-')
	id, err := strconv.ParseInt(f.Path[i+1:], 10, 32)
	if i < 0 || err != nil {
		return f.Path
	}
	q := opened.Queues.Queue(f.Path[:i], int32(id))
	if q == nil || f.Offset >= q.MaxOffset() {
		return f.Path // units that will be added
	}
	file := ""
	if q.Kind() == consumequeue.Simple {
		at := f.Offset * consumequeue.UnitSize
		file = filepath.Join(in.Layout.ConsumeQueue(), q.Topic(), strconv.Itoa(int(id)), mapped.Name(at-at%in.Sizes.Queue))
	}
	p.copy(in, opened, q.Topic(), q.ID(), file)
	return f.Path
}

// queueOf takes the path of a queue's file, or of its directory, apart.
func queueOf(in *Input, path string) (topic string, id int32, ok bool) {
	for _, root := range []string{in.Layout.ConsumeQueue(), in.Layout.BatchConsumeQueue(), in.Layout.ConsumeQueueExt()} {
		rest, below := strings.CutPrefix(path, root+string(filepath.Separator))
		part := strings.Split(rest, string(filepath.Separator))
		if !below || len(part) < 2 || !isQueueID(part[1]) {
			continue
		}
		return part[0], int32(number(part[1])), true
	}
	return "", 0, false
}

// copy notes one file of a queue, or all if it is none.
func (p *plan) copy(in *Input, opened *recoverer.Input, topic string, id int32, file string) {
	q := opened.Queues.Queue(topic, id)
	if q == nil {
		return
	}
	root := in.Layout.ConsumeQueue()
	if q.Kind() == consumequeue.Batch {
		root = in.Layout.BatchConsumeQueue()
	}
	dir := filepath.Join(root, topic, strconv.Itoa(int(id)))
	if _, ok := mapped.ParseName(filepath.Base(file)); ok && filepath.Dir(file) == dir {
		p.copies[file] = true
		return
	}
	entries, err := opened.FS.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		p.failed = errors.Join(p.failed, err)
	}
	for _, e := range entries {
		if _, ok := mapped.ParseName(e.Name()); ok {
			p.copies[filepath.Join(dir, e.Name())] = true
		}
	}
}
