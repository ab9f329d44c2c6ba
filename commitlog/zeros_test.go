package commitlog_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/actorstore/actorstore/commitlog"
	"github.com/actorstore/actorstore/commitlog/mapped"
	"github.com/actorstore/actorstore/commitlog/mapped/mappedtest"
	"github.com/actorstore/actorstore/commitlog/record"
)

const mega = 1 << 20

func ahead(n int64) setting {
	return func(o *commitlog.Options) { o.Staged, o.ZeroAhead, o.SegmentSize = true, n, 4*mega }
}

// touched are the writes to segments and their syncs, in MiB.
func touched(s *mappedtest.Script, from int) (list []string) {
	for _, c := range s.Trace() {
		_, name, in := strings.Cut(c.Path, "/commitlog/000000000000")
		switch {
		case c.N <= from || !in:
		case c.Op == mappedtest.OpWrite:
			list = append(list, fmt.Sprintf("%s[%g,%g)", name, float64(c.Off)/mega, float64(c.Off+c.Len)/mega))
		case c.Op == mappedtest.OpDatasync:
			list = append(list, "sync")
		}
	}
	return list
}

// Zeros go in front of what the writer has claimed, a step at a time, each
// synced, into the next segment too, and no further than asked.
func TestZerosAhead(t *testing.T) {
	s := mappedtest.NewScript(mappedtest.NewFS())
	b := begin(t, s, "/store", ahead(2*mega))
	clock := time.Unix(0, 0)
	zero := func(want ...string) {
		t.Helper()
		clock = clock.Add(time.Second)
		from := s.Calls()
		noErr(t, b.alloc.Zero(clock))
		same(t, fmt.Sprintf("zeros ahead of %d", b.log.Appended()), touched(s, from), want)
	}
	zero() // there is no segment yet
	b.fill(1, 1000)
	zero("00000000[1,2)", "sync", "00000000[2,3)", "sync")
	zero()
	b.fill(3, mega/2)
	zero("00000000[3,4)", "sync") // the next segment is not there
	_, err := b.alloc.Prepare()
	noErr(t, err)
	zero()
	b.fill(3, mega/2)
	zero("04194304[0,1)", "sync", "04194304[1,2)", "sync")
	b.fill(11, mega) // past all zeros: the writer does not wait for them
	end := b.log.Appended()
	same(t, "segments", offsets(b.log), []int64{0, 4 * mega, 8 * mega, 12 * mega, 16 * mega})
	equal(t, "end", end, 16*mega+2*mega)
	zero("16777216[2,3)", "sync", "16777216[3,4)", "sync")
	equal(t, "records", len(records(items(t, b.log, 0, end))), 18)
}

// The disk is asked for no more than 100 MiB of zeros a second, and for no more
// than the window at once.
func TestZerosRate(t *testing.T) {
	s := mappedtest.NewScript(mappedtest.NewFS())
	b := begin(t, s, "/store", ahead(3*mega))
	b.fill(1, 1000)
	clock := time.Unix(0, 0)
	for _, step := range []struct {
		fill  int
		after time.Duration
		want  int // steps of zeros
	}{{0, 0, 3}, {2, 5 * time.Millisecond, 0}, {0, 5 * time.Millisecond, 0}, {1, 10 * time.Millisecond, 0}} {
		b.fill(step.fill, mega/2)
		clock = clock.Add(step.after)
		from := s.Count(mappedtest.OpWrite)
		noErr(t, b.alloc.Zero(clock))
		equal(t, fmt.Sprintf("steps after %v", step.after), s.Count(mappedtest.OpWrite)-from, step.want)
	}
	_, err := b.alloc.Prepare()
	noErr(t, err)
	b.fill(1, mega/2)
	from := s.Count(mappedtest.OpWrite)
	noErr(t, b.alloc.Zero(clock.Add(time.Nanosecond)))
	equal(t, "steps that were saved up", s.Count(mappedtest.OpWrite)-from, 2) // of 20 ms
}

// Zeros that cannot be written cost a gain and nothing else.
func TestZerosWithoutSpace(t *testing.T) {
	s := mappedtest.NewScript(mappedtest.NewFS())
	b := begin(t, s, "/store", ahead(2*mega))
	b.fill(1, 1000)
	s.Add(mappedtest.Rule{Op: mappedtest.OpWrite, Err: syscall.ENOSPC})
	wantErr(t, b.alloc.Zero(time.Unix(0, 0)), syscall.ENOSPC)
	s.Clear()
	noErr(t, b.log.Failed())
	from := s.Calls()
	noErr(t, b.alloc.Zero(time.Unix(9, 0)))
	same(t, "zeros after that", touched(s, from), []string{})
	b.fill(3, mega/2)
	noErr(t, b.disk.Flush())
	equal(t, "records", len(records(items(t, b.log, 0, b.log.Appended()))), 4)
}

// A sync of zeros that fails may have dropped records (A3): it is the last one,
// and a flush that is under way meanwhile acknowledges nothing.
func TestZerosFailedSyncLatches(t *testing.T) {
	s := mappedtest.NewScript(mappedtest.NewFS())
	b := begin(t, s, "/store", ahead(2*mega))
	b.fill(1, 1000)
	noErr(t, b.disk.Flush())
	b.fill(1, 1000)
	var zeroErr error
	s.Add(mappedtest.Rule{Op: mappedtest.OpDatasync, Before: func() { // the flusher's
		s.Add(mappedtest.Rule{Op: mappedtest.OpDatasync, Err: syscall.EIO}) // the zeros'
		zeroErr = b.alloc.Zero(time.Unix(0, 0))
	}})
	wantErr(t, b.disk.Flush(), commitlog.ErrReadOnly, syscall.EIO)
	wantErr(t, zeroErr, commitlog.ErrReadOnly, syscall.EIO)
	equal(t, "flushed", b.log.Flushed(), 1000)
	from := s.Calls()
	noErr(t, b.alloc.Zero(time.Unix(9, 0)))
	wantErr(t, b.disk.Flush(), commitlog.ErrReadOnly)
	equal(t, "calls after the failure", s.Calls(), from)
}

// Only a staged log that is written wants zeros.
func TestZerosNotWanted(t *testing.T) {
	for name, set := range map[string]setting{
		"mapped":    func(o *commitlog.Options) { o.ZeroAhead = mega },
		"off":       staged,
		"read-only": func(o *commitlog.Options) { o.Staged, o.ZeroAhead, o.ReadOnly = true, mega, true },
	} {
		t.Run(name, func(t *testing.T) {
			s := mappedtest.NewScript(mappedtest.NewFS())
			b := begin(t, s, "/store", staged)
			b.fill(2, 1000)
			end := b.log.Appended()
			b.log.Close()
			b = open(t, s, "/store", 0, end, set)
			from := s.Calls()
			noErr(t, b.alloc.Zero(time.Unix(0, 0)))
			equal(t, "calls", s.Calls(), from)
		})
	}
}

// Beside a writer zeros hit nothing of what it writes, and leave zeros behind it.
func TestZerosBesideWriter(t *testing.T) {
	b := begin(t, mapped.OS(), t.TempDir(), ahead(2*mega))
	stop := make(chan struct{})
	var wait sync.WaitGroup
	wait.Go(func() {
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			default:
			}
			if err := b.alloc.Zero(time.Unix(int64(i), 0)); err != nil {
				t.Error(err)
				return
			}
			if _, err := b.alloc.Prepare(); err != nil {
				t.Error(err)
				return
			}
		}
	})
	rng := rand.New(rand.NewPCG(1, 1))
	n := 0
	for b.log.Appended() < 30*mega {
		for range 1 + rng.IntN(20) {
			b.put(message("t", 0, 100+rng.IntN(9000)))
			n++
		}
		b.publish()
	}
	close(stop)
	wait.Wait()
	end := b.log.Appended()
	s := b.log.Reader().Scan(0, end, record.CRCRecord)
	defer s.Close()
	equal(t, "records", len(records(items(t, b.log, 0, end))), n)
	for _, f := range b.log.Segments() {
		if f.End() > end {
			rest := make([]byte, f.End()-max(end, f.Offset()))
			_, err := f.File().ReadAt(rest, max(end, f.Offset())-f.Offset())
			noErr(t, err)
			if strings.Trim(string(rest), "\x00") != "" {
				t.Errorf("bytes behind the end %d in %s", end, f.Path())
			}
		}
	}
}
