package oracle

import (
	"cmp"
	"context"
	"slices"

	"github.com/actorstore/actorstore/commitlog/record"
	"github.com/actorstore/actorstore/reader"
)

// message compares a message that was got with the record that must be there.
func (c *check) message(name string, got *record.MessageExt, want *place) {
	if got.PhysicalOffset != want.r.Offset {
		c.bad("%s: offset %d gives the record at %d, want message %d at %d", name, want.u.offset,
			got.PhysicalOffset, want.r.Serial(), want.r.Offset)
		return
	}
	if diff := compare(&got.Message, &want.r.sent.Message); diff != "" {
		c.bad("%s: message %d at %d: %s", name, want.r.Serial(), want.r.Offset, diff)
	}
	if got.StoreTimestamp != want.r.StoreTimestamp {
		c.bad("%s: message %d at %d: store time %d, want %d", name, want.r.Serial(), want.r.Offset, got.StoreTimestamp, want.r.StoreTimestamp)
	}
}

type topicKey struct{ topic, key string }

// found is what a key must find.
type found struct {
	live, dead []int64 // physical offsets; dead: of a topic that was deleted since
}

// keys asks for every key.
func (c *check) keys(ctx context.Context) error {
	if c.o.NoIndex {
		return nil
	}
	want := make(map[topicKey]*found)
	for i := range c.f.Records {
		r := &c.f.Records[i]
		m := &r.sent.Message
		if c.halfGone(m.Topic) {
			continue
		}
		dead := c.m.epoch(m.Topic, r.sent) < c.f.gone[m.Topic]
		for _, key := range keysOf(m) {
			k := topicKey{m.Topic, key}
			if want[k] == nil {
				want[k] = &found{}
			}
			list := &want[k].live
			if dead {
				list = &want[k].dead
			}
			if n := len(*list); n == 0 || (*list)[n-1] != r.Offset {
				*list = append(*list, r.Offset)
			}
		}
	}
	want[topicKey{"never", "sent"}] = &found{}
	all := make([]topicKey, 0, len(want))
	for k := range want {
		all = append(all, k)
	}
	slices.SortFunc(all, func(a, b topicKey) int {
		return cmp.Or(cmp.Compare(a.topic, b.topic), cmp.Compare(a.key, b.key))
	})
	for _, k := range all {
		if err := c.key(ctx, k, want[k]); err != nil {
			return err
		}
	}
	return nil
}

func (c *check) key(ctx context.Context, k topicKey, want *found) error {
	res, err := c.view.Query(ctx, reader.QueryRequest{Topic: k.topic, Key: k.key})
	if err != nil {
		c.bad("key %s of %s: %v", k.key, k.topic, err)
		return ctx.Err()
	}
	var got []int64
	for i := range res.Messages {
		at := res.Messages[i].PhysicalOffset
		if !slices.Contains(want.dead, at) {
			got = append(got, at)
		}
	}
	most := max(c.o.MaxMatches, 1)
	live := want.live[max(0, len(want.live)-most):]
	if len(res.Messages) == most && len(got) < len(live) {
		live = live[len(live)-len(got):] // deleted ones took room
	}
	if !slices.Equal(got, live) {
		c.bad("key %s of %s: records at %v, want %v", k.key, k.topic, got, live)
	}
	return nil
}

// places looks some records up by physical offset, and what is between them.
func (c *check) places(ctx context.Context) error {
	for i := 0; i < len(c.f.Records); i += 1 + len(c.f.Records)/8 {
		r := &c.f.Records[i]
		m, err := c.view.Lookup(ctx, r.Offset)
		if err != nil {
			c.bad("lookup of message %d at %d: %v", r.Serial(), r.Offset, err)
			continue
		}
		if diff := compare(&m.Message, &r.sent.Message); diff != "" {
			c.bad("lookup of message %d at %d: %s", r.Serial(), r.Offset, diff)
		}
		if _, err := c.view.Lookup(ctx, r.Offset+1); err == nil {
			c.bad("lookup at %d finds a record, none starts there", r.Offset+1)
		}
	}
	if m, err := c.view.Lookup(ctx, c.f.End); err == nil {
		c.bad("lookup at the end %d of the log finds topic %s", c.f.End, m.Topic)
	}
	return ctx.Err()
}
