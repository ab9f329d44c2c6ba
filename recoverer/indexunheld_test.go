package recoverer_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/actorstore/actorstore/commitlog/mapped/mappedtest"
	"github.com/actorstore/actorstore/commitlog/record"
	"github.com/actorstore/actorstore/recoverer"
)

// TestIndexNotHeldWhileOff: a stop that was not clean, then lives without an index,
// then one with it. The lives between end in order and say nothing of the index: it
// is as the first stop has left it, and the log may have been cut and grown since.
func TestIndexNotHeldWhileOff(t *testing.T) {
	for name, stop := range map[string]func(t *testing.T) (images []*mappedtest.FS, lost int64){
		"power cut": func(t *testing.T) (images []*mappedtest.FS, lost int64) {
			s := beforeStop(t)
			for i := range 30 {
				s.put(keyed(60 + i))
			}
			for seed := range uint64(40) {
				images = append(images, s.fs.(*mappedtest.FS).Crash(seed, mappedtest.Random))
			}
			return images, -1
		},
		"kill between two keys": func(t *testing.T) ([]*mappedtest.FS, int64) {
			s := beforeStop(t)
			m := keyed(60)
			at := s.add(m)
			s.flush()
			r := record.DispatchRequest{Topic: "T", PhysicalOffset: at.PhysicalOffset, StoreTimestamp: s.now, Keys: []byte("k60")}
			if err := s.index.Put([]record.DispatchRequest{r}); err != nil {
				t.Fatal(err)
			}
			return []*mappedtest.FS{s.fs.(*mappedtest.FS).Kill()}, -1
		},
		"the log is cut and grows again": func(t *testing.T) ([]*mappedtest.FS, int64) {
			s := beforeStop(t)
			at := s.add(keyed(999))
			s.log.SetConfirm(s.log.Appended())
			s.dispatch()
			if err := s.index.Flush(); err != nil {
				t.Fatal(err)
			}
			return []*mappedtest.FS{s.fs.(*mappedtest.FS).Crash(1, mappedtest.Nothing)}, at.PhysicalOffset
		},
	} {
		for way, force := range map[string]func() func(){"in one pass": func() func() { return func() {} }, "at once": recoverer.IndexApart} {
			for _, killed := range []bool{false, true} {
				t.Run(fmt.Sprintf("%s, %s, killed %v", name, way, killed), func(t *testing.T) {
					images, lost := stop(t)
					defer force()()
					for i, image := range images {
						if !withoutAndWith(t, image, lost, killed) {
							t.Fatalf("image %d", i)
						}
					}
				})
			}
		}
	}
}

// keyed is a message with three keys.
func keyed(i int) *record.Message {
	m := message("T", 0, i, 100)
	m.SetKeys(fmt.Sprintf("k%d", i), fmt.Sprintf("m%d", i), fmt.Sprintf("n%d", i))
	return m
}

// beforeStop is a store that was closed in order with sixty messages and is open again.
func beforeStop(t *testing.T) *store {
	s := open(t, newFS(), largeIndexFiles)
	for i := range 60 { // more makes it two pages
		s.put(keyed(i))
	}
	s.close()
	return open(t, s.fs, largeIndexFiles)
}

// withoutAndWith opens a store without its index, twice, and then with it: every
// record that the log has is under all its keys, and nothing else is.
func withoutAndWith(t *testing.T, image *mappedtest.FS, lost int64, killed bool) (ok bool) {
	var s *store
	at := map[int]int64{}
	for n := range 2 {
		s = open(t, image, largeIndexFiles, withoutIndex)
		s.index.Close()
		s.index = another(t, s)
		for i := range 3 {
			i += 100 + 10*n
			at[i] = s.put(keyed(i)).PhysicalOffset
		}
		if killed {
			s.kill()
		} else {
			s.close()
		}
	}
	if lost >= 0 && at[100] != lost {
		t.Fatalf("the log goes on at %d, want %d", at[100], lost)
	}
	s = open(t, image, largeIndexFiles)
	defer s.kill()
	ok = true
	each(s, func(req *record.DispatchRequest) {
		for k := range record.SplitKeys(req.Keys) {
			if hits := s.hits("T", string(k)); !slices.Equal(hits, []int64{req.PhysicalOffset}) {
				t.Errorf("%s is found at %v, want %d", k, hits, req.PhysicalOffset)
				ok = false
			}
		}
	})
	if hits := s.hits("T", "m999"); len(hits) > 0 {
		t.Errorf("m999, which is gone, is found at %v", hits)
		ok = false
	}
	if err := s.index.Verify(nil); err != nil {
		t.Error(err)
		ok = false
	}
	return ok
}

// each visits the records of the log.
func each(s *store, visit func(*record.DispatchRequest)) {
	s.t.Helper()
	sc := s.log.Reader().Scan(s.report.Min, s.report.End, record.CRCRecord)
	defer sc.Close()
	for sc.Pos() < s.report.End {
		e, err := sc.Next()
		if err != nil {
			s.t.Fatal(err)
		}
		var req record.DispatchRequest
		if e.Kind != record.KindRecord {
			continue
		}
		if err := record.ParseDispatch(e.Bytes, &req, nil); err != nil {
			s.t.Fatal(err)
		}
		visit(&req)
	}
}
