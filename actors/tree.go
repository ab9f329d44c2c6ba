package actors

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/actorstore/actorstore/commitlog"
	"github.com/actorstore/actorstore/commitlog/checkpoint"
	"github.com/actorstore/actorstore/commitlog/mapped"
	"github.com/actorstore/actorstore/commitlog/record"
	"github.com/actorstore/actorstore/consumequeue"
	"github.com/actorstore/actorstore/dispatch"
	"github.com/actorstore/actorstore/flusher"
	"github.com/actorstore/actorstore/progress"
	"github.com/actorstore/actorstore/retention"
)

// ErrDiskFull is what errors.Is finds when puts are refused for want of space.
var ErrDiskFull = errors.New("disk is full")

// ErrRestarting is what errors.Is finds when the actor that a put had come to has
// just failed, or the store is opened anew because its supervisor has: nothing was
// written, and the put may be tried again.
var ErrRestarting = errors.New("store is restarting an actor")

// tree is what the actors of one open store share: its rooms, the way to each
// other, and whether puts are taken. It lives from open to close.
type tree struct {
	o         Options
	system    *actor.ActorSystem
	store     queue // of the store actor
	rooms     *rooms
	admission *admission

	limits record.Limits
	began  time.Time

	flusher placeBox
	readers []*readerRef
	turn    int // of the readers; the store actor's

	appendWake    *wake
	dispatchWake  *wake
	allocatorWake *wake
	flushing      atomic.Bool // SYNC_FLUSH: the flusher owes a flush
	syncing       atomic.Bool // the flusher is in a sync
	dispatching   fence
	read          atomic.Int64 // end of the log that dispatch has read

	sinks      []*sinkRef                      // shards of the queues, then the index if there is one
	spawned    atomic.Bool                     // all sinks have their actors
	windows    chan *dispatch.Window           // those that are free
	damagedTo  int64                           // end of the damage that was told of; dispatch's
	dispatched atomic.Pointer[progress.Record] // the last one that all sinks have taken in

	retention *retention.Core         // its actor's alone
	refusal   atomic.Pointer[refusal] // why puts are not taken
	readOnly  sync.Once               // tells of the failure that made it so
	doubtful  bool                    // append or flusher died: behind appended may stand anything
	deleting  *deletions              // the handle's

	calls    *callbacks // the handle's, as the next
	replies  *replies
	watch    *watcher
	over     chan struct{}             // closed when nobody is left to answer
	ending   sync.Once                 // closes it
	finished atomic.Int64              // steps of the end that are done
	lastStep atomic.Pointer[string]    // the one under way, nil before the end
	hung     atomic.Pointer[HungError] // who hangs, nil if nobody does
	pairHung atomic.Pointer[HungError] // append and flusher among them, but for a slow disk
}

// refusal is a status and its cause.
type refusal struct {
	status flusher.PutMessageStatus
	err    error
}

// writable is why the log takes no more bytes, nil if it does.
func (t *tree) writable() error { return t.rooms.log.Failed() }

// refused is why puts are not taken at the moment, nil if they are.
func (t *tree) refused() *refusal { return t.refusal.Load() }

// failed makes the store read-only after a write or flush that failed.
func (t *tree) failed(cause error) {
	t.rooms.log.Fail(cause)
	err := t.rooms.log.Failed()
	t.refusal.Store(&refusal{flusher.ServiceNotAvailable, err})
	t.readOnly.Do(func() {
		if err := checkpoint.DisownMount(t.rooms.fs, t.rooms.layout); err != nil {
			say(t.o.Logger.Warn().Err(err), "mark")
		}
		if f := t.o.Events.FlushFailed; f != nil {
			f(err)
		}
		t.sayReadOnly(err)
	})
}

// tellReadOnly tells of a store that recovery has found to be read-only.
func (t *tree) tellReadOnly() {
	if err := t.rooms.report.ReadOnly; err != nil {
		t.readOnly.Do(func() { t.sayReadOnly(err) })
	}
}

func (t *tree) sayReadOnly(err error) {
	if f := t.o.Events.ReadOnly; f != nil {
		f(err)
	}
	say(t.o.Logger.Error().Err(err), "store is read-only")
}

// noSegment tells that the next segment could not be made. Puts are refused
// one by one until the allocator succeeds. It returns what they are told: where it
// is for want of space, so much is in the error.
func (t *tree) noSegment(err error) error {
	say(t.o.Logger.Warn().Err(err), "no segment")
	t.allocatorWake.ring()
	if mapped.NoSpace(err) {
		return fmt.Errorf("%w: %w", ErrDiskFull, err)
	}
	return err
}

// diskFull refuses puts, or takes them again.
func (t *tree) diskFull(full bool, cause error) {
	now := t.refusal.Load()
	isFull := now != nil && errors.Is(now.err, ErrDiskFull)
	switch {
	case full && now == nil:
		if !t.refusal.CompareAndSwap(nil, &refusal{flusher.CreateMappedFileFailed, fmt.Errorf("%w: %w", ErrDiskFull, cause)}) {
			return
		}
	case !full && isFull:
		if !t.refusal.CompareAndSwap(now, nil) {
			return // the log has failed meanwhile, which stays
		}
	default:
		return
	}
	if f := t.o.Events.DiskFull; f != nil {
		f(full, cause)
	}
}

// corruption tells of damage that dispatch has come to, once however often it
// reads the place again. A read that was there first has counted it.
func (t *tree) corruption(d *dispatch.Damage) {
	if d.Next <= t.damagedTo {
		return
	}
	if f := t.o.Events.CorruptionFound; f != nil {
		f(d.Err)
	}
	say(t.o.Logger.Error().Err(d.Err), "corruption")
	if !t.rooms.knows(d.Err) {
		t.rooms.met(d.Err, d.Next)
		t.rooms.damaged.Add(1)
	}
	t.damagedTo = d.Next
}

// refuse answers a message that reached an actor which has stopped (A1).
func (t *tree) refuse(message any) {
	if e, ok := message.(*actor.MessageEnvelope); ok {
		message = e.Message
	}
	cause := t.writable()
	if cause == nil {
		cause = t.leaving()
	}
	if cause == nil {
		cause = ErrRestarting
	}
	switch m := message.(type) {
	case *putRequest:
		defer t.admission.leave(m.Weight)
		if m.Take() {
			m.Fail(flusher.ServiceNotAvailable, &PutError{flusher.ServiceNotAvailable, cause})
		}
	case *chain:
		t.each(&m.Chain, func(w *flusher.Waiter) {
			w.Fail(flusher.FlushDiskTimeout, &PutError{flusher.FlushDiskTimeout,
				fmt.Errorf("%w: %w", flusher.ErrOutcomeUnknown, cause)})
		})
	case *dispatch.Window:
		t.windowDone(m)
	case *flushNow:
		m.reply(cause)
	case *barrier:
		m.reply(0, cause)
	case *forgetTopic:
		m.reply(cause)
	}
}

// appender is the append actor.
func (t *tree) appender() *place { return t.appendWake.target.Load() }

// idle says that the flusher has time: what gathered meanwhile may come.
func (t *tree) idle() {
	if t.flushing.Swap(false) {
		t.appendWake.ring()
	}
}

// windowDone gives a window back once all sinks are done with it.
func (t *tree) windowDone(w *dispatch.Window) {
	if w.Done() {
		t.windows <- w // its capacity is the number of windows
	}
	t.dispatchWake.ring()
}

// grown wakes those who wait for a queue.
func (t *tree) grown(q *consumequeue.Queue) {
	t.rooms.notifier.Advanced(q.Topic(), q.ID(), q.MaxOffset())
}

// limitsOf are the limits of messages under these options.
func limitsOf(o *Options) record.Limits {
	return record.Limits{
		MaxMessageSize: o.MaxMessageSize, SegmentSize: o.MappedFileSizeCommitLog,
		AppendPropCRC: o.EnabledAppendPropCRC, Host: o.BrokerAddr,
	}
}

// log is a short name for what most shells need.
func (t *tree) log() *commitlog.Log { return t.rooms.log }
