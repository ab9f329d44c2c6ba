package consumequeue_test

import (
	"bytes"
	"math"
	"testing"

	"github.com/actorstore/actorstore/commitlog/mapped/mappedtest"
	cq "github.com/actorstore/actorstore/consumequeue"
)

// The bytes are those of RocketMQ's classes for the same input.
func TestGoldenUnits(t *testing.T) {
	tests := []struct {
		name string
		kind cq.Kind
		e    cq.Entry
		want string
	}{
		{"simple", cq.Simple,
			cq.Entry{PhysicalOffset: 4096, Size: 168, TagsCode: 2598919},
			"0000000000001000 000000a8 000000000027a807"},
		{"delayed: the due time", cq.Simple,
			cq.Entry{PhysicalOffset: 4096, Size: 168, TagsCode: 1700000010123},
			"0000000000001000 000000a8 0000018bcfe58f8b"},
		{"negative tag hash", cq.Simple,
			cq.Entry{PhysicalOffset: 4096, Size: 168, TagsCode: math.MinInt32},
			"0000000000001000 000000a8 ffffffff80000000"},
		{"batch", cq.Batch,
			cq.Entry{QueueOffset: 7, PhysicalOffset: 4096, Size: 168, TagsCode: 2598919, StoreTimestamp: 1700000000123},
			"0000000000001000 000000a8 000000000027a807 0000018bcfe5687b 0000000000000007 0001 ffffffff 00000000"},
		{"batch of three", cq.Batch,
			cq.Entry{QueueOffset: 7, PhysicalOffset: 4096, Size: 168, TagsCode: 2598919, StoreTimestamp: 1700000000123, Num: 3},
			"0000000000001000 000000a8 000000000027a807 0000018bcfe5687b 0000000000000007 0003 ffffffff 00000000"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			fsys := mappedtest.NewFS()
			s := open(t, options(fsys))
			q := ensure(t, s, "TopicTest", 3, tt.kind)
			noErr(t, q.Append([]cq.Entry{tt.e}))
			want := unhex(t, tt.want)
			got := readFile(t, fsys, file(q, 0))
			if !bytes.Equal(got[:len(want)], want) {
				t.Fatalf("unit\n got %x\nwant %x", got[:len(want)], want)
			}
			if !bytes.Equal(got[len(want):], make([]byte, perFile*len(want)-len(want))) {
				t.Fatalf("want a file of %d units with zeros behind the first, got %x", perFile, got)
			}
			var u [2]cq.Unit
			n, err := q.Read(tt.e.QueueOffset, u[:])
			noErr(t, err)
			if n != 1 || u[0].PhysicalOffset != 4096 || u[0].Size != 168 || u[0].TagsCode != tt.e.TagsCode ||
				u[0].Base != tt.e.QueueOffset || u[0].Num != max(tt.e.Num, 1) {
				t.Fatalf("read back %d: %+v", n, u[0])
			}
		})
	}
}

func TestGoldenPreBlank(t *testing.T) {
	fsys := mappedtest.NewFS()
	s := open(t, options(fsys))
	q := ensure(t, s, "topic", 0, cq.Simple)
	noErr(t, q.Append(entries(33, 35)))
	if exists(fsys, file(q, 0)) || exists(fsys, file(q, 2*fileSize)) {
		t.Fatal("files in front of the first unit's must not exist")
	}
	got := readFile(t, fsys, file(q, 3*fileSize))
	blank := unhex(t, "0000000000000000 7fffffff 0000000000000000")
	if len(got) != fileSize || !bytes.Equal(got[:60], bytes.Repeat(blank, 3)) {
		t.Fatalf("want three pre-blanks, got %x", got)
	}
	first := unhex(t, "0000000000000000 00000064 00000000000000e7")
	first[6], first[7] = byte(physical(33)>>8), byte(physical(33)&0xff)
	if !bytes.Equal(got[60:80], first) {
		t.Fatalf("unit 33 is %x, want %x", got[60:80], first)
	}
	wantRange(t, q, 33, 35)
	if q.MaxPhysical() != physical(35) {
		t.Fatalf("max physical %d", q.MaxPhysical())
	}
	noErr(t, s.Close())
	s, q = reopen(t, fsys)
	noErr(t, q.Load())
	wantRange(t, q, 33, 35)
	wantUnits(t, q)
	if _, err := q.Read(30, make([]cq.Unit, 9)); err != cq.ErrOffsetTooSmall {
		t.Fatalf("a pre-blank is no unit: %v", err)
	}
	_ = s
}

// A queue that holds nothing but pre-blanks has no message and no physical end.
func TestPreBlanksAreNoData(t *testing.T) {
	fsys := mappedtest.NewFS()
	blank := unhex(t, "0000000000000000 7fffffff 0000000000000000")
	b := append(bytes.Repeat(blank, 4), make([]byte, fileSize-80)...)
	putFile(t, fsys, root+"/consumequeue/topic/0/00000000000000000200", b)
	_, q := reopen(t, fsys)
	noErr(t, q.Load())
	wantRange(t, q, 14, 14)
	if q.MaxPhysical() != -1 {
		t.Fatalf("max physical %d, want -1", q.MaxPhysical())
	}
	noErr(t, q.CorrectMin(0))
	noErr(t, q.CorrectMin(1<<40))
	wantRange(t, q, 14, 14)
	noErr(t, q.Append(entries(14, 30)))
	wantRange(t, q, 14, 30)
	wantUnits(t, q)
}

func TestKindNames(t *testing.T) {
	if cq.Simple.String() != "SimpleCQ" || cq.Batch.String() != "BatchCQ" {
		t.Fatal("kinds have RocketMQ's names")
	}
}

func TestIsExtAddress(t *testing.T) {
	for code, want := range map[int64]bool{
		math.MinInt64: true, -2147483649: true, -2147483648: false, 0: false, -1: false, math.MaxInt64: false,
	} {
		if cq.IsExtAddress(code) != want {
			t.Errorf("%d: want %v", code, want)
		}
	}
}
