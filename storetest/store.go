package storetest

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/actorstore/actorstore"
	"github.com/actorstore/actorstore/commitlog/mapped/mappedtest"
)

// Store is a running store whose script is being carried out. Put, PutBatch, Begin,
// BeginBatch, PutAsync and DeleteTopic note in History what was asked and answered;
// everything else is the store's own. While Crash, PowerCut or Reopen runs nobody may call it.
type Store struct {
	*actorstore.Store
	// History is what has been put, over all lives of the store.
	History *History

	options actorstore.Options // as they were given
	disk    *mappedtest.FS     // nil: a directory
	engine  *engine
	script  Script
	told    *told
	handed  atomic.Bool      // the disk may have rules that the engine does not know
	seen    map[int64]uint32 // records that a check has seen: checksum by place
}

// Options are those of a store in memory whose files are full soon, so that the
// borders of segments, queue files and index files are crossed within a few
// hundred puts. Change them as you like; on another FS than a mappedtest.FS the
// store has a real directory, and PowerCut is not to be had.
// The flush interval is 100 ms, since each tick takes time of yours, also in virtual time.
func Options() actorstore.Options {
	o := actorstore.DefaultOptions("/store")
	o.FS = mappedtest.NewFS()
	o.MappedFileSizeCommitLog = 64 << 10
	o.MappedFileSizeConsumeQueue = 20 * 64
	o.MapperFileSizeBatchConsumeQueue = 46 * 64
	o.MaxHashSlotNum, o.MaxIndexNum = 64, 512
	o.MaxMessageSize = 16 << 10
	o.FlushIntervalCommitLog = 100 * time.Millisecond
	o.FileReservedTime = 0 // for ever
	return o
}

// replay tells what was to go wrong, and what has.
func (s *Store) replay() string {
	return fmt.Sprintf("script: %v\nstruck: %s\nevents: %v", s.script, s.engine.list(), s.told.list())
}

// Add arms more faults; they count from now on. It panics if one cannot strike, such
// as one of an actor that this store has not.
func (s *Store) Add(faults ...Fault) {
	if err := Script(faults).fits(s.options); err != nil {
		panic(err)
	}
	s.engine.arm(faults)
	s.engine.opened(faults)
}

// Kill lets an actor panic at once, or as soon as it is back.
func (s *Store) Kill(actor string) { s.Add(Kill(actor)) }

// Release lets every actor and every call go on that stands still in a Hang.
func (s *Store) Release() { s.engine.release() }

// Heal takes all faults away and lets everybody go on. The clock goes on too.
func (s *Store) Heal() { s.engine.heal() }

// PauseClock lets the store's clock stand still until ResumeClock: Options.Now
// gives the same time for ever, and the ticks of flusher, checkpoint and
// retention wait. Pauses between the restarts of an actor, and the allocator's
// between two tries, go on: they are timers of the machine. In a synctest bubble
// all of these are virtual, and move only when every goroutine of it is blocked.
func (s *Store) PauseClock() { s.engine.pause() }

// ResumeClock lets the clock go on from where it stands; ticks that were due come
// at once, one to each actor.
func (s *Store) ResumeClock() { s.engine.resume() }

// Disk is the script before the store's files, for rules that Fault has not, and
// for its trace of calls.
func (s *Store) Disk() *mappedtest.Script {
	s.handed.Store(true)
	return s.engine.disk
}

// Struck lists the faults that have struck since the store was opened last, as
// Go source, in order.
func (s *Store) Struck() []string {
	s.engine.mu.Lock()
	defer s.engine.mu.Unlock()
	return append([]string(nil), s.engine.struck...)
}

// Close ends the store cleanly, if its script lets it. Actors that stand still
// hold it up until ctx ends or they are released.
func (s *Store) Close(ctx context.Context) error {
	err := s.Store.Close(ctx)
	if err == nil {
		s.engine.end()
	}
	return err
}
