package indexsvc

import (
	"fmt"
	"os"

	"github.com/actorstore/actorstore/commitlog/mapped"
)

// uncounted is an entry that a killed process put into its slot but did not
// count. A reader must go on at prev; and the next put into that slot would take
// the slot for empty and lose the older chain.
type uncounted struct{ slot, prev int32 }

// mend looks for such an entry in the last file and unlinks it. A read-only file
// is left as it is, and readers go around the entry.
func (f *indexFile) mend() error {
	if f.count.Load() >= f.geo.Entries {
		return nil
	}
	flag := os.O_RDWR
	if f.readOnly {
		flag = os.O_RDONLY
	}
	file, err := f.fs.OpenFile(f.path, flag, 0)
	if err != nil {
		return fmt.Errorf("open index file: %w", err)
	}
	defer file.Close()
	f.stale, err = findUncounted(file, f.count.Load(), f.geo)
	if err != nil {
		return fmt.Errorf("read index file: %w", err)
	}
	if f.stale == nil || f.readOnly {
		return nil
	}
	var b [slotSize]byte
	be.PutUint32(b[:], uint32(f.stale.prev))
	if _, err := file.WriteAt(b[:], f.geo.slotAt(f.stale.slot)); err != nil {
		return fmt.Errorf("mend index file: %w", err)
	}
	f.stale = nil
	return nil
}

func findUncounted(file mapped.File, n int32, g Geometry) (*uncounted, error) {
	var b [entrySize]byte
	if _, err := file.ReadAt(b[:], g.entryAt(n)); err != nil {
		return nil, err
	}
	e := decodeEntry(b[:])
	if e.hash < 0 || e.prev < 0 || e.prev >= n {
		return nil, nil
	}
	slot := e.hash % g.Slots
	if _, err := file.ReadAt(b[:slotSize], g.slotAt(slot)); err != nil {
		return nil, err
	}
	if int32(be.Uint32(b[:])) != n {
		return nil, nil
	}
	return &uncounted{slot: slot, prev: e.prev}, nil
}
