package recoverer_test

import (
	"encoding/binary"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/actorstore/actorstore/commitlog/checkpoint"
)

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
	for _, wrong := range []int64{1 << 40, 3, 17, -1, 1 << 62} {
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
