package recoverer_test

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/actorstore/actorstore/commitlog"
	"github.com/actorstore/actorstore/commitlog/checkpoint"
	"github.com/actorstore/actorstore/commitlog/mapped"
	"github.com/actorstore/actorstore/commitlog/record"
	"github.com/actorstore/actorstore/consumequeue"
	"github.com/actorstore/actorstore/recoverer"
)

// writeLog makes a log of 1 KiB messages with a key each, whose segments are full.
func writeLog(b testing.TB, layout checkpoint.Layout, segment, segments int) {
	b.Helper()
	if err := os.MkdirAll(layout.CommitLog(), 0o755); err != nil {
		b.Fatal(err)
	}
	enc := record.Encoder{AppendPropCRC: true}
	next := map[string]int64{}
	n := 0
	buf := make([]byte, segment)
	for i := range segments {
		at, pos := int64(i)*int64(segment), 0
		for ; ; n++ {
			m := message(fmt.Sprint("T", n%8), int32(n%4), n, 1024)
			if pos+enc.Size(m)+record.BlankSize > segment {
				break
			}
			key := fmt.Sprint(n%8, n%4)
			enc.Encode(buf[pos:pos+enc.Size(m)], m, record.Position{QueueOffset: next[key], PhysicalOffset: at + int64(pos), StoreTimestamp: startTime + int64(n)})
			next[key]++
			pos += enc.Size(m)
		}
		clear(buf[pos:])
		enc.EncodeBlank(buf[pos:pos+record.BlankSize], int64(segment-pos))
		if err := os.WriteFile(layout.CommitLog()+"/"+mapped.Name(at), buf, 0o644); err != nil {
			b.Fatal(err)
		}
	}
}

// processors runs f as the actors do, on as many goroutines as GOMAXPROCS says.
func processors(n int, f func(i int)) {
	var next atomic.Int64
	var wait sync.WaitGroup
	for range min(n, runtime.GOMAXPROCS(0)) {
		wait.Go(func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				f(i)
			}
		})
	}
	wait.Wait()
}

// BenchmarkScan reads one segment of 512 MiB, which is in the page cache, maps it
// anew each time, and verifies every record: the rate is that of the log. CPU is
// what all processors together take for it.
func BenchmarkScan(b *testing.B) {
	const segment = 512 << 20
	layout := checkpoint.NewLayout(b.TempDir(), "")
	writeLog(b, layout, segment, 1)
	b.SetBytes(segment)
	began := cpuTime()
	for b.Loop() {
		log, err := commitlog.Open(commitlog.Options{FS: mapped.OS(), Dir: layout.CommitLog(), TmpDir: layout.CommitLogTmp(), SegmentSize: segment})
		if err != nil {
			b.Fatal(err)
		}
		queues, err := consumequeue.Open(consumequeue.Options{FS: mapped.OS(), Dir: layout.ConsumeQueue(), TmpDir: layout.Tmp()})
		if err != nil {
			b.Fatal(err)
		}
		in := recoverer.Input{FS: mapped.OS(), Layout: layout, Log: log, Queues: queues, Parallel: processors}
		rep, err := recoverer.Inspect(context.Background(), in)
		if err != nil || rep.End != segment || rep.Scanned < segment*9/10 || len(rep.Findings) > 0 {
			b.Fatalf("end %d, scanned %d, %v, %v", rep.End, rep.Scanned, rep.Findings, err)
		}
		queues.Close()
		log.Close()
	}
	b.ReportMetric(float64(b.N)*segment/1e9/b.Elapsed().Seconds(), "GB/s")
	b.ReportMetric(float64(b.N)*segment/1e9/(cpuTime()-began).Seconds(), "GB/cpu-s")
}

// BenchmarkRecover reads a log of 256 MiB: the replay into queues that are there
// or not.
func BenchmarkRecover(b *testing.B) {
	const segment, segments = 32 << 20, 8
	layout := checkpoint.NewLayout(b.TempDir(), "")
	writeLog(b, layout, segment, segments)
	for _, name := range []string{"rebuild", "check", "trusted"} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(segment * segments)
			for range b.N {
				b.StopTimer()
				if name == "rebuild" {
					os.RemoveAll(layout.ConsumeQueue())
				}
				if name != "trusted" {
					os.RemoveAll(layout.Ours())
				}
				log, err := commitlog.Open(commitlog.Options{FS: mapped.OS(), Dir: layout.CommitLog(), TmpDir: layout.CommitLogTmp(), SegmentSize: segment})
				if err != nil {
					b.Fatal(err)
				}
				queues, err := consumequeue.Open(consumequeue.Options{FS: mapped.OS(), Dir: layout.ConsumeQueue(), TmpDir: layout.Tmp()})
				if err != nil {
					b.Fatal(err)
				}
				in := recoverer.Input{FS: mapped.OS(), Layout: layout, Log: log, Queues: queues}
				if in.State, _, err = recoverer.ReadState(in.FS, layout); err != nil {
					b.Fatal(err)
				}
				in.Parallel = processors
				b.StartTimer()
				_, err = recoverer.Recover(context.Background(), in)
				b.StopTimer()
				if err != nil {
					b.Fatal(err)
				}
				queues.Close()
				log.Close()
			}
		})
	}
}
