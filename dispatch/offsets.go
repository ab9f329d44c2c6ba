package dispatch

import (
	"github.com/actorstore/actorstore/commitlog"
	"github.com/actorstore/actorstore/consumequeue"
)

// NextOffsets counts the next queue offset of every queue anew: what the queues
// hold, and behind that the records of [from, appended). All queues must hold
// what is below from. Nobody may append meanwhile; dispatching may go on.
func NextOffsets(log *commitlog.Reader, queues *consumequeue.Store, rules Rules, from int64) (*commitlog.OffsetTable, error) {
	table := commitlog.NewOffsetTable()
	raise := func(q *consumequeue.Queue, next int64) {
		if p := table.Next(q.Topic(), q.ID()); *p < next {
			*p = next
		}
	}
	for q := range queues.All() {
		if q.Loaded() {
			raise(q, q.MaxOffset())
		}
	}
	reput := NewReput(log, queues, rules, from)
	w := &Window{}
	for end := log.Log().Appended(); reput.Pos() < end; {
		if err := reput.Read(w, end); err != nil {
			return nil, err
		}
		for i := range w.Batches {
			b := &w.Batches[i]
			last := b.Entries[len(b.Entries)-1]
			raise(b.Queue, last.QueueOffset+int64(max(last.Num, 1)))
		}
	}
	return table, nil
}
