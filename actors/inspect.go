package actors

import (
	"context"
	"errors"
	"io"
	"slices"

	"github.com/actorstore/actorstore/commitlog"
	"github.com/actorstore/actorstore/commitlog/checkpoint"
	"github.com/actorstore/actorstore/commitlog/mapped"
	"github.com/actorstore/actorstore/commitlog/record"
	"github.com/actorstore/actorstore/indexsvc"
	"github.com/actorstore/actorstore/reader"
	"github.com/actorstore/actorstore/recoverer"
	"github.com/actorstore/actorstore/repair"
)

// Inspection is a store that is only looked at: nothing on disk is touched, no
// lock is taken, and what is shown is what stands there.
type Inspection struct {
	rooms  *rooms
	input  recoverer.Input
	o      Options
	locked bool
	wrong  []repair.Step // files that are not what they should be
}

// Inspect opens a store for looking at. It works beside a process that uses the
// store, but then shows a moment that may be gone.
func Inspect(ctx context.Context, o Options) (*Inspection, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	r := &rooms{fs: o.FS, layout: checkpoint.NewLayout(o.StorePathRootDir, o.StorePathCommitLog), readOnly: true}
	if _, err := r.fs.Stat(r.layout.CommitLog()); err != nil {
		return nil, err
	}
	if err := r.layout.Refuse(r.fs); err != nil {
		return nil, err
	}
	if err := o.fits(r.fs, r.layout); err != nil {
		return nil, err
	}
	locked, err := checkpoint.IsLocked(r.fs, r.layout.LockFile())
	if err != nil {
		return nil, err
	}
	i := &Inspection{rooms: r, o: o, locked: locked}
	if !locked { // who uses the store has found its files right, and changes them
		if i.wrong, err = repair.LookLog(r.fs, r.layout, o.sizes()); err != nil {
			return nil, err
		}
		r.fs = repair.View(r.fs, i.wrong)
	}
	if err := i.open(ctx); err != nil {
		return nil, errors.Join(o.advise(err, o.FS, r.layout), r.release())
	}
	return i, nil
}

func (i *Inspection) open(ctx context.Context) (err error) {
	if err = i.rooms.load(&i.o); err != nil {
		return err
	}
	if i.input, err = i.rooms.recoveryInput(&i.o); err != nil {
		return err
	}
	i.input.InUse = i.locked
	if i.rooms.report, err = recoverer.Inspect(ctx, i.input); err != nil {
		return err
	}
	i.rooms.serve(&i.o)
	return nil
}

// Locked reports whether a process is using the store.
func (i *Inspection) Locked() bool { return i.locked }

// Clean reports whether the last stop was clean.
func (i *Inspection) Clean() bool { return i.input.Clean }

// Report is what was found, and what recovery would do. What earlier recoveries
// and reads have found in the log is among the findings while it stands.
func (i *Inspection) Report() recoverer.Report {
	rep := i.rooms.report
	rep.Findings = append(repair.Findings(i.wrong), rep.Findings...)
	told := make(map[int64]bool)
	for _, d := range rep.Damage {
		told[d.Offset] = true
	}
	for _, d := range recoverer.Standing(&i.input, &rep) {
		if !told[d.Offset] { // below the mark, where a look does not read
			rep.Findings = append(rep.Findings, recoverer.KnownFinding(&i.input, d))
		}
	}
	return rep
}

// State is what the small files of the store say.
func (i *Inspection) State() recoverer.State { return i.input.State }

// Reader is the read side.
func (i *Inspection) Reader() *reader.Reader { return i.rooms.reader }

// Bounds are the first physical offset of the log and its end.
func (i *Inspection) Bounds() (min, end int64) { return i.rooms.log.Min(), i.rooms.log.Appended() }

// Verify checks everything against everything and tells of each finding. A file
// of the log that is too short, too long, foreign or out of place is one, and the
// rest is checked as if repair had been there.
func (i *Inspection) Verify(ctx context.Context, visit func(recoverer.Finding)) error {
	wrong := i.wrong
	if !i.locked {
		strays, err := repair.LookStrays(i.o.FS, i.rooms.layout, i.o.sizes())
		if err != nil {
			return err
		}
		wrong = append(strays, wrong...)
	}
	for _, f := range repair.Findings(wrong) {
		visit(f)
	}
	return recoverer.Verify(ctx, i.input, visit)
}

// Heals tells whether Repair mends what a finding is about. It does not where
// bytes inside the log are damaged or gone: those stay so, and everything else is
// served.
func (i *Inspection) Heals(f recoverer.Finding) bool {
	return slices.Contains(repair.Findings(i.wrong), f) || repair.Heals(&i.rooms.report, f)
}

// Walk visits what stands in the log from one physical offset to another, BLANKs
// and damaged places too; the bytes are borrowed. from < 0 is the log's minimum,
// to < 0 its end. visit ends the walk by returning an error, which is returned.
func (i *Inspection) Walk(ctx context.Context, from, to int64, visit func(commitlog.Entry, error) error) error {
	least, end := i.Bounds()
	if from < least {
		from = least
	}
	if to < 0 || to > end {
		to = end
	}
	s := i.rooms.log.Reader().Scan(from, to, record.CRCRecord)
	defer s.Close()
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		var err error
		if fault := mapped.Guard(func() { err = walkOne(s, visit) }); fault != nil {
			return fault
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// walkOne visits one entry, or the damage up to the next one.
func walkOne(s *commitlog.Scanner, visit func(commitlog.Entry, error) error) error {
	e, err := s.Next()
	if err == io.EOF {
		return err
	}
	if err == nil {
		return visit(e, nil)
	}
	from := s.Pos()
	next, ok := s.Resync()
	if !ok {
		next = s.Limit()
		s.SkipTo(next)
	}
	return visit(commitlog.Entry{Offset: from, Size: int(next - from)}, err)
}

// Close lets the store go.
func (i *Inspection) Close() error { return i.rooms.release() }

// FoundOptions are DefaultOptions with the file sizes and the index geometry of
// the store that stands at root, and with light queues if it has any, so that a store can be opened
// without knowing how it was made. commitLog is storePathCommitLog; empty means
// <root>/commitlog. Where nothing stands the defaults remain.
func FoundOptions(fsys mapped.FS, root, commitLog string) (Options, error) {
	o := DefaultOptions(root)
	o.FS, o.StorePathCommitLog = fsys, commitLog
	layout := checkpoint.NewLayout(root, commitLog)
	for _, found := range []struct {
		dir   string
		depth int
		size  *int64
	}{
		{layout.CommitLog(), 0, &o.MappedFileSizeCommitLog},
		{layout.ConsumeQueue(), 2, &o.MappedFileSizeConsumeQueue},
		{layout.BatchConsumeQueue(), 2, &o.MapperFileSizeBatchConsumeQueue},
		{layout.ConsumeQueueExt(), 2, &o.MappedFileSizeConsumeQueueExt},
	} {
		if size, err := commonSize(fsys, found.dir, found.depth); err != nil {
			return o, err
		} else if size > 0 {
			*found.size = size
		}
	}
	g, found, err := indexsvc.FoundGeometry(fsys, layout.Index())
	if err != nil {
		return o, err
	}
	if found {
		o.MaxHashSlotNum, o.MaxIndexNum = int(g.Slots), int(g.Entries)
	}
	lights, err := hasLightQueues(fsys, layout.ConsumeQueue())
	o.EnableLmq, o.EnableMultiDispatch = lights, lights
	return o, err
}
