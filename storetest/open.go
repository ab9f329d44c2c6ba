package storetest

import (
	"context"
	"testing"

	"github.com/actorstore/actorstore"
	"github.com/actorstore/actorstore/commitlog/mapped/mappedtest"
)

// Start opens a store whose actors fail as the script says. It is for examples
// and programs; a test has it easier with Open.
func Start(ctx context.Context, o actorstore.Options, script Script) (*Store, error) {
	s := &Store{options: o, History: newHistory(), told: &told{}, seen: make(map[int64]uint32)}
	s.disk, _ = o.FS.(*mappedtest.FS)
	if err := s.open(ctx, script); err != nil {
		return nil, err
	}
	return s, nil
}

// Open is Start for a test: it fails the test if the store does not open, tells
// how to repeat the run if the test fails, and ends the store with the test. That
// it does not close cleanly fails the test too, if nothing has struck, no call of the
// disk has failed, and Disk was not asked for.
func Open(t testing.TB, o actorstore.Options, script Script) *Store {
	t.Helper()
	s, err := Start(context.Background(), o, script)
	if err != nil {
		t.Fatalf("open: %v\nscript: %v", err, script)
	}
	t.Cleanup(func() {
		if t.Failed() {
			t.Log(s.replay())
		}
		s.finish(t)
	})
	return s
}

// finish ends a store that its test has left open. An error of Close fails the test,
// unless something has gone wrong that was to.
func (s *Store) finish(t testing.TB) {
	t.Helper()
	_, closed := s.State()
	s.engine.end()
	err := s.Store.Close(context.Background())
	if err == nil || closed != nil {
		return
	}
	if s.handed.Load() || s.engine.faulty() {
		t.Logf("close, behind the faults: %v", err)
	} else {
		t.Errorf("close: %v\n%s", err, s.replay())
	}
}

func (s *Store) open(ctx context.Context, script Script) error {
	if err := script.fits(s.options); err != nil {
		return err
	}
	e := newEngine()
	e.turns = newTurns(script, actorsOf(s.options))
	e.clock.real = s.options.Now
	e.disk = mappedtest.NewScript(s.options.FS)
	o := s.options
	o.FS, o.Now, o.Faults, o.Events = e.disk, e.now, e, s.told.listen(o.Events)
	tell := o.Events.Opened
	o.Events.Opened = func(opened actorstore.OpenedEvent) { e.watch.opened(); tell(opened) }
	e.arm(script)
	run, err := actorstore.Open(ctx, o)
	if err != nil {
		return err
	}
	e.poke = func(actor string) error { return run.Actors().Poke(actor) }
	e.stop = func(actor string) { _ = run.Actors().StopActor(actor) }
	s.Store, s.engine, s.script = run, e, script
	e.watch.begin(run.State, o.FlushDiskType == actorstore.SyncFlush)
	e.opened(script)
	return nil
}
