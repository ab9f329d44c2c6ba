package record_test

import (
	"bytes"
	"maps"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/actorstore/actorstore/commitlog/record"
)

// dots writes 0x01 and 0x02 as ␁ and ␂.
func dots(s string) record.Properties {
	return record.Properties(strings.NewReplacer("␁", "\x01", "␂", "\x02").Replace(s))
}

func TestPropertiesParse(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"", ""},
		{"a␁1␂b␁␂c␂␁x␂d␁2␁3␂e␁5", "a=1;d=2\x013;e=5;"},
		{"a␁1␂a␁2␂", "a=2;"},
		{"a␁1␂a␁␂", "a=1;"},
		{"a␁1␂␂␂b␁2", "a=1;b=2;"},
		{"a␁␁␂", "a=\x01;"},
		{"␁a␁b␂", ""},
		{"é␁題␂", "é=題;"},
		{"a\xff␁b\xe4\xb8␂", "a�=b�;"},
		{"a\xff␁1␂a\xfe␁2␂", "a�=2;"},
	} {
		p := dots(c.in)
		if got := p.Sorted(); got != c.want {
			t.Errorf("%q: %q, want %q", c.in, got, c.want)
		}
		for name, value := range p.All() {
			if got, ok := p.Get(name); !strings.Contains(name, "�") && (!ok || got != value) {
				t.Errorf("%q: Get(%q) = %q, %v; All has %q", c.in, name, got, ok, value)
			}
		}
	}
	p := dots("a␁1␂b␁2␂")
	for range p.All() {
		break // must not go on after that
	}
	for _, name := range []string{"", "c", "a\x01", "1"} {
		if v, ok := p.Get(name); ok || v != "" || p.Bytes(name) != nil {
			t.Errorf("Get(%q) = %q", name, v)
		}
	}
	if v, _ := dots("a␁\xf0\x9f\x98x␂").Get("a"); v != "�x" {
		t.Errorf("malformed value %q", v)
	}
	if v := dots("a␁\xff␂").Bytes("a"); string(v) != "\xff" {
		t.Errorf("raw value %q", v)
	}
}

func TestPropertiesSet(t *testing.T) {
	for _, c := range []struct{ in, name, value, want string }{
		{"", "a", "1", "a␁1␂"},
		{"b␁2", "a", "1", "b␁2␂a␁1␂"},
		{"a␁1␂b␁2␂a␁3␂", "a", "4", "b␁2␂a␁4␂"},
		{"a␁1␂b␁2␂", "a", "", "b␁2␂"},
		{"a␁1␂b␁2", "b", "", "a␁1␂"},
		{"a␁␂b␁2", "a", "", "b␁2"},
		{"ab␁1␂", "a", "", "ab␁1␂"},
		{"", "a", "", ""},
		{"", "", "x", "␁␁␂"},
		{"a␁1␂", "a", "x␂y", "␁␁a␂"},
		{"", "a␁b", "x", "␁␁a␁b␂"},
		{"", "a␂b", "x", "␁␁a?b␂"},
		{"␁␁a␂b␁1␂", "a", "2", "b␁1␂a␁2␂"},
		{"␁␁a␂b␁1␂", "a", "", "b␁1␂"},
		{"", "a", "x␁y", "a␁x␁y␂"},
	} {
		p := dots(c.in)
		before := bytes.Clone(p)
		q := p
		q.Set(string(dots(c.name)), string(dots(c.value)))
		if !bytes.Equal(q, dots(c.want)) {
			t.Errorf("%q set %q=%q: %q, want %q", c.in, c.name, c.value, q, dots(c.want))
		}
		if !bytes.Equal(p, before) {
			t.Errorf("%q: Set wrote into the bytes it was given", c.in)
		}
	}
	p := dots("a␁1␂b␁2␂")
	if p.Delete("a"); p.Sorted() != "b=2;" {
		t.Errorf("Delete left %q", p)
	}
}

func TestNewProperties(t *testing.T) {
	p := record.NewProperties("a", "1", "b", "", "c", "3")
	if !bytes.Equal(p, dots("a␁1␂c␁3␂")) {
		t.Errorf("%q", p)
	}
	if err := (&record.Limits{}).Check(&record.Message{Topic: "T", Properties: record.NewProperties("a", "\x02")}); err == nil {
		t.Error("an impossible value passed")
	}
	defer func() {
		if recover() == nil {
			t.Error("an odd count did not panic")
		}
	}()
	odd := []string{"a"}
	//lint:ignore SA5012 an odd count is what is tried
	record.NewProperties(odd...)
}

// Set, Delete and Get behave like a map.
func TestPropertiesModel(t *testing.T) {
	names := rapid.SampledFrom([]string{"a", "ab", "b", "TAGS", "題"})
	rapid.Check(t, func(t *rapid.T) {
		var p record.Properties
		model := map[string]string{}
		for range rapid.IntRange(0, 20).Draw(t, "steps") {
			name, value := names.Draw(t, "name"), rapid.StringMatching(`[a-z\x01é]{0,3}`).Draw(t, "value")
			p.Set(name, value)
			if model[name] = value; value == "" {
				delete(model, name)
			}
			if got := maps.Collect(p.All()); !maps.Equal(got, model) {
				t.Fatalf("%q: %q, want %q", p, got, model)
			}
			for name, value := range model {
				if got, ok := p.Get(name); got != value || !ok {
					t.Fatalf("Get(%q) = %q", name, got)
				}
			}
		}
	})
}

func TestTagsAndKeys(t *testing.T) {
	var m record.Message
	if m.Tags() != "" || m.Keys() != nil || m.UniqKey() != "" {
		t.Error("an empty message has tags or keys")
	}
	m.SetTags("TagA")
	m.Properties.Set(record.PropertyUniqKey, "u")
	if m.Tags() != "TagA" || m.UniqKey() != "u" {
		t.Errorf("%q", m.Properties)
	}
	for _, c := range []struct {
		keys   []string
		stored string
		read   string
	}{
		{[]string{"k1", "k2"}, "k1 k2", "k1|k2"},
		{[]string{"a b"}, "a b", "a|b"},
		{[]string{"a "}, "a ", "a"},
		{[]string{" a"}, " a", "a"},
		{[]string{""}, "", ""},
		{[]string{"", "x", ""}, "x", "x"},
		{[]string{" "}, " ", ""},
		{[]string{"#", "a#b", "題", "😀"}, "# a#b 題 😀", "#|a#b|題|😀"},
		{[]string{"k", "k"}, "k k", "k|k"},
		{nil, "", ""},
	} {
		m.SetKeys(c.keys...)
		if got, _ := m.Properties.Get(record.PropertyKeys); got != c.stored {
			t.Errorf("%q stored as %q", c.keys, got)
		}
		if got := strings.Join(m.Keys(), "|"); got != c.read {
			t.Errorf("%q read as %q", c.keys, got)
		}
	}
	m.SetKeys("a b c")
	for k := range record.SplitKeys(m.Properties.Bytes(record.PropertyKeys)) {
		if string(k) != "a" {
			t.Errorf("went on after break: %q", k)
		}
		break
	}
}
