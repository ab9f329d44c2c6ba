package consumequeue

import (
	"os"

	"github.com/actorstore/actorstore/commitlog/mapped"
)

// Reload looks at a queue again as if for the first time, in a store that was
// opened read-only: beside the process that writes, Load may have seen a file in
// the middle of a change. Nobody else may use the queue meanwhile.
func (q *Queue) Reload() error {
	if !q.store.o.ReadOnly {
		return q.Load()
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.state.Load() != stateGone {
		if set := q.files.Load(); !set.empty() {
			for _, f := range set.files {
				q.store.pool.retire(f)
			}
		}
		q.damage = nil
		q.state.Store(stateKnown)
	}
	return q.load()
}

// HalfWritten tells of a queue that is damaged that there are only zeros behind the
// unit in question: beside a writer that is the one which it is writing. A page that it
// writes for the first time may hold it up in the middle of a unit for long.
func (q *Queue) HalfWritten() (bool, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	set := q.files.Load()
	if q.damage == nil || set.empty() || set.files[len(set.files)-1].path() != q.damage.Path {
		return false, nil
	}
	f, err := q.store.o.FS.OpenFile(q.damage.Path, os.O_RDONLY, 0)
	if err != nil {
		return false, err
	}
	defer f.Close()
	if size, err := f.Size(); err != nil || size != q.fileSize() {
		return false, err
	}
	unit := q.kind.unitSize()
	return mapped.ZeroFrom(f, (q.damage.Offset/unit+1)*unit)
}
