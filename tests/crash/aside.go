package crash

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/actorstore/actorstore/commitlog/checkpoint"
	"github.com/actorstore/actorstore/commitlog/mapped"
)

// piece is a range of a log.
type piece struct {
	at int64
	b  []byte
}

// logBytes are ranges of a log as they stand somewhere; they may overlap.
type logBytes []piece

// readLog reads all segments.
func readLog(fsys mapped.FS) (logBytes, error) {
	dir := checkpoint.NewLayout(root, "").CommitLog()
	var out logBytes
	list, err := fsys.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return out, nil
	}
	for _, e := range list {
		at, ok := mapped.ParseName(e.Name())
		if !ok || e.IsDir() {
			continue
		}
		b, err := readFile(fsys, filepath.Join(dir, e.Name()))
		if err != nil {
			return nil, err
		}
		out = append(out, piece{at, b})
	}
	return out, err
}

func readFile(fsys mapped.FS, path string) ([]byte, error) {
	f, err := fsys.OpenFile(path, os.O_RDONLY, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	n, err := f.Size()
	if err != nil || n == 0 {
		return nil, err
	}
	b := make([]byte, n)
	_, err = f.ReadAt(b, 0)
	return b, err
}

// kept wants every byte that stood behind end, zeros apart, to be kept aside.
func (l logBytes) kept(fsys mapped.FS, end int64) error {
	var aside logBytes
	for _, p := range l {
		at, b := p.at, p.b
		for i := max(end-at, 0); i < int64(len(b)); i++ {
			if b[i] == 0 {
				continue
			}
			if aside == nil {
				var err error
				if aside, err = readAside(fsys); err != nil {
					return err
				}
			}
			if !aside.has(at+i, b[i]) {
				return fmt.Errorf("byte %#x at %d was cut at %d and is not kept aside", b[i], at+i, end)
			}
		}
	}
	return nil
}

func (l logBytes) has(at int64, c byte) bool {
	for _, p := range l {
		if i := at - p.at; i >= 0 && i < int64(len(p.b)) && p.b[i] == c {
			return true
		}
	}
	return false
}

// readAside reads what recovery has kept of the log, now and in earlier lives.
func readAside(fsys mapped.FS) (logBytes, error) {
	dir := checkpoint.NewLayout(root, "").Aside()
	list, err := fsys.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var out logBytes
	for _, e := range list {
		name, ok := strings.CutPrefix(e.Name(), "commitlog-")
		if !ok {
			continue
		}
		name, _, _ = strings.Cut(name, ".")
		at, ok := mapped.ParseName(name)
		if !ok {
			continue
		}
		b, err := readFile(fsys, filepath.Join(dir, e.Name()))
		if err != nil {
			return nil, err
		}
		out = append(out, piece{at, b})
	}
	return out, nil
}
