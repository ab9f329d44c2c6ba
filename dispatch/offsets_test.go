package dispatch_test

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/actorstore/actorstore/commitlog"
	"github.com/actorstore/actorstore/commitlog/record"
	"github.com/actorstore/actorstore/dispatch"
)

// queueOf names a queue.
type queueOf struct {
	topic string
	id    int32
}

// model is what the queues must hold: the records' places in order.
type model struct {
	units map[queueOf][]int64
	keys  map[string][]int64
}

// drawn puts a random message and notes what it must bring.
func (m *model) drawn(t *rapid.T, b *bed, i int) {
	topic := rapid.SampledFrom([]string{"a", "b", "%RETRY%g", record.TopicSchedule}).Draw(t, "topic")
	id := rapid.SampledFrom([]int32{0, 1, 5, 2000}).Draw(t, "queue")
	msg := message(topic, id)
	msg.Body = make([]byte, rapid.IntRange(0, 700).Draw(t, "body"))
	flag := rapid.SampledFrom([]int32{0, 0, 0, record.SysTransactionPrepared, record.SysTransactionRollback, record.SysTransactionCommit}).Draw(t, "flag")
	msg.SysFlag = flag
	if rapid.Bool().Draw(t, "keys") {
		msg.Properties.Set(record.PropertyKeys, fmt.Sprint("k", i%5, " j", i%3))
	}
	var lights []string
	if rapid.IntRange(0, 2).Draw(t, "lmq") == 0 {
		lights = rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"%LMQ%x", "%LMQ%y", "%LMQ%z"}), 1, 3, rapid.ID).Draw(t, "lights")
		names := ""
		for _, l := range lights {
			names += "," + l
		}
		msg.Properties.Set(record.PropertyMultiDispatch, names[1:])
	}
	n := 1
	at := commitlog.Appended{}
	if batch := flag == 0 && lights == nil && rapid.IntRange(0, 4).Draw(t, "batch") == 0; batch {
		n = 3
		b.clock++
		var err error
		at, err = b.out.AppendBatch(slices.Repeat([]record.Message{*msg}, n), b.clock)
		noErr(b, err)
		noErr(b, b.out.Publish())
		b.log.SetConfirm(b.log.Appended())
	} else {
		at = b.put(msg)
	}
	for k := range int64(n) {
		place := at.PhysicalOffset + k*int64(at.Size/n)
		if flag != record.SysTransactionRollback && msg.Properties.Bytes(record.PropertyKeys) != nil {
			for _, key := range msg.Keys() {
				m.keys[topic+" "+key] = append(m.keys[topic+" "+key], place)
			}
		}
		if record.IsTransactionPending(flag) {
			continue
		}
		m.units[queueOf{topic, id}] = append(m.units[queueOf{topic, id}], place)
		if topic == "a" || topic == "b" {
			for _, l := range lights {
				m.units[queueOf{l, 0}] = append(m.units[queueOf{l, 0}], place)
			}
		}
	}
}

// check compares everything that is dispatched.
func (m *model) check(t *rapid.T, b *bed) {
	for q, want := range m.units {
		if got := b.units(q.topic, q.id); !slices.Equal(got, want) {
			t.Fatalf("queue %v: got %v, want %v", q, got, want)
		}
	}
	n := 0
	for range b.queues.All() {
		n++
	}
	if n != len(m.units) {
		t.Fatalf("%d queues, want %d", n, len(m.units))
	}
	for key, want := range m.keys {
		var topic, k string
		_, _ = fmt.Sscan(key, &topic, &k)
		if got := b.found(topic, k); !slices.Equal(got, want) {
			t.Fatalf("key %q: got %v, want %v", key, got, want)
		}
	}
}

// next compares the next offsets, counted anew, with the model and the appender.
func (m *model) next(t *rapid.T, b *bed) {
	table, err := dispatch.NextOffsets(b.log.Reader(), b.queues, b.rules, b.applied())
	noErr(b, err)
	for q, units := range m.units {
		got, live := *table.Next(q.topic, q.id), *b.out.Offsets().Next(q.topic, q.id)
		if got != int64(len(units)) || live != got {
			t.Fatalf("next offset of %v: counted %d, in use %d, want %d", q, got, live, len(units))
		}
	}
	for topic := range table.Topics() {
		for _, id := range []int32{0, 1, 5, 2000} {
			if got := *table.Next(topic, id); got != int64(len(m.units[queueOf{topic, id}])) {
				t.Fatalf("next offset of %s/%d: counted %d", topic, id, got)
			}
		}
	}
}

// Whatever is put, read in windows of whatever limit, applied, applied again,
// and begun anew with derived files opened or dropped, queues and index hold what
// the log says, and the next offsets counted from them are those in use.
func TestDispatchModel(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		b := begin(t, segment, dispatch.Rules{Shards: rapid.IntRange(1, 3).Draw(rt, "shards")})
		m := &model{units: map[queueOf][]int64{}, keys: map[string][]int64{}}
		var last *dispatch.Window
		i := 0
		rt.Repeat(map[string]func(*rapid.T){
			"put": func(t *rapid.T) {
				for range rapid.IntRange(1, 8).Draw(t, "n") {
					i++
					m.drawn(t, b, i)
				}
			},
			"dispatch": func(t *rapid.T) {
				w := b.read(b.log.Confirm())
				if len(w.Damage) > 0 {
					t.Fatalf("damage in a sound log: %+v", w.Damage)
				}
				last = w
				noErr(b, b.apply(w))
			},
			"again": func(t *rapid.T) {
				if last != nil {
					noErr(b, b.apply(last))
				}
			},
			"rewind": func(t *rapid.T) {
				b.reput.Rewind(0)
				for _, s := range b.sinks {
					s.Reset(0)
				}
				b.keys.Reset(0)
				last = nil
			},
			"reopen": func(t *rapid.T) {
				b.log.SetDispatched(b.applied())
				b.derive()
				last = nil
			},
			"count": func(t *rapid.T) { m.next(t, b) },
		})
		b.catchUp()
		m.check(rt, b)
		m.next(rt, b)
	})
}

// Damage behind what is dispatched takes no offset from the records behind it.
func TestNextOffsetsOverDamage(t *testing.T) {
	b := begin(t, segment, dispatch.Rules{})
	b.put(message("t", 0))
	b.catchUp()
	lost := b.put(message("t", 0))
	b.put(message("t", 0))
	tail := b.put(message("t", 0))
	b.spoil(lost)
	b.spoil(tail)
	table, err := dispatch.NextOffsets(b.log.Reader(), b.queues, b.rules, b.applied())
	noErr(t, err)
	equal(t, "next", *table.Next("t", 0), 3) // the last record is gone: its offset is free
}

// An inner batch takes as many offsets as it has messages.
func TestNextOffsetsOfInnerBatch(t *testing.T) {
	b := begin(t, segment, dispatch.Rules{Kind: batched})
	for _, num := range []string{"3", "100"} {
		m := message("t", 0, record.PropertyInnerNum, num)
		m.SysFlag = record.SysInnerBatch
		b.put(m)
	}
	for range 2 {
		table, err := dispatch.NextOffsets(b.log.Reader(), b.queues, b.rules, b.applied())
		noErr(t, err)
		equal(t, "next", *table.Next("t", 0), 103)
		b.catchUp()
	}
}
