package checkpoint_test

import (
	"errors"
	"reflect"
	"testing"

	"github.com/actorstore/actorstore/commitlog/checkpoint"
	"github.com/actorstore/actorstore/commitlog/record"
)

// FuzzFiles gives every file of the package arbitrary bytes: each reader answers
// with a value that can be written again, or with a CorruptionError.
func FuzzFiles(f *testing.F) {
	f.Add([]byte(nil))
	f.Add(make([]byte, 4096))
	f.Add([]byte(sealed(queuesHex)))
	f.Add([]byte(sealed(deletedHex)))
	f.Add([]byte(sealed("4153515545550001 ffffffff 0000000000001000 ffffffffffffffff")))
	f.Fuzz(func(t *testing.T, b []byte) {
		fsys, l := newStore(t)
		fail := func(err error) bool {
			if err != nil && !errors.Is(err, record.ErrCorrupt) {
				t.Fatal(err)
			}
			return err != nil
		}
		put(t, l.CheckpointFile(), string(b))
		if c, _, err := checkpoint.ReadCheckpoint(fsys, l.CheckpointFile()); !fail(err) {
			if err := checkpoint.WriteCheckpoint(fsys, l.CheckpointFile(), c); err != nil || get(t, l.CheckpointFile()) != string(b) {
				t.Fatalf("checkpoint changed: %v", err)
			}
		}
		put(t, l.MarkFile(), string(b))
		marks, err := checkpoint.ReadMarks(fsys, l)
		if fail(err) != (len(marks) == 0) {
			t.Fatalf("%d marks, %v", len(marks), err)
		}
		put(t, l.QueuesFile(), string(b))
		if s, err := checkpoint.ReadQueues(fsys, l); !fail(err) {
			if err := checkpoint.WriteQueues(fsys, l, s); err != nil || get(t, l.QueuesFile()) != string(b) {
				t.Fatalf("queues changed: %v", err)
			}
		}
		put(t, l.DeletedFile(), string(b))
		if d, err := checkpoint.ReadDeleted(fsys, l); !fail(err) {
			if err := checkpoint.WriteDeleted(fsys, l, d); err != nil {
				t.Fatal(err)
			}
			if again, err := checkpoint.ReadDeleted(fsys, l); err != nil || !reflect.DeepEqual(again, d) {
				t.Fatalf("deleted changed: %v", err)
			}
		}
	})
}
