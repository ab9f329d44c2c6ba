package checkpoint

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/actorstore/actorstore/commitlog/mapped"
)

// DisownMount takes the mount out of the marks that are there: a write of the log
// has failed, and the page cache may lose what it shows. It need not last longer
// than the page cache, so nothing is synced. Beside a WriteMark it may cost the mark
// that is being written.
func DisownMount(fsys mapped.FS, layout Layout) error {
	f, err := fsys.OpenFile(layout.MarkFile(), os.O_RDWR, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return errors.Join(disown(f, layout.MarkFile()), f.Close())
}

// disown goes on behind a slot that fails: the other one may be the newest.
func disown(f mapped.File, path string) (failed error) {
	for slot := range int64(2) {
		var b [markSlotSize]byte
		if n, err := f.ReadAt(b[:], slot*markSlotStep); n < len(b) {
			failed = errors.Join(failed, fmt.Errorf("read %s: %w", path, err))
			continue
		}
		m, ok := decodeMark(b[:])
		if !ok || m.Mounted == 0 {
			continue
		}
		m.Mounted = 0
		b = m.encode()
		if _, err := f.WriteAt(b[:], slot*markSlotStep); err != nil {
			failed = errors.Join(failed, fmt.Errorf("write %s: %w", path, err))
		}
	}
	return failed
}
