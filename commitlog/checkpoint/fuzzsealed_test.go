package checkpoint_test

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
	"testing"

	"github.com/actorstore/actorstore/commitlog/checkpoint"
	"github.com/actorstore/actorstore/commitlog/mapped"
	"github.com/actorstore/actorstore/commitlog/mapped/mappedtest"
	"github.com/actorstore/actorstore/commitlog/record"
	"github.com/actorstore/actorstore/tests/alloc"
)

// readers are all that read a file, and what each may allocate at once beyond
// twice the file: a page, errors with their texts, and where entries grow in
// memory the room that they start with.
var readers = []struct {
	path  func(checkpoint.Layout) string
	fixed int
	read  func(mapped.FS, checkpoint.Layout) error
}{
	{checkpoint.Layout.CheckpointFile, 1 << 10, func(fsys mapped.FS, l checkpoint.Layout) error {
		_, _, err := checkpoint.ReadCheckpoint(fsys, l.CheckpointFile())
		return err
	}},
	{checkpoint.Layout.MarkFile, 2 << 10, func(fsys mapped.FS, l checkpoint.Layout) error {
		_, err := checkpoint.ReadMarks(fsys, l)
		return err
	}},
	{checkpoint.Layout.QueuesFile, 1 << 10, func(fsys mapped.FS, l checkpoint.Layout) error {
		_, err := checkpoint.ReadQueues(fsys, l)
		return err
	}},
	{checkpoint.Layout.DeletedFile, 28 << 10, func(fsys mapped.FS, l checkpoint.Layout) error { // a map's table of 1024 topics
		_, err := checkpoint.ReadDeleted(fsys, l)
		return err
	}},
	{checkpoint.Layout.DamageFile, 48 << 10, func(fsys mapped.FS, l checkpoint.Layout) error { // a thousand places
		_, err := checkpoint.ReadDamage(fsys, l)
		return err
	}},
}

// readsLittle gives b to every reader: none allocates more than the bytes are
// worth, and errors are of the kind that is promised.
func readsLittle(t *testing.T, b []byte) {
	t.Helper()
	fsys, l := mappedtest.NewFS(), checkpoint.NewLayout("/store", "")
	for _, r := range readers {
		path := r.path(l)
		putIn(t, fsys, path, string(b))
		if err := alloc.Check(len(b), r.fixed, func() { _ = r.read(fsys, l) }); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		if err := r.read(fsys, l); err != nil && !errors.Is(err, record.ErrCorrupt) {
			t.Fatalf("%s: %v", path, err)
		}
	}
}

// FuzzSealed gives the readers files whose checksum is right, so that what stands
// behind it is looked at: counts and lengths that lie.
func FuzzSealed(f *testing.F) {
	for _, body := range []string{
		queuesHex, deletedHex,
		"415344414d410001 00000001 0000000000000010 0000000000000020 0001 61 0001 62",
		"4153515545550001 ffffffff 0000000000001000 ffffffffffffffff",
		"415344454c540001 ffffffff 0001 41 0000000000001000",
		"415344414d410001 ffffffff 0000000000000010 0000000000000020 ffff 61",
		"4153515545550001 00000001 0000000000001000 ffffffffffffffff ffff 54 00000003 00",
	} {
		b := sealed(body)
		f.Add([]byte(b[:len(b)-4]))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		if len(body) > 1<<13 {
			return // an error quotes the names of a file: that takes more than the file
		}
		readsLittle(t, binary.BigEndian.AppendUint32(body[:len(body):len(body)], crc32.ChecksumIEEE(body)))
	})
}
