package indexsvc_test

import (
	"math"
	"slices"
	"strings"
	"testing"
)

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
