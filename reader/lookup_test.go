package reader

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"net/netip"
	"strings"
	"testing"

	"github.com/actorstore/actorstore/commitlog"
	"github.com/actorstore/actorstore/commitlog/record"
	"github.com/actorstore/actorstore/consumequeue"
)

// TestLookup: every physical offset of the log either starts a record, which is
// the right one, or is a typed error.
func TestLookup(t *testing.T) {
	s := newStore(t, shape{segment: 4096})
	starts := map[int64]int{}
	for i, a := range s.fill("T", 0, 60, 60) {
		starts[a.PhysicalOffset] = i
	}
	s.expire(4096)
	found := 0
	for offset := int64(-10); offset < s.log.Appended()+20; offset++ {
		m, err := s.r.Lookup(ctx, offset)
		var missing *commitlog.MissingError
		i, start := starts[offset]
		switch {
		case offset < 4096 || offset >= s.log.Appended():
			if !errors.As(err, &missing) {
				t.Fatalf("%d: %v", offset, err)
			}
		case !start:
			if !errors.Is(err, ErrNoRecord) && !errors.As(err, &missing) {
				t.Fatalf("%d: %v", offset, err)
			}
		case err != nil || m.PhysicalOffset != offset || m.QueueOffset != int64(i):
			t.Fatalf("%d: %v %+v", offset, err, m)
		default:
			found++
		}
	}
	if found == 0 || found == 60 {
		t.Errorf("%d found", found)
	}
	for _, offset := range []int64{math.MinInt64, math.MaxInt64, math.MaxInt64 - 7} {
		if _, err := s.r.Lookup(ctx, offset); err == nil {
			t.Errorf("%d found", offset)
		}
	}
}

// TestLookupLies: a record inside a body, and lengths that reach far.
func TestLookupLies(t *testing.T) {
	s := newStore(t, shape{})
	first := s.put(message("T", 0, "inner"))
	var inner []byte
	s.must(s.log.Reader().View(first.PhysicalOffset, first.Size, func(b []byte) error {
		inner = append(inner, b...)
		return nil
	}))
	at := s.put(message("T", 0, "0123456789"+string(inner)))
	if _, err := s.r.Lookup(ctx, at.PhysicalOffset+atBody+10); !errors.Is(err, ErrNoRecord) {
		t.Errorf("a record that says it stands elsewhere: %v", err)
	}
	for _, size := range []uint32{1 << 31, 1<<31 - 1, 1 << 20, 0, 8} {
		at := s.put(message("T", 0, "length"))
		s.patch(at.PhysicalOffset, []byte{byte(size >> 24), byte(size >> 16), byte(size >> 8), byte(size)})
		if _, err := s.r.Lookup(ctx, at.PhysicalOffset); err == nil {
			t.Errorf("size %d: found", size)
		}
	}
	at = s.put(message("T", 0, "checksum"))
	s.patch(at.PhysicalOffset+atBody, []byte("C"))
	_, err := s.r.Lookup(ctx, at.PhysicalOffset)
	var ce *record.CorruptionError
	if !errors.As(err, &ce) || errors.Is(err, ErrNoRecord) || ce.Offset != at.PhysicalOffset || ce.Path == "" {
		t.Errorf("checksum: %v", err)
	}
}

// TestUnconfirmed: what is appended but not confirmed is not shown.
func TestUnconfirmed(t *testing.T) {
	s := newStore(t, shape{})
	s.put(message("T", 0, "seen"))
	end := s.log.Appended()
	at, err := s.app.Append(message("T", 0, "unseen"), 1)
	s.must(err)
	s.must(s.app.Publish())
	if s.log.Appended() == end {
		t.Fatal("nothing was appended")
	}
	var missing *commitlog.MissingError
	if _, err := s.r.Lookup(ctx, at.PhysicalOffset); !errors.As(err, &missing) || missing.End != end {
		t.Errorf("%v", err)
	}
	s.log.SetConfirm(at.End())
	if _, err := s.r.Lookup(ctx, at.PhysicalOffset); err != nil {
		t.Error(err)
	}
}

// TestLookupID: ids of both lengths, of another store, and no ids at all.
func TestLookupID(t *testing.T) {
	s := newStore(t, shape{})
	v6 := netip.MustParseAddrPort("[2001:db8::1]:6001")
	m := message("T", 0, "six")
	m.StoreHost = v6
	a4, a6 := s.put(message("T", 0, "four")), s.put(m)
	for id, want := range map[string]string{
		record.EncodeMessageID(storeHost, a4.PhysicalOffset): "four",
		record.EncodeMessageID(v6, a6.PhysicalOffset):        "six",
	} {
		for _, id := range []string{id, strings.ToLower(id)} {
			m, err := s.r.LookupID(ctx, id)
			if err != nil || string(m.Body) != want {
				t.Errorf("%s: %v", id, err)
			}
		}
	}
	for _, id := range []string{
		record.EncodeMessageID(v6, a4.PhysicalOffset),
		record.EncodeMessageID(netip.MustParseAddrPort("10.1.2.4:10911"), a4.PhysicalOffset),
		record.EncodeMessageID(storeHost, a4.PhysicalOffset+1),
	} {
		if _, err := s.r.LookupID(ctx, id); !errors.Is(err, ErrNoRecord) {
			t.Errorf("%s: %v", id, err)
		}
	}
	for _, id := range []string{"", "xyz", strings.Repeat("0", 31), strings.Repeat("G", 32), strings.Repeat("F", 32)} {
		if _, err := s.r.LookupID(ctx, id); err == nil {
			t.Errorf("%q found", id)
		}
	}
}

// TestTimes: message times and searches by time against a plain scan.
func TestTimes(t *testing.T) {
	s := newStore(t, shape{segment: 4096, queueFile: 200})
	rnd := rand.New(rand.NewPCG(1, 2))
	var times []int64
	ms := int64(1_700_000_000_000)
	for i := range 300 {
		ms += int64(rnd.IntN(3)) * 10
		s.putAt(message("T", 0, fmt.Sprint(i)), ms)
		times = append(times, ms)
	}
	for i, want := range times {
		if got, err := s.r.MessageTime("T", 0, int64(i)); err != nil || got != want {
			t.Fatalf("time at %d: %d %v", i, got, err)
		}
	}
	for at := times[0] - 15; at < ms+15; at += 5 {
		lower, upper := int64(len(times)), int64(0)
		for i, v := range times {
			if v >= at {
				lower = min(lower, int64(i))
			}
			if v <= at {
				upper = int64(i)
			}
		}
		if got, err := s.r.OffsetByTime("T", 0, at, consumequeue.Lower); err != nil || got != lower {
			t.Fatalf("lower of %d: %d %v, want %d", at, got, err, lower)
		}
		if got, err := s.r.OffsetByTime("T", 0, at, consumequeue.Upper); err != nil || got != upper {
			t.Fatalf("upper of %d: %d %v, want %d", at, got, err, upper)
		}
	}
	for _, offset := range []int64{-1, 300, math.MaxInt64, math.MinInt64} {
		if _, err := s.r.MessageTime("T", 0, offset); !errors.Is(err, ErrNoMessage) {
			t.Errorf("time at %d: %v", offset, err)
		}
	}
	if _, err := s.r.MessageTime("U", 0, 0); !errors.Is(err, ErrNoQueue) {
		t.Error(err)
	}
	if _, err := s.r.OffsetByTime("T", 1, 0, consumequeue.Lower); !errors.Is(err, ErrNoQueue) {
		t.Error(err)
	}
}

// TestTimesWithDamage: damaged and removed records do not stop a search.
func TestTimesWithDamage(t *testing.T) {
	s := newStore(t, shape{segment: 8192})
	at := s.fill("T", 0, 200, 100)
	for i := 100; i < 130; i++ {
		s.patch(at[i].PhysicalOffset+atMagic, []byte{1, 2, 3, 4})
	}
	s.expire(at[60].PhysicalOffset)
	first := int64(0)
	for at[first].PhysicalOffset < s.log.Min() {
		first++
	}
	for i := first; i < 200; i++ {
		want := i
		if i >= 100 && i < 130 {
			want = 130 // nobody knows better
		}
		got, err := s.r.OffsetByTime("T", 0, at[i].StoreTimestamp, consumequeue.Lower)
		if err != nil || got != want {
			t.Errorf("time of %d: %d %v, want %d", i, got, err, want)
		}
	}
	if got, err := s.r.OffsetByTime("T", 0, 0, consumequeue.Lower); err != nil || got != first {
		t.Errorf("the beginning: %d %v, want %d", got, err, first)
	}
	if _, err := s.r.MessageTime("T", 0, 110); !errors.Is(err, ErrNoRecord) {
		t.Errorf("%v", err)
	}
}

func TestTopics(t *testing.T) {
	s := newStore(t, shape{})
	s.fill("b", 1, 3, 10)
	s.fill("b", 0, 2, 10)
	s.fill("a", 11, 1, 10)
	s.put(batch("c", 5))
	want := "[{a [{11 SimpleCQ 0 1 <nil>}]} {b [{0 SimpleCQ 0 2 <nil>} {1 SimpleCQ 0 3 <nil>}]} {c [{0 BatchCQ 0 5 <nil>}]}]"
	if got := fmt.Sprint(s.r.Topics()); got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	lo, err := s.r.MinOffset("b", 1)
	hi, err2 := s.r.MaxOffset("b", 1)
	if lo != 0 || hi != 3 || err != nil || err2 != nil {
		t.Error(lo, hi, err, err2)
	}
	if _, err := s.r.MaxOffset("b", 2); !errors.Is(err, ErrNoQueue) {
		t.Error(err)
	}
	if _, err := s.r.MinOffset("d", 0); !errors.Is(err, ErrNoQueue) {
		t.Error(err)
	}
}

// TestTimesBehindDamage: where the first messages cannot be read a search by time
// takes them for older than all; where very many in a row cannot it gives up.
func TestTimesBehindDamage(t *testing.T) {
	s := newStore(t, shape{segment: 1 << 20})
	at := s.fill("T", 0, 200, 50)
	for i := range 10 {
		s.patch(at[i].PhysicalOffset+atMagic, []byte{1, 2, 3, 4})
	}
	if got, err := s.r.OffsetByTime("T", 0, 0, consumequeue.Lower); err != nil || got != 10 {
		t.Errorf("the beginning: %d %v", got, err)
	}
	for i := range 110 {
		s.patch(at[i+50].PhysicalOffset+atMagic, []byte{1, 2, 3, 4})
	}
	_, err := s.r.OffsetByTime("T", 0, at[150].StoreTimestamp, consumequeue.Lower)
	if !errors.Is(err, ErrNoRecord) {
		t.Errorf("110 that cannot be read: %v", err)
	}
}
