package recoverer_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// except is line with some messages damaged.
func except(from, to int, bad ...int) string {
	var out []string
	for i := from; i < to; i++ {
		if slices.Contains(bad, i) {
			out = append(out, fmt.Sprintf("%d!", i))
		} else {
			out = append(out, line(i, i+1))
		}
	}
	return strings.Join(out, " ")
}

// TestInnerDamage costs the damaged record and nothing else, whatever is left of
// mark, queues and index.
func TestInnerDamage(t *testing.T) {
	type place struct{ offset, size int64 }
	for _, hurt := range []struct {
		name string
		do   func(s *store, at place)
	}{
		{"bit in the body", func(s *store, at place) { s.flip(at.offset + 120) }},
		{"bit in the size", func(s *store, at place) { s.flip(at.offset + 3) }},
		{"bit in the magic", func(s *store, at place) { s.flip(at.offset + 4) }},
		{"bit in the queue offset", func(s *store, at place) { s.flip(at.offset + 27) }},
		{"bit in the physical offset", func(s *store, at place) { s.flip(at.offset + 30) }},
		{"bit in the topic", func(s *store, at place) { s.flip(at.offset + at.size - 34) }},
		{"zeroed", func(s *store, at place) {
			overwrite(s.t, s.fs, s.segment(at.offset), at.offset%segmentSize, make([]byte, at.size))
		}},
		{"noise", func(s *store, at place) {
			b := make([]byte, at.size)
			for i := range b {
				b[i] = byte(i * 7)
			}
			overwrite(s.t, s.fs, s.segment(at.offset), at.offset%segmentSize, b)
		}},
	} {
		for _, lost := range []string{"nothing", "ours", "queues", "everything but the log"} {
			for _, stop := range []string{"closed", "killed"} {
				t.Run(hurt.name+"/lost "+lost+"/"+stop, func(t *testing.T) {
					s := open(t, newFS())
					var bad place
					for i := range 60 {
						a := s.put(message("T", 0, i, 150))
						s.put(message("U", 0, i, 30))
						if i == 33 {
							bad = place{a.PhysicalOffset, int64(a.Size)}
						}
					}
					end := s.log.Appended()
					if stop == "closed" {
						s.close()
					} else {
						s.summary()
						s.mark()
						s.kill()
					}
					hurt.do(s, bad)
					if lost != "nothing" {
						if lost != "queues" {
							remove(t, s.fs, s.layout.Ours())
						}
						if lost != "ours" {
							remove(t, s.fs, s.layout.ConsumeQueue())
						}
						if lost == "everything but the log" {
							remove(t, s.fs, s.layout.Index())
							remove(t, s.fs, s.layout.CheckpointFile())
						}
					}
					for round := range 2 {
						s = open(t, s.fs)
						if s.report.End != end || s.report.ReadOnly != nil || s.report.Cut != 0 {
							t.Errorf("end %d of %d, cut %d, read-only: %v", s.report.End, end, s.report.Cut, s.report.ReadOnly)
						}
						if got, want := s.read("T", 0), except(0, 60, 33); got != want {
							t.Errorf("T: %s\n%v", got, s.report.Findings)
						}
						if got, want := s.read("U", 0), line(0, 60); got != want {
							t.Errorf("U: %s", got)
						}
						for i := range 60 {
							if hits := s.hits("T", fmt.Sprintf("k%d", i)); i != 33 && len(hits) != 1 {
								t.Errorf("k%d is found at %v", i, hits)
							}
						}
						if round == 0 && lost != "nothing" && len(s.report.Damage) != 1 {
							t.Errorf("damage %+v", s.report.Damage)
						}
						s.kill()
					}
					s = open(t, s.fs)
					if at := s.put(message("T", 0, 60, 150)); at.QueueOffset != 60 {
						t.Errorf("next offset %d", at.QueueOffset)
					}
				})
			}
		}
	}
}

// TestDamageAtBorders: the first record of the log, the last of a segment, a
// BLANK, a whole segment, and several records of several queues.
func TestDamageAtBorders(t *testing.T) {
	for _, c := range []struct {
		name string
		hurt func(s *store, at []int64)
		bad  []int
	}{
		{"first record", func(s *store, at []int64) { s.flip(at[0] + 100) }, []int{0}},
		{"first three", func(s *store, at []int64) { s.flip(at[0] + 100); s.flip(at[1] + 100); s.flip(at[2] + 100) }, []int{0, 1, 2}},
		{"BLANK", func(s *store, at []int64) {
			i := slices.IndexFunc(at, func(o int64) bool { return o == segmentSize }) - 1
			overwrite(s.t, s.fs, s.segment(at[i]), at[i]+at[i+1]-at[i]-8, []byte{9})
			var blank int64
			for blank = at[i]; blank < segmentSize; blank++ {
				b := contents(s.t, s.fs, s.segment(at[i]))
				if string(b[blank+4:min(blank+8, segmentSize)]) == "\xcb\xd4\x31\x94" {
					break
				}
			}
			s.flip(blank + 5)
		}, nil},
		{"last of a segment", func(s *store, at []int64) {
			i := slices.IndexFunc(at, func(o int64) bool { return o == segmentSize }) - 1
			s.flip(at[i] + 100)
		}, []int{-1}},
		{"two apart", func(s *store, at []int64) { s.flip(at[10] + 100); s.flip(at[20] + 100) }, []int{10, 20}},
		{"two together", func(s *store, at []int64) { s.flip(at[10] + 100); s.flip(at[11] + 100) }, []int{10, 11}},
	} {
		for _, lost := range []string{"ours", "ours and queues"} {
			t.Run(c.name+"/lost "+lost, func(t *testing.T) {
				s := open(t, newFS())
				var at []int64
				for i := range 50 {
					at = append(at, s.put(message("T", 0, i, 150)).PhysicalOffset)
				}
				s.close()
				c.hurt(s, at)
				remove(t, s.fs, s.layout.Ours())
				if lost != "ours" {
					remove(t, s.fs, s.layout.ConsumeQueue())
				}
				bad := c.bad
				if len(bad) > 0 && bad[0] < 0 {
					bad = []int{slices.IndexFunc(at, func(o int64) bool { return o == segmentSize }) - 1}
				}
				for range 2 {
					s = open(t, s.fs)
					if got, want := s.read("T", 0), except(0, 50, bad...); got != want {
						t.Errorf("read %s\n%v", got, s.report.Findings)
					}
					s.kill()
				}
			})
		}
	}
}

// TestGap: a segment in the middle is missing. What it held is missing, nothing
// else is, and nothing loops.
func TestGap(t *testing.T) {
	for _, lost := range []string{"nothing", "ours", "ours and queues"} {
		t.Run("lost "+lost, func(t *testing.T) {
			s := open(t, newFS())
			var gone []int
			for i := range 80 {
				if a := s.put(message("T", 0, i, 150)); a.PhysicalOffset/segmentSize == 2 {
					gone = append(gone, i)
				}
			}
			s.close()
			remove(t, s.fs, s.segment(2*segmentSize))
			if lost != "nothing" {
				remove(t, s.fs, s.layout.Ours())
			}
			if lost == "ours and queues" {
				remove(t, s.fs, s.layout.ConsumeQueue())
			}
			s = open(t, s.fs)
			if got, want := s.read("T", 0), except(0, 80, gone...); got != want {
				t.Errorf("read %s\n%v", got, s.report.Findings)
			}
			if len(s.report.Damage) == 0 || !strings.Contains(fmt.Sprint(s.report.Findings), "8192") {
				t.Errorf("damage %+v, findings %v", s.report.Damage, s.report.Findings)
			}
			if at := s.put(message("T", 0, 80, 150)); at.QueueOffset != 80 {
				t.Errorf("next offset %d", at.QueueOffset)
			}
		})
	}
}
