package recoverer

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// lack is what a queue has no units for behind its end: one finding, however many
// records it are. A stop leaves thousands, and recovery adds them.
type lack struct {
	queueKey
	first, next int64 // queue offsets
	records     int64 // of the index: keys
	physical    int64 // of the first record
	got         string
}

// lack notes a record behind the end of its queue.
func (v *verifier) lack(key queueKey, offset, num, physical int64, got string) {
	l := v.lacks[key]
	if l == nil {
		if v.lacks == nil {
			v.lacks = make(map[queueKey]*lack)
		}
		l = &lack{queueKey: key, first: offset, physical: physical, got: got}
		v.lacks[key] = l
	}
	l.first, l.next = min(l.first, offset), max(l.next, offset+max(num, 1))
	l.records++
}

// tellLacks tells of each queue once, and of the index.
func (v *verifier) tellLacks() {
	for _, l := range slices.SortedFunc(maps.Values(v.lacks), func(a, b *lack) int {
		return cmp.Or(strings.Compare(a.topic, b.topic), cmp.Compare(a.id, b.id))
	}) {
		units := "a unit for the record"
		if l.records > 1 {
			units = fmt.Sprintf("units for %d records, the first", l.records)
		}
		st := newState(v.r.in.Queues.Queue(l.topic, l.id), l.queueKey)
		v.r.find(Finding{Where: ConsumeQueue, Path: st.path(), Offset: l.first, End: l.next,
			Want: fmt.Sprintf("%s at %d", units, l.physical), Got: l.got + "; opening adds them"})
	}
	if l := &v.unkeyed; l.records > 0 {
		v.r.find(Finding{Where: Index, Path: v.r.in.Layout.Index(), Offset: l.physical, End: l.next,
			Want: fmt.Sprintf("entries for %d keys and tags of records from %d on", l.records, l.physical),
			Got:  fmt.Sprintf("the index's end at %d; opening adds them", v.r.in.Index.EndPhyOffset())})
	}
}
