package mapped

import (
	"io"
	"io/fs"
)

// FS is the only door to files. Everything in the store opens, creates, maps,
// locks, renames and removes through it, so that a test can put a crash image
// or a fault script behind the same calls. All methods may be called from any
// goroutine. Names are ordinary OS paths.
type FS interface {
	// OpenFile opens or creates a file; flag as in os.OpenFile.
	OpenFile(name string, flag int, perm fs.FileMode) (File, error)
	// MkdirAll makes a directory and its parents and syncs each new entry.
	MkdirAll(name string) error
	// Mkdir makes one directory whose parent exists; durable after SyncDir.
	Mkdir(name string) error
	// ReadDir lists a directory sorted by name.
	ReadDir(name string) ([]fs.DirEntry, error)
	// Stat follows no symbolic link.
	Stat(name string) (fs.FileInfo, error)
	// Rename replaces newName atomically; durable after SyncDir.
	Rename(oldName, newName string) error
	// Remove removes a file or an empty directory; durable after SyncDir.
	Remove(name string) error
	// SyncDir makes the entries of a directory durable.
	SyncDir(name string) error
	// SyncFS makes everything on the file system that holds name durable.
	SyncFS(name string) error
	// Mounted stands for the time since the file system that holds name was
	// mounted: while it is the same no power cut has come in between. 0 = not
	// known. Another number says nothing.
	Mounted(name string) uint32
	// DiskUsage tells the size and the free space of the file system of name.
	DiskUsage(name string) (DiskUsage, error)
}

// DiskUsage is in bytes; Free is what an ordinary user may still write.
type DiskUsage struct{ Total, Used, Free int64 }

// Ratio is used/(used+free) as RocketMQ counts it, 0..1; -1 if unknown.
func (u DiskUsage) Ratio() float64 {
	if u.Used+u.Free <= 0 {
		return -1
	}
	return float64(u.Used) / float64(u.Used+u.Free)
}

// File is an open file. Reads and writes are positioned; there is no cursor.
type File interface {
	io.ReaderAt
	io.WriterAt
	io.Closer
	// Name is the path that the file was opened with.
	Name() string
	// Size is the length of the file in bytes.
	Size() (int64, error)
	// Truncate sets the length; new bytes read as zero and may be a hole.
	Truncate(size int64) error
	// Allocate reserves disk space for [off, off+n) and extends the file;
	// it fails with ENOSPC instead of leaving that to a later page fault.
	Allocate(off, n int64) error
	// Writeback lets the kernel begin to write the changed pages that hold
	// [off, off+n), so that a Sync later waits for less. It makes nothing durable.
	// Where the system has no such call it does nothing.
	Writeback(off, n int64) error
	// Sync makes data and metadata durable, Datasync the data and the size.
	// A failed call may have lost the data: it must never be repeated in hope.
	Sync() error
	Datasync() error
	// Map maps [off, off+n), off a multiple of the page size.
	Map(off, n int64, writable bool) (Region, error)
	// Lock takes an exclusive lock on byte 0 (length 1) without waiting; it
	// excludes the Java engine and other opens in this process. It is held
	// until Close. ErrLocked if another holder has it.
	Lock() error
	// Locked reports whether another holder has the lock; takes nothing.
	Locked() (bool, error)
}

// Region is a mapped range of a file. Bytes may be touched only inside Guard.
type Region interface {
	// Bytes is the mapped memory; invalid after Unmap.
	Bytes() []byte
	// Flush makes the pages that hold [off, off+n) durable (MS_SYNC).
	Flush(off, n int64) error
	// Populate brings pages in ahead of use by a system call; write also
	// makes them writable without a later fault. Best effort.
	Populate(off, n int64, write bool) error
	// Random tells the kernel not to read ahead. Best effort.
	Random() error
	// Unwritten is the first position of [off, off+n) whose place on the disk the
	// file system counts as never written, -1 if there is none or it does not say.
	// Behind a Sync of bytes that were written there it is a place that no Sync
	// makes durable; see the package comment.
	Unwritten(off, n int64) (at int64, err error)
	// Drop takes the pages that hold [off, off+n) out of memory, to be read from
	// the disk at the next touch. It is for pages that no write is waiting for,
	// and best effort: stays is the first position of a page that is still there
	// although Unwritten, -1 if there is none.
	Drop(off, n int64) (stays int64, err error)
	// Unmap ends the mapping.
	Unmap() error
}
