package actorstore

import (
	"context"

	"github.com/actorstore/actorstore/reader"
)

// view is what an open store and a read-only one have in common. A store has
// another reader after its supervisor has failed, and none for a moment.
type view struct {
	reader func() (*reader.Reader, error)
}

// Get copies messages of a queue into result, which owns them and may be used
// again; nothing is allocated for a message then. Every record's checksum is
// verified. The status tells why there are none. A damaged message gives a
// *CorruptionError once it is the first, with the offset to go on at in
// result.NextOffset.
func (v view) Get(ctx context.Context, req GetRequest, result *GetResult) error {
	r, err := v.reader()
	if err != nil {
		return err
	}
	return r.Get(ctx, req, result)
}

// View lends messages of a queue to fn, one after the other, without copying.
// What fn is given exists until it returns; it must not be written to. Should
// the file be cut meanwhile, fn ends there and View returns a *FaultError.
func (v view) View(ctx context.Context, req GetRequest, fn func(m *MessageExt) error) (ViewResult, error) {
	r, err := v.reader()
	if err != nil {
		return ViewResult{}, err
	}
	return r.View(ctx, req, fn)
}

// Query finds messages by topic and key, within a range of store times.
func (v view) Query(ctx context.Context, req QueryRequest) (QueryResult, error) {
	r, err := v.reader()
	if err != nil {
		return QueryResult{}, err
	}
	return r.Query(ctx, req)
}

// Lookup reads the message that starts at a physical offset.
func (v view) Lookup(ctx context.Context, physicalOffset int64) (*MessageExt, error) {
	r, err := v.reader()
	if err != nil {
		return nil, err
	}
	return r.Lookup(ctx, physicalOffset)
}

// LookupID reads the message of an offset message id.
func (v view) LookupID(ctx context.Context, id string) (*MessageExt, error) {
	r, err := v.reader()
	if err != nil {
		return nil, err
	}
	return r.LookupID(ctx, id)
}

// OffsetByTime is the queue offset at a store time in ms: with Lower the first
// message not before it, with Upper the last one not after it.
func (v view) OffsetByTime(topic string, queueID int32, timestamp int64, boundary Boundary) (int64, error) {
	r, err := v.reader()
	if err != nil {
		return 0, err
	}
	return r.OffsetByTime(topic, queueID, timestamp, boundary)
}

// MessageTime is the store time in ms of the message at a queue offset.
func (v view) MessageTime(topic string, queueID int32, offset int64) (int64, error) {
	r, err := v.reader()
	if err != nil {
		return 0, err
	}
	return r.MessageTime(topic, queueID, offset)
}

// MinOffset is the first queue offset that can be read.
func (v view) MinOffset(topic string, queueID int32) (int64, error) {
	r, err := v.reader()
	if err != nil {
		return 0, err
	}
	return r.MinOffset(topic, queueID)
}

// MaxOffset is the queue offset that the next message will have.
func (v view) MaxOffset(topic string, queueID int32) (int64, error) {
	r, err := v.reader()
	if err != nil {
		return 0, err
	}
	return r.MaxOffset(topic, queueID)
}

// Topics lists topics and queues with their offsets, sorted; none of a store that
// is closed.
func (v view) Topics() []TopicInfo {
	r, err := v.reader()
	if err != nil {
		return nil
	}
	return r.Topics()
}
