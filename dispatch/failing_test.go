package dispatch_test

import (
	"fmt"
	"log/slog"
	"strings"
	"syscall"
	"testing"

	"github.com/actorstore/actorstore/commitlog"
	"github.com/actorstore/actorstore/commitlog/mapped/mappedtest"
	"github.com/actorstore/actorstore/consumequeue"
	"github.com/actorstore/actorstore/dispatch"
)

// The disk refuses one write of a window that has holes: Applied stays, and done
// again the units are those of a disk that refused none.
func TestHoleFails(t *testing.T) {
	for k := 1; ; k++ {
		b := begin(t, segment, dispatch.Rules{})
		var at []commitlog.Appended
		for range 12 {
			at = append(at, b.put(message("t", 0)))
		}
		b.spoil(at[3])
		b.spoil(at[7])
		w := b.read(b.log.Confirm())
		b.fs.Add(mappedtest.Rule{Op: mappedtest.OpWrite, At: k, Err: syscall.EIO})
		err := b.sinks[0].Apply(w)
		if err == nil {
			if k < 4 {
				t.Errorf("%d writes for five pieces", k-1)
			}
			return
		}
		wantErr(t, err, syscall.EIO)
		equal(t, "applied", b.sinks[0].Applied(), 0)
		noErr(t, b.sinks[0].Apply(w))
		b.wantHoles(at, []int{3, 7})
	}
}

// A queue that cannot be made or loaded ends a window in front of its record, and is
// asked for again with the next one.
func TestRouteFails(t *testing.T) {
	b := begin(t, segment, dispatch.Rules{})
	first := b.put(message("t", 0))
	b.put(message("u", 0))
	b.catchUp()
	equal(t, "queues", b.queues.Queue("t", 0).MaxOffset(), 1)
	_, err := b.queues.Sync()
	noErr(t, err)
	noErr(t, b.queues.Close())
	b.queues, err = consumequeue.Open(consumequeue.Options{
		FS: b.fs, Dir: "/store/consumequeue", BatchDir: "/store/batchconsumequeue", TmpDir: "/store/tmp",
		FileSize: 100 * consumequeue.UnitSize, BatchFileSize: 100 * consumequeue.BatchUnitSize})
	noErr(t, err)
	b.fs.Add(mappedtest.Rule{Op: mappedtest.OpReadDir, Path: "/store/consumequeue/u/0", Err: syscall.EIO})
	reput, w := b.newReput(0), &dispatch.Window{}
	wantErr(t, reput.Read(w, b.log.Confirm()), syscall.EIO)
	equal(t, "pos", reput.Pos(), first.End())
	equal(t, "records in front", len(w.Batches), 1)
	noErr(t, reput.Read(w, b.log.Confirm()))
	equal(t, "start", w.Start, first.End())
	equal(t, "records behind", len(w.Batches), 1)

	// Nor are the next offsets told that would be wrong.
	b.put(message("v", 0))
	b.fs.Add(mappedtest.Rule{Op: mappedtest.OpReadDir, Path: "/store/consumequeue/v/0", Err: syscall.EIO})
	_, err = dispatch.NextOffsets(b.log.Reader(), b.queues, b.rules, 0)
	wantErr(t, err, syscall.EIO)
	table, err := dispatch.NextOffsets(b.log.Reader(), b.queues, b.rules, 0)
	noErr(t, err)
	equal(t, "next of u", *table.Next("u", 0), 1)
	equal(t, "next of v", *table.Next("v", 0), 1)
}

// Whoever prints a window does not look into it: another one may be filling it.
func TestWindowIsNotPrinted(t *testing.T) {
	w := &dispatch.Window{Start: 4711}
	equal(t, "printed", fmt.Sprintf("%v %s", w, w), "window window")
	var out strings.Builder
	slog.New(slog.NewTextHandler(&out, nil)).Info("dead letter", "message", w)
	equal(t, "is in the log", strings.Contains(out.String(), "message=window"), true)
	equal(t, "of what is in it", strings.Contains(out.String(), "4711"), false)
}
