package reader

import "github.com/actorstore/actorstore/commitlog/record"

// Bounds that RocketMQ's protocol and this store set to any request.
const (
	maxTotalBytes = 128 << 20 // RocketMQ's MAX_PULL_MSG_SIZE
	maxCountLimit = 16384     // More says that there is more
	scanBytes     = 16000     // of units in one call: 800 of a simple queue
)

// GetRequest asks for messages of one queue in order.
type GetRequest struct {
	Topic   string
	QueueID int32
	Offset  int64 // queue offset of the first message wanted
	// MaxCount is how many messages at most; 0 takes the transfer limits. A batch
	// counts as the messages in it. More than 16384 is 16384.
	MaxCount int
	// MaxBytes is how many bytes of records at most; 0 takes the transfer limits.
	// The first message is returned whatever its size.
	MaxBytes int
	// Tags is "" or "*" for all messages, one tag, or several: "a || b".
	Tags string
	// SkipCRC trusts the disk in this call.
	SkipCRC bool
}

// Place is where a call ended in its queue.
type Place struct {
	Status GetMessageStatus
	// NextOffset is where to go on.
	NextOffset int64
	// MinOffset and MaxOffset (exclusive) were those of the queue.
	MinOffset, MaxOffset int64
	// More says that the queue goes on behind NextOffset.
	More bool
}

// GetResult holds the messages of a Get. It owns their bytes: they are valid
// until the result is handed to another Get. The zero value is ready for use.
type GetResult struct {
	Place
	Messages []record.MessageExt

	mem arena
}

// Reset forgets the messages and keeps the memory for the next Get.
func (g *GetResult) Reset() {
	g.Place = Place{}
	g.Messages = g.Messages[:0]
	g.mem.reset()
}

// Size is how many bytes the records of the result have together.
func (g *GetResult) Size() int {
	n := 0
	for i := range g.Messages {
		n += int(g.Messages[i].StoreSize)
	}
	return n
}

// next is room for one more message; its old contents are of no meaning.
func (g *GetResult) next() *record.MessageExt {
	n := len(g.Messages)
	if n == cap(g.Messages) {
		g.Messages = append(g.Messages, record.MessageExt{})
	} else {
		g.Messages = g.Messages[:n+1]
	}
	return &g.Messages[n]
}

// drop takes the last message back.
func (g *GetResult) drop() { g.Messages = g.Messages[:len(g.Messages)-1] }
