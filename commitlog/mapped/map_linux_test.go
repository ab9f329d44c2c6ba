package mapped_test

import (
	"path/filepath"
	"testing"

	"github.com/actorstore/actorstore/commitlog/mapped"
)

// A populated window can be stored to without taking room that was not
// allocated, and a cut file is an error of the call and not a fault.
func TestPopulate(t *testing.T) {
	f := create(t, mapped.OS(), filepath.Join(t.TempDir(), "a"), nil)
	defer f.Close()
	must(t, f.Allocate(0, 1<<20))
	r, err := f.Map(0, 1<<20, true)
	must(t, err)
	must(t, r.Populate(1<<18, 1<<18, true))
	must(t, mapped.Guard(func() { r.Bytes()[1<<18] = 1 }))
	must(t, f.Truncate(4096))
	if r.Populate(1<<18, 1<<18, true) == nil {
		t.Error("populating lost pages succeeded")
	}
	must(t, r.Unmap())
	// Asked to write, a read-only mapping is populated for reading.
	r, err = f.Map(0, 4096, false)
	must(t, err)
	must(t, r.Populate(0, 4096, true))
	must(t, r.Unmap())
}
