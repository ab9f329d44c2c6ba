package actorstore

import (
	"github.com/actorstore/actorstore/actors"
	"github.com/actorstore/actorstore/commitlog"
	"github.com/actorstore/actorstore/commitlog/checkpoint"
	"github.com/actorstore/actorstore/commitlog/mapped"
	"github.com/actorstore/actorstore/commitlog/record"
	"github.com/actorstore/actorstore/consumequeue"
	"github.com/actorstore/actorstore/flusher"
	"github.com/actorstore/actorstore/reader"
	"github.com/actorstore/actorstore/recoverer"
)

// What goes in and comes out.
type (
	// Message is what a producer puts.
	Message = record.Message
	// MessageExt is a message as it stands in the store.
	MessageExt = record.MessageExt
	// Properties are the named values of a message.
	Properties = record.Properties
	// PutResult answers a put.
	PutResult = flusher.PutResult
	// PutMessageStatus is a put's status by RocketMQ's names.
	PutMessageStatus = flusher.PutMessageStatus
	// Pending is a put that was begun and is waited for later.
	Pending = actors.Pending
	// GetRequest asks for messages of a queue.
	GetRequest = reader.GetRequest
	// GetResult holds them and owns their bytes; reuse it to save allocations.
	GetResult = reader.GetResult
	// GetMessageStatus is a get's status by RocketMQ's names.
	GetMessageStatus = reader.GetMessageStatus
	// ViewResult tells where a View ended.
	ViewResult = reader.ViewResult
	// QueryRequest asks for messages by key and time.
	QueryRequest = reader.QueryRequest
	// QueryResult holds them.
	QueryResult = reader.QueryResult
	// TopicInfo is a topic with its queues.
	TopicInfo = reader.TopicInfo
	// QueueInfo is a queue with its offsets.
	QueueInfo = reader.QueueInfo
	// Boundary says which message of several answers OffsetByTime.
	Boundary = consumequeue.Boundary
	// State is how a store is at a moment.
	State = actors.State
	// Options configure a store; start from DefaultOptions.
	Options = actors.Options
	// Events are told what happens in a store.
	Events = actors.Events
	// OpenedEvent says what opening found, RecoveryEvent how far it has come,
	// ActorEvent which actor failed, and HungEvent which one does not move.
	OpenedEvent   = actors.OpenedEvent
	RecoveryEvent = actors.RecoveryEvent
	ActorEvent    = actors.ActorEvent
	HungEvent     = actors.HungEvent
	// Parked is a shard of the queues, or the index, that stands still.
	Parked = actors.Parked
	// FlushDiskType says when a put is answered.
	FlushDiskType = actors.FlushDiskType
	// Finding is one thing in a store that is not as it must be.
	Finding = recoverer.Finding
	// Plan says what recovery goes by.
	Plan = recoverer.Plan
)

// The errors that a caller may want to tell apart with errors.As.
type (
	// PutError says with which status a put failed. Nothing was written, but with
	// FLUSH_DISK_TIMEOUT: then the message may or may not be there.
	PutError = actors.PutError
	// OptionError says which option cannot be.
	OptionError = actors.OptionError
	// LimitError says which rule a message breaks.
	LimitError = record.LimitError
	// CorruptionError names the file and offset of damaged bytes.
	CorruptionError = record.CorruptionError
	// FaultError says that a page of a file could not be read or written.
	FaultError = mapped.FaultError
	// LockedError says that somebody else is using the store.
	LockedError = checkpoint.LockedError
	// MissingError says that the log does not hold a range.
	MissingError = commitlog.MissingError
	// ParkedError names the shards of the queues, or the index, that stand still.
	ParkedError = actors.ParkedError
	// UnsupportedError says that the store is of a kind that is not served.
	UnsupportedError = checkpoint.UnsupportedError
)

// The errors that a caller may want to tell apart with errors.Is.
var (
	// ErrCorrupt is in every CorruptionError.
	ErrCorrupt = record.ErrCorrupt
	// ErrBusy refuses a put because too many bytes are in flight.
	ErrBusy = actors.ErrBusy
	// ErrClosed is what a closing or closed store answers.
	ErrClosed = actors.ErrClosed
	// ErrRestarting is what puts get for the moment that append and flusher take
	// to come back after one of them failed, and everybody while the store is opened
	// anew because its supervisor has.
	ErrRestarting = actors.ErrRestarting
	// ErrHung is what a store answers whose append or flusher does not move.
	ErrHung = actors.ErrHung
	// ErrCallbacks says that a closed store has callbacks that do not return.
	ErrCallbacks = actors.ErrCallbacks
	// ErrParked is in every ParkedError.
	ErrParked = actors.ErrParked
	// ErrDeleting refuses a put to a topic that is just being deleted.
	ErrDeleting = actors.ErrDeleting
	// ErrDiskFull refuses a put for want of space: on a disk that is nearly full, or
	// because a segment could not be made for it. It may be tried again.
	ErrDiskFull = actors.ErrDiskFull
	// ErrOutcomeUnknown says that a wait ended before a put that is under way.
	ErrOutcomeUnknown = flusher.ErrOutcomeUnknown
	// ErrNoQueue, ErrNoMessage, ErrNoRecord and ErrNoIndex: what was asked for is
	// not there.
	ErrNoQueue   = reader.ErrNoQueue
	ErrNoMessage = reader.ErrNoMessage
	ErrNoRecord  = reader.ErrNoRecord
	ErrNoIndex   = reader.ErrNoIndex
	// ErrTags refuses a tag expression that names no tag.
	ErrTags = reader.ErrTags
)

// The flush types.
const (
	AsyncFlush = actors.AsyncFlush
	SyncFlush  = actors.SyncFlush
)

// The status of a put that is stored.
const PutOK = flusher.PutOK

// The statuses of a get.
const (
	Found               = reader.Found
	NoMatchedMessage    = reader.NoMatchedMessage
	MessageWasRemoving  = reader.MessageWasRemoving
	OffsetFoundNull     = reader.OffsetFoundNull
	OffsetOverflowBadly = reader.OffsetOverflowBadly
	OffsetOverflowOne   = reader.OffsetOverflowOne
	OffsetTooSmall      = reader.OffsetTooSmall
	NoMatchedLogicQueue = reader.NoMatchedLogicQueue
	NoMessageInQueue    = reader.NoMessageInQueue
)

// The boundaries of OffsetByTime.
const (
	Lower = consumequeue.Lower
	Upper = consumequeue.Upper
)

// IndexTypeTags makes a query look for tags instead of keys.
const IndexTypeTags = reader.IndexTypeTags

// Names of properties that the store gives meaning to.
const (
	PropertyTags    = record.PropertyTags
	PropertyKeys    = record.PropertyKeys
	PropertyUniqKey = record.PropertyUniqKey
	PropertyWait    = record.PropertyWait
	PropertyDelay   = record.PropertyDelay
)

// DefaultOptions are RocketMQ's defaults, but for those whose comment says
// otherwise, for a store at root. A store keeps the file sizes it was made with:
// FoundOptions fit any.
func DefaultOptions(root string) Options { return actors.DefaultOptions(root) }

// NewProperties encodes pairs of names and values.
func NewProperties(pairs ...string) Properties { return record.NewProperties(pairs...) }
