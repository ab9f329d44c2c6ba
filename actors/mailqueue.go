package actors

// pop takes the first message out of the queue; m.mu is held.
func (m *batchMailbox[T]) pop() any {
	message := m.user[m.head]
	m.user[m.head] = nil
	m.head++
	switch {
	case m.head == len(m.user):
		m.user, m.head = m.user[:0], 0
	case m.head >= 64 && m.head > len(m.user)/2: // so that a queue that is never empty stays short
		n := copy(m.user, m.user[m.head:])
		clear(m.user[n:])
		m.user, m.head = m.user[:n], 0
	}
	if m.bound != nil {
		m.bound.took(message, m.waiting())
	}
	return message
}

// load is how often a message was taken so far, and whether one is in hand or
// waits. It is for the watch and does not wait for the actor.
func (m *batchMailbox[T]) load() (turns int64, busy bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.turns, m.running || len(m.system) > 0 || !m.suspended && m.waiting() > 0
}

// inUse tells whether an actor has the mailbox, or had.
func (m *batchMailbox[T]) inUse() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.invoker != nil
}

// ending tells whether the actor has come to its stop.
func (m *batchMailbox[T]) ending() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.stopped
}

// drain takes the messages that match out of the queue, for an actor that does
// not come to them.
func (m *batchMailbox[T]) drain(match func(message any) bool) (taken []any) {
	m.mu.Lock()
	defer m.mu.Unlock()
	kept := m.user[:m.head]
	for _, message := range m.user[m.head:] {
		if match(message) {
			taken = append(taken, message)
		} else {
			kept = append(kept, message)
		}
	}
	clear(m.user[len(kept):])
	m.user = kept
	return taken
}

// mayCarry tells whether the sender of a message may be the one who works on it.
// He could not leave if that hangs: so it must not be another actor that rings,
// nor a caller who said by when he wants to be back.
func (m *batchMailbox[T]) mayCarry(message any) bool {
	if r, ok := message.(*putRequest); ok {
		return !r.aside
	}
	_, ok := message.(T)
	return ok
}
