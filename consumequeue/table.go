package consumequeue

import (
	"hash/maphash"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
)

// shardCount keeps a shard small with 100,000 queues (about 25), so that
// copying one for each new queue stays cheap.
const shardCount = 4096

type queueKey struct {
	topic string
	id    int32
}

// table finds a queue by name: readers take no lock and allocate nothing, a
// change replaces the one small map that it concerns.
type table struct {
	seed   maphash.Seed
	shards [shardCount]atomic.Pointer[map[queueKey]*Queue]

	mu     sync.Mutex // changes
	topics map[string]*topicQueues
}

// topicQueues shares one string among the queues of a topic.
type topicQueues struct {
	name string
	ids  []int32
}

func newTable() *table {
	return &table{seed: maphash.MakeSeed(), topics: map[string]*topicQueues{}}
}

func (t *table) shard(topic string, id int32) *atomic.Pointer[map[queueKey]*Queue] {
	h := maphash.String(t.seed, topic) + uint64(uint32(id))*0x9E3779B97F4A7C15
	return &t.shards[h>>52%shardCount]
}

func (t *table) find(topic string, id int32) *Queue {
	m := t.shard(topic, id).Load()
	if m == nil {
		return nil
	}
	return (*m)[queueKey{topic, id}]
}

// add puts q in unless the name is taken, and returns the queue of that name.
func (t *table) add(q *Queue) *Queue {
	t.mu.Lock()
	defer t.mu.Unlock()
	if have := t.find(q.topic, q.id); have != nil {
		return have
	}
	names := t.topics[q.topic]
	if names == nil {
		names = &topicQueues{name: q.topic}
		t.topics[q.topic] = names
	}
	q.topic = names.name
	names.ids = append(names.ids, q.id)
	t.replace(q.topic, q.id, func(m map[queueKey]*Queue) { m[queueKey{q.topic, q.id}] = q })
	return q
}

// remove takes q out if it is still the queue of its name.
func (t *table) remove(q *Queue) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.find(q.topic, q.id) != q {
		return
	}
	if names := t.topics[q.topic]; names != nil {
		if i := slices.Index(names.ids, q.id); i >= 0 {
			names.ids = slices.Delete(names.ids, i, i+1)
		}
		if len(names.ids) == 0 {
			delete(t.topics, q.topic)
		}
	}
	t.replace(q.topic, q.id, func(m map[queueKey]*Queue) { delete(m, queueKey{q.topic, q.id}) })
}

// replace publishes a changed copy of one shard; t.mu is held.
func (t *table) replace(topic string, id int32, change func(map[queueKey]*Queue)) {
	at := t.shard(topic, id)
	next := map[queueKey]*Queue{}
	if old := at.Load(); old != nil {
		next = maps.Clone(*old)
	}
	change(next)
	at.Store(&next)
}

// ofTopic lists the queues of one topic in no order.
func (t *table) ofTopic(topic string) []*Queue {
	t.mu.Lock()
	defer t.mu.Unlock()
	names := t.topics[topic]
	if names == nil {
		return nil
	}
	queues := make([]*Queue, 0, len(names.ids))
	for _, id := range names.ids {
		queues = append(queues, t.find(topic, id))
	}
	return queues
}

// all lists every queue in no order.
func (t *table) all() []*Queue {
	var queues []*Queue
	for i := range t.shards {
		if m := t.shards[i].Load(); m != nil {
			for _, q := range *m {
				queues = append(queues, q)
			}
		}
	}
	return queues
}
