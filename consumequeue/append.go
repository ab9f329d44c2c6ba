package consumequeue

import (
	"fmt"
	"math"
)

// Append puts entries behind the end, in order, one write for each file that
// they touch. An entry below MaxOffset is there already and is passed over. The
// whole batch is judged first: a *GapError or *EntryError means that nothing of
// it was written.
//
// Only a queue without files may start at an offset that is not 0: a simple
// queue is then filled with pre-blanks from the start of that file, as
// RocketMQ's ConsumeQueue does; a batch queue needs none.
//
// After an error of the disk MaxOffset tells how much was accepted; the same
// call may be made again. One writer at a time.
func (q *Queue) Append(entries []Entry) error {
	if err := q.writable(); err != nil {
		return err
	}
	defer q.mu.Unlock()
	if err := q.load(); err != nil {
		return err
	}
	if len(entries) == 0 {
		return nil
	}
	if err := q.admit(entries); err != nil {
		return err
	}
	buf := q.store.buffers.Get().(*[]byte)
	defer q.store.buffers.Put(buf)
	for len(entries) > 0 {
		n, err := q.appendToFile(entries, buf)
		if err != nil {
			return err
		}
		entries = entries[n:]
	}
	return nil
}

// admit judges a batch and changes nothing.
func (q *Queue) admit(entries []Entry) error {
	next, physical, free := q.maxOffset.Load(), q.maxPhysical.Load(), q.startsAnywhere()
	for i := range entries {
		e := &entries[i]
		switch {
		case e.QueueOffset < 0 || e.QueueOffset > q.largestOffset():
			return q.refuse(e, fmt.Sprintf("a queue offset in 0..%d", q.largestOffset()))
		case e.PhysicalOffset < 0 || e.Size <= 0 || e.Size == preBlankSize || e.PhysicalOffset > math.MaxInt64-int64(e.Size):
			return q.refuse(e, "a record in the log")
		case e.Num < 0 || (q.kind == Simple && e.Num > 1):
			return q.refuse(e, "a count of messages that fits the kind of queue")
		case free:
			free = false
		case e.QueueOffset < next:
			continue
		case e.QueueOffset > next:
			return &GapError{Topic: q.topic, Queue: q.id, Want: next, Got: e.QueueOffset}
		}
		if e.PhysicalOffset < physical {
			return q.refuse(e, fmt.Sprintf("a record behind physical offset %d", physical))
		}
		next, physical = e.QueueOffset+e.num(), e.PhysicalOffset+int64(e.Size)
	}
	return nil
}

// startsAnywhere: the next entry decides where the queue begins.
func (q *Queue) startsAnywhere() bool {
	if q.kind == Batch {
		return q.data >= q.end.Load()
	}
	return q.files.Load().empty()
}

func (q *Queue) largestOffset() int64 {
	if q.kind == Batch {
		return math.MaxInt64 - math.MaxInt16
	}
	// A file's last byte must be countable too.
	return (math.MaxInt64-q.fileSize())/UnitSize - 1
}

func (q *Queue) refuse(e *Entry, want string) error {
	return &EntryError{Topic: q.topic, Queue: q.id, Entry: *e, Want: want}
}

// appendToFile writes what fits into the file at the end, and tells how many
// entries are dealt with.
func (q *Queue) appendToFile(entries []Entry, buf *[]byte) (int, error) {
	free := q.startsAnywhere()
	skipped := 0
	for !free && skipped < len(entries) && entries[skipped].QueueOffset < q.maxOffset.Load() {
		skipped++
	}
	if skipped == len(entries) {
		return skipped, nil
	}
	entries = entries[skipped:]
	if free {
		if err := q.begin(entries[0].QueueOffset); err != nil {
			return skipped, err
		}
	}
	f, err := q.fileAtEnd()
	if err != nil {
		return skipped, err
	}
	end := q.end.Load()
	room := q.unitsPerFile() - end%q.unitsPerFile()
	run := q.gather(entries, room)
	b := q.encode(run, buf)
	if err := q.write(f, end*q.kind.unitSize()-f.start, b); err != nil {
		return skipped, err
	}
	q.noteTimes(run, end)
	last := &run.entries[run.last]
	q.setEnd(end+run.units, last.QueueOffset+last.num(), last.PhysicalOffset+int64(last.Size))
	if free {
		q.setStart(end, run.base)
	}
	return skipped + len(run.entries), nil
}

// run is the part of a batch that goes into one file.
type run struct {
	entries []Entry // duplicates among them
	base    int64   // queue offset of the first unit
	units   int64
	last    int // index of the last entry that is no duplicate
}

// gather takes entries until room units are found.
func (q *Queue) gather(entries []Entry, room int64) run {
	r := run{base: entries[0].QueueOffset}
	next := r.base
	i := 0
	for ; i < len(entries) && r.units < room; i++ {
		if entries[i].QueueOffset == next {
			next += entries[i].num()
			r.units++
			r.last = i
		}
	}
	r.entries = entries[:i]
	return r
}

// encode writes the units of a run into buf.
func (q *Queue) encode(r run, buf *[]byte) []byte {
	size := q.kind.unitSize()
	if need := r.units * size; int64(cap(*buf)) < need {
		*buf = make([]byte, 0, need)
	}
	b := (*buf)[:r.units*size]
	ext := q.appendExt(r)
	next, at := r.base, int64(0)
	for i := range r.entries {
		e := &r.entries[i]
		if e.QueueOffset != next {
			continue
		}
		q.kind.encodeUnit(b[at*size:(at+1)*size], e)
		if ext != nil {
			putTagsCode(b[at*size:], ext[at])
		}
		next += e.num()
		at++
	}
	return b
}

// noteTimes keeps ordered true: from there on store times are known to ascend.
func (q *Queue) noteTimes(r run, index int64) {
	next := r.base
	for i := range r.entries {
		e := &r.entries[i]
		if e.QueueOffset != next {
			continue
		}
		switch {
		case e.StoreTimestamp <= 0:
			q.ordered.Store(index + 1)
		case e.StoreTimestamp < q.lastTime:
			q.ordered.Store(index)
		}
		q.lastTime = e.StoreTimestamp
		next += e.num()
		index++
	}
}
