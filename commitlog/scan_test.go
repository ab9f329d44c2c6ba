package commitlog_test

import (
	"encoding/binary"
	"errors"
	"io"
	"os"
	"testing"

	"github.com/actorstore/actorstore/commitlog"
	"github.com/actorstore/actorstore/commitlog/mapped"
	"github.com/actorstore/actorstore/commitlog/mapped/mappedtest"
	"github.com/actorstore/actorstore/commitlog/record"
)

// scanned is a log of three segments: 1000, 1000, 1000, BLANK | 2000, 1500,
// BLANK | 500, zeros.
func scanned(t testing.TB, settings ...setting) *bed {
	b := begin(t, mappedtest.NewFS(), "/store", settings...)
	for _, size := range []int{1000, 1000, 1000, 2000, 1500, 800} {
		b.fill(1, size)
	}
	noErr(t, b.disk.Flush())
	return b
}

const scannedEnd = 2*segment + 800

func TestScanSound(t *testing.T) {
	b := scanned(t)
	var got []int64
	for _, i := range items(t, b.log, 0, scannedEnd) {
		got = append(got, i.offset, int64(i.size))
	}
	same(t, "entries", got, []int64{0, 1000, 1000, 1000, 2000, 1000, 3000, 1096, 4096, 2000, 6096, 1500, 7596, 596, 8192, 800})

	s := b.log.Reader().Scan(4096, 1<<40, record.CRCRecord)
	defer s.Close()
	guarded(t, func() {
		for _, want := range []int64{6096, 7596, 8192, 8992} {
			_, err := s.Next()
			noErr(t, err)
			equal(t, "pos", s.Pos(), want)
		}
		_, err := s.Next()
		wantErr(t, err, commitlog.ErrUnwritten)
		equal(t, "pos over zeros", s.Pos(), scannedEnd)
		if _, ok := s.Resync(); ok || s.Pos() != scannedEnd {
			t.Errorf("Resync found a record in zeros, pos %d", s.Pos())
		}
		s.SkipTo(1000)
		e, err := s.Next()
		noErr(t, err)
		equal(t, "skipped to", e.Offset, 1000)
		s.SkipTo(1000)
		next, _ := s.Resync() // behind a record that is sound
		equal(t, "next", next, 2000)
	})
	equal(t, "path", s.Path(), "/store/commitlog/"+mapped.Name(0))
	equal(t, "limit", s.Limit(), 1<<40)
}

// What is no entry is reported with its place, and the scan stays there.
func TestScanDamage(t *testing.T) {
	put := func(v uint32) func([]byte) { return func(p []byte) { binary.BigEndian.PutUint32(p, v) } }
	for _, c := range []struct {
		name   string
		at     int64 // where the bytes change
		n      int
		change func([]byte)
		found  int64 // where the scan stops
		next   int64 // where Resync goes on
		crc    bool  // found only with checksums
	}{
		{"body", 1500, 1, flip, 1000, 2000, true},
		{"magic", 1004, 4, flip, 1000, 2000, false},
		{"BLANK's magic", 3004, 4, flip, 3000, 4096, false},
		{"BLANK one short", 3000, 4, put(1095), 3000, 4096, false},
		{"BLANK one long", 3000, 4, put(1097), 3000, 4096, false},
		{"BLANK of 7", 3000, 4, put(7), 3000, 4096, false},
		{"BLANK beyond everything", 3000, 4, put(0x7FFFFFFF), 3000, 4096, false},
		{"BLANK in the place of a record", 1000, 8, func(p []byte) {
			put(1000)(p)
			put(record.MagicBlank)(p[4:])
		}, 1000, 2000, false},
		{"size 0", 1000, 4, put(0), 1000, 2000, false},
		{"size 90", 1000, 4, put(90), 1000, 2000, false},
		{"size one short", 1000, 4, put(999), 1000, 2000, false},
		{"size one long", 1000, 4, put(1001), 1000, 2000, false},
		{"size beyond the segment", 1000, 4, put(4000), 1000, 2000, false},
		{"negative size", 1000, 4, put(0x80000000), 1000, 2000, false},
		{"largest size", 1000, 4, put(0x7FFFFFFF), 1000, 2000, false},
		{"another position", 1028, 8, flip, 1000, 2000, false},
		{"zeros", 1000, 1000, func(p []byte) { clear(p) }, 1000, 2000, false},
		{"torn: end of the record lost", 6656, 940, func(p []byte) { clear(p) }, 6096, 8192, false},
		{"torn: first sector lost", 1000, 24, func(p []byte) { clear(p) }, 1000, 2000, false},
		{"torn: a sector of the body lost", 6656, 512, func(p []byte) { clear(p) }, 6096, 8192, true},
		{"all of a segment lost", 4096, 4096, func(p []byte) { clear(p) }, 4096, 8192, false},
		{"last record of a segment", 2000, 1, flip, 2000, 4096, false},
		{"last record of all", 8192 + 4, 1, flip, 8192, -1, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := scanned(t)
			b.damage(c.at, c.change, c.n)
			s := b.log.Reader().Scan(0, scannedEnd, record.CRCRecord)
			defer s.Close()
			guarded(t, func() {
				var err error
				for err == nil {
					_, err = s.Next()
				}
				var ce *record.CorruptionError
				if errors.As(err, &ce) {
					equal(t, "path", ce.Path, "/store/commitlog/"+mapped.Name(c.found-c.found%segment))
					equal(t, "offset of the error", ce.Offset, c.found)
				} else if !errors.Is(err, commitlog.ErrUnwritten) {
					t.Errorf("got error %v", err)
				}
				equal(t, "pos", s.Pos(), c.found)
				next, ok := s.Resync()
				if ok != (c.next >= 0) || ok && next != c.next || ok && s.Pos() != next || !ok && s.Pos() != c.found {
					t.Errorf("Resync: got %d, %v, pos %d, want %d", next, ok, s.Pos(), c.next)
				}
			})
			_, err := scanNone(b.log, 0, scannedEnd)
			if c.crc != (err == io.EOF) {
				t.Errorf("without checksums: got %v", err)
			}
		})
	}
}

func scanNone(log *commitlog.Log, from, to int64) (n int, err error) {
	s := log.Reader().Scan(from, to, record.CRCNone)
	defer s.Close()
	fault := mapped.Guard(func() {
		for ; err == nil; n++ {
			_, err = s.Next()
		}
	})
	if fault != nil {
		err = fault
	}
	return n - 1, err
}

// A limit inside an entry ends the scan there: no entry reaches over it.
func TestScanLimit(t *testing.T) {
	b := scanned(t)
	for limit, want := range map[int64]int{0: 0, 1000: 1, 1003: 1, 1500: 1, 1999: 1, 2000: 2} {
		list, err := scan(t, b.log, 0, limit)
		equal(t, "entries", len(list), want)
		if aligned := limit%1000 == 0; aligned != (err == io.EOF) {
			t.Errorf("limit %d: got error %v", limit, err)
		}
	}
	list, err := scan(t, b.log, 3000, 3050) // a BLANK is stepped over as a whole
	if err != io.EOF || len(list) != 1 {
		t.Errorf("limit in a BLANK: got %v, %v", list, err)
	}
}

// A missing segment is a MissingError, and Resync goes on behind it.
func TestScanGap(t *testing.T) {
	fs := mappedtest.NewFS()
	b := begin(t, fs, "/store")
	for range 6 {
		b.fill(1, 3000)
	}
	noErr(t, b.disk.Flush())
	end := b.log.Appended()
	b.log.Close()
	for _, n := range []int64{2, 3} {
		noErr(t, fs.Remove("/store/commitlog/"+mapped.Name(n*segment)))
	}
	b = open(t, fs, "/store", 0, end)
	same(t, "gaps", b.log.Gaps(), []mapped.Gap{{From: 2 * segment, To: 4 * segment}})
	s := b.log.Reader().Scan(0, end, record.CRCRecord)
	defer s.Close()
	guarded(t, func() {
		var err error
		for err == nil {
			_, err = s.Next()
		}
		wantMissing(t, err, 2*segment, 0, 0, end)
		next, ok := s.Resync()
		if !ok || next != 4*segment {
			t.Errorf("Resync: got %d, %v, want %d", next, ok, 4*segment)
		}
		for err = nil; err == nil; {
			_, err = s.Next()
		}
		equal(t, "the end", err, io.EOF)
	})
	// A read in the gap, or over its border, says so (F36).
	for _, at := range []int64{2*segment - 1, 2 * segment, 3 * segment, 4*segment - 100} {
		err := b.log.Reader().View(at, 100, func([]byte) error { t.Error("read in the gap"); return nil })
		wantMissing(t, err, at, 100, 0, end)
	}
	noErr(t, b.log.Reader().View(4*segment, 3000, func(p []byte) error { return record.Verify(p, 4*segment, record.CRCRecord) }))
}

// A log that has no segments, or none behind an offset, has nothing to scan.
func TestScanNothing(t *testing.T) {
	b := begin(t, mappedtest.NewFS(), "/store")
	_, err := scan(t, b.log, 0, 100)
	wantMissing(t, err, 0, 0, 0, 0)
	_, err = scan(t, b.log, 0, 0)
	equal(t, "an empty range", err, io.EOF)
	s := b.log.Reader().Scan(0, 1<<50, record.CRCRecord)
	defer s.Close()
	guarded(t, func() {
		if _, ok := s.Resync(); ok {
			t.Error("Resync found a record where there is no segment")
		}
	})
}

// A last file of no bytes, whose making a kill has ended, is left out and named.
func TestEmptyFile(t *testing.T) {
	fs := mappedtest.NewFS()
	b := begin(t, fs, "/store")
	b.fill(1, 100)
	equal(t, "empty file", b.log.EmptyFile(), "")
	b.log.Close()
	path := "/store/commitlog/" + mapped.Name(segment)
	f, err := fs.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
	noErr(t, err)
	noErr(t, f.Close())
	b = open(t, fs, "/store", 0, 100)
	equal(t, "empty file", b.log.EmptyFile(), path)
	same(t, "segments", offsets(b.log), []int64{0})
}
