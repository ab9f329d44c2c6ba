package actors

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/actorstore/actorstore/commitlog/checkpoint"
	"github.com/actorstore/actorstore/commitlog/mapped"
	"github.com/actorstore/actorstore/commitlog/mapped/mappedtest"
	"github.com/actorstore/actorstore/commitlog/record"
	"github.com/actorstore/actorstore/flusher"
	"github.com/actorstore/actorstore/reader"
	"github.com/actorstore/actorstore/tests/leak"
)

func TestMain(m *testing.M) { leak.Main(m) }

// noLeaks checks that a store left nothing behind; tests run one after another.
func noLeaks(t testing.TB) {
	t.Helper()
	if err := leak.Find(); err != nil {
		t.Error(err)
	}
}

func runtimeGoexit() { runtime.Goexit() }

// patience is how long a test waits for what must happen; nothing is measured.
const patience = 20 * time.Second

func eventually(t testing.TB, what string, is func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); !is(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("did not happen: %s", what)
		}
	}
}

func stopAll(t testing.TB, system *actor.ActorSystem, pids ...*actor.PID) {
	t.Helper()
	for _, pid := range pids {
		if err := system.Root.StopFuture(pid).Wait(); err != nil {
			t.Error(err)
		}
	}
}

const root = "/store"

// small are the options of a store in memory whose files are full soon.
func small(disk mapped.FS) Options {
	o := DefaultOptions(root)
	o.FS = disk
	o.MappedFileSizeCommitLog = 64 << 10
	o.MappedFileSizeConsumeQueue = 20 * 64
	o.MapperFileSizeBatchConsumeQueue = 46 * 64
	o.MaxHashSlotNum, o.MaxIndexNum = 64, 512
	o.MaxMessageSize = 16 << 10
	o.FlushIntervalCommitLog = 5 * time.Millisecond
	o.FileReservedTime = 0 // for ever
	return o
}

// rig is a store on a scripted disk in memory, and what it told of itself.
type rig struct {
	t      testing.TB
	disk   *mappedtest.FS
	script *mappedtest.Script
	o      Options
	s      *Store
	ctx    context.Context
	leaky  bool // files may stay open

	breaker breaker

	mu     sync.Mutex
	events []string
}

// open starts a store; change may alter the options.
func open(t testing.TB, change ...func(*Options)) *rig {
	t.Helper()
	r := &rig{t: t, disk: mappedtest.NewFS()}
	r.start(change...)
	return r
}

func syncFlush(o *Options)  { o.FlushDiskType = SyncFlush }
func asyncFlush(o *Options) { o.FlushDiskType = AsyncFlush }

// bothFlushTypes runs a test under each.
func bothFlushTypes(t *testing.T, run func(t *testing.T, flush func(*Options))) {
	t.Run("async", func(t *testing.T) { run(t, asyncFlush) })
	t.Run("sync", func(t *testing.T) { run(t, syncFlush) })
}

// start opens the store that stands on the disk.
func (r *rig) start(change ...func(*Options)) {
	r.t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	r.t.Cleanup(cancel)
	r.ctx = ctx
	r.script = mappedtest.NewScript(r.disk)
	r.o = small(r.script)
	r.o.Faults = &r.breaker
	for _, f := range change {
		f(&r.o)
	}
	r.listen(&r.o.Events)
	s, err := Open(ctx, r.o)
	if err != nil {
		r.t.Fatalf("open: %v", err)
	}
	r.s = s
	r.t.Cleanup(func() { _ = s.Close(context.Background()) })
}

func (r *rig) listen(e *Events) {
	e.ActorRestarted = func(e ActorEvent) { r.tell("restarted " + e.Actor) }
	e.SinkParked = func(e ActorEvent) { r.tell("parked " + e.Actor) }
	e.ReadOnly = func(error) { r.tell("read-only") }
	e.FlushFailed = func(error) { r.tell("flush failed") }
	e.DiskFull = func(full bool, _ error) { r.tell(fmt.Sprint("disk full ", full)) }
	e.SegmentsExpired = func(least int64, _ string) { r.tell("expired") }
	e.CorruptionFound = func(err error) { r.tell("corruption " + err.Error()) }
	r.listenHangs(e)
	e.Opened = func(e OpenedEvent) { r.tell(fmt.Sprint("opened clean=", e.Clean)) }
}

func (r *rig) tell(event string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.events = append(r.events, event)
}

// told counts an event.
func (r *rig) told(event string) (n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, e := range r.events {
		if e == event {
			n++
		}
	}
	return n
}

// heard are the events so far.
func (r *rig) heard() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.events)
}

// healthy fails the test if anything went wrong in the store.
func (r *rig) healthy() {
	r.t.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	if i := slices.IndexFunc(r.events, func(e string) bool { return e != "opened clean=true" && e != "opened clean=false" }); i >= 0 {
		r.t.Errorf("the store told of %q", r.events[i:])
	}
}

// close ends the store cleanly.
func (r *rig) close() {
	r.t.Helper()
	if err := r.s.Close(r.ctx); err != nil {
		r.t.Errorf("close: %v", err)
	}
	if r.aborted() {
		r.t.Error("the abort marker is left after a clean close")
	}
	if n, m := r.disk.OpenFiles(), r.disk.Mappings(); !r.leaky && (n != 0 || m != 0) {
		r.t.Errorf("%d files and %d mappings are open after close", n, m)
	}
}

// reopen closes the store and opens it again.
func (r *rig) reopen(change ...func(*Options)) {
	r.t.Helper()
	r.close()
	r.start(change...)
}

// crash goes on with what a power cut leaves: all that was written.
func (r *rig) crash(change ...func(*Options)) {
	r.t.Helper()
	r.disk = r.disk.Kill()
	r.start(change...)
}

// lose removes the files of a folder but for the first ones.
func (r *rig) lose(dir string, but int) {
	r.t.Helper()
	files, err := r.disk.ReadDir(root + "/" + dir)
	if err != nil || len(files) <= but {
		r.t.Fatalf("%d files in %s: %v", len(files), dir, err)
	}
	for _, f := range files[but:] {
		if err := r.disk.Remove(root + "/" + dir + "/" + f.Name()); err != nil {
			r.t.Fatal(err)
		}
	}
}

func (r *rig) layout() checkpoint.Layout { return checkpoint.NewLayout(root, "") }

func (r *rig) aborted() bool {
	r.t.Helper()
	found, err := checkpoint.HasAbort(r.disk, r.layout())
	if err != nil {
		r.t.Fatal(err)
	}
	return found
}

func message(topic string, queue int32, body string) *record.Message {
	return &record.Message{Topic: topic, QueueID: queue, Body: []byte(body),
		Properties: record.NewProperties("KEYS", "k-"+body)}
}

func (r *rig) put(topic string, queue int32, body string) flusher.PutResult {
	r.t.Helper()
	result, err := r.s.Put(r.ctx, message(topic, queue, body))
	if err != nil {
		r.t.Fatalf("put %s: %v", body, err)
	}
	return result
}

// puts puts n messages "0", "1", ... behind those that are there.
func (r *rig) puts(topic string, from, to int) {
	r.t.Helper()
	for i := from; i < to; i++ {
		if result := r.put(topic, 0, fmt.Sprint(i)); result.QueueOffset != int64(i) {
			r.t.Fatalf("message %d got queue offset %d", i, result.QueueOffset)
		}
	}
}

// dispatched waits until everything stands in queues and index.
func (r *rig) dispatched() {
	r.t.Helper()
	ctx, cancel := context.WithTimeout(r.ctx, patience)
	defer cancel()
	if err := r.s.Dispatched(ctx); err != nil {
		r.t.Fatalf("dispatched: %v", err)
	}
}

// bodies are the messages of a queue from its start.
func (r *rig) bodies(topic string, queue int32) []string {
	r.t.Helper()
	rd, err := r.s.Reader()
	if err != nil {
		r.t.Fatal(err)
	}
	least, err := rd.MinOffset(topic, queue)
	if errors.Is(err, reader.ErrNoQueue) {
		return nil
	}
	var got []string
	var result reader.GetResult
	for at := least; ; at = result.NextOffset {
		if err := rd.Get(r.ctx, reader.GetRequest{Topic: topic, QueueID: queue, Offset: at, MaxCount: 100}, &result); err != nil {
			r.t.Fatalf("get %s at %d: %v", topic, at, err)
		}
		if len(result.Messages) == 0 {
			return got
		}
		for i := range result.Messages {
			m := &result.Messages[i]
			if want := at + int64(i); m.QueueOffset != want {
				r.t.Fatalf("queue offset %d where %d is due", m.QueueOffset, want)
			}
			got = append(got, string(m.Body))
		}
	}
}

// numbered checks that a queue holds the bodies "0" to n-1, once each, in order.
func (r *rig) numbered(topic string, n int) {
	r.t.Helper()
	r.dispatched()
	got := r.bodies(topic, 0)
	if len(got) != n {
		r.t.Fatalf("%s has %d messages, want %d", topic, len(got), n)
	}
	for i, b := range got {
		if b != fmt.Sprint(i) {
			r.t.Fatalf("%s at %d: body %q", topic, i, b)
		}
	}
}

// found counts the messages with a key.
func (r *rig) found(topic, key string) int {
	r.t.Helper()
	rd, err := r.s.Reader()
	if err != nil {
		r.t.Fatal(err)
	}
	q, err := rd.Query(r.ctx, reader.QueryRequest{Topic: topic, Key: key, End: 1 << 62})
	if err != nil {
		r.t.Fatalf("query: %v", err)
	}
	return len(q.Messages)
}

// indexed checks that the keys of the bodies "0" to n-1 are found once each.
func (r *rig) indexed(topic string, n int) {
	r.t.Helper()
	for i := range n {
		if got := r.found(topic, fmt.Sprint("k-", i)); got != 1 {
			r.t.Fatalf("key of message %d is found %d times", i, got)
		}
	}
}

// pid is the actor of a name.
// answered waits until nothing is in flight: the bytes of a batch of puts are
// given back behind their answers.
func (r *rig) answered() {
	r.t.Helper()
	eventually(r.t, "nothing is in flight", func() bool { return r.tree().admission.inFlight.Load() == 0 })
}

func (r *rig) pid(name string) *actor.PID {
	return actor.NewPID(r.s.system.Address(), r.s.PID().Id+"/"+name)
}

func (r *rig) tree() *tree { return r.s.tree.Load() }

func statusOf(err error) flusher.PutMessageStatus {
	var pe *PutError
	if errors.As(err, &pe) {
		return pe.Status
	}
	return flusher.UnknownError
}
