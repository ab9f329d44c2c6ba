package mapped_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"unicode/utf8"

	"github.com/actorstore/actorstore/commitlog/mapped"
	"github.com/actorstore/actorstore/commitlog/mapped/mappedtest"
)

// TestFit: what fits stays as it is; what does not differs where the names do,
// and no letter is cut in two.
func TestFit(t *testing.T) {
	short := strings.Repeat("a", 253)
	if got := mapped.Fit(short, ".1"); got != short+".1" {
		t.Errorf("it fits, but %s", got)
	}
	for _, name := range []string{short + "a", strings.Repeat("a", 5000), strings.Repeat("\u00e4", 200), strings.Repeat("\u65e5", 99)} {
		got := mapped.Fit(name, ".1")
		if len(got) > 255 || len(got) < 240 || !strings.HasSuffix(got, ".1") || !utf8.ValidString(got) || got != mapped.Fit(name, ".1") {
			t.Errorf("%d bytes, %s", len(got), got)
		}
		middle := len(name) / 2 &^ 1
		other := name[:middle] + "bb" + name[middle+2:]
		if mapped.Fit(other, ".1") == got {
			t.Errorf("another name, too: %s", got)
		}
	}
}

// TestFree: nothing that stands there is given, however long its name is.
func TestFree(t *testing.T) {
	fsys := mappedtest.NewFS()
	for _, name := range []string{"a", strings.Repeat("n", 255)} {
		for i, want := range []string{name, mapped.Fit(name, ".1"), mapped.Fit(name, ".2")} {
			path, err := mapped.Free(fsys, "/", name)
			if err != nil || path != filepath.Join("/", want) {
				t.Fatalf("%d: %s, %v", i, path, err)
			}
			if err := fsys.Mkdir(path); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// TestFreeUnknown: a disk that does not say whether a name is taken was asked for the
// next one for ever.
func TestFreeUnknown(t *testing.T) {
	asked := 0
	script := mappedtest.NewScript(mappedtest.NewFS(), mappedtest.Rule{Op: mappedtest.OpStat, Forever: true, Err: syscall.EIO, Before: func() {
		if asked++; asked > 100 {
			panic("it is asked for ever")
		}
	}})
	if path, err := mapped.Free(script, "/", "a"); !errors.Is(err, syscall.EIO) || path != "" || os.IsNotExist(err) {
		t.Errorf("%q, %v", path, err)
	}
}
