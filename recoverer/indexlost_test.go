package recoverer_test

import (
	"fmt"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/actorstore/actorstore/commitlog/mapped/mappedtest"
	"github.com/actorstore/actorstore/commitlog/record"
	"github.com/actorstore/actorstore/recoverer"
)

// TestIndexFileLostBesideAnotherGeometry: a power cut takes the header of an index
// file and leaves one behind it. Where the next opening makes files of another size
// the first one passes for unused, and what it held must not stay away; nor may it
// stay itself, half written as it is.
func TestIndexFileLostBesideAnotherGeometry(t *testing.T) {
	images, at := lostHeaders(t)
	for way, force := range map[string]func() func(){"in one pass": func() func() { return func() {} }, "at once": recoverer.IndexApart} {
		t.Run(way, func(t *testing.T) {
			defer force()()
			for i, image := range images {
				if !found(t, image.Kill(), at) {
					t.Fatalf("image %d of %d", i, len(images))
				}
			}
		})
	}
	t.Run("and one call fails", func(t *testing.T) {
		for _, image := range images[:3] {
			for k, over := 1, false; !over; k++ {
				base := image.Kill()
				script := mappedtest.NewScript(base)
				script.FailAt(k, syscall.EIO)
				s, err := tryOpen(t, script, largeIndexFiles)
				if over = script.Calls() < k; err == nil {
					s.kill()
				}
				if !found(t, base.Crash(uint64(k), mappedtest.Random), at) {
					t.Fatalf("call %d", k)
				}
			}
		}
	})
}

// TestIndexFilePassedOverBefore: an opening has passed over a file that had lost its
// header, and the store was closed in order since. The next one sees the hole.
func TestIndexFilePassedOverBefore(t *testing.T) {
	for lost := range 3 {
		s := open(t, newFS())
		at := map[string]int64{}
		for i := range 57 {
			at[fmt.Sprint("k", i)] = s.put(message("T", 0, i, 100)).PhysicalOffset
		}
		files := s.index.Files()
		s.close()
		remove(t, s.fs, files[lost].Path)
		create(t, s.fs, files[lost].Path, make([]byte, files[lost].Size()))
		if !found(t, s.fs.(*mappedtest.FS), at) {
			t.Errorf("file %d of %d is lost", lost, len(files))
		}
	}
}

// TestIndexFileRemoved: one index file, or two, were removed by hand after a stop in
// order. Opening has passed over the hole for good.
func TestIndexFileRemoved(t *testing.T) {
	for lost := range 5 {
		s := open(t, newFS())
		at := map[string]int64{}
		for i := range 57 {
			m := message("T", 0, i, 100)
			if i%3 == 0 { // what stands between two files need not have keys
				m.SetKeys()
				s.put(m)
				continue
			}
			at[fmt.Sprint("k", i)] = s.put(m).PhysicalOffset
		}
		files := s.index.Files()
		s.close()
		remove(t, s.fs, files[lost%3%len(files)].Path)
		if lost >= 3 && len(files) > 1 {
			remove(t, s.fs, files[(lost+1)%3%len(files)].Path)
		}
		if !found(t, s.fs.(*mappedtest.FS), at) {
			t.Errorf("file %d of %d is lost", lost, len(files))
		}
	}
}

// TestIndexIsNotMadeAgainForNothing: records that have no entries, whatever they have
// for keys, leave no hole.
func TestIndexIsNotMadeAgainForNothing(t *testing.T) {
	s := open(t, newFS())
	for i := range 120 {
		m := message("T", 0, i, 100)
		switch i % 4 {
		case 0:
			m.Properties.Set(record.PropertyKeys, "  ")
		case 1:
			m.SetKeys()
		}
		s.put(m)
	}
	s.close()
	script := mappedtest.NewScript(s.fs)
	open(t, script).close()
	for _, c := range script.Trace() {
		if c.Op == mappedtest.OpRename && strings.Contains(c.Path, "/index-") {
			t.Errorf("a file was put aside: %s", c)
		}
	}
}

// lostHeaders are images of a power cut in which index files lack their header, and
// where each key stands in the log.
func lostHeaders(t *testing.T) (images []*mappedtest.FS, at map[string]int64) {
	files := func(s *store, _ *recoverer.Input) { s.entries = 60 } // of several sectors
	s := open(t, newFS(), files)
	at = map[string]int64{}
	for i := range 150 {
		if i == 57 { // the first file lacks two entries
			s.close()
			s = open(t, s.fs, files)
		}
		at[fmt.Sprint("k", i)] = s.put(message("T", 0, i, 100)).PhysicalOffset
	}
	if n := len(s.index.Files()); n < 3 {
		t.Fatalf("%d index files", n)
	}
	for seed := range uint64(40) {
		for _, mode := range mappedtest.Modes() {
			image := s.fs.(*mappedtest.FS).Crash(seed, mode)
			look, err := openFiles(t, image, true, largeIndexFiles)
			if err != nil {
				t.Fatal(err)
			}
			if len(look.index.Unused()) > 0 {
				images = append(images, image)
			}
			look.release()
		}
	}
	if len(images) < 3 {
		t.Fatalf("%d images with a file that passes for unused", len(images))
	}
	return images, at
}

// found opens a store with large index files and wants each key where it stands.
func found(t *testing.T, image *mappedtest.FS, at map[string]int64) (ok bool) {
	s := open(t, image, largeIndexFiles)
	defer s.kill()
	ok = true
	for key, want := range at {
		if hits := s.hits("T", key); want < s.report.End && !slices.Equal(hits, []int64{want}) {
			t.Errorf("%s is found at %v, want %d", key, hits, want)
			ok = false
		}
	}
	if err := s.index.Verify(nil); err != nil {
		t.Error(err)
		ok = false
	}
	return ok
}
