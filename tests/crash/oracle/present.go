package oracle

import (
	"context"

	"github.com/actorstore/actorstore/commitlog/record"
	"github.com/actorstore/actorstore/reader"
)

// Present wants every message that was acknowledged since the fork to stand at
// the place that its answer told.
func (m *Model) Present(ctx context.Context, view *reader.Reader) error {
	m.mu.RLock()
	defer m.mu.RUnlock()
	c := &check{m: m, view: view, v: Violation{Cut: Closed}}
	for _, s := range m.order {
		if s.acked(m.events) {
			c.present(ctx, s, s.Result.PhysicalOffset, s.Result.QueueOffset+int64(s.Index))
		}
	}
	return c.v.orNil()
}

// Shown wants a store that is open and read-only to show what the log has between
// min and end of what was found at the opening and acknowledged since. Topics of
// which a deletion was begun are left out.
func (m *Model) Shown(ctx context.Context, view *reader.Reader, min, end int64) error {
	m.mu.RLock()
	defer m.mu.RUnlock()
	c := &check{m: m, view: view, v: Violation{Cut: Running}}
	whole := func(s *Sent) bool {
		_, begun := m.deleted(s.Message.Topic, Snapshot{after: m.events})
		return m.epoch(s.Message.Topic, s) == begun
	}
	for i := range m.base {
		if r := &m.base[i]; r.Offset >= min && r.End <= end && whole(r.sent) {
			c.present(ctx, r.sent, r.Offset, r.QueueOffset)
		}
	}
	for _, s := range m.order {
		if s.acked(m.events) && s.Result.PhysicalOffset >= min && s.Result.End() <= end && whole(s) {
			c.present(ctx, s, s.Result.PhysicalOffset, s.Result.QueueOffset+int64(s.Index))
		}
	}
	return c.v.orNil()
}

// present wants a message at its places; the physical one of a batch is that of
// its first message.
func (c *check) present(ctx context.Context, s *Sent, physical, queue int64) {
	if s.Index == 0 {
		got, err := c.view.Lookup(ctx, physical)
		if err != nil {
			c.bad("LOST: message %d at %d: %v", s.Serial, physical, err)
			return
		}
		if diff := compare(&got.Message, &s.Message); diff != "" {
			c.bad("message %d at %d: %s", s.Serial, physical, diff)
		}
	}
	if record.IsTransactionPending(s.Message.SysFlag) {
		return
	}
	var g reader.GetResult
	err := c.view.Get(ctx, reader.GetRequest{Topic: s.Message.Topic, QueueID: s.Message.QueueID, Offset: queue, MaxCount: 1}, &g)
	if err != nil || len(g.Messages) == 0 || s.Index == 0 && g.Messages[0].PhysicalOffset != physical {
		c.bad("LOST: message %d is not at offset %d of its queue: %s %v", s.Serial, queue, g.Status, err)
	} else if diff := compare(&g.Messages[0].Message, &s.Message); diff != "" {
		c.bad("message %d at offset %d of its queue: %s", s.Serial, queue, diff)
	}
}
