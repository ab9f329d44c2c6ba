package record_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/actorstore/actorstore/commitlog/record"
)

// refused gives the LimitError of err, nil if it is no error.
func refused(t *testing.T, err error) *record.LimitError {
	t.Helper()
	if err == nil {
		return nil
	}
	var le *record.LimitError
	if !errors.As(err, &le) || !errors.Is(err, record.ErrIllegal) {
		t.Fatalf("want *LimitError, got %T %v", err, err)
	}
	return le
}

func fieldOf(le *record.LimitError) string {
	if le == nil {
		return "ok"
	}
	return le.Field
}

// sized is a property list of exactly n bytes, n >= 4.
func sized(n int) record.Properties {
	return record.Properties("p\x01" + strings.Repeat("v", n-3) + "\x02")
}

func TestLimitsProperties(t *testing.T) {
	for _, c := range []struct {
		n   int
		crc bool
		ok  bool
	}{
		{32766, false, true}, {32767, false, true}, {32768, false, false},
		{32746, true, true}, {32747, true, false},
		{65535, false, false}, {65536, false, false}, {70000, false, false}, {65536, true, false},
	} {
		l := record.Limits{AppendPropCRC: c.crc}
		m := record.Message{Topic: "T", Properties: sized(c.n)}
		le := refused(t, l.Check(&m))
		if (le == nil) != c.ok || le != nil && (le.Field != "properties" || !le.Properties) {
			t.Errorf("%d bytes, crc %v: %+v", c.n, c.crc, le)
		}
		for at := range 3 {
			batch := []record.Message{{Topic: "T"}, {Topic: "T"}, {Topic: "T"}}
			batch[at].Properties = m.Properties
			le := refused(t, l.CheckBatch(batch))
			if (le == nil) != c.ok || le != nil && (le.Field != fmt.Sprintf("message %d: properties", at) || !le.Properties) {
				t.Errorf("%d bytes, crc %v, batch member %d: %+v", c.n, c.crc, at, le)
			}
		}
		if c.ok {
			b := encode(record.Encoder{AppendPropCRC: c.crc}, m, record.Position{})
			var x record.MessageExt
			if err := record.Decode(b, &x); err != nil || string(x.Properties) != string(m.Properties) {
				t.Errorf("%d bytes, crc %v: not read back: %v", c.n, c.crc, err)
			}
		}
	}
}

// What the store itself adds counts before the put, not after.
func TestLimitsAdded(t *testing.T) {
	lmq := "INNER_MULTI_DISPATCH\x01%LMQ%a,%LMQ%b\x02"
	added := len("INNER_MULTI_QUEUE_OFFSET\x01\x02") + len("9223372036854775807,9223372036854775807")
	inner := "INNER_NUM\x0110\x02"
	innerAdded := len("INNER_BASE\x019223372036854775807\x02")
	old := "__CRC32#\x011234567890\x02"
	for _, c := range []struct {
		extra   string
		sysFlag int32
		most    int // bytes of sized beside extra
	}{
		{"", 0, 32767},
		{lmq, 0, 32767 - len(lmq) - added},
		{inner, record.SysInnerBatch, 32767 - len(inner) - innerAdded},
		{old, 0, 32767},
	} {
		for d, want := range map[int]string{0: "ok", 1: "properties"} {
			m := record.Message{Topic: "T", SysFlag: c.sysFlag, Properties: append(record.Properties(c.extra), sized(c.most+d)...)}
			if got := fieldOf(refused(t, (&record.Limits{}).Check(&m))); got != want {
				t.Errorf("%q and %d bytes: %s, want %s", c.extra, c.most+d, got, want)
			}
		}
	}
}

func TestLimitsPropertyContents(t *testing.T) {
	inner := record.SysInnerBatch
	for _, c := range []struct {
		topic   string
		sysFlag int32
		p       string
		ok      bool
	}{
		{"T", 0, "a␁1", true},
		{"T", 0, "␂␂junk␂␁x␂", true}, // parsers skip it, so it is stored
		{"T", 0, "a␁\xff", false},    // would be taken for damage
		{"T", 0, "a␁x\x00", false},
		{"T", 0, "a␁x\x00␂", true},
		{"T", 0, "x␁1␂␁␁name␂", false},
		{"T", 0, "__RMQ.TRANSIENT.x␁1", false},
		{"T", 0, "__RMQ.TRANSIENT␁1", true},
		{"T", 0, "DELAY␁abc", true},
		{record.TopicSchedule, 0, "DELAY␁abc", false},
		{record.TopicSchedule, 0, "DELAY␁2147483648", false},
		{record.TopicSchedule, 0, "DELAY␁-2147483648", true},
		{record.TopicSchedule, 0, "DELAY␁+3", true},
		{record.TopicSchedule, 0, "DELAY␁ 3", false},
		{record.TopicSchedule, 0, "DELAY␁abc␂DELAY␁3", true},
		{record.TopicSchedule, 0, "a␁1", true},
		{"T", 0, "INNER_NUM␁3", false},
		{"T", 0, "INNER_BASE␁x", true}, // RocketMQ looks at it only beside INNER_NUM
		{"T", inner, "INNER_NUM␁3", true},
		{"T", inner, "INNER_NUM␁3␂INNER_BASE␁9", true},
		{"T", inner, "INNER_NUM␁3␂INNER_BASE␁x", false},
		{"T", inner, "INNER_NUM␁3␂INNER_BASE␁9223372036854775808", false},
		{"T", inner, "INNER_NUM␁x", false},
		{"T", inner, "INNER_NUM␁0", false},
		{"T", inner, "INNER_NUM␁-1", false},
		{"T", inner, "INNER_NUM␁32767", true},
		{"T", inner, "INNER_NUM␁32768", false},
		{"T", inner, "", true},
		{"T", 0, "INNER_MULTI_DISPATCH␁%LMQ%a,%LMQ%b", true},
		{"T", 0, "INNER_MULTI_DISPATCH␁%LMQ%a/b", false},
		{"T", 0, "INNER_MULTI_DISPATCH␁%LMQ%a,%LMQ%" + strings.Repeat("x", 251), false},
		{"T", 0, "INNER_MULTI_DISPATCH␁,x/y,", true}, // no light queues: the store skips them
		{"T", 0, "k␁v__CRC32#␁1234567890␂", false},
		{"T", 0, "k␁v__CRC32#␁12␂b␁34567␂", false},
		{"T", 0, "k␁v__CRC32#␁1234567890␂a␁1␂", true},
		{"T", 0, "k␁v__CRC32#␁1234567890␂__CRC32#␁1234567890␂", false},
		{"T", 0, "__CRC32#␁1234567890␂", true},
	} {
		m := record.Message{Topic: c.topic, SysFlag: c.sysFlag, Properties: dots(c.p)}
		le := refused(t, (&record.Limits{}).Check(&m))
		if (le == nil) != c.ok || le != nil && (le.Field != "properties" || le.Properties) {
			t.Errorf("%s %#x %q: %+v", c.topic, c.sysFlag, c.p, le)
		}
	}
}

// With a checksum over the record the producer may store what he likes.
func TestLimitsOddBytesWithChecksum(t *testing.T) {
	for _, p := range []string{"a␁\xff", "a␁x\x00"} {
		m := record.Message{Topic: "T", Properties: dots(p)}
		if err := (&record.Limits{AppendPropCRC: true}).Check(&m); err != nil {
			t.Errorf("%q: %v", p, err)
		}
		b := encode(record.Encoder{AppendPropCRC: true}, m, record.Position{})
		if err := record.Verify(b, 0, record.CRCRecord); err != nil {
			t.Errorf("%q: %v", p, err)
		}
	}
}

// A refusal of an impossible pair names the property.
func TestLimitsNamesProperty(t *testing.T) {
	var m record.Message
	m.Topic = "T"
	m.Properties.Set("colour", "red\x02")
	if err := (&record.Limits{}).Check(&m); err == nil || !strings.Contains(err.Error(), `"colour"`) {
		t.Errorf("%v", err)
	}
	if m.Properties.Set("colour", "red"); (&record.Limits{}).Check(&m) != nil {
		t.Error("setting a possible value did not heal it")
	}
}

func TestLimitsBody(t *testing.T) {
	big := make([]byte, record.DefaultMaxMessageSize+1)
	for _, c := range []struct {
		max, n int
		want   string
	}{
		{0, 4 << 20, "ok"}, {0, 4<<20 + 1, "body"}, {100, 100, "ok"}, {100, 101, "body"}, {100, 0, "ok"},
	} {
		l := record.Limits{MaxMessageSize: c.max}
		if got := fieldOf(refused(t, l.Check(&record.Message{Topic: "T", Body: big[:c.n]}))); got != c.want {
			t.Errorf("max %d, body %d: %s", c.max, c.n, got)
		}
	}
	l := record.Limits{MaxMessageSize: 100}
	batch := []record.Message{{Topic: "T", Body: big[:50]}, {Topic: "T", Body: big[:50]}}
	if err := l.CheckBatch(batch); err != nil {
		t.Error(err)
	}
	batch[1].Body = big[:51]
	if le := refused(t, l.CheckBatch(batch)); le == nil || !strings.Contains(le.Want, "MaxMessageSize") {
		t.Errorf("bodies of 101 bytes together: %+v", le)
	}
}

// Segment of 4096: a record may take 4088 bytes, alone or as a batch, for 8 are
// kept for the BLANK.
func TestLimitsSegment(t *testing.T) {
	v6 := host("[2001:db8::1]:1")
	for _, l := range []record.Limits{
		{SegmentSize: 4096}, {SegmentSize: 4096, AppendPropCRC: true}, {SegmentSize: 4096, Host: v6},
	} {
		e := record.Encoder{AppendPropCRC: l.AppendPropCRC, Host: l.Host}
		for size, want := range map[int]string{4087: "ok", 4088: "ok", 4089: "body", 4096: "body", 5000: "body"} {
			m := record.Message{Topic: "T"}
			m.Body = make([]byte, size-e.Size(&m))
			le := refused(t, l.Check(&m))
			if fieldOf(le) != want || le != nil && !strings.Contains(le.Want, "SegmentSize") {
				t.Errorf("%+v: record of %d: %+v", l, size, le)
			}
			half := record.Message{Topic: "T"}
			half.Body = make([]byte, 1000)
			rest := record.Message{Topic: "T"}
			rest.Body = make([]byte, size-e.Size(&half)-e.Size(&rest))
			if got := fieldOf(refused(t, l.CheckBatch([]record.Message{half, rest}))); got != want {
				t.Errorf("%+v: batch of %d: %s", l, size, got)
			}
		}
	}
}

func TestLimitsQueueAndBatch(t *testing.T) {
	l := record.Limits{}
	for id, want := range map[int32]string{-1: "queueId", -1 << 31: "queueId", 0: "ok", 1<<31 - 1: "ok"} {
		if got := fieldOf(refused(t, l.Check(&record.Message{Topic: "T", QueueID: id}))); got != want {
			t.Errorf("queue %d: %s", id, got)
		}
	}
	if got := fieldOf(refused(t, l.CheckBatch(nil))); got != "batch" {
		t.Errorf("empty batch: %s", got)
	}
	for _, c := range []struct {
		m    record.Message
		want string
	}{
		{record.Message{Topic: "T"}, "ok"},
		{record.Message{Topic: "T", Properties: record.NewProperties("DELAY", "0")}, "ok"},
		{record.Message{Topic: "U"}, "message 1: topic"},
		{record.Message{Topic: ""}, "message 1: topic"},
		{record.Message{Topic: "T", QueueID: 1}, "message 1: queueId"},
		{record.Message{Topic: "T", SysFlag: record.SysTransactionPrepared}, "message 1: sysFlag"},
		{record.Message{Topic: "T", SysFlag: record.SysTransactionCommit}, "message 1: sysFlag"},
		{record.Message{Topic: "T", SysFlag: record.SysInnerBatch}, "message 1: sysFlag"},
		{record.Message{Topic: "T", Properties: record.NewProperties("DELAY", "1")}, "message 1: DELAY"},
		{record.Message{Topic: "T", Properties: record.NewProperties("DELAY", "x")}, "message 1: DELAY"},
	} {
		if got := fieldOf(refused(t, l.CheckBatch([]record.Message{{Topic: "T"}, c.m}))); got != c.want {
			t.Errorf("%+v: %s, want %s", c.m, got, c.want)
		}
	}
}
