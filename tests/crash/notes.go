package crash

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"github.com/actorstore/actorstore/actors"
)

// notes are what a store tells about itself while it is checked.
type notes struct {
	mu   sync.Mutex
	list []string
}

func (n *notes) add(format string, args ...any) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if len(n.list) < 100 {
		n.list = append(n.list, fmt.Sprintf(format, args...))
	}
}

func (n *notes) forget() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.list = nil
}

// String is a line for each.
func (n *notes) String() string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return "    " + strings.Join(n.list, "\n    ")
}

// events writes them down.
func (n *notes) events() actors.Events {
	return actors.Events{
		Opened:          func(e actors.OpenedEvent) { n.add("opened: %+v", e) },
		SegmentsExpired: func(min int64, why string) { n.add("expired: now from %d, %s", min, why) },
		FlushFailed:     func(err error) { n.add("flush failed: %v", err) },
		ReadOnly:        func(err error) { n.add("read-only: %v", err) },
		CorruptionFound: func(err error) { n.add("corruption: %v", err) },
		ActorRestarted:  func(e actors.ActorEvent) { n.add("restarted: %+v", e) },
		SinkParked:      func(e actors.ActorEvent) { n.add("parked: %+v", e) },
	}
}

// before tells what stands in an image, in case it is opened with a violation.
func (im *image) before(ctx context.Context) string {
	i, err := actors.Inspect(ctx, im.options(im.fs.Kill()))
	if err != nil {
		return "    " + err.Error()
	}
	defer i.Close()
	p, state := i.Report().Plan, i.State()
	s := fmt.Sprintf("    clean %v, log [%d, %d), scan from %d, own %v, trusted %v (%s), no mark because %q", i.Clean(), p.Min, p.Limit,
		p.ScanFrom, p.Own, p.Trusted, p.WhyAll, p.WhyNoMark)
	for _, m := range state.Marks {
		s += fmt.Sprintf("\n    mark %+v", m)
	}
	if q := state.Summary; q != nil {
		s += fmt.Sprintf("\n    summary up to %d, index to %d, %d queues", q.Dispatched, q.IndexApplied, len(q.Queues))
	}
	return s + fmt.Sprintf("\n    checkpoint %+v, digest %v\n    deleted %v", state.Checkpoint, state.Checkpoint.Digest(), state.Deleted)
}
