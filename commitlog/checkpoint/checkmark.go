package checkpoint

import (
	"fmt"

	"github.com/actorstore/actorstore/commitlog/mapped"
	"github.com/actorstore/actorstore/commitlog/record"
)

// CheckMark wants each slot of the mark to be whole or empty. A stop may tear the
// one that is being written; after a clean stop a torn one is damage, even if the
// other still counts: *record.CorruptionError names the first. A file without a
// whole slot is an error of ReadMarks, and none here.
func CheckMark(fsys mapped.FS, layout Layout) error {
	path := layout.MarkFile()
	b, err := readFile(fsys, path, markFileSize)
	if err != nil || len(b) < markFileSize {
		return err
	}
	if marks, _ := decodeMarks(b); len(marks) == 0 {
		return nil
	}
	for slot := range 2 {
		at := slot * markSlotStep
		if _, ok := decodeMark(b[at:][:markSlotSize]); !ok && !allZero(b[at:][:markSlotSize]) {
			return &record.CorruptionError{Path: path, Offset: int64(at), Next: -1,
				Want: "a slot with the right checksum, or an empty one", Got: fmt.Sprintf("%d bytes that are neither", markSlotSize)}
		}
	}
	return nil
}
