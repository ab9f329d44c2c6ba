package record_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/actorstore/actorstore/commitlog/record"
)

// Every single flipped bit of a record with a checksum trailer is found, those
// of the trailer and of the lengths included.
func TestVerifyFindsEveryBit(t *testing.T) {
	for _, g := range goldens() {
		if !g.enc.AppendPropCRC {
			continue
		}
		b := unhex(g.hex)
		for i := range 8 * len(b) {
			b[i/8] ^= 1 << (i % 8)
			err := record.Verify(b, 4096, record.CRCRecord)
			if !errors.Is(err, record.ErrCorrupt) {
				t.Fatalf("%s: bit %d of byte %d: %v", g.name, i%8, i/8, err)
			}
			b[i/8] ^= 1 << (i % 8)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		m, pos := genMessage().Draw(t, "message"), genPosition().Draw(t, "position")
		b := encode(record.Encoder{AppendPropCRC: true}, m, pos)
		i := rapid.IntRange(0, 8*len(b)-1).Draw(t, "bit")
		b[i/8] ^= 1 << (i % 8)
		if err := record.Verify(b, pos.PhysicalOffset, record.CRCRecord); !errors.Is(err, record.ErrCorrupt) {
			t.Fatal(err)
		}
	})
}

// Without a trailer every flipped bit of the body and of its checksum is found.
func TestVerifyBody(t *testing.T) {
	b := unhex(goldenA)
	for _, r := range [][2]int{{8, 12}, {28, 36}, {88, 93}} {
		for i := 8 * r[0]; i < 8*r[1]; i++ {
			b[i/8] ^= 1 << (i % 8)
			var ce *record.CorruptionError
			if err := record.Verify(b, 4096, record.CRCRecord); !errors.As(err, &ce) {
				t.Fatalf("byte %d: %v", i/8, err)
			}
			if ce.Offset != 4096 || ce.Next != 4096+168 || ce.Path != "" {
				t.Fatalf("byte %d: %+v", i/8, ce)
			}
			b[i/8] ^= 1 << (i % 8)
		}
	}
}

func TestVerifyModes(t *testing.T) {
	b := unhex(goldenC)
	b[88] ^= 1
	if err := record.Verify(b, 4096, record.CRCNone); err != nil {
		t.Errorf("CRCNone looked at the checksum: %v", err)
	}
	err := record.Verify(b, 4096, record.CRCRecord)
	if err == nil || !strings.Contains(err.Error(), "8769846621") {
		t.Errorf("CRCRecord: %v", err)
	}
	for _, mode := range []record.CRCMode{record.CRCNone, record.CRCRecord} {
		if err := record.Verify(unhex(goldenC), 4097, mode); err == nil || !strings.Contains(err.Error(), "want physicalOffset 4097, got 4096") {
			t.Errorf("wrong place: %v", err)
		}
	}
}

// A checksum of zero is a checksum: a body whose CRC is exactly 0 is accepted,
// and a flipped bit in it is found.
func TestVerifyZeroChecksum(t *testing.T) {
	m := hello(nil)
	m.Body = unhex("9d0ad96d")
	b := encode(record.Encoder{}, m, record.Position{})
	if got := binary.BigEndian.Uint32(b[8:]); got != 0 {
		t.Fatalf("bodyCRC %x", got)
	}
	if err := record.Verify(b, 0, record.CRCRecord); err != nil {
		t.Error(err)
	}
	b[88] ^= 0x10
	if err := record.Verify(b, 0, record.CRCRecord); !errors.Is(err, record.ErrCorrupt) {
		t.Errorf("a flipped bit: %v", err)
	}
	m.Body = nil
	for _, e := range []record.Encoder{{}, {AppendPropCRC: true}} {
		if err := record.Verify(encode(e, m, record.Position{}), 0, record.CRCRecord); err != nil {
			t.Errorf("empty body: %v", err)
		}
	}
}

// A property that only resembles a trailer is no trailer; one that nearly is one
// is a damaged trailer, and no message may be put with it.
func TestVerifyLikeTrailer(t *testing.T) {
	for _, c := range []struct {
		p    string
		near bool
	}{
		{"__CRC32!\x011234567890\x02", true},
		{"a\x01b\x02__CRC33#\x010000000000\x02", true},
		{"a\x01__CRC32#\x02\x02\x021234567890", false},
		{"a\x01b\x02CRC32#==\x011234567890\x02", false},
		{"a\x01bxyz\x1e\x1fr32#\x011234567890\x02", true}, // noise up to its middle
		{"a\x01b\x02__CRCޠbY)\v75228500\x02", true},       // from there into the digits
		{"SECRETID\x011700000000\x02", false},
		{"__CRC32#\x01123456789\x02", false},
		{"x__CRC32#\x0112345678901\x02", false},
	} {
		m := hello(record.Properties(c.p))
		b := encode(record.Encoder{}, m, record.Position{})
		if err := record.Verify(b, 0, record.CRCRecord); (err != nil) != c.near {
			t.Errorf("%q: %v", c.p, err)
		}
		if err := (&record.Limits{}).Check(&m); (err != nil) != c.near {
			t.Errorf("%q: %v", c.p, err)
		}
		if record.HasRecordCRC(b) {
			t.Errorf("%q taken for a trailer", c.p)
		}
	}
}

// Noise over the trailer leaves a record that seems to have no checksum but the
// body's. It was returned, with properties that nobody has put.
func TestVerifyNoiseOverTrailer(t *testing.T) {
	m := record.Message{Topic: "T", Body: []byte("body"), Properties: record.NewProperties("KEYS", "k", "UNIQ_KEY", "7F00000100002A139A00000016777427")}
	good := encode(record.Encoder{AppendPropCRC: true}, m, record.Position{})
	rng := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		b := bytes.Clone(good)
		n := 1 + rng.IntN(40)
		at := len(b) - n - rng.IntN(len(b)/4)
		for i := at; i < at+n; i++ {
			b[i] = byte(rng.Uint32())
		}
		if err := record.Verify(b, 0, record.CRCRecord); err == nil && !bytes.Equal(b, good) {
			t.Fatalf("%d bytes of noise at %d of %d are not noticed: %q", n, at, len(b), b[at:])
		}
	}
	name := bytes.Clone(good)
	copy(name[len(name)-record.CRCTrailer:], "wxyzwxyz")
	if err := record.Verify(name, 0, record.CRCRecord); !errors.Is(err, record.ErrCorrupt) {
		t.Errorf("a trailer with another name: %v", err)
	}
}

// RocketMQ's batches have no separator in front of the trailer.
func TestVerifyTrailerWithoutSeparator(t *testing.T) {
	m := hello(record.NewProperties("TAGS", "TagA"))
	b := encode(record.Encoder{AppendPropCRC: true}, m, record.Position{})
	cut := len(b) - record.CRCTrailer
	b = append(b[:cut-1], b[cut:]...)
	binary.BigEndian.PutUint32(b, uint32(len(b)))
	propsAt := 88 + 5 + 1 + 9
	binary.BigEndian.PutUint16(b[propsAt:], uint16(len(b)-propsAt-2))
	crc := record.BodyCRC(b[:cut-1])
	for i := range 10 {
		b[cut-1+9+i] = byte('0' + crc%10)
		crc /= 10
	}
	if err := record.Verify(b, 0, record.CRCRecord); err != nil {
		t.Fatal(err)
	}
	var req record.DispatchRequest
	if err := record.ParseDispatch(b, &req, nil); err != nil || string(req.Tags) != "TagA" {
		t.Errorf("tags %q, %v", req.Tags, err)
	}
}

func TestCRCProperty(t *testing.T) {
	if d, ok := record.CRCProperty(unhex(goldenC)); !ok || string(d) != "8769846621" {
		t.Errorf("C: %q %v", d, ok)
	}
	for _, b := range [][]byte{unhex(goldenA), nil, unhex(goldenC)[:50]} {
		if d, ok := record.CRCProperty(b); ok {
			t.Errorf("%x: %q", b, d)
		}
	}
}

// Each structural fault is told apart, by all three readers alike.
func TestCorruptStructure(t *testing.T) {
	a := unhex(goldenA)
	edit := func(at int, b ...byte) []byte {
		c := bytes.Clone(a)
		copy(c[at:], b)
		return c
	}
	v6 := append(edit(39, 0x30)[:88:88], 0, 0, 0)
	binary.BigEndian.PutUint32(v6, uint32(len(v6)))
	noTopic := bytes.Clone(a[:92])
	binary.BigEndian.PutUint32(noTopic, 92)
	binary.BigEndian.PutUint32(noTopic[84:], 4)
	noTopic2 := bytes.Clone(noTopic)
	noTopic2[7], noTopic2[87] = 0xAB, 3
	for _, c := range []struct {
		name string
		b    []byte
		want string
	}{
		{"nothing", nil, "want at least 8 bytes, got 0"},
		{"seven bytes", a[:7], "want at least 8 bytes, got 7"},
		{"magic", edit(7, 0xA8), "want a magic code, got daa320a8"},
		{"zeros", make([]byte, 200), "want a magic code, got 00000000"},
		{"a BLANK", edit(4, 0xCB, 0xD4, 0x31, 0x94), "want a record, got a BLANK filler"},
		{"negative size", edit(0, 0xFF), "want a plausible size, got -16777048"},
		{"tiny size", edit(0, 0, 0, 0, 90), "want a plausible size, got 90"},
		{"cut", a[:167], "want a size of at most 167, got 168"},
		{"size + 1", append(edit(0, 0, 0, 0, 169), 0), "parts that add up to 169 bytes"},
		{"size - 1", edit(0, 0, 0, 0, 167), "parts that add up to 167 bytes"},
		{"negative body", edit(84, 0xFF), "bodyLength -16777211"},
		{"long body", edit(84, 0, 0, 1), "want a body inside 168 bytes, got bodyLength 261"},
		{"negative topic v1", edit(93, 0x80), "want topicLength >= 0, got -128"},
		{"long topic", edit(93, 0x7F), "parts that add up"},
		{"negative properties", edit(103, 0x80), "want propertiesLength >= 0, got -32705"},
		{"short properties", edit(103, 0, 0x3E), "parts that add up"},
		{"hosts beyond the end", v6, "parts that add up"},
		{"no room for the topic length", noTopic, "parts that add up"},
		{"no room for a v2 topic length", noTopic2, "parts that add up"},
		{"negative topic v2", append(edit(7, 0xAB)[:93:93], append([]byte{0x80}, a[94:]...)...), "want topicLength >= 0, got -32"},
	} {
		var m record.MessageExt
		var req record.DispatchRequest
		for reader, err := range map[string]error{
			"Verify":        record.Verify(c.b, 5, record.CRCNone),
			"Decode":        record.Decode(c.b, &m),
			"ParseDispatch": record.ParseDispatch(c.b, &req, nil),
		} {
			var ce *record.CorruptionError
			if !errors.As(err, &ce) || !strings.Contains(err.Error(), c.want) || ce.Next != -1 {
				t.Errorf("%s: %s: %v, want %q", c.name, reader, err, c.want)
			}
		}
		if m.Topic != "" || req.Topic != "" {
			t.Errorf("%s: a refused record was half read", c.name)
		}
	}
}

// A port that no socket has is damage for Decode, which must give an address,
// but not for those who read no address.
func TestDecodePort(t *testing.T) {
	for _, at := range []int{52, 68} {
		b := unhex(goldenA)
		b[at] = 1
		var m record.MessageExt
		if err := record.Decode(b, &m); !errors.Is(err, record.ErrCorrupt) || m.Topic != "" {
			t.Errorf("byte %d: %v", at, err)
		}
		var req record.DispatchRequest
		if err := record.ParseDispatch(b, &req, nil); err != nil {
			t.Errorf("byte %d: %v", at, err)
		}
	}
}
