package consumequeue

import (
	"fmt"

	"github.com/actorstore/actorstore/commitlog/mapped"
)

// Defaults of RocketMQ, in bytes; DefaultMaxOpenFiles is ours.
const (
	DefaultFileSize      = 300000 * UnitSize
	DefaultBatchFileSize = 300000 * BatchUnitSize
	DefaultExtFileSize   = 48 << 20
	DefaultMaxOpenFiles  = 1024
)

// Options say where the queues live and how large their files are.
type Options struct {
	// FS is the door to the files; required.
	FS mapped.FS
	// Dir, BatchDir and ExtDir hold <topic>/<queueId>/ of simple queues, batch
	// queues and ext units. An empty BatchDir or ExtDir: there are none.
	Dir, BatchDir, ExtDir string
	// TmpDir is where a file is made before it is renamed into its queue; it
	// must be on the same file system. Required unless ReadOnly.
	TmpDir string
	// FileSize is mappedFileSizeConsumeQueue in bytes, rounded up to whole
	// units; default DefaultFileSize. It cannot be changed on a store.
	FileSize int64
	// BatchFileSize is mapperFileSizeBatchConsumeQueue in bytes, whole units;
	// default DefaultBatchFileSize.
	BatchFileSize int64
	// ExtFileSize is mappedFileSizeConsumeQueueExt; default DefaultExtFileSize.
	ExtFileSize int64
	// EnableExt writes an ext unit for each appended unit of a simple queue.
	// Ext units that are there are read in any case.
	EnableExt bool
	// MaxOpenFiles bounds descriptors and maps; default DefaultMaxOpenFiles.
	// Files that are in use at that moment may exceed it.
	MaxOpenFiles int
	// ReadOnly touches nothing on disk; every change gives ErrReadOnly.
	ReadOnly bool
	// Warn hears of each stray file or directory once; may be nil.
	Warn func(path, reason string)
}

// complete fills the defaults and refuses what the formats cannot hold.
func (o *Options) complete() error {
	setDefault(&o.FileSize, DefaultFileSize)
	setDefault(&o.BatchFileSize, DefaultBatchFileSize)
	setDefault(&o.ExtFileSize, DefaultExtFileSize)
	if o.MaxOpenFiles <= 0 {
		o.MaxOpenFiles = DefaultMaxOpenFiles
	}
	if o.Warn == nil {
		o.Warn = func(string, string) {}
	}
	if o.FileSize > 0 {
		o.FileSize = (o.FileSize + UnitSize - 1) / UnitSize * UnitSize
	}
	switch {
	case o.FS == nil:
		return fmt.Errorf("consume queues: no file system given")
	case o.Dir == "":
		return fmt.Errorf("consume queues: no directory given")
	case o.TmpDir == "" && !o.ReadOnly:
		return fmt.Errorf("consume queues: no directory for files in the making given")
	case o.FileSize < 0 || o.FileSize > maxFileSize:
		return fmt.Errorf("consume queues: file size %d, want 1..%d", o.FileSize, int64(maxFileSize))
	case o.BatchFileSize < 0 || o.BatchFileSize > maxFileSize || o.BatchFileSize%BatchUnitSize != 0:
		// RocketMQ does not round this one: the queue would stop at the first border.
		return fmt.Errorf("consume queues: batch file size %d, want a multiple of %d", o.BatchFileSize, BatchUnitSize)
	case o.ExtFileSize < extHeaderSize+extEndSpace || o.ExtFileSize > maxFileSize:
		return fmt.Errorf("consume queues: ext file size %d, want %d..%d", o.ExtFileSize, extHeaderSize+extEndSpace, int64(maxFileSize))
	}
	return nil
}

// maxFileSize is what RocketMQ can map.
const maxFileSize = 1<<31 - 1

func setDefault(v *int64, d int64) {
	if *v == 0 {
		*v = d
	}
}
