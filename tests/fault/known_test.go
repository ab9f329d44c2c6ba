package fault_test

import (
	"context"
	"testing"
	"time"

	"github.com/actorstore/actorstore"
	"github.com/actorstore/actorstore/commitlog/mapped"
	"github.com/actorstore/actorstore/commitlog/mapped/mappedtest"
	"github.com/actorstore/actorstore/tests/fault"
)

// The tests here and in the files beside are each named after a fault that users
// have reported of engines like this one; faults.csv lists them all.

// opened makes a small store in memory or elsewhere and opens it.
func opened(t testing.TB, fsys mapped.FS, sync bool, tune func(*actorstore.Options)) *fault.Client {
	t.Helper()
	c := fault.NewClient(fsys, "/data/store", sync)
	if tune != nil {
		tune(&c.Options)
	}
	if !c.Open() {
		t.Fatal("does not open")
	}
	return c
}

// reopened opens what an image holds.
func reopened(t testing.TB, c *fault.Client, image mapped.FS) {
	t.Helper()
	c.Options.FS = image
	if !c.Open() {
		t.Fatal("does not open again")
	}
}

// checked wants all that was acknowledged, and nothing else.
func checked(t testing.TB, c *fault.Client) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	if err := c.Intact(ctx); err != nil {
		t.Error(err)
	}
	for _, f := range c.Faults {
		t.Error(f)
	}
}

// put sends any message and waits.
func put(t testing.TB, c *fault.Client, m *actorstore.Message) (actorstore.PutResult, error) {
	t.Helper()
	p, err := c.Store.Begin(m)
	if err != nil {
		return actorstore.PutResult{}, err
	}
	return p.Wait(context.Background())
}

// get reads a whole queue.
func get(t testing.TB, c *fault.Client, topic string, queue int32) (all []actorstore.MessageExt) {
	t.Helper()
	if err := c.Store.Dispatched(context.Background()); err != nil {
		t.Fatal(err)
	}
	for at := int64(0); ; {
		var got actorstore.GetResult // not used again: the messages stay valid
		err := c.Store.Get(context.Background(), actorstore.GetRequest{Topic: topic, QueueID: queue, Offset: at, MaxCount: 1000}, &got)
		if err != nil {
			t.Fatal(err)
		}
		if got.Status != actorstore.Found {
			return all
		}
		all = append(all, got.Messages...)
		at = got.NextOffset
	}
}

// TestF14_AcknowledgementsTellTheTruth: what a result says of durability holds
// over power cuts, for each flush type and for puts that do not wait.
func TestF14_AcknowledgementsTellTheTruth(t *testing.T) {
	for _, sync := range []bool{true, false} {
		for seed := range uint64(40) {
			virtual(t, func(t *testing.T) {
				disk := mappedtest.NewFS()
				c := opened(t, disk, sync, nil)
				var durable []int64 // physical offsets
				for i := range 30 {
					m := actorstore.Message{Topic: "orders", Body: fault.Body(i, 500+int(seed))}
					if i%3 == 0 {
						m.Properties = actorstore.NewProperties(actorstore.PropertyWait, "false")
					}
					r, err := put(t, c, &m)
					if err != nil {
						t.Fatal(err)
					}
					waits := i%3 != 0
					if want := map[bool]string{true: "flushed", false: "written"}[sync && waits]; r.Durability.String() != want {
						t.Errorf("put %d says %v, want %s", i, r.Durability, want)
					}
					if sync && waits {
						durable = append(durable, r.PhysicalOffset)
					}
					if i%7 == int(seed)%7 {
						time.Sleep(25 * time.Millisecond)
					}
				}
				state, err := c.Store.State()
				if err != nil {
					t.Fatal(err)
				}
				modes := mappedtest.Modes()
				image := disk.Crash(seed, modes[seed%uint64(len(modes))])
				closeClient(t, c)
				reopened(t, c, image)
				found := map[int64]bool{}
				next := int64(0)
				for _, m := range get(t, c, "orders", 0) {
					if m.QueueOffset != next {
						t.Errorf("seed %d: offset %d behind %d: a hole", seed, m.QueueOffset, next)
					}
					next = m.QueueOffset + 1
					found[m.PhysicalOffset] = true
				}
				for _, at := range durable {
					if !found[at] {
						t.Errorf("seed %d: the message at %d was flushed and is lost", seed, at)
					}
				}
				now, err := c.Store.State()
				if err != nil || now.Watermarks.Appended < state.Watermarks.Flushed {
					t.Errorf("seed %d: the log ends at %d, %d was flushed", seed, now.Watermarks.Appended, state.Watermarks.Flushed)
				}
				closeClient(t, c)
			})
		}
	}
}

// TestF15_ReadableOnceAnswered: there is no buffer in front of the file. What was
// answered can be read by its physical offset at once, and segments that are
// rolled quickly never run dry.
func TestF15_ReadableOnceAnswered(t *testing.T) {
	for _, sync := range []bool{true, false} {
		virtual(t, func(t *testing.T) {
			c := opened(t, mappedtest.NewFS(), sync, nil)
			for i := range 60 {
				p := c.Put("orders", 0, 3000)
				m, err := c.Store.Lookup(context.Background(), p.Result.PhysicalOffset)
				if err != nil || fault.IDOf(m.Body) != i {
					t.Fatalf("message %d right after its answer: %v", i, err)
				}
			}
			checked(t, c)
			closeClient(t, c)
		})
	}
}
