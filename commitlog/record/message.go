package record

import "net/netip"

// Message is what a producer hands to the store. The store neither keeps nor
// changes it: the body is copied into the log before a put is answered.
type Message struct {
	Topic   string // 1..127 bytes (255 for %RETRY% topics), see Limits
	QueueID int32  // >= 0
	Flag    int32  // opaque to the store
	SysFlag int32  // Sys* bits; the host bits are set by the store
	// BornTimestamp is the producer's clock in ms; 0 = the time of the put.
	BornTimestamp int64
	BornHost      netip.AddrPort // zero = the store's own host
	StoreHost     netip.AddrPort // zero = the store's own host

	ReconsumeTimes            int32
	PreparedTransactionOffset int64
	Properties                Properties // encoded; use Set, SetTags, SetKeys
	Body                      []byte     // may be empty; nil is stored as empty
}

// MessageExt is a message as it stands in the log.
type MessageExt struct {
	Message
	QueueOffset    int64 // logical position in (topic, queueId)
	PhysicalOffset int64 // position of byte 0 of the record in the log
	StoreTimestamp int64 // store clock in ms
	StoreSize      int32 // bytes of the whole record
	BodyCRC        int32 // the record's bodyCRC field
}

// DispatchRequest is what a record tells the derived files: format-commitlog
// fields plus the properties that queues and index are built from. The byte
// slices alias the parsed bytes, so they live as long as those do.
type DispatchRequest struct {
	Topic          string
	QueueID        int32
	SysFlag        int32
	Size           int32
	PhysicalOffset int64
	QueueOffset    int64
	StoreTimestamp int64
	TagsCode       int64 // Java hash of TAGS, or the due time of a delayed message

	UniqKey []byte // UNIQ_KEY, nil if absent
	Keys    []byte // KEYS, parts separated by one blank, nil if absent
	Tags    []byte // TAGS, nil if absent

	InnerBase int64 // INNER_BASE, else -1
	InnerNum  int16 // INNER_NUM, else 0

	MultiDispatch []byte // INNER_MULTI_DISPATCH, nil if absent
	MultiOffset   []byte // INNER_MULTI_QUEUE_OFFSET, nil if absent
}
