package sim_test

import (
	"testing"

	"github.com/actorstore/actorstore/tests/sim"
)

// plantSeeds is within how many seeds a planted fault must be found.
const plantSeeds = 300

// TestPlanted: the simulation finds every fault that is planted into it.
func TestPlanted(t *testing.T) {
	for p := sim.None + 1; p < sim.Plants; p++ {
		t.Run(p.String(), func(t *testing.T) {
			t.Parallel()
			for seed := uint64(1); seed <= plantSeeds; seed++ {
				if r := sim.Run(seed, sim.Options{Plant: p}); r.What != "" {
					t.Logf("after %d seeds: %.300s", seed, r.What)
					return
				}
			}
			t.Errorf("not found in %d seeds", plantSeeds)
		})
	}
}

// TestReplay: a seed does the same every time, down to the number of calls to the
// disk.
func TestReplay(t *testing.T) {
	for seed := uint64(1); seed <= 44; seed++ {
		a := sim.Run(seed, sim.Options{Trace: true})
		b := sim.Run(seed, sim.Options{Trace: true})
		if a.Sum != b.Sum {
			t.Errorf("seed %d: two traces\n%s\n%s", seed, a.Trace, b.Trace)
			return
		}
	}
}

// TestShrink: fewer steps come to a violation of a seed that has one, and the list
// of them can be handed back in.
func TestShrink(t *testing.T) {
	o := sim.Options{Plant: sim.AckBeforeFlush}
	for seed := uint64(1); seed <= plantSeeds; seed++ {
		r := sim.Run(seed, o)
		if r.What == "" {
			continue
		}
		small := sim.Shrink(seed, o, r, 200)
		only, err := sim.ParseSteps(sim.FormatSteps(small.Only))
		if err != nil {
			t.Fatal(err)
		}
		o.Only = only
		if again := sim.Run(seed, o); again.What != small.What || len(only) >= r.Step {
			t.Errorf("%d of %d steps: %q, want %q", len(only), r.Step, again.What, small.What)
		}
		t.Logf("seed %d: %d steps of %d", seed, len(only), r.Step)
		return
	}
	t.Error("no seed violates")
}
