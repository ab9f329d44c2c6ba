package reader

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"
	"unicode/utf8"

	"github.com/actorstore/actorstore/commitlog"
	"github.com/actorstore/actorstore/commitlog/record"
)

// IndexTypeTags makes a query look for tags instead of keys (RocketMQ's type T).
const IndexTypeTags = "T"

// QueryRequest asks for messages by key and store time.
type QueryRequest struct {
	Topic string
	// Key is one of the message's KEYS or its UNIQ_KEY; with IndexTypeTags the
	// whole TAGS value.
	Key string
	// Begin and End bound the store time in ms, both inclusive. End 0 is no bound.
	Begin, End int64
	// MaxCount is how many messages at most, the newest; 0, negative or more than
	// MaxMsgsNumBatch is MaxMsgsNumBatch.
	MaxCount int
	// IndexType is "" or IndexTypeTags.
	IndexType string
}

// QueryResult holds what a query found. It owns its bytes.
type QueryResult struct {
	// Messages are ascending by physical offset, each once.
	Messages []record.MessageExt
	// More says that older matches exist.
	More bool
	// Incomplete says that the index lags behind the log, is being rebuilt, has a
	// file that is damaged, or is of a store in doubt, where it is left as it is.
	Incomplete bool
}

// Query finds messages by key. The index gives candidates by hash; a message is
// returned only if topic, key and store time are its own, so neither a collision
// nor what the index says of times decides. An error comes with what was found:
// *record.CorruptionError for damage in the index or in a candidate, ErrNoIndex,
// the context's.
func (r *Reader) Query(ctx context.Context, req QueryRequest) (QueryResult, error) {
	if r.index == nil {
		return QueryResult{}, ErrNoIndex
	}
	if req.End == 0 {
		req.End = math.MaxInt64
	}
	if req.MaxCount <= 0 || req.MaxCount > r.o.MaxMsgsNumBatch {
		req.MaxCount = r.o.MaxMsgsNumBatch
	}
	q := query{r: r, ctx: ctx, req: req, cur: r.log.Cursor(), seen: make(map[int64]bool)}
	defer q.cur.Close()
	walk := r.index.Query
	if req.IndexType == IndexTypeTags {
		walk = r.index.QueryTags
	}
	// No limit for the index: it counts collisions, we count matches.
	err := walk(req.Topic, req.Key, 0, q.visit)
	slices.SortFunc(q.found, func(a, b record.MessageExt) int {
		return cmp.Compare(a.PhysicalOffset, b.PhysicalOffset)
	})
	return QueryResult{
		Messages:   q.found,
		More:       q.more,
		Incomplete: r.o.IndexReady != nil && !r.o.IndexReady(),
	}, r.gone(errors.Join(ctx.Err(), err, q.damage))
}

// query is one key query under way.
type query struct {
	r      *Reader
	ctx    context.Context
	req    QueryRequest
	cur    commitlog.Cursor
	mem    arena
	seen   map[int64]bool
	found  []record.MessageExt
	more   bool
	damage error // the first
}

// visit judges a candidate; false ends the walk.
func (q *query) visit(offset int64) bool {
	if q.ctx.Err() != nil {
		return false
	}
	if q.seen[offset] {
		return true
	}
	full := len(q.found) == q.req.MaxCount
	var m record.MessageExt
	var match bool
	err := q.r.fetch(&q.cur, offset, func(b []byte) error {
		m.Topic = q.req.Topic
		if err := record.Decode(b, &m); err != nil {
			return located(err, q.cur.Path(), offset)
		}
		match = q.matches(&m)
		if !match || full {
			return nil
		}
		return q.r.own(&q.mem, q.cur.Path(), offset, b, &m)
	})
	var missing *commitlog.MissingError
	switch {
	case err != nil:
		// What retention took, or recovery cut, is no damage; an entry that points
		// into the log but at no record is.
		gone := errors.As(err, &missing) && !errors.Is(err, ErrNoRecord)
		if !gone && q.damage == nil {
			q.damage = err
		}
	case match && full:
		q.more = true
		return false
	case match:
		q.seen[offset] = true
		q.found = append(q.found, m)
	}
	return true
}

// matches compares what the index only knows by hash.
func (q *query) matches(m *record.MessageExt) bool {
	if m.Topic != q.req.Topic || m.StoreTimestamp < q.req.Begin || m.StoreTimestamp > q.req.End {
		return false
	}
	if q.r.o.Deleted != nil && m.PhysicalOffset < q.r.o.Deleted(m.Topic) {
		return false
	}
	if q.req.IndexType == IndexTypeTags {
		return sameText(m.Properties.Bytes(record.PropertyTags), q.req.Key)
	}
	if sameText(m.Properties.Bytes(record.PropertyUniqKey), q.req.Key) {
		return true
	}
	for key := range record.SplitKeys(m.Properties.Bytes(record.PropertyKeys)) {
		if sameText(key, q.req.Key) {
			return true
		}
	}
	return false
}

// sameText compares stored bytes with a text, malformed UTF-8 as Java reads it.
func sameText(b []byte, text string) bool {
	if b == nil {
		return false
	}
	return string(b) == text || !utf8.Valid(b) && record.ToValidUTF8(b) == text
}
