package checkpoint

import (
	"errors"
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
	return errors.Join(disown(f), f.Close())
}

func disown(f mapped.File) error {
	var failed error
	for slot := range int64(2) {
		var b [markSlotSize]byte
		if n, err := f.ReadAt(b[:], slot*markSlotStep); n < len(b) {
			return err
		}
		m, ok := decodeMark(b[:])
		if !ok || m.Mounted == 0 {
			continue
		}
		m.Mounted = 0
		b = m.encode()
		_, err := f.WriteAt(b[:], slot*markSlotStep)
		failed = errors.Join(failed, err)
	}
	return failed
}
