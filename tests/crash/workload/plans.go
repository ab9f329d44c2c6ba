package workload

import (
	"fmt"
	"time"

	"github.com/actorstore/actorstore/actors"
	"github.com/actorstore/actorstore/commitlog/record"
)

// Plan is a workload: how the store is set up, and what is done to it.
type Plan struct {
	Name    string
	Window  int // puts in flight
	Deletes bool
	set     func(o *actors.Options)
	more    func(o *Ops)
}

// Plans are all of them.
func Plans() []*Plan {
	return []*Plan{
		{Name: "single", Window: 1, more: single},
		{Name: "batch", Window: 4, more: batches},
		{Name: "queues", Window: 16, more: manyQueues},
		{Name: "bodies", Window: 4, more: bodies, set: func(o *actors.Options) { o.MappedFileSizeCommitLog = 64 << 10 }},
		{Name: "roll", Window: 8, more: roll, set: func(o *actors.Options) { o.MappedFileSizeCommitLog = 4096 }},
		{Name: "keys", Window: 8, more: keys, set: func(o *actors.Options) { o.MaxHashSlotNum, o.MaxIndexNum = 5, 12 }},
		{Name: "kinds", Window: 6, more: oddKinds},
		{Name: "delete", Window: 6, more: deletes, Deletes: true},
		{Name: "retention", Window: 6, more: expiring, set: bounded},
		{Name: "clock", Window: 4, more: clock},
		{Name: "mix", Window: 8, more: mix, Deletes: true},
	}
}

// PlanOf finds a plan by name, nil if there is none.
func PlanOf(name string) *Plan {
	for _, p := range Plans() {
		if p.Name == name {
			return p
		}
	}
	return nil
}

// Options are those of a small store for this plan.
func (p *Plan) Options(root string) actors.Options {
	o := actors.DefaultOptions(root)
	o.MappedFileSizeCommitLog = 16 << 10
	o.MappedFileSizeConsumeQueue = 10 * 20
	o.MapperFileSizeBatchConsumeQueue = 5 * 46
	o.MaxHashSlotNum, o.MaxIndexNum = 16, 40
	o.EnableLmq, o.EnableMultiDispatch = true, true
	o.FileReservedTime = 0
	o.MaxOpenQueueFiles = 16
	if p.set != nil {
		p.set(&o)
	}
	return o
}

// bounded lets retention take the oldest segments.
func bounded(o *actors.Options) {
	o.MappedFileSizeCommitLog = 4096
	o.MaxStoreSize = 5 * 4096
	o.CleanResourceInterval = time.Second
}

func single(o *Ops) {
	m := o.message(fmt.Sprint("t", o.rng.IntN(2)), int32(o.rng.IntN(3)), o.rng.IntN(400))
	if o.one(6) {
		m.Properties.Set(record.PropertyWait, "false")
	}
	o.add(put(m))
	o.beside()
}

// beside adds what may happen between puts.
func (o *Ops) beside() {
	switch o.rng.IntN(24) {
	case 0:
		o.add(Op{Kind: Settle}, Op{Kind: Flush})
	case 1:
		o.add(Op{Kind: Dispatched})
	case 2:
		o.add(Op{Kind: Pause, Pause: 400 * time.Millisecond})
	case 3:
		o.add(Op{Kind: Pause, Pause: 1100 * time.Millisecond}) // a mark
	case 4:
		if o.one(3) {
			o.add(Op{Kind: Pause, Pause: 61 * time.Second}) // a summary
		}
	}
}

func batches(o *Ops) {
	if o.one(3) {
		o.add(put(o.message("b", int32(o.rng.IntN(2)), o.rng.IntN(300))))
	} else {
		o.add(o.batch("b", int32(o.rng.IntN(2)), o.between(1, 12), 250))
	}
	o.beside()
}

func manyQueues(o *Ops) {
	o.add(put(o.message(fmt.Sprint("q", o.rng.IntN(8)), int32(o.rng.IntN(8)), o.rng.IntN(60))))
	o.beside()
}

func bodies(o *Ops) {
	n := o.between(1000, 12000)
	if o.one(8) {
		n = o.between(30000, 60000)
	}
	o.add(put(o.message("big", int32(o.rng.IntN(2)), n)))
	o.beside()
}

func roll(o *Ops) {
	n := o.rng.IntN(900)
	if o.one(5) {
		n = o.between(2500, 3700)
	}
	o.add(put(o.message("r", int32(o.rng.IntN(2)), n)))
	o.beside()
}

func keys(o *Ops) {
	m := o.message(fmt.Sprint("k", o.rng.IntN(2)), 0, o.rng.IntN(50))
	list := make([]string, o.between(0, 4))
	for i := range list {
		list[i] = []string{"Aa", "BB", "", "x#y", "T#A", fmt.Sprint("k", o.rng.IntN(12))}[o.rng.IntN(6)]
	}
	m.SetKeys(list...)
	o.add(put(m))
	o.beside()
}

func oddKinds(o *Ops) {
	o.add(put(o.odd()))
	o.beside()
}

func deletes(o *Ops) {
	topic := fmt.Sprint("d", o.rng.IntN(3))
	if o.one(12) {
		o.add(Op{Kind: Settle}, Op{Kind: Delete, Topic: topic})
	} else {
		o.add(put(o.message(topic, int32(o.rng.IntN(2)), o.rng.IntN(200))))
	}
	o.beside()
}

func expiring(o *Ops) {
	o.add(put(o.message(fmt.Sprint("e", o.rng.IntN(3)), 0, o.rng.IntN(700))))
	if o.one(10) {
		o.add(Op{Kind: Pause, Pause: 1200 * time.Millisecond})
	}
	o.beside()
}

func clock(o *Ops) {
	o.add(put(o.message("c", int32(o.rng.IntN(2)), o.rng.IntN(300))))
	if o.one(6) {
		by := []time.Duration{-time.Hour, -time.Second, -5 * time.Millisecond, 5 * time.Millisecond, time.Minute, 24 * time.Hour}
		o.add(Op{Kind: SetClock, Pause: by[o.rng.IntN(len(by))]})
	}
	o.beside()
}

func mix(o *Ops) {
	all := []func(*Ops){single, batches, manyQueues, roll, keys, oddKinds, deletes, clock}
	all[o.rng.IntN(len(all))](o)
}
