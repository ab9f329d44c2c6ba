package main

import (
	"context"
	"errors"
	"strconv"
	"time"

	"github.com/actorstore/actorstore"
)

// queueWalk reads messages of one queue in order and steps over damage.
type queueWalk struct {
	a     *app
	i     *actorstore.Inspection
	req   actorstore.GetRequest
	limit int64 // messages, < 0 = all
	end   int64 // queue offset to stop at
	got   actorstore.GetResult
	// damaged counts messages that cannot be read.
	damaged int
}

// What a look cannot make sense of beside a writer is looked at again after a
// pause.
const (
	lookAgain = 3
	lookPause = 20 * time.Millisecond
)

// batchCount is how many messages are read at once.
const batchCount = 64

// each hands every message to visit. It returns where the queue goes on.
func (w *queueWalk) each(ctx context.Context, visit func(*actorstore.MessageExt) error) (next int64, err error) {
	next = w.req.Offset
	tries := 0
	for next < w.end && w.limit != 0 {
		w.req.Offset, w.req.MaxCount = next, batchCount
		if w.limit > 0 {
			w.req.MaxCount = int(min(w.limit, batchCount))
		}
		if err := w.i.Get(ctx, w.req, &w.got); err != nil {
			if tries++; w.i.Locked() && tries <= lookAgain {
				time.Sleep(lookPause) // a writer may be just there
				continue
			}
			if w.beyond(err) {
				return next, nil
			}
			if !w.skips(err) || w.got.NextOffset <= next {
				return next, err
			}
			next, tries = w.got.NextOffset, 0
			continue
		}
		tries = 0
		for k := range w.got.Messages {
			m := &w.got.Messages[k]
			if err := visit(m); err != nil {
				return next, err
			}
			if w.limit > 0 {
				w.limit--
			}
		}
		if w.got.NextOffset <= next {
			return next, nil
		}
		next = w.got.NextOffset
	}
	return next, nil
}

// failed takes note of a queue that cannot be read to its end. A unit that is
// being written looks like that, too.
func (w *queueWalk) failed(why error) {
	if why != nil && !w.i.Locked() {
		w.damaged++
		w.a.note("%s-%d: %v", w.req.Topic, w.req.QueueID, why)
	}
}

// beyond tells whether an error only means that a writer has gone on since this
// look found the end of the log: the message is for the next look.
func (w *queueWalk) beyond(err error) bool {
	var corrupt *actorstore.CorruptionError
	_, end := w.i.Bounds()
	return w.i.Locked() && errors.As(err, &corrupt) && corrupt.Offset >= end
}

// skips tells whether an error is damage to step over.
func (w *queueWalk) skips(err error) bool {
	var corrupt *actorstore.CorruptionError
	var fault *actorstore.FaultError
	if !errors.As(err, &corrupt) && !errors.As(err, &fault) {
		return false
	}
	w.damaged++
	w.a.note("%s-%d: damaged at offset %d: %v", w.req.Topic, w.req.QueueID, w.req.Offset, err)
	return true
}

// damageFound ends a command that has shown all there is, but not everything
// could be read.
func damageFound(n int) error {
	if n == 0 {
		return nil
	}
	return fail(exitFailed, "actorstore verify DIR lists all damage", "%s left out", counted(int64(n), "damaged message"))
}

// queues are those of a topic, or the one that is asked for.
func queues(i *actorstore.Inspection, topic, queue string) ([]actorstore.QueueInfo, error) {
	for _, t := range i.Topics() {
		if t.Topic != topic {
			continue
		}
		if queue == "" {
			return t.Queues, nil
		}
		id, err := queueNumber(queue)
		if err != nil {
			return nil, err
		}
		for _, q := range t.Queues {
			if q.ID == id {
				return []actorstore.QueueInfo{q}, nil
			}
		}
		return nil, notFound("actorstore stat DIR lists the queues", "topic %q has no queue %d", topic, id)
	}
	hint := "actorstore stat DIR lists the topics"
	if !i.Clean() && !i.Locked() {
		hint = "--recover, since queues may be incomplete after an unclean stop"
	}
	return nil, notFound(hint, "no topic %q", topic)
}

func queueNumber(text string) (int32, error) {
	id, err := strconv.ParseInt(text, 10, 32)
	if err != nil || id < 0 {
		return 0, usage("a queue is a number from 0 on", "%q is no queue", text)
	}
	return int32(id), nil
}
