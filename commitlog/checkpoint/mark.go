package checkpoint

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"hash/fnv"
	"slices"

	"github.com/actorstore/actorstore/commitlog/mapped"
	"github.com/actorstore/actorstore/commitlog/record"
)

const (
	markFileSize = 1024
	markSlotSize = 64
	markSlotStep = 512 // slots lie in different sectors
	markFlagsAt  = 39  // the low byte of a u32
	markSync     = 1
	markMountAt  = 56
	markCRCAt    = 60
)

var markMagic = [8]byte{'A', 'S', 'M', 'A', 'R', 'K', 0, 1}

// Digest stands for the six fields of a Checkpoint.
type Digest [16]byte

// Digest is equal for equal checkpoints, and for practical purposes only then.
func (c Checkpoint) Digest() Digest {
	fields := c.encode()
	h := fnv.New128a()
	h.Write(fields[:])
	return Digest(h.Sum(nil))
}

// Mark says how much of the log is proven to be on disk. It decides only
// whether damage is a torn tail or lies inside the log; it never deletes.
type Mark struct {
	Sequence        int64  // counts the marks written, 1 is the first
	FlushedEnd      int64  // the log below this physical offset is durable
	LastRecordStart int64  // start of the last record below FlushedEnd, -1 if none
	LastRecordCRC   uint32 // CRC of that whole record
	// Sync: from here on nothing is dispatched before it is durable (SYNC_FLUSH).
	// What a queue points at above FlushedEnd was then durable, too.
	Sync   bool
	Fields Digest // of the checkpoint that goes with this mark
	// Mounted is that of the file system of the log when this was written: while it
	// is the same, the page cache has all that was written. 0 = not known.
	Mounted uint32
}

// Matches tells whether c is the checkpoint that was written with the mark. If
// not, another engine has worked on the store since, and the mark says nothing.
// That the last record still stands where the mark says is for the caller to
// check.
func (m Mark) Matches(c Checkpoint) bool { return m.Fields == c.Digest() }

func (m Mark) encode() [markSlotSize]byte {
	var b [markSlotSize]byte
	copy(b[:], markMagic[:])
	binary.BigEndian.PutUint64(b[8:], uint64(m.Sequence))
	binary.BigEndian.PutUint64(b[16:], uint64(m.FlushedEnd))
	binary.BigEndian.PutUint64(b[24:], uint64(m.LastRecordStart))
	binary.BigEndian.PutUint32(b[32:], m.LastRecordCRC)
	if m.Sync {
		b[markFlagsAt] |= markSync
	}
	copy(b[40:], m.Fields[:])
	binary.BigEndian.PutUint32(b[markMountAt:], m.Mounted)
	binary.BigEndian.PutUint32(b[markCRCAt:], crc32.ChecksumIEEE(b[:markCRCAt]))
	return b
}

// decodeMark reports whether the slot holds a whole mark that makes sense.
func decodeMark(b []byte) (Mark, bool) {
	if !bytes.Equal(b[:8], markMagic[:]) ||
		binary.BigEndian.Uint32(b[markCRCAt:]) != crc32.ChecksumIEEE(b[:markCRCAt]) {
		return Mark{}, false
	}
	m := Mark{
		Sequence:        int64(binary.BigEndian.Uint64(b[8:])),
		FlushedEnd:      int64(binary.BigEndian.Uint64(b[16:])),
		LastRecordStart: int64(binary.BigEndian.Uint64(b[24:])),
		LastRecordCRC:   binary.BigEndian.Uint32(b[32:]),
		Sync:            b[markFlagsAt]&markSync != 0,
		Fields:          Digest(b[40:markMountAt]),
		Mounted:         binary.BigEndian.Uint32(b[markMountAt:]),
	}
	return m, m.Sequence > 0 && m.sane() == nil
}

func (m Mark) sane() error {
	if m.FlushedEnd < 0 || m.LastRecordStart < -1 || (m.LastRecordStart >= m.FlushedEnd && m.LastRecordStart != -1) {
		return fmt.Errorf("mark: want -1 <= start of the last record < flushed end, got %d and %d",
			m.LastRecordStart, m.FlushedEnd)
	}
	return nil
}

// ReadMarks gives the marks that are whole, newest first: none, one or two. The
// first that Matches the checkpoint is the one to use (invariant C2). A missing
// file is no error; a file without a whole slot is *record.CorruptionError.
func ReadMarks(fsys mapped.FS, layout Layout) ([]Mark, error) {
	path := layout.MarkFile()
	b, err := readFile(fsys, path, markFileSize)
	if err != nil || b == nil {
		return nil, err
	}
	if len(b) < markFileSize {
		return nil, &record.CorruptionError{Path: path, Offset: int64(len(b)), Next: -1,
			Want: fmt.Sprintf("a file of %d bytes", markFileSize), Got: fmt.Sprintf("%d bytes", len(b))}
	}
	marks, _ := decodeMarks(b)
	if len(marks) == 0 {
		return nil, &record.CorruptionError{Path: path, Next: -1,
			Want: "a slot with the right checksum", Got: "none"}
	}
	return marks, nil
}

// decodeMarks also tells the slot that the next mark goes into: never the one
// that holds the newest.
func decodeMarks(b []byte) (marks []Mark, next int) {
	for slot := range 2 {
		m, ok := decodeMark(b[slot*markSlotStep:][:markSlotSize])
		if !ok {
			continue
		}
		if len(marks) == 0 || m.Sequence > marks[0].Sequence {
			marks = append([]Mark{m}, marks...)
			next = 1 - slot
		} else {
			marks = append(marks, m)
		}
	}
	return marks, next
}

// ReadMark gives the newest whole mark; false if there is none. Errors as for
// ReadMarks.
func ReadMark(fsys mapped.FS, layout Layout) (Mark, bool, error) {
	marks, err := ReadMarks(fsys, layout)
	if err != nil || len(marks) == 0 {
		return Mark{}, false, err
	}
	return marks[0], true, nil
}

// WriteMark makes m durable in the slot that does not hold the newest mark, and
// gives it the next sequence number (m.Sequence is ignored). The checkpoint that
// m.Fields stands for is written after it. After an error the caller goes on
// with RenewMark: what reached the disk is unknown, and another WriteMark would
// go to the other slot.
func WriteMark(fsys mapped.FS, layout Layout, m Mark) error {
	if err := m.sane(); err != nil {
		return err
	}
	path := layout.MarkFile()
	b, err := readFile(fsys, path, markFileSize)
	if err != nil {
		return err
	}
	if len(b) < markFileSize {
		m.Sequence = 1
		slot := m.encode()
		return replace(fsys, layout, path, append(slot[:], make([]byte, markFileSize-markSlotSize)...))
	}
	marks, next := decodeMarks(b)
	m.Sequence = 1
	if len(marks) > 0 {
		m.Sequence = marks[0].Sequence + 1
	}
	slot := m.encode()
	return overwrite(fsys, path, slot[:], int64(next)*markSlotStep)
}

// RenewMark makes m durable in a new file, beside the mark that matches current,
// the checkpoint that is on disk: a crash in between leaves one that counts. It
// needs nothing of what stands in the old file, and may be repeated.
func RenewMark(fsys mapped.FS, layout Layout, m Mark, current Checkpoint) error {
	if err := m.sane(); err != nil {
		return err
	}
	path := layout.MarkFile()
	old, err := readFile(fsys, path, markFileSize)
	if err != nil {
		return err
	}
	b := make([]byte, markFileSize)
	m.Sequence = 1
	if len(old) == markFileSize {
		marks, _ := decodeMarks(old)
		for _, kept := range slices.Backward(marks) { // the newest last
			m.Sequence = kept.Sequence + 1
			if kept.Matches(current) {
				slot := kept.encode()
				copy(b, slot[:])
			}
		}
	}
	slot := m.encode()
	copy(b[markSlotStep:], slot[:])
	return replace(fsys, layout, path, b)
}
