package recoverer

import (
	"fmt"
	"path/filepath"
	"slices"

	"github.com/actorstore/actorstore/commitlog/record"
	"github.com/actorstore/actorstore/indexsvc"
)

// indexUnheld tells that the last life of the store had its index off. Nobody has
// then held the files against the log since the life before, which may have ended in
// any way: an end in order, or a repair, says nothing of them. The log may have been
// cut, and have grown records of the same size at the same places: entries that
// agree with it do not show that it has no others between them. So such an index is
// made anew, which costs no more than to compare all of it.
func (r *recovery) indexUnheld() bool {
	s := r.in.Summary
	return s != nil && s.IndexApplied < 0
}

// verifiable is up to how many bytes of index are read to save a rebuild.
const verifiable = 1 << 30

// dropUnflushed handles an unclean stop: of files that nothing proves to be on
// disk, header, slots and entries may be of different moments, and a file may be
// as it was when it was made. They are kept if all of them agree and only the
// last one has room; otherwise the first of them and all later ones go. One that
// passes for unused may have had keys and lost its header: it goes, and so do those
// behind it.
func (r *recovery) dropUnflushed(x *indexsvc.Service, aside string) error {
	if unused := x.Unused(); len(unused) > 0 {
		if err := x.DropFrom(filepath.Base(slices.Min(unused)), aside); err != nil {
			return err
		}
	}
	files := x.Files()
	first, whole := len(files), true
	var size int64
	for i, f := range files {
		size += f.Size()
		whole = whole && (f.Full || i == len(files)-1)
		if i < first && (!f.Full || f.EndTimestamp > r.in.Checkpoint.IndexMsgTimestamp) {
			first = i
		}
	}
	if first == len(files) {
		return nil
	}
	if whole && size <= verifiable && x.Verify(r.timedRecords) == nil {
		return x.Rewrite(files[first].Name)
	}
	return x.DropFrom(files[first].Name, aside)
}

// startRecords is what the index asks about its records: how many of them stand
// in the log where they say, and what is wrong with the next one. Those that have
// left the log are not asked about. Only their first lines are looked at: what the
// scan has accepted is whole.
func (r *recovery) startRecords(records []indexsvc.Indexed) (good int, err error) {
	return r.eachStart(records, func(*indexsvc.Indexed, []byte) {})
}

// timedRecords is startRecords and tells their times. An entry that was caught by a
// power cut while it was written may name the right record without its time.
func (r *recovery) timedRecords(records []indexsvc.Indexed) (good int, err error) {
	return r.eachStart(records, func(x *indexsvc.Indexed, b []byte) {
		t, err := record.StoreTimestampOf(b)
		x.StoreTimestamp, x.Known = t, err == nil
	})
}

// eachStart shows the bytes of each record from its start on.
func (r *recovery) eachStart(records []indexsvc.Indexed, show func(*indexsvc.Indexed, []byte)) (good int, err error) {
	const ahead, line = 16, 72 // a record begins anywhere in a line of the cache
	c := r.in.Log.Reader().Cursor()
	defer c.Close()
	for i := range records {
		if i+ahead < len(records) {
			c.Prefetch(records[i+ahead].PhysicalOffset, line)
		}
		offset := records[i].PhysicalOffset
		if offset < r.rep.Min {
			continue
		}
		b, err := c.Rest(offset, r.rep.End)
		if err != nil {
			return i, err
		}
		if err := startsAt(b, offset); err != nil {
			return i, err
		}
		show(&records[i], b)
	}
	return len(records), nil
}

// startsAt tells whether b begins with the header of a record that claims to stand
// at an offset.
func startsAt(b []byte, offset int64) error {
	size, kind, err := record.Measure(b)
	switch {
	case err != nil:
		return err
	case kind != record.KindRecord, size > len(b):
		return &record.CorruptionError{Offset: offset, Want: "a record", Got: fmt.Sprintf("a %v of %d bytes", kind, size), Next: -1}
	}
	at, err := record.PhysicalOffsetOf(b[:size])
	if err == nil && at != offset {
		err = &record.CorruptionError{Offset: offset, Want: fmt.Sprintf("physicalOffset %d", offset), Got: fmt.Sprint(at), Next: -1}
	}
	return err
}
