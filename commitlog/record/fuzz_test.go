package record_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"unsafe"

	"github.com/actorstore/actorstore/commitlog/record"
	"github.com/actorstore/actorstore/tests/alloc"
)

// results is what a parser may allocate whatever the input: a message, an error
// with its texts.
const results = 1 << 10

// oneMap is what a map of names allocates at once: its tables have at most 1024
// places.
const oneMap = 28 << 10

// small wants a parse to allocate no more than its input is worth.
func small(t *testing.T, n, fixed int, parse func()) {
	t.Helper()
	if err := alloc.Check(n, fixed, parse); err != nil {
		t.Fatal(err)
	}
}

func seeds(f *testing.F) {
	for _, g := range goldens() {
		f.Add(unhex(g.hex))
	}
	f.Add(unhex("00000064 cbd43194"))
}

// Whatever the bytes: no panic, and what Decode takes can be written again to
// the same bytes but for what a message does not keep.
func FuzzDecode(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, b []byte) {
		before := bytes.Clone(b)
		small(t, len(b), results, func() { _ = record.Decode(b, new(record.MessageExt)) })
		var m record.MessageExt
		err := record.Decode(b, &m)
		if err != nil {
			if !errors.Is(err, record.ErrCorrupt) || m.Topic != "" {
				t.Fatalf("%v, topic %q", err, m.Topic)
			}
			return
		}
		size, kind, err := record.Measure(b)
		if err != nil || kind != record.KindRecord || size != int(m.StoreSize) || size > len(b) {
			t.Fatalf("Measure: %d %v %v", size, kind, err)
		}
		if err := record.Verify(b, m.PhysicalOffset, record.CRCNone); err != nil {
			t.Fatal(err)
		}
		if len(m.Topic) <= 255 {
			e := record.Encoder{AppendPropCRC: record.HasRecordCRC(b)}
			again := encode(e, m.Message, record.Position{QueueOffset: m.QueueOffset, PhysicalOffset: m.PhysicalOffset, StoreTimestamp: m.StoreTimestamp})
			var m2 record.MessageExt
			if err := record.Decode(again, &m2); err != nil || m2.Topic != m.Topic || !bytes.Equal(m2.Body, m.Body) {
				t.Fatalf("written again: %+v, %v", m2, err)
			}
		}
		if !bytes.Equal(b, before) {
			t.Fatal("the input was changed")
		}
	})
}

// ParseDispatch takes what Decode takes, but for impossible ports, and sees the
// same message.
func FuzzParseDispatch(f *testing.F) {
	seeds(f)
	for _, p := range []string{"DELAY␁3␂TAGS␁x", "INNER_NUM␁3␂INNER_BASE␁7␂KEYS␁a b␂", "INNER_MULTI_DISPATCH␁%LMQ%a␂"} {
		m := hello(dots(p))
		m.Topic = record.TopicSchedule
		f.Add(encode(record.Encoder{}, m, record.Position{}))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		small(t, len(b), results, func() { _ = record.ParseDispatch(b, new(record.DispatchRequest), record.NewInterner(1)) })
		var req record.DispatchRequest
		var m record.MessageExt
		errReq, errMsg := record.ParseDispatch(b, &req, record.NewInterner(1)), record.Decode(b, &m)
		if errReq != nil {
			if errMsg == nil {
				t.Fatalf("only Decode takes it: %v", errReq)
			}
			return
		}
		if errMsg != nil {
			return
		}
		if req.Topic != m.Topic || req.QueueID != m.QueueID || req.QueueOffset != m.QueueOffset || req.PhysicalOffset != m.PhysicalOffset ||
			req.StoreTimestamp != m.StoreTimestamp || req.Size != m.StoreSize || req.SysFlag != m.SysFlag ||
			!bytes.Equal(req.Tags, m.Properties.Bytes(record.PropertyTags)) || !bytes.Equal(req.Keys, m.Properties.Bytes(record.PropertyKeys)) ||
			!bytes.Equal(req.UniqKey, m.Properties.Bytes(record.PropertyUniqKey)) {
			t.Fatalf("%+v\n%+v", req, m)
		}
	})
}

// Every reader of properties agrees with the others, and Set with Get.
func FuzzProperties(f *testing.F) {
	for _, p := range []string{"", "a␁1␂b␁␂c␂␁x␂d␁2␁3␂e␁5", "a␁1␂a␁2", "␁␁a␂", "__CRC32#␁1234567890␂", "\xff␁\xfe␂"} {
		f.Add([]byte(dots(p)), "a", "1")
	}
	f.Fuzz(func(t *testing.T, b []byte, name, value string) {
		p := record.Properties(b)
		small(t, len(b)+len(name)+len(value), results, func() {
			p.Get(name)
			other := p
			other.Set(name, value)
		})
		small(t, len(b), results+oneMap, func() {
			for range p.All() {
			}
		})
		var sorted []string
		for n, v := range p.All() {
			if n == "" || v == "" || strings.ContainsAny(n, "\x01\x02") || strings.Contains(v, "\x02") {
				t.Fatalf("impossible pair %q=%q", n, v)
			}
			if got, ok := p.Get(n); (!ok || got != v) && !strings.Contains(n, "�") {
				t.Fatalf("Get(%q) = %q, All %q", n, got, v)
			}
			sorted = append(sorted, n)
		}
		before := bytes.Clone(b)
		p.Set(name, value)
		if !bytes.Equal(b, before) {
			t.Fatal("Set changed its input")
		}
		got := p.Bytes(name)
		m := record.Message{Topic: "T", Properties: p}
		possible := name != "" && !strings.ContainsAny(name, "\x01\x02") && !strings.Contains(value, "\x02")
		switch {
		case value == "" || !possible:
			if got != nil {
				t.Fatalf("deleted or impossible %q reads %q", name, got)
			}
			if value != "" && (&record.Limits{}).Check(&m) == nil {
				t.Fatalf("impossible pair %q=%q passed", name, value)
			}
		case string(got) != value:
			t.Fatalf("set %q=%q, got %q", name, value, got)
		}
		if len(sorted) > 0 && record.Properties(b).Sorted() == "" {
			t.Fatal("Sorted lost everything")
		}
	})
}

func FuzzDecodeMessageID(f *testing.F) {
	f.Add("7F00000100002A9F0000000000001000")
	f.Add("20010DB80000000000000000000000020000FFFF7FFFFFFFFFFFFFFF")
	f.Add("7f0000010001ffff0000000000001000")
	f.Fuzz(func(t *testing.T, id string) {
		small(t, len(id), results, func() { _, _, _ = record.DecodeMessageID(id) })
		host, at, err := record.DecodeMessageID(id)
		if err != nil {
			return
		}
		again := record.EncodeMessageID(host, at)
		if host2, at2, err := record.DecodeMessageID(again); err != nil || host2 != host || at2 != at {
			t.Fatalf("%s: %s: %v %d %v", id, again, host2, at2, err)
		}
	})
}

func FuzzDecodeInnerBatch(f *testing.F) {
	f.Add(unhex(goldenBody))
	f.Add(unhex(goldenBody)[:40])
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, b []byte) {
		// The smallest of them have less than half of the bytes of the structs they
		// become, and a slice that grows is at most twice as long as it must be.
		structs := 2 * (len(b)/22 + 1) * int(unsafe.Sizeof(record.Message{}))
		small(t, len(b), results+structs, func() { _, _ = record.DecodeInnerBatch(b) })
		msgs, err := record.DecodeInnerBatch(b)
		if err != nil {
			if !errors.Is(err, record.ErrCorrupt) || msgs != nil {
				t.Fatalf("%v, %d messages", err, len(msgs))
			}
			return
		}
		again := record.EncodeInnerBatch(nil, msgs)
		if len(again) != len(b) {
			t.Fatalf("%d bytes became %d", len(b), len(again))
		}
	})
}
