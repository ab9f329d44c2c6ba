package indexsvc

import "fmt"

const (
	headerSize = 40
	slotSize   = 4
	entrySize  = 20

	// DefaultMaxHashSlotNum and DefaultMaxIndexNum are RocketMQ's defaults.
	DefaultMaxHashSlotNum = 5_000_000
	DefaultMaxIndexNum    = 20_000_000
)

// Geometry is what the size of an index file is made of. It is not in the file.
type Geometry struct {
	Slots   int32 // maxHashSlotNum
	Entries int32 // maxIndexNum; entry 0 is unused, so a file holds one less
}

// DefaultGeometry is that of RocketMQ's defaults.
func DefaultGeometry() Geometry {
	return Geometry{Slots: DefaultMaxHashSlotNum, Entries: DefaultMaxIndexNum}
}

// Size is the length of the file in bytes.
func (g Geometry) Size() int64 { return g.entryAt(g.Entries) }

func (g Geometry) slotAt(slot int32) int64 { return headerSize + slotSize*int64(slot) }

func (g Geometry) entryAt(n int32) int64 {
	return headerSize + slotSize*int64(g.Slots) + entrySize*int64(n)
}

// valid wants room for one entry at least: with less, every new file would be
// full at once.
func (g Geometry) valid() error {
	if g.Slots < 1 || g.Entries < 2 {
		return fmt.Errorf("index geometry: want maxHashSlotNum >= 1 and maxIndexNum >= 2, got %d and %d", g.Slots, g.Entries)
	}
	return nil
}
