package retention

import (
	"errors"

	"github.com/actorstore/actorstore/commitlog"
	"github.com/actorstore/actorstore/consumequeue"
	"github.com/actorstore/actorstore/indexsvc"
)

// Cleaner carries out decisions: the log first, then queues and index follow.
// It belongs to one goroutine.
type Cleaner struct {
	Log    *commitlog.Log
	Queues *consumequeue.Store
	Index  *indexsvc.Service // nil if there is none

	left       []*consumequeue.Queue // that still have to follow
	min        int64                 // what they follow
	unfinished bool                  // the last Expire has failed
}

// Followed is what queues and index have given up.
type Followed struct {
	QueueFiles int
	IndexFiles int
	Done       bool // all queues and the index have followed
}

// Expire takes the segments below an offset away. The log keeps what Step must
// keep too (R2), so that a stale decision does no harm. It reports the first
// offset of the log. After an error the call is to be repeated: queues and index
// follow only what no power cut brings back.
func (c *Cleaner) Expire(below int64) (int64, error) {
	first, err := c.Log.ExpireBelow(below)
	if c.unfinished = err != nil; err == nil {
		c.follow(first)
	}
	return first, err
}

// Unfinished reports that the last Expire has failed; Expire(0) goes on with it.
func (c *Cleaner) Unfinished() bool { return c.unfinished }

// follow begins a round over the queues if the log's first offset has grown.
func (c *Cleaner) follow(first int64) {
	if first <= c.min {
		return
	}
	c.min, c.left = first, nil
	for q := range c.Queues.All() {
		c.left = append(c.left, q)
	}
}

// Follow lets at most n queues go after the log, and with the last of them the
// index. The caller puts a pause between calls, so that a store of many queues
// is not held up. A queue or an index that fails is passed over and reported;
// the next round tries it again.
func (c *Cleaner) Follow(n int) (Followed, error) {
	var f Followed
	var failed error
	for ; n > 0 && len(c.left) > 0; n-- {
		q := c.left[0]
		c.left = c.left[1:]
		files, err := c.queue(q)
		f.QueueFiles += files
		if !errors.Is(err, consumequeue.ErrDeleted) {
			failed = errors.Join(failed, err)
		}
	}
	if len(c.left) > 0 {
		return f, failed
	}
	f.Done = true
	if c.Index != nil && c.min > 0 {
		files, err := c.Index.DeleteExpired(c.min)
		f.IndexFiles = files
		failed = errors.Join(failed, err)
	}
	return f, failed
}

// queue moves the first offset of a queue up, so that no reader is sent to a
// record that has gone, and deletes what lies in front of it.
func (c *Cleaner) queue(q *consumequeue.Queue) (int, error) {
	if err := q.CorrectMin(c.min); err != nil {
		return 0, err
	}
	return q.DeleteExpired(c.min)
}
