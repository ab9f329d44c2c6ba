package repair_test

import (
	"errors"
	"strings"
	"syscall"
	"testing"

	"github.com/actorstore/actorstore"
	"github.com/actorstore/actorstore/commitlog/mapped/mappedtest"
)

// TestClaimUnread: of two segments that have changed places the one cannot be read for
// once. Nothing is decided about the other then, nor moved: the failure is told.
func TestClaimUnread(t *testing.T) {
	base := closed(t)
	s := names(t, base, "commitlog")
	a, b := load(t, base, s[1]), load(t, base, s[2])
	save(t, base, s[1], b)
	save(t, base, s[2], a)
	before := files(t, base)
	for _, path := range s[1:3] {
		o := options(base)
		o.FS = mappedtest.NewScript(base, mappedtest.Rule{Op: mappedtest.OpRead, Path: path, Err: syscall.EIO})
		r, err := actorstore.Repair(t.Context(), o, actorstore.RepairOptions{SkipDamaged: true})
		if !errors.Is(err, syscall.EIO) || !strings.Contains(err.Error(), path) {
			t.Errorf("%s cannot be read: %v, %v", path, err, r.Steps)
		}
		if changed := same(before, files(t, base)); changed != "" {
			t.Errorf("%s cannot be read: %s was changed", path, changed)
		}
	}
	r, err := actorstore.Repair(t.Context(), options(base), actorstore.RepairOptions{})
	if err != nil || !r.Done {
		t.Errorf("once it can be read: %+v, %v", r, err)
	}
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
