package workload

import (
	"fmt"
	"math/rand/v2"
	"strconv"

	"github.com/actorstore/actorstore/commitlog/record"
	"github.com/actorstore/actorstore/tests/crash/oracle"
)

// Ops makes the operations of a plan one after the other.
type Ops struct {
	plan   *Plan
	rng    *rand.Rand
	serial int64
	queue  []Op // made, not yet given out
}

// Ops begins the operations of a plan; serial is the number of the first message.
func (p *Plan) Ops(seed uint64, serial int64) *Ops {
	return &Ops{plan: p, rng: rand.New(rand.NewPCG(seed, uint64(serial)+0x9e37)), serial: serial}
}

// Serial is the number that the next message will have.
func (o *Ops) Serial() int64 { return o.serial }

// Next makes the next operation.
func (o *Ops) Next() Op {
	for len(o.queue) == 0 {
		o.plan.more(o)
	}
	op := o.queue[0]
	o.queue = o.queue[1:]
	return op
}

func (o *Ops) add(ops ...Op) { o.queue = append(o.queue, ops...) }

func (o *Ops) one(n int) bool { return o.rng.IntN(n) == 0 }

// between gives a number in [a, b].
func (o *Ops) between(a, b int) int { return a + o.rng.IntN(b-a+1) }

// message makes a message with a body of n bytes, numbered.
func (o *Ops) message(topic string, queue int32, n int) record.Message {
	m := record.Message{Topic: topic, QueueID: queue, Body: o.bytes(n)}
	m.Properties.Set(oracle.Serial, strconv.FormatInt(o.serial, 10))
	if !o.one(3) {
		m.SetTags([]string{"A", "B", "Aa", "BB", "标签"}[o.rng.IntN(5)])
	}
	if o.one(2) {
		m.SetKeys(fmt.Sprintf("k%d", o.serial))
	}
	if o.one(4) {
		m.Properties.Set(record.PropertyUniqKey, fmt.Sprintf("7F00000100002A139A%014d", o.serial))
	}
	o.serial++
	return m
}

// bytes are random, or runs of one byte: zeros, too, in which a torn write
// hides best.
func (o *Ops) bytes(n int) []byte {
	b := make([]byte, n)
	switch o.rng.IntN(4) {
	case 0: // zeros
	case 1:
		for i := range b {
			b[i] = byte(o.serial)
		}
	default:
		for i := 0; i < n; i += 8 {
			v := o.rng.Uint64()
			for k := i; k < min(i+8, n); k++ {
				b[k] = byte(v)
				v >>= 8
			}
		}
	}
	return b
}

// put is a single put.
func put(m record.Message) Op { return Op{Kind: Put, Messages: []record.Message{m}} }

// batch makes n messages of one queue.
func (o *Ops) batch(topic string, queue int32, n, body int) Op {
	list := make([]record.Message, n)
	for i := range list {
		list[i] = o.message(topic, queue, o.rng.IntN(body+1))
	}
	return Op{Kind: PutBatch, Messages: list}
}
