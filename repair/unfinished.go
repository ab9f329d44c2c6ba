package repair

import (
	"path/filepath"

	"github.com/actorstore/actorstore/commitlog/checkpoint"
	"github.com/actorstore/actorstore/commitlog/mapped"
	"github.com/actorstore/actorstore/commitlog/record"
	"github.com/actorstore/actorstore/recoverer"
)

// Unfinished names a segment that still waits in aside for its place, because Run
// was cut there. The log lacks it: a store that is opened like that would end, and
// go on, in front of records that are not lost.
func Unfinished(fsys mapped.FS, layout checkpoint.Layout, sizes Sizes) error {
	l := &look{fs: fsys, layout: layout, sizes: sizes}
	parked, err := l.parked()
	if err != nil || len(parked) == 0 {
		return err
	}
	if err := l.segments(); err != nil {
		return err
	}
	for _, s := range l.steps {
		if s.Action == Rename && s.Where == recoverer.CommitLog && filepath.Dir(s.Path) == parking(layout) {
			return &record.CorruptionError{Path: s.Path, Next: -1,
				Want: "no segment that waits for its place", Got: "that of " + s.To + ": repair was cut"}
		}
	}
	return nil
}
