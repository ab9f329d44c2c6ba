package record

import (
	"bytes"
	"iter"
	"maps"
	"slices"
	"strings"
)

// Properties are the name-value pairs of a message in the form in which they
// stand in a record: name 0x01 value 0x02, again and again. The checksum
// trailer is not part of them.
//
// Reading follows RocketMQ's parser: an item ends at 0x02 or at the end, its
// name at the first 0x01; items without a name or without a value do not count;
// of items with one name the last counts; a value may hold 0x01. So a name can
// hold neither 0x01 nor 0x02, and a value no 0x02. NewProperties and Set do not
// fail on such a pair: they leave a mark that every reader skips, and
// Limits.Check then refuses the message and names the property.
//
// The bytes may be those of the log: no method writes into them, Set and Delete
// make a copy.
type Properties []byte

const (
	nameEnd = 0x01
	itemEnd = 0x02
)

// NewProperties takes names and values in turns. It panics if one is left over.
// Pairs with an empty value are left out; for impossible ones see Properties.
func NewProperties(pairs ...string) Properties {
	if len(pairs)%2 != 0 {
		panic("record: NewProperties needs a value for every name")
	}
	n := 0
	for _, s := range pairs {
		n += len(s) + 1
	}
	p := make(Properties, 0, n)
	for i := 0; i < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			p = AppendProperty(p, pairs[i], pairs[i+1])
		}
	}
	return p
}

// AppendProperty adds a pair behind encoded properties, as append does: it may
// write into the space behind p. As the last item it overrides an earlier one
// of that name. An impossible pair leaves a mark, see Properties.
func AppendProperty(p Properties, name, value string) Properties {
	if len(p) > 0 && p[len(p)-1] != itemEnd {
		p = append(p, itemEnd)
	}
	if !expressible(name, value) {
		return appendMark(p, name)
	}
	p = append(p, name...)
	p = append(p, nameEnd)
	p = append(p, value...)
	return append(p, itemEnd)
}

// Get is the value of a property. Bytes of it that are not UTF-8 read as U+FFFD,
// the way Java decodes them; the name is compared byte by byte.
func (p Properties) Get(name string) (string, bool) {
	v := p.Bytes(name)
	return ToValidUTF8(v), v != nil
}

// Bytes is the value of a property as it is stored, nil if there is none. It
// aliases p.
func (p Properties) Bytes(name string) []byte {
	var found []byte
	for len(p) > 0 {
		var n, v []byte
		n, v, p = cutItem(p)
		if string(n) == name && v != nil {
			found = v
		}
	}
	return found
}

// Set replaces or adds a pair; an empty value deletes the name. For a pair that
// cannot be stored see Properties: the mark goes when the name is set again or
// deleted.
func (p *Properties) Set(name, value string) {
	q := p.without(name, len(name)+len(value)+4)
	if value != "" {
		q = AppendProperty(q, name, value)
	}
	*p = q
}

// Delete removes a name, in all its items.
func (p *Properties) Delete(name string) { p.Set(name, "") }

// without copies p, but for the items of one name, with room for more bytes.
func (p Properties) without(name string, room int) Properties {
	q := make(Properties, 0, len(p)+room)
	mark := appendMark(nil, name)
	for len(p) > 0 {
		item, rest := splitItem(p)
		i := bytes.IndexByte(item, nameEnd)
		if (i < 0 || string(item[:i]) != name) && !bytes.Equal(item, mark[:len(mark)-1]) {
			q = append(q, p[:len(p)-len(rest)]...)
		}
		p = rest
	}
	return q
}

// All gives the pairs in stored order, duplicates resolved, text decoded as Get
// does.
func (p Properties) All() iter.Seq2[string, string] {
	return func(yield func(string, string) bool) {
		last := make(map[string]int) // rest length behind the item that counts
		for q := p; len(q) > 0; {
			var n, v []byte
			if n, v, q = cutItem(q); v != nil {
				last[ToValidUTF8(n)] = len(q)
			}
		}
		for q := p; len(q) > 0; {
			var n, v []byte
			if n, v, q = cutItem(q); v == nil {
				continue
			}
			name := ToValidUTF8(n)
			if last[name] == len(q) && !yield(name, ToValidUTF8(v)) {
				return
			}
		}
	}
}

// Sorted gives "a=1;b=2;", sorted by name: a form for people and comparisons.
func (p Properties) Sorted() string {
	all := maps.Collect(p.All())
	var s strings.Builder
	for _, name := range slices.Sorted(maps.Keys(all)) {
		s.WriteString(name + "=" + all[name] + ";")
	}
	return s.String()
}

// splitItem cuts the first item, without its 0x02, off p.
func splitItem(p []byte) (item, rest []byte) {
	if i := bytes.IndexByte(p, itemEnd); i >= 0 {
		return p[:i], p[i+1:]
	}
	return p, nil
}

// cutItem splits the first item of p into name and value; both are nil if it is
// none that counts.
func cutItem(p []byte) (name, value, rest []byte) {
	item, rest := splitItem(p)
	i := bytes.IndexByte(item, nameEnd)
	if i <= 0 || i == len(item)-1 {
		return nil, nil, rest
	}
	return item[:i:i], item[i+1 : len(item) : len(item)], rest
}

// stored gives the items that go into a record, each with its 0x02 if it has
// one: all but checksum properties.
func (p Properties) stored() iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		for len(p) > 0 {
			item, rest := splitItem(p)
			whole := p[:len(p)-len(rest)]
			p = rest
			if !bytes.HasPrefix(item, []byte(trailerName)) && !yield(whole) {
				return
			}
		}
	}
}
