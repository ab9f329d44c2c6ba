package actors

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/actorstore/actorstore/dispatch"
)

// ErrParked is what errors.Is finds when a shard of the queues, or the index,
// stands still in front of what was waited for.
var ErrParked = errors.New("parked until the store is opened again")

// Parked is a shard of the queues, or the index, that stands still because it
// failed again and again on the same record. The log holds all messages; what a
// parked shard has not taken in is missing from its queues until the store is
// opened again, and what the index has not, from queries.
type Parked struct {
	Actor  string
	At     int64 // end of the log that it has taken in
	Reason any   // of its last failure
}

// ParkedError names those that are parked.
type ParkedError struct{ Actors []Parked }

// Error names each with where it stands and why.
func (e *ParkedError) Error() string {
	var b strings.Builder
	fmt.Fprint(&b, ErrParked)
	for _, p := range e.Actors {
		fmt.Fprintf(&b, "; %s at %d: %v", p.Actor, p.At, p.Reason)
	}
	return b.String()
}

// Is makes it an ErrParked.
func (e *ParkedError) Is(target error) bool { return target == ErrParked }

// park watches a sink no more, and notes that it stands still.
func (w *watcher) park(p Parked) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.list = slices.DeleteFunc(w.list, func(e *watched) bool { return e.name == p.Actor })
	w.parked = append(w.parked, p)
}

// parkedNow are those that stand still.
func (w *watcher) parkedNow() []Parked {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.parked)
}

// parkedBefore is an error if somebody is parked in front of an end of the log.
func (t *tree) parkedBefore(end int64) error {
	list := slices.DeleteFunc(t.watch.parkedNow(), func(p Parked) bool { return p.At >= end })
	if len(list) == 0 {
		return nil
	}
	return &ParkedError{list}
}

// stalls is an error for a queue whose shard is parked: nobody is to wait for it.
func (t *tree) stalls(topic string, queueID int32) error {
	rules := dispatch.Rules{Shards: t.o.QueueShards}
	name := fmt.Sprintf("queues-%d", rules.Shard(topic, queueID))
	list := slices.DeleteFunc(t.watch.parkedNow(), func(p Parked) bool { return p.Actor != name })
	if len(list) == 0 {
		return nil
	}
	return &ParkedError{list}
}

// onRecord tells whether a sink failed on what it was to take in. It may fail
// with nothing in hand, too, and for all that is known the next record is sound.
func (a *storeActor) onRecord(s *sinkRef, reason, message any) bool {
	switch message.(type) {
	case *dispatch.Window, *catchUp:
		return !ofDisk(reason) && s.Applied() < a.t.log().Confirm()
	}
	return false
}
