package recoverer_test

import (
	"context"
	"encoding/binary"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/actorstore/actorstore/commitlog/checkpoint"
	"github.com/actorstore/actorstore/commitlog/mapped"
	"github.com/actorstore/actorstore/recoverer"
	"github.com/actorstore/actorstore/tests/golden"
)

// TestVerifyFindsDamage: each planted damage is told with its file and place,
// and nothing else is. A segment that is gone or was never written was told under
// the name of the next one.
func TestVerifyFindsDamage(t *testing.T) {
	queueFile := s0.ConsumeQueue() + "/T/0/" + mapped.Name(queueFileSize)
	for _, c := range []struct {
		name string
		do   func(s *store, at []int64)
		want []string // parts of findings, in any order; each finding must hold one
	}{
		{"nothing", func(*store, []int64) {}, nil},
		{"body", func(s *store, at []int64) { s.flip(at[20] + 120) }, []string{"commitlog: " + s0.CommitLog()}},
		{"unit offset", func(s *store, at []int64) { overwrite(s.t, s.fs, queueFile, 7, []byte{9}) }, []string{"consumequeue: T-0: offset 10"}},
		{"unit size", func(s *store, at []int64) { overwrite(s.t, s.fs, queueFile, 11, []byte{9}) }, []string{"consumequeue: T-0: offset 10"}},
		{"unit tag", func(s *store, at []int64) { overwrite(s.t, s.fs, queueFile, 19, []byte{9}) }, []string{"consumequeue: T-0: offset 10"}},
		{"unit zeroed", func(s *store, at []int64) { overwrite(s.t, s.fs, queueFile, 0, make([]byte, 20)) }, []string{"consumequeue: T-0: offset 10"}},
		{"unit behind the end", func(s *store, at []int64) {
			overwrite(s.t, s.fs, s0.ConsumeQueue()+"/T/0/"+mapped.Name(3*queueFileSize), 0, contents(s.t, s.fs, queueFile)[:20])
		}, []string{"consumequeue: "}},
		{"queue of nobody", func(s *store, at []int64) {
			create(s.t, s.fs, s0.ConsumeQueue()+"/X/0/"+mapped.Name(0), contents(s.t, s.fs, queueFile))
		}, []string{"consumequeue: X-0: offset"}},
		{"queue gone", func(s *store, at []int64) { remove(s.t, s.fs, s0.ConsumeQueue()+"/T") }, []string{"consumequeue: T-0: offset"}},
		{"bytes behind the log", func(s *store, at []int64) {
			end := s.log.Appended()
			overwrite(s.t, s.fs, s.segment(end), end%segmentSize+50, []byte{1})
		}, []string{"zeros behind the end"}},
		{"index entry", func(s *store, at []int64) {
			overwrite(s.t, s.fs, firstIndex(s), 40+4*indexSlots+20+11, []byte{0xee})
		}, []string{"index: "}},
		{"keys of a damaged record", func(s *store, at []int64) { // entries of its keys say nothing against the index
			const properties = 91 + 150 + len("T")
			path, start := s.segment(at[20]), at[20]%segmentSize
			size := int(binary.BigEndian.Uint32(contents(s.t, s.fs, path)[start:]))
			overwrite(s.t, s.fs, path, start+int64(properties), make([]byte, size-properties))
		}, []string{"commitlog: " + s0.CommitLog()}},
		{"two index files", func(s *store, at []int64) { // one by its chains, one by the log alone
			overwrite(s.t, s.fs, indexFiles(s)[0], 40+4*indexSlots+2*20+19, []byte{9})
			overwrite(s.t, s.fs, indexFiles(s)[1], 40+4*indexSlots+2*20+15, []byte{9})
		}, []string{": offset 124: want entry number", ": offset 120: want 0 s after the first record"}},
		{"index gone", func(s *store, at []int64) { remove(s.t, s.fs, firstIndex(s)) }, []string{"index: "}},
		{"segment gone", func(s *store, at []int64) { remove(s.t, s.fs, s.segment(segmentSize)) }, []string{
			s0.CommitLog() + "/" + mapped.Name(segmentSize) + ": offsets", "got none: commit log: no segment holds"}},
		{"segment of zeros", func(s *store, at []int64) { overwrite(s.t, s.fs, s.segment(segmentSize), 0, make([]byte, segmentSize)) },
			[]string{s0.CommitLog() + "/" + mapped.Name(segmentSize) + ": offsets", "index: "}},
		{"checkpoint ahead", func(s *store, at []int64) {
			c := s.fields
			c.LogicsPhysicalOffset = 1 << 40
			if err := checkpoint.WriteCheckpoint(s.fs, s.layout.CheckpointFile(), c); err != nil {
				s.t.Fatal(err)
			}
		}, []string{"checkpoint: ", "mark: "}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := open(t, newFS())
			var at []int64
			for i := range 40 {
				at = append(at, s.put(message("T", 0, i, 150)).PhysicalOffset)
				s.put(message("U", 0, i, 20))
			}
			s.close()
			c.do(s, at)
			before := tree(t, s.fs, "/store")
			found := verify(t, s)
			if diff := difference(before, tree(t, s.fs, "/store")); len(diff) > 0 {
				t.Errorf("changed: %v", diff)
			}
			for _, want := range c.want {
				if !slices.ContainsFunc(found, func(f recoverer.Finding) bool { return strings.Contains(f.String(), want) }) {
					t.Errorf("%q was not found: %v", want, found)
				}
			}
			for _, f := range found {
				if !slices.ContainsFunc(c.want, func(want string) bool { return strings.Contains(f.String(), want) }) {
					t.Errorf("found %s", f)
				}
			}
			if len(c.want) == 0 {
				return
			}
			// Recovery mends all but the log.
			s = open(t, s.fs)
			s.kill()
		})
	}
}

func firstIndex(s *store) string { return indexFiles(s)[0] }

func indexFiles(s *store) []string {
	return slices.Sorted(maps.Keys(tree(s.t, s.fs, s.layout.Index())))
}

func TestVerifyGolden(t *testing.T) {
	for _, name := range golden.Names() {
		t.Run(name, func(t *testing.T) {
			root := golden.Open(t, name)
			derived := len(diskDirs(t, root, "consumequeue", "index")) == 2
			for _, recovered := range []bool{false, true} {
				if recovered {
					_, s := openGolden(t, name, root, false)
					s.release()
				}
				if !recovered && !derived {
					continue
				}
				before := diskTree(t, root)
				_, s := openGolden(t, name, root, true)
				found := 0
				err := recoverer.Verify(context.Background(), s.input, func(f recoverer.Finding) {
					if found++; found < 10 {
						t.Errorf("recovered %v: %s", recovered, f)
					}
				})
				if err != nil {
					t.Error(err)
				}
				s.release()
				if diff := difference(before, diskTree(t, root)); len(diff) > 0 {
					t.Errorf("Verify changed %v", diff)
				}
			}
		})
	}
}

// TestInspect shows a store as it stands and touches nothing.
func TestInspect(t *testing.T) {
	for _, stop := range []string{"closed", "killed", "killed without a mark", "torn"} {
		t.Run(stop, func(t *testing.T) {
			s := open(t, newFS())
			for i := range 30 {
				s.put(message("T", 0, i, 150))
			}
			var last int64
			switch stop {
			case "closed":
				s.close()
			case "killed":
				s.summary()
				s.mark()
			}
			if stop != "closed" {
				for i := range 5 {
					last = s.add(message("T", 0, 30+i, 150)).PhysicalOffset
				}
				s.flush()
				end := s.log.Appended()
				if stop == "torn" {
					overwrite(t, s.fs, s.segment(end), end%segmentSize-20, make([]byte, 20))
				}
				s.kill()
			}
			before := tree(t, s.fs, "/store")
			r, err := openFiles(t, s.fs, true)
			if err != nil {
				t.Fatal(err)
			}
			r.report, err = recoverer.Inspect(context.Background(), r.input)
			if err != nil {
				t.Fatal(err)
			}
			if r.input.Clean != (stop == "closed") {
				t.Errorf("clean %v", r.input.Clean)
			}
			want := s.log.Appended()
			if stop == "torn" {
				want = last
			}
			if r.report.End != want || r.log.Appended() != want {
				t.Errorf("end %d, want %d", r.report.End, want)
			}
			if got := r.read("T", 0); got != line(0, 30) {
				t.Errorf("read %s", got)
			}
			if r.log.Dispatched() > r.log.Appended() {
				t.Errorf("dispatched %d, end %d", r.log.Dispatched(), r.log.Appended())
			}
			r.release()
			if diff := difference(before, tree(t, s.fs, "/store")); len(diff) > 0 {
				t.Errorf("changed: %v", diff)
			}
		})
	}
}

// TestInspectEmpty, with and without a root.
func TestInspectEmpty(t *testing.T) {
	fsys := newFS()
	r, err := openFiles(t, fsys, true)
	if err != nil {
		t.Fatal(err)
	}
	rep, err := recoverer.Inspect(context.Background(), r.input)
	if err != nil || rep.End != 0 || rep.Queues != 0 {
		t.Errorf("end %d, %d queues, %v", rep.End, rep.Queues, err)
	}
	if entries, err := fsys.ReadDir("/"); err != nil || len(entries) > 0 {
		t.Errorf("made %v, %v", entries, err)
	}
}
