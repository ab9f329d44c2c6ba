package record_test

import (
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
