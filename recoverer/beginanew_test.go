package recoverer_test

import (
	"testing"

	"github.com/actorstore/actorstore/commitlog/checkpoint"
	"github.com/actorstore/actorstore/commitlog/mapped"
	"github.com/actorstore/actorstore/recoverer"
)

// TestOffsetsInKnownDamageStayTaken: a queue without units kept its offset, as its
// messages may be in the part of the log that is damaged; the next opening, which
// does not read that part, let it begin at 0 again.
func TestOffsetsInKnownDamageStayTaken(t *testing.T) {
	s := open(t, newFS())
	for i := range 40 {
		s.put(message("T", 0, i, 150))
	}
	damaged := s.log.Appended() / 2
	s.close()
	remove(t, s.fs, s0.Ours())
	overwrite(t, s.fs, s.segment(damaged), damaged%segmentSize, []byte("noise"))
	create(t, s.fs, s0.ConsumeQueue()+"/alone/0/"+mapped.Name(queueFileSize), make([]byte, queueFileSize))
	for _, trusted := range []bool{false, true} {
		s = open(t, s.fs)
		if s.report.Plan.Trusted != trusted || len(s.report.Damage) > 0 == trusted {
			t.Fatalf("trusted %v, damage %v", s.report.Plan.Trusted, s.report.Damage)
		}
		if q := s.queues.Queue("alone", 0); q == nil || q.MaxOffset() != queueFileSize/20 {
			t.Errorf("trusted %v: the queue does not go on where its file begins: %+v", trusted, q)
		}
		if err := checkpoint.WriteDamage(s.fs, s0, recoverer.Standing(&s.input, &s.report)); err != nil {
			t.Fatal(err)
		}
		s.close()
	}
}
