package repair_test

import (
	"errors"
	"strings"
	"syscall"
	"testing"

	"github.com/actorstore/actorstore"
	"github.com/actorstore/actorstore/commitlog/mapped/mappedtest"
)

func changePlaces(t *testing.T, fsys *mappedtest.FS, p, q string) {
	t.Helper()
	a, b := load(t, fsys, p), load(t, fsys, q)
	save(t, fsys, p, b)
	save(t, fsys, q, a)
}

// unreadRefused wants a repair to fail for a file that cannot be read, and to leave all as
// it is.
func unreadRefused(t *testing.T, base *mappedtest.FS, path string, rules ...mappedtest.Rule) {
	t.Helper()
	before := files(t, base)
	r, err := actorstore.Repair(t.Context(), options(mappedtest.NewScript(base, rules...)), actorstore.RepairOptions{SkipDamaged: true})
	if !errors.Is(err, syscall.EIO) || !strings.Contains(err.Error(), path) {
		t.Errorf("%s cannot be read: %v, %v", path, err, r.Steps)
	}
	if changed := same(before, files(t, base)); changed != "" {
		t.Errorf("%s cannot be read: %s was changed", path, changed)
	}
}

// TestClaimUnread: of two segments that have changed places the one cannot be read for
// once. Nothing is decided about the other then, nor moved: the failure is told.
func TestClaimUnread(t *testing.T) {
	base := closed(t)
	s := names(t, base, "commitlog")
	changePlaces(t, base, s[1], s[2])
	for _, path := range s[1:3] {
		unreadRefused(t, base, path, mappedtest.Rule{Op: mappedtest.OpRead, Path: path, Err: syscall.EIO})
	}
	r, err := actorstore.Repair(t.Context(), options(base), actorstore.RepairOptions{})
	if err != nil || !r.Done {
		t.Errorf("once it can be read: %+v, %v", r, err)
	}
}

// TestZerosUnread: the last segment has changed places with an unused one, of which one
// read fails. That was taken for a segment in use, so the last one had no place to go to
// and stayed behind what was the end then: repair had done its work, and the last
// message was gone from the log.
func TestZerosUnread(t *testing.T) {
	base := hurtSlot(t)
	s := names(t, base, "commitlog")
	unused := s[len(s)-2]
	before := files(t, base)
	for k := 1; ; k++ {
		image := base.Kill()
		script := mappedtest.NewScript(image, mappedtest.Rule{Op: mappedtest.OpRead, Path: unused, At: k, Err: syscall.EIO})
		r, err := actorstore.Repair(t.Context(), options(script), actorstore.RepairOptions{})
		if _, failed := script.Failed(); !failed {
			if k < 3 || err != nil || !r.Done {
				t.Errorf("read %d times: %+v, %v", k-1, r, err)
			}
			return
		}
		if !errors.Is(err, syscall.EIO) || !strings.Contains(err.Error(), unused) {
			t.Errorf("read %d of %s fails: %v, %v", k, unused, err, r.Steps)
		}
		if changed := same(before, files(t, image)); changed != "" && k <= 2 {
			t.Errorf("read %d of %s fails: %s was changed", k, unused, changed)
		}
	}
}

// TestClaimUnreadBehindZeros: the last segment has changed places with an unused one,
// and cannot be read for once. Nothing says that it belongs to where the zeros are then.
func TestClaimUnreadBehindZeros(t *testing.T) {
	base := hurtSlot(t)
	s := names(t, base, "commitlog")
	last := s[len(s)-1]
	unreadRefused(t, base, last, mappedtest.Rule{Op: mappedtest.OpRead, Path: last, Err: syscall.EIO})
}

// TestBothUnread: as before, and neither of the two can be read. The zeros were taken
// for a segment in use then, and the last message was cut off behind them.
func TestBothUnread(t *testing.T) {
	base := hurtSlot(t)
	s := names(t, base, "commitlog")
	unused, last := s[len(s)-2], s[len(s)-1]
	unreadRefused(t, base, last, mappedtest.Rule{Op: mappedtest.OpRead, Path: unused, Forever: true, Err: syscall.EIO},
		mappedtest.Rule{Op: mappedtest.OpRead, Path: last, Forever: true, Err: syscall.EIO})
}

// TestUnreadBesideOthers: a segment whose beginning cannot be read, of which nobody else
// claims the place, stays where it is and holds up nothing.
func TestUnreadBesideOthers(t *testing.T) {
	base := closed(t)
	s := names(t, base, "commitlog")
	stray := s[2] + ".bak"
	save(t, base, stray, []byte("what is this"))
	o := options(base)
	o.FS = mappedtest.NewScript(base, mappedtest.Rule{Op: mappedtest.OpRead, Path: s[1], Forever: true, Err: syscall.EIO})
	r, err := actorstore.Repair(t.Context(), o, actorstore.RepairOptions{})
	if err != nil || len(r.Steps) != 1 || r.Steps[0].Path != stray {
		t.Errorf("%+v, %v", r.Steps, err)
	}
}

// TestRenameReplacesNothing: whether a name is taken cannot be told for once. What has
// come to stand there is not replaced.
func TestRenameReplacesNothing(t *testing.T) {
	base := closed(t)
	s := names(t, base, "commitlog")
	changePlaces(t, base, s[1], s[2])
	met := 0
	for k := 1; ; k++ {
		image, stands := base.Kill(), false
		script := mappedtest.NewScript(image, mappedtest.Rule{Op: mappedtest.OpStat, Path: s[1], At: k, Err: syscall.EIO, Before: func() {
			if _, err := image.Stat(s[1]); err != nil {
				stands = true
				save(t, image, s[1], []byte("in between"))
			}
		}})
		r, err := actorstore.Repair(t.Context(), options(script), actorstore.RepairOptions{})
		if _, failed := script.Failed(); !failed {
			break
		}
		if !stands {
			continue
		}
		met++
		if !errors.Is(err, syscall.EIO) || !strings.Contains(err.Error(), s[1]) {
			t.Errorf("%+v, %v", r, err)
		}
		if got := load(t, image, s[1]); string(got) != "in between" {
			t.Errorf("it was replaced by %d bytes", len(got))
		}
	}
	if met == 0 {
		t.Error("no name was looked at before it was taken")
	}
}
