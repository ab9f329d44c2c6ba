package commitlog_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"path/filepath"
	"testing"

	"github.com/actorstore/actorstore/commitlog"
	"github.com/actorstore/actorstore/commitlog/commitlogtest"
	"github.com/actorstore/actorstore/commitlog/mapped"
	"github.com/actorstore/actorstore/commitlog/mapped/mappedtest"
	"github.com/actorstore/actorstore/commitlog/record"
)

const (
	segment = 4096 // bytes, in most tests
	now     = 1_700_000_000_000
)

var host = netip.MustParseAddrPort("10.0.0.1:10911")

// bed is a log with its three handles.
type bed struct {
	testing.TB
	fs    mapped.FS
	root  string
	log   *commitlog.Log
	alloc *commitlog.Allocator
	out   *commitlog.Appender
	disk  *commitlog.Syncer
}

type setting func(*commitlog.Options)

func staged(o *commitlog.Options)   { o.Staged = true }
func readOnly(o *commitlog.Options) { o.ReadOnly = true }
func light(o *commitlog.Options)    { o.EnableLmq = true }
func sized(n int64) setting         { return func(o *commitlog.Options) { o.SegmentSize = n } }
func withCRC(o *commitlog.Options)  { o.Encoder.AppendPropCRC = true }

func options(fs mapped.FS, root string, settings ...setting) commitlog.Options {
	o := commitlog.Options{
		FS: fs, Dir: filepath.Join(root, "commitlog"), TmpDir: filepath.Join(root, "actorstore", "tmp"),
		AsideDir: filepath.Join(root, "actorstore", "aside"), SegmentSize: segment,
		Encoder: record.Encoder{Host: host},
	}
	for _, s := range settings {
		s(&o)
	}
	return o
}

// begin makes an empty log.
func begin(t testing.TB, fs mapped.FS, root string, settings ...setting) *bed {
	t.Helper()
	return open(t, fs, root, 0, 0, settings...)
}

// open opens a log that is known to hold [min, end).
func open(t testing.TB, fs mapped.FS, root string, min, end int64, settings ...setting) *bed {
	t.Helper()
	log := commitlogtest.Open(t, options(fs, root, settings...), min, end)
	b := &bed{TB: t, fs: fs, root: root, log: log, alloc: log.Allocator(), disk: log.Syncer()}
	b.out = log.Appender(b.alloc, commitlog.NewOffsetTable())
	return b
}

// modes runs a test for both ways of writing, in memory and on the machine.
func modes(t *testing.T, run func(t *testing.T, fs mapped.FS, root string, s setting)) {
	for _, mode := range []struct {
		name string
		set  setting
	}{{"staged", staged}, {"mapped", func(*commitlog.Options) {}}} {
		t.Run(mode.name+"/memory", func(t *testing.T) { run(t, mappedtest.NewFS(), "/store", mode.set) })
		t.Run(mode.name+"/machine", func(t *testing.T) { run(t, mapped.OS(), t.TempDir(), mode.set) })
	}
}

// guarded runs fn where mapped memory may be touched.
func guarded(t testing.TB, fn func()) {
	t.Helper()
	noErr(t, mapped.Guard(fn))
}

func (b *bed) append(m *record.Message) (at commitlog.Appended, err error) {
	b.Helper()
	guarded(b, func() { at, err = b.out.Append(m, now) })
	return at, err
}

func (b *bed) appendBatch(ms []record.Message) (at commitlog.Appended, err error) {
	b.Helper()
	guarded(b, func() { at, err = b.out.AppendBatch(ms, now) })
	return at, err
}

// put appends a message that must be taken.
func (b *bed) put(m *record.Message) commitlog.Appended {
	b.Helper()
	at, err := b.append(m)
	noErr(b, err)
	return at
}

func (b *bed) publish() {
	b.Helper()
	noErr(b, b.tryPublish())
}

func (b *bed) tryPublish() (err error) {
	b.Helper()
	guarded(b, func() { err = b.out.Publish() })
	return err
}

// fill puts n messages of a size into queue 0 of topic "t" and publishes each.
func (b *bed) fill(n, size int) {
	b.Helper()
	for range n {
		b.put(message("t", 0, size))
		b.publish()
	}
}

// message is one whose record has the given size.
func message(topic string, queueID int32, size int) *record.Message {
	m := &record.Message{Topic: topic, QueueID: queueID, BornTimestamp: now - 1}
	enc := record.Encoder{Host: host}
	n := size - enc.Size(m)
	if n < 0 {
		panic(fmt.Sprintf("no record of %d bytes", size))
	}
	m.Body = bytes.Repeat([]byte{'a' + byte(queueID)}, n)
	return m
}

// item is what stands in a log, with copies of the bytes.
type item struct {
	offset  int64
	size    int
	kind    record.Kind
	message record.MessageExt
	raw     []byte
}

// items reads [from, to) of a log, which must be sound.
func items(t testing.TB, log *commitlog.Log, from, to int64) []item {
	t.Helper()
	list, err := scan(t, log, from, to)
	if err != io.EOF {
		t.Fatalf("scan of [%d, %d) ended with %v", from, to, err)
	}
	return list
}

// scan reads up to the first error.
func scan(t testing.TB, log *commitlog.Log, from, to int64) (list []item, err error) {
	t.Helper()
	s := log.Reader().Scan(from, to, record.CRCRecord)
	defer s.Close()
	guarded(t, func() {
		for {
			var e commitlog.Entry
			if e, err = s.Next(); err != nil {
				return
			}
			i := item{offset: e.Offset, size: e.Size, kind: e.Kind, raw: bytes.Clone(e.Bytes)}
			if e.Kind == record.KindRecord {
				if err = record.Decode(i.raw, &i.message); err != nil {
					return
				}
			}
			list = append(list, i)
		}
	})
	return list, err
}

// records leaves the BLANKs out.
func records(list []item) []item {
	var out []item
	for _, i := range list {
		if i.kind == record.KindRecord {
			out = append(out, i)
		}
	}
	return out
}

// damage changes bytes of a log behind its back.
func (b *bed) damage(offset int64, change func(p []byte), n int) {
	b.Helper()
	for _, f := range b.log.Segments() {
		if offset >= f.Offset() && offset < f.End() {
			p := make([]byte, n)
			_, err := f.File().ReadAt(p, offset-f.Offset())
			noErr(b, err)
			change(p)
			_, err = f.File().WriteAt(p, offset-f.Offset())
			noErr(b, err)
			return
		}
	}
	b.Fatalf("no segment holds %d", offset)
}

func flip(p []byte) {
	for i := range p {
		p[i] ^= 0xFF
	}
}

// marks are the watermarks in the order of I1.
func marks(l *commitlog.Log) [5]int64 {
	return [5]int64{l.Min(), l.Dispatched(), l.Confirm(), l.Flushed(), l.Appended()}
}

// offsets lists where the segments begin.
func offsets(l *commitlog.Log) []int64 {
	list := []int64{}
	for _, f := range l.Segments() {
		list = append(list, f.Offset())
	}
	return list
}

// What the tests of several rooms say alike.
var (
	noErr   = commitlogtest.NoErr
	wantErr = commitlogtest.WantErr
	same    = commitlogtest.Same
)

func equal[T comparable](t testing.TB, what string, got, want T) {
	t.Helper()
	commitlogtest.Equal(t, what, got, want)
}

// messages are n for queue 0 of "t", each with a record of the size.
func messages(n, size int) []record.Message {
	var ms []record.Message
	for range n {
		ms = append(ms, *message("t", 0, size))
	}
	return ms
}

func wantMissing(t testing.TB, err error, offset int64, size int, low, end int64) {
	t.Helper()
	var got *commitlog.MissingError
	if want := (commitlog.MissingError{Offset: offset, Size: size, Min: low, End: end}); !errors.As(err, &got) || *got != want {
		t.Fatalf("got error %v, want %v", err, &want)
	}
}
