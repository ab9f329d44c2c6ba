package checkpoint_test

import (
	"errors"
	"path/filepath"
	"testing"

	"github.com/actorstore/actorstore/commitlog/checkpoint"
	"github.com/actorstore/actorstore/commitlog/mapped"
	"github.com/actorstore/actorstore/commitlog/mapped/mappedtest"
)

var errInjected = errors.New("injected")

// trace gives the calls as "op name".
func trace(s *mappedtest.Script) []string {
	var list []string
	for _, c := range s.Trace() {
		if c.Op != mappedtest.OpClose {
			list = append(list, c.Op.String()+" "+filepath.Base(c.Path))
		}
	}
	return list
}

// sweep runs do with the first call failing, then the second, and so on until a
// run needs no more calls. Each run starts from prepare's fresh store; check
// sees the store after a failed run, without faults.
func sweep(t *testing.T, prepare func(t *testing.T) (mapped.FS, checkpoint.Layout),
	do func(mapped.FS, checkpoint.Layout) error, check func(*testing.T, mapped.FS, checkpoint.Layout)) {
	t.Helper()
	for k := 1; k < 200; k++ {
		base, layout := prepare(t)
		f := mappedtest.NewScript(base)
		f.FailAt(k, errInjected)
		err := do(f, layout)
		calls := f.Trace()
		if len(calls) < k {
			if err != nil {
				t.Fatalf("run without a fault: %v", err)
			}
			if k == 1 {
				t.Fatal("nothing to fail")
			}
			return
		}
		// A file that was only read may fail to close unseen.
		if !errors.Is(err, errInjected) && (err != nil || calls[k-1].Op != mappedtest.OpClose) {
			t.Fatalf("%v, got error %v", calls[k-1], err)
		}
		check(t, base, layout)
	}
	t.Fatal("no end")
}
