package reader

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/actorstore/actorstore/commitlog"
	"github.com/actorstore/actorstore/commitlog/mapped"
	"github.com/actorstore/actorstore/commitlog/record"
	"github.com/actorstore/actorstore/consumequeue"
)

// field offsets of a record with IPv4 hosts
const (
	atSize, atMagic, atQueueID, atQueueOffset, atPhysical, atBody = 0, 4, 12, 20, 28, 88
)

// TestDamagedRecord: a bad record is reported with its place and with where to
// go on; messages on both sides of it are returned.
func TestDamagedRecord(t *testing.T) {
	u32 := func(v uint32) []byte { return binary.BigEndian.AppendUint32(nil, v) }
	u64 := func(v uint64) []byte { return binary.BigEndian.AppendUint64(nil, v) }
	for _, c := range []struct {
		name   string
		at     int64
		bytes  []byte
		viewOK bool // only a checksum shows it
	}{
		{"body", atBody + 3, []byte("#"), true},
		{"crc field", 8, u32(1), true},
		{"size too large", atSize, u32(1 << 30), false},
		{"size negative", atSize, u32(1 << 31), false},
		{"size 0", atSize, u32(0), false},
		{"magic", atMagic, u32(0x12345678), false},
		{"blank", atMagic, u32(record.MagicBlank), false},
		{"other queue", atQueueID, u32(1), false},
		{"other queue offset", atQueueOffset, u64(4), false},
		{"other physical offset", atPhysical, u64(77), false},
		{"body length", atBody - 4, u32(1 << 20), false},
		{"body length negative", atBody - 4, u32(1<<32 - 5), false},
		{"other topic", atBody + 24, []byte{1, 'U'}, false},
		{"zeros", 0, make([]byte, 100), false},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newStore(t, shape{})
			var at commitlog.Appended
			for i := range 10 {
				a := s.put(message("T", 0, fmt.Sprintf("message %016d", i)))
				if i == 5 {
					at = a
				}
			}
			s.patch(at.PhysicalOffset+c.at, c.bytes)
			g, err := s.get(GetRequest{Topic: "T", Offset: 2, MaxCount: 100})
			if err != nil || len(g.Messages) != 3 || g.NextOffset != 5 || !g.More || g.Status != Found {
				t.Fatalf("in front: %v, %d messages, %+v", err, len(g.Messages), g.Place)
			}
			g, err = s.get(GetRequest{Topic: "T", Offset: 5, MaxCount: 100})
			var ce *record.CorruptionError
			if !errors.As(err, &ce) || len(g.Messages) != 0 || g.NextOffset != 6 || !g.More {
				t.Fatalf("at it: %v, %d messages, %+v", err, len(g.Messages), g.Place)
			}
			if ce.Offset != at.PhysicalOffset || ce.Next != 6 || !strings.HasSuffix(ce.Path, mapped.Name(0)) || ce.Want == "" || ce.Got == "" {
				t.Errorf("the error is %+v", ce)
			}
			g, err = s.get(GetRequest{Topic: "T", Offset: g.NextOffset, MaxCount: 100})
			if err != nil || len(g.Messages) != 4 || g.NextOffset != 10 {
				t.Fatalf("behind: %v, %d messages, %+v", err, len(g.Messages), g.Place)
			}
			n := 0
			v, err := s.r.View(ctx, GetRequest{Topic: "T", Offset: 5, MaxCount: 100}, func(*record.MessageExt) error { n++; return nil })
			if c.viewOK != (err == nil) || c.viewOK != (n == 5) || v.Count != n {
				t.Errorf("View: %v, %d messages, %+v", err, n, v)
			}
			if !c.viewOK && v.NextOffset != 6 {
				t.Errorf("View goes on at %d", v.NextOffset)
			}
		})
	}
}

// TestSkipCRC: both options pass a damaged body.
func TestSkipCRC(t *testing.T) {
	s := newStore(t, shape{})
	at := s.put(message("T", 0, "body"))
	s.patch(at.PhysicalOffset+atBody, []byte("B"))
	if _, err := s.get(GetRequest{Topic: "T"}); !errors.Is(err, record.ErrCorrupt) {
		t.Errorf("checked: %v", err)
	}
	g, err := s.get(GetRequest{Topic: "T", SkipCRC: true})
	if err != nil || string(g.Messages[0].Body) != "Body" {
		t.Errorf("request: %v", err)
	}
	r := New(s.log.Reader(), s.queues, s.index, Options{SkipCRC: true})
	var h GetResult
	if err := r.Get(ctx, GetRequest{Topic: "T"}, &h); err != nil || string(h.Messages[0].Body) != "Body" {
		t.Errorf("option: %v", err)
	}
}

// TestBadUnits: units that point at nothing, inside a record, at another record.
func TestBadUnits(t *testing.T) {
	s := newStore(t, shape{segment: 4096})
	at := s.fill("T", 0, 60, 50)
	other := s.put(message("U", 0, "other"))
	base := consumequeue.Entry{PhysicalOffset: at[0].PhysicalOffset, Size: int32(at[0].Size), Num: 1}
	for i, e := range []consumequeue.Entry{
		{PhysicalOffset: s.log.Appended() - 10, Size: 100},
		{PhysicalOffset: s.log.Appended() + 1<<40, Size: 100},
		{PhysicalOffset: 1<<62 + 5, Size: 100},
		{PhysicalOffset: at[3].PhysicalOffset + 1, Size: int32(at[3].Size)},
		{PhysicalOffset: at[3].PhysicalOffset, Size: 1},
		{PhysicalOffset: at[3].PhysicalOffset, Size: 3},
		{PhysicalOffset: at[3].PhysicalOffset, Size: 1 << 30},
		{PhysicalOffset: at[3].PhysicalOffset, Size: int32(at[3].Size) + 1},
		{PhysicalOffset: at[3].PhysicalOffset, Size: 4000},
		{PhysicalOffset: other.PhysicalOffset, Size: int32(other.Size)},
		base,
	} {
		offset := int64(10 + i)
		e.QueueOffset, e.Num = offset, 1
		s.must(s.queues.Queue("T", 0).Rewrite(offset, e))
		g, err := s.get(GetRequest{Topic: "T", Offset: offset, MaxCount: 3})
		var ce *record.CorruptionError
		if !errors.As(err, &ce) || g.NextOffset != offset+1 || ce.Next != offset+1 || len(g.Messages) != 0 {
			t.Errorf("unit %+v: %v, %+v", e, err, g.Place)
		}
		if len(g.mem.chunks) > 0 && len(g.mem.chunks[0]) > 1<<20 {
			t.Errorf("unit %+v: %d bytes taken", e, len(g.mem.chunks[0]))
		}
	}
	// Every message that is not hit can still be read.
	n := 0
	for offset := int64(0); offset < 60; {
		g, err := s.get(GetRequest{Topic: "T", Offset: offset, MaxCount: 7})
		if err != nil && !errors.Is(err, record.ErrCorrupt) || g.NextOffset <= offset {
			t.Fatal(err, g.Place)
		}
		n, offset = n+len(g.Messages), g.NextOffset
	}
	if n != 60-11 {
		t.Errorf("%d messages", n)
	}
}

// TestFaults: a segment is cut while it is mapped. Readers get an error; messages
// in other segments are not touched by it.
func TestFaults(t *testing.T) {
	root := t.TempDir()
	s := newStore(t, shape{fs: mapped.OS(), root: root, segment: 1 << 16})
	at := s.fill("T", 0, 200, 1000)
	second := 0
	for at[second].PhysicalOffset < 1<<16 {
		second++
	}
	s.must(os.Truncate(root+"/commitlog/"+mapped.Name(1<<16), 0))
	g, err := s.get(GetRequest{Topic: "T", Offset: int64(second) - 2, MaxCount: 10})
	if err != nil || len(g.Messages) != 2 || g.NextOffset != int64(second) {
		t.Fatalf("in front: %v %+v", err, g.Place)
	}
	g, err = s.get(GetRequest{Topic: "T", Offset: int64(second), MaxCount: 10})
	var fault *mapped.FaultError
	if !errors.As(err, &fault) || fault.Offset >= 8 || g.NextOffset != int64(second)+1 || len(g.Messages) != 0 {
		t.Fatalf("at it: %v %+v", err, g.Place)
	}
	if _, err := s.r.Lookup(ctx, at[second].PhysicalOffset); !errors.As(err, &fault) {
		t.Errorf("Lookup: %v", err)
	}
	g, err = s.get(GetRequest{Topic: "T", Offset: 199})
	if err != nil || len(g.Messages) != 1 {
		t.Errorf("behind: %v %+v", err, g.Place)
	}
	// fn itself runs into it: the file is cut while the message is lent.
	s.must(os.Truncate(root+"/commitlog/"+mapped.Name(1<<16), 1<<16))
	calls := 0
	v, err := s.r.View(ctx, GetRequest{Topic: "T", Offset: 0, MaxCount: 10}, func(m *record.MessageExt) error {
		if calls++; calls == 2 {
			s.must(os.Truncate(root+"/commitlog/"+mapped.Name(0), 0))
		}
		touched.Add(touch(m))
		return nil
	})
	if !errors.As(err, &fault) || calls != 2 || v.Count != 1 || v.NextOffset != 2 {
		t.Errorf("View: %v, %d calls, %+v", err, calls, v)
	}
}
