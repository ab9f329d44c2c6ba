package consumequeue

// TruncateTo cuts the queue so that MaxOffset is at most maxOffset (a batch unit
// that reaches above it goes as a whole): files behind are removed, the units
// left over are zeroed, and the queue is durable when it returns. A damaged
// queue is mended if the cut lies in its valid part: the last file is made anew
// at full length. If the cut falls in front of the first file the queue starts
// anew at maxOffset. A cut that failed leaves a damaged queue; cut again.
func (q *Queue) TruncateTo(maxOffset int64) error {
	if err := q.writable(); err != nil {
		return err
	}
	defer q.mu.Unlock()
	if err := q.load(); err != nil && q.state.Load() != stateDamaged {
		return err
	}
	index := max(maxOffset, 0)
	if q.kind == Batch {
		var err error
		if index, err = q.searchUnit(q.data, q.end.Load(), func(u *Unit) bool { return u.next() > maxOffset }); err != nil {
			return err
		}
	}
	return q.truncate(index)
}

// TruncatePhysical cuts the units whose records end above end, the end of the
// commit log; otherwise as TruncateTo.
func (q *Queue) TruncatePhysical(end int64) error {
	if err := q.writable(); err != nil {
		return err
	}
	defer q.mu.Unlock()
	if err := q.load(); err != nil && q.state.Load() != stateDamaged {
		return err
	}
	if q.state.Load() == stateReady && q.maxPhysical.Load() <= end {
		return nil
	}
	index, err := q.searchUnit(q.data, q.end.Load(), func(u *Unit) bool { return u.end() > end })
	if err != nil {
		return err
	}
	return q.truncate(index)
}

// truncate cuts at a unit; q.mu is held and the ends are known.
func (q *Queue) truncate(index int64) error {
	old, broken := q.end.Load(), q.state.Load() == stateDamaged
	switch {
	case broken && index > old:
		return q.damage
	case !broken && index >= old:
		return nil
	}
	set := q.files.Load()
	if q.anew || !set.empty() && index*q.kind.unitSize() < set.files[0].start {
		return q.restart(index)
	}
	if err := q.lowerEnd(index); err != nil {
		return err
	}
	keep := q.keepAt(index)
	if broken {
		if err := q.mend(index, keep); err != nil {
			return err
		}
		return q.cutExt()
	}
	if err := q.zeroBehind(index, old, keep); err != nil {
		// Old units may stand behind the end: no new one may join them.
		q.damage = damaged(q.dir(), index*q.kind.unitSize(), "a finished cut", err.Error())
		q.state.Store(stateDamaged)
		return err
	}
	return q.cutExt()
}

// lowerEnd publishes the lower end before a byte is changed: a reader that
// began with the old one sees gen move.
func (q *Queue) lowerEnd(index int64) error {
	maxOffset, maxPhysical := index, int64(-1)
	if q.kind == Batch {
		maxOffset = q.minOffset.Load()
	}
	if index > q.data {
		u, err := q.unitAt(index - 1)
		if err != nil {
			return err
		}
		maxOffset, maxPhysical = u.next(), u.end()
	}
	if q.first.Load() >= index {
		q.setStart(index, maxOffset)
	}
	q.setEnd(index, maxOffset, maxPhysical)
	q.data = min(q.data, index)
	q.ordered.Store(min(q.ordered.Load(), index))
	if q.ordered.Load() == index {
		q.lastTime = 0
	}
	q.gen.Add(2)
	return nil
}
