package flusher_test

import (
	"testing"
	"time"

	"github.com/actorstore/actorstore/flusher"
)

func TestPolicy(t *testing.T) {
	const page = 4096
	type step struct {
		at                time.Duration // since the start
		flushed, appended int64
		want              bool
	}
	for _, c := range []struct {
		name  string
		pages int64
		steps []step
	}{
		{"any page", 0, []step{
			{0, 0, 0, false}, {1, 0, 1, true}, {2, 1, 1, false}, {3, 1, 2, true},
			{10 * time.Second, 2, 2, false}, {11 * time.Second, 2, 3, true},
		}},
		{"four pages", 4, []step{
			{0, 0, 1, true}, // the first pass is a thorough one
			{1, 1, 4*page - 1, false},
			{2, 1, 4 * page, true},
			{3, page - 1, 4 * page, true}, // whole pages are counted, as RocketMQ does
			{4, page, 5*page - 1, false},
			{10*time.Second - 1, 1, 2, false},
			{10 * time.Second, 1, 2, true}, // thorough
			{10*time.Second + 1, 2, 3, false},
			{20 * time.Second, 3, 3, false}, // thorough with nothing to do counts too
			{20*time.Second + 1, 3, 4, false},
			{30 * time.Second, 3, 4, true},
		}},
		{"clock goes back", 4, []step{
			{time.Hour, 0, 1, true}, {0, 1, 2, false}, {time.Hour + 10*time.Second, 1, 2, true},
		}},
		{"negative", -1, []step{{0, 0, 1, true}, {1, 1, 2, true}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := flusher.Policy{LeastPages: c.pages, ThoroughInterval: 10 * time.Second}
			start := time.Unix(1_700_000_000, 0)
			for i, s := range c.steps {
				if got := p.Step(start.Add(s.at), s.flushed, s.appended); got != s.want {
					t.Errorf("step %d: got %v, want %v", i, got, s.want)
				}
			}
		})
	}
}
