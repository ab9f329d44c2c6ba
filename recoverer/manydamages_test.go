package recoverer_test

import (
	"encoding/binary"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/actorstore/actorstore/commitlog"
	"github.com/actorstore/actorstore/commitlog/record"
	"github.com/actorstore/actorstore/consumequeue"
)

var (
	flagDamages = flag.Int("damages", 300, "stores with several damages")
	flagFrom    = flag.Uint64("damages.seed", 1, "the first of them")
)

// TestManyDamages hits log and queues of a store in several places at once. Whatever
// is wrong, each record that is whole is served under its number, and nothing is to be
// mended any more by the next opening.
func TestManyDamages(t *testing.T) {
	for i := range uint64(*flagDamages) {
		seed := *flagFrom + i
		t.Run(fmt.Sprint(seed), func(t *testing.T) { manyDamages(t, seed) })
	}
}

// stored is a record of such a store.
type stored struct {
	topic string
	queue int32
	at    commitlog.Appended
	key   string
	body  byte
	hurt  bool
}

func manyDamages(t *testing.T, seed uint64) {
	rng := rand.New(rand.NewPCG(seed, 1))
	var options []option
	if rng.IntN(3) == 0 {
		options = append(options, withoutCRC)
	}
	s := open(t, newFS(), options...)
	var all []*stored
	n := 10 + rng.IntN(60)
	marked, summed := rng.IntN(2*n), rng.IntN(2*n)
	for i := range n {
		r := &stored{topic: string(rune('T' + rng.IntN(2))), queue: int32(rng.IntN(2)), key: fmt.Sprint("k", i), body: byte('a' + i%26)}
		r.at = s.add(message(r.topic, r.queue, i, 1+rng.IntN(200)))
		all = append(all, r)
		if rng.IntN(3) > 0 {
			s.flush()
		}
		if rng.IntN(3) > 0 {
			s.dispatch()
		}
		if i == summed {
			s.summary()
		}
		if i == marked {
			s.mark()
		}
	}
	s.flush()
	if clean := rng.IntN(3) == 0; clean {
		s.close()
	} else {
		s.kill()
	}
	if rng.IntN(3) == 0 { // as of another engine
		remove(t, s.fs, s.layout.Ours())
	}
	for range 1 + rng.IntN(4) {
		t.Log(hit(s, rng, all))
	}
	for round := range 2 {
		s = open(t, s.fs, append(options, checkQueues)...)
		for _, r := range all {
			if r.hurt {
				continue
			}
			if !slices.Contains(s.hits(r.topic, r.key), r.at.PhysicalOffset) {
				t.Errorf("opening %d: the record at %d is not found by its key %s", round, r.at.PhysicalOffset, r.key)
			}
			q, got := s.queues.Queue(r.topic, r.queue), "no queue"
			if q != nil {
				var u [1]consumequeue.Unit
				k, err := q.Read(r.at.QueueOffset, u[:])
				if got = fmt.Sprint(err); k == 1 {
					got = s.body(&u[0], r.topic, r.queue)
				}
			}
			if want := fmt.Sprintf(":%c", r.body); got != want && !s.contested(r, all) {
				t.Errorf("opening %d: %s-%d at %d, the record at %d: %s, want %s", round, r.topic, r.queue, r.at.QueueOffset, r.at.PhysicalOffset, got, want)
			}
		}
		if t.Failed() {
			for _, f := range s.report.Findings {
				t.Log(f)
			}
		}
		s.kill()
	}
}

// contested tells that a damaged record, which no checksum shows, claims the number of
// one that is whole: nobody can tell which of them it belongs to.
func (s *store) contested(r *stored, all []*stored) (is bool) {
	for _, o := range all {
		_ = s.log.Reader().View(o.at.PhysicalOffset, int(o.at.Size), func(b []byte) error {
			var m record.MessageExt
			err := record.Decode(b, &m)
			is = is || err == nil && o.hurt && m.Topic == r.topic && m.QueueID == r.queue && m.QueueOffset == r.at.QueueOffset
			return err
		})
	}
	return is
}

// hit damages a record or a queue.
func hit(s *store, rng *rand.Rand, all []*stored) string {
	r := all[rng.IntN(len(all))]
	start, size := r.at.PhysicalOffset, int64(r.at.Size)
	switch rng.IntN(7) {
	case 0, 1: // a bit
		at := start + rng.Int64N(size)
		s.change(at, 1<<rng.IntN(8))
		r.hurt = true
		return fmt.Sprintf("bit of the record at %d: %d", start, at-start)
	case 2: // a sector
		at := (start + rng.Int64N(size)) &^ 511
		overwrite(s.t, s.fs, s.segment(at), at%segmentSize, make([]byte, 512))
		for _, o := range all {
			o.hurt = o.hurt || o.at.PhysicalOffset < at+512 && o.at.PhysicalOffset+int64(o.at.Size) > at
		}
		return fmt.Sprintf("sector at %d", at)
	}
	path, at := s.unitAt(r.topic, r.queue, r.at.QueueOffset)
	if _, err := s.fs.Stat(path); err != nil {
		return "none"
	}
	b := contents(s.t, s.fs, path)[at:][:consumequeue.UnitSize]
	what := ""
	switch rng.IntN(5) {
	case 0:
		b, what = make([]byte, consumequeue.UnitSize), "zeros"
	case 1, 2: // another record's
		o := all[rng.IntN(len(all))]
		binary.BigEndian.PutUint64(b, uint64(o.at.PhysicalOffset))
		binary.BigEndian.PutUint32(b[8:], uint32(o.at.Size))
		what = fmt.Sprintf("that of the record at %d", o.at.PhysicalOffset)
	case 3:
		i := rng.IntN(len(b))
		b[i] ^= 1 << rng.IntN(8)
		what = fmt.Sprintf("a bit of byte %d", i)
	case 4:
		remove(s.t, s.fs, path)
		return "removed " + path
	}
	overwrite(s.t, s.fs, path, at, b)
	return fmt.Sprintf("unit %d of %s-%d: %s", r.at.QueueOffset, r.topic, r.queue, what)
}
