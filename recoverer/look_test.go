package recoverer_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"syscall"
	"testing"

	"github.com/actorstore/actorstore/commitlog/mapped"
	"github.com/actorstore/actorstore/commitlog/mapped/mappedtest"
	"github.com/actorstore/actorstore/recoverer"
)

// look is what Inspect or Verify makes of a store.
func look(t testing.TB, fsys mapped.FS, check, inUse bool, options ...option) (found string, err error) {
	v, err := openFiles(t, fsys, true, options...)
	defer v.release()
	if err != nil {
		return "", err
	}
	v.input.InUse = inUse
	if !check {
		r, err := recoverer.Inspect(context.Background(), v.input)
		return fmt.Sprint(r.Min, r.End, r.Queues, r.Findings), err
	}
	err = recoverer.Verify(context.Background(), v.input, func(f recoverer.Finding) { found += f.String() + "\n" })
	return found, err
}

// TestLookFails: a call that fails ends a look with that error, or is told as a
// finding about the file, and is never taken for a store that is as it should be.
// Nothing is changed, so the next look sees what there is.
func TestLookFails(t *testing.T) {
	for _, m := range messes {
		base := newFS()
		s := open(t, base, m.options...)
		m.make(s)
		s.kill()
		for _, check := range []bool{true, false} {
			want, err := look(t, base, check, false, m.options...)
			if err != nil {
				t.Fatal(err)
			}
			for image, script := range mappedtest.EachPlace(base, 1, syscall.EIO) {
				got, err := look(t, script, check, false, m.options...)
				call, _ := script.Failed()
				if err != nil && !errors.Is(err, syscall.EIO) {
					t.Errorf("%s: %v: %v", m.name, call, err)
				}
				if err == nil && got != want && !strings.Contains(got, syscall.EIO.Error()) {
					t.Errorf("%s: %v: found\n%s\nwant\n%s", m.name, call, got, want)
				}
				if again, err := look(t, image, check, false, m.options...); again != want || err != nil {
					t.Errorf("%s: %v: found %s, %v, and before %s", m.name, call, again, err, want)
				}
			}
		}
	}
}

// TestQueueBesideItsWriter: what a look meets in the middle of a change is none when
// it looks again; what is there again is damage.
func TestQueueBesideItsWriter(t *testing.T) {
	path := s0.ConsumeQueue() + "/T/0/" + mapped.Name(2*queueFileSize)
	build := func() (mapped.FS, []byte) {
		s := open(t, newFS())
		s.puts("T", 35)
		s.close()
		b := contents(t, s.fs, path)
		remove(t, s.fs, path)
		create(t, s.fs, path, b[:77])
		return s.fs, b
	}
	for _, c := range []struct {
		name         string
		inUse, whole bool // and the file is whole when it has been seen
		found        bool
	}{
		{"being made", true, true, false}, {"damaged", true, false, true}, {"damaged, nobody writes", false, true, true},
	} {
		fsys, b := build()
		rule := mappedtest.Rule{Op: mappedtest.OpReadDir, Path: s0.ConsumeQueue() + "/T/0", At: 1, Then: func() {
			if c.whole {
				remove(t, fsys, path)
				create(t, fsys, path, b)
			}
		}}
		got, err := look(t, mappedtest.NewScript(fsys, rule), false, c.inUse)
		if err != nil || strings.Contains(got, path) != c.found {
			t.Errorf("%s: %s, %v", c.name, got, err)
		}
	}
}

// TestUnitBesideItsWriter: a writer may be held up in the middle of a unit, for as long as
// the disk has no page for the rest of it. That passed for damage, however often one looked.
func TestUnitBesideItsWriter(t *testing.T) {
	path := s0.ConsumeQueue() + "/T/0/" + mapped.Name(3*queueFileSize)
	build := func(change func(last []byte)) mapped.FS {
		s := open(t, newFS())
		s.puts("T", 35)
		s.close()
		b := contents(t, s.fs, path)
		change(b[4*20:])
		remove(t, s.fs, path)
		create(t, s.fs, path, b)
		return s.fs
	}
	for name, c := range map[string]struct {
		change       func(last []byte) // from the last unit on
		inUse, found bool
	}{
		"the size is half there":   {func(u []byte) { clear(u[8:20]) }, true, false},
		"the offset is half there": {func(u []byte) { clear(u[6:20]) }, true, false},
		"nobody writes":            {func(u []byte) { clear(u[8:20]) }, false, true},
		"a unit behind it":         {func(u []byte) { copy(u[20:], u[:20]); clear(u[8:20]) }, true, true},
		"something far behind it":  {func(u []byte) { clear(u[8:20]); u[119] = 1 }, true, true},
	} {
		got, err := look(t, build(c.change), false, c.inUse)
		if err != nil || strings.Contains(got, path) != c.found {
			t.Errorf("%s: %s, %v", name, got, err)
		}
	}
}

// TestLookIsCancelled: the error is the context's, whenever it ends.
func TestLookIsCancelled(t *testing.T) {
	s := open(t, newFS())
	s.puts("T", 60)
	s.kill()
	for _, phase := range []recoverer.Phase{recoverer.PhaseScan, recoverer.PhaseQueues, recoverer.PhaseReplay} {
		v, err := openFiles(t, s.fs, true)
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(context.Background())
		hit := false
		v.input.Progress = func(p recoverer.Progress) {
			if p.Phase == phase {
				hit = true
				cancel()
			}
		}
		err = recoverer.Verify(ctx, v.input, func(recoverer.Finding) {})
		if hit != errors.Is(err, context.Canceled) {
			t.Errorf("cancelled in %s (%v): %v", phase, hit, err)
		}
		cancel()
		v.release()
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for name, do := range map[string]func(recoverer.Input) error{
		"Inspect": func(in recoverer.Input) error { _, err := recoverer.Inspect(ctx, in); return err },
		"Verify":  func(in recoverer.Input) error { return recoverer.Verify(ctx, in, func(recoverer.Finding) {}) },
	} {
		v, err := openFiles(t, s.fs, true)
		if err == nil {
			err = do(v.input)
		}
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s, cancelled before: %v", name, err)
		}
		v.release()
	}
}
