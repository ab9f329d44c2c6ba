package reader

import (
	"testing"

	"github.com/actorstore/actorstore/commitlog/record"
	"github.com/actorstore/actorstore/consumequeue"
)

// FuzzTags: the hash never turns away what the text would let pass, and a single
// tag finds itself.
func FuzzTags(f *testing.F) {
	for _, s := range [][2]string{{"", ""}, {"*", "x"}, {"a", "a"}, {"a || b", "b"}, {"Aa", "BB"}, {"||", "a"}, {" é ||\xff", "é"}, {"a||||a", "a"}} {
		f.Add(s[0], s[1])
	}
	f.Fuzz(func(t *testing.T, expression, tag string) {
		var filter tagFilter
		if filter.parse(expression) != nil {
			return
		}
		var m record.MessageExt
		m.SetTags(tag)
		u := consumequeue.Unit{TagsCode: record.TagsCode(m.Properties.Bytes(record.PropertyTags))}
		if filter.matches(&m) && !filter.mayMatch(&u) {
			t.Errorf("%q: the hash turns %q away", expression, tag)
		}
		if len(filter.tags) == 1 && filter.tags[0] == string(m.Properties.Bytes(record.PropertyTags)) && !filter.matches(&m) {
			t.Errorf("%q does not match itself", expression)
		}
	})
}
