package reader

import (
	"context"

	"github.com/actorstore/actorstore/commitlog/record"
	"github.com/actorstore/actorstore/consumequeue"
)

// Get copies messages of a queue into result, whose memory it reuses: no
// allocation once the result is large enough. Result is valid with every error.
//
// Each message was checked: the record stands where the unit says, says itself
// that it is the message of this queue and offset, and its checksum holds
// (unless SkipCRC). What fails is a *record.CorruptionError, whose Next is the
// queue offset at which to go on, as is NextOffset; or a *mapped.FaultError, if
// a file cannot be read. Messages in front of it are returned first, without the
// error. Other errors: ErrTags, the context's, and those of opening a queue.
func (r *Reader) Get(ctx context.Context, req GetRequest, result *GetResult) error {
	result.Reset()
	w := r.walks.Get().(*walk)
	if !w.begin(ctx, r, req, result) {
		result.Place = w.place
		return w.done()
	}
	defer w.end()
	w.run(ctx)
	result.Place = w.place
	return w.outcome()
}

// take copies a record and checks the copy.
func (g *GetResult) take(w *walk, u *consumequeue.Unit, b []byte) (bool, error) {
	at := g.mem.take(len(b), w.more)
	w.more -= len(b)
	copy(at, b)
	taken, err := g.check(w, u, at)
	if !taken {
		g.mem.back(len(b))
	}
	return taken, err
}

func (g *GetResult) check(w *walk, u *consumequeue.Unit, b []byte) (bool, error) {
	if !w.req.SkipCRC && !w.r.o.SkipCRC {
		if err := record.Verify(b, u.PhysicalOffset, record.CRCRecord); err != nil {
			return false, w.damaged(u, err)
		}
	}
	m := g.next()
	if err := w.decode(u, b, m); err != nil {
		g.drop()
		return false, err
	}
	if !w.filter.matches(m) {
		g.drop()
		return false, nil
	}
	return true, nil
}

// outcome is the error of a walk. What it has found, and what a View function said
// of that, stands.
func (w *walk) outcome() error {
	if w.count > 0 || w.refused {
		return w.err
	}
	return w.r.gone(w.err)
}

// done gives an unused walk back.
func (w *walk) done() error {
	err := w.outcome()
	w.end()
	return err
}
