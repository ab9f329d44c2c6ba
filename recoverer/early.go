package recoverer

import (
	"cmp"
	"slices"
	"sync"

	"github.com/actorstore/actorstore/commitlog"
)

// span is the part [from, to) of the log.
type span struct{ from, to int64 }

// early writes good parts of the log again while what is behind them is still being
// scanned: the disk then has less left to do when the end is known. Nothing is proven
// by that; secure writes what is missing and syncs all of it. The zero value writes
// nothing.
type early struct {
	on   bool
	from int64 // what stands in front is on disk

	mu       sync.Mutex
	scanning int    // chunks
	writing  bool   // by one at a time
	waiting  []span // good, to be written
	done     []span // written
	err      error  // the first; nothing is written behind it
}

// earlyStep is how much is written between two looks at what is left to scan.
const earlyStep = 4 << 20

// begin tells how many chunks are about to be scanned.
func (e *early) begin(chunks int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.scanning += chunks
}

// scanned takes a chunk over. Whoever brings it may go on writing while others scan.
func (e *early) scanned(log *commitlog.Log, c *chunk) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.scanning--
	if !e.on || c.run.start < 0 {
		return
	}
	if from, to := max(c.from, e.from), min(c.run.end, c.stop); from < to {
		e.waiting = append(e.waiting, span{from, to})
	}
	if e.writing {
		return
	}
	e.writing = true
	for e.err == nil && e.scanning > 0 && len(e.waiting) > 0 {
		e.write(log, e.next())
	}
	e.writing = false
}

// next takes a piece out of what waits.
func (e *early) next() span {
	s := &e.waiting[0]
	piece := span{s.from, min(s.to, s.from+earlyStep)}
	if s.from = piece.to; s.from == s.to {
		e.waiting = e.waiting[1:]
	}
	return piece
}

// write is called with mu held, and lets it go meanwhile.
func (e *early) write(log *commitlog.Log, piece span) {
	err := func() error {
		e.mu.Unlock()
		defer e.mu.Lock()
		return log.Rewrite(piece.from, piece.to)
	}()
	if e.err = err; err == nil {
		e.done = append(e.done, piece)
	}
}

// settle forgets what stands in front of a place up to which all is on disk.
func (e *early) settle(proven int64) { e.from, e.waiting, e.done = proven, nil, nil }

// lacks calls f with the parts of [from, to) that were not written, in order. What
// could not be written is not tried again.
func (e *early) lacks(from, to int64, f func(from, to int64) error) error {
	if e.err != nil {
		return e.err
	}
	slices.SortFunc(e.done, func(a, b span) int { return cmp.Compare(a.from, b.from) })
	for _, d := range e.done {
		if d.to <= from || d.from >= to {
			continue
		}
		if d.from > from {
			if err := f(from, d.from); err != nil {
				return err
			}
		}
		from = d.to
	}
	if from >= to {
		return nil
	}
	return f(from, to)
}
