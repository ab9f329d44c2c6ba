package reader

import (
	"crypto/md5"
	"encoding/hex"
	"fmt"
	"regexp"
	"testing"

	"github.com/actorstore/actorstore/commitlog"
	"github.com/actorstore/actorstore/commitlog/mapped"
	"github.com/actorstore/actorstore/commitlog/record"
	"github.com/actorstore/actorstore/consumequeue"
	"github.com/actorstore/actorstore/indexsvc"
	"github.com/actorstore/actorstore/tests/golden"
)

// TestGolden reads stores that RocketMQ wrote and compares with what RocketMQ
// read from them: every message, key query and search by time.
func TestGolden(t *testing.T) {
	for _, name := range []string{golden.Clean, golden.Halt, golden.MultiDispatch, golden.PropCRC, golden.V2, golden.Trimmed} {
		t.Run(name, func(t *testing.T) {
			want := golden.Expected(t, name)
			r, queues := openGolden(t, golden.Open(t, name), want)
			for i := range want.Queues {
				compareQueue(t, r, queues, &want.Queues[i])
			}
			for _, q := range want.Queries {
				got, err := r.Query(ctx, QueryRequest{Topic: q.Topic, Key: q.Key})
				if err != nil || got.More {
					t.Errorf("%s/%s: %v, more %v", q.Topic, q.Key, err, got.More)
				}
				var offsets []int64
				for _, m := range got.Messages {
					offsets = append(offsets, m.PhysicalOffset)
				}
				if fmt.Sprint(offsets) != fmt.Sprint(q.Offsets) {
					t.Errorf("%s/%s: %v, want %v", q.Topic, q.Key, offsets, q.Offsets)
				}
			}
			for _, at := range want.Times {
				lower, err := r.OffsetByTime(at.Topic, at.Queue, at.Time, consumequeue.Lower)
				upper, err2 := r.OffsetByTime(at.Topic, at.Queue, at.Time, consumequeue.Upper)
				if err != nil || err2 != nil || lower != at.Lower || upper != at.Upper {
					t.Errorf("%s-%d at %d: %d %d (%v %v), want %d %d", at.Topic, at.Queue, at.Time, lower, upper, err, err2, at.Lower, at.Upper)
				}
			}
		})
	}
}

func openGolden(t *testing.T, root string, want *golden.Reading) (*Reader, *consumequeue.Store) {
	t.Helper()
	log, err := commitlog.Open(commitlog.Options{FS: mapped.OS(), Dir: root + "/commitlog", SegmentSize: golden.SegmentSize, ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	log.Restore(want.Min, want.Max, want.Max)
	queues, err := consumequeue.Open(consumequeue.Options{FS: mapped.OS(), Dir: root + "/consumequeue",
		BatchDir: root + "/batchconsumequeue", FileSize: golden.QueueFileSize, ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	index, err := indexsvc.Open(indexsvc.Options{FS: mapped.OS(), Dir: root + "/index", ReadOnly: true,
		MaxHashSlotNum: golden.MaxHashSlotNum, MaxIndexNum: golden.MaxIndexNum})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { log.Close(); queues.Close(); index.Close() })
	for q := range queues.All() {
		if err := q.CorrectMin(want.Min); err != nil {
			t.Fatal(err)
		}
	}
	return New(log.Reader(), queues, index, Options{}), queues
}

func compareQueue(t *testing.T, r *Reader, queues *consumequeue.Store, q *golden.Queue) {
	t.Helper()
	lo, err := r.MinOffset(q.Topic, q.Queue)
	hi, err2 := r.MaxOffset(q.Topic, q.Queue)
	if err != nil || err2 != nil || lo != q.MinOffset || hi != q.MaxOffset {
		t.Fatalf("%s-%d: [%d, %d) %v %v, want [%d, %d)", q.Topic, q.Queue, lo, hi, err, err2, q.MinOffset, q.MaxOffset)
	}
	var g GetResult
	i := 0
	for offset := lo; offset < hi; offset = g.NextOffset {
		if err := r.Get(ctx, GetRequest{Topic: q.Topic, QueueID: q.Queue, Offset: offset, MaxCount: 7}, &g); err != nil || g.Status != Found {
			t.Fatalf("%s-%d at %d: %v %v", q.Topic, q.Queue, offset, g.Status, err)
		}
		for j := range g.Messages {
			want := q.Messages[i]
			// How Java prints hosts is no matter of this package.
			want.BornHost, want.StoreHost, want.Props = "", "", checksum.ReplaceAllString(want.Props, "")
			if got := goldenOf(&g.Messages[j]); got != want {
				t.Errorf("%s-%d message %d\n got %+v\nwant %+v", q.Topic, q.Queue, i, got, want)
			}
			if m, err := r.Lookup(ctx, want.Phy); err != nil || goldenOf(m) != want {
				t.Errorf("look-up of %d: %v %+v", want.Phy, err, m)
			}
			i++
		}
	}
	if i != len(q.Messages) {
		t.Errorf("%s-%d: %d messages, want %d", q.Topic, q.Queue, i, len(q.Messages))
	}
}

var checksum = regexp.MustCompile(`__CRC32#=[^;]*;`)

func goldenOf(m *record.MessageExt) golden.Message {
	sum := md5.Sum(m.Body)
	return golden.Message{
		Topic: m.Topic, Queue: m.QueueID, Offset: m.QueueOffset, Phy: m.PhysicalOffset, Size: m.StoreSize,
		Flag: m.Flag, SysFlag: m.SysFlag, Born: m.BornTimestamp, Stored: m.StoreTimestamp, Recon: m.ReconsumeTimes,
		Prep: m.PreparedTransactionOffset, CRC: m.BodyCRC, Len: len(m.Body), MD5: hex.EncodeToString(sum[:]), Props: m.Properties.Sorted(),
	}
}
