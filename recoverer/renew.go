package recoverer

import (
	"errors"
	"fmt"

	"github.com/actorstore/actorstore/commitlog"
	"github.com/actorstore/actorstore/commitlog/checkpoint"
	"github.com/actorstore/actorstore/commitlog/mapped"
)

// renew writes a segment anew in which nothing reaches the disk any more. Where
// that is not the cause, or fails too, the log ends at what is proven.
func (r *recovery) renew(cause error) error {
	var stuck *commitlog.StuckError
	if errors.As(cause, &stuck) {
		err := r.in.Log.Renew(stuck.Segment)
		if err == nil {
			return &RenewedError{Segment: stuck.Segment, Cause: cause}
		}
		cause = errors.Join(cause, err)
	}
	r.unproven(cause)
	return nil
}

// RenewedError says that a segment could not be made durable where it stood, and
// stands in another place now. The store is to be opened again, with that segment
// among commitlog.Options.Renewed.
type RenewedError struct {
	Segment int64 // its offset
	Cause   error
}

// Error names the segment and why.
func (e *RenewedError) Error() string {
	return fmt.Sprintf("segment %s was written anew; open the store again: %v", mapped.Name(e.Segment), e.Cause)
}

// Unwrap is why the segment was written anew.
func (e *RenewedError) Unwrap() error { return e.Cause }

// unproven ends the log at what is proven to be on disk, and for good.
func (r *recovery) unproven(cause error) {
	cause = fmt.Errorf("records from offset %d on may not be on disk, and could not be written again: %w", r.proven, cause)
	r.in.Log.Fail(cause)
	r.rep.ReadOnly = r.in.Log.Failed()
	r.rep.End = min(r.proven, r.rep.End)
	if r.rep.Last >= r.rep.End {
		r.rep.Last = -1
	}
	r.find(Finding{Where: CommitLog, Path: r.in.Layout.CommitLog(), Offset: r.rep.End, Want: "a disk that takes writes", Got: cause.Error()})
	// What could not be written may be dropped from the page cache, too.
	if err := checkpoint.DisownMount(r.in.FS, r.in.Layout); err != nil {
		r.find(Finding{Where: MarkFile, Path: r.in.Layout.MarkFile(), Want: "a mark that can be disowned", Got: err.Error()})
	}
}
