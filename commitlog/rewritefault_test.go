//go:build unix

package commitlog_test

import (
	"errors"
	"testing"

	"github.com/actorstore/actorstore/commitlog/mapped"
)

// A page that cannot be read is a fault with its place, not an error of the write: the
// compiler had left out the reads that find it, since nobody asked for their sum.
func TestRewriteMeetsAFault(t *testing.T) {
	b := begin(t, mapped.OS(), t.TempDir(), sized(1<<20), staged)
	b.fill(3, 100_000)
	noErr(t, b.disk.Flush())
	end, f := b.log.Appended(), b.log.Segments()[0]
	noErr(t, f.File().Truncate(4096))
	for name, do := range map[string]func() error{
		"renew": func() error { return b.log.Renew(0) }, "rewrite": func() error { return durably(b.log, 0, end) },
	} {
		var fault *mapped.FaultError
		if err := do(); !errors.As(err, &fault) || fault.Path != f.Path() || fault.Offset/4096 != 1 {
			t.Errorf("%s: got %v, want a fault in the second page of %s", name, err, f.Path())
		}
	}
}
