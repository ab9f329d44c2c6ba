package consumequeue

import (
	"errors"
	"io"
	"os"
	"path/filepath"

	"github.com/actorstore/actorstore/commitlog/mapped"
)

// mend makes a damaged queue whole that ends at index in its valid part.
func (q *Queue) mend(index int64, keep int) error {
	behind, err := q.filesBehind(keep)
	if err != nil {
		return err
	}
	for i := len(behind) - 1; i >= 0; i-- {
		if err := q.store.o.FS.Remove(behind[i]); err != nil {
			return err
		}
	}
	if err := q.dropFrom(keep); err != nil {
		return err
	}
	if keep > 0 {
		if err := q.remake(keep-1, index); err != nil {
			return err
		}
	}
	if err := q.syncDirs(); err != nil && !q.store.absent(q.dir()) {
		return err
	}
	q.damage = nil
	q.state.Store(stateReady)
	return nil
}

// filesBehind lists what the damage has cut off from the first keep files. A
// name that fits no position cannot be judged: the queue stays as it is.
func (q *Queue) filesBehind(keep int) ([]string, error) {
	entries, err := q.store.o.FS.ReadDir(q.dir())
	if err != nil {
		if errors.Is(err, os.ErrNotExist) {
			return nil, nil
		}
		return nil, err
	}
	set := q.files.Load()
	var paths []string
	for _, e := range entries {
		start, ok := mapped.ParseName(e.Name())
		if !ok || !e.Type().IsRegular() {
			continue
		}
		if start%q.fileSize() != 0 {
			return nil, q.damage
		}
		if set.empty() || (start-set.files[0].start)/q.fileSize() >= int64(max(len(set.files), keep)) {
			paths = append(paths, filepath.Join(q.dir(), e.Name()))
		}
	}
	return paths, nil
}

// remake replaces a file by one of full length that holds its units in front
// of index and zeros behind.
func (q *Queue) remake(i int, index int64) error {
	old := q.files.Load().files[i]
	f := q.newFile(old.start, false)
	n := index*q.kind.unitSize() - old.start
	src, err := q.store.o.FS.OpenFile(old.path(), os.O_RDONLY, 0o644)
	if err != nil {
		return err
	}
	defer src.Close()
	err = q.store.makeFile(f, func(dst mapped.File) error { return copyFront(dst, src, n) })
	if err != nil {
		return err
	}
	files := append([]*file(nil), q.files.Load().files...)
	files[i] = f
	q.files.Store(&fileSet{files: files})
	q.store.pool.retire(old)
	return q.store.syncFile(f)
}

func copyFront(dst io.WriterAt, src io.ReaderAt, n int64) error {
	b := make([]byte, min(n, 64<<10))
	for at := int64(0); at < n; at += int64(len(b)) {
		part := b[:min(n-at, int64(len(b)))]
		if _, err := src.ReadAt(part, at); err != nil && err != io.EOF {
			return err
		}
		if _, err := dst.WriteAt(part, at); err != nil {
			return err
		}
	}
	return nil
}
