package indexsvc_test

import (
	"math"
	"slices"
	"testing"
)

// roll gives the names of files that each begin with one of these times.
func roll(t *testing.T, before []string, times ...int64) []string {
	t.Helper()
	fsys := newFS()
	for _, n := range before {
		writeFile(t, fsys, dir+"/"+n, nil)
	}
	s := open(t, fsys, 3, 2)
	for i, at := range times {
		put(t, s, rec(int64(i+1), at, "T", "", "k", ""))
	}
	var list []string
	for _, f := range s.Files() {
		list = append(list, f.Name)
	}
	want := make([]int64, 0, len(times))
	for i := len(times); i > 0; i-- {
		want = append(want, int64(i))
	}
	wantFound(t, open(t, fsys, 3, 2), "T", "k", want...)
	return list
}

func TestNames(t *testing.T) {
	for name, c := range map[string]struct {
		before []string
		times  []int64
		want   []string
	}{
		"by the record's time":   {nil, []int64{t0, t0 + 1000}, []string{"20231114221320123", "20231114221321123"}},
		"same millisecond":       {nil, []int64{t0, t0}, []string{"20231114221320123", "20231114221320124"}},
		"clock stepped back":     {nil, []int64{t0, t0 - 86400000, t0}, []string{"20231114221320123", "20231114221320124", "20231114221320125"}},
		"over a minute":          {nil, []int64{1700000039999, 0}, []string{"20231114221359999", "20231114221400000"}},
		"no time":                {nil, []int64{-5, 0}, []string{"19700101000000000", "19700101000000001"}},
		"beyond the last year":   {nil, []int64{math.MaxInt64, math.MaxInt64}, []string{"99991231235959999", "99991231235960000"}},
		"a stray has that name":  {[]string{"20231114221320123"}, []int64{t0}, []string{"20231114221320124"}},
		"strays are not counted": {[]string{"99999999999999999", "7"}, []int64{t0}, []string{"20231114221320123"}},
	} {
		t.Run(name, func(t *testing.T) {
			if got := roll(t, c.before, c.times...); !slices.Equal(got, c.want) {
				t.Errorf("got %v, want %v", got, c.want)
			}
		})
	}
}

// A file found under a name that is no time of ours is still the last one.
func TestNamesAfterForeignOnes(t *testing.T) {
	fsys := newFS()
	s := open(t, fsys, 3, 2)
	put(t, s, key(1, "k"))
	full := contents(t, fsys, s)[0]
	for name, want := range map[string]string{
		"20231114221320999": "20231114221321000",
		"20239999999999999": "20240000000000000",
		"99999":             "100000",
	} {
		fsys := newFS()
		writeFile(t, fsys, dir+"/"+name, full)
		s := open(t, fsys, 3, 2)
		put(t, s, rec(2, 0, "T", "", "k", ""))
		if files := s.Files(); len(files) != 2 || files[1].Name != want {
			t.Errorf("after %s: %+v", name, files)
		}
	}
}
