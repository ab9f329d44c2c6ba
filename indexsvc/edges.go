package indexsvc

import (
	"fmt"

	"github.com/actorstore/actorstore/commitlog/mapped"
)

// checkEnds compares the header with the entries that it speaks of. After a
// power cut pages of a file may be old and others new; a header that counts too
// many or too few entries shows here.
func (f *indexFile) checkEnds(file mapped.File) error {
	h := f.header()
	if h.IndexCount > 1 {
		for _, end := range [...]struct {
			n   int32
			phy int64
		}{{1, h.BeginPhyOffset}, {h.IndexCount - 1, h.EndPhyOffset}} {
			e, err := f.read(file, end.n)
			if err != nil {
				return err
			}
			if e.phy != end.phy {
				return f.corrupt(f.geo.entryAt(end.n)+4, fmt.Sprintf("physical offset %d as in the header", end.phy), e.phy)
			}
		}
	}
	// The entry at the count itself may be one that a killed process did not
	// come to count.
	if n := int64(h.IndexCount) + 1; n < int64(f.geo.Entries) {
		e, err := f.read(file, int32(n))
		if err != nil {
			return err
		}
		if e != (entry{}) {
			return f.corrupt(f.geo.entryAt(int32(n)), fmt.Sprintf("zeros behind entry %d, the last that is counted", h.IndexCount-1), "an entry")
		}
	}
	return nil
}

func (f *indexFile) read(file mapped.File, n int32) (entry, error) {
	var b [entrySize]byte
	if _, err := file.ReadAt(b[:], f.geo.entryAt(n)); err != nil {
		return entry{}, fmt.Errorf("read index file: %w", err)
	}
	return decodeEntry(b[:]), nil
}
