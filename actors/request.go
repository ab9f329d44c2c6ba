package actors

import (
	"log/slog"
	"sync"
	"sync/atomic"

	"github.com/actorstore/actorstore/commitlog/record"
	"github.com/actorstore/actorstore/flusher"
)

// putRequest is one put on its way: the message, and inside the waiter the
// answer. The message is a copy of the caller's struct, so nothing of the
// caller's but body and properties must stay unchanged until it is copied.
type putRequest struct {
	flusher.Waiter
	message record.Message
	batch   []record.Message // instead of message
	waited  atomic.Uint64    // how often it was waited for, over all its lives
	aside   bool             // its sender does not do the append actor's work
	durable bool             // it waits for the flush
}

// batchable lets the append mailbox hand over puts together.
func (*putRequest) batchable() {}

// LogValue and String keep loggers from looking into a request, which holds the
// body and belongs to somebody else: an actor system logs messages that reach
// nobody.
func (*putRequest) LogValue() slog.Value { return slog.StringValue("put") }
func (*putRequest) String() string       { return "put" }
func (*chain) LogValue() slog.Value      { return slog.StringValue("puts") }
func (*chain) String() string            { return "puts" }

// requests recycles putRequests. Whoever sees a put end owns it: the caller that
// waited, or the answerer of one whose caller has left.
var requests sync.Pool

func newRequest() *putRequest {
	r, ok := requests.Get().(*putRequest)
	if !ok {
		r = new(putRequest)
		r.Recycle = func(*flusher.Waiter) { r.free() }
	}
	r.Waiter.Reset()
	return r
}

// free forgets the caller's memory and gives the request back.
func (r *putRequest) free() {
	r.message = record.Message{}
	r.batch = nil
	r.aside, r.durable = false, false
	r.OnSettled = nil
	requests.Put(r)
}

// weight is what a message counts in the admission, in bytes.
func weight(m *record.Message) int64 {
	return int64(len(m.Body) + len(m.Properties) + len(m.Topic) + 128)
}
