package sim

import (
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/actorstore/actorstore/actors"
	"github.com/actorstore/actorstore/tests/crash/workload"
)

// root is where the store lies in the file system in memory.
const root = "/store"

// steps is how many steps a seed has.
const steps = 320

// setup is what a seed decides before the first step.
type setup struct {
	plan *workload.Plan
	o    actors.Options // without FS
}

func (s setup) String() string {
	return fmt.Sprintf("%s, %s, %d shards, index %t", s.plan.Name, s.o.FlushDiskType, s.o.QueueShards, s.o.MessageIndexEnable)
}

func newSetup(seed uint64) setup {
	rng := rand.New(rand.NewPCG(seed, 1))
	plans := workload.Plans()
	s := setup{plan: plans[seed%uint64(len(plans))]}
	s.o = s.plan.Options(root)
	if rng.IntN(2) == 0 {
		s.o.FlushDiskType = actors.SyncFlush
	}
	s.o.QueueShards = 1 + rng.IntN(3)
	s.o.MessageIndexEnable = rng.IntN(8) > 0
	if rng.IntN(5) == 0 { // expire by age, at any hour
		s.o.MappedFileSizeCommitLog = 4096
		if s.plan.Name == "bodies" {
			s.o.MappedFileSizeCommitLog = 64 << 10
		}
		s.o.FileReservedTime = time.Hour
		s.o.DeleteWhen = "0;1;2;3;4;5;6;7;8;9;10;11;12;13;14;15;16;17;18;19;20;21;22;23"
	}
	return s
}

// stepRand is the random source of one step. Each step has its own, so that
// leaving one out does not change what the others draw.
func stepRand(seed uint64, step int) *rand.Rand {
	return rand.New(rand.NewPCG(seed, uint64(step)+1000))
}
