package main

import (
	"math"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/actorstore/actorstore"
)

// storeFlags are the flags that say how a store is opened.
type storeFlags struct {
	segment, queueFile byteSize
	slots, entries     int
	lmq                bool
	recover            bool
	commitLog          string
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
	c.Flags().StringVar(&f.commitLog, "commitlog", "", "the log's directory, if it is not DIR/commitlog (storePathCommitLog)")
	numberVar(c, &f.slots, "index-slots", "", 0, 1, "hash slots of an index file, where its size does not tell (maxHashSlotNum)")
	numberVar(c, &f.entries, "index-entries", "", 0, 2, "entries of an index file, where its size does not tell (maxIndexNum)")
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

// logDir is where the segments of a store lie.
func (a *app) logDir(dir string) string {
	if a.store.commitLog != "" {
		return a.store.commitLog
	}
	return filepath.Join(dir, "commitlog")
}

// options are those of the store found at dir, with the flags on top.
func (a *app) options(dir string) (actorstore.Options, error) {
	o, err := actorstore.FoundOptionsAt(dir, a.store.commitLog)
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
	if f.lmq {
		o.EnableLmq, o.EnableMultiDispatch = true, true
	}
	o.EnabledAppendPropCRC = f.crc
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
