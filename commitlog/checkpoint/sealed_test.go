package checkpoint_test

import (
	"encoding/binary"
	"encoding/hex"
	"errors"
	"hash/crc32"
	"math"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/actorstore/actorstore/commitlog/checkpoint"
	"github.com/actorstore/actorstore/commitlog/mapped"
	"github.com/actorstore/actorstore/commitlog/record"
)

// sealed closes hand-made bytes with the right checksum.
func sealed(hexBody string) string {
	b, err := hex.DecodeString(strings.ReplaceAll(hexBody, " ", ""))
	if err != nil {
		panic(err)
	}
	return string(binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(b)))
}

const queuesHex = "4153515545550001 00000002 0000000000001000 ffffffffffffffff" +
	"0001 54 00000003 00 0000000000000005 0000000000000009" +
	"0002 c3bc 00000000 01 0000000000000000 0000000000000000"

var queuesExample = &checkpoint.QueueSummary{Dispatched: 4096, IndexApplied: -1, Queues: []checkpoint.QueueEnd{
	{Topic: "T", QueueID: 3, MinOffset: 5, MaxOffset: 9}, {Topic: "ü", Kind: 1},
}}

const deletedHex = "415344454c540001 00000002 0001 41 0000000000001000 0001 42 0000000000000000"

var deletedExample = checkpoint.DeletedTopics{"A": 4096, "B": 0}

func TestQueuesGolden(t *testing.T) {
	fsys, l := newStore(t)
	if s, err := checkpoint.ReadQueues(fsys, l); s != nil || err != nil {
		t.Fatalf("missing: %v %v", s, err)
	}
	if err := checkpoint.WriteQueues(fsys, l, queuesExample); err != nil {
		t.Fatal(err)
	}
	if got := get(t, l.QueuesFile()); got != sealed(queuesHex) {
		t.Errorf("got %x", got)
	}
	if s, err := checkpoint.ReadQueues(fsys, l); err != nil || !reflect.DeepEqual(s, queuesExample) {
		t.Errorf("got %+v %v", s, err)
	}
}

func TestDeletedGolden(t *testing.T) {
	fsys, l := newStore(t)
	if d, err := checkpoint.ReadDeleted(fsys, l); d == nil || len(d) != 0 || err != nil {
		t.Fatalf("missing: %v %v", d, err)
	}
	if err := checkpoint.WriteDeleted(fsys, l, deletedExample); err != nil {
		t.Fatal(err)
	}
	if got := get(t, l.DeletedFile()); got != sealed(deletedHex) {
		t.Errorf("got %x", got)
	}
	if d, err := checkpoint.ReadDeleted(fsys, l); err != nil || !reflect.DeepEqual(d, deletedExample) {
		t.Errorf("got %+v %v", d, err)
	}
}

func TestQueuesRoundTrip(t *testing.T) {
	fsys, l := newStore(t)
	rapid.Check(t, func(r *rapid.T) {
		s := &checkpoint.QueueSummary{
			Dispatched: rapid.Int64().Draw(r, "dispatched"), IndexApplied: rapid.Int64().Draw(r, "index"),
			Queues: rapid.SliceOfN(rapid.Custom(func(r *rapid.T) checkpoint.QueueEnd {
				lo := rapid.Int64Range(0, math.MaxInt64).Draw(r, "min")
				return checkpoint.QueueEnd{
					Topic:   rapid.StringN(1, 40, 200).Draw(r, "topic"),
					QueueID: rapid.Int32Range(0, math.MaxInt32).Draw(r, "id"), Kind: rapid.Uint8().Draw(r, "kind"),
					MinOffset: lo, MaxOffset: rapid.Int64Range(lo, math.MaxInt64).Draw(r, "max"),
				}
			}), 0, 20).Draw(r, "queues"),
		}
		if err := checkpoint.WriteQueues(fsys, l, s); err != nil {
			r.Fatal(err)
		}
		got, err := checkpoint.ReadQueues(fsys, l)
		if err != nil || got.Dispatched != s.Dispatched || got.IndexApplied != s.IndexApplied || len(got.Queues) != len(s.Queues) {
			r.Fatalf("got %+v %v", got, err)
		}
		for i := range s.Queues {
			if got.Queues[i] != s.Queues[i] {
				r.Fatalf("queue %d: got %+v, want %+v", i, got.Queues[i], s.Queues[i])
			}
		}
	})
}

// Every flipped bit and every cut is found.
func TestSealedDamage(t *testing.T) {
	fsys, l := newStore(t)
	var corrupt *record.CorruptionError
	check := func(what string, i int, image []byte) {
		t.Helper()
		put(t, l.QueuesFile(), string(image))
		put(t, l.DeletedFile(), string(image))
		if s, err := checkpoint.ReadQueues(fsys, l); !errors.As(err, &corrupt) || s != nil || corrupt.Path != l.QueuesFile() {
			t.Fatalf("queues, %s %d: %v %v", what, i, s, err)
		}
		if d, err := checkpoint.ReadDeleted(fsys, l); !errors.As(err, &corrupt) || d != nil || corrupt.Path != l.DeletedFile() {
			t.Fatalf("deleted, %s %d: %v %v", what, i, d, err)
		}
	}
	for _, whole := range []string{sealed(queuesHex), sealed(deletedHex)} {
		for i := range whole {
			image := []byte(whole)
			image[i] ^= 1
			check("flip", i, image)
			check("cut", i, []byte(whole[:i]))
		}
	}
}

// The checksum is right, the content is not.
func TestSealedNonsense(t *testing.T) {
	fsys, l := newStore(t)
	var corrupt *record.CorruptionError
	const head = "4153515545550001"
	const ends = "0000000000001000 ffffffffffffffff"
	const entry = "0001 54 00000003 00 0000000000000005 0000000000000009"
	for name, body := range map[string]string{
		"count too high":     head + "00000002" + ends + entry,
		"count far too high": head + "ffffffff" + ends + entry,
		"count too low":      head + "00000000" + ends + entry,
		"no ends":            head + "00000000",
		"empty topic":        head + "00000001" + ends + "0000 00000003 00 0000000000000005 0000000000000009",
		"topic beyond end":   head + "00000001" + ends + "ffff 54 00000003 00 0000000000000005 0000000000000009",
		"negative id":        head + "00000001" + ends + "0001 54 80000003 00 0000000000000005 0000000000000009",
		"max below min":      head + "00000001" + ends + "0001 54 00000003 00 0000000000000005 0000000000000004",
		"negative min":       head + "00000001" + ends + "0001 54 00000003 00 8000000000000005 0000000000000004",
	} {
		put(t, l.QueuesFile(), sealed(body))
		if s, err := checkpoint.ReadQueues(fsys, l); s != nil || !errors.As(err, &corrupt) {
			t.Errorf("%s: %v %v", name, s, err)
		}
	}
	const dhead = "415344454c540001"
	for name, body := range map[string]string{
		"count too high":  dhead + "00000002" + "0001 41 0000000000001000",
		"count too low":   dhead + "00000000" + "0001 41 0000000000001000",
		"topic twice":     dhead + "00000002" + "0001 41 0000000000001000 0001 41 0000000000001000",
		"empty topic":     dhead + "00000001" + "0000 0000000000001000",
		"negative offset": dhead + "00000001" + "0001 41 8000000000001000",
	} {
		put(t, l.DeletedFile(), sealed(body))
		if d, err := checkpoint.ReadDeleted(fsys, l); d != nil || !errors.As(err, &corrupt) {
			t.Errorf("deleted, %s: %v %v", name, d, err)
		}
	}
}

func TestSealedRefusesNonsense(t *testing.T) {
	fsys, l := newStore(t)
	long := strings.Repeat("x", 65536)
	for i, q := range []checkpoint.QueueEnd{
		{}, {Topic: long}, {Topic: "T", QueueID: -1}, {Topic: "T", MinOffset: 1}, {Topic: "T", MinOffset: -1},
	} {
		if err := checkpoint.WriteQueues(fsys, l, &checkpoint.QueueSummary{Queues: []checkpoint.QueueEnd{q}}); err == nil {
			t.Errorf("queue %d accepted", i)
		}
	}
	for i, d := range []checkpoint.DeletedTopics{{"": 1}, {long: 1}, {"T": -1}} {
		if err := checkpoint.WriteDeleted(fsys, l, d); err == nil {
			t.Errorf("deleted %d accepted", i)
		}
	}
	if tree(t, l.Root) != "." {
		t.Error("bad input changed something")
	}
}

func TestDeletedTopics(t *testing.T) {
	d := checkpoint.DeletedTopics{"old": 100, "new": 200}
	for _, c := range []struct {
		topic string
		at    int64
		want  bool
	}{{"old", 99, true}, {"old", 100, false}, {"new", 100, true}, {"other", 0, false}} {
		if got := d.Covers(c.topic, c.at); got != c.want {
			t.Errorf("%s at %d: %v", c.topic, c.at, got)
		}
	}
	if d.Trim(99) || len(d) != 2 {
		t.Error("trimmed too early")
	}
	if !d.Trim(100) || len(d) != 1 || !d.Covers("new", 0) {
		t.Errorf("after Trim: %v", d)
	}
}

// After any failed call the file is the old one or the new one.
func TestSealedFaults(t *testing.T) {
	prepare := func(t *testing.T) (mapped.FS, checkpoint.Layout) {
		fsys, l := newStore(t)
		put(t, l.QueuesFile(), sealed(queuesHex))
		put(t, l.DeletedFile(), sealed(deletedHex))
		return fsys, l
	}
	check := func(t *testing.T, fsys mapped.FS, l checkpoint.Layout) {
		if s, err := checkpoint.ReadQueues(fsys, l); err != nil || (s.Dispatched != 4096 && s.Dispatched != 8192) {
			t.Errorf("queues: %+v %v", s, err)
		}
		if d, err := checkpoint.ReadDeleted(fsys, l); err != nil || len(d) == 0 {
			t.Errorf("deleted: %+v %v", d, err)
		}
	}
	sweep(t, prepare, func(f mapped.FS, l checkpoint.Layout) error {
		return checkpoint.WriteQueues(f, l, &checkpoint.QueueSummary{Dispatched: 8192})
	}, check)
	sweep(t, prepare, func(f mapped.FS, l checkpoint.Layout) error {
		return checkpoint.WriteDeleted(f, l, checkpoint.DeletedTopics{"A": 1, "B": 1, "C": 1})
	}, check)
	sweep(t, prepare, func(f mapped.FS, l checkpoint.Layout) error {
		_, err := checkpoint.ReadQueues(f, l)
		return err
	}, check)
	sweep(t, prepare, func(f mapped.FS, l checkpoint.Layout) error {
		_, err := checkpoint.ReadDeleted(f, l)
		return err
	}, check)
}
