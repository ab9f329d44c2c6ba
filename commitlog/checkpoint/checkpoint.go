package checkpoint

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/actorstore/actorstore/commitlog/mapped"
	"github.com/actorstore/actorstore/commitlog/record"
)

// Size is the length of the checkpoint file in bytes.
const Size = 4096

// fieldsSize is the part of the file that carries the six fields.
const fieldsSize = 48

// Checkpoint is RocketMQ's StoreCheckpoint: six numbers without a checksum. They
// are advice for recovery, never a reason to drop anything.
type Checkpoint struct {
	PhysicMsgTimestamp   int64 // store time, ms, of a record that was flushed
	LogicsMsgTimestamp   int64 // store time, ms, up to which the queues are flushed
	IndexMsgTimestamp    int64 // endTimestamp, ms, of the newest full index file that is flushed
	MasterFlushedOffset  int64 // set by replication, else 0
	ConfirmPhyOffset     int64 // RocketMQ's confirmOffset, mostly 0
	LogicsPhysicalOffset int64 // start of the record of LogicsMsgTimestamp, 0 = never
}

// encode gives the 48 bytes of the file.
func (c Checkpoint) encode() [fieldsSize]byte {
	var b [fieldsSize]byte
	for i, v := range [...]int64{c.PhysicMsgTimestamp, c.LogicsMsgTimestamp, c.IndexMsgTimestamp,
		c.MasterFlushedOffset, c.ConfirmPhyOffset, c.LogicsPhysicalOffset} {
		binary.BigEndian.PutUint64(b[8*i:], uint64(v))
	}
	return b
}

func decodeCheckpoint(b []byte) Checkpoint {
	at := func(i int) int64 { return int64(binary.BigEndian.Uint64(b[8*i:])) }
	return Checkpoint{at(0), at(1), at(2), at(3), at(4), at(5)}
}

// ReadCheckpoint reads the file at path. A missing file is all zero and found is
// false. A file shorter than Size gives *record.CorruptionError: take it as
// absent, with a warning.
func ReadCheckpoint(fsys mapped.FS, path string) (c Checkpoint, found bool, err error) {
	b, err := readFile(fsys, path, Size)
	if err != nil || b == nil {
		return Checkpoint{}, false, err
	}
	if len(b) < Size {
		return Checkpoint{}, true, &record.CorruptionError{Path: path, Offset: int64(len(b)), Next: -1,
			Want: fmt.Sprintf("a file of %d bytes", Size), Got: fmt.Sprintf("%d bytes", len(b))}
	}
	return decodeCheckpoint(b), true, nil
}

// WriteCheckpoint writes the six fields into the file at path and makes them
// durable; the rest of the file stays. A missing or short file is made anew. The
// mark that goes with c is written before (invariant C2).
func WriteCheckpoint(fsys mapped.FS, path string, c Checkpoint) error {
	fields := c.encode()
	size, found, err := fileSize(fsys, path)
	if err != nil {
		return err
	}
	if !found || size < Size {
		page := make([]byte, Size)
		copy(page, fields[:])
		return replace(fsys, NewLayout(filepath.Dir(path), ""), path, page)
	}
	return overwrite(fsys, path, fields[:], 0)
}

// overwrite changes bytes of an existing file with one write and syncs them.
func overwrite(fsys mapped.FS, path string, b []byte, off int64) (err error) {
	f, err := fsys.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return fmt.Errorf("open %s: %w", path, err)
	}
	defer func() { // also if the disk panics
		if cerr := f.Close(); err == nil {
			err = cerr
		}
		if err != nil {
			err = fmt.Errorf("write %s: %w", path, err)
		}
	}()
	if _, err := f.WriteAt(b, off); err != nil {
		return err
	}
	return f.Datasync()
}

// fileSize treats only "not there" as absence: any other failure is an answer
// that must not be guessed.
func fileSize(fsys mapped.FS, path string) (size int64, found bool, err error) {
	info, err := fsys.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, false, nil
	}
	if err != nil {
		return 0, false, fmt.Errorf("look for %s: %w", path, err)
	}
	return info.Size(), true, nil
}
