package actors

import (
	"errors"
	"fmt"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/actorstore/actorstore/commitlog"
	"github.com/actorstore/actorstore/commitlog/mapped/mappedtest"
	"github.com/actorstore/actorstore/commitlog/record"
	"github.com/actorstore/actorstore/flusher"
)

// Each refusal has its status and a cause that can be told apart, and changes
// nothing.
func TestRefusals(t *testing.T) {
	large := func(name string) *record.Message {
		m := message("a", 0, "x")
		for i := range 40 {
			m.Properties.Set(fmt.Sprint(name, i), strings.Repeat("v", 1000))
		}
		return m
	}
	for _, c := range []struct {
		name    string
		m       *record.Message
		options func(*Options)
		prepare func(*rig)
		status  flusher.PutMessageStatus
		cause   error
	}{
		{name: "no topic", m: message("", 0, "x"), status: flusher.MessageIllegal, cause: record.ErrIllegal},
		{name: "topic of a directory", m: message("../up", 0, "x"), status: flusher.MessageIllegal, cause: record.ErrIllegal},
		{name: "queue", m: message("a", -1, "x"), status: flusher.MessageIllegal, cause: record.ErrIllegal},
		{name: "body", m: message("a", 0, strings.Repeat("x", 16<<10+1)), status: flusher.MessageIllegal, cause: record.ErrIllegal},
		{name: "properties", m: large("p"), status: flusher.PropertiesSizeExceeded, cause: record.ErrIllegal},
		{name: "in flight", status: flusher.OSPageCacheBusy, cause: ErrBusy,
			options: func(o *Options) { o.MaxBytesInFlight = 1 },
			prepare: func(r *rig) {
				r.t.Cleanup(r.hold(appendName))
				if _, err := r.s.Begin(message("a", 0, "first")); err != nil {
					r.t.Fatal(err)
				}
			}},
		{name: "disk nearly full", status: flusher.CreateMappedFileFailed, cause: ErrDiskFull,
			options: func(o *Options) { o.CleanResourceInterval = time.Millisecond },
			prepare: func(r *rig) {
				r.disk.SetCapacity(1)
				eventually(r.t, "the disk is watched", func() bool { return r.told("disk full true") > 0 })
			}},
		{name: "no space for a segment", status: flusher.CreateMappedFileFailed, cause: commitlog.ErrNoSegment,
			prepare: func(r *rig) { r.disk.SetCapacity(1) }},
		{name: "no space, the cause", status: flusher.CreateMappedFileFailed, cause: syscall.ENOSPC,
			prepare: func(r *rig) { r.disk.SetCapacity(1) }},
		{name: "deleting", status: flusher.ServiceNotAvailable, cause: ErrDeleting,
			prepare: func(r *rig) { r.s.deleting.start("a") }},
		{name: "closed", status: flusher.ServiceNotAvailable, cause: ErrClosed,
			prepare: func(r *rig) { r.close() }},
		{name: "closing", status: flusher.ServiceNotAvailable, cause: ErrClosed,
			prepare: func(r *rig) { r.tree().admission.close(ErrClosed) }},
		{name: "read-only", status: flusher.ServiceNotAvailable, cause: commitlog.ErrReadOnly,
			options: syncFlush,
			prepare: func(r *rig) { r.breakFlush(); _, _ = r.s.Put(r.ctx, message("a", 0, "x")) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			var options []func(*Options)
			if c.options != nil {
				options = append(options, c.options)
			}
			r := open(t, options...)
			if c.prepare != nil {
				c.prepare(r)
			}
			m := c.m
			if m == nil {
				m = message("a", 0, "x")
			}
			result, err := r.s.Put(r.ctx, m)
			if err == nil || result.Status != c.status || statusOf(err) != c.status || !errors.Is(err, c.cause) || result.Err == nil {
				t.Errorf("put: %+v, %v; want %v and %v", result, err, c.status, c.cause)
			}
			if result.Durability != flusher.NotStored {
				t.Errorf("refused and %v", result.Durability)
			}
			p, err := r.s.Begin(m)
			if err != nil {
				if _, again := p.Wait(r.ctx); !errors.Is(again, c.cause) {
					t.Errorf("Wait of a put that was refused: %v, want %v", again, err)
				}
			} else if _, err := p.Wait(r.ctx); !errors.Is(err, c.cause) {
				t.Errorf("begin and wait: %v", err)
			}
		})
	}
}

// breakFlush lets every sync of the log fail.
func (r *rig) breakFlush() {
	for _, op := range []mappedtest.Op{mappedtest.OpDatasync, mappedtest.OpFlush} {
		r.script.Add(mappedtest.Rule{Op: op, Path: root + "/commitlog/*", Forever: true, Err: syscall.EIO})
	}
}

// The first failed flush is the last one: those who wait are told that the
// outcome is unknown, later ones are refused, the disk is left alone, and what
// was answered before stays readable.
func TestFlushFails(t *testing.T) {
	bothFlushTypes(t, func(t *testing.T, flush func(*Options)) {
		r := open(t, flush)
		r.puts("a", 0, 3)
		r.dispatched()
		eventually(t, "flushed", func() bool { return r.tree().log().Flushed() == r.tree().log().Appended() })
		r.breakFlush()
		syncs := r.script.Count(mappedtest.OpDatasync) + r.script.Count(mappedtest.OpFlush)
		waiting := make([]Pending, 5)
		if r.o.FlushDiskType == SyncFlush {
			release := r.hold(flusherName)
			for i := range waiting {
				var err error
				if waiting[i], err = r.s.Begin(message("a", 0, fmt.Sprint(i+3))); err != nil {
					t.Fatal(err)
				}
			}
			release()
			for _, p := range waiting {
				if result, err := p.Wait(r.ctx); result.Status != flusher.FlushDiskTimeout || statusOf(err) != result.Status || !errors.Is(err, syscall.EIO) {
					t.Errorf("waiting for the flush: %+v, %v", result, err)
				} else if result.Durability > flusher.Written {
					t.Errorf("%v, says a put whose flush has failed", result.Durability)
				}
			}
		} else {
			r.put("a", 0, "3") // answered before the flush
		}
		eventually(t, "read-only", func() bool { return r.told("read-only") > 0 })
		for range 3 {
			if result, err := r.s.Put(r.ctx, message("a", 0, "late")); result.Status != flusher.ServiceNotAvailable || !errors.Is(err, syscall.EIO) || !errors.Is(err, commitlog.ErrReadOnly) {
				t.Errorf("later: %+v, %v", result, err)
			}
		}
		if err := r.s.Flush(r.ctx); !errors.Is(err, syscall.EIO) {
			t.Errorf("Flush: %v", err)
		}
		time.Sleep(4 * r.o.FlushIntervalCommitLog) // any more ticks must do nothing
		if n := r.script.Count(mappedtest.OpDatasync) + r.script.Count(mappedtest.OpFlush) - syncs; n != 1 {
			t.Errorf("%d syncs after the first that failed, want none", n-1)
		}
		if r.told("flush failed") != 1 || r.told("read-only") != 1 {
			t.Errorf("told %d times of the failed flush, %d times of read-only", r.told("flush failed"), r.told("read-only"))
		}
		if got := r.bodies("a", 0); len(got) < 3 || got[2] != "2" {
			t.Errorf("readable: %v", got)
		}
		if state, err := r.s.State(); err != nil || !errors.Is(state.ReadOnly, syscall.EIO) || state.InFlight != 0 {
			t.Errorf("state %+v %v", state, err)
		}
		if err := r.s.Close(r.ctx); err == nil || !r.aborted() {
			t.Errorf("close: %v; abort marker: %v", err, r.aborted())
		}
		r.crash(flush)
		got := r.bodies("a", 0)
		if len(got) < 3 {
			t.Errorf("after reopening: %v", got)
		}
		r.puts("a", len(got), len(got)+1)
		r.numbered("a", len(got)+1)
		r.close()
	})
}

// A full disk refuses puts and heals by itself.
func TestDiskFullHeals(t *testing.T) {
	bothFlushTypes(t, func(t *testing.T, flush func(*Options)) {
		r := open(t, flush, func(o *Options) { o.MessageIndexEnable = false })
		body := strings.Repeat("x", 4000)
		ok := 0
		r.put("a", 0, body)
		ok++
		r.dispatched()
		r.disk.SetCapacity(1)
		var err error
		for err == nil {
			if _, err = r.s.Put(r.ctx, message("a", 0, body)); err == nil {
				ok++
			}
			if ok > 100 {
				t.Fatal("the disk is never full")
			}
		}
		if statusOf(err) != flusher.CreateMappedFileFailed || !errors.Is(err, syscall.ENOSPC) || !errors.Is(err, commitlog.ErrNoSegment) ||
			!errors.Is(err, ErrDiskFull) {
			t.Errorf("full: %v", err)
		}
		for range 20 {
			if result, err := r.s.Put(r.ctx, message("a", 0, body)); result.Status != flusher.CreateMappedFileFailed || err == nil {
				t.Errorf("still full: %+v %v", result, err)
			}
		}
		if r.told("read-only") != 0 {
			t.Error("a full disk made the store read-only")
		}
		r.disk.SetCapacity(1 << 30)
		r.put("a", 0, body)
		ok++
		r.dispatched()
		if got := len(r.bodies("a", 0)); got != ok {
			t.Errorf("%d messages, %d were answered", got, ok)
		}
		r.reopen(flush)
		if got := len(r.bodies("a", 0)); got != ok {
			t.Errorf("after reopening %d messages, %d were answered", got, ok)
		}
		r.close()
	})
}

// The warning level of the disk refuses puts until there is room.
func TestDiskWarningHeals(t *testing.T) {
	r := open(t, func(o *Options) { o.CleanResourceInterval = time.Millisecond })
	r.puts("a", 0, 2)
	r.disk.SetCapacity(1)
	eventually(t, "full", func() bool { return r.told("disk full true") == 1 })
	if _, err := r.s.Put(r.ctx, message("a", 0, "x")); !errors.Is(err, ErrDiskFull) {
		t.Errorf("full: %v", err)
	}
	r.disk.SetCapacity(1 << 30)
	eventually(t, "room again", func() bool { return r.told("disk full false") == 1 })
	r.puts("a", 2, 4)
	r.numbered("a", 4)
	r.close()
}
