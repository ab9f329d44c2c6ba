package e2e_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/actorstore/actorstore"
	"github.com/actorstore/actorstore/tests/e2e"
	"github.com/actorstore/actorstore/tests/golden"
)

// TestF21DeletedTopic: a deleted topic does not come back, whatever happens to
// the process and to the derived files, and a new one starts at 0.
func TestF21DeletedTopic(t *testing.T) {
	for _, c := range []struct {
		name    string
		killed  bool
		derived bool // queues and index are lost too
	}{{"clean", false, false}, {"killed", true, false}, {"rebuilt", true, true}} {
		t.Run(c.name, func(t *testing.T) {
			s, o := fresh(t)
			restart := func() {
				t.Helper()
				if !c.killed {
					closeStore(t, s)
				} else {
					to := filepath.Join(t.TempDir(), "left")
					must(t, e2e.CopyInUse(o.StorePathRootDir, to))
					closeStore(t, s)
					o.StorePathRootDir = to
				}
				if c.derived {
					for _, part := range []string{"consumequeue", "index", "checkpoint"} {
						must(t, os.RemoveAll(filepath.Join(o.StorePathRootDir, part)))
					}
				}
				s = open(t, o)
			}
			for i := range 100 {
				m := text("T", int32(i%2), fmt.Sprint("old ", i))
				m.SetKeys("k")
				_, err := s.Put(t.Context(), m)
				must(t, err)
				put(t, s, "other", fmt.Sprint(i))
			}
			must(t, s.Dispatched(t.Context()))
			var held actorstore.GetResult
			must(t, s.Get(t.Context(), actorstore.GetRequest{Topic: "T", MaxCount: 10}, &held))
			must(t, s.DeleteTopic(t.Context(), "T"))
			gone(t, s, "T")
			restart()
			gone(t, s, "T")

			for i := range 5 {
				m := text("T", 0, fmt.Sprint("new ", i))
				m.SetKeys("k")
				r, err := s.Put(t.Context(), m)
				must(t, err)
				if r.QueueOffset != int64(i) {
					t.Errorf("offset %d of new message %d", r.QueueOffset, i)
				}
			}
			must(t, s.Dispatched(t.Context()))
			for range 2 {
				sameBodies(t, bodies(t, s, "T", 0, 0), "new 0", "new 1", "new 2", "new 3", "new 4")
				lo, err := s.MinOffset("T", 0)
				hi, err2 := s.MaxOffset("T", 0)
				if lo != 0 || hi != 5 || err != nil || err2 != nil {
					t.Errorf("offsets %d %d %v %v", lo, hi, err, err2)
				}
				if _, err := s.MaxOffset("T", 1); !errors.Is(err, actorstore.ErrNoQueue) {
					t.Errorf("queue 1: %v", err)
				}
				if n := len(bodies(t, s, "other", 0, 0)); n != 100 {
					t.Errorf("%d other messages", n)
				}
				restart()
			}
			for i := range held.Messages { // what was read before is the reader's
				if string(held.Messages[i].Body) != fmt.Sprint("old ", 2*i) {
					t.Errorf("%d: %q", i, held.Messages[i].Body)
				}
			}
		})
	}
}

// gone fails the test if a topic can still be seen.
func gone(t *testing.T, s *actorstore.Store, topic string) {
	t.Helper()
	for _, info := range s.Topics() {
		if info.Topic == topic {
			t.Errorf("listed: %+v", info)
		}
	}
	var got actorstore.GetResult
	must(t, s.Get(t.Context(), actorstore.GetRequest{Topic: topic}, &got))
	if got.Status != actorstore.NoMatchedLogicQueue {
		t.Errorf("get: %+v", got.Place)
	}
	if _, err := s.MaxOffset(topic, 0); !errors.Is(err, actorstore.ErrNoQueue) {
		t.Errorf("max: %v", err)
	}
}

// TestDeleteGolden deletes a topic of a store that RocketMQ wrote.
func TestDeleteGolden(t *testing.T) {
	o := e2e.Options(golden.Open(t, golden.Clean), golden.SettingsOf(golden.Clean))
	want := golden.Expected(t, golden.Clean)
	model := e2e.NewModel(want)
	model.Delete("orders")
	s := open(t, o)
	must(t, s.DeleteTopic(t.Context(), "orders"))
	kept := model.Reading()
	kept.Queries, kept.Times = nil, nil
	for range 2 {
		gone(t, s, "orders")
		same(t, readStore(t, s, o, nil), kept.Lines())
		closeStore(t, s)
		s = open(t, o)
	}
}
