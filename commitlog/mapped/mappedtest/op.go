package mappedtest

import "fmt"

// Op is a call of mapped.FS, mapped.File or mapped.Region.
type Op int

// The calls that a Script sees. Name and Bytes are not calls: they cannot fail.
const (
	OpAny Op = iota // in a rule: every call
	OpOpen
	OpMkdirAll
	OpMkdir
	OpReadDir
	OpStat
	OpRename
	OpRemove
	OpSyncDir
	OpSyncFS
	OpDiskUsage
	OpRead
	OpWrite
	OpClose
	OpSize
	OpTruncate
	OpAllocate
	OpWriteback
	OpSync
	OpDatasync
	OpMap
	OpLock
	OpLocked
	OpFlush
	OpPopulate
	OpRandom
	OpUnwritten
	OpDrop
	OpUnmap
	ops
)

var opNames = [ops]string{
	"any", "open", "mkdirall", "mkdir", "readdir", "stat", "rename", "remove", "syncdir", "syncfs", "diskusage",
	"read", "write", "close", "size", "truncate", "allocate", "writeback", "sync", "datasync", "map", "lock", "locked",
	"flush", "populate", "random", "unwritten", "drop", "unmap",
}

// String is the name in a trace.
func (o Op) String() string {
	if o < 0 || o >= ops {
		return fmt.Sprintf("op(%d)", int(o))
	}
	return opNames[o]
}

// Call is one line of a trace.
type Call struct {
	N        int    // 1 for the first call that the Script saw
	Op       Op     // which call
	Path     string // file or directory
	Off, Len int64  // range in bytes, where the call has one
	Err      error  // result
}

// String is one line without its end.
func (c Call) String() string {
	s := fmt.Sprintf("#%d %s %s", c.N, c.Op, c.Path)
	if c.Len != 0 || c.Off != 0 {
		s += fmt.Sprintf(" [%d,+%d)", c.Off, c.Len)
	}
	if c.Err != nil {
		s += ": " + c.Err.Error()
	}
	return s
}
