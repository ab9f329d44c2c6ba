package checkpoint

import (
	"fmt"
	"os"
	"strconv"

	"github.com/actorstore/actorstore/commitlog/mapped"
)

// CreateAbort marks the store as in use: if the marker is there at the next
// start, the last stop was not clean. pid is its content, for people only. The
// file and its name are durable when the call returns nil.
func CreateAbort(fsys mapped.FS, layout Layout, pid int) error {
	path := layout.AbortFile()
	f, err := fsys.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o644)
	if err != nil {
		return fmt.Errorf("create abort marker: %w", err)
	}
	if err := writeSync(f, []byte(strconv.Itoa(pid))); err != nil {
		return fmt.Errorf("write abort marker %s: %w", path, err)
	}
	return syncDirOf(fsys, path)
}

// RemoveAbort declares a clean stop. The caller has made everything durable
// before. A missing marker is no error.
func RemoveAbort(fsys mapped.FS, layout Layout) error {
	return remove(fsys, layout.AbortFile(), "abort marker")
}

// HasAbort tells whether the marker is there, that is, whether the last stop
// was not clean. On an error the answer is unknown: take it as not clean.
func HasAbort(fsys mapped.FS, layout Layout) (bool, error) {
	return exists(fsys, layout.AbortFile())
}
