package fault_test

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/actorstore/actorstore"
	"github.com/actorstore/actorstore/commitlog/mapped/mappedtest"
	"github.com/actorstore/actorstore/tests/fault"
)

// costs are what a store of many queues takes.
type costs struct {
	clean, killed int // calls of files by an opening, but for lists of directories
	opens         int // files that a clean opening opens
	idle          int // calls of files in ten idle minutes
	goroutines    int // of an open store
	heap          int // bytes that an opening keeps

	mu          sync.Mutex
	files, maps int // open at a time
}

// TestF58_OpeningManyQueues: the files and maps that are open at a time, the
// goroutines and the work at rest do not grow with the number of queues. An
// opening, clean or behind a kill, looks at each queue a bounded number of times,
// and keeps less than a kilobyte for it.
func TestF58_OpeningManyQueues(t *testing.T) {
	const few, many = 500, 5000
	var a, b costs
	virtual(t, func(t *testing.T) { manyQueues(t, &a, few) })
	virtual(t, func(t *testing.T) { manyQueues(t, &b, many) })
	for _, c := range []struct {
		what       string
		few, many  int
		each, over int // at most so many for each queue more, and for all of them
	}{
		{"calls of a clean opening", a.clean, b.clean, 15, 0},
		{"files that a clean opening opens", a.opens, b.opens, 4, 0},
		{"calls of an opening behind a kill", a.killed, b.killed, 25, 0},
		{"calls in ten minutes at rest", a.idle, b.idle, 0, a.idle / 100},
		{"goroutines", a.goroutines, b.goroutines, 0, 10},
		{"files open at a time", a.files, b.files, 0, 8},
		{"maps at a time", a.maps, b.maps, 0, 8},
		{"bytes in use", a.heap, b.heap, 1000, 0},
	} {
		t.Logf("%s: %d of %d queues, %d of %d", c.what, c.few, few, c.many, many)
		if most := c.few + c.each*(many-few) + c.over; c.many > most {
			t.Errorf("%s: %d of %d queues, %d of %d, at most %d are allowed", c.what, c.few, few, c.many, many, most)
		}
	}
	if b.heap <= a.heap || b.clean <= a.clean {
		t.Error("nothing is measured")
	}
	if most := 16 + 16; a.files > most || a.maps > most { // queue files, and the others of a store
		t.Errorf("%d files and %d maps open at a time, want at most %d", a.files, a.maps, most)
	}
}

// watched notes how many files are open and mapped at a time.
func watched(disk *mappedtest.FS, c *costs) *mappedtest.Script {
	note := func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.files, c.maps = max(c.files, disk.OpenFiles()), max(c.maps, disk.Mappings())
	}
	return mappedtest.NewScript(disk,
		mappedtest.Rule{Op: mappedtest.OpOpen, Forever: true, Then: note},
		mappedtest.Rule{Op: mappedtest.OpMap, Forever: true, Then: note})
}

func manyQueues(t *testing.T, of *costs, queues int) {
	disk := mappedtest.NewFS()
	c := opened(t, watched(disk, of), false, func(o *actorstore.Options) {
		o.MappedFileSizeCommitLog, o.MessageIndexEnable = 1<<20, false
	})
	putEach(t, c, queues, 2)
	// A store that is at rest has told the disk all.
	time.Sleep(time.Minute)
	closeClient(t, c)
	image, before := disk.Kill(), c.Options.FS

	script := watched(image, of)
	time.Sleep(time.Minute) // the store before is gone
	goroutines, heap := runtime.NumGoroutine(), used()
	reopened(t, c, script)
	of.heap = used() - heap
	runtime.KeepAlive(before) // what an opening frees is not what it keeps
	of.goroutines = runtime.NumGoroutine() - goroutines
	of.clean = script.Calls() - script.Count(mappedtest.OpReadDir)
	of.opens = script.Count(mappedtest.OpOpen)
	time.Sleep(time.Minute)
	calls := script.Calls()
	time.Sleep(10 * time.Minute)
	of.idle = script.Calls() - calls
	hasEach(t, c, queues, 2)
	putEach(t, c, queues, 1)
	image = image.Kill()
	closeClient(t, c)

	script = watched(image, of)
	reopened(t, c, script)
	of.killed = script.Calls() - script.Count(mappedtest.OpReadDir)
	hasEach(t, c, queues, 3)
	closeClient(t, c)
	if n, m := image.OpenFiles(), image.Mappings(); n != 0 || m != 0 {
		t.Errorf("%d files are open and %d mapped after close", n, m)
	}
}

func used() int {
	collect()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}

// putEach puts messages into each of so many queues, five of a topic.
func putEach(t *testing.T, c *fault.Client, queues, each int) {
	t.Helper()
	var flight []actorstore.Pending
	wait := func() {
		for i := range flight {
			if _, err := flight[i].Wait(context.Background()); err != nil {
				t.Fatal(err)
			}
		}
		flight = flight[:0]
	}
	for range each {
		for q := range queues {
			p, err := c.Store.Begin(&actorstore.Message{Topic: fmt.Sprint("topic", q/5), QueueID: int32(q % 5), Body: []byte("b")})
			if err != nil {
				t.Fatal(err)
			}
			if flight = append(flight, p); len(flight) == 64 {
				wait()
			}
		}
	}
	wait()
	if err := c.Store.Dispatched(context.Background()); err != nil {
		t.Fatal(err)
	}
}

// hasEach wants each of them to hold so many.
func hasEach(t *testing.T, c *fault.Client, queues, each int) {
	t.Helper()
	var got actorstore.GetResult
	for q := range queues {
		err := c.Store.Get(context.Background(), actorstore.GetRequest{Topic: fmt.Sprint("topic", q/5), QueueID: int32(q % 5), MaxCount: 10}, &got)
		if err != nil || len(got.Messages) != each {
			t.Fatalf("queue %d: %d messages, want %d: %v", q, len(got.Messages), each, err)
		}
	}
}
