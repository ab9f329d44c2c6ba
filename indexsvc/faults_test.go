package indexsvc_test

import (
	"bytes"
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/actorstore/actorstore/commitlog/mapped"
	"github.com/actorstore/actorstore/commitlog/mapped/mappedtest"
	"github.com/actorstore/actorstore/commitlog/record"
	"github.com/actorstore/actorstore/indexsvc"
)

// F29: a file that cannot be made leaves nothing, is tried once for each Put,
// and comes when the fault is gone.
func TestFailingCreation(t *testing.T) {
	for k := 1; ; k++ {
		fsys := newFS()
		script := mappedtest.NewScript(fsys)
		s := open(t, script, 7, 5)
		put(t, s, key(10, "a b c d"))
		whole := contents(t, fsys, s)
		before := len(script.Trace())
		script.FailAt(k, syscall.EIO)
		err := s.Put([]record.DispatchRequest{key(20, "a"), key(30, "b")})
		calls := script.Trace()[before:]
		if len(calls) < k {
			if err != nil || k < 10 {
				t.Fatalf("%d calls, %v", len(calls), err)
			}
			return
		}
		if err == nil {
			if op := calls[k-1].Op; op != mappedtest.OpClose && op != mappedtest.OpRemove {
				t.Errorf("failed unseen: %v", calls[k-1])
			}
			continue
		}
		var create *indexsvc.CreateError
		if !errors.As(err, &create) || !errors.Is(err, syscall.EIO) || !strings.HasPrefix(create.Path, dir) || !strings.Contains(err.Error(), create.Path) {
			t.Fatalf("%v: got %v", calls[k-1], err)
		}
		if got := append(names(t, fsys, dir), names(t, fsys, tmpDir)...); len(got) != 1 {
			t.Errorf("%v: left %v", calls[k-1], got)
		}
		wantFound(t, s, "T", "a", 10)
		if s.EndPhyOffset() != 10 {
			t.Errorf("end %d", s.EndPhyOffset())
		}
		put(t, s, key(20, "a"), key(30, "b"))
		wantFound(t, s, "T", "a", 20, 10)
		if got := contents(t, fsys, s); len(got) != 2 || !bytes.Equal(got[0], whole[0]) {
			t.Errorf("%d files", len(got))
		}
		verify(t, s)
	}
}

func TestMappingFailsForAWhile(t *testing.T) {
	fsys := newFS()
	script := mappedtest.NewScript(fsys, mappedtest.Rule{Op: mappedtest.OpMap, Err: syscall.ENOMEM, Forever: true})
	s := open(t, script, 97, 400)
	reqs := make([]record.DispatchRequest, 0, 500)
	for i := range 500 {
		reqs = append(reqs, key(int64(i), "k"))
		if err := s.Put(reqs); !errors.Is(err, syscall.ENOMEM) {
			t.Fatalf("put %d: %v", i, err)
		}
		if got := append(names(t, fsys, dir), names(t, fsys, tmpDir)...); len(got) != 0 {
			t.Fatalf("left %v", got)
		}
	}
	if n := script.Count(mappedtest.OpMap); n != 500 {
		t.Errorf("%d tries for 500 puts", n)
	}
	script.Clear()
	put(t, s, reqs...)
	if got := find(t, s, "T", "k"); len(got) != 500 {
		t.Errorf("%d found", len(got))
	}
}

func TestDiskFull(t *testing.T) {
	fsys := newFS()
	fsys.SetCapacity(8 * mappedtest.PageSize)
	s := open(t, fsys, 97, 400) // three pages each
	for i := range int64(798) {
		put(t, s, key(i, "k"))
	}
	err := s.Put([]record.DispatchRequest{key(798, "k")})
	var create *indexsvc.CreateError
	if !errors.As(err, &create) || !errors.Is(err, syscall.ENOSPC) {
		t.Fatalf("got %v", err)
	}
	if got := names(t, fsys, tmpDir); len(got) != 0 {
		t.Errorf("left %v", got)
	}
	fsys.SetCapacity(1 << 30)
	put(t, s, key(798, "k"))
	if got := find(t, s, "T", "k"); len(got) != 799 {
		t.Errorf("%d found", len(got))
	}
}

// F25: keys of one hash share a chain; none hides another, and the three keys
// whose hash is the smallest int are all found.
func TestHashCollisions(t *testing.T) {
	s := open(t, newFS(), 97, 400)
	put(t, s, rec(1, t0, "BBTopic", "", "Aa", ""), rec(2, t0, "T", "", "5eeedzu jllgvmc", ""), rec(3, t0, "T", "", "jlli8mc", ""))
	wantFound(t, s, "AaTopic", "BB", 1) // a candidate: whoever reads the record sees another topic
	for _, k := range []string{"5eeedzu", "jllgvmc", "jlli8mc"} {
		if got := find(t, s, "T", k); !slices.Contains(got, int64(2)) && !slices.Contains(got, int64(3)) {
			t.Errorf("%s: %v", k, got)
		}
	}
	put(t, s, key(10, "Aa"))
	for i := range int64(40) {
		put(t, s, key(20+i, "BB"))
	}
	// Candidates of both; the visitor tells them apart and is not cut short.
	var match []int64
	err := s.Query("T", "Aa", 0, func(phy int64) bool {
		if phy == 10 {
			match = append(match, phy)
		}
		return len(match) < 1
	})
	if err != nil || !slices.Equal(match, []int64{10}) {
		t.Errorf("%v %v", match, err)
	}
	// Both keys in one record: one hit.
	s = open(t, newFS(), 97, 400)
	put(t, s, key(5, "Aa BB Aa"))
	wantFound(t, s, "T", "Aa", 5)
}

// F26: what was flushed is there after a power cut.
func TestFlushedSurvivesAPowerCut(t *testing.T) {
	for _, mode := range mappedtest.Modes() {
		fsys := newFS()
		s := open(t, fsys, 97, 400)
		for i := range int64(600) {
			put(t, s, key(i, "k x"+string(rune('a'+i%26))))
		}
		if err := s.Flush(); err != nil {
			t.Fatal(err)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		image := fsys.Crash(7, mode)
		s = open(t, image, 97, 400)
		if got := find(t, s, "T", "k"); len(got) != 600 {
			t.Errorf("%v: %d found", mode, len(got))
		}
		verify(t, s)
	}
}

// What was not flushed may be torn: nothing panics, nothing hangs, and Verify or
// Open tells, or the index is sound.
func TestTornByAPowerCut(t *testing.T) {
	for _, mode := range mappedtest.Modes() {
		for seed := range uint64(12) {
			fsys := newFS()
			s := open(t, fsys, 1097, 400)
			for i := range int64(300) {
				put(t, s, key(i, "k x"+string(rune('a'+i%26))))
				if i == 100 {
					if err := s.Flush(); err != nil {
						t.Fatal(err)
					}
				}
			}
			image := fsys.Crash(seed, mode)
			s = open(t, image, 1097, 400)
			sound := s.Verify(nil) == nil
			found := 0
			err := s.Query("T", "k", 0, func(int64) bool { found++; return true })
			if sound && (err != nil || len(s.Files()) == 0 || found < 101) {
				t.Fatalf("%v %d: sound, but %d found, %v", mode, seed, found, err)
			}
			if err := s.Reset(aside); err != nil {
				t.Fatal(err)
			}
			for i := range int64(300) {
				put(t, s, key(i, "k"))
			}
			if got := find(t, s, "T", "k"); len(got) != 300 {
				t.Fatalf("%v %d: %d after the rebuild", mode, seed, len(got))
			}
		}
	}
}

// F28: the header is the same after reopening, and so are the answers.
func TestReopenKeepsHeaders(t *testing.T) {
	fsys := newFS()
	s := open(t, fsys, 97, 100)
	for i := range int64(350) {
		put(t, s, rec(i, t0+1000*i, "T", "", "k", "tag"))
	}
	want := s.Files()
	hits := find(t, s, "T", "k")
	if err := s.Flush(); err != nil {
		t.Fatal(err)
	}
	for name, image := range map[string]mapped.FS{"clean": fsys, "killed": fsys.Kill(), "power cut": fsys.Crash(1, mappedtest.Nothing)} {
		s := open(t, image, 97, 100)
		if got := s.Files(); !slices.Equal(got, want) {
			t.Errorf("%s: got %+v, want %+v", name, got, want)
		}
		wantFound(t, s, "T", "k", hits...)
	}
	last := want[len(want)-1]
	if last.EndTimestamp != t0+349000 || last.EndPhyOffset != 349 || want[0].BeginTimestamp != t0 {
		t.Errorf("%+v", last)
	}
}

// F27, D13: times that are out of order hide nothing.
func TestTimesHideNothing(t *testing.T) {
	s := open(t, newFS(), 7, 4)
	var want []int64
	for i, at := range []int64{t0, t0 - 86400000, t0 + 86400000, 5, t0, -1, math.MaxInt64, 0, t0} {
		put(t, s, rec(int64(i), at, "T", "", "k", ""))
		want = append([]int64{int64(i)}, want...)
	}
	wantFound(t, s, "T", "k", want...)
	wantFound(t, s, "T", "other")
}

// F31: a limit bounds what is visited and sizes nothing.
func TestLimit(t *testing.T) {
	s := open(t, newFS(), 97, 400)
	for i := range int64(1000) {
		put(t, s, key(i, "k"))
	}
	for limit, want := range map[int]int{0: 1000, -1: 1000, math.MaxInt: 1000, math.MinInt: 1000, 1: 1, 64: 64, 65: 65, 999: 999} {
		n := 0
		if err := s.Query("T", "k", limit, func(int64) bool { n++; return true }); err != nil || n != want {
			t.Errorf("limit %d: %d %v", limit, n, err)
		}
	}
	for stop := range 3 {
		n := 0
		if err := s.Query("T", "k", 0, func(int64) bool { n++; return n <= stop }); err != nil || n != stop+1 {
			t.Errorf("stop at %d: %d %v", stop, n, err)
		}
	}
}

// F32: a damaged chain ends after its healthy part, with an error that names the
// place; other files are searched all the same.
func TestCorruptChains(t *testing.T) {
	p := place{7, 8}
	older := func(t *testing.T) *mappedtest.FS {
		fsys := newFS()
		put(t, open(t, fsys, 7, 8), key(10, "k"), key(20, "k k k k k k"))
		put(t, open(t, fsys, 7, 8), key(30, "k"), key(40, "k"), key(50, "k"), key(60, "k"))
		return fsys
	}
	slotOf := func(b []byte) int {
		for n := range 7 {
			if b[p.slot(n)+3] != 0 {
				return n
			}
		}
		return -1
	}
	all := []int64{60, 50, 40, 30, 20, 10}
	for name, c := range map[string]struct {
		change func(b []byte)
		want   []int64
	}{
		"prev is itself":         {func(b []byte) { put32(b, p.entry(3)+16, 3) }, []int64{60, 50, 20, 10}},
		"cycle of two":           {func(b []byte) { put32(b, p.entry(2)+16, 3) }, []int64{60, 50, 40, 20, 10}},
		"prev beyond its number": {func(b []byte) { put32(b, p.entry(4)+16, 7) }, []int64{60, 20, 10}},
		"prev beyond the count":  {func(b []byte) { put32(b, p.entry(4)+16, math.MaxInt32) }, []int64{60, 20, 10}},
		"negative prev":          {func(b []byte) { put32(b, p.entry(1)+16, -1) }, all},
		"negative hash":          {func(b []byte) { put32(b, p.entry(2), -5) }, []int64{60, 50, 20, 10}},
		"hash of another slot":   {func(b []byte) { put32(b, p.entry(2), 1) }, []int64{60, 50, 20, 10}},
		"negative offset":        {func(b []byte) { put64(b, p.entry(3)+4, -1) }, []int64{60, 20, 10}},
		"slot beyond the count":  {func(b []byte) { put32(b, p.slot(slotOf(b)), 6) }, []int64{20, 10}},
		"slot beyond the file":   {func(b []byte) { put32(b, p.slot(slotOf(b)), math.MaxInt32) }, []int64{20, 10}},
		"negative slot":          {func(b []byte) { put32(b, p.slot(slotOf(b)), -1) }, []int64{20, 10}},
	} {
		t.Run(name, func(t *testing.T) {
			fsys := older(t)
			path := dir + "/" + names(t, fsys, dir)[1]
			b := readFile(t, fsys, path)
			c.change(b)
			writeFile(t, fsys, path, b)
			s := open(t, fsys, 7, 8)
			if len(s.Damaged()) != 0 {
				t.Skip("found by Open")
			}
			var got []int64
			err := s.Query("T", "k", 0, func(phy int64) bool { got = append(got, phy); return true })
			var corrupt *record.CorruptionError
			if !errors.As(err, &corrupt) || corrupt.Path != path {
				t.Errorf("got error %v", err)
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("got %v, want %v", got, c.want)
			}
			if err := s.Verify(nil); !errors.As(err, &corrupt) || corrupt.Path != path {
				t.Errorf("verify: %v", err)
			}
			// Dropped and put again, all is well.
			if err := s.DropFrom(filepath.Base(path), aside); err != nil {
				t.Fatal(err)
			}
			wantBytes(t, readFile(t, fsys, aside+"/index-"+filepath.Base(path)), b)
			put(t, s, key(20, "k k k k k k"), key(30, "k"), key(40, "k"), key(50, "k"), key(60, "k"))
			wantFound(t, s, "T", "k", all...)
			verify(t, s)
		})
	}
}

// F33: the documented splitting, over bytes of any kind.
func TestKeys(t *testing.T) {
	long := strings.Repeat("0123456789", 1000)
	many := make([]string, 100)
	for i := range many {
		many[i] = "n" + strings.Repeat("y", i)
	}
	s := open(t, newFS(), 97, 400)
	for i, keys := range []string{"a b", "c ", " d", "  ", "#", "a#b", "键值", "🚀", long, "twice twice", strings.Join(many, " "), "x#y", "\xff\xfe"} {
		put(t, s, key(int64(i), keys))
	}
	for k, want := range map[string][]int64{
		"a": {0}, "b": {0}, "c": {1}, "d": {2}, "": nil, " ": nil, "a b": nil, "#": {4}, "a#b": {5}, "键值": {6},
		"🚀": {7}, long: {8}, "twice": {9}, many[0]: {10}, many[99]: {10}, "x#y": {11}, "y": nil, "\uFFFD\uFFFD": {12},
	} {
		wantFound(t, s, "T", k, want...)
	}
	entries := s.Files()[0].IndexCount - 1
	if entries != 2+1+1+0+1+1+1+1+1+2+100+1+1 {
		t.Errorf("%d entries", entries)
	}
	wantFound(t, s, "T#x", "y", 11) // the string is the same
}

// Tags are one entry, and a key "T#x" meets the tag "x".
func TestTags(t *testing.T) {
	s := open(t, newFS(), 97, 400)
	put(t, s, rec(1, t0, "T", "u", "k", "TagA || TagB"), rec(2, t0, "T", "", "T#x", ""), rec(3, t0, "T", "", "", "x"))
	tags := func(topic, tags string, limit int) (got []int64) {
		if err := s.QueryTags(topic, tags, limit, func(phy int64) bool { got = append(got, phy); return true }); err != nil {
			t.Fatal(err)
		}
		return got
	}
	for _, c := range []struct {
		tags string
		want []int64
	}{{"TagA || TagB", []int64{1}}, {"TagA", nil}, {"x", []int64{3, 2}}} {
		if got := tags("T", c.tags, 0); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v", c.tags, got)
		}
	}
	wantFound(t, s, "T", "T#x", 3, 2)
	wantFound(t, s, "T", "u", 1)
}

// RocketMQ may have put a record twice, into two files: one hit.
func TestRecordInTwoFiles(t *testing.T) {
	fsys := newFS()
	put(t, open(t, fsys, 7, 3), key(10, "k"), key(20, "k"))
	old := names(t, fsys, dir)[0]
	other := newFS()
	put(t, open(t, other, 7, 3), key(20, "k"), key(30, "k"))
	writeFile(t, fsys, dir+"/20990101000000000", readFile(t, other, dir+"/"+names(t, other, dir)[0]))
	s := open(t, fsys, 7, 3)
	wantFound(t, s, "T", "k", 30, 20, 10)
	if old == "" || len(s.Files()) != 2 {
		t.Errorf("%v", s.Files())
	}
	verify(t, s)
}

// A file cut behind the mapping is an error, not a crash.
func TestFaultUnderTheMapping(t *testing.T) {
	root := t.TempDir()
	s, err := indexsvc.Open(indexsvc.Options{FS: mapped.OS(), Dir: root, TmpDir: filepath.Join(root, "tmp"), MaxHashSlotNum: 97, MaxIndexNum: 100_000})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for i := range int64(20_000) {
		put(t, s, key(i, "k"))
	}
	path := s.Files()[0].Path
	if err := os.Truncate(path, 4096); err != nil {
		t.Skip(err)
	}
	var fault *mapped.FaultError
	n := 0
	if err := s.Query("T", "k", 0, func(int64) bool { n++; return true }); !errors.As(err, &fault) || fault.Path != path {
		t.Errorf("query: %d, %v", n, err)
	}
	if err := s.Verify(nil); !errors.As(err, &fault) {
		t.Errorf("verify: %v", err)
	}
	if err := s.Put([]record.DispatchRequest{key(20_000, "k")}); !errors.As(err, &fault) {
		t.Errorf("put: %v", err)
	}
}

func TestClosed(t *testing.T) {
	s := open(t, newFS(), 7, 5)
	put(t, s, key(10, "k"))
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	_, derr := s.DeleteExpired(0)
	for _, err := range []error{
		s.Put([]record.DispatchRequest{key(20, "k")}), s.Query("T", "k", 0, nil), s.Reset(""), derr,
	} {
		if !errors.Is(err, fs.ErrClosed) {
			t.Errorf("got %v", err)
		}
	}
}
