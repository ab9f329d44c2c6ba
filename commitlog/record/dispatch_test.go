package record_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/actorstore/actorstore/commitlog/record"
)

func TestDelayTable(t *testing.T) {
	d, err := record.ParseDelayLevels(record.DefaultDelayLevels)
	if err != nil || d.Max() != 18 {
		t.Fatal(d.Max(), err)
	}
	for level, want := range map[int]int64{-1: 0, 0: 0, 1: 1000, 2: 5000, 5: 60_000, 17: 3_600_000, 18: 7_200_000, 19: 7_200_000, 1 << 30: 7_200_000} {
		if got := d.DeliverAt(level, 100); got != 100+want {
			t.Errorf("level %d: %d", level, got)
		}
	}
	if d, err = record.ParseDelayLevels("2d 0s"); err != nil || d.DeliverAt(1, 0) != 172_800_000 || d.DeliverAt(2, 7) != 7 {
		t.Error(d, err)
	}
	for _, bad := range []string{"", "1", "s", "1s  2s", "1x", "-1s", "1.5s", "9223372036854775807s", "99999999999999999999s"} {
		if _, err := record.ParseDelayLevels(bad); err == nil || !strings.Contains(err.Error(), "want a number") {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

func TestDispatchTagsCode(t *testing.T) {
	tag := record.TagsCode("a")
	for _, c := range []struct {
		topic, delay string
		want         int64
	}{
		{"T", "3", tag},
		{record.TopicSchedule, "", tag},
		{record.TopicSchedule, "1", stored + 1000},
		{record.TopicSchedule, "18", stored + 7_200_000},
		{record.TopicSchedule, "19", stored + 7_200_000},
		{record.TopicSchedule, "2147483647", stored + 7_200_000},
		{record.TopicSchedule, "0", tag},
		{record.TopicSchedule, "-3", tag},
		{record.TopicSchedule, "abc", tag},
		{record.TopicSchedule, "2147483648", tag},
		{record.TopicSchedule, "+", tag},
	} {
		m := hello(record.NewProperties("DELAY", c.delay, "TAGS", "a"))
		m.Topic = c.topic
		var req record.DispatchRequest
		err := record.ParseDispatch(encode(record.Encoder{}, m, record.Position{StoreTimestamp: stored}), &req, nil)
		if err != nil || req.TagsCode != c.want {
			t.Errorf("%s DELAY=%q: %d, want %d, %v", c.topic, c.delay, req.TagsCode, c.want, err)
		}
	}
	d, _ := record.ParseDelayLevels("7m")
	p := record.DispatchParser{Delays: d}
	m := hello(record.NewProperties("DELAY", "9"))
	m.Topic = record.TopicSchedule
	var req record.DispatchRequest
	if err := p.Parse(encode(record.Encoder{}, m, record.Position{}), &req); err != nil || req.TagsCode != 420_000 {
		t.Errorf("own levels: %d, %v", req.TagsCode, err)
	}
}

func TestDispatchProperties(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"", "[] [] [] 0 -1 [] []"},
		{"KEYS␁a b␂UNIQ_KEY␁u␂TAGS␁t␂", "[t] [a b] [u] 0 -1 [] []"},
		{"KEYS␁a␂KEYS␁b␂TAGS␁␂", "[] [b] [] 0 -1 [] []"},
		{"INNER_NUM␁3␂INNER_BASE␁100␂", "[] [] [] 3 100 [] []"},
		{"INNER_BASE␁100␂INNER_NUM␁3", "[] [] [] 3 100 [] []"},
		{"INNER_NUM␁3␂", "[] [] [] 0 -1 [] []"},
		{"INNER_BASE␁3␂", "[] [] [] 0 -1 [] []"},
		{"INNER_NUM␁x␂INNER_BASE␁100␂", "[] [] [] 0 -1 [] []"},
		{"INNER_NUM␁3␂INNER_BASE␁x␂", "[] [] [] 0 -1 [] []"},
		{"INNER_NUM␁0␂INNER_BASE␁1␂", "[] [] [] 0 -1 [] []"},
		{"INNER_NUM␁-4␂INNER_BASE␁1␂", "[] [] [] 0 -1 [] []"},
		{"INNER_NUM␁1␂INNER_BASE␁-9223372036854775808␂", "[] [] [] 1 -9223372036854775808 [] []"},
		{"INNER_MULTI_DISPATCH␁%LMQ%a,%LMQ%b␂INNER_MULTI_QUEUE_OFFSET␁1,2␂", "[] [] [] 0 -1 [%LMQ%a,%LMQ%b] [1,2]"},
	} {
		var req record.DispatchRequest
		b := encode(record.Encoder{AppendPropCRC: true}, hello(dots(c.in)), record.Position{})
		if err := record.ParseDispatch(b, &req, nil); err != nil {
			t.Fatal(err)
		}
		got := fmt.Sprintf("[%s] [%s] [%s] %d %d [%s] [%s]", req.Tags, req.Keys, req.UniqKey,
			req.InnerNum, req.InnerBase, req.MultiDispatch, req.MultiOffset)
		if got != c.want {
			t.Errorf("%q: %s, want %s", c.in, got, c.want)
		}
	}
}

// Nothing of an earlier record is left in a request that is used again.
func TestDispatchReuse(t *testing.T) {
	full := hello(record.NewProperties("TAGS", "t", "KEYS", "k", "UNIQ_KEY", "u", "INNER_NUM", "2", "INNER_BASE", "5",
		"INNER_MULTI_DISPATCH", "%LMQ%a", "INNER_MULTI_QUEUE_OFFSET", "1"))
	topics := record.NewInterner(4)
	var used, fresh record.DispatchRequest
	for _, m := range []record.Message{full, hello(nil)} {
		if err := record.ParseDispatch(encode(record.Encoder{}, m, record.Position{}), &used, topics); err != nil {
			t.Fatal(err)
		}
	}
	if err := record.ParseDispatch(encode(record.Encoder{}, hello(nil), record.Position{}), &fresh, topics); err != nil {
		t.Fatal(err)
	}
	if got, want := fmt.Sprintf("%+v", used), fmt.Sprintf("%+v", fresh); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestInterner(t *testing.T) {
	in := record.NewInterner(2)
	for range 3 {
		for raw, want := range map[string]string{"a": "a", "b": "b", "c": "c", "d\xff": "d�", "d�": "d�", "": ""} {
			for range 2 {
				if got := in.String([]byte(raw)); got != want {
					t.Errorf("%q: %q, want %q", raw, got, want)
				}
			}
		}
	}
	var none *record.Interner
	if got := none.String([]byte("x\xff")); got != "x�" {
		t.Errorf("nil Interner: %q", got)
	}
}
