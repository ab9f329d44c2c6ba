package consumequeue_test

import (
	"bytes"
	"errors"
	"math"
	"testing"

	"github.com/actorstore/actorstore/commitlog/mapped"
	"github.com/actorstore/actorstore/commitlog/mapped/mappedtest"
	cq "github.com/actorstore/actorstore/consumequeue"
)

var bits = []byte{1, 2, 3, 4, 5, 6, 7, 8}

func extEntry(q int64) cq.Entry {
	e := entry(q)
	e.TagsCode, e.StoreTimestamp, e.BitMap = 2598919+q, 1700000000123+q, bits
	return e
}

func extEntries(from, to int64) []cq.Entry {
	var list []cq.Entry
	for q := from; q < to; q++ {
		list = append(list, extEntry(q))
	}
	return list
}

func extOptions(fsys mapped.FS) cq.Options {
	o := options(fsys)
	o.EnableExt = true
	return o
}

func extFile(start int64) string { return root + "/consumequeue_ext/topic/0/" + mapped.Name(start) }

// The bytes and addresses of RocketMQ's ConsumeQueueExt: files of 64 bytes hold
// two units of 28; the third goes to the second file.
func TestGoldenExt(t *testing.T) {
	fsys := mappedtest.NewFS()
	s := open(t, extOptions(fsys))
	q := ensure(t, s, "topic", 0, cq.Simple)
	for i := range int64(3) {
		e := extEntry(0)
		e.QueueOffset, e.PhysicalOffset = i, physical(i)
		noErr(t, q.Append([]cq.Entry{e}))
	}
	unit := unhex(t, "001c 000000000027a807 0000018bcfe5687b 0008 0102030405060708")
	want := append(append(bytes.Clone(unit), unit...), 0xff, 0xff, 0, 0, 0, 0, 0, 0)
	if got := readFile(t, fsys, extFile(0)); !bytes.Equal(got, want) {
		t.Fatalf("first file\n got %x\nwant %x", got, want)
	}
	if got := readFile(t, fsys, extFile(64)); !bytes.Equal(got, append(bytes.Clone(unit), make([]byte, 36)...)) {
		t.Fatalf("second file %x", got)
	}
	var units [3]cq.Unit
	n, err := q.Read(0, units[:])
	noErr(t, err)
	if n != 3 {
		t.Fatalf("%d units", n)
	}
	for i, address := range []int64{-9223372036854775808, -9223372036854775780, -9223372036854775744} {
		u := units[i]
		if u.Ext != address || u.TagsCode != 2598919 || u.StoreTimestamp != 1700000000123 {
			t.Fatalf("unit %d: %+v", i, u)
		}
		var ext cq.ExtUnit
		noErr(t, q.ReadExt(address, &ext))
		if ext.TagsCode != 2598919 || ext.StoreTimestamp != 1700000000123 || !bytes.Equal(ext.BitMap, bits) {
			t.Fatalf("ext unit %d: %+v", i, ext)
		}
	}
}

func wantExt(t tb, q *cq.Queue) {
	t.Helper()
	for at := q.MinOffset(); at < q.MaxOffset(); at++ {
		var u [1]cq.Unit
		n, err := q.Read(at, u[:])
		noErr(t, err)
		if e := extEntry(at); n != 1 || u[0].TagsCode != e.TagsCode || u[0].StoreTimestamp != e.StoreTimestamp || u[0].Ext == 0 {
			t.Fatalf("unit %d: %+v", at, u[0])
		}
	}
}

// Batches, restarts, cuts and expiry give the same ext data as units one by one.
func TestExtGoesOn(t *testing.T) {
	fsys := mappedtest.NewFS()
	s := open(t, extOptions(fsys))
	q := ensure(t, s, "topic", 0, cq.Simple)
	noErr(t, q.Append(extEntries(0, 9)))
	noErr(t, q.Append(extEntries(5, 25)))
	wantExt(t, q)
	_, err := s.Sync()
	noErr(t, err)
	noErr(t, s.Close())
	s = open(t, extOptions(fsys.Crash(1, mappedtest.Nothing)))
	q = s.Queue("topic", 0)
	noErr(t, q.Append(extEntries(20, 31)))
	wantExt(t, q)

	s = open(t, extOptions(fsys))
	q = s.Queue("topic", 0)
	noErr(t, q.TruncateTo(13))
	if exists(fsys, extFile(7*64)) || !exists(fsys, extFile(6*64)) {
		t.Fatal("ext data behind the cut must go")
	}
	if got := readFile(t, fsys, extFile(6*64)); !bytes.Equal(got[28:], make([]byte, 36)) {
		t.Fatalf("want zeros behind the cut, got %x", got)
	}
	noErr(t, q.Append(extEntries(13, 33)))
	wantExt(t, q)
	n, err := q.DeleteExpired(physical(21))
	if n != 2 || err != nil {
		t.Fatalf("%d, %v", n, err)
	}
	if exists(fsys, extFile(9*64)) || !exists(fsys, extFile(10*64)) {
		t.Fatal("ext files in front of the minimum must go, others not")
	}
	wantExt(t, q)
	noErr(t, q.Destroy())
	if exists(fsys, root+"/consumequeue_ext/topic") || exists(fsys, root+"/consumequeue/topic") {
		t.Fatal("directories are left")
	}
	noErr(t, open(t, extOptions(fsys)).DeleteTopic("topic"))
}

func TestExtTruncateToNothing(t *testing.T) {
	fsys := mappedtest.NewFS()
	q := ensure(t, open(t, extOptions(fsys)), "topic", 0, cq.Simple)
	noErr(t, q.Append(extEntries(0, 9)))
	noErr(t, q.TruncateTo(0))
	noErr(t, q.Append(extEntries(0, 9)))
	wantExt(t, q)
	if got := readFile(t, fsys, extFile(0)); got[1] != 28 {
		t.Fatalf("ext data does not start anew: %x", got)
	}
}

// An ext unit that is lost leaves the address, and everything else works.
func TestExtLost(t *testing.T) {
	fsys := mappedtest.NewFS()
	s := open(t, extOptions(fsys))
	q := ensure(t, s, "topic", 0, cq.Simple)
	noErr(t, q.Append(extEntries(0, 7)))
	poke(t, fsys, extFile(0), 0, make([]byte, 28))
	poke(t, fsys, extFile(0), 28, []byte{0, 21}) // size and bit map differ
	for _, drop := range []bool{false, true} {
		if drop {
			for i := range int64(4) {
				noErr(t, fsys.Remove(extFile(i*64)))
			}
			q = open(t, extOptions(fsys)).Queue("topic", 0)
		}
		var u [2]cq.Unit
		n, err := q.Read(0, u[:])
		noErr(t, err)
		for i := range u {
			if n != 2 || !cq.IsExtAddress(u[i].TagsCode) || u[i].Ext != u[i].TagsCode || u[i].PhysicalOffset != physical(int64(i)) {
				t.Fatalf("%d, %+v", n, u[i])
			}
			var ext cq.ExtUnit
			wantDamage(t, q.ReadExt(u[i].Ext, &ext))
		}
	}
	noErr(t, q.TruncateTo(1))
	noErr(t, q.Append(extEntries(1, 3)))
	var ext cq.ExtUnit
	if err := q.ReadExt(12, &ext); err == nil {
		t.Fatal("12 is no address")
	}
	if err := q.ReadExt(math.MinInt64+1<<40, &ext); err == nil {
		t.Fatal("no such file")
	}
}

// Ext units are a help: where they cannot be written the plain tags code stands.
func TestExtCannotBeWritten(t *testing.T) {
	script := mappedtest.NewScript(mappedtest.NewFS())
	o := extOptions(script)
	q := ensure(t, open(t, o), "topic", 0, cq.Simple)
	noErr(t, q.Append(extEntries(0, 1)))
	script.Add(mappedtest.Rule{Op: mappedtest.OpRename, Forever: true, Err: errors.New("no space")})
	noErr(t, q.Append(extEntries(1, 5)))
	script.Clear()
	big := extEntry(5)
	big.BitMap = make([]byte, 100) // more than a file holds
	noErr(t, q.Append([]cq.Entry{big}))
	var u [6]cq.Unit
	n, err := q.Read(0, u[:])
	noErr(t, err)
	for i := range u[:n] {
		if u[i].TagsCode != extEntry(int64(i)).TagsCode || (u[i].Ext != 0) != (i == 0) {
			t.Fatalf("unit %d: %+v", i, u[i])
		}
	}
	noErr(t, q.Append(extEntries(6, 9)))
	n, err = q.Read(6, u[:])
	if n != 3 || err != nil || u[2].Ext == 0 || u[2].TagsCode != extEntry(8).TagsCode {
		t.Fatalf("%d, %v, %+v", n, err, u[2])
	}
}

func TestExtStraysAndGaps(t *testing.T) {
	fsys := mappedtest.NewFS()
	noErr(t, ensure(t, open(t, extOptions(fsys)), "topic", 0, cq.Simple).Append(extEntries(0, 9)))
	noErr(t, fsys.Remove(extFile(64)))
	putFile(t, fsys, root+"/consumequeue_ext/topic/0/stray", nil)
	warned := 0
	o := extOptions(fsys)
	o.Warn = func(string, string) { warned++ }
	q := open(t, o).Queue("topic", 0)
	var u [9]cq.Unit
	_, err := q.Read(0, u[:])
	noErr(t, err)
	if warned != 2 {
		t.Fatalf("%d warnings", warned)
	}
	for i := 4; i < 9; i++ {
		if u[i].TagsCode != extEntry(int64(i)).TagsCode {
			t.Fatalf("unit %d: %+v", i, u[i])
		}
	}
}
