package fault

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"time"

	"github.com/actorstore/actorstore"
	"github.com/actorstore/actorstore/commitlog/mapped"
	"github.com/actorstore/actorstore/flusher"
	"github.com/actorstore/actorstore/tests/crash/oracle"
)

// slow is how long any call may take before it counts as hung, in virtual time or on
// a disk in memory; on a real disk, which other programs keep busy, it is Real.
const slow = 2 * time.Second

// Real is the Limit of clients on a real disk. A disk that is throttled holds a sync
// up for seconds, and the tests of other packages hold the processors.
const Real = time.Minute

// Client drives one store and notes what it was told.
type Client struct {
	Options actorstore.Options
	Store   *Store // nil while none is open
	Model   *oracle.Model
	Puts    []*Put        // in the order they were sent, which is that of the log
	Faults  []error       // what must not be
	OpenErr error         // of the last Open
	Limit   time.Duration // of each call, before it is given up as hung; default a minute, hung after slow

	unmarked bool // recovery had no mark to go by
}

// Fault notes something that must not be.
func (c *Client) Fault(format string, args ...any) {
	c.Faults = append(c.Faults, fmt.Errorf(format, args...))
}

// timed runs a call of the store and notes if it takes too long.
func (c *Client) timed(what string, call func(ctx context.Context) error) error {
	limit, hung := c.Limit, slow
	if limit == 0 {
		limit = time.Minute
	} else {
		hung = limit
	}
	ctx, p := wait(limit)
	defer p.end()
	err := call(ctx)
	if took := p.waited(); took >= hung {
		c.Fault("%s took %v: %v\n%s", what, took, err, stacks())
	}
	return err
}

// stacks are those of all goroutines, to see who waits for whom.
func stacks() []byte {
	b := make([]byte, 1<<20)
	return b[:runtime.Stack(b, true)]
}

// Open opens the store; false if it would not.
func (c *Client) Open() bool {
	err := c.timed("open", func(ctx context.Context) (err error) {
		c.Store, err = Open(ctx, c.Options)
		return err
	})
	if c.OpenErr = err; err != nil {
		c.Store = nil
	}
	return err == nil
}

// Close closes the store.
func (c *Client) Close() error {
	s := c.Store
	c.Store = nil
	if s == nil {
		return nil
	}
	return c.timed("close", s.Close)
}

// Sync says whether PUT_OK promises the disk.
func (c *Client) Sync() bool { return c.Options.FlushDiskType == actorstore.SyncFlush }

// send notes n messages that are about to be sent as one.
func (c *Client) send(topic string, queue int32, size, n int) []*Put {
	var ms []actorstore.Message
	for range n {
		ms = append(ms, message(len(c.Puts)+len(ms), topic, queue, size))
	}
	sent, err := c.Model.Sent(ms...)
	if err != nil {
		panic(err) // a number that was given out before
	}
	for _, s := range sent {
		c.Puts = append(c.Puts, &Put{Sent: s})
	}
	return c.Puts[len(c.Puts)-n:]
}

// Begin sends a message.
func (c *Client) Begin(topic string, queue int32, size int) *Put {
	p := c.send(topic, queue, size, 1)[0]
	var err error
	_ = c.timed("begin", func(context.Context) error {
		p.pending, err = c.Store.Begin(&p.Message)
		return err
	})
	p.begun = err == nil
	if err != nil {
		c.refused(err, p)
	}
	return p
}

// refused notes a put that was not even begun.
func (c *Client) refused(err error, puts ...*Put) {
	result := actorstore.PutResult{Status: flusher.UnknownError, Err: err}
	var pe *actorstore.PutError
	if errors.As(err, &pe) {
		result.Status = pe.Status
	}
	c.settle(result, err, puts...)
}

// Wait waits for the answer of a put, which may be the first of a batch.
func (c *Client) Wait(puts ...*Put) {
	first := puts[0]
	if !first.begun {
		return
	}
	var result actorstore.PutResult
	err := c.timed("put", func(ctx context.Context) (err error) {
		result, err = first.pending.Wait(ctx)
		return err
	})
	c.settle(result, err, puts...)
}

func (c *Client) settle(result actorstore.PutResult, err error, puts ...*Put) {
	if wrong := honest(result, err, c.Sync(), puts[0].begun); wrong != nil {
		c.Fault("put %d: %w", puts[0].Serial, wrong)
	}
	sent := make([]*oracle.Sent, len(puts))
	for i, p := range puts {
		sent[i] = p.Sent
	}
	c.Model.Settled(sent, result, err)
}

// Put sends a message and waits.
func (c *Client) Put(topic string, queue int32, size int) *Put {
	p := c.Begin(topic, queue, size)
	c.Wait(p)
	return p
}

// Batch sends n messages as one and waits.
func (c *Client) Batch(topic string, queue int32, size, n int) {
	puts := c.send(topic, queue, size, n)
	var ms []actorstore.Message
	for _, p := range puts {
		ms = append(ms, p.Message)
	}
	pending, err := c.Store.BeginBatch(ms)
	puts[0].pending, puts[0].begun = pending, err == nil
	if err != nil {
		c.refused(err, puts...)
		return
	}
	c.Wait(puts...)
}

// Many sends n messages to several queues of a topic with so many in flight.
func (c *Client) Many(topic string, queues int32, size, n, window int) {
	var flight []*Put
	for i := range n {
		if len(flight) == window {
			c.Wait(flight[0])
			flight = flight[1:]
		}
		flight = append(flight, c.Begin(topic, int32(i)%queues, size))
	}
	for _, p := range flight {
		c.Wait(p)
	}
}

// Delete deletes a topic.
func (c *Client) Delete(topic string) {
	done := c.Model.Deleting(topic)
	err := c.timed("delete topic", func(ctx context.Context) error {
		ctx, cancel := context.WithTimeout(ctx, time.Second) // it waits for dispatch, which waits for the disk
		defer cancel()
		return c.Store.DeleteTopic(ctx, topic)
	})
	if err == nil {
		done()
	}
}

// NewClient makes a client of a small store on fsys: borders of segments, queue
// files and index files are crossed within a few puts.
func NewClient(fsys mapped.FS, root string, sync bool) *Client {
	o := actorstore.DefaultOptions(root)
	o.FS = fsys
	if sync {
		o.FlushDiskType = actorstore.SyncFlush
	}
	o.MappedFileSizeCommitLog = 16 << 10
	o.MappedFileSizeConsumeQueue = 10 * 20
	o.MapperFileSizeBatchConsumeQueue = 10 * 46
	o.MaxHashSlotNum, o.MaxIndexNum = 8, 16
	o.FlushIntervalCommitLog = 20 * time.Millisecond
	o.FlushConsumeQueueThoroughInterval = 500 * time.Millisecond
	o.CleanResourceInterval = 200 * time.Millisecond
	o.MaxOpenQueueFiles = 16
	o.FileReservedTime = 0
	return &Client{Options: o, Model: oracle.New()}
}
