package consumequeue

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"

	"github.com/actorstore/actorstore/commitlog/mapped"
	"github.com/actorstore/actorstore/commitlog/record"
)

// Load finds the ends of a queue that stands on disk: one listing, and a few
// short reads of the last file. It may be called again and from any goroutine.
//
// *record.CorruptionError: the files are damaged at that place; MaxOffset is
// then the end of the valid part, which can be read. TruncateTo or
// TruncatePhysical mend the queue, Reset empties it for a rebuild, until then
// it takes no entry. Any other error: nothing is known, Load may be tried again.
//
// Load proves the listing, the sizes, the last 4 KiB in front of the end and
// samples behind it. Verify reads every unit.
func (q *Queue) Load() error {
	if q.state.Load() == stateReady {
		return nil
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.load()
}

// load is Load for who holds q.mu.
func (q *Queue) load() error {
	switch q.state.Load() {
	case stateReady:
		return nil
	case stateDamaged:
		return q.damage
	case stateGone:
		return ErrDeleted
	}
	if q.store.closed.Load() {
		return ErrClosed
	}
	found, bad, err := q.segments()
	if err != nil {
		return err
	}
	s := survey{q: q, segments: found, bad: bad}
	defer s.close()
	if err := s.run(); err != nil {
		return err
	}
	q.settle(&s)
	if s.bad != nil {
		q.damage = s.bad
		q.state.Store(stateDamaged)
		return s.bad
	}
	q.state.Store(stateReady)
	return nil
}

// settle publishes what a survey found.
func (q *Queue) settle(s *survey) {
	set := &fileSet{}
	for _, seg := range s.segments {
		set.files = append(set.files, q.newFile(seg.start, false))
	}
	q.files.Store(set)
	q.dirsMade = false // an earlier process may have died before its sync
	q.data = s.data
	q.ordered.Store(s.end)
	q.lastTime = 0
	q.setStart(s.data, s.minOffset)
	q.setEnd(s.end, s.maxOffset, s.maxPhysical)
}

// segment is a file as the directory lists it.
type segment struct{ start, size int64 }

// segments lists the queue's files in order, up to and including the first
// that is wrong. A missing directory is no files.
func (q *Queue) segments() ([]segment, *record.CorruptionError, error) {
	entries, err := q.store.o.FS.ReadDir(q.dir())
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil, nil, nil
		}
		return nil, nil, err
	}
	var found []segment
	for _, e := range entries {
		start, ok := mapped.ParseName(e.Name())
		if !ok || !e.Type().IsRegular() {
			q.store.o.Warn(filepath.Join(q.dir(), e.Name()), "not a queue file")
			continue
		}
		info, err := e.Info()
		if err != nil {
			return nil, nil, err
		}
		found = append(found, segment{start, info.Size()})
	}
	slices.SortFunc(found, func(a, b segment) int { return cmp.Compare(a.start, b.start) })
	found, bad := q.checkSegments(found)
	return found, bad, nil
}

func (q *Queue) checkSegments(found []segment) ([]segment, *record.CorruptionError) {
	size := q.fileSize()
	for i, seg := range found {
		path := filepath.Join(q.dir(), mapped.Name(seg.start))
		switch {
		case seg.start%size != 0:
			return found[:i], damaged(path, 0, fmt.Sprintf("a name that is a multiple of %d", size), fmt.Sprint(seg.start))
		case i > 0 && seg.start != found[i-1].start+size:
			return found[:i], damaged(path, 0, "the file "+mapped.Name(found[i-1].start+size)+" in front of it", "none")
		case seg.size != size:
			return found[:i+1], damaged(path, min(seg.size, size), fmt.Sprintf("a file of %d bytes", size), fmt.Sprintf("%d bytes", seg.size))
		}
	}
	return found, nil
}
