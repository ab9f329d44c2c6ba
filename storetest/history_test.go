package storetest

import (
	"context"
	"testing"

	"github.com/actorstore/actorstore"
)

// Puts that are begun, and those that are told of by a callback, are noted like
// others, with what was answered.
func TestHistoryNotesEveryWayToPut(t *testing.T) {
	ctx := context.Background()
	o := Options()
	o.FlushDiskType = actorstore.SyncFlush
	s := Open(t, o, nil)
	var waits []Pending
	begin := func(p Pending, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		waits = append(waits, p)
	}
	begin(s.Begin(msg(0, "begun")))
	begin(s.BeginBatch([]actorstore.Message{*msg(1, "first"), *msg(1, "second")}))
	if n := s.History.Unanswered(); n != 3 {
		t.Errorf("%d puts wait, want 3", n)
	}
	for _, p := range waits {
		if _, err := p.Wait(ctx); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := waits[0].Wait(ctx); err == nil {
		t.Error("a second Wait")
	}
	done := make(chan actorstore.PutResult, 1)
	if err := s.PutAsync(msg(2, "told of"), func(r actorstore.PutResult) { done <- r }); err != nil {
		t.Fatal(err)
	}
	if r := <-done; r.Err != nil {
		t.Fatal(r.Err)
	}
	bad := &actorstore.Message{}
	if _, err := s.Begin(bad); err == nil {
		t.Error("a message without a topic is taken")
	}
	if err := s.PutAsync(bad, func(actorstore.PutResult) { t.Error("done is called for a refused put") }); err == nil {
		t.Error("a message without a topic is taken")
	}
	if a, r, u := s.History.Acknowledged(), s.History.Refused(), s.History.Unanswered(); a != 4 || r != 2 || u != 0 {
		t.Errorf("%d acknowledged, %d refused, %d unanswered", a, r, u)
	}
	Check(t, s)
	for _, p := range s.History.puts[:4] { // one after another was answered, and is gone
		was := *p
		p.body++
		finds(t, s, "history")
		*p = was
	}
	Check(t, s)
}

// A batch could be noted only as if each of its messages had been put alone, which
// Check took for wrong answers.
func TestNoteBatch(t *testing.T) {
	s := Open(t, Options(), nil)
	batch := []actorstore.Message{*msg(0, "1"), *msg(0, "2"), *msg(0, "3")}
	r, err := s.Store.PutBatch(context.Background(), batch)
	s.History.NoteBatch(batch, r, err)
	Check(t, s)
	if n := s.History.Acknowledged(); n != 3 {
		t.Errorf("%d messages, want 3", n)
	}
	s.History.puts[2].body++
	finds(t, s, "another body")
}

// A service that was given the embedded store put without anybody's noting it, and
// Check passed without a word.
func TestCheckWithoutAHistory(t *testing.T) {
	s := Open(t, Options(), nil)
	Check(t, s) // nothing was put
	if _, err := s.Store.Put(context.Background(), msg(0, "behind our back")); err != nil {
		t.Fatal(err)
	}
	finds(t, s, "history: the log holds messages, and no put was noted")
	s.History.Off()
	Check(t, s)
	s = Open(t, Options(), nil)
	r, err := s.Store.Put(context.Background(), msg(0, "noted"))
	s.History.Note(msg(0, "noted"), r, err)
	Check(t, s)
}
