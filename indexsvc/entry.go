package indexsvc

import (
	"encoding/binary"
	"math"
	"sync/atomic"
	"unsafe"
)

// entry is one key of one record.
type entry struct {
	hash     int32
	phy      int64
	timeDiff int32
	prev     int32
}

func decodeEntry(b []byte) entry {
	return entry{
		hash:     int32(be.Uint32(b)),
		phy:      int64(be.Uint64(b[4:])),
		timeDiff: int32(be.Uint32(b[12:])),
		prev:     int32(be.Uint32(b[16:])),
	}
}

func (e *entry) encode(b []byte) {
	be.PutUint32(b, uint32(e.hash))
	be.PutUint64(b[4:], uint64(e.phy))
	be.PutUint32(b[12:], uint32(e.timeDiff))
	be.PutUint32(b[16:], uint32(e.prev))
}

// A slot is the only word that changes under a reader: both sides use atomics.

func loadSlot(b []byte) int32 {
	var w [slotSize]byte
	binary.NativeEndian.PutUint32(w[:], atomic.LoadUint32((*uint32)(unsafe.Pointer(unsafe.SliceData(b)))))
	return int32(be.Uint32(w[:]))
}

func storeSlot(b []byte, n int32) {
	var w [slotSize]byte
	be.PutUint32(w[:], uint32(n))
	atomic.StoreUint32((*uint32)(unsafe.Pointer(unsafe.SliceData(b))), binary.NativeEndian.Uint32(w[:]))
}

func (f *indexFile) slot(b []byte, hash int32) []byte {
	return b[f.geo.slotAt(hash%f.geo.Slots):][:slotSize]
}

func (f *indexFile) entry(b []byte, n int32) []byte { return b[f.geo.entryAt(n):][:entrySize] }

// put adds an entry to a file that is not full. b is its mapping.
func (f *indexFile) put(b []byte, hash int32, phy, storeTime int64) {
	n := f.count.Load()
	slot := f.slot(b, hash)
	prev := loadSlot(slot)
	if prev < 0 || prev >= n {
		prev = 0
	}
	e := entry{hash: hash, phy: phy, timeDiff: timeDiff(storeTime, f.beginTime.Load()), prev: prev}
	f.clear(b, n+2)
	e.encode(f.entry(b, n))
	if n <= 1 {
		f.beginPhy.Store(phy)
		f.beginTime.Store(storeTime)
	}
	used := f.slotCount.Load()
	if prev == 0 {
		used++
	}
	f.slotCount.Store(used)
	f.endPhy.Store(phy)
	f.endTime.Store(storeTime)
	f.count.Store(n + 1) // X3
	storeSlot(slot, n)
	// X4: the header after the slot, its count last and in one store with the
	// slots, so that a kill between two stores leaves the entry to be mended.
	if n <= 1 {
		be.PutUint64(b[atBeginPhy:], uint64(phy))
		be.PutUint64(b[atBeginTime:], uint64(storeTime))
	}
	be.PutUint64(b[atEndPhy:], uint64(phy))
	be.PutUint64(b[atEndTime:], uint64(storeTime))
	be.PutUint64(b[atSlotCount:], uint64(used)<<32|uint64(n+1))
}

// clear makes an entry zero that is not reached yet. A power cut may leave entries
// far behind the count, which recovery does not see; when the count comes near
// them they must not look like entries that the header has forgotten (checkEnds).
func (f *indexFile) clear(b []byte, n int32) {
	if n >= f.geo.Entries {
		return
	}
	if e := (*[entrySize]byte)(f.entry(b, n)); *e != [entrySize]byte{} {
		*e = [entrySize]byte{}
	}
}

// timeDiff is the entry's time: whole seconds after the file's begin.
func timeDiff(storeTime, begin int64) int32 {
	if begin <= 0 || storeTime <= begin {
		return 0
	}
	return int32(min((storeTime-begin)/1000, math.MaxInt32))
}
