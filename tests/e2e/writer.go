package e2e

import (
	"context"
	"fmt"
	"strings"

	"github.com/actorstore/actorstore"
	"github.com/actorstore/actorstore/commitlog/record"
	"github.com/actorstore/actorstore/tests/golden"
)

// Put is a record that was put, as a reader must find it. Props lacks the
// checksum, which only the store can know.
type Put struct {
	golden.Message
	Queued bool     // whether a queue gets it: not if prepared or rolled back
	Keys   []string // what a key query finds it by
	Lights []Light  // further queues that it stands in
}

// Light is a place in a light queue, whose number is always 0.
type Light struct {
	Topic  string
	Offset int64
}

// Writer puts messages and notes what was put.
type Writer struct {
	// Window is how many puts are in flight at a time; 0 is 1.
	Window int
	// Each, if set, is called with the records of each put once it is answered.
	Each func([]Put)

	store  *actorstore.Store
	o      actorstore.Options
	kinds  Kinds
	lights map[string]int64 // next offset of each light queue
}

// NewWriter makes a writer for a store that was opened with these options and
// holds what before says; nil is an empty store.
func NewWriter(store *actorstore.Store, o actorstore.Options, k Kinds, before *golden.Reading) *Writer {
	w := &Writer{store: store, o: o, kinds: k, lights: map[string]int64{}}
	if before != nil {
		for _, q := range before.Queues {
			if strings.HasPrefix(q.Topic, record.PrefixLMQ) {
				w.lights[q.Topic] = q.MaxOffset
			}
		}
	}
	return w
}

// flight is a put that was begun.
type flight struct {
	pending actorstore.Pending
	single  *actorstore.Message // nil for a batch
	batch   []actorstore.Message
}

// Put puts the messages numbered from to from+count-1 and returns their records
// in the order of the log.
func (w *Writer) Put(ctx context.Context, from, count int) ([]Put, error) {
	var puts []Put
	var flights []flight
	for i := from; i < from+count || len(flights) > 0; {
		if i < from+count && len(flights) < max(w.Window, 1) {
			f, err := w.begin(i)
			if err != nil {
				return puts, fmt.Errorf("message %d: %w", i, err)
			}
			flights = append(flights, f)
			i++
			continue
		}
		records, err := w.wait(ctx, flights[0])
		if err != nil {
			return puts, fmt.Errorf("put before message %d: %w", i, err)
		}
		flights = flights[1:]
		puts = append(puts, records...)
		if w.Each != nil {
			w.Each(records)
		}
	}
	return puts, nil
}

func (w *Writer) begin(i int) (flight, error) {
	if w.kinds.IsBatch(i) {
		batch := w.kinds.Batch(i)
		p, err := w.store.BeginBatch(batch)
		return flight{pending: p, batch: batch}, err
	}
	m := w.kinds.Message(i)
	p, err := w.store.Begin(&m)
	return flight{pending: p, single: &m}, err
}

// wait waits for an answer and makes the records of it.
func (w *Writer) wait(ctx context.Context, f flight) ([]Put, error) {
	result, err := f.pending.Wait(ctx)
	if err != nil {
		return nil, err
	}
	if result.Status != actorstore.PutOK {
		return nil, fmt.Errorf("status %v without an error", result.Status)
	}
	if f.single != nil {
		p := w.record(f.single, result.PhysicalOffset, result.QueueOffset, result.StoreTimestamp)
		if p.Size != result.Size {
			err = fmt.Errorf("size %d, want %d", result.Size, p.Size)
		}
		return []Put{p}, err
	}
	if int(result.Count) != len(f.batch) {
		return nil, fmt.Errorf("count %d for a batch of %d", result.Count, len(f.batch))
	}
	puts := make([]Put, len(f.batch))
	at := result.PhysicalOffset
	for n := range f.batch {
		puts[n] = w.record(&f.batch[n], at, result.QueueOffset+int64(n), result.StoreTimestamp)
		at += int64(puts[n].Size)
	}
	if at != result.PhysicalOffset+int64(result.Size) {
		err = fmt.Errorf("batch of %d bytes, its records have %d", result.Size, at-result.PhysicalOffset)
	}
	return puts, err
}

// record is the record of a message, with what the store adds to it.
func (w *Writer) record(m *actorstore.Message, phy, offset, stored int64) Put {
	p := Put{Queued: !record.IsTransactionPending(m.SysFlag), Keys: keysOf(m)}
	full := *m
	full.Properties = append(actorstore.Properties{}, m.Properties...)
	if full.BornHost.IsValid() && full.BornHost.Addr().Is6() {
		full.SysFlag |= record.SysBornHostV6
	}
	if !full.StoreHost.IsValid() {
		full.StoreHost = w.o.BrokerAddr
	} else if full.StoreHost.Addr().Is6() {
		full.SysFlag |= record.SysStoreHostV6
	}
	if m.SysFlag&record.SysInnerBatch != 0 {
		full.Properties.Set(record.PropertyInnerBase, fmt.Sprint(offset))
	}
	if names, ok := m.Properties.Get(record.PropertyMultiDispatch); ok && w.o.EnableMultiDispatch {
		w.light(&p, &full, strings.Split(names, ","))
	}
	if m.SysFlag&record.SysTransactionMask == record.SysTransactionRollback {
		p.Keys = nil
	}
	enc := record.Encoder{AppendPropCRC: w.o.EnabledAppendPropCRC, Host: w.o.BrokerAddr}
	p.Message = golden.Message{Offset: offset, Phy: phy, Size: int32(enc.Size(&full)), Stored: stored, CRC: record.BodyCRC(m.Body)}
	describe(&p.Message, &full, "")
	return p
}

// light numbers a message in its light queues.
func (w *Writer) light(p *Put, full *actorstore.Message, names []string) {
	var offsets []string
	for _, name := range names {
		p.Lights = append(p.Lights, Light{name, w.lights[name]})
		offsets = append(offsets, fmt.Sprint(w.lights[name]))
		w.lights[name]++
	}
	full.Properties.Set(record.PropertyMultiOffset, strings.Join(offsets, ","))
}

func keysOf(m *actorstore.Message) []string {
	var keys []string
	if key := m.UniqKey(); key != "" {
		keys = append(keys, key)
	}
	return append(keys, m.Keys()...)
}
