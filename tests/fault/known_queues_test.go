package fault_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/actorstore/actorstore"
	"github.com/actorstore/actorstore/commitlog/mapped/mappedtest"
	"github.com/actorstore/actorstore/tests/fault"
)

// TestF19_FullQueueDisk: for a minute nothing can be written for the queues. No
// entry is skipped, puts go on or say why not, and all is caught up with soon
// after, without a restart.
func TestF19_FullQueueDisk(t *testing.T) {
	for _, sync := range []bool{true, false} {
		virtual(t, func(t *testing.T) {
			script := mappedtest.NewScript(mappedtest.NewFS())
			c := opened(t, script, sync, nil)
			c.Many("orders", 3, 100, 20, 4)
			for _, op := range []mappedtest.Op{mappedtest.OpWrite, mappedtest.OpAllocate, mappedtest.OpTruncate, mappedtest.OpRename} {
				for _, path := range []string{"/data/store/consumequeue/*/*/*", "queuefile-*"} {
					script.Add(mappedtest.Rule{Op: op, Path: path, Err: syscall.ENOSPC, Forever: true})
				}
			}
			for range 60 {
				c.Many("orders", 3, 100, 5, 5)
				c.Put("bills", 0, 100)
				time.Sleep(time.Second)
			}
			script.Clear()
			time.Sleep(5 * time.Second)
			state, err := c.Store.State()
			if err != nil || state.ReadOnly != nil || state.Watermarks.Dispatched != state.Watermarks.Appended {
				t.Errorf("5 s after space came back: %+v %v", state, err)
			}
			checked(t, c)
			closeClient(t, c)
		})
	}
}

// TestF20_LightQueueOfManyTopics: messages of many topics at once go into one
// light queue, which numbers them without a gap and without a double, over a kill
// too.
func TestF20_LightQueueOfManyTopics(t *testing.T) {
	const topics, each = 8, 25
	virtual(t, func(t *testing.T) {
		disk := mappedtest.NewFS()
		c := opened(t, disk, false, func(o *actorstore.Options) {
			o.EnableLmq, o.EnableMultiDispatch, o.MessageIndexEnable = true, true, false
		})
		var all sync.WaitGroup
		for topic := range topics {
			all.Go(func() {
				for i := range each {
					m := actorstore.Message{Topic: fmt.Sprint("topic", topic), Body: fault.Body(topic*each+i, 50)}
					m.Properties = actorstore.NewProperties("INNER_MULTI_DISPATCH", fmt.Sprintf("%%LMQ%%all,%%LMQ%%of%d", topic))
					if _, err := put(t, c, &m); err != nil {
						t.Error(err)
					}
				}
			})
		}
		all.Wait()
		image := disk.Kill()
		closeClient(t, c)
		reopened(t, c, image)
		seen := map[int]bool{}
		for i, m := range get(t, c, "%LMQ%all", 0) {
			// A record has the number of its own queue; the light queue counts by place.
			id := fault.IDOf(m.Body)
			if seen[id] || !strings.HasPrefix(m.Topic, "topic") {
				t.Errorf("place %d: message %d of %s, there before: %v", i, id, m.Topic, seen[id])
			}
			seen[id] = true
		}
		if len(seen) != topics*each {
			t.Errorf("%d messages in the common light queue, want %d", len(seen), topics*each)
		}
		for topic := range topics {
			own, light := get(t, c, fmt.Sprint("topic", topic), 0), get(t, c, fmt.Sprintf("%%LMQ%%of%d", topic), 0)
			if len(own) != each || len(light) != each {
				t.Errorf("topic %d: %d in its queue, %d in its light queue", topic, len(own), len(light))
			}
			for i := range min(len(own), len(light)) {
				if own[i].QueueOffset != int64(i) || own[i].PhysicalOffset != light[i].PhysicalOffset {
					t.Errorf("topic %d, place %d: offset %d", topic, i, own[i].QueueOffset)
				}
			}
		}
		closeClient(t, c)
	})
}

// TestF22_CursorsAreNotTrusted: the small files that say how far dispatch and
// flush have come say nonsense. Nothing is stuck and nothing is missing.
func TestF22_CursorsAreNotTrusted(t *testing.T) {
	nonsense := map[string]func([]byte){
		"zero":    func(b []byte) { clear(b) },
		"max":     func(b []byte) { fillWith(b, 0x7f) },
		"ones":    func(b []byte) { fillWith(b, 0xff) },
		"one bit": func(b []byte) { b[min(20, len(b)-1)] ^= 1 },
		"first":   func(b []byte) { b[0]++ },
	}
	for name, change := range nonsense {
		for _, clean := range []bool{true, false} {
			for _, path := range []string{"checkpoint", "actorstore/mark", "actorstore/queues"} {
				t.Run(fmt.Sprintf("%s/%s/clean=%v", path, name, clean), func(t *testing.T) {
					virtual(t, func(t *testing.T) { untrusted(t, "/data/store/"+path, change, clean) })
				})
			}
		}
	}
}

func fillWith(b []byte, v byte) {
	for i := range b {
		b[i] = v
	}
}

func untrusted(t *testing.T, path string, change func([]byte), clean bool) {
	disk := mappedtest.NewFS()
	c := opened(t, disk, true, nil)
	c.Many("orders", 2, 1000, 30, 5)
	time.Sleep(3 * time.Second)
	c.Many("orders", 2, 1000, 10, 5)
	image := disk.Kill()
	closeClient(t, c)
	if clean {
		image = disk.Kill()
	}
	f, err := image.OpenFile(path, 2, 0)
	if err != nil {
		t.Fatal(err)
	}
	size, err := f.Size()
	if err != nil {
		t.Fatal(err)
	}
	b := make([]byte, min(size, 48))
	if _, err := f.ReadAt(b, 0); err != nil {
		t.Fatal(err)
	}
	change(b)
	if _, err := f.WriteAt(b, 0); err != nil {
		t.Fatal(err)
	}
	f.Close()
	reopened(t, c, image)
	checked(t, c)
	c.Many("orders", 2, 1000, 5, 5)
	checked(t, c)
	closeClient(t, c)
}

// TestF40_CleanupBesidePuts: while segments and the units of many queues go, puts
// are answered, and the correction of a queue's minimum costs a number of reads
// that does not grow with its length.
func TestF40_CleanupBesidePuts(t *testing.T) {
	reads := map[int]int{}
	for _, each := range []int{20, 160} {
		virtual(t, func(t *testing.T) {
			const queues = 20
			script := mappedtest.NewScript(mappedtest.NewFS())
			c := opened(t, script, false, func(o *actorstore.Options) {
				o.MappedFileSizeConsumeQueue = 1000 * 20
				o.MessageIndexEnable = false
				o.MaxStoreSize = int64(queues * each * 400 / 2)
				o.MappedFileSizeCommitLog = o.MaxStoreSize / 8 &^ 4095
				o.CleanResourceInterval = time.Hour
			})
			c.Many("orders", queues, 250, queues*each, 50)
			if err := c.Store.Dispatched(context.Background()); err != nil {
				t.Fatal(err)
			}
			time.Sleep(2 * time.Second) // the mark
			before := script.Count(mappedtest.OpRead)
			for i := 0; i < 70; i++ {
				time.Sleep(time.Minute)
				c.Put("orders", 0, 250)
			}
			reads[each] = script.Count(mappedtest.OpRead) - before
			if state, err := c.Store.State(); err != nil || state.Watermarks.Min == 0 {
				t.Errorf("nothing has expired: %+v %v", state, err)
			}
			checked(t, c)
			closeClient(t, c)
		})
	}
	if reads[160] > 2*reads[20]+100 {
		t.Errorf("reads of files during retention by units a queue: %v", reads)
	}
}

// TestF61_ColdReadersBesideAWriter: readers that drain old messages again and
// again stop neither the writer nor the reader at the end, and are not stopped
// by them.
func TestF61_ColdReadersBesideAWriter(t *testing.T) {
	c := fault.NewClient(mappedOS(), t.TempDir(), false)
	c.Limit = fault.Real
	c.Options.MappedFileSizeCommitLog = 1 << 20
	c.Options.MappedFileSizeConsumeQueue = 1000 * 20
	c.Options.MessageIndexEnable = false
	if !c.Open() {
		t.Fatal("does not open")
	}
	c.Many("cold", 1, 1000, 1000, 64)
	if err := c.Store.Dispatched(context.Background()); err != nil {
		t.Fatal(err)
	}
	stop := make(chan struct{})
	var readers sync.WaitGroup
	var rounds [4]int
	for n := range rounds {
		readers.Go(func() {
			for {
				for at := int64(0); at < 1000; {
					var got actorstore.GetResult
					if err := c.Store.Get(context.Background(), actorstore.GetRequest{Topic: "cold", Offset: at, MaxCount: 32}, &got); err != nil || len(got.Messages) == 0 {
						t.Errorf("cold reader at %d: %v %v", at, got.Status, err)
						return
					}
					at = got.NextOffset
				}
				rounds[n]++
				select {
				case <-stop:
					return
				default:
				}
			}
		})
	}
	var got actorstore.GetResult
	for i := range 200 {
		if p := c.Put("hot", 0, 1000); !p.Acked() {
			t.Fatalf("put %d: %v", i, p.Result.Err)
		}
		if err := c.Store.Dispatched(context.Background()); err != nil {
			t.Fatal(err)
		}
		err := c.Store.Get(context.Background(), actorstore.GetRequest{Topic: "hot", Offset: int64(i)}, &got)
		if err != nil || len(got.Messages) != 1 {
			t.Fatalf("the reader at the end, message %d: %v %v", i, got.Status, err)
		}
	}
	close(stop)
	readers.Wait()
	for n, r := range rounds {
		if r == 0 {
			t.Errorf("cold reader %d has not come round once", n)
		}
	}
	for _, f := range c.Faults {
		t.Error(f)
	}
	closeClient(t, c)
}
