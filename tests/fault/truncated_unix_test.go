//go:build unix

package fault_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/actorstore/actorstore"
	"github.com/actorstore/actorstore/commitlog/mapped"
	"github.com/actorstore/actorstore/commitlog/mapped/mappedtest"
	"github.com/actorstore/actorstore/tests/crash/oracle"
	"github.com/actorstore/actorstore/tests/fault"
)

// TestTruncated cuts files under the maps of a store that is in use, on a real
// file system and in virtual time, so that who meets a missing page does not depend
// on the machine. Nobody dies; what cannot be read any more gives an error that
// names the file and the offset; everything else goes on.
func TestTruncated(t *testing.T) {
	t.Parallel()
	if _, child := isolated(t); !child {
		return
	}
	parts := []struct{ name, glob string }{
		{"first segment", "commitlog/00000000000000000000"},
		{"segment in use", "commitlog/*"},
		{"segment being flushed", "commitlog/*"},
		{"segment of the mark", "commitlog/*"},
		{"segments of no known age", "commitlog/00000000000000000000"},
		{"queue file", "consumequeue/orders/0/*"},
		{"index file", "index/*"},
	}
	n := 0
	met := &meetings{by: map[string]int{}}
	t.Cleanup(func() {
		note(t, "truncated", n, violated(t))
		t.Logf("%d files cut under a store in use, nobody died; met by %v", n, met.by)
		for _, who := range touching {
			if met.by[who] == 0 {
				t.Errorf("no page was missing to: %s", who)
			}
		}
	})
	for range cycles(3) {
		for _, sync := range []bool{false, true} {
			for _, part := range parts {
				for _, size := range []int64{0, 4096} {
					t.Run(fmt.Sprintf("%s/sync=%v/%d", part.name, sync, size), func(t *testing.T) {
						collect()
						synctest.Test(t, func(t *testing.T) { truncated(t, met, part.name, part.glob, size, sync) })
					})
					n++
				}
			}
		}
	}
}

// meetings count who has come upon a page that was missing.
type meetings struct {
	mu sync.Mutex
	by map[string]int
}

func (m *meetings) count(who string, err error) {
	if fe := new(actorstore.FaultError); errors.As(err, &fe) {
		m.note(who)
	}
}

// watch lets the actors of a store tell.
func (m *meetings) watch(o *actorstore.Options) {
	o.Events.RetentionBlocked = func(int64, string) { m.note("retention") }
	o.Events.ReadOnly = func(err error) { m.count("append", err) }
	o.Events.ActorRestarted = func(e actorstore.ActorEvent) {
		if err, is := e.Reason.(error); is {
			m.count(e.Actor, err)
		}
	}
}

func truncated(t *testing.T, met *meetings, name, glob string, size int64, sync bool) {
	script := mappedtest.NewScript(mapped.OS())
	c := fault.NewClient(script, filepath.Join(t.TempDir(), "store"), sync)
	o := &c.Options
	o.MappedFileSizeCommitLog = 64 << 10
	o.MappedFileSizeConsumeQueue = 1000 * 20
	o.MaxHashSlotNum, o.MaxIndexNum = 1000, 2000
	o.FileReservedTime = 72 * time.Hour
	met.watch(o)
	late := met.slow(name, o)
	hold := &held{actor: "dispatch"}
	o.Faults = hold
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
	if strings.HasPrefix(name, "segment ") {
		end := c.Puts[len(c.Puts)-1].Result.End() // another one may be ready
		path = filepath.Join(filepath.Dir(path), mapped.Name(end-end%o.MappedFileSizeCommitLog))
	}
	stop := make(chan struct{})
	var readers group
	for range 2 {
		readers.Go(func() { read(t, met, c.Store, stop) })
	}
	readers.Go(func() { ask(t, met, c.Store, stop) })
	cut := func() {
		if err := os.Truncate(path, size); err != nil {
			t.Error(err)
		}
	}
	switch name {
	case "segment being flushed": // what dispatch is about to read
		synctest.Wait() // it has read all that was put
		goOn := hold.next()
		then := func() { cut(); goOn() }
		script.Add(mappedtest.Rule{Op: mappedtest.OpDatasync, Path: path, Before: then},
			mappedtest.Rule{Op: mappedtest.OpFlush, Path: path, Before: then})
		c.Put("orders", 0, 1000)
	case "segment of the mark":
		met.unmarked(t, c, script, cut)
	case "segments of no known age":
		cut()
		second := filepath.Join(filepath.Dir(path), mapped.Name(o.MappedFileSizeCommitLog))
		if err := os.Truncate(second, 0); err != nil {
			t.Error(err)
		}
	default:
		cut()
	}
	c.Many("orders", 2, 1000, 60, 10)
	time.Sleep(1200*time.Millisecond + late) // marks, summaries, retention meet the file
	c.Many("orders", 2, 1000, 60, 10)
	close(stop)
	readers.Wait()
	for _, f := range c.Faults {
		t.Error(f)
	}
	if last := c.Puts[len(c.Puts)-1]; !last.Acked() && (!strings.HasPrefix(name, "segment") || sync) {
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
	s, err := fault.Open(context.Background(), c.Options)
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
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if name == "queue file" || name == "index file" {
		if _, err := c.Check(ctx, s, c.Model.Now(), oracle.Killed); err != nil {
			t.Error(err)
		}
	} else if err := s.Dispatched(ctx); err != nil {
		t.Error(err)
	}
	if err := s.Close(ctx); err != nil {
		t.Error(err)
	}
}

type group struct{ sync.WaitGroup }

// read gets and views everything, again and again.
func read(t *testing.T, met *meetings, s *fault.Store, stop chan struct{}) {
	ctx := context.Background()
	var got actorstore.GetResult
	for done := false; !done; {
		select {
		case <-stop:
			done = true // once more with the file as it is
		case <-time.After(100 * time.Millisecond):
		}
		for queue := range int32(2) {
			for at := int64(0); at < 60; at += 7 {
				err := s.Get(ctx, actorstore.GetRequest{Topic: "orders", QueueID: queue, Offset: at, MaxCount: 7}, &got)
				named(t, met, "get", err)
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
				named(t, met, "view", err)
			}
		}
	}
}

// ask looks messages up by key and by time.
func ask(t *testing.T, met *meetings, s *fault.Store, stop chan struct{}) {
	for id := 0; ; id = (id + 1) % 150 {
		select {
		case <-stop:
			return
		case <-time.After(20 * time.Millisecond):
		}
		_, err := s.Query(context.Background(), actorstore.QueryRequest{Topic: "orders", Key: fault.Key(id)})
		named(t, met, "query", err)
		_, err = s.OffsetByTime("orders", 0, time.Now().UnixMilli(), actorstore.Lower)
		named(t, met, "offset by time", err)
	}
}

// named wants an error to name a file and an offset in it.
func named(t *testing.T, met *meetings, what string, err error) {
	if err == nil {
		return
	}
	met.count("reader", err)
	var ce *actorstore.CorruptionError
	var fe *actorstore.FaultError
	switch {
	case errors.As(err, &fe) && fe.Path != "" && fe.Offset >= 0:
	case errors.As(err, &ce) && ce.Path != "" && ce.Offset >= 0:
	default:
		t.Errorf("%s: %v (%T)", what, err, err)
	}
}
