package mappedtest

import (
	"io/fs"

	"github.com/actorstore/actorstore/commitlog/mapped"
)

// OpenFile is mapped.FS's, under the rules; so are the others.
func (s *Script) OpenFile(name string, flag int, perm fs.FileMode) (mapped.File, error) {
	var f mapped.File
	err := s.do(Call{Op: OpOpen, Path: name}, func() (err error) {
		f, err = s.fs.OpenFile(name, flag, perm)
		return err
	}, nil)
	if err != nil {
		return nil, err
	}
	return &scriptFile{s: s, f: f}, nil
}

// Mkdir is OpMkdir.
func (s *Script) Mkdir(name string) error {
	return s.do(Call{Op: OpMkdir, Path: name}, func() error { return s.fs.Mkdir(name) }, nil)
}

// MkdirAll is OpMkdirAll.
func (s *Script) MkdirAll(name string) error {
	return s.do(Call{Op: OpMkdirAll, Path: name}, func() error { return s.fs.MkdirAll(name) }, nil)
}

// ReadDir is OpReadDir.
func (s *Script) ReadDir(name string) (list []fs.DirEntry, err error) {
	err = s.do(Call{Op: OpReadDir, Path: name}, func() (err error) {
		list, err = s.fs.ReadDir(name)
		return err
	}, nil)
	return list, err
}

// Stat is OpStat.
func (s *Script) Stat(name string) (info fs.FileInfo, err error) {
	err = s.do(Call{Op: OpStat, Path: name}, func() (err error) {
		info, err = s.fs.Stat(name)
		return err
	}, nil)
	return info, err
}

// Rename is OpRename; its path is the new name.
func (s *Script) Rename(oldName, newName string) error {
	return s.do(Call{Op: OpRename, Path: newName}, func() error { return s.fs.Rename(oldName, newName) }, nil)
}

// Remove is OpRemove.
func (s *Script) Remove(name string) error {
	return s.do(Call{Op: OpRemove, Path: name}, func() error { return s.fs.Remove(name) }, nil)
}

// SyncDir is OpSyncDir.
func (s *Script) SyncDir(name string) error {
	return s.do(Call{Op: OpSyncDir, Path: name}, func() error { return s.fs.SyncDir(name) }, nil)
}

// Mounted is no call: it cannot fail.
func (s *Script) Mounted(name string) uint32 { return s.fs.Mounted(name) }

// SyncFS is OpSyncFS.
func (s *Script) SyncFS(name string) error {
	return s.do(Call{Op: OpSyncFS, Path: name}, func() error { return s.fs.SyncFS(name) }, func(r *Rule) {
		if f, ok := s.fs.(interface{ failSyncFS(landed int) }); ok {
			f.failSyncFS(r.Landed)
		}
	})
}

// failSyncFS passes a failed sync on, for a Script before a Script.
func (s *Script) failSyncFS(landed int) {
	if f, ok := s.fs.(interface{ failSyncFS(landed int) }); ok {
		f.failSyncFS(landed)
	}
}

// DiskUsage is OpDiskUsage.
func (s *Script) DiskUsage(name string) (u mapped.DiskUsage, err error) {
	err = s.do(Call{Op: OpDiskUsage, Path: name}, func() (err error) {
		u, err = s.fs.DiskUsage(name)
		return err
	}, nil)
	return u, err
}
