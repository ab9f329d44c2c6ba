package oracle

// Cut says what happened to a store between a snapshot and its next opening.
type Cut uint8

// The cuts.
const (
	// Closed: it was closed in order and everything was answered.
	Closed Cut = iota
	// Killed: the process died, the page cache lives.
	Killed
	// PowerCut: what was not synced may be gone.
	PowerCut
	// Running: nothing has happened, the store is still open. What a deletion that
	// failed has left half gone waits for the next opening.
	Running
)

// String names the cut.
func (c Cut) String() string { return [...]string{"closed", "killed", "power cut", "nothing"}[c] }

// Snapshot is what was known around the moment of a cut.
type Snapshot struct {
	before, after int   // event numbers just before and just behind the moment
	synced        int64 // durable at least up to here
	seen          int64 // could be read up to here, and must be there still
	maxMin        int64 // retention had not gone further (Running: just so far); -1 = not known
}

// Watermarks are what a running store says about itself.
type Watermarks struct {
	Flushed int64 // durable
	Seen    int64 // durable and readable: confirm under SYNC_FLUSH, else 0
	Min     int64 // -1 = not known
}

// Take takes a snapshot around a cut: marks is asked just before and just
// behind it. It may be nil.
func (m *Model) Take(marks func() Watermarks, cut func()) Snapshot {
	var w Watermarks
	m.mu.Lock()
	at := Snapshot{before: m.events, synced: m.synced, maxMin: -1}
	m.mu.Unlock()
	if marks != nil {
		w = marks()
		at.synced, at.seen = max(at.synced, w.Flushed), w.Seen
	}
	cut()
	if marks != nil {
		at.maxMin = marks().Min
	}
	m.mu.Lock()
	at.after = m.events
	m.mu.Unlock()
	return at
}

// Now is a snapshot of everything that is known.
func (m *Model) Now() Snapshot { return m.Take(nil, func() {}) }
