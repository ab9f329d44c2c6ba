package actors

import (
	"context"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/actorstore/actorstore/commitlog/checkpoint"
	"github.com/actorstore/actorstore/commitlog/mapped/mappedtest"
	"github.com/actorstore/actorstore/commitlog/record"
	"github.com/actorstore/actorstore/reader"
)

// TestDamageIsRemembered: below the mark a start does not read, so what a read had
// found there was forgotten by the next one. Once the record is whole again it is.
func TestDamageIsRemembered(t *testing.T) {
	fsys := mappedtest.NewFS()
	if err := fsys.MkdirAll("/store"); err != nil {
		t.Fatal(err)
	}
	o := DefaultOptions("/store")
	o.FS, o.MappedFileSizeCommitLog, o.MappedFileSizeConsumeQueue = fsys, 64<<10, 2000
	o.MaxHashSlotNum, o.MaxIndexNum = 7, 30
	run := func(do func(s *Store, r *reader.Reader)) {
		t.Helper()
		s, err := Open(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		r, err := s.Reader()
		if err != nil {
			t.Fatal(err)
		}
		do(s, r)
		if err := s.Close(context.Background()); err != nil {
			t.Fatal(err)
		}
	}
	var hit int64
	run(func(s *Store, _ *reader.Reader) {
		for i := range 20 {
			p, err := s.Put(t.Context(), &record.Message{Topic: "t", Body: make([]byte, 100)})
			if err != nil {
				t.Fatal(err)
			}
			if i == 5 {
				hit = p.PhysicalOffset
			}
		}
	})
	flip := func() {
		t.Helper()
		f, err := fsys.OpenFile("/store/commitlog/00000000000000000000", os.O_RDWR, 0)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		var b [1]byte
		if _, err := f.ReadAt(b[:], hit+95); err != nil {
			t.Fatal(err)
		}
		b[0] ^= 1
		if _, err := f.WriteAt(b[:], hit+95); err != nil {
			t.Fatal(err)
		}
	}
	known := func() (at []int64) {
		t.Helper()
		i, err := Inspect(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		defer i.Close()
		for _, f := range i.Report().Findings {
			at = append(at, f.Offset)
		}
		return at
	}
	flip()
	if at := known(); len(at) != 0 {
		t.Fatalf("known at %v before anybody has read it", at)
	}
	run(func(s *Store, r *reader.Reader) {
		var g reader.GetResult
		if err := r.Get(t.Context(), reader.GetRequest{Topic: "t", Offset: 5}, &g); err == nil {
			t.Fatal("read a damaged record")
		}
		if state, err := s.State(); err != nil || state.Damaged != 1 {
			t.Errorf("%d damaged, %v", state.Damaged, err)
		}
	})
	run(func(*Store, *reader.Reader) {})
	if at := known(); len(at) != 1 || at[0] != hit {
		t.Errorf("known at %v, want %d", at, hit)
	}
	flip()
	if at := known(); len(at) != 0 {
		t.Errorf("known at %v, but it is whole again", at)
	}
	run(func(*Store, *reader.Reader) {})
	if _, err := fsys.Stat(checkpoint.NewLayout("/store", "").DamageFile()); err == nil {
		// The file is written by the checkpoint actor, at the latest when it ends.
		t.Error("the file is still there")
	}
}

// A damaged range was counted and told of again each time that dispatch went back
// behind it for the sake of a sink.
func TestDamageCountsOnce(t *testing.T) {
	virtual(t, func(t *testing.T) {
		r := open(t)
		r.puts("a", 0, 1)
		r.dispatched()
		dispatch, index := r.hold(dispatchName), r.hold(indexName)
		at := r.put("a", 0, "1").PhysicalOffset
		r.puts("a", 2, 3)
		file := r.tree().log().Segments()[0]
		copy(file.Bytes()[at-file.Offset()+4:], "damaged") // its magic code
		dispatch()
		for range 3 { // dispatch goes back to where the index stands
			time.Sleep(time.Second)
			r.kill("queues-0")
			r.kill("queues-1")
		}
		time.Sleep(time.Second)
		index()
		r.dispatched()
		told := 0
		for _, e := range r.heard() {
			if strings.HasPrefix(e, "corruption") {
				told++
			}
		}
		if state, err := r.s.State(); err != nil || state.Damaged != 1 || told != 1 {
			t.Errorf("counted %d times, told %d times of one damaged record (%v)", state.Damaged, told, err)
		}
		r.close()
	})
}
