package checkpoint_test

import (
	"errors"
	"reflect"
	"testing"

	"github.com/actorstore/actorstore/commitlog/checkpoint"
	"github.com/actorstore/actorstore/commitlog/mapped"
	"github.com/actorstore/actorstore/commitlog/mapped/mappedtest"
	"github.com/actorstore/actorstore/commitlog/record"
)

// FuzzFiles gives every file of the package arbitrary bytes: each reader answers
// with a value that can be written again, or with a CorruptionError. The files
// lie in memory: a disk that syncs would see two hundred inputs a second.
func FuzzFiles(f *testing.F) {
	f.Add([]byte(nil))
	f.Add(make([]byte, 4096))
	f.Add([]byte(sealed(queuesHex)))
	f.Add([]byte(sealed(deletedHex)))
	f.Add([]byte(sealed("415344414d410001 00000001 0000000000000010 0000000000000020 0001 61 0001 62")))
	f.Add([]byte(sealed("4153515545550001 ffffffff 0000000000001000 ffffffffffffffff")))
	f.Fuzz(func(t *testing.T, b []byte) {
		fsys, l := mappedtest.NewFS(), checkpoint.NewLayout("/store", "")
		fail := func(err error) bool {
			if err != nil && !errors.Is(err, record.ErrCorrupt) {
				t.Fatal(err)
			}
			return err != nil
		}
		readsLittle(t, b)
		putIn(t, fsys, l.CheckpointFile(), string(b))
		if c, _, err := checkpoint.ReadCheckpoint(fsys, l.CheckpointFile()); !fail(err) {
			if err := checkpoint.WriteCheckpoint(fsys, l.CheckpointFile(), c); err != nil || getFrom(t, fsys, l.CheckpointFile()) != string(b) {
				t.Fatalf("checkpoint changed: %v", err)
			}
		}
		putIn(t, fsys, l.MarkFile(), string(b))
		marks, err := checkpoint.ReadMarks(fsys, l)
		if fail(err) != (len(marks) == 0) {
			t.Fatalf("%d marks, %v", len(marks), err)
		}
		putIn(t, fsys, l.QueuesFile(), string(b))
		if s, err := checkpoint.ReadQueues(fsys, l); !fail(err) {
			if err := checkpoint.WriteQueues(fsys, l, s); err != nil || getFrom(t, fsys, l.QueuesFile()) != string(b) {
				t.Fatalf("queues changed: %v", err)
			}
		}
		putIn(t, fsys, l.DeletedFile(), string(b))
		if d, err := checkpoint.ReadDeleted(fsys, l); !fail(err) {
			if err := checkpoint.WriteDeleted(fsys, l, d); err != nil {
				t.Fatal(err)
			}
			if again, err := checkpoint.ReadDeleted(fsys, l); err != nil || !reflect.DeepEqual(again, d) {
				t.Fatalf("deleted changed: %v", err)
			}
		}
		putIn(t, fsys, l.DamageFile(), string(b))
		if d, err := checkpoint.ReadDamage(fsys, l); !fail(err) && len(d) > 0 {
			if err := checkpoint.WriteDamage(fsys, l, d); err != nil {
				t.Fatal(err)
			}
			if again, err := checkpoint.ReadDamage(fsys, l); err != nil || len(again) != len(d) {
				t.Fatalf("damage changed: %v", err)
			}
		}
	})
}

// putIn makes a file of any file system hold just content.
func putIn(t *testing.T, fsys mapped.FS, path, content string) {
	t.Helper()
	if err := mappedtest.WriteFile(fsys, path, []byte(content)); err != nil {
		t.Fatal(err)
	}
}

func getFrom(t *testing.T, fsys mapped.FS, path string) string {
	t.Helper()
	b, err := mappedtest.ReadFile(fsys, path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
