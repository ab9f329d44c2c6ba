package reader

// waiter is one call of Wait. done takes one value, so that waking never blocks.
type waiter struct {
	offset int64
	at     int // place in the heap, -1 when it is out
	done   chan error
}

// waiters is a heap, lowest offset first: an advance touches only those it wakes.
type waiters []*waiter

func (h waiters) Len() int           { return len(h) }
func (h waiters) Less(i, j int) bool { return h[i].offset < h[j].offset }
func (h waiters) Swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].at, h[j].at = i, j
}

// Push is for package heap.
func (h *waiters) Push(x any) {
	w := x.(*waiter)
	w.at = len(*h)
	*h = append(*h, w)
}

// Pop is for package heap.
func (h *waiters) Pop() any {
	old := *h
	n := len(old) - 1
	w := old[n]
	old[n] = nil
	*h = old[:n]
	w.at = -1
	return w
}

// end wakes all with err.
func (h *waiters) end(err error) {
	for _, w := range *h {
		w.at = -1
		w.done <- err
	}
	*h = nil
}
