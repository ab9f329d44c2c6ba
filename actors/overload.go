package actors

import (
	"fmt"

	"github.com/asynkron/protoactor-go/actor"
)

// What waits at the public face besides the puts that were accepted is bounded, too
// (A2): messages for the store actor and for readers, by number and by bytes, and
// callbacks that have not returned.
const (
	mostAsks = 1 << 14 // messages that wait for the store actor, or for one reader
	mostSlow = 1 << 10 // Flush and DeleteTopic that came as messages and are under way
)

var errCallbacks = fmt.Errorf("%w: callbacks of earlier puts have not returned", ErrBusy)

// bound lets a mailbox take asks as long as there is room.
type bound struct {
	bytes  int64 // of those that wait
	limit  int64
	refuse func(message any)
	begun  func() bool // before that nobody could answer
}

// takes counts a message that comes when so many wait; false if there is no room.
// One is always taken, however large.
func (b *bound) takes(message any, waiting int) bool {
	n := weightOf(message) // 0 for one that is no ask, and always taken
	if n > 0 && (waiting >= mostAsks || waiting > 0 && b.bytes+n > b.limit) && b.begun() {
		return false
	}
	b.bytes += n
	return true
}

// took counts a message that is taken out, and behind which so many wait.
func (b *bound) took(message any, waiting int) {
	if b.bytes -= weightOf(message); waiting == 0 {
		b.bytes = 0
	}
}

// busy refuses an ask for which there is no room.
func (s *Store) busy(message any) { s.replies.refuse(s.system, message, ErrBusy) }

// weightOf is what an ask counts while it waits, 0 for any other message.
func weightOf(message any) int64 {
	if e, ok := message.(*actor.MessageEnvelope); ok {
		message = e.Message
	}
	ask := asked(message)
	if unserved(ask, nil) == nil {
		return 0
	}
	n := int64(128)
	switch m := ask.(type) {
	case *Put:
		if m != nil {
			n = weight(&m.Message)
		}
	case *PutBatch:
		if m != nil {
			for i := range m.Messages {
				n += weight(&m.Messages[i])
			}
		}
	}
	return n
}
