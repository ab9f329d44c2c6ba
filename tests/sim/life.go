package sim

import (
	"errors"

	"github.com/actorstore/actorstore/commitlog"
	"github.com/actorstore/actorstore/commitlog/checkpoint"
	"github.com/actorstore/actorstore/commitlog/record"
	"github.com/actorstore/actorstore/consumequeue"
	"github.com/actorstore/actorstore/dispatch"
	"github.com/actorstore/actorstore/flusher"
	"github.com/actorstore/actorstore/indexsvc"
	"github.com/actorstore/actorstore/progress"
	"github.com/actorstore/actorstore/reader"
	"github.com/actorstore/actorstore/recoverer"
	"github.com/actorstore/actorstore/retention"
	"github.com/actorstore/actorstore/tests/crash/oracle"
)

// windowCount is how far dispatch may be ahead of the slowest sink.
const windowCount = 4

// life is a process that has the store open: the cores, and around them what the
// actors keep. Their mailboxes are lists, and a step takes from one of them.
type life struct {
	w *world

	layout  checkpoint.Layout
	lock    *checkpoint.StoreLock
	log     *commitlog.Log
	alloc   *commitlog.Allocator
	offsets *commitlog.OffsetTable
	queues  *consumequeue.Store
	index   *indexsvc.Service
	reader  *reader.Reader
	report  recoverer.Report
	deleted checkpoint.DeletedTopics
	limits  record.Limits
	sync    bool // SYNC_FLUSH
	began   int64
	least   int64 // of the log when it was opened

	// append
	mailbox   []*put
	encoded   []*put // not published
	published []*put // not handed over
	out       *commitlog.Appender
	inner     map[queueName]bool
	pairDown  bool // append and flusher have died
	doubtful  bool
	refusing  bool // the disk is nearly full

	// flusher
	chains  []flusher.Chain
	gate    flusher.Gate
	disk    *commitlog.Syncer
	policy  flusher.Policy
	covered bool // a flush has ended whose waiters wait for the answer
	// besideSync is how many steps of others may fall into the sync under way.
	besideSync int

	flight []*put // accepted, not answered

	dispatcher
	progress *progress.Writer
	keeper   keeper
	deleting *deleting
	deletes  int
}

// put is one call of a client.
type put struct {
	flusher.Waiter
	sent     []*oracle.Sent
	message  record.Message
	batch    []record.Message // instead of message
	taken    bool             // its body is in use
	answered int              // calls of OnSettled
	recycled int
	left     bool // the client has gone
}

func (p *put) topic() string { return p.message.Topic }

type queueName struct {
	topic string
	id    int32
}

// marks is what the store says about itself.
func (l *life) marks() oracle.Watermarks {
	w := oracle.Watermarks{Flushed: l.log.Flushed(), Min: l.log.Min()}
	if l.sync {
		w.Seen = l.log.Confirm()
	}
	return w
}

// failed makes the log read-only.
func (l *life) failed(cause error) {
	if !injected(cause) {
		l.w.fail("a write or flush failed on a healthy disk: %v", cause)
	}
	if l.log.Failed() == nil {
		l.w.fail("the log goes on after a failed write or flush: %v", cause)
	}
	_ = checkpoint.DisownMount(l.w.script, l.layout) // as the store does
}

// deletedEnd is the end of the log when a topic was deleted, 0 if it was not.
func (l *life) deletedEnd(topic string) int64 { return l.deleted[topic] }

func (l *life) rules() dispatch.Rules {
	return dispatch.Rules{Shards: l.w.setup.o.QueueShards, Kind: kindOf, Deleted: l.deletedEnd, MultiDispatch: true}
}

func kindOf(_ string, innerBatch bool) consumequeue.Kind {
	if innerBatch {
		return consumequeue.Batch
	}
	return consumequeue.Simple
}

// release lets everything go, whatever state it is in.
func (l *life) release() error {
	var errs []error
	if l.index != nil {
		errs = append(errs, l.index.Close())
	}
	if l.queues != nil {
		errs = append(errs, l.queues.Close())
	}
	if l.log != nil {
		l.log.Close()
	}
	if l.lock != nil {
		errs = append(errs, l.lock.Unlock())
	}
	return errors.Join(errs...)
}

// leaks wants a process that has gone to hold nothing.
func (w *world) leaks() {
	if files, maps := w.fs.OpenFiles(), w.fs.Mappings(); files != 0 || maps != 0 {
		w.fail("%d files are open and %d mapped after the end", files, maps)
	}
}

// keeper is what the retention actor keeps.
type keeper struct {
	core    *retention.Core
	survey  *retention.Survey
	cleaner *retention.Cleaner
	below   int64 // decided, not carried out yet
	pending bool
}
