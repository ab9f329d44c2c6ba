package actors

import (
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/actorstore/actorstore/commitlog/mapped"
	"github.com/actorstore/actorstore/commitlog/record"
)

// sampled is how many files are looked at to tell the size of all.
const sampled = 64

// commonSize is the size that most of the segments have that stand depth
// directories below dir, the larger one if two are as frequent; 0 if there are
// none. One file may have been cut or be foreign.
func commonSize(fsys mapped.FS, dir string, depth int) (int64, error) {
	sizes := map[int64]int{}
	if _, err := countSizes(fsys, dir, depth, sampled, sizes); err != nil {
		return 0, err
	}
	size := int64(0)
	for s, n := range sizes {
		if n > sizes[size] || n == sizes[size] && s > size {
			size = s
		}
	}
	return size, nil
}

// countSizes counts at most room files by size and returns how many.
func countSizes(fsys mapped.FS, dir string, depth, room int, sizes map[int64]int) (n int, err error) {
	entries, err := fsys.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	for _, e := range entries {
		if err != nil || n >= room {
			return n, err
		}
		path := filepath.Join(dir, e.Name())
		if depth > 0 {
			if e.IsDir() {
				var k int
				k, err = countSizes(fsys, path, depth-1, room-n, sizes)
				n += k
			}
			continue
		}
		if _, ok := mapped.ParseName(e.Name()); !ok || !e.Type().IsRegular() {
			continue
		}
		info, ierr := fsys.Stat(path)
		if errors.Is(ierr, fs.ErrNotExist) {
			continue // the one who uses the store has just taken it away
		}
		if ierr != nil {
			return n, ierr
		}
		if info.Size() > 0 {
			sizes[info.Size()]++
			n++
		}
	}
	return n, err
}

// hasLightQueues tells by the directories: whether light queues were enabled
// stands in no file of a store.
func hasLightQueues(fsys mapped.FS, dir string) (bool, error) {
	entries, err := fsys.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return strings.HasPrefix(e.Name(), record.PrefixLMQ) }), err
}
