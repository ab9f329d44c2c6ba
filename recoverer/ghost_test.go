package recoverer_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/actorstore/actorstore/commitlog/checkpoint"
)

// TestGhostRecords: another engine cut the log without erasing, wrote fewer
// records than it had cut, and was restarted. The rest of the old ones must not
// come back.
func TestGhostRecords(t *testing.T) {
	for _, c := range []struct {
		name   string
		body   func(i int) int // of the new records
		queues int32
		back   bool // the clock, not another engine
		want   string
	}{
		{"of another size", func(int) int { return 33 }, 1, false, "0:a 1:b 2:c 3:d 4:e 5:z 6:z"},
		{"of one size, two queues", func(int) int { return 40 }, 2, false, ""},
		{"clock set back", func(int) int { return 40 }, 1, true, line(0, 10)},
	} {
		t.Run(c.name, func(t *testing.T) {
			im := newImage(2)
			var at []int64
			pos := int64(0)
			for i := range 10 {
				at = append(at, pos)
				if c.back && i == 7 {
					im.now -= 5
				}
				pos = im.add(pos, message("T", int32(i)%c.queues, i, 40))
			}
			end := pos
			if !c.back {
				// Cut at the sixth, then two new ones an hour later.
				im.now += 3600_000
				pos = at[5]
				im.next = map[string]int64{"T-0": 5}
				if c.queues == 2 {
					im.next = map[string]int64{"T-0": 3, "T-1": 2}
				}
				for i := range 2 {
					// Both go to the first queue.
					m := message("T", 0, 25, c.body(i))
					m.SetKeys("k5")
					pos = im.add(pos, m)
				}
				end = pos
			}
			s := open(t, im.store(t))
			if s.report.End != end {
				t.Errorf("end %d, want %d", s.report.End, end)
			}
			want := c.want
			if c.queues == 2 {
				want = "0:a 1:c 2:e 3:z 4:z"
			}
			if got := s.read("T", 0); got != want {
				t.Errorf("read %s, want %s", got, want)
			}
			if !c.back {
				checkZeros(t, s)
				if len(s.report.Aside) == 0 || s.report.OldEnd < 0 {
					t.Errorf("aside %v, old from %d", s.report.Aside, s.report.OldEnd)
				}
			}
			s.kill()
			s = open(t, s.fs)
			if s.report.End != end {
				t.Errorf("end after a restart %d, want %d", s.report.End, end)
			}
		})
	}
}

// TestOldBytesBehindDamage: the last new record is torn and old ones follow; they
// do not continue. If they do continue, the torn one is damage.
func TestOldBytesBehindDamage(t *testing.T) {
	for _, old := range []bool{true, false} {
		im := newImage(1)
		var at []int64
		pos := int64(0)
		for i := range 10 {
			at = append(at, pos)
			pos = im.add(pos, message("T", 0, i, 40))
		}
		end := pos
		if old {
			im.now += 3600_000
			im.next["T-0"] = 5
			im.add(im.add(at[5], message("T", 0, 5, 40)), message("T", 0, 6, 40))
			im.b[at[6]+100] ^= 1
			end = at[6]
		} else {
			im.b[at[6]+100] ^= 1
		}
		s := open(t, im.store(t))
		want := line(0, 6)
		if !old {
			want = except(0, 10, 6)
		}
		if got := s.read("T", 0); got != want || s.report.End != end {
			t.Errorf("old %v: end %d of %d, read %s", old, s.report.End, end, got)
		}
	}
}

// TestMisleadingMark: a mark that is whole but says nothing about this log any
// more because another engine has cut, written or trimmed it.
func TestMisleadingMark(t *testing.T) {
	base := func(t *testing.T) (*store, []int64) {
		s := open(t, newFS())
		var at []int64
		for i := range 60 {
			at = append(at, s.put(message("T", 0, i, 150)).PhysicalOffset)
		}
		s.close()
		return s, at
	}
	zeroFrom := func(s *store, at int64) {
		overwrite(s.t, s.fs, s.segment(at), at%segmentSize, make([]byte, segmentSize-at%segmentSize))
		for x := at - at%segmentSize + segmentSize; ; x += segmentSize {
			if _, err := s.fs.Stat(s.segment(x)); err != nil {
				return
			}
			remove(s.t, s.fs, s.segment(x))
		}
	}
	touch := func(s *store) {
		c := s.fields
		c.ConfirmPhyOffset += 77
		if err := checkpoint.WriteCheckpoint(s.fs, s.layout.CheckpointFile(), c); err != nil {
			s.t.Fatal(err)
		}
	}
	for _, c := range []struct {
		name  string
		do    func(s *store, at []int64)
		want  string
		doubt bool
	}{
		{"fields changed", func(s *store, at []int64) { touch(s) }, line(0, 60), false},
		{"cut below it", func(s *store, at []int64) { touch(s); zeroFrom(s, at[40]) }, line(0, 40), false},
		{"cut in its segment, fields unchanged", func(s *store, at []int64) { zeroFrom(s, at[56]) }, line(0, 56), false},
		{"segments taken away, fields unchanged", func(s *store, at []int64) { zeroFrom(s, at[40]); remove(s.t, s.fs, s.segment(at[40])) }, "", true},
		{"cut and written again", func(s *store, at []int64) {
			touch(s)
			zeroFrom(s, at[40])
			im := newImage(1)
			im.now, im.next["T-0"] = s.now+5, 40
			b := im.encode(message("T", 0, 40, 99), at[40], 40)
			overwrite(s.t, s.fs, s.segment(at[40]), at[40]%segmentSize, b)
		}, line(0, 41), false},
		{"trimmed", func(s *store, at []int64) { remove(s.t, s.fs, s.segment(0)); remove(s.t, s.fs, s.segment(segmentSize)) }, "trimmed", false},
		{"mark damaged", func(s *store, at []int64) {
			overwrite(s.t, s.fs, s.layout.MarkFile(), 20, []byte{9})
			overwrite(s.t, s.fs, s.layout.MarkFile(), 532, []byte{9})
		}, line(0, 60), false},
		{"summary damaged", func(s *store, at []int64) { overwrite(s.t, s.fs, s.layout.QueuesFile(), 20, []byte{9}) }, line(0, 60), false},
		{"checkpoint gone", func(s *store, at []int64) { remove(s.t, s.fs, s.layout.CheckpointFile()) }, line(0, 60), false},
		{"checkpoint short", func(s *store, at []int64) { create(s.t, s.fs, s.layout.CheckpointFile(), []byte("x")) }, line(0, 60), false},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, at := base(t)
			c.do(s, at)
			before := tree(t, s.fs, "/store", "/store/abort")
			s = open(t, s.fs)
			if c.doubt {
				if s.report.ReadOnly == nil || s.log.Failed() == nil {
					t.Fatal("the log takes puts")
				}
				if diff := difference(before, tree(t, s.fs, "/store", "/store/abort")); len(diff) > 0 {
					t.Errorf("changed: %v", diff)
				}
				if got := s.read("T", 0); !strings.HasPrefix(got, line(0, 30)) {
					t.Errorf("read %s", got)
				}
				return
			}
			want := c.want
			if want == "trimmed" {
				first := slices.IndexFunc(at, func(o int64) bool { return o >= 2*segmentSize })
				want = line(first, 60)
			}
			if got := s.read("T", 0); got != want {
				t.Errorf("read %s\n%v", got, s.report.Findings)
			}
			next := int64(strings.Count(c.want, ":"))
			if c.want == "trimmed" {
				next = 60
			}
			if a := s.put(message("T", 0, int(next), 150)); a.QueueOffset != next {
				t.Errorf("next offset %d, want %d", a.QueueOffset, next)
			}
			s.kill()
			s = open(t, s.fs)
			if got := s.read("T", 0); !strings.HasPrefix(got, want) {
				t.Errorf("after a restart %s", got)
			}
		})
	}
}
