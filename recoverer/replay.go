package recoverer

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"

	"github.com/actorstore/actorstore/commitlog"
	"github.com/actorstore/actorstore/commitlog/mapped"
	"github.com/actorstore/actorstore/commitlog/record"
	"github.com/actorstore/actorstore/consumequeue"
)

// pendingMax is how many units wait in memory before they are written.
const pendingMax = 1 << 16

// replayStep is how much log lies between two looks at the context, and
// persistStep between two summaries. Variables for tests.
var (
	replayStep  int64 = 16 << 20
	persistStep int64 = 512 << 20
)

// replay reads the log once and makes queues and index say what it says.
type replay struct {
	in     *Input
	rep    *Report
	look   *lookup
	states map[queueKey]*queueState
	near   [16]*queueState // those met last, by queue id
	dirty  []*queueState   // with a batch, each once: they are written at once
	damage damages
	index  *indexFeed

	onlyIndex bool // the queues are another's business

	min, end  int64 // of the log
	log0      bool  // the log has its beginning
	all       int64 // from here on every queue takes records, before only those that are checked
	unscanned int64 // from here on the scan has checked every checksum

	parser     record.DispatchParser
	names      *record.Interner
	bytes      []byte // of the record at hand, borrowed
	pending    int
	superseded int64
	badNames   map[string]bool
}

// run replays [from, end). step is called now and then, between two records.
func (p *replay) run(ctx context.Context, from int64, step func(pos int64) error) error {
	s := p.in.Log.Reader().Scan(from, p.end, record.CRCNone)
	defer s.Close()
	var checked *commitlog.Scanner
	if from < p.unscanned {
		checked = p.in.Log.Reader().Scan(from, min(p.unscanned, p.end), record.CRCRecord)
		defer checked.Close()
		if err := p.sweep(ctx, checked, from, step); err != nil {
			return err
		}
		s.SkipTo(checked.Pos())
	}
	return p.sweep(ctx, s, from, step)
}

// sweep reads to the end of a scan.
func (p *replay) sweep(ctx context.Context, s *commitlog.Scanner, from int64, step func(int64) error) error {
	for s.Pos() < s.Limit() {
		if err := ctx.Err(); err != nil {
			return err
		}
		stop := min(s.Limit(), s.Pos()+replayStep)
		var err error
		fault := mapped.Guard(func() { err = p.some(s, stop) })
		if fault != nil {
			err = fault
		}
		if err != nil && err != io.EOF {
			if err := p.pass(s, err); err != nil {
				return err
			}
		}
		if err := p.index.put(); err != nil {
			return err
		}
		p.in.Progress(Progress{Phase: PhaseReplay, Done: s.Pos() - from, Total: p.end - from})
		if err := step(s.Pos()); err != nil {
			return err
		}
	}
	return nil
}

// some takes records up to stop. The error is the scanner's, or of a file.
func (p *replay) some(s *commitlog.Scanner, stop int64) error {
	var req record.DispatchRequest
	for s.Pos() < stop {
		if d, ok := p.damage.next(s.Pos()); ok && d.Offset <= s.Pos() {
			s.SkipTo(min(d.Next, s.Limit()))
			continue
		}
		e, err := s.Next()
		if err != nil {
			return err
		}
		if e.Kind == record.KindBlank {
			return p.index.put() // what waits borrows from this segment
		}
		if err := p.parser.Parse(e.Bytes, &req); err != nil {
			s.SkipTo(e.Offset)
			return err
		}
		if err := p.record(&req, e.Bytes); err != nil {
			return &workError{err}
		}
	}
	return nil
}

// largestOffset is what the files of a queue of any kind can count to.
const largestOffset = math.MaxInt64 / 64

// workError is an error of the work on queues or index, not of the log.
type workError struct{ err error }

func (e *workError) Error() string { return e.err.Error() }
func (e *workError) Unwrap() error { return e.err }

// pass steps over a place where no record stands.
func (p *replay) pass(s *commitlog.Scanner, cause error) error {
	var work *workError
	if errors.As(cause, &work) {
		return work.err
	}
	if err := p.index.put(); err != nil {
		return err
	}
	at := s.Pos()
	next, found := s.ResyncPast(cause)
	if !found {
		next = s.Limit()
		s.SkipTo(next)
	}
	d := damageOf(p.in.Log, at, next, cause)
	p.damage.add(d)
	p.rep.Damage = append(p.rep.Damage, d)
	p.finding(damageFinding(d))
	return nil
}

// record gives one record to its queues and the index.
func (p *replay) record(req *record.DispatchRequest, b []byte) error {
	p.rep.Records++
	p.bytes = b
	if !p.fit(req.Topic, req.PhysicalOffset) {
		return nil
	}
	if !p.in.Deleted.Covers(req.Topic, req.PhysicalOffset) {
		p.index.keep(req)
	}
	if p.onlyIndex {
		return nil
	}
	var failed error
	req.Units(p.in.MultiDispatch, p.names, func(u record.QueueUnit) {
		if failed == nil {
			failed = p.unit(req, u)
		}
	})
	return failed
}

func (p *replay) unit(req *record.DispatchRequest, u record.QueueUnit) error {
	if p.in.Deleted.Covers(u.Topic, req.PhysicalOffset) {
		return nil
	}
	if u.Topic != req.Topic && !p.fit(u.Topic, req.PhysicalOffset) {
		return nil
	}
	if u.QueueID < 0 {
		p.isolate(req, &u)
		return nil
	}
	st := p.state(u.Topic, u.QueueID)
	if req.PhysicalOffset < p.all && !st.checked {
		return nil
	}
	if st.q == nil {
		st.kind = p.in.Kind(u.Topic, u.Inner)
	}
	offset, num := u.At(st.kind == consumequeue.Batch)
	if offset < 0 || offset > largestOffset {
		p.isolate(req, &u)
		return nil
	}
	e := consumequeue.Entry{
		QueueOffset: offset, PhysicalOffset: req.PhysicalOffset, Size: req.Size,
		TagsCode: req.TagsCode, StoreTimestamp: req.StoreTimestamp, Num: num,
	}
	return p.take(st, &e)
}

// isolate leaves a record out of a queue that cannot have it.
func (p *replay) isolate(req *record.DispatchRequest, u *record.QueueUnit) {
	p.rep.Isolated++
	p.finding(Finding{Where: CommitLog, Offset: req.PhysicalOffset, Want: "a queue id and a queue offset that a queue can have",
		Got: fmt.Sprintf("%s-%d offset %d", strconv.Quote(u.Topic), u.QueueID, u.Offset)})
}

// fit refuses names that must not become a directory; each is reported once.
func (p *replay) fit(topic string, offset int64) bool {
	err := record.CheckTopic(topic)
	if err == nil {
		return true
	}
	p.rep.Isolated++
	if !p.badNames[topic] {
		if p.badNames == nil {
			p.badNames = make(map[string]bool)
		}
		p.badNames[topic] = true
		p.finding(Finding{Where: CommitLog, Offset: offset, Want: "a topic that can be a directory", Got: err.Error()})
	}
	return false
}

// state is that of a queue; neighbours mostly share one, or a topic.
func (p *replay) state(topic string, id int32) *queueState {
	near := &p.near[uint32(id)%uint32(len(p.near))]
	if st := *near; st != nil && st.id == id && st.topic == topic {
		return st
	}
	key := queueKey{topic, id}
	st := p.states[key]
	if st == nil {
		st = newState(p.in.Queues.Queue(topic, id), key)
		st.checked = true
		p.states[key] = st
	}
	*near = st
	return st
}

// flush writes what waits, each queue on its own.
func (p *replay) flush() error {
	errs := make([]error, len(p.dirty))
	p.in.Parallel(len(p.dirty), func(i int) { errs[i] = p.dirty[i].flush() })
	for _, st := range p.dirty {
		st.due = false
	}
	p.dirty, p.pending = p.dirty[:0], 0
	return errors.Join(errs...)
}

func (p *replay) tell(st *queueState, offset int64, want, got string) {
	p.finding(Finding{Where: ConsumeQueue, Path: st.path(), Offset: offset, Want: want, Got: got})
}

func (p *replay) finding(f Finding) {
	if len(p.rep.Findings) < maxFindings {
		p.rep.Findings = append(p.rep.Findings, f)
	}
	p.in.Warn(f)
}

// maxFindings bounds the memory of a report; Warn hears of all.
const maxFindings = 10000

func isCorrupt(err error) bool { return errors.Is(err, record.ErrCorrupt) }
