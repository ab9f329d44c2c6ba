//go:build unix

package fault_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/actorstore/actorstore"
	"github.com/actorstore/actorstore/commitlog/mapped"
	"github.com/actorstore/actorstore/tests/fault"
)

// TestTruncated cuts files under the maps of a store that is in use, on a real
// file system. Nobody dies; what cannot be read any more gives an error that
// names the file and the offset; everything else goes on.
func TestTruncated(t *testing.T) {
	t.Parallel()
	if _, child := isolated(t); !child {
		return
	}
	parts := []struct{ name, glob string }{
		{"first segment", "commitlog/00000000000000000000"},
		{"segment in use", "commitlog/*"}, // the last that holds records
		{"queue file", "consumequeue/orders/0/*"},
		{"index file", "index/*"},
	}
	n := 0
	t.Cleanup(func() {
		note(t, "truncated", n, violated(t))
		t.Logf("%d files cut under a store in use, nobody died", n)
	})
	for range cycles(1) {
		for _, sync := range []bool{false, true} {
			for _, part := range parts {
				for _, size := range []int64{0, 4096} {
					t.Run(fmt.Sprintf("%s/sync=%v/%d", part.name, sync, size), func(t *testing.T) {
						t.Parallel()
						truncated(t, part.name, part.glob, size, sync)
					})
					n++
				}
			}
		}
	}
}

func truncated(t *testing.T, name, glob string, size int64, sync bool) {
	c := fault.NewClient(mapped.OS(), filepath.Join(t.TempDir(), "store"), sync)
	o := &c.Options
	o.MappedFileSizeCommitLog = 64 << 10
	o.MappedFileSizeConsumeQueue = 1000 * 20
	o.MaxHashSlotNum, o.MaxIndexNum = 1000, 2000
	c.Limit = 10 * time.Second
	if !c.Open() {
		t.Fatal("does not open")
	}
	c.Many("orders", 2, 1000, 150, 10)
	ctx := context.Background()
	if err := c.Store.Dispatched(ctx); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(o.StorePathRootDir, glob))
	if err != nil || len(files) == 0 {
		t.Fatal(err)
	}
	path := files[len(files)-1]
	if name == "segment in use" {
		path = files[len(files)-2] // the last one is made ready and not used
	}
	stop := make(chan struct{})
	var readers group
	for range 2 {
		readers.Go(func() { read(t, c.Store, stop) })
	}
	readers.Go(func() { ask(t, c.Store, stop) })
	if err := os.Truncate(path, size); err != nil {
		t.Fatal(err)
	}
	c.Many("orders", 2, 1000, 60, 10)
	time.Sleep(1200 * time.Millisecond) // marks, summaries, retention meet the file
	c.Many("orders", 2, 1000, 60, 10)
	close(stop)
	readers.Wait()
	for _, f := range c.Faults {
		t.Error(f)
	}
	if last := c.Puts[len(c.Puts)-1]; last.Outcome != fault.Acked && (name != "segment in use" || sync) {
		t.Errorf("the last put: %v %v", last.Result.Status, last.Result.Err)
	}
	_ = c.Close()
	for _, f := range c.Faults {
		t.Error(f)
	}
	afterwards(t, c, name, path)
}

// afterwards opens the store again: a log with a short segment is refused by
// name, queues and index are made anew from the log.
func afterwards(t *testing.T, c *fault.Client, name, path string) {
	t.Helper()
	c.Faults = nil
	s, err := actorstore.Open(context.Background(), c.Options)
	if err != nil {
		var ce *actorstore.CorruptionError
		if !errors.As(err, &ce) || ce.Path != path {
			t.Errorf("opening again: %v, want a corruption of %s", err, path)
		}
		if name == "queue file" || name == "index file" {
			t.Errorf("a store with a short %s does not open: %v", name, err)
		}
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	if err := s.Dispatched(ctx); err != nil {
		t.Error(err)
	}
	if name == "queue file" || name == "index file" {
		if err := c.Check(ctx, s, 0, c.Promised(1<<62)); err != nil {
			t.Error(err)
		}
	}
	if err := s.Close(ctx); err != nil {
		t.Error(err)
	}
}

type group struct{ sync.WaitGroup }

// read gets and views everything, again and again.
func read(t *testing.T, s fault.Store, stop chan struct{}) {
	ctx := context.Background()
	var got actorstore.GetResult
	for done := false; !done; {
		select {
		case <-stop:
			done = true // once more with the file as it is
		case <-time.After(5 * time.Millisecond):
		}
		for queue := range int32(2) {
			for at := int64(0); at < 60; at += 7 {
				err := s.Get(ctx, actorstore.GetRequest{Topic: "orders", QueueID: queue, Offset: at, MaxCount: 7}, &got)
				named(t, "get", err)
				for i := range got.Messages {
					if id := fault.IDOf(got.Messages[i].Body); id < 0 || string(fault.Body(id, len(got.Messages[i].Body))) != string(got.Messages[i].Body) {
						t.Errorf("get %d at %d: wrong bytes", queue, at)
					}
				}
				_, err = s.View(ctx, actorstore.GetRequest{Topic: "orders", QueueID: queue, Offset: at, MaxCount: 7}, func(m *actorstore.MessageExt) error {
					sum := byte(0)
					for _, b := range m.Body {
						sum ^= b
					}
					_ = sum
					return nil
				})
				named(t, "view", err)
			}
		}
	}
}

// ask looks messages up by key and by time.
func ask(t *testing.T, s fault.Store, stop chan struct{}) {
	for id := 0; ; id = (id + 1) % 150 {
		select {
		case <-stop:
			return
		case <-time.After(time.Millisecond):
		}
		_, err := s.Query(context.Background(), actorstore.QueryRequest{Topic: "orders", Key: fault.Key(id)})
		named(t, "query", err)
		_, err = s.OffsetByTime("orders", 0, time.Now().UnixMilli(), actorstore.Lower)
		named(t, "offset by time", err)
	}
}

// named wants an error to name a file and an offset in it.
func named(t *testing.T, what string, err error) {
	if err == nil {
		return
	}
	var ce *actorstore.CorruptionError
	var fe *actorstore.FaultError
	switch {
	case errors.As(err, &fe) && fe.Path != "" && fe.Offset >= 0:
	case errors.As(err, &ce) && ce.Path != "" && ce.Offset >= 0:
	default:
		t.Errorf("%s: %v (%T)", what, err, err)
	}
}
