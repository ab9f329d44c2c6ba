package recoverer_test

import (
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"github.com/actorstore/actorstore/commitlog/checkpoint"
	"github.com/actorstore/actorstore/commitlog/mapped"
	"github.com/actorstore/actorstore/commitlog/mapped/mappedtest"
	"github.com/actorstore/actorstore/commitlog/record"
	"github.com/actorstore/actorstore/recoverer"
)

// image builds the segments of a log by hand, as another engine may leave them.
type image struct {
	b    []byte
	now  int64
	next map[string]int64
}

func newImage(segments int) *image {
	return &image{b: make([]byte, segments*segmentSize), now: startTime, next: map[string]int64{}}
}

// encode gives the bytes of a message for a place.
func (im *image) encode(m *record.Message, at int64, queueOffset int64) []byte {
	enc := record.Encoder{}
	b := make([]byte, enc.Size(m))
	im.now++
	enc.Encode(b, m, record.Position{QueueOffset: queueOffset, PhysicalOffset: at, StoreTimestamp: im.now})
	return b
}

// add puts a message at an offset and returns its end. Queue offsets are dense.
func (im *image) add(at int64, m *record.Message) int64 {
	key := fmt.Sprintf("%s-%d", m.Topic, m.QueueID)
	b := im.encode(m, at, im.next[key])
	im.next[key]++
	return at + int64(copy(im.b[at:], b))
}

// fill adds messages of one queue up to where a segment would not hold one more,
// and closes it with a BLANK.
func (im *image) fill(segment int, topic string, body int) {
	at, end := int64(segment*segmentSize), int64((segment+1)*segmentSize)
	for {
		m := message(topic, 0, int(im.next[topic+"-0"]), body)
		if at+int64((&record.Encoder{}).Size(m))+record.BlankSize > end {
			break
		}
		at = im.add(at, m)
	}
	im.blank(at)
}

// blank closes the segment that holds at.
func (im *image) blank(at int64) {
	rest := segmentSize - at%segmentSize
	(&record.Encoder{}).EncodeBlank(im.b[at:at+record.BlankSize], rest)
}

// store writes the segments into a file system.
func (im *image) store(t testing.TB) *mappedtest.FS {
	fsys := newFS()
	layout := checkpoint.NewLayout("/store", "")
	for at := 0; at < len(im.b); at += segmentSize {
		create(t, fsys, layout.CommitLog()+"/"+mapped.Name(int64(at)), im.b[at:at+segmentSize])
	}
	return fsys
}

// recordA is the message of 168 bytes.
func recordA(im *image, at int64) int64 {
	m := &record.Message{Topic: "TopicTest", QueueID: 3, BornTimestamp: startTime, Body: []byte("hello")}
	m.Properties = record.NewProperties("TAGS", "TagA", "KEYS", "k1 k2", "UNIQ_KEY", "AC11000100002A9F0000000000000001")
	return im.add(at, m)
}

func TestVectors(t *testing.T) {
	for _, c := range []struct {
		name     string
		segments int
		make     func(*image)
		end      int64
		cut      int64
		files    int // segments afterwards
	}{
		{name: "empty directory"},
		{name: "one file of zeros", segments: 1, files: 1},
		{name: "one record", segments: 1, make: func(im *image) { recordA(im, 0) }, end: 168, files: 1},
		{name: "a size without a magic", segments: 1, make: func(im *image) {
			binary.BigEndian.PutUint32(im.b[recordA(im, 0):], 200)
		}, end: 168, cut: 4, files: 1},
		{name: "BLANK, then an unused file", segments: 2, make: func(im *image) { im.blank(recordA(im, 0)) }, end: segmentSize, files: 2},
		// RocketMQ does not count the BLANK and puts the next record in its place.
		{name: "BLANK at the end of the last file", segments: 1, make: func(im *image) { im.blank(recordA(im, 0)) }, end: segmentSize, files: 1},
		{name: "body damaged", segments: 1, make: func(im *image) { recordA(im, 0); im.b[90] ^= 1 }, end: 0, cut: 168, files: 1},
		{name: "size too large by one", segments: 1, make: func(im *image) { recordA(im, 0); im.b[3]++; im.b[168] = 7 }, end: 0, cut: 169, files: 1},
		{name: "several unused files", segments: 4, make: func(im *image) { recordA(im, 0) }, end: 168, files: 2},
		{name: "bytes in an unused file", segments: 3, make: func(im *image) { recordA(im, 0); im.b[segmentSize+100] = 1 }, end: 168, cut: 101, files: 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			im := newImage(c.segments)
			if c.make != nil {
				c.make(im)
			}
			s := open(t, im.store(t))
			if s.report.End != c.end || s.report.Cut != c.cut {
				t.Errorf("end %d, cut %d, want %d and %d", s.report.End, s.report.Cut, c.end, c.cut)
			}
			if (c.cut > 0) != (len(s.report.Aside) > 0) {
				t.Errorf("kept aside: %v", s.report.Aside)
			}
			if n := len(s.log.Segments()); n != c.files {
				t.Errorf("%d segments, want %d", n, c.files)
			}
			checkZeros(t, s)
			at := s.put(message("T", 0, 0, 100))
			if at.PhysicalOffset < c.end {
				t.Errorf("next put at %d", at.PhysicalOffset)
			}
			s.kill()
			s = open(t, s.fs)
			if got := s.read("T", 0); got != "0:a" {
				t.Errorf("after another restart: %s", got)
			}
		})
	}
}

// checkZeros wants nothing behind the end of the log.
func checkZeros(t testing.TB, s *store) {
	t.Helper()
	for _, f := range s.log.Segments() {
		b := contents(t, s.fs, f.Path())
		for i := max(s.report.End-f.Offset(), 0); i < int64(len(b)); i++ {
			if b[i] != 0 {
				t.Errorf("%s: byte %d behind the end is not zero", f.Path(), i)
				return
			}
		}
	}
}

// sixteen is a log of 16 segments of which nothing else is left.
func sixteen(t testing.TB) (fsys *mappedtest.FS, messages int) {
	im := newImage(16)
	for i := range 16 {
		im.fill(i, "T", 200)
	}
	return im.store(t), int(im.next["T-0"])
}

// TestWholeRebuild: RocketMQ looks at ten segments at most, and after an unclean
// stop only at those from the checkpoint's offset on.
func TestWholeRebuild(t *testing.T) {
	abort := func(t *testing.T, fsys mapped.FS) {
		if err := checkpoint.CreateAbort(fsys, checkpoint.NewLayout("/store", ""), 1); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		name string
		make func(*testing.T, mapped.FS)
	}{
		{"clean", func(*testing.T, mapped.FS) {}},
		{"unclean, no checkpoint", abort},
		{"unclean, checkpoint in the last file", func(t *testing.T, fsys mapped.FS) {
			abort(t, fsys)
			c := checkpoint.Checkpoint{PhysicMsgTimestamp: startTime + 1<<20, LogicsMsgTimestamp: startTime + 1<<20,
				IndexMsgTimestamp: startTime + 1<<20, LogicsPhysicalOffset: 15 * segmentSize}
			if err := checkpoint.WriteCheckpoint(fsys, "/store/checkpoint", c); err != nil {
				t.Fatal(err)
			}
		}},
	} {
		for _, opt := range []option{parallel, withoutCRC} {
			t.Run(c.name, func(t *testing.T) {
				fsys, n := sixteen(t)
				c.make(t, fsys)
				s := open(t, fsys, opt)
				if got := s.read("T", 0); got != line(0, n) {
					t.Errorf("read %s", got)
				}
				for i := range n {
					if hits := s.hits("T", fmt.Sprintf("k%d", i)); len(hits) != 1 {
						t.Errorf("k%d found at %v", i, hits)
					}
				}
				if got := *s.report.Offsets.Next("T", 0); got != int64(n) {
					t.Errorf("next offset %d, want %d", got, n)
				}
				for _, f := range s.report.Findings {
					t.Errorf("finding: %s", f)
				}
			})
		}
	}
}

func TestDelayThatIsNoNumber(t *testing.T) {
	im := newImage(1)
	at := im.add(0, message("T", 0, 0, 10))
	m := message(record.TopicSchedule, 2, 0, 10)
	m.Properties.Set(record.PropertyDelay, "abc")
	at = im.add(at, m)
	end := im.add(at, message("T", 0, 1, 10))
	s := open(t, im.store(t))
	if s.report.End != end || s.read("T", 0) != line(0, 2) || s.read(record.TopicSchedule, 2) != "0:a" {
		t.Errorf("end %d of %d, T %s, delayed %s", s.report.End, end, s.read("T", 0), s.read(record.TopicSchedule, 2))
	}
}

// TestHostileNames: names in records never become paths.
func TestHostileNames(t *testing.T) {
	for _, name := range []string{"../../x", "..\\x", "/etc/x", "a/b", ".", "..", "", "a\x00b", "a\nb", strings.Repeat("x", 300)} {
		t.Run(fmt.Sprintf("%q", name[:min(len(name), 10)]), func(t *testing.T) {
			im := newImage(1)
			at := im.add(0, message("T", 0, 0, 10))
			// The encoder has no opinion about names.
			bad := im.encode(&record.Message{Topic: name, BornTimestamp: startTime, Body: []byte("x")}, at, 0)
			at += int64(copy(im.b[at:], bad))
			light := message("T", 0, 1, 10)
			light.Properties.Set(record.PropertyMultiDispatch, "%LMQ%a/b,%LMQ%ok,../y")
			light.Properties.Set(record.PropertyMultiOffset, "0,0,0")
			im.add(at, light)
			s := open(t, im.store(t), multiDispatch)
			if got := s.queuesOf(); got != "%LMQ%ok-0[0,1) T-0[0,2)" {
				t.Errorf("queues %s", got)
			}
			if s.report.Isolated == 0 || len(s.report.Findings) == 0 {
				t.Error("nothing was reported")
			}
			for path := range tree(t, s.fs, "/") {
				if !strings.HasPrefix(path, "/store/") {
					t.Errorf("%s was made outside of the store", path)
				}
			}
			s.kill()
			s = open(t, s.fs, multiDispatch)
			if got := s.queuesOf(); got != "%LMQ%ok-0[0,1) T-0[0,2)" {
				t.Errorf("queues after a restart %s", got)
			}
			found := verify(t, s, multiDispatch)
			if len(found) != 1 || found[0].Where != recoverer.CommitLog || found[0].Want != "a topic that can be a directory" {
				t.Errorf("verify: %v", found)
			}
		})
	}
}
