package recoverer

import (
	"github.com/actorstore/actorstore/commitlog"
	"github.com/actorstore/actorstore/commitlog/checkpoint"
	"github.com/actorstore/actorstore/commitlog/record"
	"github.com/actorstore/actorstore/consumequeue"
)

// lookup reads single records of the log. It belongs to one goroutine.
type lookup struct {
	log     *commitlog.Reader
	queues  *consumequeue.Store
	parser  record.DispatchParser
	names   *record.Interner
	multi   bool
	deleted checkpoint.DeletedTopics
}

func newLookup(in *Input) *lookup {
	return &lookup{
		log:    in.Log.Reader(),
		queues: in.Queues,
		parser: record.DispatchParser{Topics: record.NewInterner(1 << 16), Delays: in.Delays},
		names:  record.NewInterner(1 << 16),
		multi:  in.MultiDispatch, deleted: in.Deleted,
	}
}

// whole tells whether any record stands at offset, with its checksums right.
func (l *lookup) whole(offset, limit int64) bool {
	ok := false
	_ = viewRest(l.log, offset, limit, func(b []byte) {
		size, kind, err := record.Measure(b)
		ok = err == nil && kind == record.KindRecord && size <= len(b) &&
			record.Verify(b[:size], offset, record.CRCRecord) == nil
	})
	return ok
}

// backs tells whether a unit points at a record below limit that belongs into
// that queue at the unit's offset.
func (l *lookup) backs(u *consumequeue.Unit, topic string, id int32, limit int64) bool {
	ok := false
	q := l.queues.Queue(topic, id)
	batch := q != nil && q.Kind() == consumequeue.Batch
	if u.PhysicalOffset < 0 || u.Size <= 0 || u.PhysicalOffset+int64(u.Size) > limit {
		return false
	}
	_ = viewRest(l.log, u.PhysicalOffset, u.PhysicalOffset+int64(u.Size), func(b []byte) {
		var req record.DispatchRequest
		if len(b) != int(u.Size) || record.Verify(b, u.PhysicalOffset, record.CRCNone) != nil ||
			l.parser.Parse(b, &req) != nil || req.Size != u.Size {
			return
		}
		req.Units(l.multi, l.names, func(p record.QueueUnit) {
			if at, _ := p.At(batch); p.Topic == topic && p.QueueID == id && at == u.Base && !l.deleted.Covers(topic, req.PhysicalOffset) {
				ok = true
			}
		})
	})
	return ok
}
