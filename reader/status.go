package reader

import "fmt"

// GetMessageStatus says how a Get went; the names are RocketMQ's.
type GetMessageStatus uint8

// The statuses, with the NextOffset that goes with each.
const (
	// NoMatchedMessage: nothing passed the filter among the units examined.
	// Next: behind the last one.
	NoMatchedMessage GetMessageStatus = iota
	// Found: at least one message. Next: behind the last unit examined.
	Found
	// MessageWasRemoving: units are there, their records were removed by
	// retention, and nothing else was found. Next: behind the last unit examined.
	MessageWasRemoving
	// OffsetFoundNull: below the end of the queue, but no unit can be read there.
	// Next: where units can be read again.
	OffsetFoundNull
	// OffsetOverflowBadly: above the end of the queue. Next: the end.
	OffsetOverflowBadly
	// OffsetOverflowOne: at the end of the queue. Next: the same.
	OffsetOverflowOne
	// OffsetTooSmall: below the first unit, or negative. Next: the first unit.
	OffsetTooSmall
	// NoMatchedLogicQueue: there is no such queue. Next: 0.
	NoMatchedLogicQueue
	// NoMessageInQueue: the queue has never had a message. Next: 0.
	NoMessageInQueue
	// OffsetReset is set by a broker, never by the store.
	OffsetReset
)

var statusNames = [...]string{
	NoMatchedMessage:    "NO_MATCHED_MESSAGE",
	Found:               "FOUND",
	MessageWasRemoving:  "MESSAGE_WAS_REMOVING",
	OffsetFoundNull:     "OFFSET_FOUND_NULL",
	OffsetOverflowBadly: "OFFSET_OVERFLOW_BADLY",
	OffsetOverflowOne:   "OFFSET_OVERFLOW_ONE",
	OffsetTooSmall:      "OFFSET_TOO_SMALL",
	NoMatchedLogicQueue: "NO_MATCHED_LOGIC_QUEUE",
	NoMessageInQueue:    "NO_MESSAGE_IN_QUEUE",
	OffsetReset:         "OFFSET_RESET",
}

// String is RocketMQ's name.
func (s GetMessageStatus) String() string {
	if int(s) < len(statusNames) {
		return statusNames[s]
	}
	return fmt.Sprintf("GetMessageStatus(%d)", uint8(s))
}
