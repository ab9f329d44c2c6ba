package invariant_test

import (
	"testing"

	"github.com/actorstore/actorstore/commitlog/invariant"
)

func TestCheck(t *testing.T) {
	panics := func(cond bool) (got any) {
		defer func() { got = recover() }()
		invariant.Check(cond, "I1: flushed beyond appended")
		return nil
	}
	if got := panics(true); got != nil {
		t.Errorf("a check that holds: got panic %v", got)
	}
	want := any(nil)
	if invariant.Enabled {
		want = "invariant broken: I1: flushed beyond appended"
	}
	if got := panics(false); got != want {
		t.Errorf("a broken check with Enabled=%v: got %v, want %v", invariant.Enabled, got, want)
	}
}
