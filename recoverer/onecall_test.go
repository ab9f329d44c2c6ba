package recoverer_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/actorstore/actorstore/commitlog/checkpoint"
	"github.com/actorstore/actorstore/commitlog/mapped"
	"github.com/actorstore/actorstore/commitlog/mapped/mappedtest"
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
}

func (s *store) puts(topic string, n int) {
	s.t.Helper()
	for i := range n {
		s.put(message(topic, 0, i, 80))
	}
}

func (s *store) must(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
}

// outcome recovers a store and tells all that it serves.
func outcome(t *testing.T, fsys mapped.FS, options ...option) string {
	t.Helper()
	s := open(t, fsys, options...)
	defer s.release()
	var out strings.Builder
	fmt.Fprintln(&out, s.report.Min, s.report.End, s.report.ReadOnly, s.report.IndexErr)
	for q := range s.queues.All() {
		if q.MaxOffset() == 0 {
			continue // as good as none
		}
		fmt.Fprintln(&out, q.Topic(), q.ID(), q.MinOffset(), s.read(q.Topic(), q.ID()), *s.report.Offsets.Next(q.Topic(), q.ID()))
		for i := range 40 {
			fmt.Fprint(&out, slices.DeleteFunc(s.hits(q.Topic(), fmt.Sprint("k", i)), s.damaged))
		}
	}
	return out.String()
}

// damaged tells a place where no record is: whether its key is still in the index
// is all one.
func (s *store) damaged(offset int64) bool {
	var err error
	sc := s.log.Reader().Scan(offset, s.report.End, record.CRCRecord)
	defer sc.Close()
	fault := mapped.Guard(func() { _, err = sc.Next() })
	return errors.Join(fault, err) != nil
}

// placesOf gives for each place in the code that calls the file system the number of
// its first call: a call that fails later from the same place fails no differently.
func placesOf(fsys mapped.FS, run func(mapped.FS)) []int {
	script := mappedtest.NewScript(fsys)
	seen, first := map[string]bool{}, []int(nil)
	script.Add(mappedtest.Rule{Forever: true, Before: func() {
		var pc [40]uintptr
		if at := fmt.Sprint(pc[:runtime.Callers(4, pc[:])]); !seen[at] {
			seen[at], first = true, append(first, script.Calls())
		}
	}})
	run(script)
	return first
}

// failed is the call that did; parts of a recovery come in any order, and with it
// their calls.
func failed(script *mappedtest.Script) (call mappedtest.Call) {
	for _, c := range script.Trace() {
		if errors.Is(c.Err, syscall.EIO) {
			call = c
		}
	}
	return call
}

// TestOneCallFails: whatever recovery has to mend, from each place one call of the
// file system fails once. Recovery fails then, with the file's name, or says that
// log or index is not to be written, or has done its work; the next one ends as if
// nothing had failed.
func TestOneCallFails(t *testing.T) {
	for _, m := range messes {
		t.Run(m.name, func(t *testing.T) {
			base := newFS()
			s := open(t, base, m.options...)
			m.make(s)
			s.kill()
			whole := base.Kill()
			first := outcome(t, whole, m.options...)
			want := outcome(t, whole, m.options...)
			calls := placesOf(base.Kill(), func(fsys mapped.FS) { open(t, fsys, m.options...).release() })
			for _, k := range calls {
				image := base.Kill()
				script := mappedtest.NewScript(image)
				script.FailAt(k, syscall.EIO)
				s, err := tryOpen(t, script, m.options...)
				call := failed(script)
				if err != nil && !strings.Contains(err.Error(), "/store") {
					t.Errorf("%v: the error names no file: %v", call, err)
				}
				if err == nil {
					s.release()
				}
				if err == nil && s.report.ReadOnly == nil && s.report.IndexErr == nil {
					if got := outcome(t, image.Kill(), m.options...); got != want {
						t.Errorf("%v: recovered, but\n%s\nwant\n%s", call, got, want)
					}
				}
				if got := outcome(t, image, m.options...); got != want && got != first {
					t.Errorf("%v: the next one ends as\n%s\nwant\n%s", call, got, want)
				}
			}
		})
	}
}
