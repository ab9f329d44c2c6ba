package main

import (
	"context"
	"errors"
	"io/fs"
	"math"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/actorstore/actorstore"
	"github.com/actorstore/actorstore/commitlog/record"
)

// storeFlags are the flags that say how a store is opened.
type storeFlags struct {
	segment, queueFile byteSize
	slots, entries     int
	lmq                bool
	recover            bool
	flush              string
	crc                bool
}

// sizes adds the flags that no command takes from the files found: those of a
// new store, and the geometry of an index that does not tell.
func (f *storeFlags) sizes(c *cobra.Command) {
	c.Flags().Var(&f.segment, "segment-size", "of a CommitLog segment in a new store (default 1GiB)")
	c.Flags().Var(&f.queueFile, "queue-file-size", "of a ConsumeQueue file in a new store (default 6000000)")
	f.geometry(c)
	c.Flags().BoolVar(&f.crc, "record-crc", true, "give each record a checksum over all its bytes")
}

func (f *storeFlags) geometry(c *cobra.Command) {
	c.Flags().IntVar(&f.slots, "index-slots", 0, "hash slots of an index file, where its size does not tell (maxHashSlotNum)")
	c.Flags().IntVar(&f.entries, "index-entries", 0, "entries of an index file, likewise (maxIndexNum)")
	c.Flags().BoolVar(&f.lmq, "lmq", false, "light queues are in use (default: if there are any)")
}

// flushing adds --flush.
func (f *storeFlags) flushing(c *cobra.Command, preset string) {
	c.Flags().StringVar(&f.flush, "flush", preset, "when a put is answered: async (in the page cache) or sync (on disk)")
	complete(c, "flush", "async", "sync")
}

// reading adds what reading commands have in common.
func (f *storeFlags) reading(c *cobra.Command) {
	c.Flags().BoolVar(&f.recover, "recover", false, "recover the store first, as opening it would; this writes to it")
	f.geometry(c)
}

// options are those of the store found at dir, with the flags on top.
func (a *app) options(dir string) (actorstore.Options, error) {
	o, err := actorstore.FoundOptions(dir)
	if err != nil {
		return o, err
	}
	f := &a.store
	if f.segment > 0 {
		o.MappedFileSizeCommitLog = int64(f.segment)
	}
	if f.queueFile > 0 {
		o.MappedFileSizeConsumeQueue = int64(f.queueFile)
	}
	if f.slots > 0 {
		o.MaxHashSlotNum = f.slots
	}
	if f.entries > 0 {
		o.MaxIndexNum = f.entries
	}
	if f.lmq || hasLightQueues(dir) {
		o.EnableLmq, o.EnableMultiDispatch = true, true
	}
	switch f.flush {
	case "", "async":
	case "sync":
		o.FlushDiskType = actorstore.SyncFlush
	default:
		return o, usage("--flush async, or --flush sync", "--flush %q is neither", f.flush)
	}
	// A command line is no broker: it must not delete anything because it is old
	// or the disk is full.
	o.FileReservedTime = math.MaxInt64 / 4
	o.CleanFileForciblyEnable = false
	o.Logger = a.logger()
	o.Events.Recovery = a.bar.event
	return o, nil
}

// hasLightQueues tells by the directories; whether they were enabled stands in
// no file of the store.
func hasLightQueues(dir string) bool {
	found, _ := filepath.Glob(filepath.Join(dir, "consumequeue", record.PrefixLMQ+"*"))
	return len(found) > 0
}

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
	if err := exists(dir); err != nil {
		return nil, err
	}
	o, err := a.options(dir)
	if err != nil {
		return nil, err
	}
	o.MessageIndexEnable = index
	defer a.bar.end()
	return actorstore.Inspect(ctx, o)
}

// exists makes sure that dir is a store before it is read.
func exists(dir string) error {
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
	if _, err := os.Stat(filepath.Join(dir, "commitlog")); errors.Is(err, fs.ErrNotExist) {
		return notFound(hint, "%s holds no store: it has no commitlog directory", dir)
	}
	return nil
}

// recover opens a store and closes it again.
func (a *app) recover(ctx context.Context, dir string) error {
	if err := exists(dir); err != nil {
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
	if err == nil && !opened.Clean && opened.End > opened.Min {
		a.note("%s was not closed cleanly: recovered in %s; the log ends at %d, %d bytes behind it were set aside, %d damaged places",
			o.StorePathRootDir, tookText(opened.Took), opened.End, opened.Cut, opened.Damaged)
	}
	return s, err
}

func (a *app) openStore(ctx context.Context, o actorstore.Options) (*actorstore.Store, actorstore.OpenedEvent, error) {
	// A reader of our output that goes away must not end us between two steps.
	signal.Ignore(syscall.SIGPIPE)
	defer a.bar.end()
	var opened actorstore.OpenedEvent
	o.Events.Opened = func(e actorstore.OpenedEvent) { opened = e }
	s, err := actorstore.Open(ctx, o)
	return s, opened, err
}

// closeTime is how long a store may take to close after an interrupt.
const closeTime = time.Minute

// close ends a store in order, also when the command was interrupted.
func (a *app) close(s *actorstore.Store) error {
	ctx, cancel := context.WithTimeout(context.Background(), closeTime)
	defer cancel()
	return s.Close(ctx)
}
