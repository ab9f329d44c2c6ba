package mappedtest

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/actorstore/actorstore/commitlog/mapped"
)

// twice makes directories from two places, of which one is called twice, and counts
// those that fail. Goroutines do it, so that their order is any.
func twice(fsys mapped.FS) (failed string) {
	var wg sync.WaitGroup
	errs := make([]error, 3)
	for i := range 2 {
		wg.Go(func() { errs[i] = fsys.Mkdir(fmt.Sprint("/", i)) })
	}
	wg.Go(func() { errs[2] = fsys.Mkdir("/other") })
	wg.Wait()
	for i, err := range errs {
		if err != nil {
			failed += fmt.Sprint(i)
		}
	}
	return failed
}

// TestEachPlaceFails: whatever the order of calls, each place fails once and then
// always, by the word of Script too.
func TestEachPlaceFails(t *testing.T) {
	var got []string
	for image, script := range EachPlace(NewFS(), 1, syscall.EIO) {
		failed := twice(script)
		script.Clear()
		_, err := script.Stat("/behind") // no place of the run
		if c, ok := script.Failed(); ok != (failed != "") || ok && !errors.Is(c.Err, syscall.EIO) || !os.IsNotExist(err) {
			t.Errorf("%v %v, %q failed, then %v", c, ok, failed, err)
		}
		for _, path := range []string{"/0", "/1", "/other"} {
			at := strings.TrimPrefix(strings.Replace(path, "other", "2", 1), "/")
			if _, err := image.Stat(path); (err != nil) != strings.Contains(failed, at) {
				t.Errorf("%s: %v, and %q failed", path, err, failed)
			}
		}
		got = append(got, strings.Replace(failed, "1", "0", 1))
	}
	slices.Sort(got)
	if fmt.Sprint(got) != "[ 0 00 2 2]" {
		t.Errorf("failed: %q", got)
	}
}

// TestEachPlaceIsMetAgain: what fails nothing must not pass for what withstands.
func TestEachPlaceIsMetAgain(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("no word of places that were not met again")
		}
	}()
	runs := 0
	for _, script := range EachPlace(NewFS(), 1, syscall.EIO) {
		if runs++; runs == 1 {
			_ = script.Mkdir("/a")
			_ = script.Mkdir("/b")
			_ = script.Mkdir("/c")
		}
	}
}
