package actorstore

import (
	"context"

	"github.com/actorstore/actorstore/actors"
	"github.com/actorstore/actorstore/commitlog"
	"github.com/actorstore/actorstore/commitlog/mapped"
	"github.com/actorstore/actorstore/reader"
	"github.com/actorstore/actorstore/recoverer"
)

// Entry is one thing that stands in the log, for Inspection.Walk.
type Entry = commitlog.Entry

// Report says what recovery found and did, or would do.
type Report = recoverer.Report

// Inspection is a store that is only looked at. It touches nothing on disk,
// takes no lock and works beside a process that uses the store; it shows what
// stands there at the moment of opening, after an unclean stop too.
type Inspection struct {
	view
	*actors.Inspection
}

// Inspect opens a store for looking at.
func Inspect(ctx context.Context, options Options) (*Inspection, error) {
	i, err := actors.Inspect(ctx, options)
	if err != nil {
		return nil, err
	}
	return &Inspection{view: view{func() (*reader.Reader, error) { return i.Reader(), nil }}, Inspection: i}, nil
}

// FoundOptions are DefaultOptions with the file sizes of the store that stands
// at root; where there is none the defaults remain. Open them with the flush
// type and limits of your choice.
func FoundOptions(root string) (Options, error) { return FoundOptionsAt(root, "") }

// FoundOptionsAt are FoundOptions of a store whose log lies elsewhere: at
// commitLog (storePathCommitLog), if that is not empty.
func FoundOptionsAt(root, commitLog string) (Options, error) {
	return actors.FoundOptions(mapped.OS(), root, commitLog)
}
