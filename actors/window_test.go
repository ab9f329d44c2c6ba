package actors

import (
	"fmt"
	"testing"
	"time"

	"github.com/actorstore/actorstore/commitlog/mapped/mappedtest"
)

// Under ASYNC_FLUSH a power cut costs at most what was put in the last flush
// interval and during the flush behind it, however long the disk takes; a segment
// that ends in between takes flushes of its own, so this is within one.
func TestFlushInterval(t *testing.T) {
	const interval = 20 * time.Millisecond
	for _, takes := range []time.Duration{0, 3 * time.Millisecond, 19 * time.Millisecond, 70 * time.Millisecond} {
		t.Run(fmt.Sprint(takes), func(t *testing.T) {
			virtual(t, func(t *testing.T) {
				r := open(t, asyncFlush, func(o *Options) { o.FlushIntervalCommitLog, o.MappedFileSizeCommitLog = interval, 1<<20 })
				for _, op := range []mappedtest.Op{mappedtest.OpSync, mappedtest.OpDatasync, mappedtest.OpFlush} {
					r.script.Add(mappedtest.Rule{Op: op, Path: root + "/commitlog/*", Delay: takes, Forever: true})
				}
				began := time.Now()
				var ends []int64 // of the put of each millisecond
				var worst time.Duration
				for safe := 0; len(ends) < 2000; time.Sleep(time.Millisecond) {
					r.puts("a", len(ends), len(ends)+1)
					log := r.tree().log()
					ends = append(ends, log.Appended())
					for safe < len(ends) && ends[safe] <= log.Flushed() {
						safe++
					}
					worst = max(worst, time.Since(began)-time.Duration(safe)*time.Millisecond)
				}
				if worst < interval/2 || worst > max(interval, takes)+takes+time.Millisecond {
					t.Errorf("a power cut would have cost the last %v, with flushes of %v every %v", worst, takes, interval)
				}
				r.close()
				r.healthy()
			})
		})
	}
}
