package storetest

import (
	"fmt"
	"syscall"
	"testing"
	"time"

	"github.com/actorstore/actorstore"
	"github.com/actorstore/actorstore/commitlog/mapped/mappedtest"
)

// Faults of actors that this store has not were taken, and a test with them was
// green.
func TestFaultsThatDoNotFitTheStore(t *testing.T) {
	noIndex := func(o *actorstore.Options) { o.MessageIndexEnable = false }
	syncFlush := func(o *actorstore.Options) { o.FlushDiskType = actorstore.SyncFlush }
	for _, c := range []struct {
		change func(*actorstore.Options)
		fault  Fault
	}{
		{noIndex, PanicAt("queues-9", 1)}, {noIndex, Hang("reader-7", 1)}, {noIndex, Kill("queues-2")}, {noIndex, PanicAt("index", 1)},
		{noIndex, PanicAt("queues-00", 1)}, {noIndex, Stop("reader-2")}, {syncFlush, Drop("flusher", 1)},
		{noIndex, FailCall(mappedtest.OpWrite, 1, syscall.EIO).Under("commitlog/*")},
	} {
		o := Options()
		c.change(&o)
		if s, err := Start(t.Context(), o, Script{c.fault}); err == nil {
			t.Errorf("%v is taken", c.fault)
			_ = s.Close(t.Context())
		}
		s := Open(t, o, nil)
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("Add takes %v", c.fault)
				}
			}()
			s.Add(c.fault)
		}()
	}
}

// A script whose message never came was not told of.
func TestMustStrike(t *testing.T) {
	Virtual(t, func(t *testing.T) {
		s := Open(t, Options(), Script{PanicAt("append", 2), PanicAt("append", 20), Kill("index").After(time.Hour), PanicAfter("index", 1).Every(1).Times(2)})
		for i := range 4 {
			_, _ = s.Put(t.Context(), msg(0, fmt.Sprint(i)))
			time.Sleep(time.Second)
		}
		s.Add(Kill("index"), Kill("index"))
		time.Sleep(time.Minute)
		want := `[PanicAt("append", 20) Kill("index").After(1*time.Hour)]`
		if got := fmt.Sprint(s.Missed()); got != want {
			t.Errorf("missed %s, want %s", got, want)
		}
		j := &judge{TB: t}
		MustStrike(j, s)
		if len(j.told) != 1 {
			t.Errorf("told %q", j.told)
		}
		Check(t, s)
		time.Sleep(time.Hour)
		s.Add(PanicAt("append", 1))
		_, _ = s.Put(t.Context(), msg(0, "last"))
		if got := fmt.Sprint(s.Missed()); got != `[PanicAt("append", 20)]` {
			t.Errorf("missed %s", got)
		}
	})
}

// Check waited 30 seconds for a store in which somebody was told to stand still, and
// then found that it did.
func TestCheckOfAStoreThatHangs(t *testing.T) {
	for _, f := range []Fault{
		Hang("append", 2), Hang("flusher", 2), Hang("dispatch", 2), Hang("queues-0", 2), Hang("queues-1", 2), Hang("index", 2), Hang("allocator", 1), Hang("checkpoint", 1),
		Hang("store", 1).On("poke"), HangCall(mappedtest.OpDatasync, 2), HangCall(mappedtest.OpWrite, 2),
	} {
		for _, limit := range []time.Duration{0, 10 * time.Second} { // who hangs stays, or may be replaced
			t.Run(fmt.Sprint(f, limit), func(t *testing.T) {
				Virtual(t, func(t *testing.T) {
					o := Options()
					o.FlushDiskType = actorstore.SyncFlush
					o.HangTimeout = limit
					s := Open(t, o, Script{f})
					time.Sleep(time.Second)
					for i := range 6 {
						go func() { _, _ = s.Put(t.Context(), msg(int32(i), fmt.Sprint(i))) }()
						time.Sleep(time.Second)
					}
					_ = s.Actors().Poke("store")
					time.Sleep(time.Minute)
					MustStrike(t, s)
					began := time.Now()
					Check(t, s)
					if took := time.Since(began); took > 5*time.Second {
						t.Errorf("took %v", took)
					}
					s.Release()
					time.Sleep(time.Minute)
					Check(t, s)
				})
			})
		}
	}
}
