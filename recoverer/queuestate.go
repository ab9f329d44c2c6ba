package recoverer

import (
	"cmp"
	"errors"
	"maps"
	"slices"
	"strconv"

	"github.com/actorstore/actorstore/commitlog/record"
	"github.com/actorstore/actorstore/consumequeue"
)

// queueState is what a replay knows of one queue.
type queueState struct {
	queueKey
	q    *consumequeue.Queue // nil until its first unit is due
	kind consumequeue.Kind

	summed  bool  // the summary knows it, and it passed its checks
	synced  int64 // end of what the summary claims, 0 without one
	checked bool  // every unit is compared, from the log's beginning on
	unclear bool  // its last unit points at what may be damage
	found   int64 // up to here units stood there before the replay

	// The log's view, once a record of the queue was met (known):
	known   bool
	next    int64 // queue offset that the next record should have
	lastEnd int64 // physical end of the last record or damage that has a unit
	held    *held // a record out of line, until the next one confirms it

	// trustEnd is the physical end of the queue's last unit when that was found
	// to be right. A record in front of it whose offset lies above the queue is
	// superseded: the numbering began anew behind it.
	trustEnd int64

	batch []consumequeue.Entry // to append
	due   bool                 // it stands among those with a batch
	ahead []consumequeue.Unit  // units read, from offset aheadAt on
	at    int64
}

func newState(q *consumequeue.Queue, key queueKey) *queueState {
	st := &queueState{queueKey: key, q: q}
	if q != nil {
		st.kind, st.found = q.Kind(), q.MaxOffset()
	}
	return st
}

// sorted lists the queues by topic and id: what is done to their files is then
// done in one order, and a fault that a test plants meets the same call again.
func (p *replay) sorted() []*queueState {
	return slices.SortedFunc(maps.Values(p.states), func(a, b *queueState) int {
		return cmp.Or(cmp.Compare(a.topic, b.topic), cmp.Compare(a.id, b.id))
	})
}

// path names the queue in findings.
func (st *queueState) path() string { return st.topic + "-" + strconv.Itoa(int(st.id)) }

// held is a record whose offset is not the next one and that has no checksum
// over its header: it may be damaged.
type held struct {
	entry consumequeue.Entry
}

// max is the queue's next offset as far as units exist or are due.
func (st *queueState) max() int64 {
	if n := len(st.batch); n > 0 {
		return nextOf(&st.batch[n-1])
	}
	if st.q == nil {
		return 0
	}
	return st.q.MaxOffset()
}

// empty: the first unit may stand anywhere.
func (st *queueState) empty() bool {
	return len(st.batch) == 0 && (st.q == nil || st.q.MaxOffset() == 0 && st.q.MinOffset() == 0)
}

// behind tells whether the last unit points behind a record that would be added.
func (st *queueState) behind(e *consumequeue.Entry) bool {
	return st.kind == consumequeue.Simple && len(st.batch) == 0 && !st.empty() && e.PhysicalOffset >= st.trustEnd &&
		e.QueueOffset >= st.max() && st.q.MaxPhysical() > e.PhysicalOffset
}

func nextOf(e *consumequeue.Entry) int64 { return e.QueueOffset + max(int64(e.Num), 1) }

func endOf(e *consumequeue.Entry) int64 { return e.PhysicalOffset + int64(e.Size) }

// flush appends what is due.
func (st *queueState) flush() error {
	if len(st.batch) == 0 {
		return nil
	}
	err := st.q.Append(st.batch)
	st.batch = st.batch[:0]
	return err
}

// windows of units grow, so that a hundred thousand short queues cost little.
const (
	firstWindow = 8
	largeWindow = 64
)

// unit reads the unit that begins at a queue offset. Damage is an error that is
// record.ErrCorrupt; false means that no unit begins there.
func (st *queueState) unit(offset int64) (consumequeue.Unit, bool, error) {
	if st.kind == consumequeue.Batch {
		var one [1]consumequeue.Unit
		n, err := st.q.Read(offset, one[:])
		if errors.Is(err, consumequeue.ErrOffsetTooSmall) {
			return one[0], false, nil
		}
		return one[0], n == 1 && one[0].Base == offset, err
	}
	if i := offset - st.at; i >= 0 && i < int64(len(st.ahead)) {
		return st.ahead[i], true, nil
	}
	if cap(st.ahead) < largeWindow {
		st.ahead = make([]consumequeue.Unit, 0, min(max(2*cap(st.ahead), firstWindow), largeWindow))
	}
	n, err := st.q.Read(offset, st.ahead[:cap(st.ahead)])
	st.ahead, st.at = st.ahead[:n], offset
	if errors.Is(err, consumequeue.ErrOffsetTooSmall) {
		return consumequeue.Unit{}, false, nil
	}
	if n == 0 || err != nil {
		return consumequeue.Unit{}, false, err
	}
	return st.ahead[0], true, nil
}

// stale forgets what was read ahead, after a change of the queue.
func (st *queueState) stale() { st.ahead = st.ahead[:0] }

// cutTo drops the units at and above an offset.
func (st *queueState) cutTo(offset int64) error {
	if err := st.flush(); err != nil {
		return err
	}
	st.stale()
	st.found = min(st.found, offset)
	return st.q.TruncateTo(offset)
}

// same tells whether a unit says of a record what it must. The due time of a
// delayed message depends on a setting. The address of an ext unit has been
// followed by now; one that leads nowhere is wrong.
func same(u *consumequeue.Unit, e *consumequeue.Entry, kind consumequeue.Kind, topic string) bool {
	if u.PhysicalOffset != e.PhysicalOffset || u.Size != e.Size {
		return false
	}
	if u.TagsCode != e.TagsCode && topic != record.TopicSchedule {
		return false
	}
	return kind == consumequeue.Simple ||
		u.Base == e.QueueOffset && int64(u.Num) == max(int64(e.Num), 1) && u.StoreTimestamp == e.StoreTimestamp
}
