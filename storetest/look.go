package storetest

import (
	"context"
	"hash/crc32"

	"github.com/actorstore/actorstore"
	"github.com/actorstore/actorstore/actors"
	"github.com/actorstore/actorstore/commitlog/record"
	"github.com/actorstore/actorstore/consumequeue"
)

// look is what stands in a store at one moment: log and queues as the files have
// them, found without the running store.
type look struct {
	state   actorstore.State // of the running store, or of what is left of it
	running bool
	clean   bool // what is not running was closed in order
	sync    bool
	indexed bool // it has an index
	segment int64
	end     int64 // of the log, as the files have it
	entries []entry
	queues  map[queueKey]*queueLook
	parked  map[string]bool

	files *actorstore.Inspection // for what is looked up by key; closed with the look
}

// entry is a record, a BLANK, or a place that cannot be read.
type entry struct {
	offset int64
	size   int
	blank  bool
	broken error
	queue  queueKey
	number int64 // queue offset
	body   uint64
	sum    uint32 // of all its bytes
	apart  bool   // it has no place in its queue's numbers
}

// queueLook is a queue: unit i stands at units[i-min].
type queueLook struct {
	min, max int64
	broken   error
	units    []unit
}

type unit struct {
	number, offset int64
	size           int
	body           uint64
}

// look reads everything. The store should be at rest.
func (s *Store) look(ctx context.Context) (*look, error) {
	l := &look{
		segment: s.options.MappedFileSizeCommitLog, sync: s.options.FlushDiskType == actorstore.SyncFlush,
		indexed: s.options.MessageIndexEnable, queues: make(map[queueKey]*queueLook), parked: make(map[string]bool),
	}
	state, err := s.State()
	l.state, l.running = state, err == nil
	for _, name := range s.Parked() {
		l.parked[name] = true
	}
	i, err := s.inspect(ctx)
	if err != nil {
		return nil, err
	}
	l.files = i
	least, end := i.Bounds()
	l.end, l.clean = end, i.Clean()
	if !l.running {
		l.state.Watermarks = marks(least, end)
	}
	if err := l.readLog(ctx, i); err != nil {
		l.close()
		return nil, err
	}
	for _, topic := range i.Topics() {
		for _, q := range topic.Queues {
			if q.Kind == consumequeue.Simple {
				l.readQueue(ctx, i, queueKey{topic.Topic, q.ID}, q)
			}
		}
	}
	return l, nil
}

func (l *look) close() { _ = l.files.Close() }

func (l *look) readLog(ctx context.Context, i *actorstore.Inspection) error {
	m := l.state.Watermarks
	if m.Appended == m.Min {
		return nil
	}
	return i.Walk(ctx, m.Min, min(m.Appended, l.end), func(e actorstore.Entry, err error) error {
		n := entry{offset: e.Offset, size: e.Size, broken: err, blank: err == nil && e.Kind == record.KindBlank}
		if err == nil && !n.blank {
			n.read(e.Bytes)
		}
		l.entries = append(l.entries, n)
		return nil
	})
}

// read takes out of a record what the checks need; the bytes are borrowed.
func (n *entry) read(b []byte) {
	var m record.MessageExt
	if n.broken = record.Decode(b, &m); n.broken != nil {
		return
	}
	n.queue, n.number = queueKey{m.Topic, m.QueueID}, m.QueueOffset
	n.body, n.sum = hash(m.Body), crc32.ChecksumIEEE(b)
	kind := m.SysFlag & record.SysTransactionMask
	n.apart = kind == record.SysTransactionPrepared || kind == record.SysTransactionRollback || m.SysFlag&record.SysInnerBatch != 0
}

func (l *look) readQueue(ctx context.Context, i *actorstore.Inspection, key queueKey, q actorstore.QueueInfo) {
	k := &queueLook{min: q.Min, max: q.Max, broken: q.Err}
	l.queues[key] = k
	var result actorstore.GetResult
	for at := q.Min; at < q.Max && k.broken == nil; at = result.NextOffset {
		k.broken = i.Get(ctx, actorstore.GetRequest{Topic: key.topic, QueueID: key.id, Offset: at, MaxCount: 512, MaxBytes: 1 << 20}, &result)
		if len(result.Messages) == 0 {
			return
		}
		for n := range result.Messages {
			m := &result.Messages[n]
			k.units = append(k.units, unit{m.QueueOffset, m.PhysicalOffset, int(m.StoreSize), hash(m.Body)})
		}
	}
}

// marks are those of a log that is at rest.
func marks(least, end int64) actors.Watermarks {
	return actors.Watermarks{Min: least, Dispatched: end, Confirm: end, Flushed: end, Appended: end}
}
