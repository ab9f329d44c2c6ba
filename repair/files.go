package repair

import (
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/actorstore/actorstore/commitlog/checkpoint"
	"github.com/actorstore/actorstore/commitlog/mapped"
	"github.com/actorstore/actorstore/commitlog/record"
	"github.com/actorstore/actorstore/recoverer"
)

// Sizes are the lengths that the files of a store have, in bytes.
type Sizes struct {
	Segment    int64
	Queue      int64
	BatchQueue int64
	QueueExt   int64
}

// Look finds the files that are not what their directory wants: by name, by
// length, by what they claim to be. It reads listings and the first record of
// each segment.
func Look(fsys mapped.FS, layout checkpoint.Layout, sizes Sizes) ([]Step, error) {
	l := &look{fs: fsys, layout: layout, sizes: sizes}
	for _, part := range []func() error{l.segments, l.queues, l.index, l.small} {
		if err := part(); err != nil {
			return nil, err
		}
	}
	return l.steps, nil
}

// LookLog is Look at the log and the small files only: what must be known before
// a store can be read at all.
func LookLog(fsys mapped.FS, layout checkpoint.Layout, sizes Sizes) ([]Step, error) {
	l := &look{fs: fsys, layout: layout, sizes: sizes}
	err := errors.Join(l.segments(), l.small())
	return l.steps, err
}

// LookStrays looks for files that have no place among queues and index. Files of
// queues that are wrong otherwise are found by loading the queues.
func LookStrays(fsys mapped.FS, layout checkpoint.Layout, sizes Sizes) ([]Step, error) {
	l := &look{fs: fsys, layout: layout, sizes: sizes}
	err := errors.Join(l.queues(), l.index())
	return slices.DeleteFunc(l.steps, func(s Step) bool { return s.Got != aStray }), err
}

// Findings are the reasons of steps.
func Findings(steps []Step) []recoverer.Finding {
	found := make([]recoverer.Finding, 0, len(steps))
	for _, s := range steps {
		found = append(found, s.finding())
	}
	return found
}

type look struct {
	fs     mapped.FS
	layout checkpoint.Layout
	sizes  Sizes
	steps  []Step
}

func (l *look) add(s Step) {
	s.Count = max(s.Count, 1)
	l.steps = append(l.steps, s)
}

// aStray is what stands where a file does not belong.
const aStray = "a file that is none"

// stray moves a regular file that does not belong to a directory.
func (l *look) stray(where recoverer.Where, path, want string) {
	l.add(Step{Action: Move, Where: where, Path: path, Want: want, Got: aStray})
}

// list is the listing of a directory that need not be there.
func (l *look) list(dir string) ([]fs.DirEntry, error) {
	entries, err := l.fs.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return entries, err
}

// index looks for what is no index file by its name; the contents are the
// index's own to judge.
func (l *look) index() error {
	entries, err := l.list(l.layout.Index())
	for _, e := range entries {
		if e.Type().IsRegular() && !isLong(e.Name()) {
			l.stray(recoverer.Index, filepath.Join(l.layout.Index(), e.Name()), "an index file, named by a time")
		}
	}
	return err
}

// isLong tells a name that RocketMQ takes for a number.
func isLong(name string) bool {
	for _, c := range name {
		if c < '0' || c > '9' {
			return false
		}
	}
	_, err := strconv.ParseInt(name, 10, 64)
	return err == nil
}

// small looks at the small files, which are replaced as a whole.
func (l *look) small() error {
	_, found, err := recoverer.ReadState(l.fs, l.layout)
	for _, f := range found {
		l.add(Step{Action: Move, Where: f.Where, Path: f.Path, Offset: f.Offset, End: f.End, Want: f.Want, Got: f.Got,
			Choice: f.Where == recoverer.DeletedFile})
	}
	if err != nil {
		return err
	}
	return l.slot()
}

// slot looks at the slot of the mark that does not count, which is whole or empty
// unless a stop tore it.
func (l *look) slot() error {
	abort, err := checkpoint.HasAbort(l.fs, l.layout)
	if err != nil || abort {
		return err
	}
	var ce *record.CorruptionError
	if err = checkpoint.CheckMark(l.fs, l.layout); errors.As(err, &ce) {
		l.add(Step{Action: Renew, Where: recoverer.MarkFile, Path: ce.Path, Offset: ce.Offset, Want: ce.Want, Got: ce.Got})
		return nil
	}
	return err
}
