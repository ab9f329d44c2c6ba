package recoverer_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/actorstore/actorstore/commitlog/mapped"
	"github.com/actorstore/actorstore/commitlog/record"
	"github.com/actorstore/actorstore/consumequeue"
)

// innerBatch makes a message of n messages.
func innerBatch(topic string, i, n int) *record.Message {
	m := message(topic, 0, i, 60)
	m.SysFlag = record.SysInnerBatch | record.SysNeedUnwrap
	m.Properties.Set(record.PropertyInnerNum, fmt.Sprint(n))
	return m
}

// TestBatchQueues come back with their bases and counts, whatever they lost.
func TestBatchQueues(t *testing.T) {
	dir := s0.BatchConsumeQueue() + "/B/0/"
	unit := int64(consumequeue.BatchUnitSize)
	for _, c := range []struct {
		name string
		do   func(s *store, at []int64)
		bad  []int
	}{
		{"nothing", func(*store, []int64) {}, nil},
		{"all gone", func(s *store, at []int64) { remove(s.t, s.fs, s0.BatchConsumeQueue()) }, nil},
		{"first file gone", func(s *store, at []int64) { remove(s.t, s.fs, dir+mapped.Name(0)) }, nil},
		{"last file gone", func(s *store, at []int64) { remove(s.t, s.fs, dir+mapped.Name(20*unit)) }, nil},
		{"unit zeroed", func(s *store, at []int64) { overwrite(s.t, s.fs, dir+mapped.Name(0), 3*unit, make([]byte, unit)) }, nil},
		{"base wrong", func(s *store, at []int64) { overwrite(s.t, s.fs, dir+mapped.Name(0), 3*unit+34, []byte{9}) }, nil},
		{"count wrong", func(s *store, at []int64) { overwrite(s.t, s.fs, dir+mapped.Name(10*unit), 5*unit+37, []byte{9}) }, nil},
		{"place wrong", func(s *store, at []int64) { overwrite(s.t, s.fs, dir+mapped.Name(10*unit), 5*unit+7, []byte{9}) }, nil},
		{"time wrong", func(s *store, at []int64) { overwrite(s.t, s.fs, dir+mapped.Name(10*unit), 5*unit+27, []byte{9}) }, nil},
		{"last unit wrong", func(s *store, at []int64) { overwrite(s.t, s.fs, dir+mapped.Name(20*unit), 4*unit+7, []byte{9}) }, nil},
		{"record damaged", func(s *store, at []int64) { s.flip(at[12] + 100) }, []int{12}},
		{"record damaged, queue gone", func(s *store, at []int64) { s.flip(at[12] + 100); remove(s.t, s.fs, s0.BatchConsumeQueue()) }, []int{12}},
		{"first record damaged, queue gone", func(s *store, at []int64) { s.flip(at[0] + 100); remove(s.t, s.fs, s0.BatchConsumeQueue()) }, []int{0}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := open(t, newFS())
			var at []int64
			var want []string
			next := 0
			for i := range 25 {
				n := 1 + i%4
				at = append(at, s.put(innerBatch("B", i, n)).PhysicalOffset)
				if !slices.Contains(c.bad, i) {
					want = append(want, fmt.Sprintf("%d:%c", next, 'a'+i))
				} else {
					want = append(want, fmt.Sprintf("%d!", next))
				}
				next += n
			}
			s.close()
			c.do(s, at)
			remove(t, s.fs, s.layout.Ours())
			for range 2 {
				s = open(t, s.fs)
				if got := s.read("B", 0); got != strings.Join(want, " ") {
					t.Errorf("read %s\nwant %s\n%v", got, strings.Join(want, " "), s.report.Findings)
				}
				if got := *s.report.Offsets.Next("B", 0); got != int64(next) {
					t.Errorf("next offset %d, want %d", got, next)
				}
				s.kill()
			}
		})
	}
}

// TestLightQueues: units of light queues come back, too, and are holes where
// their record is damaged.
func TestLightQueues(t *testing.T) {
	for _, lost := range []string{"queues", "ours", "both"} {
		t.Run(lost, func(t *testing.T) {
			s := open(t, newFS(), multiDispatch)
			var at []int64
			for i := range 20 {
				m := message("src", 0, i, 60)
				if i%2 == 0 {
					m.Properties.Set(record.PropertyMultiDispatch, "%LMQ%a,%LMQ%b")
				}
				at = append(at, s.put(m).PhysicalOffset)
			}
			s.close()
			s.flip(at[6] + 100)
			if lost != "ours" {
				remove(t, s.fs, s.layout.ConsumeQueue())
			}
			if lost != "queues" {
				remove(t, s.fs, s.layout.Ours())
			}
			s = open(t, s.fs, multiDispatch)
			if got := s.read("src", 0); got != except(0, 20, 6) {
				t.Errorf("src: %s", got)
			}
			for _, q := range []string{"%LMQ%a", "%LMQ%b"} {
				if got := s.read(q, 0); got != "0:a 1:c 2:e 3! 4:i 5:k 6:m 7:o 8:q 9:s" {
					t.Errorf("%s: %s\n%v", q, got, s.report.Findings)
				}
				if got := *s.report.Offsets.Next(q, 0); got != 10 {
					t.Errorf("%s: next offset %d", q, got)
				}
			}
		})
	}
}

// TestTransactions: a prepared or rolled-back half has no unit and takes no
// number.
func TestTransactions(t *testing.T) {
	s := open(t, newFS())
	n := 0
	for i := range 20 {
		m := message("T", 0, n, 40)
		switch i % 4 {
		case 1:
			m.SysFlag = record.SysTransactionPrepared
		case 2:
			m.SysFlag = record.SysTransactionRollback
		default:
			n++
		}
		s.put(m)
	}
	end := s.log.Appended()
	s.kill()
	for range 2 {
		remove(t, s.fs, s.layout.ConsumeQueue())
		remove(t, s.fs, s.layout.Ours())
		s = open(t, s.fs)
		if got := s.read("T", 0); got != line(0, n) || s.report.End != end || len(s.report.Findings) > 0 {
			t.Errorf("end %d of %d, read %s, %v", s.report.End, end, got, s.report.Findings)
		}
		s.kill()
	}
}

// TestTrimmedStore: segments in front have been deleted. Numbers stay, also of
// queues all of whose records have gone.
func TestTrimmedStore(t *testing.T) {
	for _, lost := range []string{"nothing", "ours", "ours and queues", "queue files"} {
		t.Run(lost, func(t *testing.T) {
			s := open(t, newFS())
			var at []int64
			for i := range 25 {
				s.put(message("old", 0, i, 10))
			}
			for i := range 80 {
				at = append(at, s.put(message("T", 0, i, 150)).PhysicalOffset)
			}
			s.close()
			remove(t, s.fs, s.segment(0))
			remove(t, s.fs, s.segment(segmentSize))
			remove(t, s.fs, s.segment(2*segmentSize))
			first := slices.IndexFunc(at, func(o int64) bool { return o >= 3*segmentSize })
			old := "T-0[%d,80) old-0[25,25)"
			switch lost {
			case "ours":
				remove(t, s.fs, s.layout.Ours())
			case "ours and queues":
				remove(t, s.fs, s.layout.Ours())
				remove(t, s.fs, s.layout.ConsumeQueue())
				old = "T-0[%d,80)"
			case "queue files":
				remove(t, s.fs, s0.ConsumeQueue()+"/T/0/"+mapped.Name(0))
			}
			for range 2 {
				s = open(t, s.fs)
				if got, want := s.queuesOf(), fmt.Sprintf(old, first); got != want {
					t.Errorf("queues %s, want %s\n%v", got, want, s.report.Findings)
				}
				if got := s.read("T", 0); got != line(first, 80) {
					t.Errorf("read %s", got)
				}
				s.kill()
			}
			s = open(t, s.fs)
			if a := s.put(message("T", 0, 80, 10)); a.QueueOffset != 80 {
				t.Errorf("next offset %d", a.QueueOffset)
			}
		})
	}
}
