package sim

import (
	"maps"
	"slices"

	"github.com/actorstore/actorstore/commitlog/checkpoint"
)

// deleting is the deletion of a topic, which comes step by step.
type deleting struct {
	topic string
	step  int
	end   int64 // of the log behind the topic's puts
	done  func()
}

// delete begins a deletion. Its client puts nothing more to the topic and waits
// for what is under way.
func (w *world) delete(topic string) {
	l := w.l
	if l.deleting != nil || w.blocked[topic] || l.log.Failed() != nil {
		return
	}
	w.trace.note("delete %s", topic)
	l.deleting = &deleting{topic: topic}
}

// underWay tells whether a put to a topic is not answered yet.
func (l *life) underWay(topic string) bool {
	return slices.ContainsFunc(l.flight, func(p *put) bool { return p.topic() == topic })
}

// canDelete tells whether the next step of a deletion can be made.
func (l *life) canDelete() bool {
	d := l.deleting
	switch {
	case d == nil:
		return false
	case d.step == 0:
		return !l.pairDown && !l.underWay(d.topic)
	case d.step == 4:
		return !l.pairDown
	case d.step == 1:
		return l.log.Dispatched() >= d.end || l.log.Failed() != nil && l.log.Confirm() < d.end
	case d.step == 3:
		// What a failure leaves of a topic half gone is for the next opening, and
		// the model knows only deletions as a whole.
		return !l.away && len(l.w.faults.rules) == 0
	}
	return true
}

// deleteStep makes it.
func (l *life) deleteStep() {
	d, w := l.deleting, l.w
	w.trace.note("%s, %d", d.topic, d.step)
	switch d.step {
	case 0: // behind all puts that came before
		d.done = w.model.Deleting(d.topic)
		l.deletes++
		d.end = l.barrier()
		if l.log.Failed() != nil { // what stands behind the end may come back
			l.notDeleted()
			return
		}
	case 1:
		if l.log.Dispatched() < d.end {
			l.notDeleted()
			return
		}
	case 2:
		deleted := maps.Clone(l.deleted)
		deleted[d.topic] = d.end
		if w.plant != KeepTopic {
			if err := checkpoint.WriteDeleted(w.script, l.layout, deleted); err != nil {
				if !injected(err) {
					w.fail("delete on a healthy disk: %v", err)
				}
				l.notDeleted()
				return
			}
		}
		l.deleted = deleted
	case 3:
		l.reput.Forget(d.topic)
		if err := l.queues.DeleteTopic(d.topic); err != nil {
			w.fail("delete on a healthy disk: %v", err)
		}
		w.shadow.forget(d.topic)
	case 4:
		l.barrier()
		l.out.Offsets().Delete(d.topic)
		d.done()
		w.done.Deleted++
		l.deleting = nil
		return
	}
	d.step++
}

// barrier is the end of the log behind all puts that came before.
func (l *life) barrier() int64 {
	l.encode(len(l.mailbox))
	if len(l.encoded) > 0 {
		l.publish()
	}
	if len(l.published) > 0 {
		l.handOver()
	}
	return l.log.Appended()
}

// notDeleted ends a deletion that has changed nothing. The model counts messages
// by deletions that were begun, so the topic is left alone until the next opening.
func (l *life) notDeleted() {
	l.w.blocked[l.deleting.topic] = true
	l.deleting = nil
}
