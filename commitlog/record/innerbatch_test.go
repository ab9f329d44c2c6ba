package record_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/actorstore/actorstore/commitlog/record"
)

func TestInnerBatchRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		msgs := rapid.SliceOfN(genMessage(), 0, 5).Draw(t, "messages")
		b := record.EncodeInnerBatch([]byte("before"), msgs)
		if !bytes.HasPrefix(b, []byte("before")) {
			t.Fatal("not appended")
		}
		got, err := record.DecodeInnerBatch(b[6:])
		if err != nil || len(got) != len(msgs) {
			t.Fatal(len(got), err)
		}
		for i := range got {
			if got[i].Flag != msgs[i].Flag || !bytes.Equal(got[i].Body, msgs[i].Body) || !bytes.Equal(got[i].Properties, msgs[i].Properties) {
				t.Fatalf("message %d: %+v, want %+v", i, got[i], msgs[i])
			}
		}
	})
}

func TestInnerBatchDamaged(t *testing.T) {
	good := unhex(goldenBody)
	edit := func(at int, c byte) []byte {
		b := bytes.Clone(good)
		b[at] = c
		return b
	}
	for _, c := range []struct {
		name   string
		b      []byte
		offset int64
		want   string
	}{
		{"cut header", good[:32+21], 32, "an inner message of at least 22 bytes"},
		{"one byte", good[:1], 0, "an inner message of at least 22 bytes"},
		{"negative body", edit(16, 0x80), 0, "a body of -"},
		{"long body", edit(19, 0xFF), 0, "a body of 255 bytes"},
		{"body one byte too long", edit(19, 35), 0, "a body of 35 bytes"},
		{"properties one byte too long", edit(24, 25+7), 0, "properties of 32 bytes"},
		{"negative properties", edit(23, 0x80), 0, "properties of -32761 bytes"},
		{"long properties", edit(23, 0x7F), 0, "properties of 32519 bytes"},
	} {
		_, err := record.DecodeInnerBatch(c.b)
		var ce *record.CorruptionError
		if !errors.As(err, &ce) || ce.Offset != c.offset || !strings.Contains(ce.Want, c.want) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	// The size, magic and checksum fields are not looked at.
	if got, err := record.DecodeInnerBatch(edit(3, 0xFF)); err != nil || len(got) != 2 {
		t.Errorf("odd size field: %v, %v", got, err)
	}
}
