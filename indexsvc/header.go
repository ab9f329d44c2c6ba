package indexsvc

import (
	"encoding/binary"
	"fmt"

	"github.com/actorstore/actorstore/commitlog/record"
)

// Offsets of the header's fields.
const (
	atBeginTime = 0
	atEndTime   = 8
	atBeginPhy  = 16
	atEndPhy    = 24
	atSlotCount = 32
	atCount     = 36
)

var be = binary.BigEndian

// Header is the head of an index file.
type Header struct {
	BeginTimestamp int64 // store time of the first entry's record, ms
	EndTimestamp   int64 // store time of the last entry's record, ms
	BeginPhyOffset int64 // physical offset of the first entry's record
	EndPhyOffset   int64 // physical offset of the last entry's record
	HashSlotCount  int32 // slots that are in use
	IndexCount     int32 // number of the next entry, from 1
}

// decodeHeader reads the first bytes of a file. RocketMQ leaves the count of a
// file without entries at 0 until it is flushed.
func decodeHeader(b []byte) Header {
	return Header{
		BeginTimestamp: int64(be.Uint64(b[atBeginTime:])),
		EndTimestamp:   int64(be.Uint64(b[atEndTime:])),
		BeginPhyOffset: int64(be.Uint64(b[atBeginPhy:])),
		EndPhyOffset:   int64(be.Uint64(b[atEndPhy:])),
		HashSlotCount:  int32(be.Uint32(b[atSlotCount:])),
		IndexCount:     max(1, int32(be.Uint32(b[atCount:]))),
	}
}

func (h *Header) encode() []byte {
	b := make([]byte, headerSize)
	be.PutUint64(b[atBeginTime:], uint64(h.BeginTimestamp))
	be.PutUint64(b[atEndTime:], uint64(h.EndTimestamp))
	be.PutUint64(b[atBeginPhy:], uint64(h.BeginPhyOffset))
	be.PutUint64(b[atEndPhy:], uint64(h.EndPhyOffset))
	be.PutUint32(b[atSlotCount:], uint32(h.HashSlotCount))
	be.PutUint32(b[atCount:], uint32(h.IndexCount))
	return b
}

// successor is the header that a file behind this one is born with.
func (h Header) successor() Header {
	next := Header{IndexCount: 1}
	if h.EndPhyOffset > 0 {
		next.BeginPhyOffset, next.EndPhyOffset = h.EndPhyOffset, h.EndPhyOffset
	}
	if h.EndTimestamp > 0 {
		next.BeginTimestamp, next.EndTimestamp = h.EndTimestamp, h.EndTimestamp
	}
	return next
}

// check tells whether the header can belong to a file of that geometry.
func (h *Header) check(path string, g Geometry) error {
	bad := func(at int64, want string, got any) error {
		return &record.CorruptionError{Path: path, Offset: at, Want: want, Got: fmt.Sprint(got), Next: -1}
	}
	switch {
	case h.IndexCount > g.Entries:
		return bad(atCount, fmt.Sprintf("indexCount <= %d", g.Entries), h.IndexCount)
	case h.HashSlotCount < 0 || h.HashSlotCount > min(g.Slots, h.IndexCount):
		return bad(atSlotCount, fmt.Sprintf("hashSlotCount 0..%d", min(g.Slots, h.IndexCount)), h.HashSlotCount)
	case h.BeginPhyOffset < 0:
		return bad(atBeginPhy, "beginPhyOffset >= 0", h.BeginPhyOffset)
	case h.EndPhyOffset < 0 || h.IndexCount > 1 && h.EndPhyOffset < h.BeginPhyOffset:
		return bad(atEndPhy, fmt.Sprintf("endPhyOffset >= %d", h.BeginPhyOffset), h.EndPhyOffset)
	}
	return nil
}
