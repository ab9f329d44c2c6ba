package flusher

// Gate is the queue of puts that are in the log and wait for a watermark: the
// flushed one, and under SYNC_MASTER the replicated one too. They come and go in
// log order, so the gate looks only at its head.
type Gate struct {
	first, last *Waiter
	n           int
}

// Chain is a list of waiters in log order.
type Chain struct {
	first, last *Waiter
}

// Push adds a waiter at the end.
func (c *Chain) Push(w *Waiter) {
	w.next = nil
	if c.last == nil {
		c.first = w
	} else {
		c.last.next = w
	}
	c.last = w
}

// Empty reports whether the chain holds nobody.
func (c *Chain) Empty() bool { return c.first == nil }

// Each visits the waiters; visit may settle them, after which they are gone. Should
// it not return, the chain holds those that were not visited.
func (c *Chain) Each(visit func(*Waiter)) {
	for c.first != nil {
		w := c.first
		if c.first = w.next; c.first == nil {
			c.last = nil
		}
		w.next = nil
		visit(w)
	}
}

// Add lets a chain of waiters wait behind those that are there. It takes over
// the chain.
func (g *Gate) Add(c *Chain) {
	if c.first == nil {
		return
	}
	for w := c.first; w != nil; w = w.next {
		g.n++
	}
	if g.last == nil {
		g.first = c.first
	} else {
		g.last.next = c.first
	}
	g.last = c.last
	*c = Chain{}
}

// Waiting is how many puts wait.
func (g *Gate) Waiting() int { return g.n }

// Release gives the waiters whose messages end at or below the watermark.
func (g *Gate) Release(upTo int64) Chain {
	var out Chain
	for g.first != nil && g.first.Result.End() <= upTo {
		w := g.first
		g.first = w.next
		g.n--
		out.Push(w)
	}
	if g.first == nil {
		g.last = nil
	}
	return out
}

// Abort gives all waiters, for a failure that ends all waiting.
func (g *Gate) Abort() Chain {
	out := Chain{g.first, g.last}
	*g = Gate{}
	return out
}
