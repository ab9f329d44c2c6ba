package checkpoint

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/actorstore/actorstore/commitlog/mapped"
)

// ErrUnsupported is what errors.Is finds in every UnsupportedError.
var ErrUnsupported = errors.New("store not supported")

// UnsupportedError says that a store uses a part of RocketMQ that this engine
// does not read, so that opening it would give wrong answers.
type UnsupportedError struct {
	Path string // what was found
	Why  string // what it means and what to do
}

// Error names the path and the reason.
func (e *UnsupportedError) Error() string {
	return fmt.Sprintf("store not supported: %s: %s", e.Path, e.Why)
}

// Is makes errors.Is(err, ErrUnsupported) true.
func (e *UnsupportedError) Is(target error) bool { return target == ErrUnsupported }

// multiPathSplitter is RocketMQ's default sign between several paths.
const multiPathSplitter = ","

// Refuse looks for the kinds of store that cannot be opened: RocksDB queues, a
// DLedger log, several commit log paths. It returns *UnsupportedError for them
// and creates nothing. A root that does not exist is fine.
func (l Layout) Refuse(fsys mapped.FS) error {
	if strings.Contains(l.commitLog, multiPathSplitter) {
		return &UnsupportedError{Path: l.commitLog,
			Why: "a commit log spread over several paths; move the segments into one directory"}
	}
	for _, dir := range []string{l.ConsumeQueue(), l.RocksDBQueue()} {
		current := filepath.Join(dir, "CURRENT")
		found, err := exists(fsys, current)
		if err != nil {
			return err
		}
		if found {
			return &UnsupportedError{Path: current,
				Why: "consume queues kept in RocksDB (storeType=defaultRocksDB); export them to file queues first"}
		}
	}
	return l.refuseDLedger(fsys)
}

// refuseDLedger looks for dledger-<selfId>, where a DLedger broker keeps its log.
func (l Layout) refuseDLedger(fsys mapped.FS) error {
	entries, err := fsys.ReadDir(l.Root)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("list store root: %w", err)
	}
	for _, e := range entries {
		if e.IsDir() && strings.HasPrefix(e.Name(), "dledger-") {
			return &UnsupportedError{Path: filepath.Join(l.Root, e.Name()),
				Why: "a DLedger commit log (enableDLegerCommitLog); its records are wrapped in another format"}
		}
	}
	return nil
}

func exists(fsys mapped.FS, path string) (bool, error) {
	_, found, err := fileSize(fsys, path)
	return found, err
}
