package fault_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/actorstore/actorstore"
	"github.com/actorstore/actorstore/commitlog/mapped"
	"github.com/actorstore/actorstore/commitlog/mapped/mappedtest"
	"github.com/actorstore/actorstore/commitlog/record"
	"github.com/actorstore/actorstore/flusher"
	"github.com/actorstore/actorstore/tests/fault"
)

func mappedOS() mapped.FS { return mapped.OS() }

var tctx = context.Background()

// statusOf is the status of a refusal.
func statusOf(err error) flusher.PutMessageStatus {
	var pe *actorstore.PutError
	if !errors.As(err, &pe) {
		return flusher.UnknownError
	}
	return pe.Status
}

// refused wants a put to be refused and the log to be as before.
func refused(t *testing.T, c *fault.Client, what string, want flusher.PutMessageStatus, send func() error) {
	t.Helper()
	before, _ := c.Store.State()
	err := send()
	after, _ := c.Store.State()
	if status := statusOf(err); err == nil || status != want {
		t.Errorf("%s: %v, want %v", what, err, want)
	}
	if before.Watermarks.Appended != after.Watermarks.Appended {
		t.Errorf("%s: refused, and written", what)
	}
}

// TestF50_PropertiesAtTheLimit: one limit for the properties, in single messages
// and for each member of a batch, with room for what the store adds.
func TestF50_PropertiesAtTheLimit(t *testing.T) {
	virtual(t, func(t *testing.T) {
		disk := mappedtest.NewFS()
		c := opened(t, disk, true, func(o *actorstore.Options) {
			o.MappedFileSizeCommitLog, o.MessageIndexEnable = 1<<20, false
		})
		const most = record.MaxProperties - record.CRCTrailer - 1
		for _, size := range []int{most - 1, most, most + 1, 32766, 32767, 32768, 65535, 65536, 70000} {
			m := actorstore.Message{Topic: "orders", Body: []byte("b"), Properties: actorstore.NewProperties("a", strings.Repeat("x", size-3))}
			if len(m.Properties) != size {
				t.Fatalf("%d bytes of properties", len(m.Properties))
			}
			small := actorstore.Message{Topic: "orders", Body: []byte("s")}
			forms := map[string]func() error{
				"single": func() error { _, err := put(t, c, &m); return err },
				"first":  func() error { return putBatch(c, m, small) },
				"last":   func() error { return putBatch(c, small, m) },
			}
			for name, send := range forms {
				what := fmt.Sprintf("%d bytes, %s", size, name)
				if size > most {
					refused(t, c, what, flusher.PropertiesSizeExceeded, send)
				} else if err := send(); err != nil {
					t.Errorf("%s: %v", what, err)
				}
			}
			if _, err := put(t, c, &small); err != nil {
				t.Errorf("the next put: %v", err)
			}
		}
		before := get(t, c, "orders", 0)
		closeClient(t, c)
		reopened(t, c, disk)
		after := get(t, c, "orders", 0)
		if len(after) != len(before) || len(after) != 2*5+9 {
			t.Fatalf("%d messages, before the restart %d", len(after), len(before))
		}
		for i := range after {
			if !bytes.Equal(after[i].Properties, before[i].Properties) || len(after[i].Properties) > most {
				t.Errorf("message %d: other properties after the restart", i)
			}
		}
		closeClient(t, c)
	})
}

func putBatch(c *fault.Client, ms ...actorstore.Message) error {
	p, err := c.Store.BeginBatch(ms)
	if err != nil {
		return err
	}
	_, err = p.Wait(tctx)
	return err
}

// TestF51_TopicNamesByBytes: one limit, counted in bytes; what passes it keeps its
// name over a restart, what does not leaves nothing behind.
func TestF51_TopicNamesByBytes(t *testing.T) {
	virtual(t, func(t *testing.T) {
		disk := mappedtest.NewFS()
		c := opened(t, disk, true, nil)
		good := []string{"t", strings.Repeat("t", 127), strings.Repeat("\u6d88", 42), "%RETRY%" + strings.Repeat("r", 120)}
		bad := []string{"", strings.Repeat("t", 128), strings.Repeat("t", 255), strings.Repeat("t", 256),
			strings.Repeat("\u6d88", 43), "%RETRY%" + strings.Repeat("r", 249)}
		for _, topic := range good {
			if _, err := put(t, c, &actorstore.Message{Topic: topic, Body: []byte(topic)}); err != nil {
				t.Errorf("%d bytes: %v", len(topic), err)
			}
		}
		for _, topic := range bad {
			refused(t, c, fmt.Sprint(len(topic), " bytes"), flusher.MessageIllegal, func() error {
				_, err := put(t, c, &actorstore.Message{Topic: topic, Body: []byte("b")})
				return err
			})
		}
		closeClient(t, c)
		reopened(t, c, disk)
		if n := len(c.Store.Topics()); n != len(good) {
			t.Errorf("%d topics, want %d", n, len(good))
		}
		for _, topic := range good {
			if got := get(t, c, topic, 0); len(got) != 1 || got[0].Topic != topic || string(got[0].Body) != topic {
				t.Errorf("%d bytes: %d messages after the restart", len(topic), len(got))
			}
			if err := c.Store.DeleteTopic(tctx, topic); err != nil {
				t.Errorf("delete of %d bytes: %v", len(topic), err)
			}
		}
		closeClient(t, c)
	})
}

// TestF52_RecordsThatJustFit: what fits a segment with its 8 bytes goes in, what
// never can is refused without a new segment, and recovery walks over each end.
func TestF52_RecordsThatJustFit(t *testing.T) {
	for _, sync := range []bool{true, false} {
		virtual(t, func(t *testing.T) {
			const segment = 4096
			disk := mappedtest.NewFS()
			c := opened(t, disk, sync, func(o *actorstore.Options) {
				o.MappedFileSizeCommitLog, o.MessageIndexEnable = segment, false
			})
			base, err := put(t, c, &actorstore.Message{Topic: "orders"})
			if err != nil {
				t.Fatal(err)
			}
			overhead := int(base.Size)
			sized := func(size int) *actorstore.Message {
				return &actorstore.Message{Topic: "orders", Body: bytes.Repeat([]byte{'x'}, size-overhead)}
			}
			rest := func() int {
				s, _ := c.Store.State()
				return segment - int(s.Watermarks.Appended%segment)
			}
			for _, less := range []int{8, 7, 9, 0} {
				room := rest()
				r, err := put(t, c, sized(room-less))
				if err != nil {
					t.Fatal(err)
				}
				if fits := less >= 8; fits != (r.PhysicalOffset%segment != 0) {
					t.Errorf("%d bytes less than the room: put at %d", less, r.PhysicalOffset)
				}
				if room = rest(); room < segment-overhead-8 && room > overhead+8 { // go on from a fresh place
					if _, err := put(t, c, sized(room-8)); err != nil {
						t.Fatal(err)
					}
				}
				if _, err := put(t, c, sized(overhead)); err != nil {
					t.Fatal(err)
				}
			}
			r, err := put(t, c, sized(segment-8))
			if err != nil || r.PhysicalOffset%segment != 0 {
				t.Errorf("a whole segment: at %d, %v", r.PhysicalOffset, err)
			}
			entries := func() int { list, _ := disk.ReadDir("/data/store/commitlog"); return len(list) }
			// The allocator makes the one unused segment behind the one in use.
			before := int(r.PhysicalOffset/segment) + 2
			for deadline := time.Now().Add(10 * time.Second); entries() != before && time.Now().Before(deadline); {
				time.Sleep(time.Millisecond)
			}
			for _, size := range []int{segment - 7, segment, 5000} {
				refused(t, c, fmt.Sprint(size, " bytes"), flusher.MessageIllegal, func() error { _, err := put(t, c, sized(size)); return err })
				half := *sized(size / 2)
				other := *sized(size - size/2)
				refused(t, c, fmt.Sprint(size, " bytes as a batch"), flusher.MessageIllegal, func() error { return putBatch(c, half, other) })
			}
			if n := entries(); n != before {
				t.Errorf("%d segments, before the refused puts %d", n, before)
			}
			a, b := *sized(2000), *sized(segment - 8 - 2000)
			if err := putBatch(c, a, b); err != nil {
				t.Errorf("a batch that fits just: %v", err)
			}
			want := get(t, c, "orders", 0)
			last := want[len(want)-2:]
			if last[0].PhysicalOffset%segment != 0 || last[1].PhysicalOffset != last[0].PhysicalOffset+2000 {
				t.Errorf("the batch is at %d and %d", last[0].PhysicalOffset, last[1].PhysicalOffset)
			}
			image := disk.Kill()
			closeClient(t, c)
			reopened(t, c, image)
			if got := get(t, c, "orders", 0); len(got) != len(want) {
				t.Errorf("%d messages after a kill, want %d", len(got), len(want))
			}
			closeClient(t, c)
		})
	}
}

// TestF57_NamesStayInside: no topic, wherever it is given, names a path outside
// the store, or one that breaks the next start.
func TestF57_NamesStayInside(t *testing.T) {
	parent := t.TempDir()
	c := fault.NewClient(mapped.OS(), filepath.Join(parent, "store"), true)
	c.Options.EnableLmq, c.Options.EnableMultiDispatch = true, true
	if !c.Open() {
		t.Fatal("does not open")
	}
	hostile := []string{"../../x", "../x", `..\..\x`, "/etc/x", "a/b", ".", "..", "", "a\x00b", "a\nb", strings.Repeat("n", 300), "\xff\xfe", "%LMQ%a/b", "%LMQ%../../x"}
	for _, name := range hostile {
		refused(t, c, fmt.Sprintf("topic %.20q", name), flusher.MessageIllegal, func() error {
			_, err := put(t, c, &actorstore.Message{Topic: name, Body: []byte("b")})
			return err
		})
		refused(t, c, fmt.Sprintf("batch of topic %.20q", name), flusher.MessageIllegal, func() error {
			return putBatch(c, actorstore.Message{Topic: name, Body: []byte("b")})
		})
		_ = c.Store.DeleteTopic(tctx, name) // of a topic that is not there
		if name == "" {
			continue // no light queue is no hostile one
		}
		m := actorstore.Message{Topic: "orders", Body: []byte("b"), Properties: actorstore.NewProperties("INNER_MULTI_DISPATCH", "%LMQ%"+name)}
		if _, err := put(t, c, &m); err == nil {
			if err := c.Store.Dispatched(tctx); err != nil {
				t.Errorf("light queue %.20q: %v", name, err)
			}
		}
	}
	for _, queue := range []int32{-1, -1 << 31} {
		refused(t, c, fmt.Sprint("queue ", queue), flusher.MessageIllegal, func() error {
			_, err := put(t, c, &actorstore.Message{Topic: "orders", QueueID: queue, Body: []byte("b")})
			return err
		})
	}
	if _, err := put(t, c, &actorstore.Message{Topic: "con", QueueID: 1<<31 - 1, Body: []byte("b")}); err != nil {
		t.Error(err)
	}
	if err := c.Store.Dispatched(tctx); err != nil {
		t.Error(err)
	}
	closeClient(t, c)
	if !c.Open() {
		t.Fatal("does not open again")
	}
	closeClient(t, c)
	entries, err := os.ReadDir(parent)
	if err != nil || len(entries) != 1 {
		t.Errorf("beside the store: %v %v", entries, err)
	}
	depths := map[string]int{"consumequeue": 3}
	_ = filepath.WalkDir(c.Options.StorePathRootDir, func(path string, e fs.DirEntry, err error) error {
		rel, _ := filepath.Rel(c.Options.StorePathRootDir, path)
		steps := strings.Split(rel, string(filepath.Separator))
		if most, is := depths[steps[0]]; is && len(steps)-1 > most {
			t.Errorf("a name became a path: %s", rel)
		}
		return err
	})
}
