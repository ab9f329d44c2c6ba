package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/actorstore/actorstore"
)

// check reads everything and compares it with the input: each acknowledged
// message must be where the child was told it is, and what follows must be the
// lines that were sent next.
func (d *demo) check(ctx context.Context, s *actorstore.Store) error {
	var got actorstore.GetResult
	var ends [demoQueues]int64
	for q := range int32(demoQueues) {
		for next, more := int64(0), true; more; {
			err := s.Get(ctx, actorstore.GetRequest{Topic: demoTopic, QueueID: q, Offset: next, MaxCount: batchCount}, &got)
			if err != nil {
				return err
			}
			for i := range got.Messages {
				if err := d.compare(&got.Messages[i]); err != nil {
					return err
				}
			}
			d.found += len(got.Messages)
			more = got.More && got.NextOffset > next
			next = got.NextOffset
		}
		ends[q] = got.NextOffset
	}
	for _, ack := range d.child.acks {
		if ack.Queue < 0 || int(ack.Queue) >= len(ends) || ack.Offset >= ends[ack.Queue] || d.lineAt(ack.Queue, ack.Offset) != ack.Line {
			d.lost++
		}
	}
	more := ""
	if n := d.found - len(d.child.acks) + d.lost; n > 0 {
		were := map[bool]string{true: "was", false: "were"}[n == 1]
		more = fmt.Sprintf("; %s more %s under way and there, too", countText(int64(n)), were)
	}
	d.say("4 check", "%s of %s acknowledged messages are there, bodies equal and checksums right%s",
		countText(int64(len(d.child.acks)-d.lost)), countText(int64(len(d.child.acks))), more)
	return nil
}

// lineAt is the number, from 1, of the input line that belongs at a place: the
// lines go round the queues.
func (d *demo) lineAt(queue int32, offset int64) int { return int(offset)*demoQueues + int(queue) + 1 }

func (d *demo) compare(m *actorstore.MessageExt) error {
	n := d.lineAt(m.QueueID, m.QueueOffset)
	if n > len(d.lines) || string(m.Body) != d.lines[n-1].body {
		return damaged("actorstore verify on the directory, with --keep", "message %d of queue %d is not line %d of the input: %q",
			m.QueueOffset, m.QueueID, n, preview(m.Body, 60))
	}
	return nil
}

// answers reads one message by offset, by key and by time.
func (d *demo) answers(ctx context.Context, s *actorstore.Store) error {
	ack := d.interesting()
	line := d.lines[ack.Line-1]
	var got actorstore.GetResult
	began := time.Now()
	err := s.Get(ctx, actorstore.GetRequest{Topic: demoTopic, QueueID: ack.Queue, Offset: ack.Offset, MaxCount: 1}, &got)
	took := time.Since(began)
	if err == nil && len(got.Messages) != 1 {
		err = fmt.Errorf("get %s/%d @ %d: %v", demoTopic, ack.Queue, ack.Offset, got.Status)
	}
	if err != nil {
		return err
	}
	stored := got.Messages[0].StoreTimestamp
	d.say("5 offset", "%s/%d @ %d in %s: %s", demoTopic, ack.Queue, ack.Offset, tookText(took), preview(got.Messages[0].Body, 60))

	began = time.Now()
	found, err := s.Query(ctx, actorstore.QueryRequest{Topic: demoTopic, Key: line.key})
	took = time.Since(began)
	if err == nil && (len(found.Messages) != 1 || string(found.Messages[0].Body) != line.body) {
		err = fmt.Errorf("query %s %s: want 1 message, got %d", demoTopic, line.key, len(found.Messages))
	}
	if err != nil {
		return err
	}
	d.say("6 key", "%s in %s: %d message at physical offset %s", line.key, tookText(took), len(found.Messages),
		countText(found.Messages[0].PhysicalOffset))

	began = time.Now()
	first, err := s.OffsetByTime(demoTopic, ack.Queue, stored, actorstore.Lower)
	took = time.Since(began)
	if err != nil {
		return err
	}
	if first > ack.Offset {
		return fmt.Errorf("offset by time %d: want at most %d, got %d", stored, ack.Offset, first)
	}
	d.say("7 time", "%s in %s: the first message of queue %d stored then is at offset %d", timeText(stored), tookText(took), ack.Queue, first)
	return nil
}

// interesting is an acknowledged line near the kill that is not blank.
func (d *demo) interesting() demoAck {
	acks := d.child.acks
	for i := len(acks) - 1; i > 0; i-- {
		if len(strings.TrimSpace(d.lines[acks[i].Line-1].body)) > 20 {
			return acks[i]
		}
	}
	return acks[0]
}
