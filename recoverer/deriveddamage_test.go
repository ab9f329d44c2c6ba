package recoverer_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/actorstore/actorstore/commitlog/mapped"
)

// TestQueueDamage: what is wrong with a queue is found and made right, with our
// summary where it shows, without it wherever it is.
func TestQueueDamage(t *testing.T) {
	file := func(i int) string { return s0.ConsumeQueue() + "/T/0/" + mapped.Name(int64(i*queueFileSize)) }
	for _, c := range []struct {
		name string
		do   func(s *store)
		full bool // only a full check finds it
	}{
		{"all gone", func(s *store) { remove(s.t, s.fs, s.layout.ConsumeQueue()) }, false},
		{"directory gone", func(s *store) { remove(s.t, s.fs, s.layout.ConsumeQueue()+"/T") }, false},
		{"first file gone", func(s *store) { remove(s.t, s.fs, file(0)) }, false},
		{"middle file gone", func(s *store) { remove(s.t, s.fs, file(2)) }, false},
		{"last file gone", func(s *store) { remove(s.t, s.fs, file(4)) }, false},
		{"last file zeroed", func(s *store) { overwrite(s.t, s.fs, file(4), 0, make([]byte, queueFileSize)) }, false},
		{"first file zeroed", func(s *store) { overwrite(s.t, s.fs, file(0), 0, make([]byte, queueFileSize)) }, true},
		{"middle file zeroed", func(s *store) { overwrite(s.t, s.fs, file(2), 0, make([]byte, queueFileSize)) }, true},
		{"unit zeroed", func(s *store) { overwrite(s.t, s.fs, file(1), 60, make([]byte, 20)) }, true},
		{"unit elsewhere", func(s *store) { overwrite(s.t, s.fs, file(1), 67, []byte{9}) }, true},
		{"size wrong", func(s *store) { overwrite(s.t, s.fs, file(1), 71, []byte{9}) }, true},
		{"tag wrong", func(s *store) { overwrite(s.t, s.fs, file(1), 79, []byte{9}) }, true},
		{"last unit elsewhere", func(s *store) { overwrite(s.t, s.fs, file(4), 87, []byte{9}) }, false},
		{"last unit another's", func(s *store) {
			overwrite(s.t, s.fs, file(4), 80, contents(s.t, s.fs, s0.ConsumeQueue()+"/U/0/"+mapped.Name(4*queueFileSize))[80:100])
		}, false},
		{"last unit zeroed", func(s *store) { overwrite(s.t, s.fs, file(4), 80, make([]byte, 20)) }, false},
		{"units behind the end", func(s *store) {
			overwrite(s.t, s.fs, file(4), 100, contents(s.t, s.fs, file(4))[:100])
		}, false},
		{"file of zeros behind", func(s *store) { create(s.t, s.fs, file(5), make([]byte, queueFileSize)) }, false},
		{"noise in the last file", func(s *store) { overwrite(s.t, s.fs, file(4), 0, []byte(strings.Repeat("noise", 40))) }, false},
		{"noise everywhere", func(s *store) {
			for i := range 5 {
				overwrite(s.t, s.fs, file(i), 0, []byte(strings.Repeat("noise", 40)))
			}
		}, false},
	} {
		for _, ours := range []bool{true, false} {
			for _, stop := range []func(*store){(*store).close, func(s *store) { s.summary(); s.mark(); s.kill() }} {
				t.Run(fmt.Sprint(c.name, " ours ", ours), func(t *testing.T) {
					if ours && c.full {
						t.Skip("not seen at a trusted start")
					}
					s := open(t, newFS())
					for i := range 45 {
						s.put(message("T", 0, i, 100))
						s.put(message("U", 0, i, 20))
					}
					stop(s)
					c.do(s)
					if !ours {
						remove(t, s.fs, s.layout.Ours())
					}
					for range 2 {
						s = open(t, s.fs)
						if got := s.read("T", 0); got != line(0, 45) {
							t.Errorf("T: %s\n%v", got, s.report.Findings)
						}
						if got := s.read("U", 0); got != line(0, 45) {
							t.Errorf("U: %s\n%v", got, s.report.Findings)
						}
						s.kill()
					}
				})
			}
		}
	}
}

// TestIndexDamage: an index that cannot be believed is made again.
func TestIndexDamage(t *testing.T) {
	files := func(s *store) []string {
		var out []string
		for path := range tree(s.t, s.fs, s.layout.Index()) {
			out = append(out, path)
		}
		slices.Sort(out)
		return out
	}
	for _, c := range []struct {
		name string
		do   func(s *store, files []string)
	}{
		{"all gone", func(s *store, files []string) { remove(s.t, s.fs, s.layout.Index()) }},
		{"last gone", func(s *store, files []string) { remove(s.t, s.fs, files[len(files)-1]) }},
		{"last short", func(s *store, files []string) { create(s.t, s.fs, files[len(files)-1], make([]byte, 10)) }},
		{"first short", func(s *store, files []string) { create(s.t, s.fs, files[0], make([]byte, 10)) }},
		{"header noise", func(s *store, files []string) {
			overwrite(s.t, s.fs, files[len(files)-1], 0, []byte(strings.Repeat("noise", 8)))
		}},
	} {
		for _, stop := range []func(*store){(*store).close, func(s *store) { s.summary(); s.mark(); s.kill() }} {
			t.Run(c.name, func(t *testing.T) {
				s := open(t, newFS())
				for i := range 90 {
					s.put(message("T", 0, i, 100))
				}
				stop(s)
				c.do(s, files(s))
				s = open(t, s.fs)
				for i := range 90 {
					if hits := s.hits("T", fmt.Sprintf("k%d", i)); len(hits) != 1 {
						t.Errorf("k%d is found at %v; %v", i, hits, s.report.Findings)
						break
					}
				}
			})
		}
	}
}
