package recoverer_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/actorstore/actorstore/commitlog/checkpoint"
	"github.com/actorstore/actorstore/commitlog/mapped"
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

// TestQueueDamage: what is wrong with a queue is found and made right, with our
// summary where it shows, without it wherever it is.
func TestQueueDamage(t *testing.T) {
	file := func(i int) string { return s0.ConsumeQueue() + "/T/0/" + mapped.Name(int64(i*queueFileSize)) }
	for _, c := range []struct {
		name string
		do   func(s *store)
		full bool // only a full check finds it
	}{
		{"all gone", func(s *store) { remove(s.t, s.fs, s.layout.ConsumeQueue()) }, false},
		{"directory gone", func(s *store) { remove(s.t, s.fs, s.layout.ConsumeQueue()+"/T") }, false},
		{"first file gone", func(s *store) { remove(s.t, s.fs, file(0)) }, false},
		{"middle file gone", func(s *store) { remove(s.t, s.fs, file(2)) }, false},
		{"last file gone", func(s *store) { remove(s.t, s.fs, file(4)) }, false},
		{"last file zeroed", func(s *store) { overwrite(s.t, s.fs, file(4), 0, make([]byte, queueFileSize)) }, false},
		{"first file zeroed", func(s *store) { overwrite(s.t, s.fs, file(0), 0, make([]byte, queueFileSize)) }, true},
		{"middle file zeroed", func(s *store) { overwrite(s.t, s.fs, file(2), 0, make([]byte, queueFileSize)) }, true},
		{"unit zeroed", func(s *store) { overwrite(s.t, s.fs, file(1), 60, make([]byte, 20)) }, true},
		{"unit elsewhere", func(s *store) { overwrite(s.t, s.fs, file(1), 67, []byte{9}) }, true},
		{"size wrong", func(s *store) { overwrite(s.t, s.fs, file(1), 71, []byte{9}) }, true},
		{"tag wrong", func(s *store) { overwrite(s.t, s.fs, file(1), 79, []byte{9}) }, true},
		{"last unit elsewhere", func(s *store) { overwrite(s.t, s.fs, file(4), 87, []byte{9}) }, false},
		{"last unit another's", func(s *store) {
			overwrite(s.t, s.fs, file(4), 80, contents(s.t, s.fs, s0.ConsumeQueue()+"/U/0/"+mapped.Name(4*queueFileSize))[80:100])
		}, false},
		{"last unit zeroed", func(s *store) { overwrite(s.t, s.fs, file(4), 80, make([]byte, 20)) }, false},
		{"units behind the end", func(s *store) {
			overwrite(s.t, s.fs, file(4), 100, contents(s.t, s.fs, file(4))[:100])
		}, false},
		{"file of zeros behind", func(s *store) { create(s.t, s.fs, file(5), make([]byte, queueFileSize)) }, false},
		{"noise in the last file", func(s *store) { overwrite(s.t, s.fs, file(4), 0, []byte(strings.Repeat("noise", 40))) }, false},
		{"noise everywhere", func(s *store) {
			for i := range 5 {
				overwrite(s.t, s.fs, file(i), 0, []byte(strings.Repeat("noise", 40)))
			}
		}, false},
	} {
		for _, ours := range []bool{true, false} {
			for _, stop := range []func(*store){(*store).close, func(s *store) { s.summary(); s.mark(); s.kill() }} {
				t.Run(fmt.Sprint(c.name, " ours ", ours), func(t *testing.T) {
					if ours && c.full {
						t.Skip("not seen at a trusted start")
					}
					s := open(t, newFS())
					for i := range 45 {
						s.put(message("T", 0, i, 100))
						s.put(message("U", 0, i, 20))
					}
					stop(s)
					c.do(s)
					if !ours {
						remove(t, s.fs, s.layout.Ours())
					}
					for range 2 {
						s = open(t, s.fs)
						if got := s.read("T", 0); got != line(0, 45) {
							t.Errorf("T: %s\n%v", got, s.report.Findings)
						}
						if got := s.read("U", 0); got != line(0, 45) {
							t.Errorf("U: %s\n%v", got, s.report.Findings)
						}
						s.kill()
					}
				})
			}
		}
	}
}

// TestIndexDamage: an index that cannot be believed is made again.
func TestIndexDamage(t *testing.T) {
	files := func(s *store) []string {
		var out []string
		for path := range tree(s.t, s.fs, s.layout.Index()) {
			out = append(out, path)
		}
		slices.Sort(out)
		return out
	}
	for _, c := range []struct {
		name string
		do   func(s *store, files []string)
	}{
		{"all gone", func(s *store, files []string) { remove(s.t, s.fs, s.layout.Index()) }},
		{"last gone", func(s *store, files []string) { remove(s.t, s.fs, files[len(files)-1]) }},
		{"last short", func(s *store, files []string) { create(s.t, s.fs, files[len(files)-1], make([]byte, 10)) }},
		{"first short", func(s *store, files []string) { create(s.t, s.fs, files[0], make([]byte, 10)) }},
		{"header noise", func(s *store, files []string) {
			overwrite(s.t, s.fs, files[len(files)-1], 0, []byte(strings.Repeat("noise", 8)))
		}},
	} {
		for _, stop := range []func(*store){(*store).close, func(s *store) { s.summary(); s.mark(); s.kill() }} {
			t.Run(c.name, func(t *testing.T) {
				s := open(t, newFS())
				for i := range 90 {
					s.put(message("T", 0, i, 100))
				}
				stop(s)
				c.do(s, files(s))
				s = open(t, s.fs)
				for i := range 90 {
					if hits := s.hits("T", fmt.Sprintf("k%d", i)); len(hits) != 1 {
						t.Errorf("k%d is found at %v; %v", i, hits, s.report.Findings)
						break
					}
				}
			})
		}
	}
}
