package recoverer

import (
	"cmp"
	"slices"
	"sync"

	"github.com/actorstore/actorstore/commitlog"
	"github.com/actorstore/actorstore/commitlog/mapped"
)

// early writes good parts of the log again while what is behind them is still being
// scanned: the disk then has less left to do when the end is known. Nothing is proven
// by that; secure writes what is missing and syncs all of it. The zero value writes
// nothing.
type early struct {
	on   bool
	from int64 // what stands in front is on disk

	mu       sync.Mutex
	scanning int             // chunks
	writing  bool            // by one at a time
	waiting  []mapped.Extent // good, to be written
	done     []mapped.Extent // written
	err      error           // the first; nothing is written behind it
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
		e.waiting = append(e.waiting, mapped.Extent{From: from, To: to})
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
func (e *early) next() mapped.Extent {
	s := &e.waiting[0]
	piece := mapped.Extent{From: s.From, To: min(s.To, s.From+earlyStep)}
	if s.From = piece.To; s.From == s.To {
		e.waiting = e.waiting[1:]
	}
	return piece
}

// write is called with mu held, and lets it go meanwhile.
func (e *early) write(log *commitlog.Log, piece mapped.Extent) {
	err := func() error {
		e.mu.Unlock()
		defer e.mu.Lock()
		return log.Rewrite(piece.From, piece.To)
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
	slices.SortFunc(e.done, func(a, b mapped.Extent) int { return cmp.Compare(a.From, b.From) })
	return outside(e.done, from, to, f)
}
