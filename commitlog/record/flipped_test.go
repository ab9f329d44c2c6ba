package record_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/actorstore/actorstore/commitlog/record"
)

// TestFlipped: every single flipped bit that Verify finds is told from other damage.
func TestFlipped(t *testing.T) {
	for _, g := range goldens() {
		b := unhex(g.hex)
		for i := range 8 * len(b) {
			b[i/8] ^= 1 << (i % 8)
			if record.Verify(b, g.pos.PhysicalOffset, record.CRCRecord) != nil && !record.Flipped(b, g.pos.PhysicalOffset) {
				t.Errorf("%s: bit %d of byte %d", g.name, i%8, i/8)
			}
			b[i/8] ^= 1 << (i % 8)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		m, pos := genMessage().Draw(t, "message"), genPosition().Draw(t, "position")
		b := encode(record.Encoder{AppendPropCRC: rapid.Bool().Draw(t, "crc")}, m, pos)
		i := rapid.IntRange(0, 8*len(b)-1).Draw(t, "bit")
		b[i/8] ^= 1 << (i % 8)
		if err := record.Verify(b, pos.PhysicalOffset, record.CRCRecord); err != nil && !record.Flipped(b, pos.PhysicalOffset) {
			t.Fatal(err)
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
				if record.Flipped(b, g.pos.PhysicalOffset) {
					t.Errorf("%s: bytes %d and %d", g.name, j, i)
				}
				b[i], b[j] = ^b[i], ^b[j]
			}
		}
	}
}
