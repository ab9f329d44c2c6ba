package mapped_test

import (
	"os"
	"testing"

	"github.com/actorstore/actorstore/commitlog/mapped"
)

// A mount keeps its number, and shares it with no other.
func TestMounted(t *testing.T) {
	a, b := mapped.OS().Mounted(t.TempDir()), mapped.OS().Mounted(t.TempDir())
	if a != b {
		t.Errorf("one file system has the numbers %d and %d", a, b)
	}
	if _, err := os.Stat("/dev/shm"); err == nil && a != 0 && a == mapped.OS().Mounted("/dev/shm") {
		t.Errorf("two file systems have the number %d", a)
	}
	if none := mapped.OS().Mounted("/no such folder"); none != 0 {
		t.Errorf("what is not there has the number %d", none)
	}
}
