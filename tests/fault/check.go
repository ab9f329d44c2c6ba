package fault

import (
	"context"
	"errors"
	"fmt"

	"github.com/actorstore/actorstore"
)

// Reader is what an open store and an inspected one have in common.
type Reader interface {
	Get(context.Context, actorstore.GetRequest, *actorstore.GetResult) error
	Query(context.Context, actorstore.QueryRequest) (actorstore.QueryResult, error)
	Topics() []actorstore.TopicInfo
}

// Seen is where a message was found.
type Seen struct {
	QueueOffset, PhysicalOffset int64
}

// Read reads every queue of a store from its minimum to its end. The error
// lists what must not be: a message that cannot be read, was never sent, is
// there twice, differs, or is out of order.
func Read(ctx context.Context, r Reader) (map[int]Seen, error) {
	seen := map[int]Seen{}
	var wrong []error
	var got actorstore.GetResult
	for _, topic := range r.Topics() {
		for _, q := range topic.Queues {
			if q.Err != nil {
				wrong = append(wrong, fmt.Errorf("%s-%d: %w", topic.Topic, q.ID, q.Err))
				continue
			}
			for at := q.Min; at < q.Max; at = got.NextOffset {
				req := actorstore.GetRequest{Topic: topic.Topic, QueueID: q.ID, Offset: at, MaxCount: 100}
				if err := r.Get(ctx, req, &got); err != nil {
					wrong = append(wrong, fmt.Errorf("get %s-%d at %d: %w", topic.Topic, q.ID, at, err))
					break
				}
				if got.Status == actorstore.OffsetTooSmall && got.NextOffset > at {
					continue // retention has moved the minimum meanwhile
				}
				if got.Status != actorstore.Found || got.NextOffset <= at {
					wrong = append(wrong, fmt.Errorf("get %s-%d at %d of [%d,%d): %v, next %d",
						topic.Topic, q.ID, at, q.Min, q.Max, got.Status, got.NextOffset))
					break
				}
				for i := range got.Messages {
					m := &got.Messages[i]
					at = max(at, m.QueueOffset) // retention may be ahead of the queue's minimum
					if err := see(seen, m, topic.Topic, q.ID, at); err != nil {
						wrong = append(wrong, err)
					}
					at++
				}
			}
		}
	}
	return seen, errors.Join(wrong...)
}

func see(seen map[int]Seen, m *actorstore.MessageExt, topic string, queue int32, offset int64) error {
	id := IDOf(m.Body)
	if before, twice := seen[id]; twice {
		return fmt.Errorf("message %d is at %d and at %d", id, before.PhysicalOffset, m.PhysicalOffset)
	}
	if id < 0 || string(m.Body) != string(Body(id, len(m.Body))) {
		return fmt.Errorf("%s-%d at %d: a body that was never sent: %.40q", topic, queue, offset, m.Body)
	}
	if m.Topic != topic || m.QueueID != queue || m.QueueOffset != offset {
		return fmt.Errorf("message %d is %s-%d at %d, found at %s-%d %d",
			id, m.Topic, m.QueueID, m.QueueOffset, topic, queue, offset)
	}
	seen[id] = Seen{m.QueueOffset, m.PhysicalOffset}
	return nil
}

// Promised says which acknowledged messages must be there: those whose bytes
// end at or below upTo.
func (c *Client) Promised(upTo int64) func(*Put) bool {
	return func(p *Put) bool { return p.Outcome == Acked && p.Result.End() <= upTo }
}

// Check compares a store with what its client was told. min is the store's first
// physical offset: retention has taken what is below. must says which messages
// have to be there; behind them there may be a prefix of what was sent.
func (c *Client) Check(ctx context.Context, r Reader, min int64, must func(*Put) bool) error {
	seen, err := Read(ctx, r)
	wrong := []error{err}
	missing := -1 // the first that was sent and is not there
	for _, p := range c.Puts {
		at, is := seen[p.ID]
		surely, perhaps := c.gone(p)
		expired := p.Outcome == Acked && p.Result.PhysicalOffset < max(min, c.Expired)
		switch {
		case surely:
			if is {
				wrong = append(wrong, fmt.Errorf("message %d of deleted topic %s is there", p.ID, p.Topic))
			}
		case is && p.Outcome == Refused:
			wrong = append(wrong, fmt.Errorf("message %d is there, its put was refused: %v %v", p.ID, p.Result.Status, p.Result.Err))
		case !is && must(p) && !perhaps && !expired:
			wrong = append(wrong, fmt.Errorf("message %d of %s-%d is lost: acknowledged at queue offset %d, physical %d",
				p.ID, p.Topic, p.QueueID, p.Result.QueueOffset, p.Result.PhysicalOffset))
		case is && missing >= 0:
			wrong = append(wrong, fmt.Errorf("message %d is there, %d sent before it is not", p.ID, missing))
		case is && p.Outcome == Acked && p.Nth == 0 && (at.QueueOffset != p.Result.QueueOffset || at.PhysicalOffset != p.Result.PhysicalOffset):
			wrong = append(wrong, fmt.Errorf("message %d is at %v, acknowledged at %d %d", p.ID, at, p.Result.QueueOffset, p.Result.PhysicalOffset))
		}
		if !is && missing < 0 && p.Outcome != Refused && !perhaps && !surely && !expired {
			missing = p.ID
		}
		if is && !perhaps && c.Options.MessageIndexEnable {
			wrong = append(wrong, c.query(ctx, r, p, at))
		}
	}
	for id := range seen {
		if id >= len(c.Puts) {
			wrong = append(wrong, fmt.Errorf("message %d was never sent", id))
		}
	}
	return errors.Join(wrong...)
}

// query wants exactly one message under the key of a put.
func (c *Client) query(ctx context.Context, r Reader, p *Put, at Seen) error {
	got, err := r.Query(ctx, actorstore.QueryRequest{Topic: p.Topic, Key: Key(p.ID)})
	if err != nil {
		return fmt.Errorf("query %s %s: %w", p.Topic, Key(p.ID), err)
	}
	if len(got.Messages) != 1 || got.Messages[0].PhysicalOffset != at.PhysicalOffset {
		return fmt.Errorf("query %s %s: %d messages, want the one at %d", p.Topic, Key(p.ID), len(got.Messages), at.PhysicalOffset)
	}
	return nil
}

// Settle takes what is there for what there is: every later opening must show
// the same again, so what may have been there or not is decided now.
func (c *Client) Settle() {
	seen, _ := Read(context.Background(), c.Store)
	for _, p := range c.Puts {
		if at, is := seen[p.ID]; is {
			p.Outcome, p.Nth = Acked, 0
			p.Result.QueueOffset, p.Result.PhysicalOffset = at.QueueOffset, at.PhysicalOffset
		} else {
			p.Outcome = Refused
		}
	}
	clear(c.Unsure)
	clear(c.Deleted)
}
