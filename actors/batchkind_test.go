package actors

import (
	"testing"

	"github.com/actorstore/actorstore/commitlog/record"
	"github.com/actorstore/actorstore/reader"
)

func innerBatch(topic string) *record.Message {
	return &record.Message{Topic: topic, SysFlag: record.SysInnerBatch | record.SysNeedUnwrap,
		Properties: record.NewProperties(record.PropertyInnerNum, "3"),
		Body:       record.EncodeInnerBatch(nil, []record.Message{{Body: []byte("a")}, {Body: []byte("b")}, {Body: []byte("c")}})}
}

// A plain message for a queue of inner batches was asked a queue of single messages
// for, if the one that dispatched it had not begun that queue itself: dispatch failed
// on it for ever, and nothing of any topic was seen any more.
func TestPlainMessageInABatchQueue(t *testing.T) {
	between := map[string]func(*rig){
		"reopened":   func(r *rig) { r.reopen() },
		"killed":     func(r *rig) { r.crash() },
		"dispatched": func(r *rig) {},
		"dispatch restarted": func(r *rig) {
			r.kill(dispatchName)
			eventually(r.t, "restarted", func() bool { return r.told("restarted "+dispatchName) == 1 })
		},
	}
	for name, between := range between {
		t.Run(name, func(t *testing.T) {
			r := open(t)
			if _, err := r.s.Put(r.ctx, innerBatch("x")); err != nil {
				t.Fatal(err)
			}
			r.dispatched()
			between(r)
			if result := r.put("x", 0, "plain"); result.QueueOffset != 3 {
				t.Errorf("the plain message is number %d", result.QueueOffset)
			}
			r.puts("y", 0, 3)
			r.dispatched()
			if result, err := r.s.Put(r.ctx, innerBatch("x")); err != nil || result.QueueOffset != 4 {
				t.Errorf("a batch behind it: %+v %v", result, err)
			}
			r.dispatched()
			r.numbered("y", 3)
			r.readThrough("x", 7)
			r.reopen()
			r.readThrough("x", 7)
			r.close()
		})
	}
}

// A queue keeps its kind when BatchTopics names its topic no more, or newly.
func TestBatchTopicsChange(t *testing.T) {
	with := func(o *Options) { o.BatchTopics = []string{"x"} }
	without := func(*Options) {}
	for name, change := range map[string][2]func(*Options){"named no more": {with, without}, "named": {without, with}} {
		t.Run(name, func(t *testing.T) {
			r := open(t, change[0])
			r.puts("x", 0, 3)
			r.dispatched()
			r.reopen(change[1])
			r.puts("x", 3, 6)
			r.puts("y", 0, 3)
			r.dispatched()
			r.numbered("x", 6)
			r.numbered("y", 3)
			r.reopen(change[1])
			r.numbered("x", 6)
			r.close()
		})
	}
}

// readThrough reads a queue from its start to its end, which is at offset end.
func (r *rig) readThrough(topic string, end int64) {
	r.t.Helper()
	rd, err := r.s.Reader()
	if err != nil {
		r.t.Fatal(err)
	}
	var got reader.GetResult
	for at := int64(0); at < end; at = got.NextOffset {
		if err := rd.Get(r.ctx, reader.GetRequest{Topic: topic, Offset: at, MaxCount: 1}, &got); err != nil || got.Status != reader.Found || got.NextOffset <= at {
			r.t.Fatalf("get %s at %d: %v, %v, next %d", topic, at, got.Status, err, got.NextOffset)
		}
	}
	if got.NextOffset != end || got.MaxOffset != end {
		r.t.Errorf("%s ends at %d, a reader comes to %d, want %d", topic, got.MaxOffset, got.NextOffset, end)
	}
}
