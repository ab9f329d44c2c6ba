package reader

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/actorstore/actorstore/commitlog/record"
)

var ctx = context.Background()

func (s *store) get(req GetRequest) (*GetResult, error) {
	var g GetResult
	err := s.r.Get(ctx, req, &g)
	return &g, err
}

// TestStatuses covers every status and its next offset (F18).
func TestStatuses(t *testing.T) {
	s := newStore(t, shape{segment: 4096})
	s.fill("full", 0, 100, 10) // [0, 100)
	// "late" is [50, 100): its first 50 records have left the log.
	var cut int64
	for i := range 100 {
		at := s.put(message("late", 0, fmt.Sprintf("late-%d", i)))
		if i == 50 {
			cut = at.PhysicalOffset
		}
	}
	s.expire(cut)
	late := s.queues.Queue("late", 0)
	s.must(late.CorrectMin(s.log.Min()))
	min := late.MinOffset()
	if min == 0 || min > 50 {
		t.Fatalf("min offset %d", min)
	}
	if _, err := s.queues.Ensure("empty", 3, 0); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name   string
		topic  string
		id     int32
		offset int64
		tags   string
		status GetMessageStatus
		next   int64
		count  int
		more   bool
	}{
		{"first kept", "late", 0, min, "", Found, min + 4, 4, true},
		{"below min", "late", 0, min - 1, "", OffsetTooSmall, min, 0, true},
		{"zero below min", "late", 0, 0, "", OffsetTooSmall, min, 0, true},
		{"negative below min", "late", 0, -1, "", OffsetTooSmall, min, 0, true},
		{"last", "late", 0, 99, "", Found, 100, 1, false},
		{"one past", "late", 0, 100, "", OffsetOverflowOne, 100, 0, false},
		{"two past", "late", 0, 101, "", OffsetOverflowBadly, 100, 0, false},
		{"far past", "late", 0, math.MaxInt64, "", OffsetOverflowBadly, 100, 0, false},
		{"min 0 last unit, one past", "full", 0, 100, "", OffsetOverflowOne, 100, 0, false},
		{"min 0, two past: not back to 0", "full", 0, 101, "", OffsetOverflowBadly, 100, 0, false},
		{"min 0, far past", "full", 0, 10000, "", OffsetOverflowBadly, 100, 0, false},
		{"negative", "full", 0, -1, "", OffsetTooSmall, 0, 0, true},
		{"lowest", "full", 0, math.MinInt64, "", OffsetTooSmall, 0, 0, true},
		{"records removed", "full", 0, 5, "", MessageWasRemoving, 100, 0, false},
		{"empty queue", "empty", 3, 0, "", NoMessageInQueue, 0, 0, false},
		{"empty queue, offset 7", "empty", 3, 7, "", NoMessageInQueue, 0, 0, false},
		{"no such queue", "late", 1, 0, "", NoMatchedLogicQueue, 0, 0, false},
		{"no such topic", "none", 0, 5, "", NoMatchedLogicQueue, 0, 0, false},
		{"no match", "late", 0, 60, "nothing", NoMatchedMessage, 100, 0, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			g, err := s.get(GetRequest{Topic: c.topic, QueueID: c.id, Offset: c.offset, MaxCount: 4, Tags: c.tags})
			if err != nil {
				t.Fatal(err)
			}
			if g.Status != c.status || g.NextOffset != c.next || len(g.Messages) != c.count || g.More != c.more {
				t.Errorf("%v next %d, %d messages, more %v; want %v next %d, %d, %v",
					g.Status, g.NextOffset, len(g.Messages), g.More, c.status, c.next, c.count, c.more)
			}
			v, err := s.r.View(ctx, GetRequest{Topic: c.topic, QueueID: c.id, Offset: c.offset, MaxCount: 4, Tags: c.tags},
				func(*record.MessageExt) error { return nil })
			if err != nil || v.Place != g.Place || v.Count != c.count {
				t.Errorf("View gives %+v, %v; Get %+v", v, err, g.Place)
			}
		})
	}
}

func TestStatusNames(t *testing.T) {
	for s := NoMatchedMessage; s <= OffsetReset; s++ {
		if strings.Contains(s.String(), "(") || s.String() != strings.ToUpper(s.String()) {
			t.Errorf("status %d prints as %q", uint8(s), s)
		}
	}
	if got := GetMessageStatus(200).String(); got != "GetMessageStatus(200)" {
		t.Error(got)
	}
}

// TestGetFields compares a message with what was put, over segment borders.
func TestGetFields(t *testing.T) {
	s := newStore(t, shape{segment: 4096})
	var want []*record.Message
	var places []int64
	for i := range 60 {
		m := message("T", 2, strings.Repeat(string(rune('a'+i%26)), i*13))
		m.Flag, m.BornTimestamp, m.ReconsumeTimes = int32(i), int64(1000+i), int32(i%3)
		m.SetTags(fmt.Sprint("tag", i))
		m.SetKeys(fmt.Sprint("k", i), "all")
		want, places = append(want, m), append(places, s.put(m).PhysicalOffset)
	}
	var g GetResult
	i := 0
	for offset := int64(0); offset < 60; offset = g.NextOffset {
		s.must(s.r.Get(ctx, GetRequest{Topic: "T", QueueID: 2, Offset: offset, MaxCount: 7}, &g))
		if g.Status != Found || len(g.Messages) == 0 {
			t.Fatalf("at %d: %v", offset, g.Status)
		}
		for _, m := range g.Messages {
			w := want[i]
			if m.Topic != "T" || m.QueueID != 2 || m.QueueOffset != int64(i) || m.PhysicalOffset != places[i] ||
				m.StoreTimestamp != 1_700_000_000_001+int64(i) || m.StoreHost != storeHost ||
				string(m.Body) != string(w.Body) || m.Flag != w.Flag || m.BornTimestamp != w.BornTimestamp ||
				m.ReconsumeTimes != w.ReconsumeTimes || m.Properties.Sorted() != w.Properties.Sorted() {
				t.Errorf("message %d is %+v", i, m)
			}
			i++
		}
	}
	if i != 60 {
		t.Errorf("%d messages", i)
	}
}

// TestLimits: count and bytes, given or not; the first message always comes.
func TestLimits(t *testing.T) {
	s := newStore(t, shape{segment: 1 << 20})
	size := s.fill("T", 0, 100, 1000)[0].Size
	big := s.fill("big", 0, 2, 300<<10)
	for _, c := range []struct {
		name            string
		topic           string
		maxCount, bytes int
		want            int
		more            bool
	}{
		{"defaults", "T", 0, 0, 32, true},
		{"count", "T", 5, 0, 5, true},
		{"count above the transfer limit", "T", 50, 0, 50, true},
		{"bytes", "T", 100, 10*size + 1, 10, true},
		{"bytes, exactly", "T", 100, 10 * size, 10, true},
		{"bytes without count", "T", 0, 3 * size, 3, true},
		{"one byte", "T", 10, 1, 1, true},
		{"all", "T", 1000, 1 << 30, 100, false},
		{"huge count", "T", math.MaxInt32, 0, 100, false},
		{"negative", "T", -1, -1, 32, true},
		{"first is larger than the limit", "big", 10, 100, 1, true},
		{"first fills the default", "big", 0, 0, 1, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			g, err := s.get(GetRequest{Topic: c.topic, MaxCount: c.maxCount, MaxBytes: c.bytes})
			s.must(err)
			if len(g.Messages) != c.want || g.More != c.more || g.NextOffset != int64(c.want) {
				t.Errorf("%d messages, next %d, more %v", len(g.Messages), g.NextOffset, g.More)
			}
			if c.topic == "T" && g.Size() != c.want*size {
				t.Errorf("size %d", g.Size())
			}
		})
	}
	if big[0].Size < 300<<10 {
		t.Error("big is not big")
	}
}

// TestDiskLimits: what lies far behind the end of the log is taken to be on disk.
func TestDiskLimits(t *testing.T) {
	s := newStore(t, shape{segment: 1 << 20, reader: Options{InMemory: 20_000}})
	s.fill("T", 0, 100, 1000)
	for offset, want := range map[int64]int{0: 8, 99: 1, 85: 15} {
		g, err := s.get(GetRequest{Topic: "T", Offset: offset})
		s.must(err)
		if len(g.Messages) != want {
			t.Errorf("at %d: %d messages, want %d", offset, len(g.Messages), want)
		}
	}
	g, err := s.get(GetRequest{Topic: "T", MaxCount: 40, MaxBytes: 1 << 20})
	s.must(err)
	if len(g.Messages) != 40 {
		t.Errorf("given limits: %d messages", len(g.Messages))
	}
}

// TestF54TagFilter: tags with one hash, a filter that matches little or nothing,
// and progress in any case.
func TestF54TagFilter(t *testing.T) {
	s := newStore(t, shape{segment: 1 << 20, queueFile: 2000})
	for i := range 5100 {
		m := message("T", 0, fmt.Sprint(i))
		switch {
		case i < 5000:
			m.SetTags("C")
		case i%2 == 0:
			m.SetTags("Aa")
		default:
			m.SetTags("BB") // the same hash
		}
		if i == 4000 {
			m.SetTags("")
		}
		s.put(m)
	}
	for tags, want := range map[string]int{
		"Aa": 50, "BB": 50, "Aa || BB": 100, "Aa||C": 5049, "none": 0, " Aa ": 50, "|| Aa": 50, "*": 5100, "": 5100,
	} {
		got, calls := 0, 0
		var g GetResult
		for offset := int64(0); offset < 5100; calls++ {
			s.must(s.r.Get(ctx, GetRequest{Topic: "T", Offset: offset, MaxCount: 32, Tags: tags}, &g))
			for i := range g.Messages {
				if tag := g.Messages[i].Tags(); tags != "*" && tags != "" && !strings.Contains(tags, tag) {
					t.Fatalf("%q delivered tag %q", tags, tag)
				}
			}
			got += len(g.Messages)
			if g.NextOffset <= offset || g.NextOffset > offset+800 {
				t.Fatalf("%q: next %d after %d", tags, g.NextOffset, offset)
			}
			if len(g.Messages) == 0 && g.Status != NoMatchedMessage {
				t.Fatalf("%q: %v", tags, g.Status)
			}
			offset = g.NextOffset
		}
		if got != want {
			t.Errorf("%q: %d messages in %d calls, want %d", tags, got, calls, want)
		}
	}
	if _, err := s.get(GetRequest{Topic: "T", Tags: "||"}); !errors.Is(err, ErrTags) {
		t.Errorf("|| gives %v", err)
	}
}

// TestRemovedPart: the first records of a queue have gone, its units have not.
func TestRemovedPart(t *testing.T) {
	s := newStore(t, shape{segment: 4096})
	at := s.fill("T", 0, 100, 100)
	s.expire(at[50].PhysicalOffset)
	first := 0
	for at[first].PhysicalOffset < s.log.Min() {
		first++
	}
	g, err := s.get(GetRequest{Topic: "T", Offset: 3, MaxCount: 2})
	s.must(err)
	if g.Status != Found || len(g.Messages) != 2 || g.Messages[0].QueueOffset != int64(first) || g.NextOffset != int64(first)+2 {
		t.Errorf("%v %v next %d, want from %d", g.Status, bodies(g.Messages), g.NextOffset, first)
	}
}

func TestCancelledGet(t *testing.T) {
	s := newStore(t, shape{})
	s.fill("T", 0, 3, 10)
	c, cancel := context.WithCancel(ctx)
	cancel()
	var g GetResult
	if err := s.r.Get(c, GetRequest{Topic: "T"}, &g); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
