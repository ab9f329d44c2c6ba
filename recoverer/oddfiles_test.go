package recoverer_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/actorstore/actorstore/commitlog/checkpoint"
	"github.com/actorstore/actorstore/commitlog/mapped"
)

// TestOddFiles: empty last files are no obstacle; what stands in the middle and
// is not whole is refused by name, and nothing is changed (F04).
func TestOddFiles(t *testing.T) {
	base := func(t *testing.T) *store {
		s := open(t, newFS())
		for i := range 60 {
			s.put(message("T", 0, i, 200))
		}
		s.kill()
		return s
	}
	last := func(s *store) int64 { segs := s.report; return (segs.End/segmentSize + 1) * segmentSize }
	for _, c := range []struct {
		name   string
		make   func(s *store)
		refuse string // part of the error
	}{
		{"empty segment at the end", func(s *store) {
			create(t, s.fs, s.segment(last(s)+10*segmentSize), nil)
		}, ""},
		{"segment of zeros at the end", func(s *store) {
			create(t, s.fs, s.segment(s.log.Appended()/segmentSize*segmentSize+segmentSize), make([]byte, segmentSize))
		}, ""},
		{"empty queue file at the end", func(s *store) {
			create(t, s.fs, filepath.Join(s.layout.ConsumeQueue(), "T", "0", mapped.Name(6*queueFileSize)), nil)
		}, ""},
		{"empty index file at the end", func(s *store) {
			create(t, s.fs, filepath.Join(s.layout.Index(), "20991231235959999"), nil)
		}, ""},
		{"empty segment in the middle", func(s *store) { create(t, s.fs, s.segment(segmentSize), nil) }, mapped.Name(segmentSize)},
		{"short segment in the middle", func(s *store) { create(t, s.fs, s.segment(segmentSize), []byte("x")) }, mapped.Name(segmentSize)},
		{"short first segment", func(s *store) { create(t, s.fs, s.segment(0), make([]byte, 100)) }, mapped.Name(0)},
		{"unaligned name", func(s *store) {
			create(t, s.fs, filepath.Join(s.layout.CommitLog(), "00000000000000000007"), make([]byte, segmentSize))
		}, "00000000000000000007"},
		{"foreign first segment", func(s *store) {
			create(t, s.fs, s.segment(0), contents(t, s.fs, s.segment(2*segmentSize)))
		}, mapped.Name(0)},
		{"swapped segments", func(s *store) {
			a, b := contents(t, s.fs, s.segment(segmentSize)), contents(t, s.fs, s.segment(2*segmentSize))
			create(t, s.fs, s.segment(segmentSize), b)
			create(t, s.fs, s.segment(2*segmentSize), a)
		}, mapped.Name(segmentSize)},
		{"no segments left", func(s *store) { remove(t, s.fs, s.layout.CommitLog()) }, s0.CommitLog()},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := base(t)
			c.make(s)
			before := tree(t, s.fs, "/store", "/store/abort")
			got, err := tryOpen(t, s.fs)
			if c.refuse == "" {
				if err != nil {
					t.Fatal(err)
				}
				if got.read("T", 0) != line(0, 60) {
					t.Errorf("read %s", got.read("T", 0))
				}
				got.put(message("T", 0, 60, 200))
				return
			}
			if err == nil || !strings.Contains(err.Error(), c.refuse) {
				t.Errorf("error %v, want one that names %s", err, c.refuse)
			}
			if diff := difference(before, tree(t, s.fs, "/store", "/store/abort")); len(diff) > 0 {
				t.Errorf("changed: %v", diff)
			}
		})
	}
}

var s0 = checkpoint.NewLayout("/store", "")

// TestStrays are left alone (F05).
func TestStrays(t *testing.T) {
	s := open(t, newFS())
	for i := range 30 {
		s.put(message("T", 0, i, 200))
	}
	s.kill()
	queue := filepath.Join(s.layout.ConsumeQueue(), "T", "0")
	var strays []string
	for _, dir := range []string{s.layout.CommitLog(), s.layout.ConsumeQueue(), queue, s.layout.Index()} {
		for _, name := range []string{"lost+found/x", "core.123", ".nfs0001", mapped.Name(0) + ".bak", mapped.Name(segmentSize) + ".tmp"} {
			path := filepath.Join(dir, name)
			create(t, s.fs, path, []byte("stray"))
			strays = append(strays, path)
		}
	}
	s = open(t, s.fs)
	if got := s.read("T", 0); got != line(0, 30) {
		t.Errorf("read %s", got)
	}
	files := tree(t, s.fs, "/store")
	for _, path := range strays {
		if files[path] != "stray" {
			t.Errorf("%s was touched", path)
		}
	}
}

// TestCutQueueFile: the newest queue file holds less than it did, and the log
// ends before it (F06).
func TestCutQueueFile(t *testing.T) {
	for _, n := range []int{0, 7, 20, 27, 40, 99, 200} {
		t.Run(fmt.Sprint(n, " bytes"), func(t *testing.T) {
			s := open(t, newFS())
			var ends []int64
			for i := range 25 {
				ends = append(ends, s.put(message("T", 0, i, 80)).End())
			}
			s.kill()
			// The log loses what is behind the twentieth message.
			cut := ends[19]
			overwrite(t, s.fs, s.segment(cut), cut%segmentSize, make([]byte, segmentSize-cut%segmentSize))
			for at := cut - cut%segmentSize + segmentSize; ; at += segmentSize {
				if _, err := s.fs.Stat(s.segment(at)); err != nil {
					break
				}
				remove(t, s.fs, s.segment(at))
			}
			file := filepath.Join(s.layout.ConsumeQueue(), "T", "0", mapped.Name(2*queueFileSize))
			f, err := s.fs.OpenFile(file, os.O_RDWR, 0)
			if err == nil {
				err = errors.Join(f.Truncate(int64(n)), f.Sync(), f.Close())
			}
			if err != nil {
				t.Fatal(err)
			}
			s = open(t, s.fs)
			if got := s.queuesOf(); got != "T-0[0,20)" {
				t.Errorf("queues %s", got)
			}
			if a := s.put(message("T", 0, 20, 80)); a.QueueOffset != 20 {
				t.Errorf("next offset %d", a.QueueOffset)
			}
			if got := s.read("T", 0); got != line(0, 21) {
				t.Errorf("read %s", got)
			}
		})
	}
}
