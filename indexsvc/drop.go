package indexsvc

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/actorstore/actorstore/commitlog/mapped"
)

// DeleteExpired removes files from the oldest on whose records have all left
// the log, never the last one. minPhyOffset is the log's first physical offset.
// It returns how many were removed.
func (s *Service) DeleteExpired(minPhyOffset int64) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.changeable(); err != nil {
		return 0, err
	}
	files := s.list()
	n := 0
	for n < len(files)-1 && files[n].endPhy.Load() < minPhyOffset {
		n++
	}
	if n == 0 {
		return 0, nil
	}
	s.publish(slices.Clone(files[n:]))
	return n, s.discard(files[:n], "")
}

// DropFrom takes the file of that name out of the index, and every file that is
// later by name or by content, damaged and unused ones among them. The caller
// then puts the records again from EndPhyOffset on (from the log's beginning if
// that is -1). The files are moved to asideDir, or removed if that is "".
func (s *Service) DropFrom(name, asideDir string) error {
	return s.drop(asideDir, func(f *indexFile) bool { return f.name >= name },
		func(leftOut string) bool { return leftOut >= name })
}

// TruncatePhysical takes out every file that has an entry for a record at or
// above end, after the log was cut there. Otherwise as DropFrom.
func (s *Service) TruncatePhysical(end int64, asideDir string) error {
	return s.drop(asideDir, func(f *indexFile) bool { return f.endPhy.Load() >= end && f.known() },
		func(string) bool { return false })
}

// Reset takes out every file, damaged and unused ones too. Otherwise as DropFrom.
func (s *Service) Reset(asideDir string) error { return s.DropFrom("", asideDir) }

func (s *Service) drop(asideDir string, gone func(*indexFile) bool, goneLeftOut func(name string) bool) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.changeable(); err != nil {
		return err
	}
	files := s.list()
	n := slices.IndexFunc(files, gone)
	if n < 0 {
		n = len(files)
	}
	out := slices.Clone(files[n:])
	if len(out) > 0 {
		s.publish(slices.Clone(files[:n]))
	}
	var left []string
	kept := s.damaged[:0]
	for _, d := range s.damaged {
		if goneLeftOut(filepath.Base(d.Path)) {
			left = append(left, d.Path)
		} else {
			kept = append(kept, d)
		}
	}
	s.damaged = kept
	var unused []string
	for _, path := range s.unused {
		if goneLeftOut(filepath.Base(path)) {
			left = append(left, path)
		} else {
			unused = append(unused, path)
		}
	}
	s.unused = unused
	// The newest first: whatever a crash leaves is a beginning of the index. For
	// the same reason the first file that stays ends it: without those in front of
	// it there would be a hole, and nothing tells the next opening of that.
	for _, f := range out {
		f.retire()
	}
	for _, f := range slices.Backward(out) {
		if err := s.away(f.path, asideDir); err != nil {
			return err
		}
	}
	for _, path := range left {
		if err := s.away(path, asideDir); err != nil {
			return err
		}
	}
	return nil
}

// discard retires files that are out of the list and takes their names away.
func (s *Service) discard(files []*indexFile, asideDir string) error {
	for _, f := range files {
		f.retire()
	}
	var failed error
	for _, f := range files {
		failed = errors.Join(failed, s.away(f.path, asideDir))
	}
	return failed
}

// away removes a file or moves it aside under a name that is free.
func (s *Service) away(path, asideDir string) error {
	if asideDir == "" {
		if err := s.remove(path); err != nil {
			return fmt.Errorf("remove index file: %w", err)
		}
		return nil
	}
	if err := s.o.FS.MkdirAll(asideDir); err != nil {
		return fmt.Errorf("keep index file aside: %w", err)
	}
	to, err := mapped.Free(s.o.FS, asideDir, "index-"+filepath.Base(path))
	if err != nil {
		return fmt.Errorf("keep index file aside: %w", err)
	}
	if err := s.o.FS.Rename(path, to); err != nil {
		return fmt.Errorf("keep index file aside: %w", err)
	}
	// The new name first: between the two the file may have both, never none.
	return errors.Join(s.o.FS.SyncDir(asideDir), s.o.FS.SyncDir(s.o.Dir))
}
