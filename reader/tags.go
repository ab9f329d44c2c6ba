package reader

import (
	"fmt"
	"strings"

	"github.com/actorstore/actorstore/commitlog/record"
	"github.com/actorstore/actorstore/consumequeue"
)

// tagFilter is a tag expression taken apart. The unit's hash turns most
// messages away unread; the record's own text decides (G6).
type tagFilter struct {
	tags  []string
	codes []int32
}

// parse reads "a || b"; "" and "*" let everything pass, as in RocketMQ.
func (f *tagFilter) parse(expression string) error {
	f.tags, f.codes = f.tags[:0], f.codes[:0]
	if expression == "" || expression == "*" {
		return nil
	}
	for rest, ok := expression, true; ok; {
		var tag string
		tag, rest, ok = strings.Cut(rest, "||")
		if tag = strings.TrimSpace(tag); tag == "" {
			continue
		}
		f.tags = append(f.tags, tag)
		f.codes = append(f.codes, int32(record.TagsCode(tag)))
	}
	if len(f.tags) == 0 {
		return fmt.Errorf("%w: %q names no tag", ErrTags, expression)
	}
	return nil
}

func (f *tagFilter) all() bool { return len(f.tags) == 0 }

// mayMatch judges by the unit alone. The code of a unit whose ext unit is lost is
// not known, so the record is asked.
func (f *tagFilter) mayMatch(u *consumequeue.Unit) bool {
	if f.all() || consumequeue.IsExtAddress(u.TagsCode) {
		return true
	}
	for _, c := range f.codes {
		if c == int32(u.TagsCode) {
			return true
		}
	}
	return false
}

// matches judges by the message.
func (f *tagFilter) matches(m *record.MessageExt) bool {
	if f.all() {
		return true
	}
	got := m.Properties.Bytes(record.PropertyTags)
	for _, t := range f.tags {
		if t == string(got) {
			return true
		}
	}
	return false
}
