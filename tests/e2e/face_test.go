package e2e_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/actorstore/actorstore"
	"github.com/actorstore/actorstore/commitlog/record"
	"github.com/actorstore/actorstore/tests/e2e"
	"github.com/actorstore/actorstore/tests/golden"
)

// fresh opens a new store of small files.
func fresh(t testing.TB, change ...func(*actorstore.Options)) (*actorstore.Store, actorstore.Options) {
	t.Helper()
	o := e2e.Options(t.TempDir(), golden.SettingsOf(golden.PropCRC))
	for _, f := range change {
		f(&o)
	}
	return open(t, o), o
}

func text(topic string, queue int32, body string) *actorstore.Message {
	return &actorstore.Message{Topic: topic, QueueID: queue, Body: []byte(body)}
}

// put puts messages with these bodies one by one.
func put(t testing.TB, s *actorstore.Store, topic string, bodies ...string) (results []actorstore.PutResult) {
	t.Helper()
	for _, b := range bodies {
		r, err := s.Put(t.Context(), text(topic, 0, b))
		must(t, err)
		results = append(results, r)
	}
	must(t, s.Dispatched(t.Context()))
	return results
}

// bodies reads a queue from an offset to its end.
func bodies(t testing.TB, v e2e.View, topic string, queue int32, offset int64) (list []string) {
	t.Helper()
	var got actorstore.GetResult
	for {
		must(t, v.Get(t.Context(), actorstore.GetRequest{Topic: topic, QueueID: queue, Offset: offset}, &got))
		if got.Status != actorstore.Found {
			return list
		}
		for i := range got.Messages {
			list = append(list, string(got.Messages[i].Body))
		}
		offset = got.NextOffset
	}
}

func sameBodies(t testing.TB, got []string, want ...string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("bodies %q, want %q", got, want)
	}
}

// TestFace goes once through everything that reads.
func TestFace(t *testing.T) {
	for _, flush := range []actorstore.FlushDiskType{actorstore.AsyncFlush, actorstore.SyncFlush} {
		t.Run(flush.String(), func(t *testing.T) {
			var clock atomic.Int64 // several actors look at it
			clock.Store(1_800_000_000_000)
			s, o := fresh(t, func(o *actorstore.Options) {
				o.FlushDiskType = flush
				o.Now = func() time.Time { return time.UnixMilli(clock.Add(10)) }
			})
			var results []actorstore.PutResult
			for i := range 20 {
				m := text("orders", 3, fmt.Sprint("body ", i))
				m.SetTags(fmt.Sprint("tag", i%2))
				m.SetKeys(fmt.Sprint("k", i), "all")
				r, err := s.Put(t.Context(), m)
				must(t, err)
				if r.Status != actorstore.PutOK || r.QueueOffset != int64(i) || r.StoreHost != o.BrokerAddr || r.Err != nil {
					t.Fatalf("%+v", r)
				}
				results = append(results, r)
			}
			must(t, s.Dispatched(t.Context()))
			face(t, s, results)
			closeStore(t, s)
			i, err := actorstore.Inspect(t.Context(), o)
			must(t, err)
			face(t, i, results)
			must(t, i.Close())
			s = open(t, o)
			face(t, s, results)
			if r, err := s.Put(t.Context(), text("orders", 3, "behind")); err != nil || r.QueueOffset != 20 {
				t.Errorf("%+v, %v", r, err)
			}
		})
	}
}

// reading is all that store and inspection have in common.
type reading interface {
	e2e.View
	View(context.Context, actorstore.GetRequest, func(*actorstore.MessageExt) error) (actorstore.ViewResult, error)
	Lookup(context.Context, int64) (*actorstore.MessageExt, error)
	LookupID(context.Context, string) (*actorstore.MessageExt, error)
	MessageTime(string, int32, int64) (int64, error)
	MinOffset(string, int32) (int64, error)
	MaxOffset(string, int32) (int64, error)
}

func face(t *testing.T, v reading, results []actorstore.PutResult) {
	t.Helper()
	const topic, queue = "orders", 3
	var got actorstore.GetResult
	must(t, v.Get(t.Context(), actorstore.GetRequest{Topic: topic, QueueID: queue, Offset: 4, MaxCount: 3, Tags: "tag1"}, &got))
	if got.Status != actorstore.Found || len(got.Messages) != 3 || string(got.Messages[2].Body) != "body 9" ||
		got.MinOffset != 0 || got.MaxOffset != 20 || !got.More {
		t.Errorf("get: %+v", got.Place)
	}
	seen := 0
	end := errors.New("enough")
	_, err := v.View(t.Context(), actorstore.GetRequest{Topic: topic, QueueID: queue}, func(m *actorstore.MessageExt) error {
		if string(m.Body) != fmt.Sprint("body ", seen) {
			t.Errorf("view %d: %s", seen, m.Body)
		}
		if seen++; seen == 7 {
			return end
		}
		return nil
	})
	if !errors.Is(err, end) || seen != 7 {
		t.Errorf("view: %v after %d", err, seen)
	}
	for i, r := range results {
		for _, find := range []func() (*actorstore.MessageExt, error){
			func() (*actorstore.MessageExt, error) { return v.Lookup(t.Context(), r.PhysicalOffset) },
			func() (*actorstore.MessageExt, error) { return v.LookupID(t.Context(), r.MsgID()) },
		} {
			m, err := find()
			if err != nil || string(m.Body) != fmt.Sprint("body ", i) || m.QueueOffset != int64(i) || m.StoreTimestamp != r.StoreTimestamp {
				t.Errorf("look-up %d: %v %+v", i, err, m)
			}
		}
		q, err := v.Query(t.Context(), actorstore.QueryRequest{Topic: topic, Key: fmt.Sprint("k", i)})
		if err != nil || len(q.Messages) != 1 || q.Messages[0].QueueOffset != int64(i) || q.More || q.Incomplete {
			t.Errorf("query k%d: %v %+v", i, err, q)
		}
		if ms, err := v.MessageTime(topic, queue, int64(i)); err != nil || ms != r.StoreTimestamp {
			t.Errorf("time of %d: %d %v", i, ms, err)
		}
		lower, err := v.OffsetByTime(topic, queue, r.StoreTimestamp, actorstore.Lower)
		upper, err2 := v.OffsetByTime(topic, queue, r.StoreTimestamp, actorstore.Upper)
		if lower != int64(i) || upper != int64(i) || err != nil || err2 != nil {
			t.Errorf("at the time of %d: %d %d %v %v", i, lower, upper, err, err2)
		}
	}
	q, err := v.Query(t.Context(), actorstore.QueryRequest{Topic: topic, Key: "all",
		Begin: results[5].StoreTimestamp, End: results[14].StoreTimestamp, MaxCount: 4})
	if err != nil || len(q.Messages) != 4 || q.Messages[3].QueueOffset != 14 || !q.More {
		t.Errorf("query by time: %v, %d messages, more %v", err, len(q.Messages), q.More)
	}
	lo, err := v.MinOffset(topic, queue)
	hi, err2 := v.MaxOffset(topic, queue)
	if lo != 0 || hi != 20 || err != nil || err2 != nil {
		t.Errorf("offsets %d %d %v %v", lo, hi, err, err2)
	}
	if _, err := v.MaxOffset(topic, 4); !errors.Is(err, actorstore.ErrNoQueue) {
		t.Errorf("no queue: %v", err)
	}
	if _, err := v.Lookup(t.Context(), 1); !errors.Is(err, actorstore.ErrNoRecord) {
		t.Errorf("no record: %v", err)
	}
	topics := v.Topics()
	if len(topics) != 1 || topics[0].Topic != topic || len(topics[0].Queues) != 1 || topics[0].Queues[0].Max != 20 {
		t.Errorf("topics %+v", topics)
	}
}

// TestPutForms: every way to put leads to the same queue, in order.
func TestPutForms(t *testing.T) {
	s, _ := fresh(t)
	one, err := s.Put(t.Context(), text("t", 0, "put"))
	must(t, err)
	batch := []actorstore.Message{*text("t", 0, "batch 0"), *text("t", 0, "batch 1"), *text("t", 0, "batch 2")}
	three, err := s.PutBatch(t.Context(), batch)
	must(t, err)
	if three.Count != 3 || three.QueueOffset != 1 || three.PhysicalOffset != one.End() {
		t.Errorf("%+v behind %+v", three, one)
	}
	var begun []actorstore.Pending
	for i := range 5 {
		p, err := s.Begin(text("t", 0, fmt.Sprint("begun ", i)))
		must(t, err)
		begun = append(begun, p)
	}
	p, err := s.BeginBatch(batch[:2])
	must(t, err)
	for i := len(begun) - 1; i >= 0; i-- { // in any order
		r, err := begun[i].Wait(t.Context())
		if err != nil || r.QueueOffset != int64(4+i) {
			t.Errorf("%+v %v", r, err)
		}
		if _, err := begun[i].Wait(t.Context()); err == nil {
			t.Error("waited twice")
		}
	}
	if r, err := p.Wait(t.Context()); err != nil || r.QueueOffset != 9 || r.Count != 2 {
		t.Errorf("%+v %v", r, err)
	}
	done := make(chan actorstore.PutResult)
	must(t, s.PutAsync(text("t", 0, "async"), func(r actorstore.PutResult) {
		// A callback may call the store.
		if _, err := s.Put(context.Background(), text("t", 0, "from the callback")); err != nil {
			t.Error(err)
		}
		done <- r
	}))
	if r := <-done; r.Status != actorstore.PutOK || r.QueueOffset != 11 {
		t.Errorf("%+v", r)
	}
	must(t, s.Dispatched(t.Context()))
	sameBodies(t, bodies(t, s, "t", 0, 0), "put", "batch 0", "batch 1", "batch 2", "begun 0", "begun 1", "begun 2",
		"begun 3", "begun 4", "batch 0", "batch 1", "async", "from the callback")
}

// TestRefusedPuts: nothing is written, and the status and cause say why.
func TestRefusedPuts(t *testing.T) {
	s, _ := fresh(t, func(o *actorstore.Options) { o.MaxMessageSize = 1000; o.MaxBytesInFlight = 3000 })
	for name, put := range map[string]func() (actorstore.PutResult, error){
		"no topic":   func() (actorstore.PutResult, error) { return s.Put(t.Context(), text("", 0, "")) },
		"bad topic":  func() (actorstore.PutResult, error) { return s.Put(t.Context(), text("../x", 0, "")) },
		"long topic": func() (actorstore.PutResult, error) { return s.Put(t.Context(), text(strings.Repeat("x", 128), 0, "")) },
		"queue":      func() (actorstore.PutResult, error) { return s.Put(t.Context(), text("t", -1, "")) },
		"body": func() (actorstore.PutResult, error) {
			return s.Put(t.Context(), text("t", 0, strings.Repeat("x", 1001)))
		},
		"empty batch": func() (actorstore.PutResult, error) { return s.PutBatch(t.Context(), nil) },
		"two topics": func() (actorstore.PutResult, error) {
			return s.PutBatch(t.Context(), []actorstore.Message{*text("a", 0, ""), *text("b", 0, "")})
		},
		"two queues": func() (actorstore.PutResult, error) {
			return s.PutBatch(t.Context(), []actorstore.Message{*text("a", 0, ""), *text("a", 1, "")})
		},
		"properties": func() (actorstore.PutResult, error) {
			m := text("t", 0, "")
			m.Properties.Set("p", strings.Repeat("x", 32767))
			return s.Put(t.Context(), m)
		},
		"not a message": func() (actorstore.PutResult, error) {
			m := text("t", 0, "")
			m.SysFlag = record.SysInnerBatch
			m.Properties.Set(record.PropertyInnerNum, "x")
			return s.Put(t.Context(), m)
		},
	} {
		r, err := put()
		var refused *actorstore.PutError
		var limit *actorstore.LimitError
		if !errors.As(err, &refused) || !errors.As(err, &limit) || r.Status != refused.Status || r.Status == actorstore.PutOK {
			t.Errorf("%s: %+v, %v", name, r, err)
		}
		want := "MESSAGE_ILLEGAL"
		if name == "properties" {
			want = "PROPERTIES_SIZE_EXCEEDED"
		}
		if r.Status.String() != want {
			t.Errorf("%s: %v, want %s", name, r.Status, want)
		}
	}
	big := make([]actorstore.Message, 4)
	for i := range big {
		big[i] = *text("t", 0, strings.Repeat("x", 249))
	}
	if _, err := s.PutBatch(t.Context(), big); err != nil {
		t.Error(err)
	}
	for began := time.Now(); ; time.Sleep(time.Millisecond) { // given back behind the answer
		state, err := s.State()
		must(t, err)
		if state.InFlight == 0 {
			break
		}
		if time.Since(began) > 20*time.Second {
			t.Fatalf("%d bytes are still in flight", state.InFlight)
		}
	}
	must(t, s.Dispatched(t.Context()))
	if topics := s.Topics(); len(topics) != 1 || topics[0].Queues[0].Max != 4 {
		t.Errorf("%+v", topics)
	}
}
