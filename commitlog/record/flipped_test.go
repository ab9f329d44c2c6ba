package record_test

import (
	"bytes"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/actorstore/actorstore/commitlog/record"
)

// TestFlipped: every single flipped bit that Verify finds is told from other damage, and found
// where the checksum is one over all.
func TestFlipped(t *testing.T) {
	for _, g := range goldens() {
		b := unhex(g.hex)
		for i := range 8 * len(b) {
			b[i/8] ^= 1 << (i % 8)
			if record.Verify(b, g.pos.PhysicalOffset, record.CRCRecord) != nil {
				if at := record.Flipped(b, g.pos.PhysicalOffset); at != i/8 && (at < 0 || g.enc.AppendPropCRC) {
					t.Errorf("%s: bit %d of byte %d, and not of %d", g.name, i%8, i/8, at)
				}
			}
			b[i/8] ^= 1 << (i % 8)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		m, pos := genMessage().Draw(t, "message"), genPosition().Draw(t, "position")
		crc := rapid.Bool().Draw(t, "crc")
		b := encode(record.Encoder{AppendPropCRC: crc}, m, pos)
		i := rapid.IntRange(0, 8*len(b)-1).Draw(t, "bit")
		b[i/8] ^= 1 << (i % 8)
		err := record.Verify(b, pos.PhysicalOffset, record.CRCRecord)
		if at := record.Flipped(b, pos.PhysicalOffset); err != nil && at != i/8 && (at < 0 || crc) {
			t.Fatalf("byte %d, and not %d: %v", i/8, at, err)
		}
	})
}

// TestNotFlipped: two wrong bytes are no flipped bit, wherever they stand.
func TestNotFlipped(t *testing.T) {
	for _, g := range goldens() {
		if !g.enc.AppendPropCRC {
			continue
		}
		b := unhex(g.hex)
		for i := range len(b) {
			for j := range i {
				b[i], b[j] = ^b[i], ^b[j]
				if at := record.Flipped(b, g.pos.PhysicalOffset); at >= 0 {
					t.Errorf("%s: bytes %d and %d, and not %d", g.name, j, i, at)
				}
				b[i], b[j] = ^b[i], ^b[j]
			}
		}
	}
}

// TestNotFlippedByChance: what is missing of large records is no bit, though among their
// bits one makes the same difference to a checksum now and then, as where these sectors
// are lost.
func TestNotFlippedByChance(t *testing.T) {
	m := record.Message{Topic: "T", Body: make([]byte, 1<<20), BornTimestamp: 1}
	for i := range m.Body {
		m.Body[i] = byte(i*i>>8) | 1
	}
	b := encode(record.Encoder{AppendPropCRC: true}, m, record.Position{StoreTimestamp: 1})
	lost := make([]byte, 512)
	for _, at := range []int{116736, 266752, 354816, 585216} {
		was := bytes.Clone(b[at : at+512])
		copy(b[at:], lost)
		if found := record.Flipped(b, 0); found >= 0 {
			t.Errorf("sector at %d: byte %d", at, found)
		}
		copy(b[at:], was)
	}
}

// TestLegalPropertiesAreRead: what a program may well put into the last property.
func TestLegalPropertiesAreRead(t *testing.T) {
	for _, p := range []string{
		"TAGS\x01x\x02k\x01v\x011700000000\x02",
		"TAGS\x01x\x02a\tb\x011700000000\x02",
		"id\x01abc" + strings.Repeat("\x00", 29) + "\x02",
		"id\x01" + strings.Repeat("\x00", 19) + "\x02",
	} {
		m := record.Message{Topic: "T", Body: []byte("body"), BornTimestamp: 1, Properties: record.Properties(p)}
		for _, crc := range []bool{false, true} {
			if err := record.Verify(encode(record.Encoder{AppendPropCRC: crc}, m, record.Position{StoreTimestamp: 1}), 0, record.CRCRecord); err != nil {
				t.Errorf("%q, checksum %v: %v", p, crc, err)
			}
		}
	}
}
