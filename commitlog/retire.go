package commitlog

import "github.com/actorstore/actorstore/commitlog/mapped"

// ExpireBelow deletes whole segments from the front that end at or below limit,
// never the one in use, never one that is not dispatched or not durable. A
// segment that is being read disappears for new readers at once and from the
// disk when its last reader is done. It reports the new minimum.
func (l *Log) ExpireBelow(limit int64) (int64, error) {
	limit = min(limit, l.Dispatched(), l.Flushed(), l.Confirm())
	first := l.Min()
	for _, f := range l.files.Files() {
		end := f.Offset() + f.Size()
		if end > limit || l.files.Last() == f {
			break
		}
		first = end
	}
	if first == l.Min() && len(l.doomed) == 0 {
		return first, nil
	}
	l.min.raise(first) // readers turn away before the file goes
	gone := l.files.RemoveFirst(func(f *mapped.MappedFile) bool { return f.Offset() >= first })
	left, err := l.files.Delete(append(l.doomed, gone...)...)
	l.doomed = left // tried again with the next call
	return first, err
}

// DropUnused removes the segment that was made ready but not used, as RocketMQ
// does at a clean stop. Nobody may append any more.
func (l *Log) DropUnused() error {
	end := l.Appended()
	_, err := l.files.Delete(l.files.RemoveFrom(end)...)
	return err
}
