package main

import (
	"context"
	"errors"
	"fmt"
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
	bad     badRun
}

// badRun are damaged messages that follow each other: of a segment that is gone
// there may be a million, and one line says as much.
type badRun struct {
	from, to int64 // queue offsets
	first    error
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
	defer w.tell()
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
		if len(w.got.Messages) > 0 {
			w.tell()
		}
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
		w.a.noteAbout(why, "%s-%d: %v", harmless(w.req.Topic, false), w.req.QueueID, why)
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
	from, to := w.req.Offset, max(w.got.NextOffset, w.req.Offset+1)
	w.damaged += int(to - from)
	if w.bad.first != nil && w.bad.to == from {
		w.bad.to = to
		return true
	}
	w.tell()
	w.bad = badRun{from, to, err}
	return true
}

// tell tells of the damaged messages that were met last.
func (w *queueWalk) tell() {
	b, queue := &w.bad, fmt.Sprintf("%s-%d", harmless(w.req.Topic, false), w.req.QueueID)
	switch {
	case b.first == nil:
		return
	case b.to-b.from == 1:
		w.a.noteAbout(b.first, "%s: message %d is damaged: %v", queue, b.from, b.first)
	default:
		w.a.noteAbout(b.first, "%s: messages %d to %d are damaged, the first: %v", queue, b.from, b.to-1, b.first)
	}
	*b = badRun{}
}

// damageFound ends a command that has shown all there is, but not everything
// could be read.
func damageFound(n int) error {
	if n == 0 {
		return nil
	}
	return damaged("actorstore verify DIR lists all damage", "%s left out", counted(int64(n), "damaged message"))
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
