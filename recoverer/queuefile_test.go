package recoverer_test

import (
	"errors"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/actorstore/actorstore/commitlog/mapped"
	"github.com/actorstore/actorstore/commitlog/mapped/mappedtest"
)

// opens counts how often each queue file is opened in a run.
func opens(fsys mapped.FS, run func(mapped.FS)) map[string]int {
	script := mappedtest.NewScript(fsys)
	run(script)
	n := map[string]int{}
	for _, c := range script.Trace() {
		if c.Op == mappedtest.OpOpen && strings.Contains(c.Path, "consumequeue/") {
			n[c.Path]++
		}
	}
	return n
}

// TestQueueFileIsLost: from some moment on a queue file cannot be opened any more.
// That is no damage, to be cut away and made again: recovery fails with the disk's
// error and the file's name, and when the disk is well nothing is missing.
func TestQueueFileIsLost(t *testing.T) {
	for _, m := range append(messes, rereads...) {
		t.Run(m.name, func(t *testing.T) {
			options := append([]option{fewFilesOpen}, m.options...)
			base := newFS()
			s := open(t, base, options...)
			m.make(s)
			s.kill()
			whole := base.Kill()
			wants := []string{outcome(t, whole, options...), outcome(t, whole, options...)}
			for path, n := range opens(base.Kill(), func(fsys mapped.FS) { open(t, fsys, options...).release() }) {
				for at := 1; at <= n; at += stride(1) {
					image := base.Kill()
					script := mappedtest.NewScript(image, mappedtest.Rule{Op: mappedtest.OpOpen, Path: path, At: at, Forever: true, Err: syscall.EIO})
					s, err := tryOpen(t, script, options...)
					if err == nil {
						s.release()
					} else if !errors.Is(err, syscall.EIO) || !strings.Contains(err.Error(), path) {
						t.Errorf("%s, opening %d: %v", path, at, err)
					}
					if got := outcome(t, image, options...); !slices.Contains(wants, got) {
						t.Errorf("%s, opening %d: %v, and the next one ends as\n%s\nwant\n%s", path, at, err, got, wants[1])
					}
				}
			}
		})
	}
}

// rereads are stores where recovery goes back to files that it has read already.
var rereads = []mess{
	{"long queues without a mark", func(s *store) {
		for i := range 70 {
			s.put(message("T", 0, i, 20))
			s.put(innerBatch("B", i, 1+i%3))
		}
		remove(s.t, s.fs, s.layout.Ours())
	}, nil},
	{"a long queue that ends behind the log", func(s *store) {
		s.puts("T", 40)
		s.summary()
		s.mark()
		for i := range 40 {
			s.put(innerBatch("B", i, 1+i%3))
		}
		s.puts("T", 30)
		remove(s.t, s.fs, s.segment(3*segmentSize))
		remove(s.t, s.fs, s.segment(4*segmentSize))
	}, nil},
	{"damage under many units", func(s *store) {
		var at []int64
		for i := range 50 {
			at = append(at, s.put(message("T", 0, i, 60)).PhysicalOffset)
			at = append(at, s.put(innerBatch("B", i, 1+i%3)).PhysicalOffset)
		}
		for _, i := range []int{20, 21, 22, 23, 24, 25, 60, 61, 62, 99} {
			s.flip(at[i] + 100)
		}
		remove(s.t, s.fs, s.layout.Ours())
	}, nil},
	{"a queue file at a place that none has", func(s *store) {
		s.puts("T", 25)
		create(s.t, s.fs, s.layout.ConsumeQueue()+"/T/0/"+mapped.Name(queueFileSize+3), make([]byte, queueFileSize))
		s.puts("T", 3)
	}, nil},
	{"a batch queue of which only damage is left", func(s *store) {
		var at []int64
		for i := range 12 {
			at = append(at, s.put(innerBatch("B", i, 2)).PhysicalOffset)
		}
		for i := range at {
			s.flip(at[i] + 100)
		}
		s.puts("T", 3)
		remove(s.t, s.fs, s.layout.Ours())
	}, nil},
	{"numbers without a checksum", func(s *store) {
		s.puts("T", 30)
		*s.append.Offsets().Next("T", 0) = 12
		s.puts("T", 30)
		remove(s.t, s.fs, s.layout.Ours())
	}, []option{withoutCRC}},
}

// TestLookLosesQueueFile: so does a look; what it has found until then is true.
func TestLookLosesQueueFile(t *testing.T) {
	for _, m := range append(messes, rereads...) {
		options := append([]option{fewFilesOpen}, m.options...)
		base := newFS()
		s := open(t, base, options...)
		m.make(s)
		s.kill()
		for _, check := range []bool{true, false} {
			want, err := look(t, base, check, false, options...)
			if err != nil {
				t.Fatal(err)
			}
			for path, n := range opens(base, func(fsys mapped.FS) { _, _ = look(t, fsys, check, false, options...) }) {
				for at := 1; at <= n; at += stride(1) {
					script := mappedtest.NewScript(base, mappedtest.Rule{Op: mappedtest.OpOpen, Path: path, At: at, Forever: true, Err: syscall.EIO})
					got, err := look(t, script, check, false, options...)
					if err != nil && !errors.Is(err, syscall.EIO) || err == nil && got != want && !strings.Contains(got, syscall.EIO.Error()) {
						t.Errorf("%s: %s, opening %d: %v, found\n%s\nwant\n%s", m.name, path, at, err, got, want)
					}
				}
			}
		}
	}
}
