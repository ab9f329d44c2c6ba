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
	parser  record.DispatchParser
	names   *record.Interner
	multi   bool
	deleted checkpoint.DeletedTopics
}

func newLookup(in *Input) *lookup {
	return &lookup{
		log:    in.Log.Reader(),
		parser: record.DispatchParser{Topics: record.NewInterner(1 << 16), Delays: in.Delays},
		names:  record.NewInterner(1 << 16),
		multi:  in.MultiDispatch, deleted: in.Deleted,
	}
}

// request reads the record of size bytes at offset; false if none stands there.
// Its byte fields must not be used.
func (l *lookup) request(offset int64, size int32, limit int64, req *record.DispatchRequest) bool {
	ok := false
	if offset < 0 || size <= 0 || offset+int64(size) > limit {
		return false
	}
	_ = viewRest(l.log, offset, offset+int64(size), func(b []byte) {
		ok = len(b) == int(size) && record.Verify(b, offset, record.CRCNone) == nil &&
			l.parser.Parse(b, req) == nil && req.Size == size
	})
	return ok
}

// backs tells whether a unit points at a record below limit that belongs into
// that queue at the unit's offset.
func (l *lookup) backs(u *consumequeue.Unit, topic string, id int32, limit int64) bool {
	ok := false
	if u.PhysicalOffset < 0 || u.Size <= 0 || u.PhysicalOffset+int64(u.Size) > limit {
		return false
	}
	_ = viewRest(l.log, u.PhysicalOffset, u.PhysicalOffset+int64(u.Size), func(b []byte) {
		var req record.DispatchRequest
		if len(b) != int(u.Size) || record.Verify(b, u.PhysicalOffset, record.CRCNone) != nil ||
			l.parser.Parse(b, &req) != nil || req.Size != u.Size {
			return
		}
		req.Units(l.multi, l.names, func(t string, q int32, offset int64, _ int16) {
			if t == topic && q == id && offset == u.Base && !l.deleted.Covers(t, req.PhysicalOffset) {
				ok = true
			}
		})
	})
	return ok
}
