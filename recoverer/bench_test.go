package recoverer_test

import (
	"context"
	"fmt"
	"os"
	"testing"

	"github.com/actorstore/actorstore/commitlog"
	"github.com/actorstore/actorstore/commitlog/checkpoint"
	"github.com/actorstore/actorstore/commitlog/mapped"
	"github.com/actorstore/actorstore/commitlog/record"
	"github.com/actorstore/actorstore/consumequeue"
	"github.com/actorstore/actorstore/recoverer"
)

// BenchmarkRecover reads a log of 256 MiB: the scan for its end when nothing is
// known of it, and the replay into queues that are there or not.
func BenchmarkRecover(b *testing.B) {
	const segment, segments = 32 << 20, 8
	root := b.TempDir()
	layout := checkpoint.NewLayout(root, "")
	if err := os.MkdirAll(layout.CommitLog(), 0o755); err != nil {
		b.Fatal(err)
	}
	enc := record.Encoder{AppendPropCRC: true}
	next := map[string]int64{}
	at, n := int64(0), 0
	for i := range segments {
		buf := make([]byte, segment)
		pos := 0
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
		enc.EncodeBlank(buf[pos:pos+record.BlankSize], int64(segment-pos))
		if err := os.WriteFile(layout.CommitLog()+"/"+mapped.Name(int64(i)*segment), buf, 0o644); err != nil {
			b.Fatal(err)
		}
		at += segment
	}
	for _, name := range []string{"scan", "rebuild", "check", "trusted"} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(at)
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
				parallel(nil, &in)
				b.StartTimer()
				if name == "scan" {
					err = recoverer.Verify(context.Background(), in, func(recoverer.Finding) { b.StopTimer() })
				} else {
					_, err = recoverer.Recover(context.Background(), in)
				}
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
