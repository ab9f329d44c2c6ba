package storetest

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/actorstore/actorstore"
)

// found is a record of the log by what a put knows of it.
type found struct {
	queue queueKey
	body  uint64
}

// violations holds what was put against what stands there: every acknowledged
// message is readable at its place with its body, in the order in which it was
// put; and nothing is there that was refused or never put.
func (h *History) violations(l *look) []Violation {
	h.mu.Lock()
	defer h.mu.Unlock()
	list := slices.Clone(h.broken)
	bad := func(format string, args ...any) {
		list = append(list, Violation{"history", fmt.Sprintf(format, args...)})
	}
	log := make(map[queueKey]map[int64]entry)
	there := make(map[found]int)
	for _, e := range l.entries {
		if e.blank || e.broken != nil {
			continue
		}
		if log[e.queue] == nil {
			log[e.queue] = make(map[int64]entry)
		}
		log[e.queue][e.number] = e
		there[found{e.queue, e.body}]++
	}
	if len(there) > 0 && len(h.puts) == 0 && !h.off {
		bad("the log holds messages, and no put was noted: nothing that was answered can be looked for. Put through the Store of this package, note puts with History.Note, or say History.Off")
	}
	topics, allowed := make(map[string]bool), make(map[found]int)
	for _, p := range h.puts {
		topics[p.queue.topic] = true
		if p.outcome != refused {
			allowed[found{p.queue, p.body}]++
		}
	}
	for f, n := range there {
		if topics[f.queue.topic] && n > allowed[f] {
			bad("%s-%d holds a message %d times that was put %d times, refused puts not counted", f.queue.topic, f.queue.id, n, allowed[f])
		}
	}
	h.acknowledged(l, log, bad)
	h.keyed(l, bad)
	h.inOrder(bad)
	return list
}

// acknowledged looks for each acknowledged message.
func (h *History) acknowledged(l *look, log map[queueKey]map[int64]entry, bad func(string, ...any)) {
	m := l.state.Watermarks
	for n, p := range h.puts {
		if p.outcome != acked || p.deleted || p.perhaps || p.end <= m.Min {
			continue
		}
		name := fmt.Sprintf("put %d, answered PUT_OK as %s-%d offset %d in [%d, %d),", n, p.queue.topic, p.queue.id, p.offset, p.from, p.end)
		e, ok := log[p.queue][p.offset]
		switch {
		case !ok:
			bad("%s is not in the log", name)
			continue
		case e.offset < p.from || e.offset >= p.end:
			bad("%s stands at %d", name, e.offset)
		case e.body != p.body:
			bad("%s has another body", name)
		}
		if l.shardParked() || l.behind() || p.end > m.Dispatched {
			continue
		}
		q := l.queues[p.queue]
		if q == nil || p.offset >= q.max {
			bad("%s is not in its queue", name)
		} else if i := p.offset - q.min; i >= 0 && i < int64(len(q.units)) && q.units[i].body != p.body {
			bad("%s is read from its queue with another body", name)
		}
	}
}

// keysChecked is how many of the acknowledged messages are looked up by key.
const keysChecked = 30

// keyed wants acknowledged messages found by their first key: a sample of them,
// since each costs a walk through the index.
func (h *History) keyed(l *look, bad func(string, ...any)) {
	if !l.indexed || l.behind() || l.parked["index"] {
		return
	}
	const most = 64
	for n := 0; n < len(h.puts); n += 1 + len(h.puts)/keysChecked {
		p := h.puts[n]
		if p.key == "" || p.outcome != acked || p.deleted || p.perhaps || p.from < l.state.Watermarks.Min || p.end > l.state.Watermarks.Dispatched {
			continue
		}
		found, err := l.files.Query(context.Background(), actorstore.QueryRequest{Topic: p.queue.topic, Key: p.key, End: math.MaxInt64, MaxCount: most})
		there := slices.ContainsFunc(found.Messages, func(m actorstore.MessageExt) bool {
			return m.PhysicalOffset >= p.from && m.PhysicalOffset < p.end
		})
		if err != nil || !there && len(found.Messages) < most { // else newer ones may have its key, too
			bad("put %d, at [%d, %d), is not found by its key %q: %v", n, p.from, p.end, p.key, err)
		}
	}
}

// inOrder wants a put that began after another's answer to stand behind it.
func (h *History) inOrder(bad func(string, ...any)) {
	byQueue := make(map[queueKey][]*put)
	for _, p := range h.puts {
		if p.outcome == acked && !p.deleted && !p.perhaps {
			byQueue[p.queue] = append(byQueue[p.queue], p)
		}
	}
	for key, list := range byQueue {
		slices.SortFunc(list, func(a, b *put) int { return cmp.Compare(a.offset, b.offset) })
		var latest *put // of those below, the one that began last
		for i, p := range list {
			if i > 0 && list[i-1].offset == p.offset {
				bad("%s-%d: two puts were answered with offset %d", key.topic, key.id, p.offset)
			}
			if latest != nil && p.ended < latest.begun {
				bad("%s-%d: offset %d was answered before the put of offset %d began", key.topic, key.id, p.offset, latest.offset)
			}
			if latest == nil || p.begun > latest.begun {
				latest = p
			}
		}
	}
}
