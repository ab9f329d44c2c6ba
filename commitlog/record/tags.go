package record

import (
	"bytes"
	"iter"
	"strings"
)

// SetTags sets the tag of the message; "" removes it.
func (m *Message) SetTags(tags string) { m.Properties.Set(PropertyTags, tags) }

// Tags is the tag of the message, "" if it has none.
func (m *Message) Tags() string {
	s, _ := m.Properties.Get(PropertyTags)
	return s
}

// SetKeys sets the index keys. They are stored in one value with blanks between
// them, so a key that holds a blank counts as two; empty keys are left out.
// Without keys the property is removed.
func (m *Message) SetKeys(keys ...string) {
	kept := make([]string, 0, len(keys))
	for _, k := range keys {
		if k != "" {
			kept = append(kept, k)
		}
	}
	m.Properties.Set(PropertyKeys, strings.Join(kept, " "))
}

// Keys are the index keys without empty ones; nil if there is none.
func (m *Message) Keys() []string {
	var keys []string
	for k := range SplitKeys(m.Properties.Bytes(PropertyKeys)) {
		keys = append(keys, ToValidUTF8(k))
	}
	return keys
}

// UniqKey is the message id that a RocketMQ client gave the message (UNIQ_KEY, its
// msgId), "" if there is none. It is found like a key.
func (m *Message) UniqKey() string {
	s, _ := m.Properties.Get(PropertyUniqKey)
	return s
}

// SplitKeys gives the non-empty parts between the blanks of a KEYS value. They
// alias it.
func SplitKeys(keys []byte) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		for len(keys) > 0 {
			part := keys
			if i := bytes.IndexByte(keys, ' '); i >= 0 {
				part, keys = keys[:i], keys[i+1:]
			} else {
				keys = nil
			}
			if len(part) > 0 && !yield(part) {
				return
			}
		}
	}
}
