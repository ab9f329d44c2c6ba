//go:build unix

package fault_test

import (
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/actorstore/actorstore"
	"github.com/actorstore/actorstore/actors"
	"github.com/actorstore/actorstore/commitlog/checkpoint"
	"github.com/actorstore/actorstore/commitlog/mapped/mappedtest"
	"github.com/actorstore/actorstore/tests/fault"
)

// touching are those who read or write mapped pages, so that a cut file can hit
// them. The others cannot meet a missing page, and are only to go on:
//
//   - flusher: it syncs by system calls, which pass over pages behind the end;
//   - queues: units are written by system calls. Maps of queue files are for
//     readers, and for retention when the log's minimum moves;
//   - allocator: it makes files, writes zeros, and brings pages in by madvise,
//     whose error means nothing.
//
// The checkpoint actor reads the last flushed record for its mark, retention the
// times of records for the ages of segments.
var touching = []string{"append", "dispatch", "index", "reader", "checkpoint", "retention"}

func (m *meetings) note(who string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.by[who]++
}

// slow lets retention come late: it remembers the age of a segment that it has
// looked at, and shall look only at what was cut; and lets it ask for ages at any hour. It returns how late.
func (m *meetings) slow(name string, o *actorstore.Options) time.Duration {
	if name != "segments of no known age" {
		return 0
	}
	o.CleanResourceInterval = 3 * time.Second
	o.DeleteWhen = "00;01;02;03;04;05;06;07;08;09;10;11;12;13;14;15;16;17;18;19;20;21;22;23"
	return o.CleanResourceInterval
}

// unmarked cuts the file behind the flush of a record and in front of the mark that
// tells of it. The checkpoint actor has met the missing page if it writes none
// although it is its turn.
func (m *meetings) unmarked(t *testing.T, c *fault.Client, script *mappedtest.Script, cut func()) {
	t.Helper()
	marked := make(chan struct{}, 1)
	path := checkpoint.NewLayout(c.Options.StorePathRootDir, "").MarkFile()
	script.Add(mappedtest.Rule{Op: mappedtest.OpWrite, Path: path, Forever: true, Then: func() {
		select {
		case marked <- struct{}{}:
		default:
		}
	}})
	await := func() bool {
		select {
		case <-marked:
			return true
		case <-time.After(2500 * time.Millisecond): // two turns
			return false
		}
	}
	c.Put("orders", 0, 1000)
	if !await() {
		t.Errorf("no mark was written to %s", filepath.Base(path))
		return
	}
	c.Put("orders", 0, 1000)
	flushed := func() bool {
		state, err := c.Store.State()
		return err != nil || state.Watermarks.Flushed == state.Watermarks.Appended
	}
	for !flushed() {
		time.Sleep(time.Millisecond)
	}
	cut()
	if state, err := c.Store.State(); !await() && err == nil && state.ReadOnly == nil {
		m.note("checkpoint")
	}
}

// held are the Faults of a test that lets an actor wait for something.
type held struct {
	actor string
	gate  atomic.Pointer[chan struct{}]
}

// next holds the actor at what wakes it next, until goOn is called.
func (h *held) next() (goOn func()) {
	gate := make(chan struct{})
	h.gate.Store(&gate)
	return sync.OnceFunc(func() { close(gate) })
}

// Step implements actors.Faults.
func (h *held) Step(name string, _ actors.Step, done bool) {
	if gate := h.gate.Load(); gate != nil && name == h.actor && !done {
		<-*gate
	}
}

// Signal implements actors.Faults.
func (h *held) Signal(_ string, _ actors.Step, send, _ func()) { send() }
