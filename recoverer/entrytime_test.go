package recoverer_test

import (
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
			overwrite(t, image, path, 40+4*indexSlots+20*c.entry+12, []byte{0, 0, 0, 7}) // its seconds
			s = open(t, image, largeIndexFiles)
			s.close()
			for _, f := range verify(t, s, largeIndexFiles) {
				t.Error(f)
			}
		})
	}
}
