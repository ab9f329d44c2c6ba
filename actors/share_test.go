package actors

import (
	"testing"
	"time"
)

// What BenchmarkRestart and BenchmarkSiblings measure is the machine's too, and no
// test. In virtual time work takes none, so what is left is ours: pauses, and who
// waits for whom.

// An actor that panics for the first time is back, with all that a put needs, within
// 100 ms of pauses.
func TestFirstRestartIsShort(t *testing.T) {
	const most = 100 * time.Millisecond
	for _, name := range []string{appendName, flusherName, dispatchName, "queues-0", indexName} {
		t.Run(name, func(t *testing.T) {
			bothFlushTypes(t, func(t *testing.T, flush func(*Options)) {
				virtual(t, func(t *testing.T) {
					f := &seam{}
					r := open(t, flush, func(o *Options) { o.Faults, o.QueueShards = f, 1 })
					r.puts("a", 0, 10)
					r.dispatched()
					began := time.Now()
					f.next(r, name, func() { panic("once") })
					eventually(t, "it has failed", func() bool { return r.told("restarted "+name) == 1 })
					for {
						if _, err := r.s.Put(r.ctx, message("a", 0, "x")); err == nil && r.s.Dispatched(r.ctx) == nil {
							break
						}
						time.Sleep(100 * time.Microsecond)
					}
					if took := time.Since(began); took > most {
						t.Errorf("its pauses are %v", took)
					}
					r.close()
				})
			})
		})
	}
}

// While a derived actor dies once a second, every put is answered without a pause, and
// the other queues and the index take in nine of ten windows, and more, by the next.
func TestSiblingsGoOn(t *testing.T) {
	const (
		seconds = 20
		pause   = 10 * time.Millisecond
		all     = int(seconds * time.Second / pause)
	)
	for _, name := range []string{dispatchName, "queues-0", "queues-1", indexName, allocatorName, checkName, retentionName, "reader-0"} {
		t.Run(name, func(t *testing.T) {
			virtual(t, func(t *testing.T) {
				f := &seam{}
				r := open(t, func(o *Options) { o.Faults, o.QueueShards, o.CleanResourceInterval = f, 2, time.Second })
				tr, taken := r.tree(), 0
				for i := range all {
					if i%int(time.Second/pause) == 0 {
						f.next(r, name, func() { panic("killed") })
					}
					began := time.Now()
					r.put("a", int32(i%4), "0123456789")
					if took := time.Since(began); took > 0 {
						t.Fatalf("a put waited %v", took)
					}
					time.Sleep(pause)
					behind := false
					for _, s := range tr.sinks {
						behind = behind || s.name != name && s.Applied() < tr.log().Appended()
					}
					if !behind {
						taken++
					}
				}
				if n := r.told("restarted " + name); n < seconds/2 {
					t.Errorf("it died %d times", n)
				}
				if name != dispatchName && taken < all*9/10 { // who dies that often is away most of the time
					t.Errorf("the others took in %d of %d windows in time", taken, all)
				}
				r.dispatched()
				r.close()
			})
		})
	}
}
