package indexsvc

import (
	"fmt"

	"github.com/actorstore/actorstore/commitlog/mapped"
	"github.com/actorstore/actorstore/commitlog/record"
)

// sample is how many entries at each end are looked at to judge a geometry.
const sample = 16

// geometryOf finds the geometry of a file: the defaults if the size is theirs,
// else what the chains in it show, else the option if the size is its.
func geometryOf(f mapped.File, size int64, h *Header, option Geometry) (Geometry, error) {
	def := DefaultGeometry()
	optionFits := option.Size() == size
	if size == def.Size() && (option == def || !optionFits) {
		return def, nil
	}
	if optionFits {
		ok, err := chainsFit(f, h, option)
		if err != nil || ok {
			return option, err
		}
	}
	if h.IndexCount > 1 {
		g, ok, err := scanGeometry(f, size, h)
		if err != nil || ok {
			return g, err
		}
	}
	if optionFits {
		return option, nil
	}
	return Geometry{}, &record.CorruptionError{Path: f.Name(), Offset: size, Next: -1,
		Want: fmt.Sprintf("%d bytes (%d slots, %d entries) or chains that show another geometry",
			option.Size(), option.Slots, option.Entries),
		Got: fmt.Sprintf("%d bytes", size)}
}

// chainsFit tells whether the first and last entries hang together under g. A
// file without entries fits every geometry of its size.
func chainsFit(f mapped.File, h *Header, g Geometry) (bool, error) {
	if h.IndexCount > g.Entries {
		return false, nil
	}
	for n := int32(1); n < h.IndexCount; n++ {
		if n == sample+1 {
			n = max(n, h.IndexCount-sample)
		}
		ok, err := entryFits(f, h.IndexCount, g, n)
		if err != nil || !ok {
			return false, err
		}
	}
	return true, nil
}

// entryFits checks one entry: its slot names it or a later one, and its
// predecessor is an earlier one of the same slot.
func entryFits(f mapped.File, count int32, g Geometry, n int32) (bool, error) {
	var b [entrySize]byte
	if _, err := f.ReadAt(b[:], g.entryAt(n)); err != nil {
		return false, err
	}
	e := decodeEntry(b[:])
	if e.hash < 0 || e.phy < 0 || e.prev < 0 || e.prev >= n {
		return false, nil
	}
	slot := e.hash % g.Slots
	if _, err := f.ReadAt(b[:slotSize], g.slotAt(slot)); err != nil {
		return false, err
	}
	if head := int32(be.Uint32(b[:])); head < n || head >= count {
		return false, nil
	}
	if e.prev == 0 {
		return true, nil
	}
	if _, err := f.ReadAt(b[:], g.entryAt(e.prev)); err != nil {
		return false, err
	}
	before := decodeEntry(b[:])
	return before.hash >= 0 && before.hash%g.Slots == slot, nil
}

// scanGeometry looks for entry 1: it has the header's beginPhyOffset and no
// predecessor, and the unused entry 0 before it. Where it stands gives the
// number of slots.
func scanGeometry(f mapped.File, size int64, h *Header) (Geometry, bool, error) {
	const chunk = 1 << 20
	const span = 2 * entrySize // entry 0 and entry 1
	buf := make([]byte, chunk+span)
	for base := int64(headerSize); base+span <= size; base += chunk {
		b := buf[:min(int64(len(buf)), size-base)]
		if _, err := f.ReadAt(b, base); err != nil {
			return Geometry{}, false, err
		}
		for at := 0; at+span <= len(b) && at < chunk; at += slotSize {
			if !couldBeFirst(b[at:at+span], h.BeginPhyOffset) {
				continue
			}
			g, ok := geometryAt(base+int64(at), size)
			if !ok {
				continue
			}
			if fits, err := chainsFit(f, h, g); err != nil || fits {
				return g, fits, err
			}
		}
	}
	return Geometry{}, false, nil
}

func couldBeFirst(b []byte, beginPhy int64) bool {
	e := b[entrySize:]
	return int64(be.Uint64(e[4:])) == beginPhy && be.Uint32(e[16:]) == 0 &&
		(beginPhy != 0 || be.Uint32(e) != 0) && allZero(b[:entrySize])
}

// geometryAt is the geometry whose entry 0 stands at off.
func geometryAt(off, size int64) (Geometry, bool) {
	slots, rest := (off-headerSize)/slotSize, size-off
	if slots < 1 || slots > maxInt32 || rest%entrySize != 0 || rest/entrySize > maxInt32 {
		return Geometry{}, false
	}
	g := Geometry{Slots: int32(slots), Entries: int32(rest / entrySize)}
	return g, g.valid() == nil
}

const maxInt32 = 1<<31 - 1

func allZero(b []byte) bool {
	for _, c := range b {
		if c != 0 {
			return false
		}
	}
	return true
}
