package actors

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/actorstore/actorstore/commitlog/checkpoint"
	"github.com/actorstore/actorstore/commitlog/mapped"
	"github.com/actorstore/actorstore/commitlog/record"
	"github.com/actorstore/actorstore/consumequeue"
)

// agreeing is how many files must say the same before an option is held to be
// wrong and not the files: one may have been cut.
const agreeing = 2

// fits refuses a size that is not the store's. To a store opened with another one
// all its files look damaged: the log cannot be read, and the queues would be
// built anew, file by file. The error is *OptionError.
func (o *Options) fits(fsys mapped.FS, layout checkpoint.Layout) error {
	units := func(size, unit int64) int64 { return (size + unit - 1) / unit * unit }
	for _, part := range []struct {
		dir    string
		depth  int
		option string
		given  int64 // as the files would be
		unit   int64 // a size is a multiple of it
	}{
		{layout.CommitLog(), 0, "MappedFileSizeCommitLog", o.MappedFileSizeCommitLog, 1},
		{layout.ConsumeQueue(), 2, "MappedFileSizeConsumeQueue",
			units(o.MappedFileSizeConsumeQueue, consumequeue.UnitSize), consumequeue.UnitSize},
		{layout.BatchConsumeQueue(), 2, "MapperFileSizeBatchConsumeQueue",
			units(o.MapperFileSizeBatchConsumeQueue, consumequeue.BatchUnitSize), consumequeue.BatchUnitSize},
	} {
		sizes := map[int64]int{}
		if _, err := countSizes(fsys, part.dir, part.depth, sampled, sizes); err != nil {
			return err
		}
		found := slices.Collect(maps.Keys(sizes))
		if len(found) != 1 || found[0] == part.given || sizes[found[0]] < agreeing || found[0]%part.unit != 0 {
			continue
		}
		if part.depth == 0 { // the names of segments have a say, too
			if agree, err := standApart(fsys, part.dir, found[0]); err != nil {
				return err
			} else if !agree {
				continue
			}
		}
		return &OptionError{Option: part.option, Got: fmt.Sprint(part.given),
			Want: fmt.Sprintf("%d, the size of the files in %s (FoundOptions takes sizes from the files)", found[0], part.dir)}
	}
	return o.fitsLights(fsys, layout)
}

// fitsLights refuses to open a store that has light queues as one that has none: no
// record would belong into them, so they would go, and their numbers begin anew.
func (o *Options) fitsLights(fsys mapped.FS, layout checkpoint.Layout) error {
	if o.multiDispatch() {
		return nil
	}
	lights, err := hasLightQueues(fsys, layout.ConsumeQueue())
	if err != nil || !lights {
		return err
	}
	return &OptionError{Option: "EnableLmq and EnableMultiDispatch", Got: "false",
		Want: fmt.Sprintf("true, as %s has light queues (FoundOptions sees that)", layout.ConsumeQueue())}
}

// standApart tells that two segments in dir begin size bytes apart, so that none
// of them can be longer.
func standApart(fsys mapped.FS, dir string, size int64) (bool, error) {
	entries, err := fsys.ReadDir(dir)
	begins := map[int64]bool{}
	for _, e := range entries {
		if at, ok := mapped.ParseName(e.Name()); ok {
			begins[at] = true
		}
	}
	for at := range begins {
		if begins[at+size] {
			return true, err
		}
	}
	return false, err
}

// advise says what can be done about a store that does not open because it is
// damaged. One segment alone does not tell whether it was cut or the option is
// wrong.
func (o *Options) advise(err error, fsys mapped.FS, layout checkpoint.Layout) error {
	if !errors.Is(err, record.ErrCorrupt) {
		return err
	}
	also := ""
	if size, serr := commonSize(fsys, layout.CommitLog(), 0); serr == nil && size > 0 && size != o.MappedFileSizeCommitLog {
		also = fmt.Sprintf("; if the store was made with segments of %d bytes, open it with FoundOptions", size)
	}
	return fmt.Errorf("%w (actorstore repair tells what can be done%s)", err, also)
}
