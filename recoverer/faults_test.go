package recoverer_test

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/actorstore/actorstore/commitlog/checkpoint"
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
				hurt := contents(t, s.fs, s.segment(at))
				s.kill()
				s = open(t, s.fs)
				if got := s.read("T", 0); got != line(0, 9) {
					t.Errorf("read %s", got)
				}
				if s.report.Cut == 0 || len(s.report.Aside) != 1 {
					t.Errorf("cut %d, aside %v", s.report.Cut, s.report.Aside)
				} else if kept := contents(t, s.fs, s.report.Aside[0]); !bytes.Equal(kept, hurt[at%segmentSize:][:s.report.Cut]) {
					t.Errorf("%d bytes were cut, and others are kept aside", s.report.Cut)
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
