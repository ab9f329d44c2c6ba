package flusher

import (
	"fmt"
	"net/netip"

	"github.com/actorstore/actorstore/commitlog/record"
)

// PutMessageStatus is what a producer is told, by RocketMQ's names and meaning.
type PutMessageStatus uint8

// The statuses that this store gives. Only PutOK is success. FlushDiskTimeout
// means that the message was written but could not be made durable: it may or
// may not be there after the store is reopened. All others mean that nothing
// was written.
const (
	PutOK PutMessageStatus = iota
	FlushDiskTimeout
	FlushSlaveTimeout
	SlaveNotAvailable
	ServiceNotAvailable
	CreateMappedFileFailed
	MessageIllegal
	PropertiesSizeExceeded
	OSPageCacheBusy
	UnknownError
	InSyncReplicasNotEnough
)

var putStatusNames = [...]string{
	"PUT_OK", "FLUSH_DISK_TIMEOUT", "FLUSH_SLAVE_TIMEOUT", "SLAVE_NOT_AVAILABLE",
	"SERVICE_NOT_AVAILABLE", "CREATE_MAPPED_FILE_FAILED", "MESSAGE_ILLEGAL",
	"PROPERTIES_SIZE_EXCEEDED", "OS_PAGE_CACHE_BUSY", "UNKNOWN_ERROR",
	"IN_SYNC_REPLICAS_NOT_ENOUGH",
}

// String is RocketMQ's name of the status.
func (s PutMessageStatus) String() string {
	if int(s) < len(putStatusNames) {
		return putStatusNames[s]
	}
	return fmt.Sprintf("PutMessageStatus(%d)", uint8(s))
}

// Durability is how far a message had come when its put was answered. It never
// overstates.
type Durability uint8

// The levels, each including the ones before.
const (
	NotStored  Durability = iota // nothing is known to be in the log
	Written                      // in the page cache: survives the death of the process
	Flushed                      // on disk: survives a power cut
	Replicated                   // on disk of enough replicas too
)

// String names the level.
func (d Durability) String() string {
	names := [...]string{"not stored", "written", "flushed", "replicated"}
	if int(d) < len(names) {
		return names[d]
	}
	return fmt.Sprintf("Durability(%d)", uint8(d))
}

// PutResult answers a put. For a batch the offsets are those of its first
// message and Count is the number of messages.
type PutResult struct {
	Status         PutMessageStatus
	Durability     Durability
	Count          int32
	Size           int32 // bytes in the log, all records of a batch
	PhysicalOffset int64
	QueueOffset    int64
	StoreTimestamp int64          // ms
	StoreHost      netip.AddrPort // as it stands in the record
	Err            error          // why Status is not PutOK; nil with PutOK
}

// MsgID is RocketMQ's offset message id of the first message.
func (r PutResult) MsgID() string {
	return record.EncodeMessageID(r.StoreHost, r.PhysicalOffset)
}

// End is the physical offset behind the message or batch.
func (r PutResult) End() int64 { return r.PhysicalOffset + int64(r.Size) }
