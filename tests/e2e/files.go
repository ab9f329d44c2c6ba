package e2e

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/actorstore/actorstore"
	"github.com/actorstore/actorstore/tests/golden"
)

// Options are those to open a store with that was written with these settings.
// A zero size is the default. Nothing is deleted behind a test's back, however
// old the messages and however full the disk.
func Options(root string, s golden.Settings) actorstore.Options {
	o := actorstore.DefaultOptions(root)
	if s.SegmentSize != 0 {
		o.MappedFileSizeCommitLog = int64(s.SegmentSize)
	}
	if s.QueueFileSize != 0 {
		o.MappedFileSizeConsumeQueue = int64(s.QueueFileSize)
	}
	if s.MaxHashSlotNum != 0 {
		o.MaxHashSlotNum = s.MaxHashSlotNum
	}
	if s.MaxIndexNum != 0 {
		o.MaxIndexNum = s.MaxIndexNum
	}
	o.EnabledAppendPropCRC = s.AppendCRC
	o.EnableLmq, o.EnableMultiDispatch = s.LMQ, s.LMQ
	o.FileReservedTime = 0
	o.CleanFileForciblyEnable = false
	o.DiskMaxUsedSpaceRatio, o.DiskSpaceCleanForciblyRatio, o.DiskSpaceWarningLevelRatio = 100, 100, 100
	return o
}

// CopyInUse copies the store of a process that goes on: it is what a kill at this
// moment would leave. Though nobody puts, the store writes a mark, a summary or the
// next segment when it comes to it, and then the copy is made again.
func CopyInUse(from, to string) error {
	for end := time.Now().Add(time.Minute); ; {
		before, err := Tree(from)
		if err == nil {
			err = Copy(from, to)
		}
		after, looked := Tree(from)
		if err = errors.Join(err, looked); err == nil && after == before {
			return nil
		}
		if err == nil || errors.Is(err, fs.ErrNotExist) { // it has moved
			err = os.RemoveAll(to)
		}
		if err != nil {
			return err
		}
		if time.Now().After(end) {
			return fmt.Errorf("%s does not come to rest", from)
		}
	}
}

// Copy copies a directory that is not in use.
func Copy(from, to string) error {
	return filepath.WalkDir(from, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		target := filepath.Join(to, rel)
		if e.IsDir() {
			return os.MkdirAll(target, 0o755)
		}
		return copyFile(path, target)
	})
}

// copyFile copies the bytes that are not zero: files of a store are mostly
// empty.
func copyFile(from, to string) (err error) {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.Create(to)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	buf, zeros, at := make([]byte, 1<<16), make([]byte, 1<<16), int64(0)
	for {
		n, err := io.ReadFull(in, buf)
		if n > 0 && !bytes.Equal(buf[:n], zeros[:n]) {
			if _, err := out.WriteAt(buf[:n], at); err != nil {
				return err
			}
		}
		at += int64(n)
		if err == io.EOF || err == io.ErrUnexpectedEOF {
			return out.Truncate(at)
		}
		if err != nil {
			return err
		}
	}
}

// Tree lists what stands below a directory, a line for each entry: name, mode,
// size, time of change and a hash of the contents. Two equal lists mean that
// nothing was touched.
func Tree(dir string) (string, error) {
	var b strings.Builder
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		fmt.Fprintf(&b, "%s %v %s", rel, info.Mode(), info.ModTime().Format("150405.000000000"))
		if info.Mode().IsRegular() {
			content, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			fmt.Fprintf(&b, " %d %x", len(content), sha256.Sum256(content))
		}
		b.WriteByte('\n')
		return nil
	})
	return b.String(), err
}
