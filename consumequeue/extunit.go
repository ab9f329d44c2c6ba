package consumequeue

import (
	"encoding/binary"
	"fmt"
	"math"
)

const (
	extHeaderSize = 20            // an ext unit without its bit map
	extEndSpace   = 4             // kept free behind the last unit of a file
	maxExtUnit    = math.MaxInt16 // its size field is an i16
)

// ExtUnit is what an ext address points at (RocketMQ's ConsumeQueueExt.CqExtUnit).
type ExtUnit struct {
	TagsCode       int64
	StoreTimestamp int64  // ms
	BitMap         []byte // bloom filter bits of the filters that match
}

func (u *ExtUnit) size() int64 { return extHeaderSize + int64(len(u.BitMap)) }

// appendExtUnit encodes u behind b.
func appendExtUnit(b []byte, u *ExtUnit) []byte {
	b = binary.BigEndian.AppendUint16(b, uint16(u.size()))
	b = binary.BigEndian.AppendUint64(b, uint64(u.TagsCode))
	b = binary.BigEndian.AppendUint64(b, uint64(u.StoreTimestamp))
	b = binary.BigEndian.AppendUint16(b, uint16(len(u.BitMap)))
	return append(b, u.BitMap...)
}

// decodeExtUnit reads the unit at the start of b; its bit map aliases b.
// size 0 without an error: the file's data ends here.
func decodeExtUnit(b []byte, u *ExtUnit) (size int, err error) {
	if len(b) < 2 {
		return 0, nil
	}
	size = int(int16(binary.BigEndian.Uint16(b)))
	if size < 1 {
		return 0, nil
	}
	if size < extHeaderSize || len(b) < extHeaderSize {
		return 0, fmt.Errorf("unit of %d bytes with %d left", size, len(b))
	}
	n := int(int16(binary.BigEndian.Uint16(b[18:])))
	if n < 0 || extHeaderSize+n != size || size > len(b) {
		return 0, fmt.Errorf("unit of %d bytes with a bit map of %d and %d left", size, n, len(b))
	}
	u.TagsCode = int64(binary.BigEndian.Uint64(b[2:]))
	u.StoreTimestamp = int64(binary.BigEndian.Uint64(b[10:]))
	u.BitMap = b[extHeaderSize:size:size]
	return size, nil
}

// IsExtAddress tells an ext address from a tags code: tag hashes are 32 bits
// and due times are positive, so neither is that low.
func IsExtAddress(tagsCode int64) bool { return tagsCode <= math.MinInt32-1 }

// extAddress is how a byte offset among the ext files is stored in a unit.
func extAddress(offset int64) int64 { return offset + math.MinInt64 }

// extOffset undoes extAddress.
func extOffset(address int64) int64 { return address - math.MinInt64 }
