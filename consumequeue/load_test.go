package consumequeue_test

import (
	"bytes"
	"errors"
	"fmt"
	"testing"

	"github.com/actorstore/actorstore/commitlog/mapped"
	"github.com/actorstore/actorstore/commitlog/mapped/mappedtest"
	cq "github.com/actorstore/actorstore/consumequeue"
)

// F06: 25 units in files of 10; the log was cut before message 21; the last
// file is cut too, in several ways. The queue is mended and goes on.
func TestF06LastFileEmptyOrShort(t *testing.T) {
	tests := []struct {
		name  string
		size  int64 // of the last file
		whole int64 // MaxOffset behind Load
		bad   bool
	}{
		{"as it was", fileSize, 25, false},
		{"7 bytes", 7, 20, true},
		{"20 and 7 bytes", 27, 21, true},
		{"nothing", 0, 20, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			fsys := filled(t, 25)
			_, q := reopen(t, fsys)
			resize(t, fsys, file(q, 2*fileSize), tt.size)
			err := q.Load()
			if tt.bad {
				damage := wantDamage(t, err)
				if damage.Path != file(q, 2*fileSize) || damage.Offset != tt.size {
					t.Fatalf("damage at %s %d", damage.Path, damage.Offset)
				}
				if again := q.Load(); again != err {
					t.Fatalf("the second Load says %v", again)
				}
				wantDamage(t, q.Append(entries(tt.whole, tt.whole+1)))
			} else {
				noErr(t, err)
			}
			wantRange(t, q, 0, tt.whole)
			wantUnits(t, q)
			noErr(t, q.CorrectMin(0))
			noErr(t, q.TruncatePhysical(physical(20)))
			wantRange(t, q, 0, 20)
			noErr(t, q.Load())
			noErr(t, q.Append(entries(20, 21)))
			wantRange(t, q, 0, 21)
			wantUnits(t, q)
			if got := readFile(t, fsys, file(q, 2*fileSize)); len(got) != fileSize || !bytes.Equal(got[20:], make([]byte, fileSize-20)) {
				t.Fatalf("the last file was not made anew: %x", got)
			}
			_, q = reopen(t, fsys)
			noErr(t, q.Load())
			wantRange(t, q, 0, 21)
		})
	}
}

// F06: a file that was made and not written to, as the last one or the only one.
func TestF06EmptyFileOfFullLength(t *testing.T) {
	fsys := filled(t, 20)
	_, q := reopen(t, fsys)
	putFile(t, fsys, file(q, 2*fileSize), make([]byte, fileSize))
	noErr(t, q.Load())
	wantRange(t, q, 0, 20)
	if q.MaxPhysical() != physical(20) {
		t.Fatalf("max physical %d", q.MaxPhysical())
	}
	noErr(t, q.CorrectMin(1<<40))
	wantRange(t, q, 20, 20)
	noErr(t, q.Append(entries(20, 21)))
	wantRange(t, q, 20, 21)

	fsys = mappedtest.NewFS()
	putFile(t, fsys, file(q, 0), make([]byte, fileSize))
	_, q = reopen(t, fsys)
	noErr(t, q.Load())
	wantRange(t, q, 0, 0)
	noErr(t, q.CorrectMin(7))
	noErr(t, q.Append(entries(0, 11)))
	wantUnits(t, q)
}

// F36: files 0, 1, 4, 5. The gap is reported, what is behind it is not readable.
func TestF36GapBetweenFiles(t *testing.T) {
	fsys := filled(t, 60)
	_, q := reopen(t, fsys)
	noErr(t, fsys.Remove(file(q, 2*fileSize)))
	noErr(t, fsys.Remove(file(q, 3*fileSize)))
	damage := wantDamage(t, q.Load())
	if damage.Path != file(q, 4*fileSize) {
		t.Fatalf("damage at %s", damage.Path)
	}
	wantRange(t, q, 0, 20)
	wantUnits(t, q)
	for _, at := range []int64{20, 35, 41, 60, 1 << 40} {
		if n, err := q.Read(at, make([]cq.Unit, 3)); n != 0 || err != nil {
			t.Fatalf("read at %d: %d, %v", at, n, err)
		}
	}
	noErr(t, q.TruncateTo(q.MaxOffset()))
	if exists(fsys, file(q, 4*fileSize)) || exists(fsys, file(q, 5*fileSize)) {
		t.Fatal("files behind the gap must go")
	}
	noErr(t, q.Append(entries(20, 60)))
	wantUnits(t, q)
	_, q = reopen(t, fsys)
	noErr(t, q.Load())
	wantRange(t, q, 0, 60)
}

// Damage of every kind is reported with its place, and leaves the part in front.
func TestLoadReportsDamage(t *testing.T) {
	blank := "00000000000000007fffffff0000000000000000"
	tests := []struct {
		name   string
		harm   func(t *testing.T, fsys mapped.FS, q *cq.Queue)
		file   int64
		offset int64
		whole  int64
	}{
		{"wrong size in the middle", func(t *testing.T, f mapped.FS, q *cq.Queue) { resize(t, f, file(q, fileSize), 110) }, 1, 110, 15},
		{"too long", func(t *testing.T, f mapped.FS, q *cq.Queue) { resize(t, f, file(q, 2*fileSize), 300) }, 2, 200, 25},
		{"zero first unit", func(t *testing.T, f mapped.FS, q *cq.Queue) { poke(t, f, file(q, 2*fileSize), 0, make([]byte, 20)) }, 2, 0, 20},
		{"hole", func(t *testing.T, f mapped.FS, q *cq.Queue) { poke(t, f, file(q, 2*fileSize), 40, make([]byte, 20)) }, 2, 40, 22},
		{"torn last unit", func(t *testing.T, f mapped.FS, q *cq.Queue) { poke(t, f, file(q, 2*fileSize), 88, make([]byte, 4)) }, 2, 80, 24},
		{"torn in front", func(t *testing.T, f mapped.FS, q *cq.Queue) { poke(t, f, file(q, 2*fileSize), 80, make([]byte, 8)) }, 2, 80, 24},
		{"negative physical offset", func(t *testing.T, f mapped.FS, q *cq.Queue) { poke(t, f, file(q, 2*fileSize), 20, []byte{0xff}) }, 2, 20, 21},
		{"pre-blank behind a unit", func(t *testing.T, f mapped.FS, q *cq.Queue) { poke(t, f, file(q, 2*fileSize), 60, unhex(t, blank)) }, 2, 60, 23},
		{"data behind the end", func(t *testing.T, f mapped.FS, q *cq.Queue) { poke(t, f, file(q, 2*fileSize), 199, []byte{1}) }, 2, 100, 25},
		{"last but one not full", func(t *testing.T, f mapped.FS, q *cq.Queue) { poke(t, f, file(q, fileSize), 180, make([]byte, 20)) }, 1, 180, 19},
		{"two empty files", func(t *testing.T, f mapped.FS, q *cq.Queue) {
			poke(t, f, file(q, fileSize), 0, make([]byte, fileSize))
			poke(t, f, file(q, 2*fileSize), 0, make([]byte, fileSize))
		}, 1, 0, 10},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			fsys := filled(t, 25)
			_, q := reopen(t, fsys)
			tt.harm(t, fsys, q)
			damage := wantDamage(t, q.Load())
			if damage.Path != file(q, tt.file*fileSize) || damage.Offset != tt.offset {
				t.Fatalf("damage %v, want file %d offset %d", damage, tt.file, tt.offset)
			}
			wantRange(t, q, 0, tt.whole)
			wantUnits(t, q)
			if err := q.TruncateTo(tt.whole + 1); err == nil {
				t.Fatal("a cut behind the valid part mends nothing")
			}
			noErr(t, q.TruncateTo(tt.whole))
			noErr(t, q.Append(entries(tt.whole, 33)))
			_, q = reopen(t, fsys)
			noErr(t, q.Load())
			wantRange(t, q, 0, 33)
			wantUnits(t, q)
		})
	}
}

// A name that fits no position cannot be cut around: only a Reset helps.
func TestUnalignedNameIsDamage(t *testing.T) {
	fsys := filled(t, 25)
	_, q := reopen(t, fsys)
	odd := file(q, 3*fileSize+1)
	putFile(t, fsys, odd, make([]byte, fileSize))
	if damage := wantDamage(t, q.Load()); damage.Path != odd {
		t.Fatalf("damage at %s", damage.Path)
	}
	wantRange(t, q, 0, 25)
	wantDamage(t, q.TruncateTo(25))
	noErr(t, q.Reset(root+"/aside"))
	if !exists(fsys, root+"/aside/consumequeue/topic/0/"+mapped.Name(3*fileSize+1)) {
		t.Fatal("the odd file was not kept aside")
	}
	noErr(t, q.Append(entries(0, 5)))
	wantUnits(t, q)
}

// Files much larger than what Load reads at once.
func TestLoadLargeFiles(t *testing.T) {
	const units = 5000
	for _, n := range []int64{1, 203, 204, 205, 206, 1000, 2500, 4795, 4796, 4999, 5000, 5001, 7321} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			script := mappedtest.NewScript(mappedtest.NewFS())
			o := options(script)
			o.FileSize = units * cq.UnitSize
			s := open(t, o)
			noErr(t, ensure(t, s, "topic", 0, cq.Simple).Append(entries(0, n)))
			noErr(t, s.Close())
			s = open(t, o)
			q := s.Queue("topic", 0)
			before := script.Calls()
			noErr(t, q.Load())
			if calls := script.Calls() - before; calls > 60 {
				t.Fatalf("Load took %d calls", calls)
			}
			wantRange(t, q, 0, n)
			wantUnits(t, q)
			// Something far behind the end.
			if n < units-300 {
				_, q = open(t, o), nil
				s = open(t, o)
				q = s.Queue("topic", 0)
				poke(t, script, file(q, 0), units*cq.UnitSize-1, []byte{1})
				wantDamage(t, q.Load())
				wantRange(t, q, 0, n)
			}
		})
	}
}

// An error of the disk is no damage: nothing is known, and Load works later.
func TestLoadErrorIsNoDamage(t *testing.T) {
	eio := errors.New("input/output error")
	probe := mappedtest.NewScript(filled(t, 25))
	_, q := reopen(t, probe)
	before := probe.Calls()
	noErr(t, q.Load())
	calls := probe.Calls() - before
	for k := 1; k <= calls; k++ {
		script := mappedtest.NewScript(filled(t, 25))
		_, q := reopen(t, script)
		script.FailAt(k, eio)
		err := q.Load()
		if errors.Is(err, eio) == q.Loaded() {
			t.Fatalf("call %d: %v, loaded %v", k, err, q.Loaded())
		}
		noErr(t, q.Load())
		wantRange(t, q, 0, 25)
	}
}

// Reading loads on demand; a queue nobody asked for is not opened.
func TestReadLoadsOnDemand(t *testing.T) {
	script := mappedtest.NewScript(filled(t, 25))
	before := script.Count(mappedtest.OpOpen)
	_, q := reopen(t, script)
	if script.Count(mappedtest.OpOpen) != before || q.Loaded() {
		t.Fatal("Open must open no file")
	}
	var u [1]cq.Unit
	n, err := q.Read(24, u[:])
	if n != 1 || err != nil || u[0] != unit(24) {
		t.Fatalf("%d, %v, %+v", n, err, u[0])
	}
	script.Add(mappedtest.Rule{Op: mappedtest.OpReadDir, Err: errors.New("gone"), Forever: true})
	_, q = reopen2(t, script)
	if _, err := q.Read(0, u[:]); err == nil {
		t.Fatal("a queue that cannot be listed must not look empty")
	}
}

// reopen2 opens while ReadDir works, and hands the queue over when it does not.
func reopen2(t *testing.T, script *mappedtest.Script) (*cq.Store, *cq.Queue) {
	t.Helper()
	script.Clear()
	s, q := reopen(t, script)
	script.Add(mappedtest.Rule{Op: mappedtest.OpReadDir, Err: errors.New("gone"), Forever: true})
	return s, q
}

func TestVerifyFindsWhatLoadSamples(t *testing.T) {
	fsys := mappedtest.NewFS()
	o := options(fsys)
	o.FileSize = 5000 * cq.UnitSize
	s := open(t, o)
	q := ensure(t, s, "topic", 0, cq.Simple)
	noErr(t, q.Append(entries(0, 4000)))
	good, err := q.Verify(0)
	noErr(t, err)
	if good != 4000 {
		t.Fatalf("good up to %d", good)
	}
	for _, tt := range []struct {
		name string
		b    []byte
	}{{"hole", make([]byte, 20)}, {"wrong record", unhex(t, "0000000000000001 00000001 0000000000000001")}} {
		t.Run(tt.name, func(t *testing.T) {
			poke(t, fsys, file(q, 0), 1500*20, tt.b)
			good, err := q.Verify(3)
			wantDamage(t, err)
			if good != 1500 {
				t.Fatalf("good up to %d", good)
			}
			noErr(t, q.Rewrite(1500, entry(1500)))
			if _, err = q.Verify(0); err != nil {
				t.Fatal(err)
			}
		})
	}
	poke(t, fsys, file(q, 0), 1500*20, make([]byte, 20))
	good, _ = q.Verify(0)
	noErr(t, q.TruncateTo(good))
	noErr(t, q.Append(entries(good, 4000)))
	wantUnits(t, q)
}
