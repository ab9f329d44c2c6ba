package mappedtest_test

import (
	"bytes"
	"fmt"
	"hash/crc32"
	"os"
	"strings"
	"testing"

	"github.com/actorstore/actorstore/commitlog/mapped"
	"github.com/actorstore/actorstore/commitlog/mapped/mappedtest"
)

const page = mappedtest.PageSize

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// open opens or makes a file of the size given (0: as it is).
func open(t *testing.T, fsys mapped.FS, path string, size int64) mapped.File {
	t.Helper()
	f, err := fsys.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
	must(t, err)
	if size > 0 {
		must(t, f.Truncate(size))
	}
	return f
}

func write(t *testing.T, f mapped.File, off int64, fill byte, n int) {
	t.Helper()
	_, err := f.WriteAt(bytes.Repeat([]byte{fill}, n), off)
	must(t, err)
}

// read gives the bytes of a file, or "absent".
func read(t *testing.T, fsys mapped.FS, path string) string {
	t.Helper()
	f, err := fsys.OpenFile(path, os.O_RDONLY, 0)
	if err != nil {
		return "absent"
	}
	defer f.Close()
	n, err := f.Size()
	must(t, err)
	b := make([]byte, n)
	if n > 0 {
		_, err = f.ReadAt(b, 0)
		must(t, err)
	}
	return string(b)
}

// runs writes a file as runs of bytes: "a*4096 .*512".
func runs(s string) string {
	if s == "absent" {
		return s
	}
	var out []string
	for i := 0; i < len(s); {
		j := i
		for j < len(s) && s[j] == s[i] {
			j++
		}
		c := s[i : i+1]
		if c == "\x00" {
			c = "."
		}
		out = append(out, fmt.Sprintf("%s*%d", c, j-i))
		i = j
	}
	return strings.Join(out, " ")
}

func wantFile(t *testing.T, fsys mapped.FS, path, want string) {
	t.Helper()
	if got := runs(read(t, fsys, path)); got != want {
		t.Errorf("%s is %q, want %q", path, got, want)
	}
}

// sum is a fingerprint of everything that can be seen.
func sum(t *testing.T, fsys mapped.FS, dir string) uint32 {
	t.Helper()
	h := crc32.NewIEEE()
	list, err := fsys.ReadDir(dir)
	must(t, err)
	for _, e := range list {
		fmt.Fprintf(h, "%s %v\n", e.Name(), e.IsDir())
		if e.IsDir() {
			fmt.Fprint(h, sum(t, fsys, dir+"/"+e.Name()))
		} else {
			fmt.Fprint(h, read(t, fsys, dir+"/"+e.Name()))
		}
	}
	return h.Sum32()
}

func TestSyncMakesDurable(t *testing.T) {
	f := mappedtest.NewFS()
	a := open(t, f, "/a", 3*page)
	must(t, a.Sync())
	must(t, f.SyncDir("/"))
	write(t, a, 0, 'a', 10)
	r, err := a.Map(0, 3*page, true)
	must(t, err)
	r.Bytes()[page] = 'b'
	r.Bytes()[2*page] = 'c'
	wantFile(t, f.Crash(1, mappedtest.Nothing), "/a", ".*12288")
	wantFile(t, f.Crash(1, mappedtest.Everything), "/a", "a*10 .*4086 b*1 .*4095 c*1 .*4095")
	must(t, r.Flush(page+100, 1))
	wantFile(t, f.Crash(1, mappedtest.Nothing), "/a", ".*4096 b*1 .*8191")
	must(t, a.Datasync())
	wantFile(t, f.Crash(1, mappedtest.Nothing), "/a", "a*10 .*4086 b*1 .*4095 c*1 .*4095")
	r.Bytes()[page] = 'd'
	wantFile(t, f.Kill(), "/a", "a*10 .*4086 d*1 .*4095 c*1 .*4095")
	wantFile(t, f.Kill().Crash(1, mappedtest.Nothing), "/a", "a*10 .*4086 b*1 .*4095 c*1 .*4095")
	k := f.Kill()
	must(t, open(t, k, "/a", 0).Sync())
	wantFile(t, k.Crash(1, mappedtest.Nothing), "/a", "a*10 .*4086 d*1 .*4095 c*1 .*4095")
	wantFile(t, f, "/a", "a*10 .*4086 d*1 .*4095 c*1 .*4095")
	must(t, f.SyncFS("/"))
	wantFile(t, f.Crash(1, mappedtest.Nothing), "/a", "a*10 .*4086 d*1 .*4095 c*1 .*4095")
}

func TestModes(t *testing.T) {
	f := mappedtest.NewFS()
	for _, name := range []string{"/a", "/b", "/c"} {
		h := open(t, f, name, 4*page)
		must(t, h.Sync())
		if name != "/c" {
			for p := range int64(3) {
				write(t, h, p*page, 'x', page)
			}
		}
	}
	must(t, f.SyncDir("/"))
	for _, c := range []struct {
		mode mappedtest.Mode
		a, b string
	}{
		{mappedtest.Nothing, ".*16384", ".*16384"},
		{mappedtest.Everything, "x*12288 .*4096", "x*12288 .*4096"},
		{mappedtest.FirstPage, "x*4096 .*12288", "x*4096 .*12288"},
		{mappedtest.LastPage, ".*8192 x*4096 .*4096", ".*8192 x*4096 .*4096"},
		{mappedtest.AllButFirst, ".*4096 x*8192 .*4096", ".*4096 x*8192 .*4096"},
		{mappedtest.LastFile, ".*16384", "x*12288 .*4096"},
	} {
		image := f.Crash(3, c.mode)
		wantFile(t, image, "/a", c.a)
		wantFile(t, image, "/b", c.b)
		wantFile(t, image, "/c", ".*16384")
	}
}

// Each unit of 512 bytes is old or new, both occur, and the same seed gives the
// same image.
func TestTornUnits(t *testing.T) {
	f := mappedtest.NewFS()
	a := open(t, f, "/a", 0)
	write(t, a, 0, 'o', 4*page)
	must(t, a.Sync())
	must(t, f.SyncDir("/"))
	write(t, a, 0, 'n', 3*page+700)
	for _, mode := range []mappedtest.Mode{mappedtest.Random, mappedtest.TornPages} {
		images := map[uint32]bool{}
		for seed := range uint64(50) {
			image := f.Crash(seed, mode)
			s := read(t, image, "/a")
			for i := 0; i < len(s); i += mappedtest.TearSize {
				unit := s[i : i+mappedtest.TearSize]
				if i == 3*page+512 { // holds the end of the write
					if unit != strings.Repeat("o", 512) && unit != strings.Repeat("n", 188)+strings.Repeat("o", 324) {
						t.Fatalf("seed %d: unit %d is %s", seed, i, runs(unit))
					}
				} else if unit != strings.Repeat(unit[:1], 512) || i >= 3*page+1024 && unit[0] != 'o' {
					t.Fatalf("seed %d: unit %d is %s", seed, i, runs(unit))
				}
			}
			images[sum(t, image, "/")] = true
			if sum(t, f.Crash(seed, mode), "/") != sum(t, image, "/") {
				t.Fatalf("seed %d is not repeatable", seed)
			}
			if sum(t, image.Crash(seed, mode), "/") != sum(t, image, "/") {
				t.Fatalf("seed %d: an image is not all durable", seed)
			}
		}
		if len(images) < 10 {
			t.Errorf("%v: only %d different images", mode, len(images))
		}
	}
}

// outcomes counts what a path looks like over many seeds.
func outcomes(t *testing.T, f *mappedtest.FS, look func(*mappedtest.FS) string) map[string]int {
	t.Helper()
	seen := map[string]int{}
	for seed := range uint64(300) {
		seen[look(f.Crash(seed, mappedtest.Random))]++
	}
	return seen
}

func wantOutcomes(t *testing.T, seen map[string]int, want ...string) {
	t.Helper()
	left := map[string]bool{}
	for _, w := range want {
		left[w] = true
	}
	for s := range seen {
		if !left[s] {
			t.Errorf("impossible outcome %q", s)
		}
		delete(left, s)
	}
	for s := range left {
		t.Errorf("outcome %q never seen in %v", s, seen)
	}
}

func TestNamesNeedSyncDir(t *testing.T) {
	f := mappedtest.NewFS()
	must(t, f.MkdirAll("/tmp"))
	must(t, f.MkdirAll("/d"))
	a := open(t, f, "/tmp/a", page)
	write(t, a, 0, 'a', page)
	must(t, a.Sync())
	look := func(i *mappedtest.FS) string {
		return "tmp " + runs(read(t, i, "/tmp/a")) + ", d " + runs(read(t, i, "/d/a"))
	}
	wantOutcomes(t, outcomes(t, f, look), "tmp absent, d absent", "tmp a*4096, d absent")
	must(t, f.Rename("/tmp/a", "/d/a"))
	wantOutcomes(t, outcomes(t, f, look), "tmp absent, d absent", "tmp a*4096, d absent", "tmp absent, d a*4096")
	if got := look(f.Crash(1, mappedtest.Nothing)); got != "tmp absent, d absent" {
		t.Errorf("Nothing left %q", got)
	}
	must(t, f.SyncDir("/d"))
	wantOutcomes(t, outcomes(t, f, look), "tmp absent, d a*4096")
	must(t, f.Remove("/d/a"))
	wantOutcomes(t, outcomes(t, f, look), "tmp absent, d a*4096", "tmp absent, d absent")
	if got := look(f.Kill()); got != "tmp absent, d absent" {
		t.Errorf("Kill left %q", got)
	}
	wantOutcomes(t, outcomes(t, f.Kill(), look), "tmp absent, d a*4096", "tmp absent, d absent")
	must(t, f.SyncDir("/d"))
	wantOutcomes(t, outcomes(t, f, look), "tmp absent, d absent")
}

// Two renames of one file: never the second without the first, never two names.
func TestChainOfRenames(t *testing.T) {
	f := mappedtest.NewFS()
	write(t, open(t, f, "/a", 0), 0, 'a', 5)
	must(t, f.SyncFS("/"))
	must(t, f.Rename("/a", "/b"))
	must(t, f.Rename("/b", "/c"))
	look := func(i *mappedtest.FS) string {
		list, err := i.ReadDir("/")
		must(t, err)
		return fmt.Sprint(len(list), " ", list[0].Name())
	}
	wantOutcomes(t, outcomes(t, f, look), "1 a", "1 b", "1 c")
}

func TestReplacingRename(t *testing.T) {
	f := mappedtest.NewFS()
	for _, name := range []string{"a", "b"} {
		h := open(t, f, "/"+name, 0)
		write(t, h, 0, name[0], 5)
		must(t, h.Sync())
	}
	must(t, f.SyncDir("/"))
	must(t, f.Rename("/a", "/b"))
	look := func(i *mappedtest.FS) string { return runs(read(t, i, "/a")) + " " + runs(read(t, i, "/b")) }
	wantOutcomes(t, outcomes(t, f, look), "a*5 b*5", "absent a*5")
}

func TestLengths(t *testing.T) {
	f := mappedtest.NewFS()
	a := open(t, f, "/a", 0)
	write(t, a, 0, 'a', 2*page)
	must(t, a.Sync())
	must(t, f.SyncDir("/"))
	look := func(i *mappedtest.FS) string {
		s := read(t, i, "/a")
		return fmt.Sprint(len(s), " ", len(strings.TrimRight(s, "\x00")))
	}
	must(t, a.Truncate(3*page)) // a longer file, no bytes
	wantOutcomes(t, outcomes(t, f, look), "8192 8192", "12288 8192")
	must(t, a.Datasync())
	wantOutcomes(t, outcomes(t, f, look), "12288 8192")
	must(t, a.Truncate(100)) // cut: the old bytes are all there or all gone
	must(t, a.Truncate(3*page))
	write(t, a, page, 'b', 10)
	image := f.Crash(1, mappedtest.Nothing)
	wantFile(t, image, "/a", "a*8192 .*4096")
	wantFile(t, f, "/a", "a*100 .*3996 b*10 .*8182")
	wantOutcomes(t, outcomes(t, f, func(i *mappedtest.FS) string { return runs(read(t, i, "/a")) }),
		"a*8192 .*4096", "a*100", "a*100 .*12188", "a*100 .*3996 b*10 .*8182")
	must(t, a.Truncate(100))
	must(t, a.Truncate(3*page))
	must(t, a.Sync())
	wantFile(t, f.Crash(1, mappedtest.Nothing), "/a", "a*100 .*12188")
}

// A flush of a mapping makes durable what is needed to read its pages again.
func TestFlushAndLength(t *testing.T) {
	f := mappedtest.NewFS()
	a := open(t, f, "/a", 0)
	write(t, a, 0, 'a', 3*page)
	must(t, a.Sync())
	must(t, f.SyncDir("/"))
	must(t, a.Truncate(0))
	must(t, a.Truncate(4*page))
	r, err := a.Map(0, 4*page, true)
	must(t, err)
	r.Bytes()[page] = 'x'
	must(t, r.Flush(page, 1))
	wantFile(t, f.Crash(1, mappedtest.Nothing), "/a", ".*4096 x*1 .*4095")
	wantFile(t, f.Crash(1, mappedtest.Everything), "/a", ".*4096 x*1 .*12287")
}

func TestKillKeepsWhatIsDirty(t *testing.T) {
	f := mappedtest.NewFS()
	a := open(t, f, "/a", page)
	must(t, a.Sync())
	must(t, f.SyncDir("/"))
	write(t, a, 0, 'a', 10)
	k := f.Kill()
	wantFile(t, k.Crash(1, mappedtest.Nothing), "/a", ".*4096")
	must(t, open(t, k, "/a", 0).Datasync())
	wantFile(t, k.Crash(1, mappedtest.Nothing), "/a", "a*10 .*4086")
}

func TestMkdirAllIsDurable(t *testing.T) {
	f := mappedtest.NewFS()
	must(t, f.MkdirAll("/x/y/z"))
	if _, err := f.Crash(1, mappedtest.Nothing).Stat("/x/y/z"); err != nil {
		t.Error(err)
	}
	must(t, f.Remove("/x/y/z"))
	if _, err := f.Crash(1, mappedtest.Nothing).Stat("/x/y/z"); err != nil {
		t.Errorf("removal without SyncDir: %v", err)
	}
}

func TestImagesShareNothing(t *testing.T) {
	f := mappedtest.NewFS()
	a := open(t, f, "/a", 0)
	write(t, a, 0, 'a', page)
	must(t, a.Sync())
	must(t, f.SyncDir("/"))
	must(t, a.Lock())
	for name, image := range map[string]*mappedtest.FS{
		"crash": f.Crash(1, mappedtest.Everything), "kill": f.Kill(), "drop": f.DropCaches(),
	} {
		b := open(t, image, "/a", 0)
		if err := b.Lock(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		write(t, b, 0, 'b', 10)
		must(t, b.Sync())
		must(t, image.MkdirAll("/new"))
		wantFile(t, f, "/a", "a*4096")
		wantFile(t, f.Crash(1, mappedtest.Nothing), "/a", "a*4096")
		if _, err := f.Stat("/new"); err == nil {
			t.Errorf("%s: a directory came back", name)
		}
	}
}

func BenchmarkCrash(b *testing.B) {
	f := mappedtest.NewFS()
	for n := range 4 {
		h, _ := f.OpenFile(fmt.Sprint("/", n), os.O_RDWR|os.O_CREATE, 0o644)
		_ = h.Truncate(256 << 10)
		_, _ = h.WriteAt(bytes.Repeat([]byte{byte(n + 1)}, 256<<10), 0)
		if n < 3 {
			_ = h.Sync()
		}
		_, _ = h.Map(0, 256<<10, true)
	}
	_ = f.SyncDir("/")
	seed := uint64(0)
	for b.Loop() {
		seed++
		_, _ = f.Crash(seed, mappedtest.Random).OpenFile("/3", os.O_RDWR, 0)
	}
}
