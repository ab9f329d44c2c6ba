package consumequeue

// restart begins the queue anew at a unit in front of its first file. Where that
// fails the number stands only here, the files being gone: the queue is damaged, and
// another cut does it again.
func (q *Queue) restart(index int64) error {
	err := q.startAnew(index)
	if err == nil {
		return nil
	}
	if q.kind == Simple {
		q.data = index
		q.ordered.Store(index)
		q.setEnd(index, index, -1)
		q.setStart(index, index)
	}
	q.anew = true
	q.damage = damaged(q.dir(), index*q.kind.unitSize(), "a finished cut", err.Error())
	q.state.Store(stateDamaged)
	return err
}

func (q *Queue) startAnew(index int64) error {
	if err := q.empty(""); err != nil {
		return err
	}
	if index == 0 || q.kind == Batch {
		return q.syncDirs()
	}
	if err := q.begin(index); err != nil {
		return err
	}
	if err := q.store.syncFile(q.files.Load().files[0]); err != nil {
		return err
	}
	return q.syncDirs()
}
