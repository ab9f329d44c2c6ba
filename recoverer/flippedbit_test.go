package recoverer_test

import (
	"testing"

	"github.com/actorstore/actorstore/commitlog/mapped"
	"github.com/actorstore/actorstore/commitlog/record"
)

// TestFlippedBitIsNoLostWrite: one bit flips above the mark of an ASYNC log, in front
// of messages that were acknowledged. It is damage where no power cut can have lost a
// write; and in a BLANK also where one can.
func TestFlippedBitIsNoLostWrite(t *testing.T) {
	killed := func(fsys mapped.FS) mapped.FS { return fsys }
	for name, c := range map[string]struct {
		hurt func(*store) // puts messages, and hurts one bit in front of the last ones
		stop func(mapped.FS) mapped.FS
	}{
		"a body of zeros, killed":           {bodyOfZeros, killed},
		"a body of zeros, power cut":        {bodyOfZeros, cut},
		"two bits, killed":                  {twoBits, killed},
		"size of a BLANK, killed":           {sizeOfBlank, killed},
		"size of a BLANK, power cut":        {sizeOfBlank, cut},
		"magic of a large BLANK, killed":    {magicOfBlank, killed},
		"magic of a large BLANK, power cut": {magicOfBlank, cut},
	} {
		t.Run(name, func(t *testing.T) {
			s := open(t, newFS())
			s.put(message("T", 0, 0, 100))
			s.summary()
			s.mark()
			c.hurt(s)
			end := s.log.Appended()
			s.kill()
			s = open(t, c.stop(s.fs))
			if s.report.End != end || len(s.report.Damage) != 1 {
				t.Errorf("the log ends at %d, up to %d was acknowledged; damage %v", s.report.End, end, s.report.Damage)
			}
		})
	}
}

func bodyOfZeros(s *store) {
	a := s.put(&record.Message{Topic: "T", BornTimestamp: startTime, Body: make([]byte, 1600)})
	s.put(message("T", 0, 2, 100))
	overwrite(s.t, s.fs, s.segment(0), a.PhysicalOffset+30, []byte{1})
}

func twoBits(s *store) {
	bodyOfZeros(s)
	overwrite(s.t, s.fs, s.segment(0), 600, []byte{1})
}

// sizeOfBlank leaves a BLANK of 16 bytes.
func sizeOfBlank(s *store) {
	i := 1
	for ; s.log.Appended() < segmentSize-900; i++ {
		s.put(message("T", 0, i, 100))
	}
	a := s.put(message("T", 0, i, 100))
	over := int64(a.Size) - 100
	b := s.put(message("T", 0, i+1, int(segmentSize-a.End()-16-over)))
	if b.End() != segmentSize-16 {
		s.t.Fatalf("%d bytes are left", segmentSize-b.End())
	}
	s.put(message("T", 0, i+2, 400))
	overwrite(s.t, s.fs, s.segment(0), b.End(), make([]byte, 4))
}

// magicOfBlank leaves a BLANK of more than two sectors.
func magicOfBlank(s *store) {
	i := 1
	for ; s.log.Appended() < segmentSize-1400; i++ {
		s.put(message("T", 0, i, 100))
	}
	b := s.log.Appended()
	s.put(message("T", 0, i, 1500))
	overwrite(s.t, s.fs, s.segment(0), b+4, []byte{0xcb ^ 1})
}

// TestLostSectorOfOneBit: a power cut takes a sector that had nothing but the length of
// the topic, which was 1. That is a lost write, though one bit would mend it.
func TestLostSectorOfOneBit(t *testing.T) {
	for _, o := range [][]option{nil, {syncFlush}} {
		s := open(t, newFS(), o...)
		a := s.put(message("T", 0, 0, 100))
		s.summary()
		s.mark()
		const body, topic = 1600, bodyAt + 1600 // where the length of the topic stands
		over := int64(a.Size) - 100
		b := s.put(message("T", 0, 1, int(1024-(a.End()+over+topic+1)%512)))
		s.flush()
		c := s.add(&record.Message{Topic: "T", BornTimestamp: startTime, Body: make([]byte, body)})
		s.add(message("T", 0, 3, 100))
		s.flush() // and no queue knows of it
		s.kill()
		if c.PhysicalOffset != b.End() || (c.PhysicalOffset+topic+1)%512 != 0 || contents(t, s.fs, s.segment(0))[c.PhysicalOffset+topic] != 1 {
			t.Fatal(b, c)
		}
		overwrite(t, s.fs, s.segment(0), c.PhysicalOffset+topic, []byte{0})
		s = open(t, cut(s.fs), o...)
		if s.report.End != c.PhysicalOffset || len(s.report.Damage) > 0 {
			t.Errorf("the log ends at %d, want %d; damage %v", s.report.End, c.PhysicalOffset, s.report.Damage)
		}
	}
}
