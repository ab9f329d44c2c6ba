package actors

import (
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/actorstore/actorstore/commitlog/mapped"
)

// bench is a store on the machine's disk whose actors a seam can let fail.
func bench(b *testing.B, change func(*Options)) (*rig, *seam) {
	f := &seam{}
	r := &rig{t: b}
	o := DefaultOptions(b.TempDir())
	o.FS, o.Faults, o.RestartBudget = mapped.OS(), f, 1<<30
	o.MappedFileSizeCommitLog, o.MaxHashSlotNum, o.MaxIndexNum = 64<<20, 1<<16, 1<<18
	change(&o)
	r.o, r.ctx = o, b.Context()
	s, err := Open(r.ctx, o)
	if err != nil {
		b.Fatal(err)
	}
	r.s = s
	b.Cleanup(func() { _ = s.Close(r.ctx) })
	return r, f
}

// BenchmarkRestart measures from a panic to the first put after it that is
// answered and stands in queues and index. Each panic is the first of its store:
// those that follow closely wait longer on purpose. -benchtime 50x.
func BenchmarkRestart(b *testing.B) {
	for _, name := range []string{appendName, flusherName, dispatchName, "queues-0", indexName} {
		b.Run(name, func(b *testing.B) {
			var took []time.Duration
			for b.Loop() {
				r, f := bench(b, func(o *Options) { o.FlushDiskType, o.MappedFileSizeCommitLog = SyncFlush, 1<<20 })
				r.puts("a", 0, 10)
				panicked := make(chan time.Time, 1)
				f.next(r, name, func() { panicked <- time.Now(); panic("figure") })
				at := <-panicked
				for {
					if _, err := r.s.Put(r.ctx, message("a", 0, "x")); err == nil && r.s.Dispatched(r.ctx) == nil {
						break
					}
				}
				took = append(took, time.Since(at))
				if err := r.s.Close(r.ctx); err != nil {
					b.Fatal(err)
				}
			}
			slices.Sort(took)
			b.ReportMetric(float64(took[len(took)*99/100].Microseconds())/1000, "p99-ms")
			b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "p50-ms")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// BenchmarkSiblings measures the rate of puts while one derived actor dies once
// a second, as percent of the rate while none does: the median of pairs of seconds,
// one with and one without, in turn one and the other first, so that a machine that
// changes its mind changes both. -benchtime 15x.
func BenchmarkSiblings(b *testing.B) {
	for _, name := range []string{dispatchName, "queues-0", indexName, checkName} {
		b.Run(name, func(b *testing.B) {
			r, f := bench(b, func(o *Options) { o.FileReservedTime = 0 })
			var puts atomic.Int64
			end := make(chan struct{})
			defer close(end)
			for q := range int32(4) {
				go func() {
					for m := message("a", q, "0123456789"); ; {
						select {
						case <-end:
							return
						default:
							if _, err := r.s.Put(r.ctx, m); err == nil {
								puts.Add(1)
							}
						}
					}
				}()
			}
			second := func() float64 {
				from := puts.Load()
				time.Sleep(time.Second)
				return float64(puts.Load() - from)
			}
			second()
			var rates, share []float64
			for failsFirst := false; b.Loop(); failsFirst = !failsFirst {
				var calm, failing float64
				for _, fails := range []bool{failsFirst, !failsFirst} {
					if fails {
						f.next(r, name, func() { panic("figure") })
						failing = second()
					} else {
						calm = second()
					}
				}
				rates, share = append(rates, failing), append(share, 100*failing/calm)
			}
			slices.Sort(rates)
			slices.Sort(share)
			b.ReportMetric(share[len(share)/2], "%-of-rate")
			b.ReportMetric(rates[len(rates)/2], "puts/s")
			b.ReportMetric(0, "ns/op")
		})
	}
}
