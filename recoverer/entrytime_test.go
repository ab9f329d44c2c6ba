package recoverer_test

import (
	"encoding/binary"
	"os"
	"testing"

	"github.com/actorstore/actorstore/commitlog/mapped/mappedtest"
	"github.com/actorstore/actorstore/commitlog/record"
)

// TestEntryWithoutItsTime: a power cut has caught an entry of the index while it was
// written. It names its record, and has no time: RocketMQ's queries by time would not
// find the record. Recovery believed it for good, and verify told it.
func TestEntryWithoutItsTime(t *testing.T) {
	oneKey := func(i int) *record.Message { return message("T", 0, i, 100) }
	for name, c := range map[string]struct {
		message func(int) *record.Message
		entry   int64 // its number
	}{
		"the only one of its record":                 {oneKey, 2},
		"the first of three":                         {keyed, 1 + 3},
		"the second of three":                        {keyed, 2 + 3},
		"the second of three of the first record":    {keyed, 2},
		"the last one, of a record and of the index": {keyed, 9},
	} {
		t.Run(name, func(t *testing.T) {
			s := open(t, newFS(), largeIndexFiles)
			s.put(c.message(0))
			for i := 1; i < 3; i++ {
				s.now += 61_000
				s.put(c.message(i))
			}
			path := s.index.Files()[0].Path
			image := s.fs.(*mappedtest.FS).Kill()
			s.kill()
			writeTime(t, image, path, c.entry, 7)
			s = open(t, image, largeIndexFiles)
			s.close()
			for _, f := range verify(t, s, largeIndexFiles) {
				t.Error(f)
			}
		})
	}
}

// writeTime puts seconds into the entry of a number.
func writeTime(t *testing.T, fs *mappedtest.FS, path string, n int64, seconds uint32) {
	t.Helper()
	file, err := fs.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if _, err := file.WriteAt(binary.BigEndian.AppendUint32(nil, seconds), 40+4*indexSlots+20*n+12); err != nil {
		t.Fatal(err)
	}
}
