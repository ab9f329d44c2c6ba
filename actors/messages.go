package actors

import (
	"github.com/actorstore/actorstore/commitlog/record"
	"github.com/actorstore/actorstore/consumequeue"
	"github.com/actorstore/actorstore/flusher"
	"github.com/actorstore/actorstore/reader"
)

// The messages that the PID of a store understands; see the package comment.
type (
	// Put stores a message.
	Put struct{ Message record.Message }
	// PutBatch stores messages of one queue together.
	PutBatch struct{ Messages []record.Message }
	// PutReply answers Put and PutBatch; Result.Err is nil with PUT_OK.
	PutReply struct{ Result flusher.PutResult }

	// Get reads messages of a queue.
	Get struct{ reader.GetRequest }
	// GetReply answers Get; its result owns its bytes.
	GetReply struct {
		Result *reader.GetResult
		Err    error
	}

	// Query finds messages by key and time.
	Query struct{ reader.QueryRequest }
	// QueryReply answers Query.
	QueryReply struct {
		Result reader.QueryResult
		Err    error
	}

	// Lookup reads the message at a physical offset.
	Lookup struct{ PhysicalOffset int64 }
	// LookupID reads the message of an offset message id.
	LookupID struct{ ID string }
	// LookupReply answers Lookup and LookupID.
	LookupReply struct {
		Message *record.MessageExt
		Err     error
	}

	// OffsetByTime asks for the queue offset at a store time in ms.
	OffsetByTime struct {
		Topic     string
		QueueID   int32
		Timestamp int64
		Boundary  consumequeue.Boundary
	}
	// MessageTime asks for the store time in ms of the message at an offset.
	MessageTime struct {
		Topic   string
		QueueID int32
		Offset  int64
	}
	// NumberReply answers OffsetByTime and MessageTime.
	NumberReply struct {
		Value int64
		Err   error
	}

	// Offsets asks for the bounds of a queue.
	Offsets struct {
		Topic   string
		QueueID int32
	}
	// OffsetsReply answers Offsets: [Min, Max) can be read.
	OffsetsReply struct {
		Min, Max int64
		Err      error
	}

	// Topics asks for all topics and their queues.
	Topics struct{}
	// TopicsReply answers Topics.
	TopicsReply struct {
		Topics []reader.TopicInfo
		Err    error
	}

	// DeleteTopic removes a topic with its queues.
	DeleteTopic struct{ Topic string }
	// Flush makes durable what was put before.
	Flush struct{}
	// DoneReply answers DeleteTopic and Flush.
	DoneReply struct{ Err error }

	// GetState asks how the store is.
	GetState struct{}
	// StateReply answers GetState.
	StateReply struct {
		State State
		Err   error // why nothing is known of the state
	}
)

// State is how a store is at a moment. Among the hung, "reader-0 (replaced)" is an
// actor whose place another one has taken: nobody but Close waits for it.
type State struct {
	Watermarks Watermarks
	InFlight   int64 // bytes of puts that are accepted and unanswered
	Damaged    int64 // places that were found damaged since open
	ReadOnly   error // why puts are refused, nil if they are not
	FlushType  FlushDiskType
	Hung       []HungEvent // actors that do not move though they should
	Parked     []Parked    // shards of the queues, or the index, that stand still
}

// Watermarks are the progress of the log in physical offsets.
type Watermarks struct {
	Min, Dispatched, Confirm, Flushed, Appended int64
}

// barrier asks the append actor for the end of the log behind all puts that it
// has seen, and lets it forget the offsets of a topic if one is named.
type barrier struct {
	forget string
	reply  func(end int64, err error)
}

// forgetTopic asks dispatch to remove the queues of a topic.
type forgetTopic struct {
	topic string
	reply func(error)
}
