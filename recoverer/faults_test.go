package recoverer_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/actorstore/actorstore/commitlog/checkpoint"
	"github.com/actorstore/actorstore/commitlog/mapped"
	"github.com/actorstore/actorstore/commitlog/mapped/mappedtest"
	"github.com/actorstore/actorstore/commitlog/record"
	"github.com/actorstore/actorstore/consumequeue"
)

// TestUndispatchedTail: one queue is dispatched, another never was, over a
// segment border (F01).
func TestUndispatchedTail(t *testing.T) {
	for _, marked := range []bool{false, true} {
		t.Run(fmt.Sprint("marked ", marked), func(t *testing.T) {
			s := open(t, newFS())
			var hot, cold int
			for hot = 0; s.log.Appended() < segmentSize-600; hot++ {
				s.put(message("hot", 0, hot, 100))
			}
			if marked {
				s.summary()
				s.mark()
			}
			for s.log.Appended() < segmentSize+10 {
				s.add(message("cold", 0, cold, 100))
				cold++
			}
			s.flush()
			s.kill()
			s = open(t, s.fs)
			if got := s.read("hot", 0) + "|" + s.read("cold", 0); got != line(0, hot)+"|"+line(0, cold) {
				t.Errorf("read %s", got)
			}
			for i := range cold {
				if hits := s.hits("cold", fmt.Sprintf("k%d", i)); len(hits) != 1 {
					t.Errorf("k%d found at %v", i, hits)
				}
			}
		})
	}
}

// TestDamagedLastRecord: it is gone, and the next one takes its number (F02).
func TestDamagedLastRecord(t *testing.T) {
	for _, c := range []struct {
		name string
		hurt func(s *store, at, end int64)
	}{
		{"flipped", func(s *store, at, end int64) { s.flip(at + 150) }},
		{"flipped size", func(s *store, at, end int64) { s.flip(at + 2) }},
		{"flipped magic", func(s *store, at, end int64) { s.flip(at + 5) }},
		{"cut in the middle", func(s *store, at, end int64) {
			overwrite(s.t, s.fs, s.segment(at), at+100, make([]byte, end-at-100))
		}},
		{"cut in the header", func(s *store, at, end int64) {
			overwrite(s.t, s.fs, s.segment(at), at+6, make([]byte, end-at-6))
		}},
	} {
		for _, stop := range []string{"no mark", "old mark", "mark behind it"} {
			t.Run(c.name+", "+stop, func(t *testing.T) {
				s := open(t, newFS())
				var at, end int64
				for i := range 10 {
					a := s.put(message("T", 0, i, 80))
					at, end = a.PhysicalOffset, a.End()
					if i == 5 && stop == "old mark" || i == 9 && stop == "mark behind it" {
						s.summary()
						s.mark()
					}
				}
				c.hurt(s, at, end)
				s.kill()
				s = open(t, s.fs)
				if got := s.read("T", 0); got != line(0, 9) {
					t.Errorf("read %s", got)
				}
				if s.report.Cut == 0 || len(s.report.Aside) != 1 {
					t.Errorf("cut %d, aside %v", s.report.Cut, s.report.Aside)
				}
				if hits := s.hits("T", "k9"); len(hits) != 0 {
					t.Errorf("k9 is found at %v", hits)
				}
				if a := s.put(message("T", 0, 10, 80)); a.QueueOffset != 9 {
					t.Errorf("next offset %d", a.QueueOffset)
				}
				want := line(0, 9) + " 9:k"
				if got := s.read("T", 0); got != want {
					t.Errorf("read %s", got)
				}
				s.kill()
				s = open(t, s.fs)
				if got := s.read("T", 0); got != want {
					t.Errorf("after a restart %s", got)
				}
			})
		}
	}
}

// TestHalfWrittenRecord: wherever the writing of the last record stopped, it is
// not taken in, also where only its checksum is missing.
func TestHalfWrittenRecord(t *testing.T) {
	for _, opt := range [][]option{nil, {withoutCRC}} {
		s := open(t, newFS(), opt...)
		for i := range 5 {
			s.put(message("T", 0, i, 20))
		}
		s.summary()
		s.mark()
		last := s.add(message("T", 0, 5, 20))
		s.flush()
		s.kill()
		base := s.fs.(*mappedtest.FS)
		for n := 1; n < last.Size; n++ {
			image := base.Kill()
			overwrite(t, image, s.segment(last.PhysicalOffset), last.PhysicalOffset%segmentSize+int64(n), make([]byte, last.Size-n))
			h := open(t, image, opt...)
			if h.report.End != last.PhysicalOffset || h.read("T", 0) != line(0, 5) {
				t.Fatalf("%d of %d bytes were written: end %d, read %s", n, last.Size, h.report.End, h.read("T", 0))
			}
			h.kill()
		}
	}
}

// TestChecksumOfZero: zero is a checksum like any other (F03).
func TestChecksumOfZero(t *testing.T) {
	body := []byte{0x9d, 0x0a, 0xd9, 0x6d}
	if record.BodyCRC(body) != 0 {
		t.Fatal("the body is not the one")
	}
	for _, opt := range [][]option{nil, {withoutCRC}} {
		s := open(t, newFS(), opt...)
		s.put(message("T", 0, 0, 10))
		m := message("T", 0, 1, 0)
		m.Body = body
		at := s.put(m)
		s.put(message("T", 0, 2, 0))
		s.put(message("T", 0, 3, 10))
		s.kill()
		for _, stop := range []func(*store){(*store).close, (*store).kill} {
			s = open(t, s.fs, opt...)
			if got := s.read("T", 0); got != "0:a 1:\x9d 2: 3:d" {
				t.Errorf("read %q", got)
			}
			stop(s)
		}
		remove(t, s.fs, s.layout.MarkFile())
		s.flip(at.PhysicalOffset + 88)
		s = open(t, s.fs, opt...)
		if got := s.read("T", 0); got != "0:a 1! 2: 3:d" {
			t.Errorf("with a flipped bit %q", got)
		}
		s.kill()
	}
}

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

// TestGhostUnits: queues and index that are ahead of the log, and queues that it
// does not know (F08).
func TestGhostUnits(t *testing.T) {
	for _, stop := range []func(*store){(*store).close, (*store).kill} {
		s := open(t, newFS())
		for i := range 12 {
			s.put(message("T", 0, i, 80))
		}
		end := s.log.Appended()
		ghost := func(topic string, from int64) {
			q, err := s.queues.Ensure(topic, 0, consumequeue.Simple)
			for i := range int64(3) {
				err = errors.Join(err, q.Append([]consumequeue.Entry{{QueueOffset: from + i, PhysicalOffset: end + 1000*i, Size: 300}}))
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		ghost("T", 12)
		ghost("orphan", 0)
		ghost("late", 7)
		err := s.index.Put([]record.DispatchRequest{{Topic: "T", PhysicalOffset: end + 500, StoreTimestamp: s.now, Keys: []byte("ghost k1")}})
		if err != nil {
			t.Fatal(err)
		}
		stop(s)
		s = open(t, s.fs)
		if got := s.queuesOf(); !strings.HasPrefix(got, "T-0[0,12)") && !strings.Contains(got, " T-0[0,12)") || strings.Contains(got, "orphan") {
			t.Errorf("queues %s", got)
		}
		if got := s.read("T", 0); got != line(0, 12) {
			t.Errorf("read %s", got)
		}
		if hits := s.hits("T", "ghost"); len(hits) != 0 {
			t.Errorf("the ghost is found at %v", hits)
		}
		for i := range 12 {
			if hits := s.hits("T", fmt.Sprintf("k%d", i)); len(hits) != 1 {
				t.Errorf("k%d is found at %v", i, hits)
			}
		}
		if len(s.report.Findings) == 0 {
			t.Error("nothing was reported")
		}
		s.put(message("T", 0, 12, 80))
		if got := s.read("T", 0); got != line(0, 13) {
			t.Errorf("read %s", got)
		}
		s.kill()
	}
}

// TestScanIsBounded by the mark, not by the log (F10).
func TestScanIsBounded(t *testing.T) {
	for _, clean := range []bool{true, false} {
		s := open(t, newFS())
		for i := 0; s.log.Appended() < 50*segmentSize; i++ {
			s.put(message("T", 0, i, 800))
		}
		s.summary()
		s.mark()
		if clean {
			s.close()
		} else {
			s.kill()
		}
		s = open(t, s.fs)
		if n := s.report.SegmentsRead; n > 2 {
			t.Errorf("clean %v: %d segments read", clean, n)
		}
		if s.report.Replayed > segmentSize || s.report.QueuesChecked > 0 {
			t.Errorf("clean %v: %d bytes replayed, %d queues checked", clean, s.report.Replayed, s.report.QueuesChecked)
		}
		s.kill()
	}
}

// TestDispatchBehindACleanStop: the summary says how far it was (F12).
func TestDispatchBehindACleanStop(t *testing.T) {
	s := open(t, newFS())
	for i := range 10 {
		s.put(message("T", 0, i, 80))
	}
	s.summary()
	for i := range 40 {
		s.add(message("T", 0, 10+i, 80))
	}
	s.flush()
	s.mark()
	if err := checkpoint.RemoveAbort(s.fs, s.layout); err != nil {
		t.Fatal(err)
	}
	s.kill()
	s = open(t, s.fs)
	if got := s.read("T", 0); got != line(0, 50) {
		t.Errorf("read %s", got)
	}
}

// TestReplayTwice: a stretch that is dispatched already changes nothing (F17,
// F22: nor does a summary that says nonsense).
func TestReplayTwice(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*checkpoint.QueueSummary, *store)
	}{
		{"back to the middle", func(q *checkpoint.QueueSummary, s *store) { q.Dispatched, q.IndexApplied = s.now, s.now }},
		{"back to the beginning", func(q *checkpoint.QueueSummary, s *store) { q.Dispatched, q.IndexApplied, q.Queues = 0, 0, nil }},
		{"far ahead", func(q *checkpoint.QueueSummary, s *store) { q.Dispatched, q.IndexApplied = 1<<40, 1<<40 }},
		{"a little ahead", func(q *checkpoint.QueueSummary, s *store) { q.Dispatched += 17 }},
		{"queue ahead", func(q *checkpoint.QueueSummary, s *store) { q.Queues[0].MaxOffset += 1000 }},
		{"queue behind", func(q *checkpoint.QueueSummary, s *store) { q.Queues[0].MaxOffset -= 7 }},
		{"unknown queue", func(q *checkpoint.QueueSummary, s *store) {
			q.Queues = append(q.Queues, checkpoint.QueueEnd{Topic: "Z", MaxOffset: 9})
		}},
		{"queue left out", func(q *checkpoint.QueueSummary, s *store) { q.Queues = q.Queues[1:] }},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := open(t, newFS())
			var middle int64
			for i := range 50 {
				at := s.put(message("T", 0, i, 80))
				s.put(message("U", 0, i, 80))
				if i == 25 {
					middle = at.PhysicalOffset
					s.summary()
				}
			}
			back, err := checkpoint.ReadQueues(s.fs, s.layout)
			if err != nil {
				t.Fatal(err)
			}
			s.close()
			derived := func() map[string]string {
				all := tree(t, s.fs, s.layout.ConsumeQueue())
				for k, v := range tree(t, s.fs, s.layout.Index()) {
					all[k] = v
				}
				return all
			}
			before := derived()
			q, err := checkpoint.ReadQueues(s.fs, s.layout)
			if err != nil {
				t.Fatal(err)
			}
			if c.name == "back to the middle" {
				q, s.now = back, middle
			}
			c.change(q, s)
			if err := checkpoint.WriteQueues(s.fs, s.layout, q); err != nil {
				t.Fatal(err)
			}
			s = open(t, s.fs)
			s.kill()
			if diff := difference(before, derived()); len(diff) > 0 {
				t.Errorf("changed %v; %v", diff, s.report.Findings)
			}
		})
	}
}

// TestDeletedTopic stays deleted, and its successor starts at 0 (F21).
func TestDeletedTopic(t *testing.T) {
	s := open(t, newFS())
	for i := range 30 {
		s.put(message("T", 0, i, 80))
		s.put(message("U", 0, i, 10))
	}
	deleted := checkpoint.DeletedTopics{"T": s.log.Appended()}
	if err := checkpoint.WriteDeleted(s.fs, s.layout, deleted); err != nil {
		t.Fatal(err)
	}
	s.kill() // before a queue is removed
	s = open(t, s.fs)
	if got := s.queuesOf(); got != "U-0[0,30)" {
		t.Errorf("queues %s", got)
	}
	for i := range 5 {
		if at := s.put(message("T", 0, i, 80)); at.QueueOffset != int64(i) {
			t.Errorf("offset %d for message %d", at.QueueOffset, i)
		}
	}
	for _, stop := range []func(*store){(*store).kill, (*store).close, func(s *store) {
		s.kill()
		remove(t, s.fs, s.layout.QueuesFile())
		remove(t, s.fs, filepath.Join(s.layout.ConsumeQueue(), "T"))
	}} {
		stop(s)
		s = open(t, s.fs)
		if got := s.queuesOf(); got != "T-0[0,5) U-0[0,30)" {
			t.Errorf("queues %s", got)
		}
		if got := s.read("T", 0); got != line(0, 5) {
			t.Errorf("read %s", got)
		}
	}
}

// TestRecreatedTopicOfAnotherEngine: the log does not tell that a topic was
// deleted, but its numbering begins anew.
func TestRecreatedTopicOfAnotherEngine(t *testing.T) {
	for _, c := range []struct {
		name      string
		old, anew int
	}{{"fewer", 9, 4}, {"more", 4, 9}, {"one", 6, 1}} {
		for _, queues := range []string{"kept", "lost"} {
			for _, opt := range [][]option{nil, {withoutCRC}} {
				t.Run(fmt.Sprint(c.name, " ", queues, " ", len(opt)), func(t *testing.T) {
					s := open(t, newFS(), opt...)
					for i := range c.old {
						s.put(message("T", 0, 3+i, 80))
						s.put(message("U", 0, i, 10))
					}
					if err := s.queues.DeleteTopic("T"); err != nil {
						t.Fatal(err)
					}
					s.append.Offsets().Delete("T")
					for i := range c.anew {
						s.put(message("T", 0, i, 80))
					}
					s.kill()
					remove(t, s.fs, s.layout.Ours())
					if queues == "lost" {
						remove(t, s.fs, s.layout.ConsumeQueue())
					}
					for range 2 {
						s = open(t, s.fs, opt...)
						if got := s.read("T", 0); got != line(0, c.anew) {
							t.Errorf("read %s\n%v", got, s.report.Findings)
						}
						s.kill()
						remove(t, s.fs, s.layout.Ours())
					}
				})
			}
		}
	}
}

// TestMisnumberedRecord: without a checksum over the header one wrong queue
// offset must not move a queue.
func TestMisnumberedRecord(t *testing.T) {
	for _, wrong := range []int64{1 << 40, 3, 17, -1} {
		s := open(t, newFS(), withoutCRC)
		var at int64
		for i := range 20 {
			a := s.put(message("T", 0, i, 80))
			if i == 10 {
				at = a.PhysicalOffset
			}
		}
		s.kill()
		var b [8]byte
		binary.BigEndian.PutUint64(b[:], uint64(wrong))
		overwrite(t, s.fs, s.segment(at), at%segmentSize+20, b[:])
		remove(t, s.fs, s.layout.Ours())
		remove(t, s.fs, s.layout.ConsumeQueue())
		s = open(t, s.fs, withoutCRC)
		got := strings.Fields(s.read("T", 0))
		want := strings.Fields(line(0, 20))
		want[10] = "10!"
		if len(got) != 20 || !slices.Equal(append(got[:10:10], got[11:]...), append(want[:10:10], want[11:]...)) {
			t.Errorf("offset %d: read %v\n%v", wrong, got, s.report.Findings)
		}
		s.kill()
	}
}
