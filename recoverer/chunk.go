package recoverer

import (
	"github.com/actorstore/actorstore/commitlog"
	"github.com/actorstore/actorstore/commitlog/mapped"
	"github.com/actorstore/actorstore/commitlog/record"
)

// scanChunk is how much of a segment one processor scans at a time. A variable
// for tests.
var scanChunk int64 = 16 << 20

// chunksAtOnce is how many chunks are scanned between two signs of progress.
const chunksAtOnce = 32

// chunk is a part of a segment that is scanned by itself: the good entries from
// the first record that starts in it on, up to the first place behind its end or
// to the first bad one. Where it should have begun only the chunk in front knows.
type chunk struct {
	from, stop int64 // [from, stop)
	run        run   // start is -1 if no record starts here
	bad        error // what stands at the run's end, nil if that is behind stop
	seen       int64
}

// chunksOf cuts [from, to), which lies in one segment. Space behind the last
// byte that was ever written makes one chunk with what is in front.
func chunksOf(f *mapped.MappedFile, from, to int64) []chunk {
	var out []chunk
	written := from
	if e := f.Extents(from-f.Offset(), f.Size()); len(e) > 0 {
		written = f.Offset() + e[len(e)-1].To
	}
	for at := from; at < to; {
		stop := min(at+scanChunk, to)
		if stop >= written {
			stop = to
		}
		out = append(out, chunk{from: at, stop: stop})
		at = stop
	}
	return out
}

// scan reads a chunk. first: a record or nothing good begins at its start.
func (c *chunk) scan(r *commitlog.Reader, to int64, first bool) {
	s := r.Scan(c.from, to, record.CRCRecord)
	defer s.Close()
	c.run = run{start: c.from, end: c.from, last: -1}
	if !first {
		s.SkipTo(c.from - 1)
		found := false
		if mapped.Guard(func() { _, found = s.ResyncBelow(c.stop) }) != nil || !found {
			c.run.start, c.seen = -1, s.Seen()
			return
		}
		c.run.start = s.Pos()
	}
	c.bad = walk(s, &c.run, c.stop)
	c.seen = s.Seen()
}

// join puts the chunks of a segment together as far as each goes on just where
// the one in front ended: from the same place the same is found, whoever begins
// there. The rest, from the first bad place on, is the business of follow; so is
// all behind a record that only looks like one, inside the body of another.
func join(chunks []chunk) (r run, seen int64) {
	r, seen = chunks[0].run, chunks[0].seen
	bad := chunks[0].bad
	for i := 1; i < len(chunks) && bad == nil; i++ {
		c := &chunks[i]
		if c.stop <= r.end {
			continue // one record covers all of it
		}
		if c.run.start != r.end {
			break
		}
		r.extend(&c.run)
		bad = c.bad
		seen += c.seen
	}
	return r, seen
}

// extend takes in a run that begins where this one ends.
func (r *run) extend(next *run) {
	r.end = next.end
	if next.last < 0 {
		return
	}
	if r.last < 0 {
		r.firstTime = next.firstTime
	} else if next.firstTime < r.lastTime {
		r.wentBack(back{next.start, r.lastTime})
	}
	for _, b := range next.backs {
		r.wentBack(b)
	}
	r.last, r.lastTime = next.last, next.lastTime
}
