package dispatch

import (
	"github.com/actorstore/actorstore/commitlog/record"
	"github.com/actorstore/actorstore/consumequeue"
)

// Rules say which units a record gets.
type Rules struct {
	Shards int // number of queue sinks
	// Kind tells the kind of a topic's queues; the record is an inner batch or
	// not.
	Kind func(topic string, innerBatch bool) consumequeue.Kind
	// MultiDispatch gives units in the light queues that a record names.
	MultiDispatch bool
	// Deleted is the end of the log when a topic was deleted, 0 if it was not:
	// older records of it stay out of its queues.
	Deleted func(topic string) int64
}

// route is where the units of one queue go.
type route struct {
	queue  *consumequeue.Queue
	kind   consumequeue.Kind
	shard  int
	window uint64 // the window that batch belongs to
	batch  int
}

// topicRoutes are the routes of a topic; small queue ids in a slice.
type topicRoutes struct {
	dense   []*route
	sparse  map[int32]*route
	deleted int64
	err     error // the name must not become a directory
}

// holds reports whether a record at offset belongs into the topic's queues.
func (t *topicRoutes) holds(offset int64) bool { return t.err == nil && offset >= t.deleted }

const denseRoutes = 1024

// router finds the queues of records and their shards.
type router struct {
	store  *consumequeue.Store
	rules  Rules
	topics map[string]*topicRoutes
	last   *topicRoutes // of the record before: most neighbours share a topic
	name   string
}

func (r *router) topic(name string) *topicRoutes {
	if r.last != nil && r.name == name {
		return r.last
	}
	t := r.topics[name]
	if t == nil {
		t = &topicRoutes{err: record.CheckTopic(name)}
		if r.rules.Deleted != nil {
			t.deleted = r.rules.Deleted(name)
		}
		r.topics[name] = t
	}
	r.last, r.name = t, name
	return t
}

// forget drops what is known of a topic, after it was deleted.
func (r *router) forget(name string) {
	delete(r.topics, name)
	r.last = nil
}

func (r *router) route(t *topicRoutes, topic string, queueID int32, inner bool) (*route, error) {
	if queueID >= 0 && int(queueID) < len(t.dense) {
		if rt := t.dense[queueID]; rt != nil {
			return rt, nil
		}
	} else if rt := t.sparse[queueID]; rt != nil {
		return rt, nil
	}
	kind := consumequeue.Simple
	if r.rules.Kind != nil {
		kind = r.rules.Kind(topic, inner)
	}
	if q := r.store.Queue(topic, queueID); q != nil {
		kind = q.Kind() // what stands counts, whatever the rules say by now
	}
	q, err := r.store.Ensure(topic, queueID, kind)
	if err != nil {
		return nil, err
	}
	if err := q.Load(); err != nil {
		return nil, err
	}
	rt := &route{queue: q, kind: q.Kind(), shard: shardOf(topic, queueID, r.rules.Shards)}
	t.put(queueID, rt)
	return rt, nil
}

// Shard is the sink that writes a queue.
func (r *Rules) Shard(topic string, queueID int32) int { return shardOf(topic, queueID, r.Shards) }

// shardOf spreads the queues of a topic evenly. A queue has the same shard for
// every reader of the log: what its sink has applied holds for the next reader
// too, and a queue never has two writers.
func shardOf(topic string, queueID int32, shards int) int {
	if shards <= 1 {
		return 0
	}
	var h uint32
	for i := range len(topic) {
		h = h*31 + uint32(topic[i])
	}
	return int((h + uint32(queueID)) % uint32(shards))
}

func (t *topicRoutes) put(queueID int32, rt *route) {
	if queueID < 0 || queueID >= denseRoutes {
		if t.sparse == nil {
			t.sparse = make(map[int32]*route)
		}
		t.sparse[queueID] = rt
		return
	}
	for int(queueID) >= len(t.dense) {
		t.dense = append(t.dense, nil)
	}
	t.dense[queueID] = rt
}
