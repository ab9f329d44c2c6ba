package recoverer

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/actorstore/actorstore/commitlog"
	"github.com/actorstore/actorstore/commitlog/mapped"
	"github.com/actorstore/actorstore/commitlog/record"
	"github.com/actorstore/actorstore/consumequeue"
)

// Verify checks everything against everything and changes nothing: every record
// of the log with its checksums, every record against its units and its keys,
// every unit and every index entry against its record, and the small files. Each
// thing that is not as it must be is visited. The log is restored for reading.
// The error is the context's, the disk's, or names a store that cannot be opened.
func Verify(ctx context.Context, in Input, visit func(Finding)) error {
	_, err := Check(ctx, in, visit)
	return err
}

// Check is Verify; its report tells damage inside the log, which stays, from what
// a recovery would mend.
func Check(ctx context.Context, in Input, visit func(Finding)) (rep Report, err error) {
	in.Warn = visit
	r, err := begin(&in, &rep)
	if err != nil {
		return rep, err
	}
	r.plan.ScanFrom = r.plan.Min
	r.tail = newTail(r.in, r.plan, r.rep)
	if err := r.inspectEnd(ctx); err != nil {
		return rep, err
	}
	v := &verifier{r: r, look: newLookup(r.in), queues: make(map[queueKey]*queueState), matched: make(map[queueKey]int64),
		unasked: make(map[string]Finding), damage: damages{list: r.tail.damage}}
	if !r.in.InUse {
		if err := v.behindEnd(); err != nil {
			return rep, err
		}
	}
	if err := r.loadAsTheyAre(); err != nil {
		return rep, err
	}
	r.restore(r.dispatchedAsItIs())
	if err := v.records(ctx); err != nil {
		return rep, err
	}
	v.tellLacks()
	if err := v.units(ctx); err != nil {
		return rep, err
	}
	v.index()
	v.smallFiles()
	return rep, nil
}

// verifier holds what a check has learned so far.
type verifier struct {
	r       *recovery
	look    *lookup
	damage  damages
	queues  map[queueKey]*queueState
	matched map[queueKey]int64 // queue offsets whose unit is that of a record
	lacks   map[queueKey]*lack
	unkeyed lack               // records with keys behind the index's end
	unasked map[string]Finding // by path: why keys could not be looked up
}

// behindEnd wants nothing behind the end of the log.
func (v *verifier) behindEnd() error {
	in, end := v.r.in, v.r.rep.End
	for _, f := range in.Log.Segments() {
		if f.End() <= end {
			continue
		}
		from := max(end, f.Offset())
		at := int64(-1)
		err := viewRest(in.Log.Reader(), from, f.End(), func(b []byte) {
			for i, c := range b {
				if c != 0 {
					at = from + int64(i)
					return
				}
			}
		})
		switch {
		case err != nil:
			v.r.find(findingOf(CommitLog, err))
		case at >= 0:
			v.r.find(Finding{Where: CommitLog, Path: f.Path(), Offset: at, End: f.End(),
				Want: fmt.Sprintf("zeros behind the end of the log at %d", end), Got: "bytes; repair keeps them aside"})
		}
	}
	return nil
}

// records goes through the log and holds every record against units and keys.
func (v *verifier) records(ctx context.Context) error {
	in, end := v.r.in, v.r.rep.End
	s := in.Log.Reader().Scan(v.r.rep.Min, end, record.CRCNone)
	defer s.Close()
	for s.Pos() < end {
		if err := ctx.Err(); err != nil {
			return err
		}
		var err error
		fault := mapped.Guard(func() { err = v.some(s, min(end, s.Pos()+replayStep)) })
		if fault != nil {
			err = fault
		}
		var work *workError
		switch {
		case errors.As(err, &work):
			return work.err
		case err != nil && err != io.EOF:
			if _, found := s.ResyncPast(err); !found {
				s.SkipTo(end)
			}
		}
		in.Progress(Progress{Phase: PhaseReplay, Done: s.Pos() - v.r.rep.Min, Total: end - v.r.rep.Min})
	}
	return nil
}

func (v *verifier) some(s *commitlog.Scanner, stop int64) error {
	parser := record.DispatchParser{Topics: v.look.parser.Topics, Delays: v.r.in.Delays}
	var req record.DispatchRequest
	for s.Pos() < stop {
		if d, ok := v.damage.next(s.Pos()); ok && d.Offset <= s.Pos() {
			s.SkipTo(min(d.Next, s.Limit()))
			continue
		}
		e, err := s.Next()
		if err != nil {
			return err
		}
		if e.Kind != record.KindRecord {
			continue
		}
		if err := parser.Parse(e.Bytes, &req); err != nil {
			return err
		}
		if err := v.record(&req, s.Path()); err != nil {
			return &workError{err}
		}
	}
	return nil
}

func (v *verifier) record(req *record.DispatchRequest, path string) error {
	in := v.r.in
	if err := record.CheckTopic(req.Topic); err != nil {
		v.r.find(Finding{Where: CommitLog, Path: path, Offset: req.PhysicalOffset, Want: "a topic that can be a directory", Got: err.Error()})
		return nil
	}
	if in.Deleted.Covers(req.Topic, req.PhysicalOffset) {
		return nil
	}
	v.keys(req)
	var failed error
	req.Units(in.MultiDispatch, v.look.names, func(u record.QueueUnit) {
		if failed == nil && record.CheckTopic(u.Topic) == nil && !in.Deleted.Covers(u.Topic, req.PhysicalOffset) {
			failed = v.unit(req, u)
		}
	})
	return failed
}

// unit holds one record against its unit in one queue.
func (v *verifier) unit(req *record.DispatchRequest, place record.QueueUnit) error {
	topic, id := place.Topic, place.QueueID
	key := queueKey{topic, id}
	st := v.queues[key]
	if st == nil {
		st = newState(v.r.in.Queues.Queue(topic, id), key)
		v.queues[key] = st
	}
	offset, num := place.At(st.kind == consumequeue.Batch)
	want := fmt.Sprintf("a unit for the record of %d bytes at %d", req.Size, req.PhysicalOffset)
	if st.q == nil || offset >= st.q.MaxOffset() {
		got := "no queue"
		if st.q != nil {
			if u, ok := lastUnit(st.q); ok && u.PhysicalOffset >= req.PhysicalOffset && v.look.backs(&u, topic, id, v.r.rep.End) {
				return nil // the numbering began anew behind it
			}
			got = fmt.Sprintf("the queue's end at %d", st.q.MaxOffset())
		}
		v.lack(key, offset, int64(num), req.PhysicalOffset, got)
		return nil
	}
	e := consumequeue.Entry{QueueOffset: offset, PhysicalOffset: req.PhysicalOffset, Size: req.Size,
		TagsCode: req.TagsCode, StoreTimestamp: req.StoreTimestamp, Num: num}
	u, found, err := st.unit(offset)
	switch {
	case err != nil && !isCorrupt(err):
		return err
	case err != nil:
		v.tell(st, offset, want, err.Error())
	case !found:
		v.tell(st, offset, want, fmt.Sprintf("the queue's beginning at %d", st.q.MinOffset()))
	case same(&u, &e, st.kind, topic):
		v.matched[key] += max(int64(num), 1)
	case u.PhysicalOffset != e.PhysicalOffset && v.look.backs(&u, topic, id, v.r.rep.End):
		// another record has that offset, too
	default:
		v.tell(st, offset, want, fmt.Sprintf("one of %d bytes at %d with tags code %d", u.Size, u.PhysicalOffset, u.TagsCode))
	}
	return nil
}

func (v *verifier) tell(st *queueState, offset int64, want, got string) {
	v.r.find(Finding{Where: ConsumeQueue, Path: st.path(), Offset: offset, Want: want, Got: got})
}

// units looks at the units that no record has asked for.
func (v *verifier) units(ctx context.Context) error {
	for q := range v.r.in.Queues.All() {
		if err := ctx.Err(); err != nil {
			return err
		}
		key := queueKey{q.Topic(), q.ID()}
		if v.matched[key] == q.MaxOffset()-q.MinOffset() {
			continue
		}
		if err := v.queue(newState(q, key)); err != nil {
			return err
		}
	}
	return nil
}

func (v *verifier) queue(st *queueState) error {
	q, end := st.q, v.r.rep.End
	var buf [largeWindow]consumequeue.Unit
	for at := q.MinOffset(); at < q.MaxOffset(); {
		n, err := q.Read(at, buf[:])
		if err != nil && !isCorrupt(err) {
			return err
		}
		if n == 0 {
			if err != nil {
				v.tell(st, at, "a unit", err.Error())
			}
			at++
			continue
		}
		for i := range buf[:n] {
			u := &buf[i]
			if u.PhysicalOffset >= v.r.rep.Min && !v.damage.holds(u) && !v.look.backs(u, st.topic, st.id, end) && !v.hole(u) {
				v.tell(st, u.Base, "a unit that points at a record of this queue", fmt.Sprintf("%d bytes at %d", u.Size, u.PhysicalOffset))
			}
			at = u.Base + max(int64(u.Num), 1)
		}
	}
	return nil
}

// hole tells a unit that recovery made for a number that no record has: it
// points between two records.
func (v *verifier) hole(u *consumequeue.Unit) bool {
	return u.TagsCode == 0 && u.PhysicalOffset+int64(u.Size) <= v.r.rep.End && !v.look.whole(u.PhysicalOffset, v.r.rep.End)
}
