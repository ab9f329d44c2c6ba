package checkpoint

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"

	"github.com/actorstore/actorstore/commitlog/mapped"
)

const asideChunk = 64 << 10

// Aside keeps the bytes of r under actorstore/aside before they are cut away,
// and returns the path of the file. The file is durable when it returns. name
// says where the bytes come from, for example "commitlog-00000000000000065536";
// it is one path element, of any length (see mapped.Fit). A part of the bytes' own hash
// makes the file's name unique, so a recovery that is cut and runs again keeps the
// same bytes once. Nothing to keep gives "" and no file. Runs of zeros take no space.
func Aside(fsys mapped.FS, layout Layout, name string, r io.Reader) (path string, err error) {
	if name == "" || filepath.Base(name) != name || !filepath.IsLocal(name) {
		return "", fmt.Errorf("keep aside: %q is not a file name", name)
	}
	for _, dir := range []string{layout.Tmp(), layout.Aside()} {
		if err := fsys.MkdirAll(dir); err != nil {
			return "", fmt.Errorf("make %s: %w", dir, err)
		}
	}
	f, tmp, err := createUnique(fsys, layout.Tmp(), "aside-"+name)
	if err != nil {
		return "", err
	}
	sum, n, err := copyBytes(f, r)
	if err == nil && n > 0 {
		err = f.Sync()
	}
	err = errors.Join(err, f.Close())
	if err != nil || n == 0 {
		fsys.Remove(tmp)
		if err != nil {
			return "", fmt.Errorf("keep %s aside: %w", name, err)
		}
		return "", nil
	}
	path = filepath.Join(layout.Aside(), mapped.Fit(name, "."+hex.EncodeToString(sum[:8])))
	return path, moveIn(fsys, tmp, path)
}

// createUnique makes a file that no other call is using.
func createUnique(fsys mapped.FS, dir, name string) (mapped.File, string, error) {
	for i := 0; ; i++ {
		tmp := filepath.Join(dir, mapped.Fit(name, "."+strconv.Itoa(i)))
		f, err := fsys.OpenFile(tmp, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o644)
		if err == nil {
			return f, tmp, nil
		}
		if !errors.Is(err, fs.ErrExist) {
			return nil, "", fmt.Errorf("create %s: %w", tmp, err)
		}
	}
}

// copyBytes writes r into f, leaving holes where it is zero, and hashes it.
func copyBytes(f mapped.File, r io.Reader) (sum [sha256.Size]byte, n int64, err error) {
	h := sha256.New()
	buf := make([]byte, asideChunk)
	for {
		k, rerr := io.ReadFull(r, buf)
		if k > 0 {
			h.Write(buf[:k])
			if !allZero(buf[:k]) {
				if _, err := f.WriteAt(buf[:k], n); err != nil {
					return sum, n, err
				}
			}
			n += int64(k)
		}
		if rerr == io.EOF || rerr == io.ErrUnexpectedEOF {
			break
		}
		if rerr != nil {
			return sum, n, rerr
		}
	}
	h.Sum(sum[:0])
	return sum, n, f.Truncate(n)
}

func allZero(b []byte) bool {
	for _, c := range b {
		if c != 0 {
			return false
		}
	}
	return true
}
