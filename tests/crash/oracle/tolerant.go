package oracle

import (
	"context"
	"fmt"
	"slices"

	"github.com/actorstore/actorstore/commitlog/record"
	"github.com/actorstore/actorstore/reader"
)

// Hurt is what was damaged in a store whose contents are known.
type Hurt struct {
	// Record: a byte of the record differs from what was written.
	Record func(r *Record) bool
	// Unit: the place of a record in a queue is not to be relied upon.
	Unit func(topic string, id int32, offset int64) bool
	// Silent: a place that is not to be relied upon may be left out without an
	// error, as where a queue seems to be shorter.
	Silent bool
	// Keys: the index may fail to find, but never finds what is wrong.
	Keys bool
	// Back: what was hit may be read all the same, if it is right: its bytes stand
	// in another file, where they are found.
	Back bool
}

// Whole is no damage at all.
func Whole() Hurt {
	return Hurt{Record: func(*Record) bool { return false }, Unit: func(string, int32, int64) bool { return false }}
}

// Tolerate reads a damaged store that held f. It wants everything that was not
// hit, nothing that was hit, and an error with a way on for each place that was.
// It gives what is wrong, and how many messages could not be read.
func (f *Found) Tolerate(ctx context.Context, view *reader.Reader, h Hurt, o Options) (refused int, err error) {
	c := &check{f: f, view: view, o: o, v: Violation{Cut: Closed}, m: New()}
	t := &tolerance{check: c, h: h}
	for _, q := range f.byQueue() {
		t.queue(ctx, q)
	}
	for i := range f.Records {
		t.place(ctx, &f.Records[i])
	}
	if !o.NoIndex {
		t.keys(ctx)
	}
	if len(c.v.What) > 0 {
		return t.refused, &c.v
	}
	return t.refused, ctx.Err()
}

type tolerance struct {
	*check
	h       Hurt
	refused int
}

// namedQueue is what a queue must hold.
type namedQueue struct {
	topic string
	queueOf
}

// byQueue lists the queues that are not deleted.
func (f *Found) byQueue() []namedQueue {
	var list []namedQueue
	at := make(map[string]int)
	for i := range f.Records {
		r := &f.Records[i]
		for _, u := range r.units {
			if f.dead(r, u.topic) {
				continue
			}
			name := fmt.Sprint(u.topic, "\x00", u.id)
			n, ok := at[name]
			if !ok {
				n = len(list)
				at[name] = n
				list = append(list, namedQueue{u.topic, queueOf{id: u.id}})
			}
			list[n].places = append(list[n].places, place{r: r, u: u})
		}
	}
	return list
}

// queue reads one queue over every damaged place.
func (t *tolerance) queue(ctx context.Context, q namedQueue) {
	name := fmt.Sprintf("%s-%d", q.topic, q.id)
	at, i := q.places[0].u.offset, 0
	var g reader.GetResult
	for i < len(q.places) {
		err := t.view.Get(ctx, reader.GetRequest{Topic: q.topic, QueueID: q.id, Offset: at}, &g)
		for k := range g.Messages {
			if i == len(q.places) {
				break // what follows was put since
			}
			if t.fresh(&g.Messages[k]) && t.allHit(q.places[i:]) {
				return // the end of the log was hit and has been written anew
			}
			for i < len(q.places) && q.places[i].r.Offset != g.Messages[k].PhysicalOffset {
				t.skipped(name, &q.places[i], err)
				i++
			}
			if i == len(q.places) && g.Messages[k].PhysicalOffset >= t.f.End {
				return // put since
			}
			if i == len(q.places) {
				t.bad("%s: a message at physical offset %d that belongs to no place behind", name, g.Messages[k].PhysicalOffset)
				return
			}
			p := &q.places[i]
			t.message(name, &g.Messages[k], p)
			if t.h.Record(p.r) && !t.h.Back {
				t.bad("%s: message %d at %d was hit, and is returned", name, p.r.Serial(), p.r.Offset)
			}
			i++
		}
		if g.NextOffset <= at {
			if t.allHit(q.places[i:]) { // the end of the log was hit: it ends in front of that now
				t.refused += len(q.places) - i
				return
			}
			for ; i < len(q.places); i++ {
				t.skipped(name, &q.places[i], ended(at, g.Status, err, t.h.Silent))
			}
			return
		}
		at = g.NextOffset
		for i < len(q.places) && q.places[i].u.offset+q.places[i].u.num <= at {
			t.skipped(name, &q.places[i], err)
			i++
		}
	}
}

// ended is why a queue gives no more.
func ended(at int64, status reader.GetMessageStatus, err error, silent bool) error {
	if err == nil && silent {
		return nil
	}
	return fmt.Errorf("the queue ends at %d with %s, %v", at, status, err)
}

// skipped judges a place that gave no message.
func (t *tolerance) skipped(name string, p *place, err error) {
	t.refused++
	if !t.h.Record(p.r) && !t.h.Unit(p.u.topic, p.u.id, p.u.offset) {
		t.bad("LOST: %s: message %d at offset %d, physical offset %d, was not hit and is not returned: %v",
			name, p.r.Serial(), p.u.offset, p.r.Offset, err)
	} else if err == nil && (t.h.Record(p.r) || !t.h.Silent) {
		t.bad("%s: message %d at offset %d was hit, and is left out without an error", name, p.r.Serial(), p.u.offset)
	}
}

// replaced tells that a damaged record at the end of the log was cut and another
// message has been put in its place.
func (t *tolerance) replaced(m *record.MessageExt, r *Record) bool {
	return t.h.Record(r) && t.fresh(m)
}

// fresh tells that a message was put since.
func (t *tolerance) fresh(m *record.MessageExt) bool {
	n, ok := SerialOf(m.Properties)
	return ok && t.f.serials()[n] == nil
}

func (t *tolerance) allHit(places []place) bool {
	for i := range places {
		if !t.h.Record(places[i].r) {
			return false
		}
	}
	return true
}

// serials are all records by their serial numbers.
func (f *Found) serials() map[int64]*Record {
	if f.bySerial == nil {
		f.bySerial = make(map[int64]*Record)
		for i := range f.Records {
			f.bySerial[f.Records[i].Serial()] = &f.Records[i]
		}
	}
	return f.bySerial
}

// place looks a record up by its physical offset.
func (t *tolerance) place(ctx context.Context, r *Record) {
	m, err := t.view.Lookup(ctx, r.Offset)
	hit := t.h.Record(r)
	switch {
	case hit && err == nil && (t.h.Back || t.replaced(m, r)):
	case hit && err == nil:
		t.bad("lookup: message %d at %d was hit, and is returned", r.Serial(), r.Offset)
	case !hit && err != nil:
		t.bad("LOST: lookup: message %d at %d was not hit: %v", r.Serial(), r.Offset, err)
	case err == nil:
		if diff := compare(&m.Message, &r.sent.Message); diff != "" {
			t.bad("lookup: message %d at %d: %s", r.Serial(), r.Offset, diff)
		}
	}
}

// keys asks for every key and wants nothing wrong.
func (t *tolerance) keys(ctx context.Context) {
	want := make(map[topicKey][]*Record)
	for i := range t.f.Records {
		r := &t.f.Records[i]
		for _, key := range keysOf(&r.sent.Message) {
			k := topicKey{r.sent.Message.Topic, key}
			if list := want[k]; len(list) == 0 || list[len(list)-1] != r {
				want[k] = append(list, r)
			}
		}
	}
	for k, list := range want {
		res, err := t.view.Query(ctx, reader.QueryRequest{Topic: k.topic, Key: k.key})
		got := make(map[int64]*record.MessageExt)
		for i := range res.Messages {
			got[res.Messages[i].PhysicalOffset] = &res.Messages[i]
		}
		for _, r := range list[max(0, len(list)-max(t.o.MaxMatches, 1)):] {
			m := got[r.Offset]
			delete(got, r.Offset)
			switch {
			case m == nil && !t.h.Record(r) && !t.h.Keys && !t.f.dead(r, r.sent.Message.Topic):
				t.bad("LOST: key %s of %s does not find message %d at %d: %v", k.key, k.topic, r.Serial(), r.Offset, err)
			case m != nil && t.h.Record(r) && !t.h.Back && !t.replaced(m, r):
				t.bad("key %s of %s: message %d at %d was hit, and is returned", k.key, k.topic, r.Serial(), r.Offset)
			}
		}
		for at := range got {
			if !slices.ContainsFunc(list, func(r *Record) bool { return r.Offset == at }) {
				t.bad("key %s of %s finds a record at %d that does not have it", k.key, k.topic, at)
			}
		}
	}
}

// dead tells whether the place of a record in a topic's queues was deleted.
func (f *Found) dead(r *Record, topic string) bool {
	return f.gone[topic] > 0 && f.epochs(topic, r.sent) < f.gone[topic]
}

// Bounds are the queue offsets that the log has for a queue.
func (f *Found) Bounds(topic string, id int32) (lo, hi int64) {
	lo = -1
	for i := range f.Records {
		for _, u := range f.Records[i].units {
			if u.topic != topic || u.id != id || f.dead(&f.Records[i], topic) {
				continue
			}
			if lo < 0 {
				lo = u.offset
			}
			hi = u.offset + u.num
		}
	}
	return max(lo, 0), hi
}
