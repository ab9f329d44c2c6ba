package actors

import (
	"sync/atomic"

	"github.com/asynkron/protoactor-go/actor"
)

// place is where an actor of the tree is found at the moment: its mailbox. What is
// put there is taken by the actor, or refused by the mailbox of one that has gone,
// in code of ours. Sent to its PID it might become a dead letter, and whoever
// watches those would run here: one that panics, or blocks, or ends the goroutine
// would have the put in hand.
type place struct {
	name string
	queue
}

type (
	// placeBox holds the place of an actor that may be spawned again.
	placeBox = atomic.Pointer[place]
	// pidBox holds the PID of one.
	pidBox = atomic.Pointer[actor.PID]
)

// toDispatch tells dispatch something.
func (t *tree) toDispatch(message any) { t.dispatchWake.target.Load().PostUserMessage(message) }
