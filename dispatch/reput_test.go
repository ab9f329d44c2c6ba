package dispatch_test

import (
	"errors"
	"fmt"
	"syscall"
	"testing"

	"github.com/actorstore/actorstore/commitlog"
	"github.com/actorstore/actorstore/commitlog/mapped/mappedtest"
	"github.com/actorstore/actorstore/commitlog/record"
	"github.com/actorstore/actorstore/consumequeue"
	"github.com/actorstore/actorstore/dispatch"
)

// A unit says where the record is, how long, and the code of its tags.
func TestUnits(t *testing.T) {
	b := begin(t, segment, dispatch.Rules{})
	at := b.put(message("t", 3, record.PropertyTags, "red"))
	b.catchUp()
	got := b.all("t", 3)
	want := consumequeue.Unit{PhysicalOffset: at.PhysicalOffset, Size: int32(at.Size), TagsCode: record.TagsCode("red"), Num: 1}
	if len(got) != 1 || got[0] != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	same(t, "queues that were told of", b.grown, []string{"t/3"})
}

// Prepared and rolled-back messages are in no queue; but for the rollback they
// are in the index.
func TestTransactions(t *testing.T) {
	b := begin(t, segment, dispatch.Rules{})
	var at []commitlog.Appended
	for _, flag := range []int32{0, record.SysTransactionPrepared, record.SysTransactionRollback, record.SysTransactionCommit} {
		m := message("t", 0, record.PropertyKeys, "k", record.PropertyMultiDispatch, "%LMQ%a")
		m.SysFlag = flag
		at = append(at, b.put(m))
	}
	b.catchUp()
	same(t, "queue", b.units("t", 0), []int64{at[0].PhysicalOffset, at[3].PhysicalOffset})
	same(t, "light queue", b.units("%LMQ%a", 0), []int64{at[0].PhysicalOffset, at[3].PhysicalOffset})
	same(t, "index", b.found("t", "k"), []int64{at[0].PhysicalOffset, at[1].PhysicalOffset, at[3].PhysicalOffset})
}

// Windows follow each other without a hole, are about 1 MiB, end at records and
// never go beyond the limit.
func TestWindows(t *testing.T) {
	b := begin(t, 8<<20, dispatch.Rules{})
	var ends []int64
	last := commitlog.Appended{}
	for i := range 5000 {
		m := message("t", int32(i%3))
		m.Body = make([]byte, 900)
		last = b.put(m)
		ends = append(ends, last.End())
	}
	limit := ends[3000] // not the end of the log
	w := &dispatch.Window{}
	at, records, windows := int64(0), 0, 0
	for b.reput.Pos() < limit {
		noErr(t, b.reput.Read(w, limit))
		equal(t, "start", w.Start, at)
		equal(t, "pos", b.reput.Pos(), w.End)
		if w.End > limit || w.End <= w.Start || w.End-w.Start > 1<<20+1200 {
			t.Fatalf("window [%d, %d), limit %d", w.Start, w.End, limit)
		}
		at, records, windows = w.End, records+w.Records, windows+1
		equal(t, "last record", w.LastRecord, w.End-int64(last.Size))
		equal(t, "last time", w.LastTimestamp, now+int64(records))
		equal(t, "batches", len(w.Batches), 3)
	}
	equal(t, "records", records, 3001)
	equal(t, "windows", windows, 3)
	noErr(t, b.reput.Read(w, limit))
	if w.Start != limit || w.End != limit || w.Records != 0 || w.LastRecord != -1 || len(w.Batches)+len(w.Keyed)+len(w.Damage) != 0 {
		t.Errorf("a window behind the limit: %+v", w)
	}
	b.reput.Rewind(ends[10])
	b.reput.Rewind(ends[20])
	equal(t, "rewound", b.reput.Pos(), ends[10])
}

// A BLANK is part of a window, and no record.
func TestBlank(t *testing.T) {
	b := begin(t, segment, dispatch.Rules{})
	n := 0
	for ; b.log.Appended() < 3*segment; n++ {
		b.put(message("t", 0))
	}
	w := b.read(b.log.Confirm())
	equal(t, "end", w.End, b.log.Confirm())
	equal(t, "records", w.Records, n)
	equal(t, "damage", len(w.Damage), 0)
	b.reput.Rewind(0)
	w = b.read(segment) // confirm may stand at a segment's end for a moment
	equal(t, "end", w.End, segment)
	equal(t, "damage", len(w.Damage), 0)
}

// A name that must not become a directory is reported and costs only itself.
func TestBadNames(t *testing.T) {
	b := begin(t, segment, dispatch.Rules{})
	var good []int64
	for _, topic := range []string{"..", "t", "a/b", "t", "", "t", "a\x00b", "%RETRY%../x", "t"} {
		at := b.put(message(topic, 0, record.PropertyKeys, "k", record.PropertyMultiDispatch, "%LMQ%a,%LMQ%/b"))
		if topic == "t" {
			good = append(good, at.PhysicalOffset)
		}
	}
	damage := b.catchUp()
	equal(t, "damages", len(damage), 5)
	for _, d := range damage {
		wantErr(t, d.Err, record.ErrIllegal)
	}
	same(t, "good topic", b.units("t", 0), good)
	same(t, "index", b.found("t", "k"), good)
	equal(t, "light queue", len(b.units("%LMQ%a", 0)), 8) // %RETRY% has none
	same(t, "topics", b.queues.Topics(), []string{"%LMQ%a", "t"})
}

// Light queues of a record that this store has not written: a pair that makes no
// sense is left out, and the others are served.
func TestForeignLightQueues(t *testing.T) {
	b := begin(t, segment, dispatch.Rules{})
	raw := b.foreign(t)
	for _, c := range []struct {
		names, offsets string
		want           string // queues and offsets
	}{
		{"%LMQ%a,%LMQ%b", "0,0", "%LMQ%a/0@0 %LMQ%b/0@0"},
		{"%LMQ%a,x,%LMQ%b", "0,,5", "%LMQ%a/0@0 %LMQ%b/0@5"}, // where RocketMQ stops for good
		{"%LMQ%a", "x", ""},
		{"%LMQ%a", "-1", ""},
		{"%LMQ%a", "99999999999999999999", ""},
		{"%LMQ%a,%LMQ%b", "1", "%LMQ%a/0@1"},
		{"%LMQ%a", "1,2", "%LMQ%a/0@1"},
		{"%LMQ%a/../b,%LMQ%b", "0,0", "%LMQ%b/0@0"},
		{",%LMQ%b", "0,0", "%LMQ%b/0@0"},
		{"plain", "4", "plain/7@4"}, // in the queue of the record
	} {
		raw(message("t", 7, record.PropertyMultiDispatch, c.names, record.PropertyMultiOffset, c.offsets))
		w := b.read(b.log.Confirm())
		got := ""
		for _, batch := range w.Batches {
			for _, e := range batch.Entries {
				if batch.Queue.Topic() != "t" {
					got += fmt.Sprintf(" %s/%d@%d", batch.Queue.Topic(), batch.Queue.ID(), e.QueueOffset)
				}
			}
		}
		if got != "" {
			got = got[1:]
		}
		equal(t, c.names+" "+c.offsets, got, c.want)
	}
}

// foreign appends records as they are, by a log that knows no light queues.
func (b *bed) foreign(t *testing.T) func(m *record.Message) {
	o := b.log.Options()
	o.EnableLmq = false
	log, err := commitlog.Open(o)
	noErr(t, err)
	t.Cleanup(log.Close)
	log.Restore(0, 0, 0)
	b.log = log
	b.out = log.Appender(log.Allocator(), commitlog.NewOffsetTable())
	b.reput = b.newReput(0)
	return func(m *record.Message) { b.put(m) }
}

// Without MultiDispatch light queues get nothing; some topics never have any.
func TestNoLightQueues(t *testing.T) {
	b := begin(t, segment, dispatch.Rules{})
	raw := b.foreign(t)
	given := []string{record.PropertyMultiDispatch, "%LMQ%a", record.PropertyMultiOffset, "0"}
	for _, topic := range []string{"%RETRY%g", "rmq_sys_x", record.TopicSchedule} {
		raw(message(topic, 0, given...))
	}
	equal(t, "queues", len(b.read(b.log.Confirm()).Batches), 3)
	raw(message("t", 0, given...))
	b.rules.MultiDispatch = false
	b.reput = b.newReput(0)
	equal(t, "queues", len(b.read(b.log.Confirm()).Batches), 4)
}

// A deleted topic gets no unit of records that are older than its deletion; one
// of a light queue that they name is not theirs to lose.
func TestDeletedTopic(t *testing.T) {
	deleted := map[string]int64{}
	b := begin(t, segment, dispatch.Rules{Deleted: func(topic string) int64 { return deleted[topic] }})
	var light []int64
	put := func(topic, names string) int64 {
		at := b.put(message(topic, 0, record.PropertyMultiDispatch, names, record.PropertyKeys, "k"))
		if names == "%LMQ%a" {
			light = append(light, at.PhysicalOffset)
		}
		return at.PhysicalOffset
	}
	put("t", "%LMQ%a")
	put("t", "%LMQ%b")
	other := put("u", "%LMQ%b")
	b.catchUp()
	equal(t, "units", len(b.units("t", 0)), 2)
	for _, topic := range []string{"t", "%LMQ%b"} {
		deleted[topic] = b.log.Appended()
		noErr(t, b.queues.DeleteTopic(topic))
		b.out.Offsets().Delete(topic)
		b.reput.Forget(topic)
	}
	again := put("t", "%LMQ%a")
	b.catchUp()
	same(t, "made again", b.units("t", 0), []int64{again})
	same(t, "light queue", b.units("%LMQ%a", 0), light)

	// The same from the log alone.
	for topic := range deleted {
		noErr(t, b.queues.DeleteTopic(topic))
	}
	noErr(t, b.queues.DeleteTopic("%LMQ%a"))
	noErr(t, b.queues.DeleteTopic("u"))
	b.reput = b.newReput(0)
	for _, s := range b.sinks {
		s.Reset(0)
	}
	b.catchUp()
	same(t, "replayed", b.units("t", 0), []int64{again})
	same(t, "light queue replayed", b.units("%LMQ%a", 0), light)
	same(t, "another topic", b.units("u", 0), []int64{other})
	if q := b.queues.Queue("%LMQ%b", 0); q != nil {
		t.Errorf("the deleted light queue is back: %v", b.units("%LMQ%b", 0))
	}
}

// A topic that is deleted between two of its records is looked up anew.
func TestForget(t *testing.T) {
	deleted := int64(0)
	b := begin(t, segment, dispatch.Rules{Deleted: func(string) int64 { return deleted }})
	b.put(message("t", 0))
	b.catchUp()
	deleted = b.log.Appended()
	noErr(t, b.queues.DeleteTopic("t"))
	b.out.Offsets().Delete("t")
	b.reput.Forget("t")
	at := b.put(message("t", 0))
	b.catchUp()
	same(t, "units", b.units("t", 0), []int64{at.PhysicalOffset})
}

// An inner batch is one unit for many offsets in a batch queue.
func TestInnerBatches(t *testing.T) {
	b := begin(t, segment, dispatch.Rules{Kind: func(topic string, inner bool) consumequeue.Kind {
		if inner || topic == "batched" {
			return consumequeue.Batch
		}
		return consumequeue.Simple
	}})
	var want []string
	for i, num := range []string{"3", "", "100", "1"} {
		m := message("batched", 0)
		if num != "" {
			m.SysFlag = record.SysInnerBatch
			m.Properties.Set(record.PropertyInnerNum, num)
		} else {
			num = "1"
		}
		at := b.put(m)
		want = append(want, fmt.Sprintf("%d %s %d %d", at.QueueOffset, num, at.PhysicalOffset, now+1+i))
	}
	b.catchUp()
	var got []string
	for _, u := range b.all("batched", 0) {
		got = append(got, fmt.Sprintf("%d %d %d %d", u.Base, u.Num, u.PhysicalOffset, u.StoreTimestamp))
	}
	same(t, "units", got, want)
}

// Which numbers count is for the kind of the queue to say, as in RocketMQ, and
// not for the bit: records of strangers may have INNER_NUM without it, or be an
// inner batch in a queue of simple units.
func TestInnerNumbersCountInBatchQueuesOnly(t *testing.T) {
	const sysFlagAt = 36
	for _, bit := range []byte{0, byte(record.SysInnerBatch)} {
		b := begin(t, segment, dispatch.Rules{Kind: func(topic string, _ bool) consumequeue.Kind {
			if topic == "batched" {
				return consumequeue.Batch
			}
			return consumequeue.Simple
		}})
		for _, topic := range []string{"simple", "batched"} {
			at := b.put(message(topic, 0, record.PropertyInnerNum, "3", record.PropertyInnerBase, "50", record.PropertyMultiDispatch, "%LMQ%a"))
			b.write(at.PhysicalOffset+sysFlagAt, []byte{0, 0, 0, bit})
		}
		b.catchUp()
		text := func(topic string) (s string) {
			for _, u := range b.all(topic, 0) {
				s += fmt.Sprintf("%d+%d ", u.Base, u.Num)
			}
			return s
		}
		equal(t, "simple queue", text("simple"), "0+1 ")
		equal(t, "batch queue", text("batched"), "50+3 ")
		equal(t, "light queue", text("%LMQ%a"), "0+1 1+1 ")
	}
}

// What a queue cannot take stops the reader there, with what came before.
func TestReadStops(t *testing.T) {
	b := begin(t, segment, dispatch.Rules{})
	first := b.put(message("t", 0))
	b.put(message("u", 0))
	b.fs.Add(mappedtest.Rule{Op: mappedtest.OpReadDir, Path: "/store/consumequeue/u/0", Forever: true, Err: syscall.EIO})
	for i := range 2 {
		w := &dispatch.Window{}
		if err := b.reput.Read(w, b.log.Confirm()); !errors.Is(err, syscall.EIO) {
			t.Fatalf("read: %v", err)
		}
		equal(t, "pos", b.reput.Pos(), first.End())
		equal(t, "end", w.End, first.End())
		if i == 0 {
			noErr(t, b.apply(w))
		}
	}
	b.fs.Clear()
	b.catchUp()
	equal(t, "units", len(b.units("u", 0)), 1)
}
