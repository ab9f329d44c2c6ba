package actors

import (
	"fmt"
	"net/netip"
	"strings"
	"time"

	"github.com/rs/zerolog"

	"github.com/actorstore/actorstore/commitlog/mapped"
	"github.com/actorstore/actorstore/commitlog/record"
)

// FlushDiskType says when a put is answered.
type FlushDiskType uint8

// The flush types of RocketMQ.
const (
	AsyncFlush FlushDiskType = iota // in the page cache; a background flush follows
	SyncFlush                       // on disk, many puts sharing one sync
)

// String is RocketMQ's name.
func (t FlushDiskType) String() string {
	if t == SyncFlush {
		return "SYNC_FLUSH"
	}
	return "ASYNC_FLUSH"
}

// Options configure a store. The names and defaults are RocketMQ's
// (MessageStoreConfig) unless the comment says otherwise. Start from
// DefaultOptions: a zero value is not a default.
type Options struct {
	// StorePathRootDir is the directory of the store; it is made if missing.
	StorePathRootDir string
	// StorePathCommitLog is the directory of the segments, default
	// <root>/commitlog. Several paths (a comma) are refused.
	StorePathCommitLog string

	// MappedFileSizeCommitLog is the size of a segment in bytes, default 1 GiB.
	// A store keeps the sizes of its files: one that was made with others is
	// refused, and FoundOptions gives the options that fit it.
	MappedFileSizeCommitLog int64
	// MappedFileSizeConsumeQueue is the size of a queue file, default 6,000,000
	// bytes (300,000 units); rounded up to whole units.
	MappedFileSizeConsumeQueue int64
	// MapperFileSizeBatchConsumeQueue is the size of a batch queue file,
	// default 13,800,000 bytes.
	MapperFileSizeBatchConsumeQueue int64
	// MappedFileSizeConsumeQueueExt is the size of an ext file, default 48 MiB.
	MappedFileSizeConsumeQueueExt int64
	// EnableConsumeQueueExt writes ext units, default false.
	EnableConsumeQueueExt bool

	// MessageIndexEnable builds the key index, default true.
	MessageIndexEnable bool
	// MaxHashSlotNum and MaxIndexNum shape an index file: 5,000,000 slots and
	// 20,000,000 entries, 420 MB on disk from the first key on.
	MaxHashSlotNum, MaxIndexNum int
	// MaxMsgsNumBatch caps the matches of a key query, default 64.
	MaxMsgsNumBatch int

	// FlushDiskType says when puts are answered, default AsyncFlush.
	FlushDiskType FlushDiskType
	// FlushIntervalCommitLog is the pause between flushes under AsyncFlush,
	// default 500 ms: what a power cut may take.
	FlushIntervalCommitLog time.Duration
	// FlushCommitLogLeastPages is how many pages make a flush worth while;
	// default 0, any. RocketMQ's 4 leaves a quiet store unflushed for 10 s.
	FlushCommitLogLeastPages int64
	// FlushCommitLogThoroughInterval is when a flush takes anything, default 10 s.
	FlushCommitLogThoroughInterval time.Duration
	// FlushConsumeQueueThoroughInterval is how often queues and index are
	// synced, default 60 s; a quarter of a GiB of log brings it forward.
	FlushConsumeQueueThoroughInterval time.Duration

	// ZeroAheadCommitLog is how far in front of the writer zeros are written under
	// SyncFlush (ours), default 16 MiB, 0 = nowhere. A sync of bytes that were
	// written before is two to five times as fast on ext4. It writes the disk
	// twice, up to 100 MB of zeros a second, and gains nothing where a file system
	// never writes in place (btrfs, zfs).
	ZeroAheadCommitLog int64

	// MaxMessageSize is the largest body in bytes, default 4 MiB.
	MaxMessageSize int
	// EnabledAppendPropCRC gives every record a checksum over all its bytes,
	// default true; RocketMQ's default is false, and then a torn header can
	// pass for good. RocketMQ reads both.
	EnabledAppendPropCRC bool
	// MessageDelayLevel lists the delays of the levels 1, 2, ...
	MessageDelayLevel string
	// EnableLmq and EnableMultiDispatch let a message name light queues that it
	// shall stand in too, default false. A store that has light queues is opened with
	// both only.
	EnableLmq, EnableMultiDispatch bool
	// BatchTopics have batch queues, whatever config/topics.json says. A topic of
	// which neither tells has them if its first record is an inner batch.
	BatchTopics []string

	// FileReservedTime is how long messages are kept, default 72 h, by the time
	// of the messages; 0 keeps them for ever.
	FileReservedTime time.Duration
	// DeleteWhen lists the hours of the day (local time) at which expired
	// segments are deleted, default "04", several joined by ";".
	DeleteWhen string
	// DiskMaxUsedSpaceRatio (75), DiskSpaceCleanForciblyRatio (85) and
	// DiskSpaceWarningLevelRatio (90) are percent of the disk: above the first
	// expired segments go at once, above the second the oldest go whether
	// expired or not, above the third puts are refused too.
	DiskMaxUsedSpaceRatio, DiskSpaceCleanForciblyRatio, DiskSpaceWarningLevelRatio int
	// CleanFileForciblyEnable allows what the second ratio does, default true.
	CleanFileForciblyEnable bool
	// MaxStoreSize bounds the log in bytes, 0 = unbounded (ours).
	MaxStoreSize int64
	// DeleteFileBatchMax is how many segments go in one round, default 10.
	DeleteFileBatchMax int
	// CleanResourceInterval is the pause between retention rounds, default 10 s.
	CleanResourceInterval time.Duration

	// BrokerAddr stands as store host, and as born host where a message has
	// none, default 127.0.0.1:10911.
	BrokerAddr netip.AddrPort

	// MaxBytesInFlight bounds the puts that are accepted and unanswered (ours),
	// default 64 MiB; beyond it a put gets OS_PAGE_CACHE_BUSY at once.
	MaxBytesInFlight int64
	// QueueShards is how many actors write the queues (ours), default 2.
	QueueShards int
	// MaxOpenQueueFiles bounds the queue files that are open and mapped at a
	// time (ours), default 1024.
	MaxOpenQueueFiles int
	// Readers is how many actors serve Get messages (ours), default 2.
	Readers int
	// RestartBudget is how often append and flusher may fail in RestartWindow
	// before the store is read-only (ours), default 3 in 60 s.
	RestartBudget int
	RestartWindow time.Duration
	// HangTimeout is how long an actor may stand still that has something to do
	// (ours), default 10 s, 0 for ever. Then it is told of, and done without where
	// that is safe; a Close without a deadline gives up after three times as long, in
	// its last steps, where the disk may be slow, after thirty times.
	// It must be longer than the disk stalls under load: seconds.
	HangTimeout time.Duration

	// Events tells of what happens in the store; its functions must not block.
	Events Events
	// Logger gets structured log lines, default none. An actor waits for it; a writer
	// or a hook that panics loses its line.
	Logger zerolog.Logger
	// FS is where files lie, default the machine's; a test puts a crash image or
	// a fault script here.
	FS mapped.FS
	// Faults lets a test break the tree, default nil; see package storetest.
	Faults Faults
	// Now is the wall clock of store timestamps and retention, default time.Now.
	Now func() time.Time
}

// DefaultOptions are the options of a store at root.
func DefaultOptions(root string) Options {
	return Options{
		StorePathRootDir:                  root,
		MappedFileSizeCommitLog:           1 << 30,
		MappedFileSizeConsumeQueue:        6_000_000,
		MapperFileSizeBatchConsumeQueue:   13_800_000,
		MappedFileSizeConsumeQueueExt:     48 << 20,
		MessageIndexEnable:                true,
		MaxHashSlotNum:                    5_000_000,
		MaxIndexNum:                       20_000_000,
		MaxMsgsNumBatch:                   64,
		FlushIntervalCommitLog:            500 * time.Millisecond,
		FlushCommitLogThoroughInterval:    10 * time.Second,
		FlushConsumeQueueThoroughInterval: 60 * time.Second,
		ZeroAheadCommitLog:                16 << 20,
		MaxMessageSize:                    4 << 20,
		EnabledAppendPropCRC:              true,
		MessageDelayLevel:                 record.DefaultDelayLevels,
		FileReservedTime:                  72 * time.Hour,
		DeleteWhen:                        "04",
		DiskMaxUsedSpaceRatio:             75,
		DiskSpaceCleanForciblyRatio:       85,
		DiskSpaceWarningLevelRatio:        90,
		CleanFileForciblyEnable:           true,
		DeleteFileBatchMax:                10,
		CleanResourceInterval:             10 * time.Second,
		BrokerAddr:                        netip.MustParseAddrPort("127.0.0.1:10911"),
		MaxBytesInFlight:                  64 << 20,
		QueueShards:                       2,
		MaxOpenQueueFiles:                 1024,
		Readers:                           2,
		RestartBudget:                     3,
		RestartWindow:                     time.Minute,
		HangTimeout:                       10 * time.Second,
		Logger:                            zerolog.Nop(),
		FS:                                mapped.OS(),
		Now:                               time.Now,
	}
}

// multiDispatch is one switch for numbering and for dispatching: offsets that
// somebody else has put into a message must not be believed.
func (o *Options) multiDispatch() bool { return o.EnableLmq && o.EnableMultiDispatch }

// OptionError says which option cannot be.
type OptionError struct {
	Option, Want, Got string
}

// Error names the option, what is allowed and what was given.
func (e *OptionError) Error() string {
	return fmt.Sprintf("option %s: want %s, got %s", e.Option, e.Want, e.Got)
}

// Validate checks the options against each other; the error is *OptionError.
func (o *Options) Validate() error {
	checks := []struct {
		option string
		value  int64
		least  int64
	}{
		{"MappedFileSizeCommitLog", o.MappedFileSizeCommitLog, 4096},
		{"MappedFileSizeConsumeQueue", o.MappedFileSizeConsumeQueue, 20},
		{"MapperFileSizeBatchConsumeQueue", o.MapperFileSizeBatchConsumeQueue, 46},
		{"MappedFileSizeConsumeQueueExt", o.MappedFileSizeConsumeQueueExt, 64},
		{"MaxHashSlotNum", int64(o.MaxHashSlotNum), 1},
		{"MaxIndexNum", int64(o.MaxIndexNum), 2},
		{"MaxMsgsNumBatch", int64(o.MaxMsgsNumBatch), 1},
		{"MaxMessageSize", int64(o.MaxMessageSize), 1},
		{"MaxBytesInFlight", o.MaxBytesInFlight, 1},
		{"ZeroAheadCommitLog", o.ZeroAheadCommitLog, 0},
		{"QueueShards", int64(o.QueueShards), 1},
		{"MaxOpenQueueFiles", int64(o.MaxOpenQueueFiles), 16},
		{"Readers", int64(o.Readers), 1},
		{"DeleteFileBatchMax", int64(o.DeleteFileBatchMax), 1},
		{"FlushIntervalCommitLog", int64(o.FlushIntervalCommitLog), 1},
		{"FlushConsumeQueueThoroughInterval", int64(o.FlushConsumeQueueThoroughInterval), 1},
		{"RestartBudget", int64(o.RestartBudget), 0},
		{"RestartWindow", int64(o.RestartWindow), 1},
		{"CleanResourceInterval", int64(o.CleanResourceInterval), 1},
		{"HangTimeout", int64(o.HangTimeout), 0},
	}
	for _, c := range checks {
		if c.value < c.least {
			return &OptionError{c.option, fmt.Sprintf("at least %d", c.least), fmt.Sprint(c.value)}
		}
	}
	if o.FS == nil || o.Now == nil {
		return &OptionError{"FS and Now", "a file system and a clock, as in DefaultOptions", "nil"}
	}
	if o.StorePathRootDir == "" {
		return &OptionError{"StorePathRootDir", "a directory", "nothing"}
	}
	if strings.Contains(o.StorePathCommitLog, ",") {
		return &OptionError{"StorePathCommitLog", "one directory", o.StorePathCommitLog}
	}
	if !o.BrokerAddr.IsValid() {
		return &OptionError{"BrokerAddr", "an address with a port", o.BrokerAddr.String()}
	}
	if o.FS == nil || o.Now == nil {
		return &OptionError{"FS and Now", "both set, as in DefaultOptions", "nil"}
	}
	if err := policyOf(o).Validate(); err != nil {
		return &OptionError{"retention", "a policy that can be followed", err.Error()}
	}
	if _, err := record.ParseDelayLevels(o.MessageDelayLevel); err != nil {
		return &OptionError{"MessageDelayLevel", "delays such as \"1s 5s 10s\"", err.Error()}
	}
	return nil
}
