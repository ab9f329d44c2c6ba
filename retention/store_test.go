package retention

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/actorstore/actorstore/commitlog"
	"github.com/actorstore/actorstore/commitlog/commitlogtest"
	"github.com/actorstore/actorstore/commitlog/mapped"
	"github.com/actorstore/actorstore/commitlog/mapped/mappedtest"
	"github.com/actorstore/actorstore/commitlog/record"
	"github.com/actorstore/actorstore/consumequeue"
	"github.com/actorstore/actorstore/indexsvc"
)

const segmentSize = 4096

// store is a small real store with one queue for each topic.
type store struct {
	t      *testing.T
	fs     *mappedtest.FS
	log    *commitlog.Log
	app    *commitlog.Appender
	queues *consumequeue.Store
	index  *indexsvc.Service
}

func newStore(t *testing.T) *store {
	s := &store{t: t, fs: mappedtest.NewFS()}
	var err error
	s.log = commitlogtest.Open(t, commitlog.Options{FS: s.fs, Dir: "/s/commitlog", TmpDir: "/s/tmp", SegmentSize: segmentSize}, 0, 0)
	s.app = s.log.Appender(s.log.Allocator(), commitlog.NewOffsetTable())
	s.queues, err = consumequeue.Open(consumequeue.Options{FS: s.fs, Dir: "/s/consumequeue", TmpDir: "/s/tmp", FileSize: 200})
	s.must(err)
	s.index, err = indexsvc.Open(indexsvc.Options{FS: s.fs, Dir: "/s/index", TmpDir: "/s/tmp", MaxHashSlotNum: 7, MaxIndexNum: 50})
	s.must(err)
	t.Cleanup(func() { s.queues.Close(); s.index.Close() })
	return s
}

func (s *store) must(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
}

func (s *store) put(topic string, size int, ms int64) commitlog.Appended {
	s.t.Helper()
	m := &record.Message{Topic: topic, Body: []byte(strings.Repeat("b", size))}
	m.SetKeys("k")
	at := commitlogtest.Put(s.t, s.log, s.app, m, ms)
	q, err := s.queues.Ensure(topic, 0, consumequeue.Simple)
	s.must(err)
	s.must(q.Append([]consumequeue.Entry{{QueueOffset: at.QueueOffset, PhysicalOffset: at.PhysicalOffset, Size: int32(at.Size)}}))
	s.must(s.index.Put([]record.DispatchRequest{{Topic: topic, Size: int32(at.Size), PhysicalOffset: at.PhysicalOffset,
		QueueOffset: at.QueueOffset, StoreTimestamp: ms, Keys: []byte("k")}}))
	s.log.SetDispatched(at.End())
	return at
}

// write changes bytes of the log behind the store's back.
func (s *store) write(offset int64, b []byte) {
	s.t.Helper()
	commitlogtest.Write(s.t, s.log, offset, b)
}

func (s *store) state(v *Survey) State {
	s.must(s.log.Syncer().Flush())
	return State{Segments: v.Segments(), Appended: s.log.Appended(), Flushed: s.log.Flushed(), Confirm: s.log.Confirm(),
		Dispatched: s.log.Dispatched(), LogDisk: disk(10), QueueDisk: disk(10), Manual: true}
}

// settle steps, reads what the step wants to have read, and steps again, as the
// actor does.
func (s *store) settle(v *Survey, c *Core, now Now) Decision {
	for {
		d := c.Step(s.state(v), now)
		if len(d.Unread) == 0 {
			return d
		}
		v.Learn(v.Read(s.t.Context(), d.Unread))
	}
}

// TestSurvey: a segment is as old as the record behind it, or as its own first
// one, whichever is younger; never as its file.
func TestSurvey(t *testing.T) {
	s := newStore(t)
	start := noon.UnixMilli()
	var firsts []int64
	for i := range 100 {
		ms := start + int64(i)*1000
		if at := s.put("T", 300, ms); at.PhysicalOffset%segmentSize == 0 {
			firsts = append(firsts, ms)
		}
	}
	for _, f := range s.log.Segments() {
		s.must(s.fs.SetModTime(f.Path(), time.Unix(0, 0)))
	}
	v := NewSurvey(s.log.Reader())
	for range 2 { // the second time from memory
		segs := v.Segments()
		if len(segs) != len(firsts) || len(segs) < 5 {
			t.Fatalf("%d segments, %d firsts", len(segs), len(firsts))
		}
		for i, seg := range segs {
			want := firsts[min(i+1, len(firsts)-1)]
			if seg.Offset != int64(i)*segmentSize || seg.Size != segmentSize || seg.Last != want {
				t.Errorf("segment %d: %+v, want last %d", i, seg, want)
			}
		}
	}
	// The clock was set back in between: the segment's own first record counts.
	s.put("T", 3000, start)
	s.put("T", 3000, start-1_000_000)
	segs := NewSurvey(s.log.Reader()).Segments()
	if got := segs[len(segs)-2].Last; got != start {
		t.Errorf("clock set back: %d, want %d", got, start)
	}
}

// TestF39Survey: what cannot be read has no time: damage, zeros, a store time of
// 0, a segment that is only a BLANK. Nothing of it expires.
func TestF39Survey(t *testing.T) {
	old := noon.Add(-1000 * hour).UnixMilli()
	fill := func(t *testing.T) *store {
		s := newStore(t)
		for range 50 {
			s.put("T", 300, old)
		}
		s.put("T", 300, noon.UnixMilli())
		return s
	}
	const atStoreTime = 56
	for name, c := range map[string]struct {
		harm  func(s *store)
		below int64
	}{
		"nothing":               {func(*store) {}, 4 * segmentSize},
		"next one's first torn": {func(s *store) { s.write(2*segmentSize+100, []byte("#")) }, 4 * segmentSize}, // by a walk
		"next one's first torn, and this one": {func(s *store) {
			s.write(2*segmentSize+100, []byte("#"))
			s.write(segmentSize+500, make([]byte, 400))
		}, segmentSize},
		"zeros, a record behind them": {func(s *store) { s.write(2*segmentSize, make([]byte, segmentSize)) }, 4 * segmentSize},
		"zero tail": {func(s *store) {
			s.write(2*segmentSize+1000, make([]byte, segmentSize-1000))
			s.write(3*segmentSize, make([]byte, 1000))
		}, 2 * segmentSize},
		"store time 0": {func(s *store) {
			for i := range int64(10) {
				s.write(2*segmentSize+i*s.size()+atStoreTime, make([]byte, 8))
			}
			s.write(3*segmentSize+atStoreTime, make([]byte, 8))
		}, 2 * segmentSize},
		"only a BLANK": {func(s *store) {
			var blank [8]byte
			(&record.Encoder{}).EncodeBlank(blank[:], segmentSize)
			s.write(2*segmentSize, blank[:])
			s.write(3*segmentSize, blank[:])
		}, 2 * segmentSize},
	} {
		t.Run(name, func(t *testing.T) {
			s := fill(t)
			c.harm(s)
			v := NewSurvey(s.log.Reader())
			d := s.settle(v, core(t, nil), Now{Wall: noon})
			if d.ExpireBelow != c.below {
				t.Errorf("%+v\nstate %+v", d, s.state(v).Segments)
			}
			if d.Blocked.Why != TimeUnknown && c.below < 4*segmentSize {
				t.Errorf("not reported: %v", d.Blocked)
			}
		})
	}
}

// size is the size of the records that fill writes.
func (s *store) size() int64 {
	at := s.put("T", 300, noon.UnixMilli())
	return int64(at.Size)
}

// TestSurveyFault: a segment that cannot be read does not end the survey.
func TestSurveyFault(t *testing.T) {
	dir := t.TempDir()
	fs := mapped.OS()
	log, err := commitlog.Open(commitlog.Options{FS: fs, Dir: dir, TmpDir: dir + "/tmp", SegmentSize: segmentSize})
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	log.Restore(0, 0, 0)
	app := log.Appender(log.Allocator(), commitlog.NewOffsetTable())
	for range 40 {
		err := mapped.Guard(func() {
			_, err = app.Append(&record.Message{Topic: "T", Body: make([]byte, 300)}, noon.UnixMilli())
		})
		if err := errors.Join(err, app.Publish()); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Truncate(dir+"/"+mapped.Name(segmentSize), 0); err != nil {
		t.Fatal(err)
	}
	segs := NewSurvey(log.Reader()).Segments()
	if len(segs) < 4 || segs[0].Last == 0 || segs[1].Last == 0 || segs[2].Last == 0 {
		t.Errorf("%+v", segs) // 0 and 1 by what is left: a walk, and the record behind
	}
}

// TestCleaner: queues and index follow the log, a few at a time.
func TestCleaner(t *testing.T) {
	s := newStore(t)
	rnd := rand.New(rand.NewPCG(1, 1))
	var at []commitlog.Appended
	for i := range 400 {
		at = append(at, s.put(fmt.Sprint("T", rnd.IntN(5)), 100, noon.UnixMilli()+int64(i)))
	}
	s.must(s.log.Syncer().Flush())
	indexFiles := len(s.index.Files())
	c := Cleaner{Log: s.log, Queues: s.queues, Index: s.index}
	if f, err := c.Follow(10); err != nil || f != (Followed{Done: true}) {
		t.Errorf("nothing to follow: %+v %v", f, err)
	}
	first, err := c.Expire(at[300].PhysicalOffset)
	if err != nil || first != at[300].PhysicalOffset/segmentSize*segmentSize || s.log.Min() != first {
		t.Fatalf("min %d, %v", first, err)
	}
	var sum Followed
	for i := 0; ; i++ {
		f, err := c.Follow(2)
		s.must(err)
		sum.QueueFiles += f.QueueFiles
		sum.IndexFiles += f.IndexFiles
		if f.Done {
			if i != 2 {
				t.Errorf("five queues in %d calls of two", i+1)
			}
			break
		}
	}
	if sum.QueueFiles == 0 || sum.IndexFiles == 0 || len(s.index.Files()) != indexFiles-sum.IndexFiles {
		t.Errorf("%+v", sum)
	}
	for q := range s.queues.All() {
		var u [1]consumequeue.Unit
		if n, err := q.Read(q.MinOffset(), u[:]); err != nil || n == 1 && u[0].PhysicalOffset < first {
			t.Errorf("%s begins at %d: %v %+v", q.Topic(), q.MinOffset(), err, u)
		}
		if q.MinOffset() == 0 {
			t.Errorf("%s did not follow", q.Topic())
		}
	}
	if again, err := c.Expire(0); err != nil || again != first {
		t.Errorf("going back: %d %v", again, err)
	}
}

// TestF35HeldSegment: a segment that is being read leaves the log at once and the
// reader keeps its bytes; later ones can go as well.
func TestF35HeldSegment(t *testing.T) {
	s := newStore(t)
	for range 100 {
		s.put("T", 300, noon.UnixMilli())
	}
	s.must(s.log.Syncer().Flush())
	cur := s.log.Reader().Cursor()
	defer cur.Close()
	held, err := cur.Bytes(0, 100)
	s.must(err)
	before := string(held)
	c := Cleaner{Log: s.log, Queues: s.queues}
	for _, below := range []int64{segmentSize, 3 * segmentSize} {
		if first, err := c.Expire(below); err != nil || first != below {
			t.Fatalf("%d %v", first, err)
		}
	}
	if string(held) != before {
		t.Error("the bytes changed under the reader")
	}
	other := s.log.Reader().Cursor()
	defer other.Close()
	var missing *commitlog.MissingError
	if _, err := other.Bytes(0, 100); !errors.As(err, &missing) {
		t.Errorf("a new reader: %v", err)
	}
}

// TestCleanerKeeps: a stale decision cannot take what must stay.
func TestCleanerKeeps(t *testing.T) {
	s := newStore(t)
	for range 100 {
		s.put("T", 300, noon.UnixMilli())
	}
	c := Cleaner{Log: s.log, Queues: s.queues}
	if first, err := c.Expire(1 << 40); err != nil || first != 0 {
		t.Errorf("nothing is flushed, and yet: %d %v", first, err)
	}
	s.must(s.log.Syncer().Flush())
	first, err := c.Expire(1 << 40)
	if err != nil || first > s.log.Appended() || first < segmentSize || s.log.Appended()-first > segmentSize {
		t.Errorf("all but the last: %d of %d, %v", first, s.log.Appended(), err)
	}
}
