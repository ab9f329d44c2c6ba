package consumequeue

import (
	"encoding/binary"
	"math"
)

// Kind tells how a queue's units look; the values are stored in files of ours.
type Kind uint8

const (
	Simple Kind = iota // 20-byte units, unit i is queue offset i
	Batch              // 46-byte units, found by their base offset
)

// String is RocketMQ's name of the kind.
func (k Kind) String() string {
	if k == Batch {
		return "BatchCQ"
	}
	return "SimpleCQ"
}

// Sizes of a unit in bytes.
const (
	UnitSize      = 20
	BatchUnitSize = 46
)

// preBlankSize is the size field of a unit that only fills the file in front of
// a queue's first unit. No record is that long.
const preBlankSize = math.MaxInt32

// Unit is one entry of a queue (RocketMQ's CqUnit).
type Unit struct {
	PhysicalOffset int64 // of the record in the commit log
	TagsCode       int64 // hash of the tags, or due time; an ext address if the ext unit is lost
	StoreTimestamp int64 // ms; batch units and ext units only, else 0
	Base           int64 // queue offset (of the first message)
	Ext            int64 // address of the ext unit, 0 = none
	Size           int32 // bytes of the record
	Num            int16 // messages; 1 in a simple queue
}

// Entry is what Append puts into a queue.
type Entry struct {
	QueueOffset    int64 // of the (first) message
	PhysicalOffset int64
	TagsCode       int64
	StoreTimestamp int64  // ms; 0 = not known, then time searches ask for it
	BitMap         []byte // for the ext unit, may be nil
	Size           int32
	Num            int16 // messages in a batch unit; 0 counts as 1
}

func (e *Entry) num() int64 { return max(int64(e.Num), 1) }

func (k Kind) unitSize() int64 {
	if k == Batch {
		return BatchUnitSize
	}
	return UnitSize
}

// encodeUnit writes e into b, which is one unit long.
func (k Kind) encodeUnit(b []byte, e *Entry) {
	binary.BigEndian.PutUint64(b, uint64(e.PhysicalOffset))
	binary.BigEndian.PutUint32(b[8:], uint32(e.Size))
	binary.BigEndian.PutUint64(b[12:], uint64(e.TagsCode))
	if k == Simple {
		return
	}
	binary.BigEndian.PutUint64(b[20:], uint64(e.StoreTimestamp))
	binary.BigEndian.PutUint64(b[28:], uint64(e.QueueOffset))
	binary.BigEndian.PutUint16(b[36:], uint16(e.num()))
	binary.BigEndian.PutUint32(b[38:], math.MaxUint32) // compacted offset: none
	binary.BigEndian.PutUint32(b[42:], 0)
}

// encodePreBlank writes the unit that stands for "before the first".
func encodePreBlank(b []byte) {
	binary.BigEndian.PutUint64(b, 0)
	binary.BigEndian.PutUint32(b[8:], preBlankSize)
	binary.BigEndian.PutUint64(b[12:], 0)
}

// decodeUnit reads one unit; index is its place in the queue, which is the
// queue offset of a simple queue. False if no record can stand behind it.
func (k Kind) decodeUnit(b []byte, index int64, u *Unit) bool {
	if k == Batch {
		return decodeBatchUnit(b, u)
	}
	b = b[:UnitSize]
	u.PhysicalOffset = int64(binary.BigEndian.Uint64(b))
	u.Size = int32(binary.BigEndian.Uint32(b[8:]))
	u.TagsCode = int64(binary.BigEndian.Uint64(b[12:]))
	u.StoreTimestamp, u.Base, u.Ext, u.Num = 0, index, 0, 1
	return u.PhysicalOffset >= 0 && u.Size > 0 && u.Size != preBlankSize &&
		u.PhysicalOffset <= math.MaxInt64-int64(u.Size)
}

func decodeBatchUnit(b []byte, u *Unit) bool {
	b = b[:BatchUnitSize]
	u.PhysicalOffset = int64(binary.BigEndian.Uint64(b))
	u.Size = int32(binary.BigEndian.Uint32(b[8:]))
	u.TagsCode = int64(binary.BigEndian.Uint64(b[12:]))
	u.StoreTimestamp = int64(binary.BigEndian.Uint64(b[20:]))
	u.Base = int64(binary.BigEndian.Uint64(b[28:]))
	u.Num = int16(binary.BigEndian.Uint16(b[36:]))
	u.Ext = 0
	return u.PhysicalOffset >= 0 && u.Size > 0 && u.Base >= 0 && u.Num > 0 &&
		u.PhysicalOffset <= math.MaxInt64-int64(u.Size) && u.Base <= math.MaxInt64-int64(u.Num)
}

// end is the physical end of the unit's record.
func (u *Unit) end() int64 { return u.PhysicalOffset + int64(u.Size) }

// next is the queue offset behind the unit.
func (u *Unit) next() int64 { return u.Base + int64(u.Num) }

// shape is what the bytes of a unit are at first sight.
type shape uint8

const (
	shapeZero  shape = iota // never written
	shapeData               // a unit
	shapeBlank              // a pre-blank
	shapeTorn               // neither: half written, or damaged
)

func (s shape) String() string {
	return [...]string{"zeros", "a unit", "a pre-blank", "a torn unit"}[s]
}

func (k Kind) shapeOf(b []byte) shape {
	var u Unit
	switch {
	case k.decodeUnit(b, 0, &u):
		return shapeData
	case allZero(b):
		return shapeZero
	case k == Simple && u.PhysicalOffset == 0 && u.Size == preBlankSize && u.TagsCode == 0:
		return shapeBlank
	}
	return shapeTorn
}

func allZero(b []byte) bool {
	for _, c := range b {
		if c != 0 {
			return false
		}
	}
	return true
}
