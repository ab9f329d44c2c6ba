package e2e

import (
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

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

// Copy copies a directory, which may be in use: then it is what a kill at this
// moment would leave, if nothing changes meanwhile.
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
		b, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(target, b, 0o644)
	})
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
