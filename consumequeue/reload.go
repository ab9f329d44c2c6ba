package consumequeue

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
