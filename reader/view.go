package reader

import (
	"context"

	"github.com/actorstore/actorstore/commitlog/record"
	"github.com/actorstore/actorstore/consumequeue"
)

// ViewResult is how a View went.
type ViewResult struct {
	Place
	Count int // messages that the function has taken
}

// viewer lends records to a function.
type viewer struct {
	fn    func(*record.MessageExt) error
	m     record.MessageExt
	count int
}

// viewError marks an error as the function's own.
type viewError struct{ err error }

func (e *viewError) Error() string { return e.err.Error() }

// View lends messages of a queue to fn, one after the other. Message, body and
// properties are the log itself: they exist until fn returns, must not be
// written to, and what is to stay must be copied. fn runs on the caller's
// goroutine, inside the fault guard: if a file is cut while fn reads it, fn ends
// there and View returns a *mapped.FaultError. Any other panic of fn passes
// through.
//
// Structure and identity of each record are checked as in Get, its checksum is
// not. An error of fn ends the walk, is returned as it is, and NextOffset is
// then that of the message that fn refused. Other errors are as for Get.
func (r *Reader) View(ctx context.Context, req GetRequest, fn func(m *record.MessageExt) error) (ViewResult, error) {
	w := r.walks.Get().(*walk)
	w.viewer.fn, w.viewer.count = fn, 0
	if !w.begin(ctx, r, req, &w.viewer) {
		p := w.place
		return ViewResult{Place: p}, w.done()
	}
	defer w.end()
	w.run(ctx)
	return ViewResult{Place: w.place, Count: w.viewer.count}, w.outcome()
}

func (v *viewer) take(w *walk, u *consumequeue.Unit, b []byte) (bool, error) {
	if err := w.decode(u, b, &v.m); err != nil {
		return false, err
	}
	if !w.filter.matches(&v.m) {
		return false, nil
	}
	w.lending = true
	err := v.fn(&v.m)
	w.lending = false
	if err != nil {
		return false, &viewError{err}
	}
	v.count++
	return true, nil
}
