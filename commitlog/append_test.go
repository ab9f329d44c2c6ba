package commitlog_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/actorstore/actorstore/commitlog"
	"github.com/actorstore/actorstore/commitlog/mapped"
	"github.com/actorstore/actorstore/commitlog/mapped/mappedtest"
	"github.com/actorstore/actorstore/commitlog/record"
)

// What is appended in any mix is read back as it was given, densely numbered,
// now and from the files alone.
func TestReadBack(t *testing.T) {
	modes(t, func(t *testing.T, fs mapped.FS, root string, mode setting) {
		b := begin(t, fs, root, mode, withCRC)
		rng := rand.New(rand.NewPCG(1, 2))
		next := map[string]int64{}
		var want []string
		for i := range 300 {
			topic, queue := fmt.Sprintf("topic%d", rng.IntN(3)), int32(rng.IntN(3)*1000)
			key := fmt.Sprint(topic, queue)
			var ms []record.Message
			for range 1 + rng.IntN(3)*rng.IntN(3) {
				m := record.Message{Topic: topic, QueueID: queue, Body: []byte(fmt.Sprint("body ", i))}
				m.Properties.Set("n", fmt.Sprint(len(want)))
				m.Body = append(m.Body, make([]byte, rng.IntN(500))...)
				want = append(want, fmt.Sprintf("%s/%d %d %d %d", topic, queue, next[key], len(m.Body), len(want)))
				next[key]++
				ms = append(ms, m)
			}
			at := commitlog.Appended{}
			if len(ms) == 1 {
				at = b.put(&ms[0])
			} else {
				var err error
				at, err = b.appendBatch(ms)
				noErr(t, err)
			}
			equal(t, "queue offset", at.QueueOffset, next[key]-int64(len(ms)))
			equal(t, "pending", b.out.Pending(), at.End()-b.log.Appended())
			if rng.IntN(4) == 0 {
				b.publish()
				equal(t, "appended", b.log.Appended(), at.End())
			}
		}
		b.publish()
		check := func(log *commitlog.Log, end int64) {
			t.Helper()
			var got []string
			for _, i := range records(items(t, log, 0, end)) {
				m := &i.message
				equal(t, "physical offset", m.PhysicalOffset, i.offset)
				equal(t, "store time", m.StoreTimestamp, now)
				n, _ := m.Properties.Get("n")
				got = append(got, fmt.Sprintf("%s/%d %d %d %s", m.Topic, m.QueueID, m.QueueOffset, len(m.Body), n))
			}
			same(t, "messages", got, want)
		}
		end := b.log.Appended()
		check(b.log, end)
		noErr(t, b.disk.Flush())
		b.log.Close()
		check(open(t, fs, root, 0, end, mode, readOnly).log, end)
	})
}

// A log goes on where it ended, at every place where it can end.
func TestGoOn(t *testing.T) {
	for _, size := range []int{92, 2000, 4000, 4088} {
		modes(t, func(t *testing.T, fs mapped.FS, root string, mode setting) {
			b := begin(t, fs, root, mode)
			for i := range 5 {
				b.put(message("t", 0, size))
				b.publish()
				noErr(t, b.disk.Flush())
				end := b.log.Appended()
				b.log.Close()
				b = open(t, fs, root, 0, end, mode)
				*b.out.Offsets().Next("t", 0) = int64(i + 1)
			}
			list := records(items(t, b.log, 0, b.log.Appended()))
			equal(t, "records", len(list), 5)
			for i := range list {
				equal(t, "queue offset", list[i].message.QueueOffset, int64(i))
				equal(t, "size", list[i].size, size)
			}
		})
	}
}

// Nil and empty bodies are stored as empty (F53), alone and in a batch.
func TestEmptyBody(t *testing.T) {
	modes(t, func(t *testing.T, fs mapped.FS, root string, mode setting) {
		b := begin(t, fs, root, mode)
		nothing, empty := record.Message{Topic: "t"}, record.Message{Topic: "t", Body: []byte{}, SysFlag: record.SysCompressed}
		b.put(&nothing)
		b.put(&empty)
		_, err := b.appendBatch([]record.Message{nothing, empty, {Topic: "t", Body: []byte("x")}})
		noErr(t, err)
		b.publish()
		var got []int
		for _, i := range items(t, b.log, 0, b.log.Appended()) {
			got = append(got, len(i.message.Body))
		}
		same(t, "body lengths", got, []int{0, 0, 0, 0, 1})
	})
}

// A batch that outgrows the stage is written out in between; what is written is
// not visible before Publish.
func TestLargeBatchOfPuts(t *testing.T) {
	for name, mode := range map[string]setting{"staged": staged, "mapped": func(*commitlog.Options) {}} {
		t.Run(name, func(t *testing.T) {
			const body = 1 << 20
			b := begin(t, mappedtest.NewFS(), "/store", mode, sized(8<<20))
			for range 10 {
				b.put(message("t", 0, body))
			}
			equal(t, "appended before Publish", b.log.Appended(), 0)
			b.publish()
			list := items(t, b.log, 0, b.log.Appended())
			equal(t, "records", len(records(list)), 10)
			equal(t, "entries", len(list), 11) // 7 in the first segment, a BLANK, 3
		})
	}
}

// Readers see nothing of what is not published.
func TestUnpublished(t *testing.T) {
	modes(t, func(t *testing.T, fs mapped.FS, root string, mode setting) {
		b := begin(t, fs, root, mode)
		b.fill(1, 100)
		at := b.put(message("t", 0, 100))
		err := b.log.Reader().View(at.PhysicalOffset, at.Size, func([]byte) error { return nil })
		wantMissing(t, err, at.PhysicalOffset, at.Size, 0, 100)
		b.publish()
		noErr(t, b.log.Reader().View(at.PhysicalOffset, at.Size, func([]byte) error { return nil }))
	})
}

func TestReadOnlyTakesNothing(t *testing.T) {
	fs := mappedtest.NewFS()
	b := begin(t, fs, "/store")
	b.fill(1, 100)
	b.log.Close()
	s := mappedtest.NewScript(fs)
	b = open(t, s, "/store", 0, 100, readOnly)
	for range 2 {
		_, err := b.append(message("t", 0, 100))
		wantErr(t, err, commitlog.ErrReadOnly)
		_, err = b.appendBatch([]record.Message{*message("t", 0, 100)})
		wantErr(t, err, commitlog.ErrReadOnly)
		wantErr(t, b.tryPublish(), commitlog.ErrReadOnly)
	}
	b.alloc.Populate()
	f, err := b.alloc.Prepare()
	if f != nil || err != nil {
		t.Errorf("Prepare of a read-only log: got %v, %v, want nothing", f, err)
	}
	for _, op := range []mappedtest.Op{mappedtest.OpWrite, mappedtest.OpRename, mappedtest.OpMkdirAll, mappedtest.OpRemove,
		mappedtest.OpAllocate, mappedtest.OpTruncate, mappedtest.OpDatasync, mappedtest.OpFlush} {
		equal(t, "calls of "+op.String(), s.Count(op), 0)
	}
}
