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

// mendLast takes back what a killed process did of a put into the last file, so
// that the put can be made again with the same result.
func mendLast(files []*indexFile) error {
	if len(files) == 0 || files[len(files)-1].full() {
		return nil
	}
	f := files[len(files)-1]
	if err := f.mend(); err != nil {
		return err
	}
	// The first entry replaces the header that the file was born with. Without a
	// file before it that header is not known; only a time difference hangs on it.
	if len(files) == 1 || f.count.Load() > 1 || f.readOnly {
		return nil
	}
	born := files[len(files)-2].header().successor()
	if f.header() == born {
		return nil
	}
	f.setHeader(born)
	return f.write(born.encode(), 0)
}

// mend unlinks an uncounted entry and takes the end back to the last that is
// counted. A read-only file is left as it is: readers go around the entry.
func (f *indexFile) mend() error {
	file, err := f.fs.OpenFile(f.path, os.O_RDONLY, 0)
	if err != nil {
		return fmt.Errorf("open index file: %w", err)
	}
	defer file.Close()
	count := f.count.Load()
	stale, err := f.findUncounted(file, count)
	if err != nil || stale == nil {
		return err
	}
	if count > 1 {
		last, err := f.read(file, count-1)
		if err != nil {
			return err
		}
		f.endPhy.Store(last.phy)
	}
	if f.readOnly {
		f.stale = stale
		return nil
	}
	var b [8]byte
	be.PutUint64(b[:], uint64(f.endPhy.Load()))
	if err := f.write(b[:], atEndPhy); err != nil {
		return err
	}
	be.PutUint32(b[:], uint32(stale.prev))
	return f.write(b[:slotSize], f.geo.slotAt(stale.slot))
}

func (f *indexFile) write(b []byte, at int64) error {
	file, err := f.fs.OpenFile(f.path, os.O_RDWR, 0)
	if err != nil {
		return fmt.Errorf("open index file: %w", err)
	}
	defer file.Close()
	if _, err := file.WriteAt(b, at); err != nil {
		return fmt.Errorf("mend index file: %w", err)
	}
	return nil
}

func (f *indexFile) findUncounted(file mapped.File, n int32) (*uncounted, error) {
	e, err := f.read(file, n)
	if err != nil {
		return nil, err
	}
	if e.hash < 0 || e.prev < 0 || e.prev >= n {
		return nil, nil
	}
	slot := e.hash % f.geo.Slots
	var b [slotSize]byte
	if _, err := file.ReadAt(b[:], f.geo.slotAt(slot)); err != nil {
		return nil, fmt.Errorf("read index file: %w", err)
	}
	if int32(be.Uint32(b[:])) != n {
		return nil, nil
	}
	return &uncounted{slot: slot, prev: e.prev}, nil
}
