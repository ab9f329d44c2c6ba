package indexsvc_test

import (
	"testing"

	"github.com/actorstore/actorstore/commitlog/record"
)

const t0 = 1700000000123

// recordA is the record of the worked example.
var recordA = rec(4096, t0, "TopicTest", "AC11000100002A9F0000000000000001", "k1 k2", "TagA")

// Output of RocketMQ's own classes.
const (
	threeKeysAndOne = `
		0000018bcfe5687b 0000018bcfe57f6f 0000000000001000 000000000000270f 00000003 00000005
		00000000 00000004 00000003 00000001 00000000 00000000 00000000
		00000000 0000000000000000 00000000 00000000
		6b1fac7e 0000000000001000 00000000 00000000
		0029e6a8 0000000000001000 00000000 00000000
		0029e6a9 0000000000001000 00000000 00000000
		0029e6a8 000000000000270f 00000005 00000002`
	withTag = `
		0000018bcfe5687b 0000018bcfe5687b 0000000000001000 0000000000001000 00000003 00000005
		00000000 00000004 00000003 00000001 00000000 00000000 00000000
		00000000 0000000000000000 00000000 00000000
		6b1fac7e 0000000000001000 00000000 00000000
		0029e6a8 0000000000001000 00000000 00000000
		0029e6a9 0000000000001000 00000000 00000000
		4e293b58 0000000000001000 00000000 00000002`
)

func TestGoldenKeys(t *testing.T) {
	fsys := newFS()
	s := open(t, fsys, 7, 5)
	a := recordA
	a.Tags = nil
	put(t, s, a, rec(9999, t0+5876, "TopicTest", "", "k1", ""))
	wantBytes(t, contents(t, fsys, s)[0], unhex(t, threeKeysAndOne))
	wantFound(t, s, "TopicTest", "k1", 9999, 4096)
	if got := names(t, fsys, dir); len(got) != 1 || got[0] != "20231114221320123" {
		t.Errorf("files %v", got)
	}
	verify(t, s)
}

func TestGoldenTag(t *testing.T) {
	fsys := newFS()
	s := open(t, fsys, 7, 5)
	put(t, s, recordA)
	wantBytes(t, contents(t, fsys, s)[0], unhex(t, withTag))
	if len(names(t, fsys, dir)) != 1 {
		t.Error("a full file has a successor before the next record")
	}
	if end := s.EndPhyOffset(); end != 4096 {
		t.Errorf("end %d", end)
	}
}

// The next record that reaches the index makes the next file, with keys or
// without; it carries the end of the full one.
func TestRoll(t *testing.T) {
	for name, next := range map[string]record.DispatchRequest{
		"no keys":  rec(5000, t0+9999, "T", "", "", ""),
		"rollback": {Topic: "T", PhysicalOffset: 5000, Keys: []byte("k"), SysFlag: record.SysTransactionRollback},
	} {
		t.Run(name, func(t *testing.T) {
			fsys := newFS()
			s := open(t, fsys, 7, 5)
			put(t, s, recordA)
			put(t, s, recordA) // already there: no file
			if len(names(t, fsys, dir)) != 1 {
				t.Fatal("a record that is indexed made a file")
			}
			put(t, s, next)
			files := contents(t, fsys, s)
			if len(files) != 2 {
				t.Fatalf("%d files", len(files))
			}
			empty := unhex(t, "0000018bcfe5687b 0000018bcfe5687b 0000000000001000 0000000000001000 00000000 00000001")
			wantBytes(t, files[1], append(empty, make([]byte, 128)...))
			if end := s.EndPhyOffset(); end != 4096 {
				t.Errorf("end %d", end)
			}
			verify(t, s)
			// Its first entry counts its time from there, then sets the begin.
			put(t, s, rec(6000, t0+12345, "TopicTest", "", "k1", ""))
			first := unhex(t, `0000018bcfe598b4 0000018bcfe598b4 0000000000001770 0000000000001770 00000001 00000002
				00000000 00000001 00000000 00000000 00000000 00000000 00000000
				00000000 0000000000000000 00000000 00000000
				0029e6a8 0000000000001770 0000000c 00000000`)
			wantBytes(t, contents(t, fsys, s)[1], append(first, make([]byte, 60)...))
			wantFound(t, s, "TopicTest", "k1", 6000, 4096)
		})
	}
}

func TestFirstFileComesWithTheFirstRecord(t *testing.T) {
	fsys := newFS()
	s := open(t, fsys, 7, 5)
	if end := s.EndPhyOffset(); end != -1 {
		t.Errorf("end %d", end)
	}
	put(t, s)
	if len(names(t, fsys, "/")) != 0 {
		t.Error("nothing put, something made")
	}
	put(t, s, rec(0, t0, "T", "", "", ""))
	want := make([]byte, 168)
	put32(want, 36, 1)
	wantBytes(t, contents(t, fsys, s)[0], want)
	if end := s.EndPhyOffset(); end != -1 {
		t.Errorf("end %d", end)
	}
	put(t, s, rec(0, t0, "T", "", "k", ""))
	if end := s.EndPhyOffset(); end != 0 {
		t.Errorf("end %d", end)
	}
	// An end of 0 is known again after reopening.
	if end := open(t, fsys, 7, 5).EndPhyOffset(); end != 0 {
		t.Errorf("end %d after reopening", end)
	}
}

// Keys of one record may straddle two files.
func TestStraddle(t *testing.T) {
	fsys := newFS()
	s := open(t, fsys, 7, 4)
	put(t, s, key(100, "a"), key(200, "b c d e f"))
	files := s.Files()
	if len(files) != 2 || files[0].EndPhyOffset != 200 || files[1].BeginPhyOffset != 200 || files[1].IndexCount != 4 {
		t.Fatalf("%+v", files)
	}
	for _, k := range []string{"b", "c", "d", "e", "f"} {
		wantFound(t, s, "T", k, 200)
	}
	verify(t, s)
}

func TestTimeDiff(t *testing.T) {
	fsys := newFS()
	s := open(t, fsys, 7, 8)
	base := int64(1000)
	for i, storeTime := range []int64{base, base + 999, base + 1000, base - 5000, base + 3_000_000_000_000, base} {
		put(t, s, rec(int64(i), storeTime, "T", "", "k", ""))
	}
	b := contents(t, fsys, s)[0]
	for i, want := range []uint32{0, 0, 1, 0, 2147483647, 0} {
		if got := b[place{7, 8}.entry(i+1)+12:][:4]; uint32(got[0])<<24|uint32(got[1])<<16|uint32(got[2])<<8|uint32(got[3]) != want {
			t.Errorf("entry %d: % x, want %d", i+1, got, want)
		}
	}
	// A begin that is not above 0 gives no differences.
	fsys = newFS()
	s = open(t, fsys, 7, 8)
	put(t, s, rec(1, 0, "T", "", "k", ""), rec(2, 5000, "T", "", "k", ""))
	if got := contents(t, fsys, s)[0][place{7, 8}.entry(2)+12:][:4]; string(got) != "\x00\x00\x00\x00" {
		t.Errorf("difference % x", got)
	}
}
