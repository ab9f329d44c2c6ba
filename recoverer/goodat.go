package recoverer

import (
	"github.com/actorstore/actorstore/commitlog/record"
)

// goodAt tells whether a good record stands at offset.
func (r *recovery) goodAt(offset int64) bool {
	ok := false
	_ = viewRest(r.in.Log.Reader(), offset, r.plan.Limit, func(b []byte) {
		size, kind, err := record.Measure(b)
		ok = err == nil && kind == record.KindRecord && size <= len(b) &&
			record.Verify(b[:size], offset, record.CRCRecord) == nil
	})
	return ok
}
