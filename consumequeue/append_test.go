package consumequeue_test

import (
	"errors"
	"math"
	"testing"

	"github.com/actorstore/actorstore/commitlog/mapped/mappedtest"
	cq "github.com/actorstore/actorstore/consumequeue"
)

func TestAppendAcrossFiles(t *testing.T) {
	script := mappedtest.NewScript(mappedtest.NewFS())
	s := open(t, options(script))
	q := ensure(t, s, "topic", 0, cq.Simple)
	noErr(t, q.Append(entries(0, 35)))
	if n := script.Count(mappedtest.OpWrite); n != 4 {
		t.Fatalf("%d writes for 4 files", n)
	}
	wantRange(t, q, 0, 35)
	wantUnits(t, q)
	if q.MaxPhysical() != physical(35) {
		t.Fatalf("max physical %d", q.MaxPhysical())
	}
	for i := int64(0); i < 4; i++ {
		if got := readFile(t, script, file(q, i*fileSize)); len(got) != fileSize {
			t.Fatalf("file %d has %d bytes", i, len(got))
		}
	}
	if n := script.Count(mappedtest.OpSync) + script.Count(mappedtest.OpDatasync) + script.Count(mappedtest.OpSyncFS); n != 0 {
		t.Fatalf("append must leave syncing to Sync, %d syncs", n)
	}
}

func TestAppendRefuses(t *testing.T) {
	tests := []struct {
		name string
		add  []cq.Entry
		gap  bool
	}{
		{"gap", entries(6, 7), true},
		{"gap inside the batch", append(entries(5, 7), entries(8, 9)...), true},
		{"negative offset", []cq.Entry{{QueueOffset: -1, PhysicalOffset: 1, Size: 1}}, false},
		{"offset too large", []cq.Entry{{QueueOffset: math.MaxInt64 / 20, PhysicalOffset: 1, Size: 1}}, false},
		{"no size", []cq.Entry{{QueueOffset: 5, PhysicalOffset: 9999}}, false},
		{"a pre-blank", []cq.Entry{{QueueOffset: 5, PhysicalOffset: 9999, Size: math.MaxInt32}}, false},
		{"negative physical offset", []cq.Entry{{QueueOffset: 5, PhysicalOffset: -1, Size: 1}}, false},
		{"physical end too large", []cq.Entry{{QueueOffset: 5, PhysicalOffset: math.MaxInt64, Size: 1}}, false},
		{"record in front of the last", []cq.Entry{{QueueOffset: 5, PhysicalOffset: 5, Size: 1}}, false},
		{"batch unit", []cq.Entry{{QueueOffset: 5, PhysicalOffset: 9999, Size: 1, Num: 2}}, false},
		{"negative count", []cq.Entry{{QueueOffset: 5, PhysicalOffset: 9999, Size: 1, Num: -1}}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			fsys := mappedtest.NewFS()
			s := open(t, options(fsys))
			q := ensure(t, s, "topic", 4, cq.Simple)
			noErr(t, q.Append(entries(0, 5)))
			before := string(readFile(t, fsys, file(q, 0)))
			err := q.Append(tt.add)
			var gap *cq.GapError
			var bad *cq.EntryError
			switch {
			case tt.gap && (!errors.As(err, &gap) || gap.Topic != "topic" || gap.Queue != 4 || gap.Got != tt.add[len(tt.add)-1].QueueOffset || gap.Want > gap.Got):
				t.Fatalf("want a GapError, got %#v", err)
			case !tt.gap && !errors.As(err, &bad):
				t.Fatalf("want an EntryError, got %v", err)
			case err.Error() == "":
				t.Fatal("empty error")
			}
			wantRange(t, q, 0, 5)
			if string(readFile(t, fsys, file(q, 0))) != before {
				t.Fatal("a refused batch changed the file")
			}
			noErr(t, q.Append(entries(5, 6)))
			wantUnits(t, q)
		})
	}
}

// F17: a stretch of the log that is dispatched again changes nothing.
func TestF17RedispatchIsIdempotent(t *testing.T) {
	fsys := filled(t, 100)
	s, q := reopen(t, fsys)
	var before []string
	for i := int64(0); i < 10; i++ {
		before = append(before, string(readFile(t, fsys, file(q, i*fileSize))))
	}
	for range 2 {
		noErr(t, q.Append(entries(50, 100)))
		noErr(t, q.Append(entries(0, 1)))
		noErr(t, q.Append(append(entries(99, 100), entries(0, 100)...)))
	}
	wantRange(t, q, 0, 100)
	for i, want := range before {
		if string(readFile(t, fsys, file(q, int64(i)*fileSize))) != want {
			t.Fatalf("file %d changed", i)
		}
	}
	if exists(fsys, file(q, 10*fileSize)) {
		t.Fatal("a duplicate made a file")
	}
	noErr(t, q.Append(append(entries(95, 100), entries(90, 103)...)))
	wantRange(t, q, 0, 103)
	wantUnits(t, q)
	_ = s
}

// Queue offset 0 is a duplicate like any other, not a unit for the end.
func TestOffsetZeroIsADuplicate(t *testing.T) {
	s := open(t, options(mappedtest.NewFS()))
	q := ensure(t, s, "topic", 0, cq.Simple)
	noErr(t, q.Append(entries(0, 3)))
	noErr(t, q.Append([]cq.Entry{{QueueOffset: 0, PhysicalOffset: 1 << 30, Size: 9}}))
	wantRange(t, q, 0, 3)
	wantUnits(t, q)
}

func TestAppendNothing(t *testing.T) {
	fsys := mappedtest.NewFS()
	s := open(t, options(fsys))
	q := ensure(t, s, "topic", 0, cq.Simple)
	noErr(t, q.Append(nil))
	wantRange(t, q, 0, 0)
	if exists(fsys, root+"/consumequeue") {
		t.Fatal("nothing to append must make no directory")
	}
	if n, err := q.Read(0, make([]cq.Unit, 1)); n != 0 || err != nil {
		t.Fatalf("empty queue: %d, %v", n, err)
	}
}

// F34: what fails in the middle is done by the next try, once.
func TestF34AppendFailsAndIsTriedAgain(t *testing.T) {
	probe := mappedtest.NewScript(mappedtest.NewFS())
	s := open(t, options(probe))
	q := ensure(t, s, "topic", 0, cq.Simple)
	before := probe.Calls()
	noErr(t, q.Append(entries(13, 45)))
	calls := probe.Calls() - before
	for k := 1; k <= calls; k++ {
		script := mappedtest.NewScript(mappedtest.NewFS())
		s := open(t, options(script))
		q := ensure(t, s, "topic", 0, cq.Simple)
		script.FailAt(k, errors.New("no more files"))
		if err := q.Append(entries(13, 45)); err == nil && q.MaxOffset() != 45 {
			t.Fatalf("call %d failed and nobody heard:\n%s", k, script.TraceString())
		}
		script.Clear()
		noErr(t, q.Append(entries(13, 45)))
		wantRange(t, q, 13, 45)
		wantUnits(t, q)
		tmp, err := script.ReadDir(root + "/actorstore/tmp")
		noErr(t, err)
		if len(tmp) != 0 {
			t.Fatalf("call %d: %d files left over", k, len(tmp))
		}
		noErr(t, s.Close())
		_, q = reopen(t, script)
		noErr(t, q.Load())
		wantRange(t, q, 13, 45)
		wantUnits(t, q)
	}
}
