package reader

import (
	"errors"
	"fmt"
	"io"
	"net/netip"
	"strings"
	"testing"

	"github.com/actorstore/actorstore/commitlog"
	"github.com/actorstore/actorstore/commitlog/commitlogtest"
	"github.com/actorstore/actorstore/commitlog/mapped"
	"github.com/actorstore/actorstore/commitlog/mapped/mappedtest"
	"github.com/actorstore/actorstore/commitlog/record"
	"github.com/actorstore/actorstore/consumequeue"
	"github.com/actorstore/actorstore/indexsvc"
)

var storeHost = netip.MustParseAddrPort("10.1.2.3:10911")

// store is a small real store: log, queues and index, dispatched by hand.
type store struct {
	t        testing.TB
	fs       mapped.FS
	root     string
	log      *commitlog.Log
	app      *commitlog.Appender
	queues   *consumequeue.Store
	index    *indexsvc.Service
	r        *Reader
	topics   *record.Interner
	advanced func(topic string, id int32, max int64)
	now      int64
}

type shape struct {
	fs        mapped.FS
	root      string
	segment   int64
	queueFile int64
	indexKeys int
	reader    Options
}

func newStore(t testing.TB, s shape) *store {
	t.Helper()
	if s.fs == nil {
		s.fs, s.root = mappedtest.NewFS(), "/store"
	}
	setInt64(&s.segment, 64<<10)
	setInt64(&s.queueFile, 400)
	if s.indexKeys == 0 {
		s.indexKeys = 400
	}
	st := &store{t: t, fs: s.fs, root: s.root, topics: record.NewInterner(100), now: 1_700_000_000_000}
	var err error
	st.log = commitlogtest.Open(t, commitlog.Options{
		FS: s.fs, Dir: s.root + "/commitlog", TmpDir: s.root + "/tmp", SegmentSize: s.segment,
		Encoder: record.Encoder{Host: storeHost}, EnableLmq: true,
	}, 0, 0)
	st.app = st.log.Appender(st.log.Allocator(), commitlog.NewOffsetTable())
	st.queues, err = consumequeue.Open(consumequeue.Options{
		FS: s.fs, Dir: s.root + "/consumequeue", BatchDir: s.root + "/batchconsumequeue", TmpDir: s.root + "/tmp",
		FileSize: s.queueFile, BatchFileSize: 460,
	})
	st.must(err)
	st.index, err = indexsvc.Open(indexsvc.Options{
		FS: s.fs, Dir: s.root + "/index", TmpDir: s.root + "/tmp", MaxHashSlotNum: 97, MaxIndexNum: s.indexKeys,
	})
	st.must(err)
	st.r = New(st.log.Reader(), st.queues, st.index, s.reader)
	t.Cleanup(func() {
		st.queues.Close()
		st.index.Close()
	})
	return st
}

func setInt64(v *int64, d int64) {
	if *v == 0 {
		*v = d
	}
}

func (s *store) must(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
}

// message makes a message whose body tells where it belongs.
func message(topic string, id int32, body string) *record.Message {
	return &record.Message{Topic: topic, QueueID: id, Body: []byte(body)}
}

// put appends one message at the store's clock, which goes on by 1 ms, and
// dispatches it.
func (s *store) put(m *record.Message) commitlog.Appended {
	s.t.Helper()
	s.now++
	return s.putAt(m, s.now)
}

func (s *store) putAt(m *record.Message, ms int64) commitlog.Appended {
	s.t.Helper()
	at := s.appendAt(m, ms)
	s.dispatch()
	return at
}

func (s *store) appendAt(m *record.Message, ms int64) commitlog.Appended {
	s.t.Helper()
	return commitlogtest.Put(s.t, s.log, s.app, m, ms)
}

// dispatch brings queues and index up to confirm.
func (s *store) dispatch() {
	s.t.Helper()
	scan := s.log.Reader().Scan(s.log.Dispatched(), s.log.Confirm(), record.CRCNone)
	defer scan.Close()
	for {
		var req record.DispatchRequest
		var err error
		fault := mapped.Guard(func() {
			var e commitlog.Entry
			if e, err = scan.Next(); err == nil && e.Kind == record.KindRecord {
				if err = record.ParseDispatch(e.Bytes, &req, s.topics); err == nil {
					err = s.index.Put([]record.DispatchRequest{req})
				}
				req.MultiDispatch = append([]byte(nil), req.MultiDispatch...)
				req.MultiOffset = append([]byte(nil), req.MultiOffset...)
			}
		})
		if err == io.EOF {
			return
		}
		s.must(errors.Join(fault, err))
		if req.Size > 0 {
			s.units(&req)
		}
		s.log.SetDispatched(scan.Pos())
	}
}

func (s *store) units(req *record.DispatchRequest) {
	s.t.Helper()
	req.Units(true, s.topics, func(u record.QueueUnit) {
		kind := consumequeue.Simple
		if u.Inner {
			kind = consumequeue.Batch
		}
		offset, num := u.At(kind == consumequeue.Batch)
		s.unit(u.Topic, u.QueueID, kind, consumequeue.Entry{QueueOffset: offset, PhysicalOffset: req.PhysicalOffset, Size: req.Size,
			TagsCode: req.TagsCode, StoreTimestamp: req.StoreTimestamp, Num: num})
	})
}

func (s *store) unit(topic string, id int32, kind consumequeue.Kind, e consumequeue.Entry) {
	s.t.Helper()
	q, err := s.queues.Ensure(topic, id, kind)
	s.must(err)
	s.must(q.Append([]consumequeue.Entry{e}))
	if s.advanced != nil {
		s.advanced(topic, id, q.MaxOffset())
	}
}

// expire lets retention take every segment below the one that holds offset.
func (s *store) expire(offset int64) {
	s.t.Helper()
	s.must(s.log.Syncer().Flush())
	_, err := s.log.ExpireBelow(offset)
	s.must(err)
}

// fill puts n messages of about size bytes and tells where they are.
func (s *store) fill(topic string, id int32, n, size int) []commitlog.Appended {
	s.t.Helper()
	at := make([]commitlog.Appended, n)
	for i := range at {
		body := fmt.Sprintf("%s-%d-%06d", topic, id, i)
		at[i] = s.put(message(topic, id, body+strings.Repeat(".", max(size-len(body), 0))))
	}
	return at
}

// patch changes bytes of the log behind the store's back.
func (s *store) patch(offset int64, b []byte) {
	s.t.Helper()
	commitlogtest.Write(s.t, s.log, offset, b)
}

// bodies are what a result says, cut at the filling.
func bodies(ms []record.MessageExt) []string {
	var out []string
	for i := range ms {
		b, _, _ := strings.Cut(string(ms[i].Body), ".")
		out = append(out, b)
	}
	return out
}
