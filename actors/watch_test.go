package actors

import (
	"testing"
	"time"
)

// An actor hangs if it owes progress at every look for the whole limit, and
// makes none.
func TestStanding(t *testing.T) {
	const limit = 10 * time.Second
	busy := func(moved int64) beat { return beat{moved: moved, owes: true, busy: true} }
	idle := func(moved int64) beat { return beat{moved: moved} }
	slow := func(moved int64) beat { return beat{moved: moved, owes: true, slack: 5 * time.Second} }
	type look struct {
		at   int // seconds
		b    beat
		want verdict
	}
	for name, looks := range map[string][]look{
		"moves":         {{0, busy(1), well}, {5, busy(2), well}, {20, busy(3), well}, {40, busy(4), well}},
		"idle":          {{0, idle(1), well}, {5, idle(1), well}, {100, idle(1), well}},
		"stands":        {{0, busy(1), well}, {5, busy(1), stands}, {9, busy(1), stands}, {10, busy(1), tooLong}, {15, busy(1), stands}},
		"from nothing":  {{100, busy(0), well}, {105, busy(0), stands}, {110, busy(0), tooLong}},
		"moves on":      {{0, busy(1), well}, {5, busy(1), stands}, {10, busy(1), tooLong}, {12, busy(2), movesOn}, {14, busy(3), well}},
		"done":          {{0, busy(1), well}, {5, busy(1), stands}, {10, busy(1), tooLong}, {12, idle(1), movesOn}, {13, idle(1), well}},
		"twice":         {{0, busy(1), well}, {5, busy(1), stands}, {10, busy(1), tooLong}, {12, busy(2), movesOn}, {17, busy(2), stands}, {22, busy(2), tooLong}},
		"goes back":     {{0, busy(9), well}, {5, busy(4), well}, {10, busy(4), stands}, {14, busy(4), stands}, {15, busy(4), tooLong}},
		"idle between":  {{0, busy(1), well}, {5, busy(1), stands}, {9, idle(1), well}, {14, busy(1), stands}, {18, busy(1), stands}, {19, busy(1), tooLong}},
		"may rest":      {{0, slow(1), well}, {5, slow(1), stands}, {10, slow(1), stands}, {14, slow(1), stands}, {15, slow(1), tooLong}},
		"watch held up": {{0, busy(1), well}, {600, busy(1), stands}, {604, busy(1), stands}, {605, busy(1), tooLong}},
	} {
		t.Run(name, func(t *testing.T) {
			var s standing
			began := time.Unix(1_000_000, 0)
			for i, l := range looks {
				if got := s.look(l.b, began.Add(time.Duration(l.at)*time.Second), limit); got != l.want {
					t.Fatalf("look %d after %d s: verdict %d, want %d", i, l.at, got, l.want)
				}
			}
		})
	}
}
