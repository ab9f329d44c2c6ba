package consumequeue_test

import (
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/actorstore/actorstore/commitlog/mapped"
	"github.com/actorstore/actorstore/commitlog/mapped/mappedtest"
	"github.com/actorstore/actorstore/commitlog/record"
	cq "github.com/actorstore/actorstore/consumequeue"
)

const (
	root     = "/store"
	perFile  = 10
	fileSize = perFile * cq.UnitSize
	recSize  = 100 // bytes of every test record
)

func options(fsys mapped.FS) cq.Options {
	return cq.Options{
		FS: fsys, Dir: root + "/consumequeue", BatchDir: root + "/batchconsumequeue", ExtDir: root + "/consumequeue_ext",
		TmpDir: root + "/actorstore/tmp", FileSize: fileSize, BatchFileSize: perFile * cq.BatchUnitSize, ExtFileSize: 64,
	}
}

type tb interface {
	Helper()
	Fatalf(string, ...any)
}

func open(t tb, o cq.Options) *cq.Store {
	t.Helper()
	s, err := cq.Open(o)
	noErr(t, err)
	return s
}

func ensure(t tb, s *cq.Store, topic string, id int32, kind cq.Kind) *cq.Queue {
	t.Helper()
	q, err := s.Ensure(topic, id, kind)
	noErr(t, err)
	return q
}

// entry is the one for queue offset q in every test.
func entry(q int64) cq.Entry {
	return cq.Entry{QueueOffset: q, PhysicalOffset: physical(q), Size: recSize, TagsCode: q * 7, StoreTimestamp: stamp(q)}
}

func physical(q int64) int64 { return 1000 + q*recSize }
func stamp(q int64) int64    { return 5000 + q*10 }

func entries(from, to int64) []cq.Entry {
	var list []cq.Entry
	for q := from; q < to; q++ {
		list = append(list, entry(q))
	}
	return list
}

func unit(q int64) cq.Unit {
	return cq.Unit{PhysicalOffset: physical(q), TagsCode: q * 7, Base: q, Size: recSize, Num: 1}
}

func noErr(t tb, err error) {
	t.Helper()
	if err != nil {
		t.Fatalf("%v", err)
	}
}

func wantRange(t tb, q *cq.Queue, lo, hi int64) {
	t.Helper()
	if q.MinOffset() != lo || q.MaxOffset() != hi {
		t.Fatalf("queue is [%d, %d), want [%d, %d)", q.MinOffset(), q.MaxOffset(), lo, hi)
	}
}

// wantUnits reads the whole queue in steps of an odd size.
func wantUnits(t tb, q *cq.Queue) {
	t.Helper()
	buf := make([]cq.Unit, 7)
	for at := q.MinOffset(); at < q.MaxOffset(); {
		n, err := q.Read(at, buf)
		noErr(t, err)
		if n == 0 {
			t.Fatalf("nothing at %d of [%d, %d)", at, q.MinOffset(), q.MaxOffset())
		}
		for i := range buf[:n] {
			if buf[i] != unit(at) {
				t.Fatalf("unit %d = %+v, want %+v", at, buf[i], unit(at))
			}
			at++
		}
	}
}

func wantDamage(t tb, err error) *record.CorruptionError {
	t.Helper()
	var damage *record.CorruptionError
	if !errors.As(err, &damage) {
		t.Fatalf("want a CorruptionError, got %v", err)
	}
	if damage.Path == "" || damage.Want == "" || damage.Got == "" {
		t.Fatalf("error says too little: %+v", damage)
	}
	return damage
}

func file(q *cq.Queue, start int64) string {
	dir := "consumequeue"
	if q.Kind() == cq.Batch {
		dir = "batchconsumequeue"
	}
	return filepath.Join(root, dir, q.Topic(), itoa(q.ID()), mapped.Name(start))
}

func itoa(v int32) string {
	s := ""
	for v >= 10 {
		s, v = string(rune('0'+v%10))+s, v/10
	}
	return string(rune('0'+v)) + s
}

func readFile(t tb, fsys mapped.FS, path string) []byte {
	t.Helper()
	b, err := mappedtest.ReadFile(fsys, path)
	noErr(t, err)
	return b
}

// putFile makes or replaces a whole file.
func putFile(t tb, fsys mapped.FS, path string, b []byte) {
	t.Helper()
	noErr(t, mappedtest.WriteFile(fsys, path, b))
}

// poke overwrites bytes of a file behind the store's back.
func poke(t tb, fsys mapped.FS, path string, at int64, b []byte) {
	t.Helper()
	f, err := fsys.OpenFile(path, os.O_RDWR, 0)
	noErr(t, err)
	defer f.Close()
	_, err = f.WriteAt(b, at)
	noErr(t, err)
}

func resize(t tb, fsys mapped.FS, path string, size int64) {
	t.Helper()
	f, err := fsys.OpenFile(path, os.O_RDWR, 0)
	noErr(t, err)
	defer f.Close()
	noErr(t, f.Truncate(size))
}

func exists(fsys mapped.FS, path string) bool {
	_, err := fsys.Stat(path)
	return err == nil
}

func unhex(t testing.TB, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(strings.ReplaceAll(s, " ", ""))
	noErr(t, err)
	return b
}

// filled is a store in memory with one simple queue of n units, synced and closed.
func filled(t tb, n int64) *mappedtest.FS {
	t.Helper()
	fsys := mappedtest.NewFS()
	s := open(t, options(fsys))
	q := ensure(t, s, "topic", 0, cq.Simple)
	noErr(t, q.Append(entries(0, n)))
	_, err := s.Sync()
	noErr(t, err)
	noErr(t, s.Close())
	return fsys
}

func reopen(t tb, fsys mapped.FS) (*cq.Store, *cq.Queue) {
	t.Helper()
	s := open(t, options(fsys))
	q := s.Queue("topic", 0)
	if q == nil {
		t.Fatalf("the queue is not found again")
	}
	return s, q
}
