package retention

import "fmt"

// Decision is what a step comes to.
type Decision struct {
	// Expired are the segments that go, oldest first, and why.
	Expired []Expired
	// ExpireBelow is the new first offset of the log; 0 if nothing goes.
	ExpireBelow int64
	// RefusePuts is set while a disk is too full (CREATE_MAPPED_FILE_FAILED).
	RefusePuts bool
	// More says that the batch was full: step again once it has gone.
	More bool
	// Unread are segments behind those that seem to have expired by what is known
	// without reading them: once Survey has read them the next step decides.
	Unread []Segment
	// Blocked is the segment that ended the prefix, if one was looked at.
	Blocked Blocked
}

// Expired is a segment that goes.
type Expired struct {
	Segment
	Reason Reason
}

// Blocked is a segment that stays although something was to be deleted. Why is
// Free if there was none.
type Blocked struct {
	Offset int64
	Why    Why
}

// Reason is why a segment goes.
type Reason uint8

// Stays is the reason of a segment that does not go; the others are in the
// order in which they are tried.
const (
	Stays  Reason = iota
	Age           // older than FileReservedTime
	Size          // the store is larger than MaxStoreSize
	Forced        // the disk is too full
)

// String names the reason.
func (r Reason) String() string {
	switch r {
	case Stays:
		return "stays"
	case Age:
		return "expired"
	case Size:
		return "store too large"
	case Forced:
		return "disk too full"
	}
	return fmt.Sprintf("Reason(%d)", uint8(r))
}

// Why is why a segment stays.
type Why uint8

// Free is a segment that nothing protects.
const (
	Free          Why = iota
	Unexpired         // younger than FileReservedTime
	TimeUnknown       // the time of its last record cannot be told: worth a report
	InUse             // it holds the end of the log
	NotFlushed        // it holds bytes that are not on disk
	NotConfirmed      // it holds records that are not confirmed
	NotDispatched     // it holds records that are in no queue yet
	NotReplicated     // it holds records that the replicas do not have
	NotRead           // it seems to have expired, and may hold younger records: see Decision.Unread
)

// String names the cause.
func (w Why) String() string {
	names := [...]string{"free", "not expired", "time unknown", "in use", "not flushed",
		"not confirmed", "not dispatched", "not replicated", "not read"}
	if int(w) < len(names) {
		return names[w]
	}
	return fmt.Sprintf("Why(%d)", uint8(w))
}
