package crash

import (
	"strings"
	"sync/atomic"

	"github.com/actorstore/actorstore/commitlog/mapped/mappedtest"
	"github.com/actorstore/actorstore/tests/crash/oracle"
)

// changing are the calls that change what a cut would leave.
var changing = []mappedtest.Op{
	mappedtest.OpOpen, mappedtest.OpMkdirAll, mappedtest.OpMkdir, mappedtest.OpRename, mappedtest.OpRemove,
	mappedtest.OpSyncDir, mappedtest.OpSyncFS, mappedtest.OpWrite, mappedtest.OpTruncate, mappedtest.OpAllocate,
	mappedtest.OpSync, mappedtest.OpDatasync, mappedtest.OpFlush,
}

// meanSkip is how many of those calls lie between two images on average.
const meanSkip = 6

// camera takes images of a store while it is being opened and used.
type camera struct {
	run    *run
	script *mappedtest.Script
	fs     *mappedtest.FS
	store  atomic.Pointer[opened] // nil until it is open
}

// rules take images before and behind those calls.
func (c *camera) rules() []mappedtest.Rule {
	take := func() { c.mayTake(meanSkip) }
	rules := make([]mappedtest.Rule, len(changing))
	for i, op := range changing {
		rules[i] = mappedtest.Rule{Op: op, Forever: true, Before: take, Then: take}
	}
	return rules
}

// mayTake takes an image once in a while.
func (c *camera) mayTake(mean int) {
	r := c.run
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.skip--; r.skip > 0 || len(r.images) >= r.most {
		return
	}
	r.skip = 1 + int(r.rng.ExpFloat64()*float64(mean))
	modes := mappedtest.Modes()
	im := &image{run: r, n: len(r.images), cut: oracle.PowerCut, mode: modes[r.rng.IntN(len(modes))], seed: r.rng.Uint64()}
	if r.rng.IntN(8) == 0 {
		im.cut = oracle.Killed
	}
	im.at = r.model.Take(c.marks, func() {
		if im.cut == oracle.Killed {
			im.fs = c.fs.Kill()
		} else {
			im.fs = c.fs.Crash(im.seed, im.mode)
		}
	})
	im.trace = tail(c.script, 40)
	r.images = append(r.images, im)
}

// marks is what the store says about itself, once it is open.
func (c *camera) marks() oracle.Watermarks {
	if s := c.store.Load(); s != nil {
		return s.marks()
	}
	return oracle.Watermarks{Min: -1}
}

// tail is the last lines of a trace.
func tail(script *mappedtest.Script, n int) string {
	calls := script.Trace()
	var b strings.Builder
	for _, c := range calls[max(0, len(calls)-n):] {
		b.WriteString("    " + c.String() + "\n")
	}
	return b.String()
}
