package workload

import (
	"time"

	"github.com/actorstore/actorstore/commitlog/record"
)

// Kind is what an operation does.
type Kind uint8

// The kinds of operations.
const (
	Put        Kind = iota // Messages[0]
	PutBatch               // Messages, as one
	Settle                 // wait for all answers
	Flush                  // Store.Flush
	Dispatched             // Store.Dispatched
	Pause                  // let time pass, where it costs nothing
	SetClock               // move the wall clock by Pause
	Delete                 // Topic
)

// Op is one operation.
type Op struct {
	Kind     Kind
	Messages []record.Message
	Topic    string
	Pause    time.Duration
}
