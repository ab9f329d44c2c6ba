package recoverer

import (
	"errors"
	"fmt"

	"github.com/actorstore/actorstore/commitlog"
	"github.com/actorstore/actorstore/commitlog/checkpoint"
	"github.com/actorstore/actorstore/commitlog/mapped"
	"github.com/actorstore/actorstore/commitlog/record"
	"github.com/actorstore/actorstore/consumequeue"
	"github.com/actorstore/actorstore/indexsvc"
)

// Input is a store that has been opened and not yet used.
type Input struct {
	FS     mapped.FS
	Layout checkpoint.Layout
	Log    *commitlog.Log
	Queues *consumequeue.Store
	Index  *indexsvc.Service // nil if disabled

	State

	// SyncFlush: from now on nothing is dispatched before it is durable
	// (SYNC_FLUSH). The mark tells the next recovery.
	SyncFlush bool
	// Kind tells the kind of a topic's queues that do not exist yet; nil: by the
	// record's inner-batch bit. A queue that exists keeps its kind.
	Kind func(topic string, innerBatch bool) consumequeue.Kind
	// MultiDispatch gives units in the light queues that a record names.
	MultiDispatch bool
	Delays        *record.DelayTable // nil = the default levels
	// CheckAll checks what an opening takes on trust, for a store in which damage
	// was met: every unit of every queue whatever the summary says, and the space
	// behind the log's end whatever the last stop was like.
	CheckAll bool
	// InUse: another process has the store open and goes on writing. Inspect and
	// Verify then end at the first bad place that nothing proves to be damage.
	InUse bool
	// DeferIndex leaves to the caller what the index lacks, if that is at least so
	// many bytes of log: Report.IndexFrom. 0 = never.
	DeferIndex int64

	// Parallel runs f(0) to f(n-1), at once or not; nil: one after the other.
	Parallel func(n int, f func(i int))
	Progress func(Progress) // may be nil
	Warn     func(Finding)  // told of each finding at once; may be nil
}

// State is what the small files of a store say.
type State struct {
	Clean      bool // there is no abort marker
	Checkpoint checkpoint.Checkpoint
	Marks      []checkpoint.Mark // those that are whole, newest first
	Summary    *checkpoint.QueueSummary
	Deleted    checkpoint.DeletedTopics
	Known      []checkpoint.Damage // of the log, from earlier recoveries and reads
}

// ReadState reads the small files. One that is damaged counts as absent and is
// a finding; only the disk's own errors are returned. It changes nothing.
func ReadState(fsys mapped.FS, layout checkpoint.Layout) (State, []Finding, error) {
	var s State
	var found []Finding
	abort, err := checkpoint.HasAbort(fsys, layout)
	if err != nil {
		return s, nil, err
	}
	s.Clean = !abort
	if s.Checkpoint, _, err = checkpoint.ReadCheckpoint(fsys, layout.CheckpointFile()); err != nil {
		if found, err = damagedFile(found, CheckpointFile, err); err != nil {
			return s, found, err
		}
	}
	if s.Marks, err = checkpoint.ReadMarks(fsys, layout); err != nil {
		if found, err = damagedFile(found, MarkFile, err); err != nil {
			return s, found, err
		}
	}
	if s.Summary, err = checkpoint.ReadQueues(fsys, layout); err != nil {
		if found, err = damagedFile(found, SummaryFile, err); err != nil {
			return s, found, err
		}
	}
	if s.Deleted, err = checkpoint.ReadDeleted(fsys, layout); err != nil {
		if found, err = damagedFile(found, DeletedFile, err); err != nil {
			return s, found, err
		}
	}
	if s.Known, err = checkpoint.ReadDamage(fsys, layout); err != nil {
		s.Known = nil
		if found, err = damagedFile(found, DamageFile, err); err != nil {
			return s, found, err
		}
	}
	return s, found, nil
}

// damagedFile turns the damage of a small file into a finding.
func damagedFile(found []Finding, where Where, err error) ([]Finding, error) {
	var ce *record.CorruptionError
	if !errors.As(err, &ce) {
		return found, err
	}
	return append(found, findingOf(where, err)), nil
}

func (in *Input) check() error {
	if in.FS == nil || in.Log == nil || in.Queues == nil {
		return fmt.Errorf("recover: file system, log and queues must be given")
	}
	if in.Parallel == nil {
		in.Parallel = func(n int, f func(int)) {
			for i := range n {
				f(i)
			}
		}
	}
	if in.Progress == nil {
		in.Progress = func(Progress) {}
	}
	if in.Warn == nil {
		in.Warn = func(Finding) {}
	}
	if in.Kind == nil {
		in.Kind = func(_ string, innerBatch bool) consumequeue.Kind {
			if innerBatch {
				return consumequeue.Batch
			}
			return consumequeue.Simple
		}
	}
	return nil
}

// Phase is a part of the work.
type Phase string

// The phases that take time.
const (
	PhaseScan    Phase = "scan"    // find the end of the log
	PhaseRewrite Phase = "rewrite" // make its end durable
	PhaseQueues  Phase = "queues"  // find the ends of the queues
	PhaseReplay  Phase = "replay"  // make queues and index right
	PhaseIndex   Phase = "index"   // what is left to do for the index alone
)

// Progress tells how far a phase has come, in bytes of log or in queues.
type Progress struct {
	Phase       Phase
	Done, Total int64
}
