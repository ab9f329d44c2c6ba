package consumequeue_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/actorstore/actorstore/commitlog/mapped"
	"github.com/actorstore/actorstore/commitlog/mapped/mappedtest"
	cq "github.com/actorstore/actorstore/consumequeue"
)

func TestTruncateTo(t *testing.T) {
	for _, start := range []int64{0, 13, 20} {
		for cut := int64(0); cut <= 47; cut++ {
			t.Run(fmt.Sprintf("from %d to %d", start, cut), func(t *testing.T) {
				fsys := mappedtest.NewFS()
				s := open(t, options(fsys))
				q := ensure(t, s, "topic", 0, cq.Simple)
				noErr(t, q.Append(entries(start, 45)))
				noErr(t, q.TruncateTo(cut))
				hi := min(cut, 45)
				wantRange(t, q, min(start, hi), hi)
				wantUnits(t, q)
				wantPhysical := int64(-1)
				if hi > start {
					wantPhysical = physical(hi)
				}
				if q.MaxPhysical() != wantPhysical {
					t.Fatalf("max physical %d, want %d", q.MaxPhysical(), wantPhysical)
				}
				if hi < 45 { // durable on return
					_, q = reopen(t, fsys.Crash(1, mappedtest.Nothing))
					noErr(t, q.Load())
					wantRange(t, q, min(start, hi), hi)
				}
				_, q = reopen(t, fsys)
				noErr(t, q.Load())
				wantRange(t, q, min(start, hi), hi)
				noErr(t, q.Append(entries(hi, hi+12)))
				wantUnits(t, q)
				wantRange(t, q, min(start, hi), hi+12)
			})
		}
	}
}

func TestTruncatePhysical(t *testing.T) {
	tests := []struct{ end, want int64 }{
		{physical(25), 25}, {physical(25) + 1, 25}, {physical(25) - 1, 24}, {physical(1), 1}, {physical(1) - 1, 0}, {0, 0}, {-5, 0}, {1 << 40, 45},
	}
	for _, tt := range tests {
		fsys := filled(t, 45)
		_, q := reopen(t, fsys)
		noErr(t, q.TruncatePhysical(tt.end))
		wantRange(t, q, 0, tt.want)
		noErr(t, q.Append(entries(tt.want, tt.want+1)))
		wantUnits(t, q)
	}
}

// F08: units that point beyond the end of the log are cut, and only they; a
// queue all of whose messages are lost keeps its numbers.
func TestF08GhostUnits(t *testing.T) {
	fsys := mappedtest.NewFS()
	s := open(t, options(fsys))
	q := ensure(t, s, "topic", 0, cq.Simple)
	noErr(t, q.Append(entries(33, 45)))
	noErr(t, q.CorrectMin(physical(40)))
	noErr(t, q.TruncatePhysical(physical(42)))
	wantRange(t, q, 40, 42)
	noErr(t, q.TruncatePhysical(physical(33)))
	wantRange(t, q, 33, 33)
	noErr(t, s.Close())
	_, q = reopen(t, fsys)
	noErr(t, q.Load())
	wantRange(t, q, 33, 33)
	if q.MaxPhysical() != -1 {
		t.Fatalf("max physical %d", q.MaxPhysical())
	}
	noErr(t, q.Append(entries(33, 34)))
	wantUnits(t, q)
}

// An empty last file would be taken for one unit by RocketMQ.
func TestTruncateLeavesNoEmptyLastFile(t *testing.T) {
	fsys := filled(t, 45)
	_, q := reopen(t, fsys)
	noErr(t, q.TruncateTo(20))
	if exists(fsys, file(q, 2*fileSize)) || !exists(fsys, file(q, fileSize)) {
		t.Fatal("want two files")
	}
	noErr(t, q.TruncateTo(0))
	if exists(fsys, file(q, 0)) {
		t.Fatal("want no file")
	}
}

// A cut that fails half way leaves a queue that can be loaded or is known to
// be damaged, and that can be cut again.
func TestTruncateFailsAndIsTriedAgain(t *testing.T) {
	probe := mappedtest.NewScript(filled(t, 45))
	_, q := reopen(t, probe)
	noErr(t, q.Load())
	before := probe.Calls()
	noErr(t, q.TruncateTo(13))
	calls := probe.Calls() - before
	for k := 1; k <= calls; k++ {
		mem := filled(t, 45)
		script := mappedtest.NewScript(mem)
		_, q := reopen(t, script)
		noErr(t, q.Load())
		script.FailAt(k, errors.New("broken"))
		failed := q.TruncateTo(13)
		wantUnits(t, q)
		if err := q.Append(entries(q.MaxOffset(), 30)); failed != nil && q.MaxOffset() == 13 {
			wantDamage(t, err)
			noErr(t, q.TruncateTo(13))
			noErr(t, q.Append(entries(13, 30)))
		}
		wantUnits(t, q)
		_, q = reopen(t, mem)
		if err := q.Load(); err != nil {
			wantDamage(t, err)
		}
		noErr(t, q.TruncateTo(min(13, q.MaxOffset())))
		noErr(t, q.Append(entries(q.MaxOffset(), 30)))
		wantUnits(t, q)
		wantRange(t, q, 0, 30)
	}
}

func TestRewrite(t *testing.T) {
	fsys := filled(t, 25)
	s, q := reopen(t, fsys)
	e := entry(24)
	e.PhysicalOffset += 50
	e.TagsCode = -3
	noErr(t, q.Rewrite(24, e))
	if q.MaxPhysical() != e.PhysicalOffset+recSize {
		t.Fatalf("max physical %d", q.MaxPhysical())
	}
	var u [1]cq.Unit
	_, err := q.Read(24, u[:])
	noErr(t, err)
	if u[0].PhysicalOffset != e.PhysicalOffset || u[0].TagsCode != -3 {
		t.Fatalf("%+v", u[0])
	}
	poke(t, fsys, file(q, 0), 60, make([]byte, 20))
	if n, err := q.Read(0, make([]cq.Unit, 10)); n != 3 || err != nil {
		t.Fatalf("units in front of a bad one: %d, %v", n, err)
	}
	_, err = q.Read(3, u[:])
	if damage := wantDamage(t, err); damage.Path != file(q, 0) || damage.Offset != 60 {
		t.Fatalf("%v", damage)
	}
	noErr(t, q.Rewrite(3, entry(3)))
	noErr(t, q.Rewrite(24, entry(24)))
	wantUnits(t, q)
	for _, bad := range []struct {
		at int64
		e  cq.Entry
	}{{25, entry(25)}, {-1, entry(-1)}, {3, entry(4)}, {3, cq.Entry{QueueOffset: 3}}} {
		var refused *cq.EntryError
		if err := q.Rewrite(bad.at, bad.e); !errors.As(err, &refused) {
			t.Fatalf("rewrite of %d: %v", bad.at, err)
		}
	}
	wantUnits(t, q)
	if n, err := s.Sync(); n == 0 || err != nil {
		t.Fatalf("a rewrite is due for a sync: %d, %v", n, err)
	}
}

func TestReset(t *testing.T) {
	for _, damagedToo := range []bool{false, true} {
		fsys := filled(t, 25)
		_, q := reopen(t, fsys)
		stray := root + "/consumequeue/topic/0/notes.txt"
		putFile(t, fsys, stray, []byte("mine"))
		if damagedToo {
			resize(t, fsys, file(q, fileSize), 3)
			wantDamage(t, q.Load())
		}
		was := string(readFile(t, fsys, file(q, 0)))
		noErr(t, q.Reset(root+"/aside"))
		wantRange(t, q, 0, 0)
		kept := root + "/aside/consumequeue/topic/0/" + mapped.Name(0)
		if string(readFile(t, fsys, kept)) != was || exists(fsys, file(q, 0)) || !exists(fsys, stray) {
			t.Fatal("the files were not moved, or the stray was")
		}
		noErr(t, q.Append(entries(7, 9)))
		wantRange(t, q, 7, 9)
		noErr(t, q.Reset(root+"/aside"))
		if string(readFile(t, fsys, kept)) != was || !exists(fsys, kept+".1") {
			t.Fatal("what was kept before was overwritten")
		}
		noErr(t, q.Append(entries(0, 3)))
		noErr(t, q.Reset(""))
		noErr(t, q.Append(entries(12, 13)))
		wantUnits(t, q)
		_, q = reopen(t, fsys)
		noErr(t, q.Load())
		wantRange(t, q, 12, 13)
	}
}

// A removal that panics behind the directory left a queue that could never be
// written again: it took its directories for made.
func TestDestroyPanicsHalfWay(t *testing.T) {
	for _, dir := range []string{root + "/consumequeue/a", root + "/consumequeue"} {
		script := mappedtest.NewScript(mappedtest.NewFS())
		s := open(t, options(script))
		q := ensure(t, s, "a", 0, cq.Simple)
		noErr(t, q.Append(entries(0, 25)))
		script.Add(mappedtest.Rule{Op: mappedtest.OpSyncDir, Path: dir, Before: func() { panic("disk") }})
		func() {
			defer func() {
				if recover() == nil {
					t.Fatal("nothing has panicked")
				}
			}()
			_ = q.Destroy()
		}()
		script.Clear()
		noErr(t, ensure(t, s, "a", 0, cq.Simple).Append(entries(0, 5)))
	}
}

func TestDestroyAndDeleteTopic(t *testing.T) {
	fsys := mappedtest.NewFS()
	s := open(t, options(fsys))
	for _, topic := range []string{"a", "b"} {
		for id := range int32(3) {
			noErr(t, ensure(t, s, topic, id, cq.Simple).Append(entries(0, 25)))
		}
	}
	gone := s.Queue("a", 1)
	noErr(t, gone.Destroy())
	if s.Queue("a", 1) != nil || exists(fsys, root+"/consumequeue/a/1") || !exists(fsys, root+"/consumequeue/a/0") {
		t.Fatal("want queue a-1 gone and no other")
	}
	for _, err := range []error{
		gone.Append(entries(25, 26)), gone.TruncateTo(0), gone.TruncatePhysical(0), gone.Rewrite(0, entry(0)), gone.Reset(""), gone.Destroy(), gone.Load(),
	} {
		if err != cq.ErrDeleted {
			t.Fatalf("want ErrDeleted, got %v", err)
		}
	}
	if _, err := gone.Read(0, make([]cq.Unit, 1)); err != cq.ErrDeleted {
		t.Fatalf("want ErrDeleted, got %v", err)
	}
	noErr(t, s.DeleteTopic("a"))
	noErr(t, s.DeleteTopic("never"))
	if exists(fsys, root+"/consumequeue/a") {
		t.Fatal("the topic's directory is left")
	}
	if topics := s.Topics(); len(topics) != 1 || topics[0] != "b" {
		t.Fatalf("topics %v", topics)
	}
	// The same name again is a new queue.
	q := ensure(t, s, "a", 1, cq.Simple)
	noErr(t, q.Append(entries(0, 3)))
	wantUnits(t, q)
	_, err := s.Sync()
	noErr(t, err)
}

// F16: all records of a queue have left the log.
func TestF16MinimumWithoutLiveUnits(t *testing.T) {
	fsys := filled(t, 45)
	script := mappedtest.NewScript(fsys)
	s, q := reopen(t, script)
	for i, tt := range []struct{ minPhysical, want, files int64 }{
		{0, 0, 0}, {physical(0), 0, 0}, {physical(0) + 1, 1, 0}, {physical(9), 9, 0}, {physical(10), 10, 1},
		{physical(5), 10, 0}, {physical(33), 33, 2}, {physical(44), 44, 1}, {physical(45), 45, 0}, {1 << 40, 45, 0},
	} {
		noErr(t, q.CorrectMin(tt.minPhysical))
		wantRange(t, q, tt.want, 45)
		n, err := q.DeleteExpired(tt.minPhysical)
		noErr(t, err)
		if int64(n) != tt.files {
			t.Fatalf("step %d: %d files removed, want %d", i, n, tt.files)
		}
		wantRange(t, q, tt.want, 45)
		wantUnits(t, q)
		if tt.want > 0 {
			if n, err := q.Read(tt.want-1, make([]cq.Unit, 2)); n != 0 || err != cq.ErrOffsetTooSmall {
				t.Fatalf("step %d: below the minimum: %d, %v", i, n, err)
			}
		}
	}
	if !exists(fsys, file(q, 4*fileSize)) || exists(fsys, file(q, 3*fileSize)) {
		t.Fatal("only the last file stays")
	}
	noErr(t, q.Append(entries(45, 52)))
	wantRange(t, q, 45, 52)
	_, err := s.Sync()
	noErr(t, err)
	_, q = reopen(t, fsys)
	noErr(t, q.CorrectMin(physical(45)))
	wantRange(t, q, 45, 52)
	wantUnits(t, q)
}

func TestCorrectMinReadsFew(t *testing.T) {
	o := options(mappedtest.NewFS())
	script := mappedtest.NewScript(o.FS)
	script.Add(mappedtest.Rule{Op: mappedtest.OpMap, Err: errors.New("no maps"), Forever: true})
	o.FS, o.FileSize = script, 1000*cq.UnitSize
	q := ensure(t, open(t, o), "topic", 0, cq.Simple)
	noErr(t, q.Append(entries(0, 100000)))
	before := script.Count(mappedtest.OpRead)
	noErr(t, q.CorrectMin(physical(77777)))
	if n := script.Count(mappedtest.OpRead) - before; n > 20 {
		t.Fatalf("%d reads", n)
	}
	wantRange(t, q, 77777, 100000)
}

func TestDeleteExpiredFailsAndIsTriedAgain(t *testing.T) {
	script := mappedtest.NewScript(filled(t, 45))
	_, q := reopen(t, script)
	script.Add(mappedtest.Rule{Op: mappedtest.OpRemove, At: 2, Err: errors.New("busy")})
	n, err := q.DeleteExpired(physical(40))
	if n != 1 || err == nil {
		t.Fatalf("%d, %v", n, err)
	}
	wantRange(t, q, 40, 45)
	n, err = q.DeleteExpired(physical(40))
	if n != 3 || err != nil {
		t.Fatalf("%d, %v", n, err)
	}
	wantUnits(t, q)
}

// TestCutIsDurable: units that were cut do not come back with a power cut, nor do
// the files behind.
func TestCutIsDurable(t *testing.T) {
	for _, mode := range mappedtest.Modes() {
		for seed := range uint64(4) {
			mem := mappedtest.NewFS()
			s := open(t, options(mem))
			q := ensure(t, s, "topic", 0, cq.Simple)
			noErr(t, q.Append(entries(0, 2*perFile+5)))
			_, err := s.Sync()
			noErr(t, err)
			noErr(t, q.TruncateTo(perFile+2))
			s = open(t, options(mem.Crash(seed, mode)))
			q = ensure(t, s, "topic", 0, cq.Simple)
			noErr(t, q.Load())
			wantRange(t, q, 0, perFile+2)
			wantUnits(t, q)
			noErr(t, q.Append(entries(perFile+2, 4*perFile)))
			wantUnits(t, q)
		}
	}
}
