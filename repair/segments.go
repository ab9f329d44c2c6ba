package repair

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/actorstore/actorstore/commitlog/checkpoint"
	"github.com/actorstore/actorstore/commitlog/mapped"
	"github.com/actorstore/actorstore/recoverer"
)

// parkedPrefix begins the name under which a segment waits in actorstore/aside/
// for the name it belongs to, while segments change places.
const parkedPrefix = "commitlog-belongs-at-"

// segment is a file of the commit log.
type segment struct {
	path   string
	offset int64 // by its name
	size   int64
	claim  int64 // by its first record, -1 if that is no whole one
	second bool  // the record behind claims it too, or a checksum covers the claim
	unread error // why its first record cannot be read
	blank  bool  // no byte is set, and another file holds what belongs there
}

// segments looks through the directory of the commit log.
func (l *look) segments() error {
	files, err := l.listSegments()
	if err != nil {
		return err
	}
	parked, err := l.parked()
	if err != nil || len(files)+len(parked) == 0 {
		return err
	}
	right := func(f segment) bool { return f.size == l.sizes.Segment }
	if len(files) > 0 && !slices.ContainsFunc(files, right) && !l.longer(files) {
		// Not one file is of the length that was said: that is not the store's
		// fault, and opening will say so.
		return nil
	}
	if err := l.blanks(files, parked); err != nil {
		return err
	}
	l.places(files, parked)
	return nil
}

// blanks finds segments that hold nothing while another claims their place, or
// waits for it: an unused segment has changed places with one in use.
func (l *look) blanks(files, parked []segment) (err error) {
	for i := range files {
		f := &files[i]
		if f.claim >= 0 || f.size != l.sizes.Segment {
			continue
		}
		if !slices.ContainsFunc(files, func(o segment) bool { return o.foreign() && o.claim == f.offset }) && !waits(parked, f.offset) {
			continue
		}
		if f.blank, err = isZero(l.fs, f.path); err != nil {
			return err
		}
	}
	return nil
}

// pageSize divides the length of every segment that was made.
const pageSize = 4096

// longer tells of a log of one segment, which is short, that it was longer: only
// then is the length that was said believed, and not the file's.
func (l *look) longer(files []segment) bool {
	if len(files) != 1 || files[0].size >= l.sizes.Segment {
		return false
	}
	if files[0].size%pageSize != 0 && l.sizes.Segment%pageSize == 0 {
		return true
	}
	marks, _ := checkpoint.ReadMarks(l.fs, l.layout)
	for _, m := range marks {
		if m.FlushedEnd > files[0].offset+files[0].size {
			return true
		}
	}
	return false
}

// listSegments gives the files that can be segments, in order; the others are
// strays.
func (l *look) listSegments() ([]segment, error) {
	dir := l.layout.CommitLog()
	entries, err := l.list(dir)
	if err != nil {
		return nil, err
	}
	var files []segment
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		if !e.Type().IsRegular() {
			continue
		}
		if !isLong(e.Name()) {
			l.stray(recoverer.CommitLog, path, "a segment, named by the offset of its first byte")
			continue
		}
		info, err := e.Info()
		if err != nil {
			return nil, err
		}
		f := segment{path: path, size: info.Size(), offset: number(e.Name())}
		if err := f.firstClaim(l.fs); err != nil {
			return nil, err
		}
		files = append(files, f)
	}
	slices.SortFunc(files, func(a, b segment) int {
		if a.offset != b.offset {
			return compare(a.offset, b.offset)
		}
		return len(b.path) - len(a.path) // RocketMQ's name, which is the longest, first
	})
	return files, contested(l.fs, files)
}

// parked are segments that an earlier run has put away to change places.
func (l *look) parked() (parked []segment, err error) {
	entries, err := l.list(parking(l.layout))
	for _, e := range entries {
		name, ok := strings.CutPrefix(e.Name(), parkedPrefix)
		at, whole := mapped.ParseName(name)
		if !ok || !whole || !e.Type().IsRegular() {
			continue
		}
		info, err := e.Info()
		if err != nil {
			return nil, err
		}
		parked = append(parked, segment{path: filepath.Join(parking(l.layout), e.Name()), offset: at, claim: at, size: info.Size()})
	}
	return parked, err
}

// places decides about each file: where it belongs, and its length there.
func (l *look) places(files, parked []segment) {
	at := map[int64]string{} // offsets that are taken, and by whom
	var strangers []segment
	for i, f := range files {
		switch {
		case f.offset%l.sizes.Segment == 0 && at[f.offset] != "":
			l.add(Step{Action: Move, Where: recoverer.CommitLog, Path: f.path, Offset: f.offset,
				Want: "one file for each offset", Got: "also " + at[f.offset]})
		case f.offset%l.sizes.Segment != 0, f.blank, f.foreign() && (i < len(files)-1 || l.swapped(f, files) || waits(parked, f.offset) || left(f, files, parked)):
			strangers = append(strangers, f)
		default:
			at[f.offset] = f.path
			l.length(f, i == len(files)-1)
		}
	}
	for _, f := range parked {
		if at[f.offset] != "" {
			continue // kept by an earlier run, and not missed
		}
		at[f.offset] = f.path
		l.add(Step{Action: Rename, Where: recoverer.CommitLog, Path: f.path, Offset: f.offset,
			Want: "the segment that starts at offset " + fmt.Sprint(f.offset), Got: "none; this is it", To: l.named(f.offset)})
	}
	for _, f := range strangers {
		l.stranger(f, at, files)
	}
}

// foreign tells a segment whose records claim another place.
func (f segment) foreign() bool { return f.claim >= 0 && f.claim != f.offset && f.second }

// swapped tells of the last segment, which may begin with old bytes, that the
// place it claims is held by a segment that does not belong there either.
func (l *look) swapped(f segment, files []segment) bool {
	return slices.ContainsFunc(files, func(o segment) bool { return o.offset == f.claim && (o.foreign() || o.blank) })
}

// waits tells that an earlier run has parked the segment of an offset.
func waits(parked []segment, offset int64) bool {
	return slices.ContainsFunc(parked, func(p segment) bool { return p.offset == offset })
}

// left tells that an earlier run, which was cut, has taken away what stood at the
// place that a segment claims.
func left(f segment, files, parked []segment) bool {
	return len(parked) > 0 && !slices.ContainsFunc(files, func(o segment) bool { return o.offset == f.claim })
}

// stranger is a file at a place that is not its own.
func (l *look) stranger(f segment, at map[int64]string, files []segment) {
	s := Step{Action: Move, Where: recoverer.CommitLog, Path: f.path, Offset: f.offset}
	first, last := files[0].offset, files[len(files)-1].offset
	fits := f.claim >= 0 && f.claim%l.sizes.Segment == 0 && f.size == l.sizes.Segment && at[f.claim] == "" &&
		f.claim >= first-l.sizes.Segment && f.claim <= last+l.sizes.Segment
	switch {
	case f.offset%l.sizes.Segment != 0:
		s.Want = fmt.Sprintf("a name that is a multiple of %d", l.sizes.Segment)
		s.Got = filepath.Base(f.path)
	case f.blank:
		s.Want, s.Got = fmt.Sprintf("the segment that starts at offset %d", f.offset), "zeros; another file is that segment"
	default:
		s.Want = fmt.Sprintf("the segment that starts at offset %d", f.offset)
		s.Got = fmt.Sprintf("a record of offset %d", f.claim)
		// A rename that was cut may have left a file under two names.
		s.Choice = !fits && filepath.Dir(at[f.claim]) != parking(l.layout)
	}
	if fits {
		s.Action, s.To = Rename, l.named(f.claim)
		at[f.claim] = f.path
	}
	l.add(s)
}

// length wants a segment to have the full length. An empty last one is what a
// stop leaves while it is made; recovery takes it away.
func (l *look) length(f segment, last bool) {
	if f.size == l.sizes.Segment || f.size == 0 && last {
		return
	}
	s := Step{Action: Pad, Where: recoverer.CommitLog, Path: f.path, Offset: f.offset + min(f.size, l.sizes.Segment),
		End:  f.offset + max(f.size, l.sizes.Segment),
		Want: fmt.Sprintf("a file of %d bytes", l.sizes.Segment), Got: fmt.Sprintf("%d bytes", f.size)}
	if f.size > l.sizes.Segment {
		s.Action = Shorten
	}
	l.add(s)
}

func (l *look) named(offset int64) string {
	return filepath.Join(l.layout.CommitLog(), mapped.Name(offset))
}
