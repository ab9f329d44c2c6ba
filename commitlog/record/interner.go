package record

// Interner turns the bytes of topics into strings and makes each string once.
// It is not for use by several goroutines at once; every reader has its own. A
// nil Interner makes a new string each time.
type Interner struct {
	last  interned // most records have the topic of the one before
	known map[string]interned
	max   int
}

// interned is a topic as it is stored and as it decodes, mostly one string.
type interned struct{ raw, text string }

// NewInterner remembers up to max topics, at least one. When it is full it
// forgets all and starts anew, so a run of odd names cannot fill it for good.
func NewInterner(max int) *Interner {
	return &Interner{known: make(map[string]interned), max: max}
}

// String is the text of b, decoded as ToValidUTF8 does. Known text costs no
// allocation.
func (t *Interner) String(b []byte) string {
	if t == nil {
		return ToValidUTF8(b)
	}
	if string(b) == t.last.raw {
		return t.last.text
	}
	topic, ok := t.known[string(b)]
	if !ok {
		topic.text = ToValidUTF8(b)
		topic.raw = topic.text
		if topic.text != string(b) {
			topic.raw = string(b)
		}
		if len(t.known) >= t.max {
			clear(t.known)
		}
		t.known[topic.raw] = topic
	}
	t.last = topic
	return topic.text
}
