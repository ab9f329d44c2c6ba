package mapped

import (
	"fmt"
	"io/fs"
	"slices"
	"syscall"
)

// Add appends a file, which must have the queue's file size and, unless the
// queue is empty, begin where the last one ends. The queue owns it from then on.
func (q *MappedFileQueue) Add(f *MappedFile) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	files := q.Files()
	switch {
	case f.size != q.fileSize:
		return fmt.Errorf("mapped: %s: file of %d bytes added to a queue of %d", f.path, f.size, q.fileSize)
	case f.offset < 0 || f.offset%q.fileSize != 0:
		return fmt.Errorf("mapped: %s: offset %d is no multiple of %d", f.path, f.offset, q.fileSize)
	case len(files) > 0 && files[len(files)-1].End() != f.offset:
		return fmt.Errorf("mapped: %s: offset %d added behind %d", f.path, f.offset, files[len(files)-1].End())
	}
	next := append(slices.Clone(files), f)
	q.files.Store(&next)
	return nil
}

// RemoveFirst takes files off the head of the list up to the first one that
// keep wants, and returns them, oldest first. They are out of sight but neither
// retired nor deleted: pass them to Delete.
func (q *MappedFileQueue) RemoveFirst(keep func(*MappedFile) bool) []*MappedFile {
	q.mu.Lock()
	defer q.mu.Unlock()
	files := q.Files()
	n := 0
	for n < len(files) && !keep(files[n]) {
		n++
	}
	if n == 0 {
		return nil
	}
	next := slices.Clone(files[n:])
	q.files.Store(&next)
	return slices.Clone(files[:n])
}

// RemoveFrom takes every file that begins at or above offset off the list and
// returns them, newest first: deleted in that order they leave no gap behind.
func (q *MappedFileQueue) RemoveFrom(offset int64) []*MappedFile {
	q.mu.Lock()
	defer q.mu.Unlock()
	files := q.Files()
	n := len(files)
	for n > 0 && files[n-1].offset >= offset {
		n--
	}
	if n == len(files) {
		return nil
	}
	next := slices.Clone(files[:n])
	q.files.Store(&next)
	gone := slices.Clone(files[n:])
	slices.Reverse(gone)
	return gone
}

// Delete retires files that were taken off the list and removes their names,
// each removal synced before the next so that no crash can leave a gap. It
// returns the files whose removal failed or was not tried after a failure, to
// be given to Delete again; readers that hold a file keep its bytes until they
// release it.
func (q *MappedFileQueue) Delete(files ...*MappedFile) (left []*MappedFile, err error) {
	if q.readOnly {
		return files, &fs.PathError{Op: "remove", Path: q.dir, Err: syscall.EROFS}
	}
	for _, f := range files {
		f.Retire()
	}
	for i, f := range files {
		if err := removed(q.fs, f.path); err != nil {
			return files[i:], err
		}
		if err := q.fs.SyncDir(q.dir); err != nil {
			return files[i:], err
		}
	}
	return nil, nil
}

// Close retires every file. Holders keep theirs until they release it.
func (q *MappedFileQueue) Close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	files := q.Files()
	q.files.Store(new([]*MappedFile))
	for _, f := range files {
		f.Retire()
	}
}
