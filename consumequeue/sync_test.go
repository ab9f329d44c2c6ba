package consumequeue_test

import (
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/actorstore/actorstore/commitlog/mapped/mappedtest"
	cq "github.com/actorstore/actorstore/consumequeue"
)

func TestSyncCoversFilesAndDirectories(t *testing.T) {
	mem := mappedtest.NewFS()
	script := mappedtest.NewScript(mem)
	s := open(t, options(script))
	q := ensure(t, s, "topic", 0, cq.Simple)
	b := ensure(t, s, "batch", 0, cq.Batch)
	n, err := s.Sync()
	noErr(t, err)
	if n != 0 {
		t.Fatalf("%d files in an empty store", n)
	}
	noErr(t, q.Append(entries(0, 25)))
	noErr(t, b.Append(entries(0, 3)))
	n, err = s.Sync()
	noErr(t, err)
	if n != 4 || script.Count(mappedtest.OpDatasync) != 4 || script.Count(mappedtest.OpSyncFS) != 0 {
		t.Fatalf("%d files, %d datasyncs, %d syncs of the file system", n, script.Count(mappedtest.OpDatasync), script.Count(mappedtest.OpSyncFS))
	}
	after := mem.Crash(1, mappedtest.Nothing)
	_, q2 := reopen(t, after)
	noErr(t, q2.Load())
	wantRange(t, q2, 0, 25)
	wantUnits(t, q2)
	n, err = s.Sync()
	if n != 0 || err != nil {
		t.Fatalf("nothing is dirty: %d, %v", n, err)
	}
	noErr(t, q.Append(entries(25, 26)))
	if n, err = s.Sync(); n != 1 || err != nil {
		t.Fatalf("one file is dirty: %d, %v", n, err)
	}
}

func TestSyncOfManyFilesIsOne(t *testing.T) {
	mem := mappedtest.NewFS()
	script := mappedtest.NewScript(mem)
	s := open(t, options(script))
	_, err := s.Sync()
	noErr(t, err)
	for id := range int32(70) {
		noErr(t, ensure(t, s, "topic", id, cq.Simple).Append(entries(0, 2)))
		noErr(t, ensure(t, s, "batch", id, cq.Batch).Append(entries(0, 2)))
	}
	n, err := s.Sync()
	noErr(t, err)
	if n != 140 || script.Count(mappedtest.OpDatasync) != 0 || script.Count(mappedtest.OpSyncFS) != 2 {
		t.Fatalf("%d files, %d datasyncs, %d syncs of the file system", n, script.Count(mappedtest.OpDatasync), script.Count(mappedtest.OpSyncFS))
	}
	s = open(t, options(mem.Crash(1, mappedtest.Nothing)))
	for q := range s.All() {
		noErr(t, q.Load())
		wantRange(t, q, 0, 2)
	}
}

// What a killed process wrote is not dirty for the next one, and yet covered.
func TestFirstSyncCoversAnEarlierProcess(t *testing.T) {
	mem := mappedtest.NewFS()
	noErr(t, ensure(t, open(t, options(mem)), "topic", 0, cq.Simple).Append(entries(0, 25)))
	killed := mem.Kill()
	s, q := reopen(t, killed)
	noErr(t, q.Append(entries(0, 25))) // dispatched again: duplicates, nothing written
	_, err := s.Sync()
	noErr(t, err)
	_, q = reopen(t, killed.Crash(1, mappedtest.Nothing))
	noErr(t, q.Load())
	wantRange(t, q, 0, 25)
}

// A failed sync is reported once and its files are not dirty again: a later
// success proves nothing.
func TestSyncReportsAndForgets(t *testing.T) {
	for _, op := range []mappedtest.Op{mappedtest.OpDatasync, mappedtest.OpSyncDir, mappedtest.OpSyncFS, mappedtest.OpOpen} {
		t.Run(op.String(), func(t *testing.T) {
			script := mappedtest.NewScript(mappedtest.NewFS())
			o := options(script)
			o.MaxOpenFiles = 1 // so that Sync has to open
			s := open(t, o)
			q := ensure(t, s, "topic", 0, cq.Simple)
			if op != mappedtest.OpSyncFS {
				_, err := s.Sync()
				noErr(t, err)
			}
			noErr(t, q.Append(entries(0, 25)))
			eio := errors.New("input/output error")
			script.Add(mappedtest.Rule{Op: op, Err: eio, Forever: true})
			if _, err := s.Sync(); !errors.Is(err, eio) {
				t.Fatalf("want the error, got %v", err)
			}
			syncs := script.Count(mappedtest.OpDatasync)
			if n, err := s.Sync(); n != 0 || err != nil || script.Count(mappedtest.OpDatasync) != syncs {
				t.Fatalf("the second Sync: %d, %v", n, err)
			}
		})
	}
}

func TestSyncBesideAppend(t *testing.T) {
	mem := mappedtest.NewFS()
	s := open(t, options(mem))
	var wg sync.WaitGroup
	for id := range int32(4) {
		q := ensure(t, s, "topic", id, cq.Simple)
		wg.Go(func() {
			for at := int64(0); at < 300; at += 3 {
				if err := q.Append(entries(at, at+3)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	for range 20 {
		_, err := s.Sync()
		noErr(t, err)
	}
	wg.Wait()
	_, err := s.Sync()
	noErr(t, err)
	s = open(t, options(mem.Crash(1, mappedtest.Nothing)))
	for q := range s.All() {
		noErr(t, q.Load())
		wantRange(t, q, 0, 300)
		wantUnits(t, q)
	}
}

// After a power cut a queue is sound up to the last Sync, or says that it is
// damaged; cut to what was synced it takes the rest again.
func TestPowerCut(t *testing.T) {
	for _, mode := range mappedtest.Modes() {
		for seed := range uint64(8) {
			t.Run(fmt.Sprintf("%v-%d", mode, seed), func(t *testing.T) {
				mem := mappedtest.NewFS()
				o := options(mem)
				o.FileSize = 500 * cq.UnitSize // pages of 4096 bytes: more than one in a file
				s := open(t, o)
				q := ensure(t, s, "topic", 0, cq.Simple)
				synced := int64(seed * 173)
				noErr(t, q.Append(entries(0, synced)))
				_, err := s.Sync()
				noErr(t, err)
				for at := synced; at < 1600; at += 100 {
					noErr(t, q.Append(entries(at, at+100)))
				}
				o.FS = mem.Crash(seed, mode)
				s = open(t, o)
				q = ensure(t, s, "topic", 0, cq.Simple)
				if err := q.Load(); err != nil {
					wantDamage(t, err)
				}
				if q.MaxOffset() < synced {
					t.Fatalf("%d units were synced, %d are there", synced, q.MaxOffset())
				}
				noErr(t, q.TruncateTo(synced))
				noErr(t, q.Append(entries(synced, 1600)))
				wantRange(t, q, 0, 1600)
				wantUnits(t, q)
				if good, err := q.Verify(0); good != 1600 || err != nil {
					t.Fatalf("%d, %v", good, err)
				}
			})
		}
	}
}
