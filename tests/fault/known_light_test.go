package fault_test

import (
	"fmt"
	"maps"
	"strings"
	"sync"
	"testing"

	"github.com/actorstore/actorstore"
	"github.com/actorstore/actorstore/commitlog/mapped/mappedtest"
	"github.com/actorstore/actorstore/commitlog/record"
	"github.com/actorstore/actorstore/tests/fault"
)

const lightTopics, lightEach = 32, 40

// cutLight is a kill in the middle, and what had been acknowledged before it.
type cutLight struct {
	disk  *mappedtest.FS
	acked map[int]bool
	where string
}

// lights puts into the common light queue and into that of the topic.
type lights struct {
	*fault.Client
	mu    sync.Mutex
	acked map[int]bool
	cuts  []cutLight
}

func (l *lights) put(t *testing.T, topic, id int) {
	m := actorstore.Message{Topic: fmt.Sprint("topic", topic), Body: fault.Body(id, 50)}
	m.Properties = actorstore.NewProperties(record.PropertyMultiDispatch, fmt.Sprintf("%%LMQ%%all,%%LMQ%%of%d", topic))
	if _, err := put(t, l.Client, &m); err != nil {
		t.Error(err)
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.acked[id] = true
}

// cut kills the process in thought.
func (l *lights) cut(disk *mappedtest.FS, where string) {
	l.mu.Lock()
	acked := maps.Clone(l.acked)
	l.mu.Unlock()
	image := disk.Kill()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.cuts = append(l.cuts, cutLight{image, acked, where})
}

// TestF20_KillsInTheMiddle: while 32 producers put messages of 32 topics into one
// light queue the process dies, within calls of its files. Whatever the moment, the
// light queue has every acknowledged message once and in the place that the
// message was given, and goes on behind the last.
func TestF20_KillsInTheMiddle(t *testing.T) {
	for _, flush := range []bool{false, true} {
		virtual(t, func(t *testing.T) {
			disk := mappedtest.NewFS()
			script := mappedtest.NewScript(disk)
			l := &lights{acked: map[int]bool{}}
			l.Client = opened(t, script, flush, func(o *actorstore.Options) {
				o.EnableLmq, o.EnableMultiDispatch, o.MessageIndexEnable = true, true, false
			})
			for _, op := range []mappedtest.Op{mappedtest.OpWrite, mappedtest.OpRename, mappedtest.OpDatasync, mappedtest.OpAllocate} {
				for at := 1; at <= 1000; at = at*2 + 1 {
					where := fmt.Sprintf("in %v %d", op, at)
					script.Add(mappedtest.Rule{Op: op, At: at, Before: func() { l.cut(disk, where) }})
				}
			}
			var all sync.WaitGroup
			for topic := range lightTopics {
				all.Go(func() {
					for i := range lightEach {
						l.put(t, topic, topic*lightEach+i)
					}
				})
			}
			all.Wait()
			script.Clear()
			l.cut(disk, "at the end")
			closeClient(t, l.Client)
			between := 0
			for _, c := range l.cuts {
				if n := len(c.acked); n > 0 && n < lightTopics*lightEach {
					between++
				}
				l.checkCut(t, c)
			}
			if between < 5 {
				t.Errorf("only %d kills in the middle", between)
			}
		})
	}
}

// checkCut opens what a kill has left, puts another message of each topic, and
// opens it once more behind a second kill.
func (l *lights) checkCut(t *testing.T, c cutLight) {
	t.Helper()
	reopened(t, l.Client, c.disk)
	before := l.numbered(t, c)
	const more = lightTopics * lightEach
	for topic := range lightTopics {
		l.put(t, topic, more+topic)
		c.acked[more+topic] = true
	}
	if after := l.numbered(t, c); after != before+lightTopics {
		t.Errorf("%s: %d messages in the light queue, then %d", c.where, before, after)
	}
	c.disk = c.disk.Kill()
	closeClient(t, l.Client)
	reopened(t, l.Client, c.disk)
	if after := l.numbered(t, c); after != before+lightTopics {
		t.Errorf("%s, twice: %d messages in the light queue, then %d", c.where, before, after)
	}
	closeClient(t, l.Client)
}

// numbered checks the light queues against the queues of the topics, and tells how
// many messages the common one has.
func (l *lights) numbered(t *testing.T, c cutLight) int {
	t.Helper()
	common := map[int64]int{} // place by physical offset
	seen := map[int]bool{}
	for i, m := range get(t, l.Client, "%LMQ%all", 0) {
		id := fault.IDOf(m.Body)
		given, _, _ := strings.Cut(string(m.Properties.Bytes(record.PropertyMultiOffset)), ",")
		if seen[id] || given != fmt.Sprint(i) {
			t.Errorf("%s: place %d: message %d, which was given place %s; there before: %v", c.where, i, id, given, seen[id])
		}
		seen[id] = true
		common[m.PhysicalOffset] = i
	}
	for id := range c.acked {
		if !seen[id] {
			t.Errorf("%s: message %d was acknowledged and is not in the light queue", c.where, id)
		}
	}
	total := 0
	for topic := range lightTopics {
		own, light := l.queue(t, fmt.Sprint("topic", topic)), l.queue(t, fmt.Sprintf("%%LMQ%%of%d", topic))
		if len(own) != len(light) {
			t.Errorf("%s: topic %d: %d messages in its queue, %d in its light queue", c.where, topic, len(own), len(light))
			continue
		}
		for i, m := range own {
			at, is := common[m.PhysicalOffset]
			want := fmt.Sprintf("%d,%d", at, i)
			if got := string(m.Properties.Bytes(record.PropertyMultiOffset)); !is || m.QueueOffset != int64(i) || light[i].PhysicalOffset != m.PhysicalOffset || got != want {
				t.Errorf("%s: topic %d: message %d at place %d: light offsets %s, want %s", c.where, topic, m.QueueOffset, i, got, want)
			}
		}
		total += len(own)
	}
	if total != len(seen) {
		t.Errorf("%s: %d messages in the light queue, %d in the others", c.where, len(seen), total)
	}
	return total
}

// queue reads a queue that may not be there.
func (l *lights) queue(t *testing.T, topic string) []actorstore.MessageExt {
	t.Helper()
	if n, err := l.Store.MaxOffset(topic, 0); err != nil || n == 0 {
		return nil
	}
	return get(t, l.Client, topic, 0)
}
