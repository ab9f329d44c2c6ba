package reader

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/actorstore/actorstore/commitlog"
	"github.com/actorstore/actorstore/commitlog/record"
)

func keyed(topic, body string, keys ...string) *record.Message {
	m := message(topic, 0, body)
	m.SetKeys(keys...)
	return m
}

func (s *store) query(req QueryRequest) (QueryResult, []string) {
	s.t.Helper()
	q, err := s.r.Query(ctx, req)
	s.must(err)
	if !slices.IsSortedFunc(q.Messages, func(a, b record.MessageExt) int { return int(a.PhysicalOffset - b.PhysicalOffset) }) {
		s.t.Errorf("%+v: not ascending", req)
	}
	return q, bodies(q.Messages)
}

// TestF25Collisions: what only hashes alike is not returned, and does not count.
func TestF25Collisions(t *testing.T) {
	s := newStore(t, shape{})
	s.put(keyed("BBTopic", "other topic", "Aa"))
	if _, got := s.query(QueryRequest{Topic: "AaTopic", Key: "BB"}); len(got) != 0 {
		t.Errorf("never sent: %q", got)
	}
	if _, got := s.query(QueryRequest{Topic: "BBTopic", Key: "Aa"}); len(got) != 1 {
		t.Errorf("sent once: %q", got)
	}
	s.put(keyed("T", "true", "AaAa"))
	for i := range 200 {
		s.put(keyed("T", fmt.Sprint("collides", i), []string{"BBBB", "AaBB", "BBAa"}[i%3]))
	}
	q, got := s.query(QueryRequest{Topic: "T", Key: "AaAa", MaxCount: 1})
	if fmt.Sprint(got) != "[true]" || q.More {
		t.Errorf("behind 200 collisions: %q, more %v", got, q.More)
	}
	for i, key := range []string{"5eeedzu", "jllgvmc", "jlli8mc"} {
		s.put(keyed("T", fmt.Sprint("min", i), key))
		if _, got := s.query(QueryRequest{Topic: "T", Key: key}); fmt.Sprint(got) != fmt.Sprintf("[min%d]", i) {
			t.Errorf("key %s whose hash is the least integer: %q", key, got)
		}
	}
}

// TestF27TimeRange: index files of 100 entries, messages one second apart.
func TestF27TimeRange(t *testing.T) {
	s := newStore(t, shape{indexKeys: 100, segment: 1 << 20})
	start := int64(1_700_000_000_123)
	at := func(i int) int64 { return start + int64(i)*1000 }
	for i := range 350 {
		s.putAt(keyed("T", fmt.Sprint(i), fmt.Sprint("k", i), "all"), at(i))
	}
	for i := range 350 {
		for _, r := range [][2]int64{{at(i), at(i)}, {at(i), at(i) + 1}, {at(i) - 1, at(i)}, {0, math.MaxInt64}, {0, 0}, {math.MinInt64, math.MaxInt64}} {
			_, got := s.query(QueryRequest{Topic: "T", Key: fmt.Sprint("k", i), Begin: r[0], End: r[1]})
			if fmt.Sprint(got) != fmt.Sprintf("[%d]", i) {
				t.Errorf("k%d in %v: %q", i, r, got)
			}
		}
		_, got := s.query(QueryRequest{Topic: "T", Key: fmt.Sprint("k", i), Begin: at(i) + 1, End: at(i) + 10_000})
		if len(got) != 0 {
			t.Errorf("k%d outside: %q", i, got)
		}
	}
	if q, got := s.query(QueryRequest{Topic: "T", Key: "all", Begin: at(150), End: at(160)}); len(got) != 11 || got[0] != "150" || got[10] != "160" || q.More {
		t.Errorf("window: %q", got)
	}
}

// TestClockSetBack: times out of order hide nothing.
func TestClockSetBack(t *testing.T) {
	s := newStore(t, shape{indexKeys: 10})
	start := int64(1_700_000_000_000)
	for i := range 40 {
		s.putAt(keyed("T", fmt.Sprint(i), "k"), start+int64((i*7919)%40)*60_000)
	}
	for i := range 40 {
		ms := start + int64((i*7919)%40)*60_000
		if _, got := s.query(QueryRequest{Topic: "T", Key: "k", Begin: ms, End: ms}); fmt.Sprint(got) != fmt.Sprintf("[%d]", i) {
			t.Errorf("%d: %q", i, got)
		}
	}
}

// TestF30OnlyTheRecord: each hit is one record, no more.
func TestF30OnlyTheRecord(t *testing.T) {
	s := newStore(t, shape{})
	size := s.put(keyed("T", "match", "k")).Size
	s.put(keyed("T", "other key", "other"))
	s.put(keyed("U", "other topic", "k"))
	size += s.put(keyed("T", "match", "k")).Size
	q, got := s.query(QueryRequest{Topic: "T", Key: "k"})
	n := 0
	for _, m := range q.Messages {
		n += int(m.StoreSize)
	}
	if fmt.Sprint(got) != "[match match]" || n != size {
		t.Errorf("%q, %d bytes of %d", got, n, size)
	}
}

// TestF31HugeLimits: a limit is never what memory is taken for.
func TestF31HugeLimits(t *testing.T) {
	s := newStore(t, shape{segment: 1 << 22, indexKeys: 20_000, queueFile: 20_000})
	for i := range 3000 {
		s.put(keyed("T", fmt.Sprint(i), "k"))
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for _, n := range []int{math.MaxInt32, math.MaxInt, 0, -1, math.MinInt, 64, 65} {
		q, got := s.query(QueryRequest{Topic: "T", Key: "k", MaxCount: n})
		if len(got) != 64 || !q.More || got[63] != "2999" || got[0] != "2936" {
			t.Errorf("max %d: %d messages, more %v", n, len(got), q.More)
		}
		if n > 1000 {
			g, err := s.get(GetRequest{Topic: "T", MaxCount: n})
			if err != nil || len(g.Messages) < 1000 || g.Size() > 256<<10 || !g.More {
				t.Errorf("get %d: %v, %d messages, %d bytes", n, err, len(g.Messages), g.Size())
			}
		}
	}
	runtime.ReadMemStats(&after)
	if grown := after.TotalAlloc - before.TotalAlloc; grown > 10<<20 {
		t.Errorf("%d bytes taken", grown)
	}
	if q, got := s.query(QueryRequest{Topic: "T", Key: "k", MaxCount: 3}); fmt.Sprint(got) != "[2997 2998 2999]" || !q.More {
		t.Errorf("3: %q", got)
	}
}

// TestQueryForms: several keys, the unique key, tags, what is never a match.
func TestQueryForms(t *testing.T) {
	s := newStore(t, shape{})
	m := keyed("T", "one", "a", "b", "a", "ü")
	m.SetTags("x")
	m.Properties.Set(record.PropertyUniqKey, "u 1")
	s.put(m)
	m = keyed("T", "two", "T#x")
	m.SetTags("y")
	s.put(m)
	m = message("T", 0, "rolled back")
	m.SetKeys("a")
	m.SysFlag = record.SysTransactionRollback
	s.put(m)
	m = keyed("T", "prepared", "p")
	m.SysFlag = record.SysTransactionPrepared
	s.put(m)
	for _, c := range []struct {
		key, kind, want string
	}{
		{"a", "", "[one]"}, {"b", "", "[one]"}, {"ü", "", "[one]"}, {"u 1", "", "[one]"}, {"a b", "", "[]"}, {"", "", "[]"},
		{"A", "", "[]"}, {"x", IndexTypeTags, "[one]"}, {"y", IndexTypeTags, "[two]"}, {"a", IndexTypeTags, "[]"},
		{"T#x", "", "[two]"}, {"x", "", "[]"}, {"p", "", "[prepared]"},
	} {
		if _, got := s.query(QueryRequest{Topic: "T", Key: c.key, IndexType: c.kind}); fmt.Sprint(got) != c.want {
			t.Errorf("%q %q: %q, want %s", c.key, c.kind, got, c.want)
		}
	}
}

// fakeIndex gives chosen candidates.
type fakeIndex struct {
	offsets []int64
	err     error
}

func (f fakeIndex) Query(_, _ string, _ int, visit func(int64) bool) error {
	for _, o := range f.offsets {
		if !visit(o) {
			return f.err
		}
	}
	return f.err
}

func (f fakeIndex) QueryTags(topic, tags string, limit int, visit func(int64) bool) error {
	return f.Query(topic, tags, limit, visit)
}

// TestDamagedIndex: the healthy part comes with the error; offsets twice, of
// records that have gone, and of no record at all.
func TestDamagedIndex(t *testing.T) {
	s := newStore(t, shape{segment: 4096})
	var at []commitlog.Appended
	for i := range 60 {
		at = append(at, s.put(keyed("T", fmt.Sprint(i, strings.Repeat(".", 200)), "k")))
	}
	s.expire(at[30].PhysicalOffset)
	s.patch(at[50].PhysicalOffset+atBody, []byte("#"))
	bad := errors.New("chain damaged")
	index := fakeIndex{err: bad}
	for _, i := range []int{59, 59, 50, 49, 59, 1, 48} {
		index.offsets = append(index.offsets, at[i].PhysicalOffset)
	}
	index.offsets = append(index.offsets, at[40].PhysicalOffset+1, -5, s.log.Appended(), 1<<62)
	ready := false
	r := New(s.log.Reader(), s.queues, index, Options{IndexReady: func() bool { return ready }})
	q, err := r.Query(ctx, QueryRequest{Topic: "T", Key: "k"})
	if !errors.Is(err, bad) || !errors.Is(err, record.ErrCorrupt) {
		t.Errorf("error %v", err)
	}
	if got := bodies(q.Messages); fmt.Sprint(got) != "[48 49 59]" || q.More || !q.Incomplete {
		t.Errorf("%q %v %v", got, q.More, q.Incomplete)
	}
	ready = true
	if q, _ := r.Query(ctx, QueryRequest{Topic: "T", Key: "k", MaxCount: 2}); len(q.Messages) != 2 || !q.More || q.Incomplete {
		t.Errorf("%d messages, %v %v", len(q.Messages), q.More, q.Incomplete)
	}
	blank := int64(0)
	for _, a := range at {
		if blank = a.End(); (blank+int64(a.Size))/4096 > blank/4096 && blank > s.log.Min() {
			break // the next record did not fit
		}
	}
	for name, offset := range map[string]int64{"inside a record": at[40].PhysicalOffset + 1, "at a BLANK": blank} {
		r := New(s.log.Reader(), s.queues, fakeIndex{offsets: []int64{offset}}, Options{})
		if q, err := r.Query(ctx, QueryRequest{Topic: "T", Key: "k"}); !errors.Is(err, ErrNoRecord) || len(q.Messages) != 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
	gone := New(s.log.Reader(), s.queues, fakeIndex{offsets: []int64{at[1].PhysicalOffset, s.log.Appended() + 5}}, Options{})
	if q, err := gone.Query(ctx, QueryRequest{Topic: "T", Key: "k"}); err != nil || len(q.Messages) != 0 {
		t.Errorf("what has gone is no damage: %v", err)
	}
}

func TestQueryRefused(t *testing.T) {
	s := newStore(t, shape{})
	s.put(keyed("T", "x", "k"))
	c, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := s.r.Query(c, QueryRequest{Topic: "T", Key: "k"}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	r := New(s.log.Reader(), s.queues, nil, Options{})
	if _, err := r.Query(ctx, QueryRequest{Topic: "T", Key: "k"}); !errors.Is(err, ErrNoIndex) {
		t.Error(err)
	}
}

// TestQueryOwns: the result survives the log.
func TestQueryOwns(t *testing.T) {
	s := newStore(t, shape{})
	at := s.put(keyed("T", strings.Repeat("x", 50), "k"))
	q, _ := s.query(QueryRequest{Topic: "T", Key: "k"})
	s.patch(at.PhysicalOffset, make([]byte, at.Size))
	if m := q.Messages[0]; string(m.Body) != strings.Repeat("x", 50) || m.Keys()[0] != "k" {
		t.Errorf("%+v", m)
	}
}

// TestQueryPassesDeleted: records of a topic that was deleted are still in log and
// index, and are not found.
func TestQueryPassesDeleted(t *testing.T) {
	var below int64
	s := newStore(t, shape{reader: Options{Deleted: func(topic string) int64 { return map[string]int64{"T": below}[topic] }}})
	s.put(keyed("T", "old", "k"))
	s.put(keyed("U", "other", "k"))
	below = s.log.Appended()
	s.put(keyed("T", "new", "k"))
	for topic, want := range map[string]string{"T": "[new]", "U": "[other]"} {
		if _, got := s.query(QueryRequest{Topic: topic, Key: "k"}); fmt.Sprint(got) != want {
			t.Errorf("%s: %q, want %s", topic, got, want)
		}
	}
}
