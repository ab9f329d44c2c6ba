package record_test

import (
	"strings"
	"testing"
	"unicode/utf16"

	"pgregory.net/rapid"

	"github.com/actorstore/actorstore/commitlog/record"
)

func TestJavaHash(t *testing.T) {
	for _, c := range []struct {
		s    string
		want int32
	}{
		{"", 0},
		{"TagA", 2598919},
		{"Aa", 2112},
		{"BB", 2112},
		{"TopicTest#AC11000100002A9F0000000000000001", -1797237886},
		{"TopicTest#T#TagA", 1311325016},
		{"TopicTest#T#TagA || TagB", 1131558880},
		{"T#5eeedzu", -1 << 31},
		{"T#jllgvmc", -1 << 31},
		{"T#jlli8mc", -1 << 31},
		{"é", 233},
		{"題", 0x984C},
		{"😀", 0xD83D*31 + 0xDE00},
	} {
		if got := record.JavaHash(c.s); got != c.want {
			t.Errorf("%q: %d, want %d", c.s, got, c.want)
		}
		if got := record.JavaHash([]byte(c.s)); got != c.want {
			t.Errorf("bytes %q: %d, want %d", c.s, got, c.want)
		}
		if got := record.TagsCode(c.s); got != int64(c.want) {
			t.Errorf("tags code of %q: %d", c.s, got)
		}
	}
}

// The hash is that of the UTF-16 units, and can be taken in pieces.
func TestJavaHashModel(t *testing.T) {
	text := rapid.StringOf(rapid.OneOf(rapid.RuneFrom([]rune("ab#é題😀\U0010FFFF")), rapid.Rune()))
	rapid.Check(t, func(t *rapid.T) {
		a, b := text.Draw(t, "a"), text.Draw(t, "b")
		var want int32
		for _, u := range utf16.Encode([]rune(a + b)) {
			want = want*31 + int32(u)
		}
		if got := record.JavaHash(a + b); got != want {
			t.Fatalf("%q: %d, want %d", a+b, got, want)
		}
		if got := record.JavaHashFrom(record.JavaHashFrom(0, a), []byte(b)); got != want {
			t.Fatalf("%q + %q: %d, want %d", a, b, got, want)
		}
	})
}

// Checked with the decoder of a JDK.
func TestMalformedUTF8(t *testing.T) {
	const bad = "�"
	for hex, want := range map[string]string{
		"":             "",
		"61":           "a",
		"c3a9":         "é",
		"e4b861":       bad + "a",
		"f09f9878":     bad + "x",
		"eda080":       bad,
		"eda08061":     bad + "a",
		"61808062":     "a" + bad + bad + "b",
		"c0af":         bad + bad,
		"e08080":       bad + bad + bad,
		"e09f80":       bad + bad + bad,
		"f08f8080":     strings.Repeat(bad, 4),
		"f0808080":     strings.Repeat(bad, 4),
		"f4908080":     strings.Repeat(bad, 4),
		"f5808080":     strings.Repeat(bad, 4),
		"ff":           bad,
		"c3":           bad,
		"c361":         bad + "a",
		"e4":           bad,
		"e4b8":         bad,
		"e061":         bad + "a",
		"e0a0":         bad,
		"f0":           bad,
		"f09f":         bad,
		"f09f98":       bad,
		"f09f61":       bad + "a",
		"f48fbf":       bad,
		"f09f9880":     "😀",
		"efbfbd":       bad,
		"e4b8e4b8ad":   bad + "中",
		"f09f98f09f98": bad + bad,
	} {
		b := unhex(hex)
		if got := record.ToValidUTF8(b); got != want {
			t.Errorf("%s: %q, want %q", hex, got, want)
		}
		if got := record.JavaHash(b); got != record.JavaHash(want) {
			t.Errorf("hash of %s: %d, want %d", hex, got, record.JavaHash(want))
		}
		// The same inside a record: topic, tag and key are what Java reads.
		m := hello(append(record.Properties("TAGS\x01x"), b...))
		m.Topic = "t" + string(b)
		r := encode(record.Encoder{}, m, record.Position{})
		var x record.MessageExt
		var req record.DispatchRequest
		if err := record.Decode(r, &x); err != nil || x.Topic != "t"+want || x.Tags() != "x"+want {
			t.Errorf("%s: Decode: %q %q %v", hex, x.Topic, x.Tags(), err)
		}
		err := record.ParseDispatch(r, &req, record.NewInterner(1))
		if err != nil || req.Topic != "t"+want || req.TagsCode != record.TagsCode("x"+want) {
			t.Errorf("%s: ParseDispatch: %q %d %v", hex, req.Topic, req.TagsCode, err)
		}
	}
}
