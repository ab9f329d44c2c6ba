package actors

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/actorstore/actorstore/commitlog/record"
	"github.com/actorstore/actorstore/flusher"
)

// Pending is a put that was accepted and is waited for later, so that a caller
// can have many in flight. It is a value and costs no allocation.
type Pending struct {
	r       *putRequest
	serial  uint64
	refused flusher.PutResult
}

// ErrWaited is the error of a second Wait for one put.
var ErrWaited = errors.New("this put was waited for already")

// Wait gives the answer; call it once. It follows the rules of Put.
func (p Pending) Wait(ctx context.Context) (flusher.PutResult, error) {
	r := p.r
	if p.refused.Err != nil {
		return p.refused, p.refused.Err
	}
	if r == nil || !r.waited.CompareAndSwap(p.serial, p.serial+1) {
		return flusher.PutResult{Status: flusher.UnknownError, Err: ErrWaited}, ErrWaited
	}
	mine, err := r.Wait(ctx)
	if !mine {
		return flusher.PutResult{Status: flusher.UnknownError, Err: err}, err
	}
	result := r.Result
	r.free()
	return result, result.Err
}

// Begin accepts a message and sends it on its way without waiting. Body and
// properties must not change before Wait has returned. The error is that of a
// refusal, and nothing was written then.
//
// Who finds the append actor idle does its work; so Begin returns late if the
// disk hangs just then. Put with a deadline does not take part in that.
func (s *Store) Begin(m *record.Message) (Pending, error) { return s.begin(m, false) }

func (s *Store) begin(m *record.Message, aside bool) (Pending, error) {
	t := s.tree.Load()
	if err := s.accept(t, m, nil); err != nil {
		return refusedPending(err)
	}
	r := newRequest()
	r.message = *m
	r.aside = aside
	return s.post(t, r, weight(m))
}

// BeginBatch is Begin for a batch, whose slice must not change either.
func (s *Store) BeginBatch(batch []record.Message) (Pending, error) {
	return s.beginBatch(batch, false)
}

func (s *Store) beginBatch(batch []record.Message, aside bool) (Pending, error) {
	if batch == nil {
		batch = []record.Message{} // nil is what accept has of a single message
	}
	t := s.tree.Load()
	if err := s.accept(t, nil, batch); err != nil {
		return refusedPending(err)
	}
	r := newRequest()
	r.batch = batch
	r.aside = aside
	r.message = record.Message{StoreHost: batch[0].StoreHost}
	var size int64
	for i := range batch {
		size += weight(&batch[i])
	}
	return s.post(t, r, size)
}

// PutAsync accepts a message and calls done with its answer, on a goroutine
// where it may take its time and may call the store. The error is that of a
// refusal; done is then not called. Puts of MaxBytesInFlight whose callbacks have
// not returned are as many as there may be.
func (s *Store) PutAsync(m *record.Message, done func(flusher.PutResult)) error {
	t := s.tree.Load()
	if err := s.accept(t, m, nil); err != nil {
		return err
	}
	size := weight(m)
	if s.untold.enter(size) != nil {
		return &PutError{flusher.OSPageCacheBusy, errCallbacks}
	}
	r := newRequest()
	r.message = *m
	r.OnSettled = func(w *flusher.Waiter) {
		result := w.Result
		r.free()
		s.calls.run(func() {
			defer s.untold.leave(size)
			done(result)
		})
	}
	r.aside = true // the caller does not mean to wait, for a hang least of all
	_, err := s.post(t, r, size)
	if err != nil {
		s.untold.leave(size)
	}
	return err
}

// accept checks what can be checked before anything is queued.
func (s *Store) accept(t *tree, m *record.Message, batch []record.Message) error {
	if t == nil {
		_, err := s.running()
		if err == nil { // it has opened since
			err = ErrNotReady
		}
		return &PutError{flusher.ServiceNotAvailable, err}
	}
	if refusal := t.refused(); refusal != nil {
		return &PutError{refusal.status, refusal.err}
	}
	var err error
	topic := ""
	if m != nil {
		topic = m.Topic
		err = t.limits.Check(m)
	} else if batch == nil {
		err = &record.LimitError{Field: "message", Want: "one", Got: "nil"}
	} else if err = t.limits.CheckBatch(batch); err == nil {
		topic = batch[0].Topic
	}
	if err != nil {
		var limit *record.LimitError
		if errors.As(err, &limit) && limit.Properties {
			return &PutError{flusher.PropertiesSizeExceeded, err}
		}
		return &PutError{flusher.MessageIllegal, err}
	}
	if s.deleting.has(topic) {
		return &PutError{flusher.ServiceNotAvailable, beingDeleted(topic)}
	}
	return nil
}

// post admits a request and sends it to the append actor.
func (s *Store) post(t *tree, r *putRequest, size int64) (Pending, error) {
	if err := t.admission.enter(size); err != nil {
		r.free()
		status := flusher.OSPageCacheBusy
		switch hung := t.pairHung.Load(); {
		case !errors.Is(err, ErrBusy): // it closes, or is restarted
			status = flusher.ServiceNotAvailable
		case hung != nil: // none of those before it will be answered soon
			status, err = flusher.ServiceNotAvailable, fmt.Errorf("%w: %w", err, hung)
		}
		return refusedPending(&PutError{status, err})
	}
	r.Weight = size
	p := Pending{r: r, serial: r.waited.Load()}
	t.appender().PostUserMessage(r)
	return p, nil
}

func refusedPending(err error) (Pending, error) {
	result := flusher.PutResult{Status: flusher.UnknownError, Err: err}
	var pe *PutError
	if errors.As(err, &pe) {
		result.Status = pe.Status
	}
	return Pending{refused: result}, err
}

// PutError says with which status a put failed, and why. Nothing of the message
// was written, but with FLUSH_DISK_TIMEOUT: then it is in the log, and nobody
// knows whether on the disk.
type PutError struct {
	Status flusher.PutMessageStatus
	Cause  error
}

// Error names the status and the cause.
func (e *PutError) Error() string { return fmt.Sprintf("%s: %v", e.Status, e.Cause) }

// Unwrap gives the cause.
func (e *PutError) Unwrap() error { return e.Cause }

// deletions are the topics whose deletion is under way. Nearly always there are
// none, which costs a put one load.
type deletions struct {
	topics atomic.Pointer[map[string]bool]
}

// ErrDeleting is what errors.Is finds while a topic is being deleted.
var ErrDeleting = errors.New("topic is being deleted")

func beingDeleted(topic string) error { return fmt.Errorf("%w: %q", ErrDeleting, topic) }

func topicOf(r *putRequest) string {
	if r.batch != nil {
		return r.batch[0].Topic
	}
	return r.message.Topic
}

func (d *deletions) any() bool { return d.topics.Load() != nil }

func (d *deletions) has(topic string) bool {
	m := d.topics.Load()
	return m != nil && (*m)[topic]
}

// start takes the right to delete a topic; false if somebody has it.
func (d *deletions) start(topic string) bool { return d.swap(topic, true) }

func (d *deletions) end(topic string) { d.swap(topic, false) }

func (d *deletions) swap(topic string, in bool) bool {
	for {
		before := d.topics.Load()
		after := map[string]bool{}
		if before != nil {
			if in && (*before)[topic] {
				return false
			}
			for t := range *before {
				after[t] = true
			}
		}
		if in {
			after[topic] = true
		} else {
			delete(after, topic)
		}
		next := &after
		if len(after) == 0 {
			next = nil
		}
		if d.topics.CompareAndSwap(before, next) {
			return true
		}
	}
}
