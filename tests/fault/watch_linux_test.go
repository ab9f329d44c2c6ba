package fault_test

import (
	"cmp"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/actorstore/actorstore/commitlog/mapped"
	"github.com/actorstore/actorstore/commitlog/mapped/mappedtest"
)

// span is a time in which a message had to wait for a good reason.
type span struct{ from, to time.Time }

// watch notes when the log was being synced, and when the process did not run.
type watch struct {
	mu    sync.Mutex
	syncs int // that run now
	since time.Time
	spans []span
}

func newWatch() *watch { return &watch{} }

// before puts the watch before a file system.
func (w *watch) before(fsys mapped.FS, log string) mapped.FS {
	s := mappedtest.NewScript(fsys)
	for _, op := range []mappedtest.Op{mappedtest.OpSync, mappedtest.OpDatasync, mappedtest.OpFlush} {
		s.Add(mappedtest.Rule{Op: op, Path: filepath.Join(log, "*"), Forever: true, Before: w.begin, Then: w.end})
	}
	return s
}

func (w *watch) begin() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.syncs++; w.syncs == 1 {
		w.since = time.Now()
	}
}

func (w *watch) end() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.syncs--; w.syncs == 0 {
		w.spans = append(w.spans, span{w.since, time.Now()})
	}
}

// start forgets what was before, and looks whether the process runs: a machine
// that has others to serve wakes nobody in time. That does not depend on the store.
func (w *watch) start() (stop func()) {
	const step = time.Millisecond
	w.mu.Lock()
	w.spans = nil
	w.mu.Unlock()
	done := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			due := time.Now().Add(step)
			select {
			case <-done:
				return
			case <-time.After(step):
			}
			w.mu.Lock()
			w.spans = append(w.spans, span{due, time.Now()})
			w.mu.Unlock()
		}
	})
	return func() { close(done); wg.Wait() }
}

// idle is how much of a time has no reason.
func (w *watch) idle(from, to time.Time) (sum time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	slices.SortFunc(w.spans, func(a, b span) int { return cmp.Compare(a.from.UnixNano(), b.from.UnixNano()) })
	for _, s := range w.spans {
		if s.from.After(to) {
			break
		}
		sum += max(s.from.Sub(from), 0)
		if s.to.After(from) {
			from = s.to
		}
	}
	return sum + max(to.Sub(from), 0)
}

// Reasons that overlap count once, those before and behind it not at all.
func TestIdle(t *testing.T) {
	base := time.Now()
	at := func(ms int) time.Time { return base.Add(time.Duration(ms) * time.Millisecond) }
	w := newWatch()
	w.spans = []span{{at(70), at(90)}, {at(-9), at(-5)}, {at(-5), at(10)}, {at(20), at(40)}, {at(30), at(35)}, {at(95), at(200)}, {at(300), at(400)}}
	if got := w.idle(at(0), at(100)); got != 45*time.Millisecond { // 10 to 20, 40 to 70, 90 to 95
		t.Error(got)
	}
	if got := w.idle(at(200), at(250)); got != 50*time.Millisecond {
		t.Error(got)
	}
	w.begin()
	w.begin()
	w.end()
	if n := len(w.spans); n != 7 {
		t.Errorf("%d spans while a sync runs", n)
	}
	if w.end(); len(w.spans) != 8 {
		t.Errorf("%d spans", len(w.spans))
	}
}
