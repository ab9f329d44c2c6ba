package commitlog

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
	if first == l.Min() {
		return first, nil
	}
	l.min.raise(first) // readers turn away before the file goes
	return first, l.files.RemoveBelow(first)
}
