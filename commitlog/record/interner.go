package record

// Interner turns the bytes of topics into strings and makes each string once.
// It is not for use by several goroutines at once; every reader has its own. A
// nil Interner makes a new string each time.
type Interner struct {
	last  string            // bytes of the last one as stored
	value string            // and what it decodes to
	known map[string]string // stored bytes -> decoded text
	max   int
}

// NewInterner remembers up to max topics, at least one. When it is full it
// forgets all and starts anew, so a run of odd names cannot fill it for good.
func NewInterner(max int) *Interner {
	return &Interner{known: make(map[string]string), max: max}
}

// String is the text of b, decoded as ToValidUTF8 does. Known text costs no
// allocation.
func (t *Interner) String(b []byte) string {
	if t == nil {
		return ToValidUTF8(b)
	}
	if string(b) == t.last {
		return t.value
	}
	raw, s := "", ""
	if v, ok := t.known[string(b)]; ok {
		raw, s = v, v
		if v != string(b) {
			raw = string(b)
		}
	} else {
		raw, s = string(b), ToValidUTF8(b)
		if s == raw {
			s = raw
		}
		if len(t.known) >= t.max {
			clear(t.known)
		}
		t.known[raw] = s
	}
	t.last, t.value = raw, s
	return s
}
