package actors

import (
	"fmt"
	"os"
	"syscall"
	"testing"

	"github.com/actorstore/actorstore/commitlog/mapped"
	"github.com/actorstore/actorstore/commitlog/mapped/mappedtest"
	"github.com/actorstore/actorstore/commitlog/record"
)

// TestIndexBehindReadsAlone: what an index lacks that is made whole behind the open
// store is read for the index alone. Records that recovery could give no unit, or
// whose numbers it had to judge, are not dispatched to the queues once more, by the
// actors nor by a close: they would be refused, and dispatch or a shard end there.
func TestIndexBehindReadsAlone(t *testing.T) {
	for name, odd := range map[string]func(*foreignLog){
		"a negative queue id":         func(l *foreignLog) { l.add(message("x", -3, "odd"), 0) },
		"a damaged queue offset":      func(l *foreignLog) { l.add(message("a", 0, "odd"), 1<<40); l.next["a"]++ },
		"an offset that no queue has": func(l *foreignLog) { l.add(message("a", 0, "odd"), 1<<62) },
		"a negative offset":           func(l *foreignLog) { l.add(message("a", 0, "odd"), -5) },
		"a topic that began anew": func(l *foreignLog) {
			l.next["b"] = 0
			for i := range 20 {
				l.put("b", fmt.Sprint("anew", i))
			}
		},
	} {
		for _, near := range []int64{1 << 20, 100 << 10} { // from the end of the log
			for _, closed := range []bool{false, true} { // before the index has caught up
				t.Run(fmt.Sprintf("%s, %d from the end, closed %t", name, near, closed), func(t *testing.T) {
					indexBehindReadsAlone(t, odd, near, closed)
				})
			}
		}
	}
}

func indexBehindReadsAlone(t *testing.T, odd func(*foreignLog), near int64, closed bool) {
	l := &foreignLog{next: map[string]int64{}}
	const end = 2<<20 + 400<<10
	l.fill(end - near)
	odd(l)
	l.fill(end)
	r := &rig{t: t, disk: mappedtest.NewFS()}
	l.write(t, r.disk)
	full := mappedtest.Rule{Op: mappedtest.OpAllocate, Path: root + "/actorstore/tmp/*", Forever: true, Err: syscall.ENOSPC}
	r.start(func(o *Options) { o.MappedFileSizeCommitLog, o.MaxIndexNum = foreignSegment, 5000 },
		func(*Options) { r.script.Add(full) })
	if r.tree().rooms.report.IndexBehind() == 0 {
		t.Fatal("the index lacks nothing")
	}
	r.put("b", 0, "late")
	if closed {
		r.closeBehindIndex()
	} else {
		r.script.Clear()
		r.put("b", 0, "later")
		r.dispatched()
		r.close()
	}
	r.start(func(o *Options) { o.MappedFileSizeCommitLog, o.MaxIndexNum = foreignSegment, 5000 })
	r.dispatched()
	for _, key := range []string{"k-late", "k-later", "k-b0"} {
		if n := r.found("b", key); n != 1 {
			t.Errorf("%s is found %d times", key, n)
		}
	}
	r.close()
	if r.told("parked index")+r.told("restarted dispatch")+r.told("restarted queues-0") > 0 {
		t.Errorf("the store told of %q", r.events)
	}
}

// closeBehindIndex closes a store with a put that dispatch has not come to.
func (r *rig) closeBehindIndex() {
	r.t.Helper()
	tree := r.tree()
	tree.dispatching.Lock()
	r.put("b", 0, "later")
	done := make(chan error, 1)
	go func() { done <- r.s.Close(r.ctx) }()
	<-tree.admission.close(ErrClosed)
	r.script.Clear()
	tree.dispatching.Unlock()
	if err := <-done; err != nil {
		r.t.Fatalf("close: %v", err)
	}
}

const foreignSegment = 256 << 10

// foreignLog is the log of an engine that puts no checksums over records.
type foreignLog struct {
	segments [][]byte
	at       int64
	next     map[string]int64
	n        int
}

// fill puts records up to an offset.
func (l *foreignLog) fill(to int64) {
	for ; l.at < to; l.n++ {
		l.put("a", fmt.Sprintf("%d %800d", l.n, 0))
		if l.n%50 == 0 {
			l.put("b", fmt.Sprint("b", l.n))
		}
	}
}

func (l *foreignLog) put(topic, body string) {
	l.add(message(topic, 0, body), l.next[topic])
	l.next[topic]++
}

func (l *foreignLog) add(m *record.Message, queueOffset int64) {
	var e record.Encoder
	size, in := int64(e.Size(m)), l.at%foreignSegment
	if len(l.segments) == 0 || in+size+record.BlankSize > foreignSegment {
		if len(l.segments) > 0 {
			e.EncodeBlank(l.segments[len(l.segments)-1][in:], foreignSegment-in)
			l.at += foreignSegment - in
		}
		l.segments, in = append(l.segments, make([]byte, foreignSegment)), 0
	}
	e.Encode(l.segments[len(l.segments)-1][in:in+size], m,
		record.Position{QueueOffset: queueOffset, PhysicalOffset: l.at, StoreTimestamp: 1_700_000_000_000 + l.at})
	l.at += size
}

func (l *foreignLog) write(t *testing.T, disk mapped.FS) {
	t.Helper()
	dir := root + "/commitlog"
	if err := disk.MkdirAll(dir); err != nil {
		t.Fatal(err)
	}
	for i, b := range l.segments {
		f, err := disk.OpenFile(dir+"/"+mapped.Name(int64(i)*foreignSegment), os.O_RDWR|os.O_CREATE, 0o644)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.WriteAt(b, 0); err != nil {
			t.Fatal(err)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
