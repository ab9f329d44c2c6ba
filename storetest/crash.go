package storetest

import (
	"context"
	"math"

	"github.com/actorstore/actorstore"
	"github.com/actorstore/actorstore/commitlog/mapped/mappedtest"
)

// Crash ends the store as kill -9 does, at this moment: what was written is
// there, what was in memory is not. Reopen opens what is left. A store in a
// directory is left without a flush and with its abort marker instead.
func (s *Store) Crash() {
	s.cut(math.MaxInt64, func(d *mappedtest.FS) *mappedtest.FS { return d.Kill() })
}

// PowerCut ends the store as a power cut does: what was not synced is there, is
// not, or is torn, by mode and seed. Messages that were answered but not flushed
// (ASYNC_FLUSH) may then be gone, the latest first. Only for a store in memory.
func (s *Store) PowerCut(seed uint64, mode mappedtest.Mode) {
	if s.disk == nil {
		panic("storetest: a power cut needs a mappedtest.FS")
	}
	promised := int64(0)
	if state, err := s.State(); err == nil {
		promised = state.Watermarks.Flushed
	}
	s.cut(promised, func(d *mappedtest.FS) *mappedtest.FS { return d.Crash(seed, mode) })
}

// cut takes the image and ends the store that goes on beside it. The history is
// cut first: what is answered later may not be in the image.
func (s *Store) cut(promised int64, image func(*mappedtest.FS) *mappedtest.FS) {
	s.History.cut(promised)
	for at := range s.seen {
		if at >= promised {
			delete(s.seen, at)
		}
	}
	if s.disk != nil {
		s.disk = image(s.disk)
		s.options.FS = s.disk
	}
	s.abandon()
}

// abandon ends the running store without giving it time for anything.
func (s *Store) abandon() {
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	_ = s.Store.Close(ended) // says that it has not finished
	s.engine.end()
	_ = s.Store.Close(context.Background()) // waits until it is gone
}

// Reopen closes the store, unless it has crashed or is closed, and opens it
// again with another script. The error is that of either: where closing fails the
// store is not opened, and another Reopen does that.
func (s *Store) Reopen(ctx context.Context, script Script) error {
	if _, err := s.State(); err == nil {
		if err := s.Close(ctx); err != nil {
			return err
		}
	}
	s.engine.end()
	return s.open(ctx, script)
}

// inspect looks at the files, past all faults.
func (s *Store) inspect(ctx context.Context) (*actorstore.Inspection, error) {
	o := s.options
	o.Events = actorstore.Events{} // what it finds is not the store's
	return actorstore.Inspect(ctx, o)
}
