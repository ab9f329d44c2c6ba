package indexsvc

import (
	"fmt"

	"github.com/actorstore/actorstore/commitlog/mapped"
)

// checkEnds compares the header with the entries that it speaks of. After a
// power cut pages of a file may be old and others new; a header that counts too
// many or too few entries shows here.
func (f *indexFile) checkEnds(file mapped.File) error {
	h, count := f.header(), f.count.Load()
	var first, last, next, beyond entry
	for _, p := range [...]struct {
		n  int32
		to *entry
	}{{1, &first}, {count - 1, &last}, {count, &next}, {count + 1, &beyond}} {
		if p.n < 1 || p.n >= f.geo.Entries {
			continue
		}
		var err error
		if *p.to, err = f.read(file, p.n); err != nil {
			return err
		}
	}
	switch {
	// A killed process may have put the entry at the count and not come to count it.
	case beyond != (entry{}):
		return f.corrupt(f.geo.entryAt(count+1), fmt.Sprintf("zeros behind entry %d, the last that is counted", count-1), "an entry")
	case count > 1 && first.phy != h.BeginPhyOffset:
		return f.corrupt(atBeginPhy, fmt.Sprintf("beginPhyOffset %d as in entry 1", first.phy), h.BeginPhyOffset)
	case count > 1 && last.phy != h.EndPhyOffset && (next == entry{} || next.phy != h.EndPhyOffset):
		return f.corrupt(atEndPhy, fmt.Sprintf("endPhyOffset %d as in entry %d", last.phy, count-1), h.EndPhyOffset)
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
