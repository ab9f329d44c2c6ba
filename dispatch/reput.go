package dispatch

import (
	"errors"
	"io"

	"github.com/actorstore/actorstore/commitlog"
	"github.com/actorstore/actorstore/commitlog/mapped"
	"github.com/actorstore/actorstore/commitlog/record"
	"github.com/actorstore/actorstore/consumequeue"
)

// Reput reads the log behind the writer and prepares windows.
type Reput struct {
	log    *commitlog.Reader
	router router
	topics *record.Interner
	pos    int64
	serial uint64 // of the window being filled
	keys   bool   // for the index alone
}

// knownTopics bounds the interner; beyond it topic names cost an allocation.
const knownTopics = 1 << 20

// NewReput makes a reader that starts at from.
func NewReput(log *commitlog.Reader, queues *consumequeue.Store, rules Rules, from int64) *Reput {
	return &Reput{
		log:    log,
		router: router{store: queues, rules: rules, topics: make(map[string]*topicRoutes)},
		topics: record.NewInterner(knownTopics),
		pos:    from,
	}
}

// NewKeyReput makes a reader for the index alone, which may lag far behind the
// queues: it touches no queue, and what cannot be read it passes over, as recovery
// has done there.
func NewKeyReput(log *commitlog.Reader, rules Rules, from int64) *Reput {
	r := NewReput(log, nil, rules, from)
	r.keys = true
	return r
}

// Pos is where the next window starts.
func (r *Reput) Pos() int64 { return r.pos }

// Rewind reads again from an earlier offset, for a sink that lost a window.
func (r *Reput) Rewind(pos int64) { r.pos = min(r.pos, pos) }

// Forget drops what is known of a deleted topic.
func (r *Reput) Forget(topic string) { r.router.forget(topic) }

// Read fills w with about 1 MiB of log from Pos up to limit and steps over it.
// Damaged records are passed over and listed in w.Damage. An error means that
// the log cannot be read here now; Pos stays at what could not be read, and w
// holds what came before.
func (r *Reput) Read(w *Window, limit int64) error {
	w.reset(r.pos)
	r.serial++
	s := r.log.Scan(r.pos, limit, record.CRCNone)
	defer s.Close()
	var err error
	fault := mapped.Guard(func() { err = r.fill(w, s) })
	if fault != nil && r.keys {
		r.skipPages(w, s, fault)
		fault = nil
	}
	r.pos = w.End
	if fault != nil {
		return fault
	}
	return err
}

func (r *Reput) fill(w *Window, s *commitlog.Scanner) error {
	var req record.DispatchRequest
	for w.End-w.Start < windowSize {
		e, err := s.Next()
		switch {
		case err == io.EOF:
			return nil
		case errors.Is(err, record.ErrCorrupt), errors.Is(err, commitlog.ErrUnwritten):
			r.skip(w, s, err)
			continue
		case err != nil:
			return r.missing(w, s, err)
		}
		if e.Kind == record.KindRecord {
			if err := record.ParseDispatch(e.Bytes, &req, r.topics); err != nil {
				w.Damage = append(w.Damage, Damage{Offset: e.Offset, Next: s.Pos(), Err: err})
			} else if err := r.take(w, &req); err != nil {
				return err
			}
		}
		w.End = s.Pos()
	}
	return nil
}

// skip passes over bytes below confirm that are no record.
func (r *Reput) skip(w *Window, s *commitlog.Scanner, cause error) {
	from := s.Pos()
	next, ok := s.Resync()
	r.passed(w, s, from, next, ok, cause)
}

// skipPages passes over pages that cannot be read.
func (r *Reput) skipPages(w *Window, s *commitlog.Scanner, cause error) {
	from := s.Pos()
	next, ok := s.ResyncPast(cause)
	r.passed(w, s, from, next, ok, cause)
}

// passed notes what was passed over: up to next, or all there is.
func (r *Reput) passed(w *Window, s *commitlog.Scanner, from, next int64, ok bool, cause error) {
	if !ok {
		next = s.Limit()
		s.SkipTo(next)
	}
	w.Damage = append(w.Damage, Damage{Offset: from, Next: next, Err: cause})
	w.End = next
}

// missing handles a range without a segment: deleted by retention, or a gap.
func (r *Reput) missing(w *Window, s *commitlog.Scanner, err error) error {
	var me *commitlog.MissingError
	if !errors.As(err, &me) {
		return err
	}
	r.skip(w, s, err)
	return nil
}

// take adds the units of one record to the window.
func (r *Reput) take(w *Window, req *record.DispatchRequest) error {
	w.Records++
	w.LastRecord, w.LastTimestamp = req.PhysicalOffset, req.StoreTimestamp
	t := r.router.topic(req.Topic)
	if t.err != nil {
		end := req.PhysicalOffset + int64(req.Size)
		w.Damage = append(w.Damage, Damage{Offset: req.PhysicalOffset, Next: end, Err: t.err})
	}
	own := t.holds(req.PhysicalOffset)
	if u, ok := req.OwnUnit(); ok && own && !r.keys {
		if err := r.add(w, t, req, &u); err != nil {
			return err
		}
	}
	if r.router.rules.MultiDispatch && !r.keys {
		if err := r.lights(w, req); err != nil {
			return err
		}
	}
	if own {
		w.keep(req)
	}
	return nil
}

// lights adds the units in light queues. Those are queues of their own: they
// outlive the topic.
func (r *Reput) lights(w *Window, req *record.DispatchRequest) (failed error) {
	req.LightUnits(r.topics, func(u record.QueueUnit) {
		if t := r.router.topic(u.Topic); failed == nil && t.holds(req.PhysicalOffset) {
			failed = r.add(w, t, req, &u)
		}
	})
	return failed
}

// add adds one unit of a record to the batch of its queue.
func (r *Reput) add(w *Window, t *topicRoutes, req *record.DispatchRequest, u *record.QueueUnit) error {
	rt, err := r.router.route(t, u.Topic, u.QueueID, u.Inner)
	if err != nil {
		return err
	}
	if rt.window != r.serial {
		rt.window, rt.batch = r.serial, len(w.Batches)
		w.batch(rt.queue, rt.shard)
	}
	offset, num := u.At(rt.kind == consumequeue.Batch)
	b := &w.Batches[rt.batch]
	b.Entries = append(b.Entries, consumequeue.Entry{
		QueueOffset: offset, PhysicalOffset: req.PhysicalOffset, Size: req.Size,
		TagsCode: req.TagsCode, StoreTimestamp: req.StoreTimestamp, Num: num,
	})
	return nil
}
