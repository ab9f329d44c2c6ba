package recoverer_test

import (
	"encoding/binary"
	"errors"
	"path/filepath"

	"github.com/actorstore/actorstore/commitlog/checkpoint"
	"github.com/actorstore/actorstore/commitlog/mapped"
	"github.com/actorstore/actorstore/commitlog/record"
	"github.com/actorstore/actorstore/consumequeue"
)

// mess is a store that recovery has more to do with than with a torn end.
type mess struct {
	name    string
	make    func(s *store)
	options []option
}

var messes = []mess{
	{"topic deleted", func(s *store) {
		s.puts("T", 30)
		s.puts("U", 10)
		_, err := s.queues.Ensure("E", 0, consumequeue.Simple)
		s.must(err)
		s.summary()
		s.mark()
		deleted := checkpoint.DeletedTopics{"T": s.log.Appended(), "V": s.log.Appended() + 9999}
		s.must(checkpoint.WriteDeleted(s.fs, s.layout, deleted))
		s.puts("U", 3)
	}, nil},
	{"numbering began anew", func(s *store) {
		s.puts("T", 14)
		s.must(s.queues.DeleteTopic("T"))
		s.append.Offsets().Delete("T")
		s.puts("T", 6)
		remove(s.t, s.fs, s.layout.Ours())
	}, nil},
	{"and the queue is the old one", func(s *store) {
		s.puts("T", 14)
		s.append.Offsets().Delete("T")
		for i := range 6 {
			s.add(message("T", 0, i, 80))
		}
		s.flush()
		remove(s.t, s.fs, s.layout.Ours())
	}, nil},
	{"one number is wrong", func(s *store) {
		s.puts("T", 10)
		at := s.put(message("T", 0, 10, 80)).PhysicalOffset
		s.puts("T", 9)
		var b [8]byte
		binary.BigEndian.PutUint64(b[:], 17)
		overwrite(s.t, s.fs, s.segment(at), at%segmentSize+20, b[:])
		remove(s.t, s.fs, s.layout.Ours())
		remove(s.t, s.fs, s.layout.ConsumeQueue())
	}, []option{withoutCRC}},
	{"batch queue", func(s *store) {
		var at []int64
		for i := range 25 {
			at = append(at, s.put(innerBatch("B", i, 1+i%4)).PhysicalOffset)
		}
		dir, unit := s.layout.BatchConsumeQueue()+"/B/0/", int64(consumequeue.BatchUnitSize)
		overwrite(s.t, s.fs, dir+mapped.Name(0), 3*unit+34, []byte{9})
		overwrite(s.t, s.fs, dir+mapped.Name(10*unit), 5*unit+37, []byte{9})
		s.flip(at[19] + 100)
		remove(s.t, s.fs, s.layout.Ours())
	}, nil},
	{"light queues", func(s *store) {
		for i := range 20 {
			m := message("src", 0, i, 60)
			m.Properties.Set(record.PropertyMultiDispatch, "%LMQ%a,%LMQ%b")
			at := s.put(m)
			if i == 6 {
				defer s.flip(at.PhysicalOffset + 100)
			}
		}
		remove(s.t, s.fs, filepath.Join(s.layout.ConsumeQueue(), "%LMQ%a"))
	}, []option{multiDispatch}},
	{"ghosts", func(s *store) {
		s.puts("T", 12)
		for topic, from := range map[string]int64{"T": 12, "orphan": 0, "late": 7} {
			q, err := s.queues.Ensure(topic, 0, consumequeue.Simple)
			s.must(errors.Join(err, q.Append([]consumequeue.Entry{{QueueOffset: from, PhysicalOffset: s.log.Appended(), Size: 300}})))
		}
		s.must(s.index.Put([]record.DispatchRequest{{Topic: "T", PhysicalOffset: s.log.Appended() + 500, StoreTimestamp: s.now, Keys: []byte("ghost k1")}}))
	}, nil},
	{"damaged queues and index", func(s *store) {
		s.puts("T", 35)
		s.puts("U", 35)
		s.summary()
		s.mark()
		dir := s.layout.ConsumeQueue()
		overwrite(s.t, s.fs, dir+"/T/0/"+mapped.Name(queueFileSize), 45, []byte("noise"))
		remove(s.t, s.fs, dir+"/U/0/"+mapped.Name(queueFileSize))
		list, err := s.fs.ReadDir(s.layout.Index())
		s.must(err)
		overwrite(s.t, s.fs, s.layout.Index()+"/"+list[len(list)-1].Name(), 2, []byte{9})
		s.puts("T", 3)
	}, []option{checkQueues}},
	{"a segment is missing", func(s *store) {
		s.puts("T", 60)
		remove(s.t, s.fs, s.segment(segmentSize))
		remove(s.t, s.fs, s.layout.QueuesFile())
		create(s.t, s.fs, filepath.Join(s.layout.CommitLog(), mapped.Name(9*segmentSize)), nil)
	}, nil},
	{"the last number is wrong", func(s *store) {
		s.puts("T", 10)
		*s.append.Offsets().Next("T", 0) = 77
		s.add(message("T", 0, 10, 80))
		s.flush()
		remove(s.t, s.fs, s.layout.Ours())
	}, []option{withoutCRC}},
	{"front units are of another queue", func(s *store) {
		q, err := s.queues.Ensure("T", 0, consumequeue.Simple)
		s.must(err)
		for i := range int64(5) {
			at := s.put(message("U", 0, int(i), 80))
			s.must(q.Append([]consumequeue.Entry{{QueueOffset: i, PhysicalOffset: at.PhysicalOffset, Size: int32(at.Size)}}))
		}
		*s.append.Offsets().Next("T", 0) = 5
		s.puts("T", 9)
		remove(s.t, s.fs, s.layout.Ours())
	}, nil},
	{"a queue ends in front of the log", func(s *store) {
		s.puts("T", 60)
		remove(s.t, s.fs, s.segment(0))
		for i := range int64(5) {
			remove(s.t, s.fs, s.layout.ConsumeQueue()+"/T/0/"+mapped.Name((1+i)*queueFileSize))
		}
		remove(s.t, s.fs, s.layout.Ours())
	}, nil},
	{"deleted and begun anew", func(s *store) {
		s.puts("T", 14)
		deleted := checkpoint.DeletedTopics{"T": s.log.Appended()}
		s.puts("T", 9)
		s.must(checkpoint.WriteDeleted(s.fs, s.layout, deleted))
	}, nil},
}
