package oracle

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/actorstore/actorstore/reader"
)

// place is a record in a queue.
type place struct {
	r *Record
	u unit
}

// queues wants every queue to hold just the records that the log has for it.
func (c *check) queues(ctx context.Context) error {
	want := make(map[string]map[int][]queueOf) // topic, epoch
	for i := range c.f.Records {
		r := &c.f.Records[i]
		for _, u := range r.units {
			e := c.m.epoch(u.topic, r.sent)
			if want[u.topic] == nil {
				want[u.topic] = make(map[int][]queueOf)
			}
			want[u.topic][e] = addPlace(want[u.topic][e], u.id, place{r: r, u: u})
		}
	}
	c.dense(want)
	have := make(map[string][]reader.QueueInfo)
	for _, t := range c.view.Topics() {
		have[t.Topic] = t.Queues
		if want[t.Topic] == nil {
			want[t.Topic] = nil
		}
	}
	for _, topic := range slices.Sorted(maps.Keys(want)) {
		if err := c.topic(ctx, topic, want[topic], have[topic]); err != nil {
			return err
		}
	}
	return nil
}

// queueOf is what the log has for one queue of a topic.
type queueOf struct {
	id     int32
	places []place
}

func addPlace(list []queueOf, id int32, p place) []queueOf {
	for i := range list {
		if list[i].id == id {
			list[i].places = append(list[i].places, p)
			return list
		}
	}
	return append(list, queueOf{id, []place{p}})
}

// dense wants the offsets in the records themselves to be dense, from 0 on where
// the log still has the beginning and a deletion has not failed in front of them.
func (c *check) dense(want map[string]map[int][]queueOf) {
	for topic, epochs := range want {
		for e, queues := range epochs {
			for _, q := range queues {
				next := int64(0)
				for i, p := range q.places {
					if i == 0 && (c.f.Min > 0 || c.m.continues(topic, e)) {
						next = p.u.offset
					}
					if p.u.offset != next {
						c.bad("log: message %d at %d has offset %d in %s-%d, want %d", p.r.Serial(), p.r.Offset, p.u.offset, topic, q.id, next)
					}
					next = p.u.offset + p.u.num
				}
			}
		}
	}
}

// topic compares the queues of one topic. A deletion that was under way may have
// happened or not, but for the topic as a whole.
func (c *check) topic(ctx context.Context, topic string, want map[int][]queueOf, have []reader.QueueInfo) error {
	done, begun := c.m.deleted(topic, c.at)
	if c.halfGone(topic) {
		return nil
	}
	var first []string
	for gone := begun; gone >= done; gone-- {
		try := &check{view: c.view, f: c.f, cut: c.cut}
		if err := try.queuesOf(ctx, topic, want, gone, have); err != nil {
			return err
		}
		if len(try.v.What) == 0 {
			if begun > 0 {
				c.f.gone[topic] = gone
			}
			return nil
		}
		if first == nil || gone == done {
			first = try.v.What
		}
	}
	for _, s := range first {
		c.bad("%s (deleted %d to %d times)", s, done, begun)
	}
	return nil
}

// queuesOf compares the queues of a topic that was deleted gone times.
func (c *check) queuesOf(ctx context.Context, topic string, want map[int][]queueOf, gone int, have []reader.QueueInfo) error {
	expect := make(map[int32][]place)
	for _, e := range slices.Sorted(maps.Keys(want)) {
		if e < gone {
			continue
		}
		for _, q := range want[e] {
			if n := len(expect[q.id]); n > 0 {
				if last := &expect[q.id][n-1].u; last.offset+last.num != q.places[0].u.offset {
					c.bad("%s-%d: messages from before and after a deletion", topic, q.id)
				}
			}
			expect[q.id] = append(expect[q.id], q.places...)
		}
	}
	for _, q := range have {
		if q.Err != nil {
			c.bad("%s-%d: %v", topic, q.ID, q.Err)
		}
		if err := c.queue(ctx, topic, q, expect[q.ID]); err != nil {
			return err
		}
		delete(expect, q.ID)
	}
	for id, places := range expect {
		c.bad("%s-%d: no queue, but %d records, first at %d", topic, id, len(places), places[0].r.Offset)
	}
	return nil
}

// queue reads one queue from its first to its last offset.
func (c *check) queue(ctx context.Context, topic string, q reader.QueueInfo, want []place) error {
	name := fmt.Sprintf("%s-%d", topic, q.ID)
	lo, hi := q.Max, q.Max
	if n := len(want); n > 0 {
		lo, hi = want[0].u.offset, want[n-1].u.offset+want[n-1].u.num
	}
	if c.cut == Running && q.Min < lo && c.f.Min > 0 {
		q.Min = lo // retention has taken the records, and comes to the queue later
	}
	if q.Min != lo || q.Max != hi {
		c.bad("%s: offsets %d to %d, the log has %d to %d", name, q.Min, q.Max, lo, hi)
	}
	var g reader.GetResult
	at, i := q.Min, 0
	for at < q.Max {
		err := c.view.Get(ctx, reader.GetRequest{Topic: topic, QueueID: q.ID, Offset: at}, &g)
		if err != nil || g.Status != reader.Found {
			c.bad("%s: get at %d: %s %v", name, at, g.Status, err)
			if g.NextOffset <= at || ctx.Err() != nil {
				return ctx.Err()
			}
		}
		for k := range g.Messages {
			if i >= len(want) {
				c.bad("%s: message at %d, physical offset %d, too many", name, at, g.Messages[k].PhysicalOffset)
				return nil
			}
			c.message(name, &g.Messages[k], &want[i])
			i++
		}
		at = g.NextOffset
	}
	if i < len(want) {
		c.bad("%s: %d messages, the log has %d; missing message %d at %d", name, i, len(want), want[i].r.Serial(), want[i].r.Offset)
	}
	return nil
}
