package dispatch_test

import (
	"errors"
	"os"
	"runtime"
	"slices"
	"testing"

	"github.com/actorstore/actorstore/commitlog"
	"github.com/actorstore/actorstore/commitlog/commitlogtest"
	"github.com/actorstore/actorstore/commitlog/mapped"
	"github.com/actorstore/actorstore/commitlog/record"
	"github.com/actorstore/actorstore/consumequeue"
	"github.com/actorstore/actorstore/dispatch"
)

// onDisk is a log in files of the machine, over four segments, of records with keys.
func onDisk(t *testing.T) (log *commitlog.Log, queues *consumequeue.Store, at []commitlog.Appended) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("a mapped file cannot be cut")
	}
	root := t.TempDir()
	log = commitlogtest.Open(t, commitlog.Options{FS: mapped.OS(), Dir: root + "/commitlog", TmpDir: root + "/tmp",
		SegmentSize: segment, Staged: true}, 0, 0)
	out := log.Appender(log.Allocator(), commitlog.NewOffsetTable())
	for log.Appended() < 3*segment+segment/2 {
		at = append(at, commitlogtest.Put(t, log, out, message("t", 0, record.PropertyKeys, "k"), now))
	}
	queues, err := consumequeue.Open(consumequeue.Options{FS: mapped.OS(), Dir: root + "/consumequeue",
		BatchDir: root + "/batchconsumequeue", TmpDir: root + "/tmp", FileSize: 100 * consumequeue.UnitSize,
		BatchFileSize: 100 * consumequeue.BatchUnitSize})
	noErr(t, err)
	t.Cleanup(func() { noErr(t, queues.Close()) })
	return log, queues, at
}

// A page that cannot be read stops the queues there, with all that came before; the
// index, for which recovery has passed over it too, goes on behind it.
func TestUnreadablePages(t *testing.T) {
	for _, c := range []struct {
		name string
		cut  int64 // file
		keep int64 // of its bytes
	}{
		{"a whole segment", 1, 0}, {"pages of a segment", 1, 8192}, {"the first segment", 0, 0}, {"the end", 3, 4096}, {"all but a page", 2, 4096},
	} {
		t.Run(c.name, func(t *testing.T) {
			log, queues, at := onDisk(t)
			f := log.Segments()[c.cut]
			lost := f.Offset() + c.keep
			noErr(t, os.Truncate(f.Path(), c.keep))
			// The record that reaches into the first such page is the first one lost.
			first := slices.IndexFunc(at, func(a commitlog.Appended) bool { return a.End() > lost })
			behind := slices.IndexFunc(at, func(a commitlog.Appended) bool { return a.PhysicalOffset >= f.Offset()+segment })

			reput := dispatch.NewReput(log.Reader(), queues, dispatch.Rules{Shards: 1}, 0)
			w := &dispatch.Window{}
			for range 2 {
				var fault *mapped.FaultError
				err := reput.Read(w, log.Confirm())
				if !errors.As(err, &fault) || fault.Path != f.Path() || fault.Offset/4096 != c.keep/4096 {
					t.Fatalf("got %v, want a fault in page %d of %s", err, c.keep/4096, f.Path())
				}
				equal(t, "pos", reput.Pos(), at[first].PhysicalOffset)
			}
			reput.Rewind(0)
			_ = reput.Read(w, log.Confirm())
			equal(t, "records in front", w.Records, first)

			keys := dispatch.NewKeyReput(log.Reader(), dispatch.Rules{Shards: 1}, 0)
			next, keyed := log.Confirm(), 0
			if behind >= 0 {
				next = at[behind].PhysicalOffset
			}
			var damage []dispatch.Damage
			for keys.Pos() < log.Confirm() {
				noErr(t, keys.Read(w, log.Confirm()))
				damage, keyed = append(damage, w.Damage...), keyed+len(w.Keyed)
			}
			var fault *mapped.FaultError
			if len(damage) != 1 || damage[0].Offset != at[first].PhysicalOffset || damage[0].Next != next || !errors.As(damage[0].Err, &fault) {
				t.Fatalf("damage %v, want [%d, %d)", damage, at[first].PhysicalOffset, next)
			}
			want := len(at)
			for _, a := range at {
				if a.PhysicalOffset >= damage[0].Offset && a.PhysicalOffset < next {
					want--
				}
			}
			equal(t, "records with keys", keyed, want)
		})
	}
}
