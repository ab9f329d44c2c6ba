//go:build !race

package reader

import (
	"testing"

	"github.com/actorstore/actorstore/commitlog/record"
)

// TestNoAllocations: a Get that is handed its result back, a View, and the
// answers that find nothing, cost no allocation.
func TestNoAllocations(t *testing.T) {
	s := newStore(t, shape{segment: 1 << 20, queueFile: 6000})
	for i := range 500 {
		m := message("T", 0, string(make([]byte, 1024)))
		m.SetTags([]string{"a", "b"}[i%2])
		m.SetKeys("k")
		s.put(m)
	}
	var g GetResult
	offset := int64(0)
	fn := func(m *record.MessageExt) error { return nil }
	for name, run := range map[string]func() error{
		"get": func() error { return s.r.Get(ctx, GetRequest{Topic: "T", Offset: offset, MaxCount: 32}, &g) },
		"tags": func() error {
			return s.r.Get(ctx, GetRequest{Topic: "T", Offset: offset, MaxCount: 16, Tags: "b || c"}, &g)
		},
		"end":    func() error { return s.r.Get(ctx, GetRequest{Topic: "T", Offset: 500}, &g) },
		"absent": func() error { return s.r.Get(ctx, GetRequest{Topic: "T", QueueID: 7}, &g) },
		"view": func() error {
			_, err := s.r.View(ctx, GetRequest{Topic: "T", Offset: offset, MaxCount: 32}, fn)
			return err
		},
	} {
		n := testing.AllocsPerRun(100, func() {
			if err := run(); err != nil {
				t.Fatal(err)
			}
			if name != "end" && name != "absent" && name != "view" && g.Status != Found {
				t.Fatal(g.Status)
			}
			offset = (offset + 37) % 400
		})
		if n != 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
}

// TestResultOwns: messages stay as they are until the result is used again.
func TestResultOwns(t *testing.T) {
	s := newStore(t, shape{})
	at := s.put(message("T", 0, "stays"))
	var g, h GetResult
	s.must(s.r.Get(ctx, GetRequest{Topic: "T"}, &g))
	s.patch(at.PhysicalOffset, make([]byte, at.Size))
	_ = s.r.Get(ctx, GetRequest{Topic: "T"}, &h)
	if string(g.Messages[0].Body) != "stays" || cap(g.Messages[0].Body) != len("stays") {
		t.Errorf("%q", g.Messages[0].Body)
	}
}
