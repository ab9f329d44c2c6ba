package crash

import (
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
