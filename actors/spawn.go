package actors

import (
	"context"
	"fmt"
	"time"

	"github.com/asynkron/protoactor-go/actor"
)

// Spawn starts a store as a child of parent, which is the root context of an
// ActorSystem or the context of an actor, and waits until it serves. If ctx
// ends first, or the store cannot be opened, it is gone again, unless a call to
// the disk hangs: then it goes once that returns.
//
// An actor that calls Spawn takes no message until the store is open. It cannot
// supervise meanwhile, so the first failure of the store actor ends Spawn with an
// error, where a store below the root is restarted. A parent that is to go on and to
// decide spawns Props, and lets a goroutine wait for Ready.
func Spawn(ctx context.Context, parent actor.SpawnerContext, name string, o Options) (*Store, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	if name == "" { // protoactor would give it the id of its parent
		return nil, &OptionError{"name", "the name of an actor", "nothing"}
	}
	props, s := Props(o)
	s.system = parent.ActorSystem()
	if _, err := parent.SpawnNamed(props, name); err != nil {
		return nil, fmt.Errorf("spawn %q: %w", name, err)
	}
	_, below := parent.(actor.Context)
	if err := s.readyFor(ctx, below); err != nil {
		s.mailbox.PostSystemMessage(&actor.Stop{})
		s.gone(ctx)
		return nil, err
	}
	return s, nil
}

// readyFor is Ready that does not wait for a store actor which has failed below one
// that waits here, and can do nothing about it.
func (s *Store) readyFor(ctx context.Context, below bool) error {
	if !below {
		return s.Ready(ctx)
	}
	select {
	case <-s.opened:
	case <-ctx.Done():
	case <-s.fell:
		return s.reason()
	}
	return s.Ready(ctx)
}

// hasFallen tells whether the store actor has failed.
func (s *Store) hasFallen() bool {
	select {
	case <-s.fell:
		return true
	default:
		return false
	}
}

// hangs is how much longer than its context an open may take to end: a call to
// the disk that does not return cannot be called off (F11).
const hangs = time.Second

// gone waits for the end of a store that could not be opened. One whose actor fell
// before it had begun tells of no end.
func (s *Store) gone(ctx context.Context) {
	if s.hasFallen() {
		limited, cancel := context.WithTimeout(ctx, hangs)
		defer cancel()
		ctx = limited
	}
	select {
	case <-s.stopped:
		return
	case <-ctx.Done():
	}
	select {
	case <-s.stopped:
	case <-time.After(hangs):
	}
}

// Open starts a store in an ActorSystem of its own.
func Open(ctx context.Context, o Options) (*Store, error) {
	system := newSystem(o.Logger)
	s, err := Spawn(ctx, system.Root, "store", o)
	if err != nil {
		system.Shutdown()
		return nil, err
	}
	s.own = true
	return s, nil
}

// Ready waits until the store serves, or tells why it does not: what opening
// failed with, or ErrClosed when it has served and is gone.
func (s *Store) Ready(ctx context.Context) error {
	select {
	case <-s.opened:
		select {
		case <-s.stopped:
			if s.err == nil {
				return s.closed()
			}
			return s.err // why it has never served
		default:
			return s.err
		}
	case <-ctx.Done():
		return ctx.Err()
	}
}
