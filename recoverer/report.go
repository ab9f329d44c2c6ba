package recoverer

import (
	"errors"
	"fmt"

	"github.com/actorstore/actorstore/commitlog"
	"github.com/actorstore/actorstore/commitlog/checkpoint"
	"github.com/actorstore/actorstore/commitlog/mapped"
	"github.com/actorstore/actorstore/commitlog/record"
)

// Where names the part of a store that a finding is about.
type Where string

// The parts of a store.
const (
	CommitLog      Where = "commitlog"
	ConsumeQueue   Where = "consumequeue"
	Index          Where = "index"
	CheckpointFile Where = "checkpoint"
	MarkFile       Where = "mark"
	SummaryFile    Where = "queue summary"
	DeletedFile    Where = "deleted topics"
	DamageFile     Where = "known damage"
)

// Finding is one thing that is not as it must be.
type Finding struct {
	Where  Where
	Path   string // file, or topic-queueId where no file is at fault
	Offset int64  // physical offset in the log, queue offset in a queue, else position in the file
	End    int64  // of the range, exclusive; 0 = a single place
	Want   string
	Got    string
	// Torn: a process that died leaves this behind the end of a log; it is cut, and
	// nothing that was acknowledged was in it.
	Torn bool
}

// String is one line: part, file, place, expectation.
func (f Finding) String() string {
	place := fmt.Sprintf("offset %d", f.Offset)
	if f.End > f.Offset {
		place = fmt.Sprintf("offsets %d to %d", f.Offset, f.End)
	}
	return fmt.Sprintf("%s: %s: %s: want %s, got %s", f.Where, f.Path, place, f.Want, f.Got)
}

// findingOf puts an error about bytes into a finding.
func findingOf(where Where, err error) Finding {
	var ce *record.CorruptionError
	if errors.As(err, &ce) {
		return Finding{Where: where, Path: ce.Path, Offset: ce.Offset, Want: ce.Want, Got: ce.Got}
	}
	var fault *mapped.FaultError
	if errors.As(err, &fault) {
		return Finding{Where: where, Path: fault.Path, Offset: fault.Offset, Want: "a page that can be read", Got: err.Error()}
	}
	return Finding{Where: where, Want: "no error", Got: err.Error()}
}

// Damage is a range inside the log that holds no readable record. Its records
// are lost; those in front of it and behind it are not.
type Damage struct {
	Offset, Next int64 // physical, Next exclusive
	Path         string
	Err          error // what was found at Offset
}

// Report says what was found and done.
type Report struct {
	Plan Plan
	Min  int64 // first physical offset of the log
	End  int64 // end of the log
	Last int64 // start of the last record, -1 if there is none
	// Writer is where the one who uses the store was just writing: what stands
	// from there on is not judged. -1 if nobody was met.
	Writer int64

	Damage []Damage // inside the log, in order
	// Missing is how much of what a mark says was on disk lies behind the end: it
	// is gone, or another engine has cut it.
	Missing int64
	Cut     int64    // bytes behind the end that were kept aside and zeroed
	Aside   []string // where they are
	// OldEnd is where good records stopped being new: those behind it were left
	// by another engine's truncation and were cut; -1 if there were none.
	OldEnd    int64
	Rewritten int64 // bytes written again because nothing proved them durable
	// ReadOnly is why the log takes no puts: its end is in doubt, or could not
	// be made durable. nil = it does.
	ReadOnly error

	Scanned        int64 // bytes of log looked at to find the end
	SegmentsRead   int   // segments that this touched
	Replayed       int64 // bytes of log read to make queues and index right
	Records        int64 // records among them
	Queues         int   // queues that exist now
	QueuesChecked  int   // of them compared unit by unit
	UnitsAppended  int64
	UnitsRewritten int64
	UnitsCut       int64
	Holes          int64 // units that stand for damaged records
	Isolated       int64 // records with a name that must not become a directory, or an offset that fits no queue

	// IndexFrom is the physical offset from which the index lacks records; -1
	// if it lacks none or is disabled. IndexErr is why, if it was to be filled.
	IndexFrom int64
	IndexErr  error

	Offsets    *commitlog.OffsetTable // next offset of every queue
	Checkpoint checkpoint.Checkpoint  // as it stands on disk now
	Findings   []Finding              // everything that was not as it must be
}

// IndexBehind is how much log the index lacks, in bytes.
func (r *Report) IndexBehind() int64 {
	if r.IndexFrom < 0 {
		return 0
	}
	return r.End - r.IndexFrom
}
