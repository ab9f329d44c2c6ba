package recoverer_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/actorstore/actorstore/commitlog/mapped"
	"github.com/actorstore/actorstore/commitlog/mapped/mappedtest"
	"github.com/actorstore/actorstore/commitlog/record"
	"github.com/actorstore/actorstore/recoverer"
)

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
			fmt.Fprint(&out, slices.DeleteFunc(s.hits(q.Topic(), fmt.Sprint("k", i)), func(at int64) bool {
				return at < s.input.Deleted[q.Topic()] || s.damaged(at)
			}))
		}
	}
	return out.String()
}

// damaged tells a place where no record is: whether its key is still in the index
// is all one, as with that of a deleted topic.
func (s *store) damaged(offset int64) bool {
	var err error
	sc := s.log.Reader().Scan(offset, s.report.End, record.CRCRecord)
	defer sc.Close()
	fault := mapped.Guard(func() { _, err = sc.Next() })
	return errors.Join(fault, err) != nil
}

// TestOneCallFails: whatever recovery has to mend, from each place one call of the
// file system fails once. Recovery fails then, with the file's name, or says that
// log or index is not to be written, or has done its work; the next one ends as if
// nothing had failed.
func TestOneCallFails(t *testing.T) { bothWays(t, oneCallFails) }

// bothWays runs a test as recovery goes over a small store, and as over a large one.
func bothWays(t *testing.T, test func(t *testing.T)) {
	test(t)
	t.Run("in small steps, the index apart", func(t *testing.T) {
		defer recoverer.ShortSteps(3, 700, 1500)()
		defer recoverer.IndexApart()()
		test(t)
	})
}

func oneCallFails(t *testing.T) {
	for _, m := range messes {
		t.Run(m.name, func(t *testing.T) {
			base := newFS()
			s := open(t, base, m.options...)
			m.make(s)
			s.kill()
			whole := base.Kill()
			first := outcome(t, whole, m.options...)
			want := outcome(t, whole, m.options...)
			for image, script := range mappedtest.EachPlace(base, stride(1), syscall.EIO) {
				s, err := tryOpen(t, script, m.options...)
				call, _ := script.Failed()
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
