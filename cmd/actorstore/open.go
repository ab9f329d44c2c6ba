package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"github.com/actorstore/actorstore"
)

// inspect opens a store for looking at, and tells what is special about it.
func (a *app) inspect(ctx context.Context, dir string, index bool) (*actorstore.Inspection, error) {
	if a.store.recover {
		if err := a.recover(ctx, dir); err != nil {
			return nil, err
		}
	}
	i, err := a.look(ctx, dir, index)
	if err != nil {
		return nil, err
	}
	switch {
	case i.Locked():
		a.note("%s is in use by another process; this is how it stands now", dir)
	case !i.Clean():
		a.note("%s was not closed cleanly; this is how it stands (--recover recovers it first)", dir)
	}
	return i, nil
}

// look opens a store for looking at.
func (a *app) look(ctx context.Context, dir string, index bool) (*actorstore.Inspection, error) {
	if err := a.exists(dir); err != nil {
		return nil, err
	}
	defer a.bar.end()
	o, err := a.options(dir)
	for err == nil {
		o.MessageIndexEnable = index
		i, failed := actorstore.Inspect(ctx, o)
		if failed == nil {
			return i, nil
		}
		// A store that is just being made shows its sizes a moment later.
		before := sizesOf(&o)
		if o, err = a.options(dir); err == nil && sizesOf(&o) == before {
			return nil, failed
		}
	}
	return nil, err
}

// fileSizes are what FoundOptions tells by the files.
type fileSizes [6]int64

func sizesOf(o *actorstore.Options) fileSizes {
	return fileSizes{o.MappedFileSizeCommitLog, o.MappedFileSizeConsumeQueue, o.MapperFileSizeBatchConsumeQueue,
		o.MappedFileSizeConsumeQueueExt, int64(o.MaxHashSlotNum), int64(o.MaxIndexNum)}
}

// exists makes sure that dir is a store before it is read.
func (a *app) exists(dir string) error {
	const hint = "check the path; actorstore put DIR TOPIC BODY makes a new store"
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return notFound(hint, "no directory %s", dir)
	case err != nil:
		return err
	case !info.IsDir():
		return notFound(hint, "%s is a file, not the directory of a store", dir)
	}
	if a.store.commitLog != "" {
		if _, err := os.Stat(a.store.commitLog); errors.Is(err, fs.ErrNotExist) {
			return notFound("check the path", "--commitlog: no directory %s", a.store.commitLog)
		}
	} else if _, err := os.Stat(a.logDir(dir)); errors.Is(err, fs.ErrNotExist) {
		return notFound("--commitlog says where its log lies, if it has one; "+hint, "%s holds no store: it has no commitlog directory", dir)
	}
	return nil
}

// recover opens a store and closes it again.
func (a *app) recover(ctx context.Context, dir string) error {
	if err := a.exists(dir); err != nil {
		return err
	}
	o, err := a.options(dir)
	if err != nil {
		return err
	}
	s, err := a.open(ctx, o)
	if err != nil {
		return err
	}
	return errors.Join(s.Dispatched(ctx), a.close(s))
}

// open opens a store for writing and tells what recovery did.
func (a *app) open(ctx context.Context, o actorstore.Options) (*actorstore.Store, error) {
	s, opened, err := a.openStore(ctx, o)
	if err != nil {
		return nil, a.wrongSize(err)
	}
	how := "was not closed cleanly"
	if opened.Clean {
		how = "was closed cleanly, but is damaged"
	}
	if opened.Missing > 0 {
		a.note("%s: the log ends at %d, but %s behind that were on disk when it was last used by this engine; "+
			"they are gone, or another engine has cut them", o.StorePathRootDir, opened.End, counted(opened.Missing, "byte"))
	}
	switch {
	case opened.End > opened.Min && (!opened.Clean || opened.Cut > 0):
		a.note("%s %s: recovered in %s; the log ends at %s, %s behind it set aside, %s", o.StorePathRootDir, how,
			tookText(opened.Took), countText(opened.End), counted(opened.Cut, "byte"), counted(int64(opened.Damaged), "damaged place"))
	case opened.met > 0:
		a.noteAbout(opened.first, "%s was closed cleanly, but is damaged: %s, the first: %v", o.StorePathRootDir,
			counted(opened.met, "finding"), opened.first)
	}
	return s, nil
}

// opened is what opening told.
type opened struct {
	actorstore.OpenedEvent
	met   int64 // findings
	first error // of them
}

func (a *app) openStore(ctx context.Context, o actorstore.Options) (*actorstore.Store, opened, error) {
	// A reader of our output that goes away must not end us between two steps.
	signal.Ignore(syscall.SIGPIPE)
	defer a.bar.end()
	var mu sync.Mutex // damage is also told later, by those who read
	var now opened
	o.Events.Opened = func(e actorstore.OpenedEvent) {
		mu.Lock()
		defer mu.Unlock()
		now.OpenedEvent = e
	}
	o.Events.CorruptionFound = func(err error) {
		mu.Lock()
		defer mu.Unlock()
		if now.met++; now.first == nil {
			now.first = err
		}
	}
	complete, giveUp := context.WithCancelCause(ctx)
	defer giveUp(nil)
	o.Events.ActorRestarted = func(e actorstore.ActorEvent) {
		if e.Actor == "index" && e.Failures >= indexTries {
			giveUp(asError(e.Reason))
		}
	}
	s, err := actorstore.Open(ctx, o)
	if err == nil {
		err = a.awaitIndex(complete, s, &o, now.IndexBehind)
	}
	mu.Lock()
	defer mu.Unlock()
	return s, now, err
}

// indexTries is how often the index may fail while a command waits for it.
const indexTries = 8

func asError(reason any) error {
	if err, ok := reason.(error); ok {
		return err
	}
	return fmt.Errorf("%v", reason)
}

// awaitIndex waits for what the index takes in behind the open store, where the
// progress of that can be seen; a service would go on, also while the index fails.
func (a *app) awaitIndex(ctx context.Context, s *actorstore.Store, o *actorstore.Options, behind int64) error {
	if behind == 0 {
		return nil
	}
	if err := s.Dispatched(ctx); err != nil {
		if context.Cause(ctx) != nil {
			err = context.Cause(ctx)
		}
		return errors.Join(fmt.Errorf("%s: the index is not complete yet; the next opening goes on: %w", o.StorePathRootDir, err), a.close(s))
	}
	return nil
}

// wrongSize tells --segment-size of a store that has other segments from damage.
func (a *app) wrongSize(err error) error {
	given := int64(a.store.segment)
	found, ferr := actorstore.FoundOptionsAt(a.dir, a.store.commitLog)
	if !errors.Is(err, actorstore.ErrCorrupt) || given == 0 || ferr != nil || found.MappedFileSizeCommitLog == given {
		return err
	}
	return usage("leave --segment-size out: sizes are those of the files; if the file was cut, actorstore repair DIR --segment-size "+
		a.store.segment.String()+" says what can be done", "--segment-size: the segment found has %d bytes, got %d", found.MappedFileSizeCommitLog, given)
}

// closeTime is how long a store may take to close after an interrupt.
const closeTime = time.Minute

// close ends a store in order, also when the command was interrupted.
func (a *app) close(s *actorstore.Store) error {
	ctx, cancel := context.WithTimeout(context.Background(), closeTime)
	defer cancel()
	return s.Close(ctx)
}
