package consumequeue

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"unsafe"

	"github.com/actorstore/actorstore/commitlog/mapped"
	"github.com/actorstore/actorstore/commitlog/mapped/mappedtest"
	"github.com/actorstore/actorstore/commitlog/record"
	"github.com/actorstore/actorstore/tests/alloc"
)

// A unit that is accepted is one that encoding gives the same bytes for.
func FuzzUnit(f *testing.F) {
	for _, b := range [][]byte{
		make([]byte, BatchUnitSize),
		append(bytes.Repeat([]byte{0}, 8), 0x7f, 0xff, 0xff, 0xff, 0, 0, 0, 0, 0, 0, 0, 0),
		{0, 0, 0, 0, 0, 0, 0x10, 0, 0, 0, 0, 0xa8, 0, 0, 0, 0, 0, 0x27, 0xa8, 7},
		bytes.Repeat([]byte{0xff}, BatchUnitSize),
	} {
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		b = append(b, make([]byte, BatchUnitSize)...)[:BatchUnitSize]
		small(t, len(b), 1<<10, func() {
			_ = Simple.decodeUnit(b[:UnitSize], 3, new(Unit))
			_ = Batch.decodeUnit(b, 3, new(Unit))
		})
		for _, kind := range []Kind{Simple, Batch} {
			raw := b[:kind.unitSize()]
			var u Unit
			ok := kind.decodeUnit(raw, 3, &u)
			if (kind.shapeOf(raw) == shapeData) != ok {
				t.Fatalf("%s: %x is %s", kind, raw, kind.shapeOf(raw))
			}
			if !ok {
				continue
			}
			if u.end() <= u.PhysicalOffset || u.next() <= u.Base || u.Base < 0 {
				t.Fatalf("%s: impossible unit %+v", kind, u)
			}
			again := make([]byte, len(raw))
			kind.encodeUnit(again, &Entry{QueueOffset: u.Base, PhysicalOffset: u.PhysicalOffset, Size: u.Size,
				TagsCode: u.TagsCode, StoreTimestamp: u.StoreTimestamp, Num: u.Num})
			n := min(len(raw), 38) // what is behind is not read
			if !bytes.Equal(again[:n], raw[:n]) {
				t.Fatalf("%s: %x became %x", kind, raw, again)
			}
		}
	})
}

func FuzzExtUnit(f *testing.F) {
	f.Add(appendExtUnit(nil, &ExtUnit{TagsCode: 2598919, StoreTimestamp: 1700000000123, BitMap: []byte{1, 2, 3}}))
	f.Add(appendExtUnit(nil, &ExtUnit{}))
	f.Add([]byte{0xff, 0xff, 0, 0})
	f.Add([]byte{0x7f, 0xff})
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, b []byte) {
		small(t, len(b), 1<<10, func() { _, _ = decodeExtUnit(b, new(ExtUnit)) })
		var u ExtUnit
		size, err := decodeExtUnit(b, &u)
		if err != nil || size == 0 {
			if err != nil && size < 0 {
				t.Fatalf("size %d with %v", size, err)
			}
			return
		}
		if again := appendExtUnit(nil, &u); !bytes.Equal(again, b[:size]) {
			t.Fatalf("%x became %x", b[:size], again)
		}
	})
}

// Load of any two files tells a valid prefix or damage, and the queue can be
// mended and goes on.
func FuzzLoad(f *testing.F) {
	unit := func(physical byte) []byte {
		return []byte{0, 0, 0, 0, 0, 0, 0, physical, 0, 0, 0, 10, 0, 0, 0, 0, 0, 0, 0, 7}
	}
	blank := append(make([]byte, 8), 0x7f, 0xff, 0xff, 0xff, 0, 0, 0, 0, 0, 0, 0, 0)
	full := append(append(append(unit(0), unit(10)...), unit(20)...), unit(30)...)
	f.Add(full, append(unit(40), make([]byte, 60)...), byte(2), false)
	f.Add(full, []byte{}, byte(1), false)
	f.Add(full, unit(40)[:7], byte(1), false)
	f.Add(full, append(unit(40), unit(50)[:7]...), byte(1), true)
	f.Add(append(append([]byte{}, blank...), full[:60]...), make([]byte, 80), byte(1), false)
	f.Add(full[:60], full, byte(1), false)
	f.Add(full, full, byte(3), true)
	f.Fuzz(func(t *testing.T, first, second []byte, at byte, batch bool) {
		o := Options{FS: mappedtest.NewFS(), Dir: "/cq", BatchDir: "/bcq", TmpDir: "/tmp", FileSize: 80, BatchFileSize: 92}
		kind, dir, size := Simple, "/cq/t/0", int64(80)
		if batch {
			kind, dir, size = Batch, "/bcq/t/0", 92
		}
		fuzzFile(t, o.FS, filepath.Join(dir, mapped.Name(0)), first)
		fuzzFile(t, o.FS, filepath.Join(dir, mapped.Name(int64(at%4)*size)), second)
		small(t, len(first)+len(second), 1<<13+int(unsafe.Sizeof(table{})), func() {
			readOnly := o
			readOnly.ReadOnly = true
			if q := fuzzOpen(t, readOnly); q.Load() == nil {
				fuzzRead(t, q)
			}
		})
		q := fuzzOpen(t, o)
		err := q.Load()
		var damage *record.CorruptionError
		if err != nil && !errors.As(err, &damage) {
			t.Fatalf("Load: %v", err)
		}
		if q.MinOffset() > q.MaxOffset() || q.Kind() != kind {
			t.Fatalf("[%d, %d)", q.MinOffset(), q.MaxOffset())
		}
		fuzzRead(t, q)
		_ = q.CorrectMin(25)
		if _, err := q.OffsetByTime(5, Lower, func(Unit) (int64, error) { return 5, nil }); err != nil && !errors.Is(err, record.ErrCorrupt) {
			t.Fatal(err)
		}
		if err := q.TruncateTo(q.MaxOffset()); err != nil {
			if !errors.Is(err, record.ErrCorrupt) {
				t.Fatalf("mend: %v", err)
			}
			if err := q.Reset("/aside"); err != nil {
				t.Fatalf("reset: %v", err)
			}
		}
		next := Entry{QueueOffset: q.MaxOffset(), PhysicalOffset: max(q.MaxPhysical(), 0), Size: 1, Num: 1}
		if next.PhysicalOffset > 1<<62 || next.QueueOffset > 1<<58 {
			return
		}
		if err := q.Append([]Entry{next}); err != nil {
			t.Fatalf("append: %v", err)
		}
		if again := fuzzOpen(t, o); again.Load() != nil || again.MaxOffset() != q.MaxOffset() {
			t.Fatalf("after the restart: %v, %d, want %d", again.Load(), again.MaxOffset(), q.MaxOffset())
		}
	})
}

// small wants reading to allocate no more than the bytes are worth; fixed is for
// a store, its pages and its errors.
func small(t *testing.T, n, fixed int, read func()) {
	t.Helper()
	if err := alloc.Check(n, fixed, read); err != nil {
		t.Fatal(err)
	}
}

func fuzzOpen(t *testing.T, o Options) *Queue {
	s, err := Open(o)
	if err != nil {
		t.Fatal(err)
	}
	return s.Queue("t", 0)
}

func fuzzFile(t *testing.T, fsys mapped.FS, path string, b []byte) {
	if err := fsys.MkdirAll(filepath.Dir(path)); err != nil {
		t.Fatal(err)
	}
	f, err := fsys.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o644)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if len(b) > 0 {
		if _, err := f.WriteAt(b, 0); err != nil {
			t.Fatal(err)
		}
	}
}

// fuzzRead reads what Load calls live: units or damage, and an end.
func fuzzRead(t *testing.T, q *Queue) {
	buf := make([]Unit, 3)
	for at, steps := q.MinOffset(), 0; at < q.MaxOffset(); steps++ {
		n, err := q.Read(at, buf)
		if err != nil {
			if n != 0 || !errors.Is(err, record.ErrCorrupt) {
				t.Fatal(n, err)
			}
			return
		}
		if n == 0 || steps > 100 || buf[n-1].next() <= at {
			t.Fatalf("no progress at %d of [%d, %d)", at, q.MinOffset(), q.MaxOffset())
		}
		at = buf[n-1].next()
	}
}
