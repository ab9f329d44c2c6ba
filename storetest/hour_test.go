package storetest_test

import (
	"testing"
	"time"

	"github.com/actorstore/actorstore"
	"github.com/actorstore/actorstore/storetest"
)

// anHour is a test that takes an hour of the store's time and milliseconds of yours.
func anHour(t *testing.T) {
	o := storetest.Options()
	o.FlushIntervalCommitLog = time.Second
	s := storetest.Open(t, o, storetest.Script{
		storetest.Kill("checkpoint").After(20 * time.Minute),
		storetest.PauseClock().After(30 * time.Minute).For(time.Minute),
	})
	for range 60 {
		if _, err := s.Put(t.Context(), &actorstore.Message{Topic: "orders", Body: []byte("tick")}); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute)
		storetest.Settle() // everything that was to happen has happened
	}
	if n := s.Told("restarted checkpoint"); n != 1 {
		t.Errorf("%d restarts of checkpoint", n)
	}
	storetest.Check(t, s)
}

func TestAnHour(t *testing.T) { storetest.Virtual(t, anHour) }
