package mappedtest_test

import (
	"encoding/binary"
	"os"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/actorstore/actorstore/commitlog/mapped/mappedtest"
)

// TestCutIsOneMoment: a number is synced in one file, and then written to another. No
// power cut and no kill leaves it in the other one alone. The files were copied one
// after the other while somebody wrote.
func TestCutIsOneMoment(t *testing.T) {
	f := mappedtest.NewFS()
	first, second := open(t, f, "/a", 8), open(t, f, "/b", 8)
	if err := f.SyncDir("/"); err != nil {
		t.Fatal(err)
	}
	stop := make(chan struct{})
	var writer sync.WaitGroup
	writer.Go(func() {
		for i := uint64(1); ; i++ {
			select {
			case <-stop:
				return
			default:
			}
			b := binary.BigEndian.AppendUint64(nil, i)
			if _, err := first.WriteAt(b, 0); err != nil {
				t.Error(err)
			}
			if err := first.Datasync(); err != nil {
				t.Error(err)
			}
			if _, err := second.WriteAt(b, 0); err != nil {
				t.Error(err)
			}
		}
	})
	for seed := range uint64(3000) {
		for name, image := range map[string]*mappedtest.FS{"power cut": f.Crash(seed, mappedtest.Everything), "kill": f.Kill()} {
			if a, b := number(t, image, "/a"), number(t, image, "/b"); b > a {
				t.Fatalf("%s %d: %d stands in the second file, %d in the first", name, seed, b, a)
			}
		}
	}
	close(stop)
	writer.Wait()
}

// TestKillIsOneMomentOfAMapping: a number is stored at the end of a mapped file, and
// then at its beginning. No kill leaves it at the beginning alone. The copy took the end
// first: an index had a header that counted entries which were not written yet.
func TestKillIsOneMomentOfAMapping(t *testing.T) {
	const size = 904
	f := mappedtest.NewFS()
	m, err := open(t, f, "/a", size).Map(0, size, true)
	if err != nil {
		t.Fatal(err)
	}
	var stop atomic.Bool
	var writer sync.WaitGroup
	writer.Go(func() {
		for i := uint64(1); !stop.Load(); i++ {
			binary.BigEndian.PutUint64(m.Bytes()[size-8:], i)
			binary.BigEndian.PutUint64(m.Bytes(), i)
			if i%1000 != 0 {
				continue
			}
			if err := m.Populate(0, size, true); err != nil { // waits for a kill, as every call
				t.Error(err)
			}
		}
	})
	for n := range 3000 {
		file, err := f.Kill().OpenFile("/a", os.O_RDONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		var b [size]byte
		if _, err := file.ReadAt(b[:], 0); err != nil {
			t.Fatal(err)
		}
		if head, end := binary.BigEndian.Uint64(b[:]), binary.BigEndian.Uint64(b[size-8:]); head > end {
			t.Fatalf("kill %d: %d stands at the beginning, %d at the end", n, head, end)
		}
	}
	stop.Store(true)
	writer.Wait()
}

func number(t *testing.T, f *mappedtest.FS, name string) uint64 {
	t.Helper()
	file, err := f.OpenFile(name, os.O_RDONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var b [8]byte
	_, _ = file.ReadAt(b[:], 0)
	return binary.BigEndian.Uint64(b[:])
}
