package consumequeue_test

import (
	"errors"
	"testing"

	"github.com/actorstore/actorstore/commitlog/mapped/mappedtest"
	cq "github.com/actorstore/actorstore/consumequeue"
	"pgregory.net/rapid"
)

// modelUnit is what the model knows of a unit.
type modelUnit struct {
	base, num, physical int64
}

// machine drives a queue and a slice side by side. The log position of the
// unit for queue offset q is physical(q), whatever happened before, so that a
// unit which was cut comes back the same.
type machine struct {
	mem  *mappedtest.FS
	o    cq.Options
	kind cq.Kind
	s    *cq.Store
	q    *cq.Queue

	units []modelUnit // live ones
	next  int64       // MaxOffset
	known bool        // the queue has a place to go on from
}

func newMachine(t *rapid.T, kind cq.Kind, ext bool) *machine {
	m := &machine{mem: mappedtest.NewFS(), kind: kind}
	m.o = options(m.mem)
	m.o.EnableExt = ext
	m.o.MaxOpenFiles = 2
	m.open(t)
	return m
}

func (m *machine) open(t *rapid.T) {
	m.s = open(t, m.o)
	m.q = ensure(t, m.s, "topic", 0, m.kind)
	noErr(t, m.q.Load())
}

func (m *machine) entry(base, num int64) cq.Entry {
	e := entry(base)
	if m.kind == cq.Batch {
		e.Num = int16(num)
	}
	return e
}

func (m *machine) add(e cq.Entry) {
	num := max(int64(e.Num), 1)
	m.units = append(m.units, modelUnit{e.QueueOffset, num, e.PhysicalOffset})
	m.next, m.known = e.QueueOffset+num, true
}

func (m *machine) drawNum(t *rapid.T) int64 {
	if m.kind == cq.Simple {
		return 1
	}
	return rapid.Int64Range(1, 3).Draw(t, "num")
}

func (m *machine) Append(t *rapid.T) {
	base := m.next
	if !m.known {
		base = rapid.Int64Range(0, 35).Draw(t, "start")
	}
	var list []cq.Entry
	for range rapid.IntRange(1, 25).Draw(t, "n") {
		e := m.entry(base, m.drawNum(t))
		list = append(list, e)
		base += max(int64(e.Num), 1)
		if m.known && rapid.IntRange(0, 5).Draw(t, "dup") == 0 {
			list = append(list, m.entry(rapid.Int64Range(0, base-1).Draw(t, "old"), 1))
		}
	}
	noErr(t, m.q.Append(list))
	for _, e := range list {
		if e.QueueOffset == m.next || !m.known {
			m.add(e)
		}
	}
}

func (m *machine) Duplicate(t *rapid.T) {
	if m.next == 0 || !m.known {
		t.Skip("empty")
	}
	noErr(t, m.q.Append([]cq.Entry{m.entry(rapid.Int64Range(0, m.next-1).Draw(t, "old"), 1)}))
}

func (m *machine) Gap(t *rapid.T) {
	if !m.known {
		t.Skip("an empty queue starts anywhere")
	}
	list := []cq.Entry{m.entry(m.next, 1), m.entry(m.next+1+rapid.Int64Range(1, 50).Draw(t, "gap"), 1)}
	var gap *cq.GapError
	if err := m.q.Append(list[rapid.IntRange(0, 1).Draw(t, "from"):]); !errors.As(err, &gap) {
		t.Fatalf("want a gap, got %v", err)
	}
}

func (m *machine) TruncateTo(t *rapid.T) {
	if len(m.units) == 0 {
		t.Skip("empty")
	}
	cut := rapid.Int64Range(m.units[0].base, m.next+2).Draw(t, "cut")
	noErr(t, m.q.TruncateTo(cut))
	m.cut(func(u modelUnit) bool { return u.base+u.num > cut })
}

func (m *machine) TruncatePhysical(t *rapid.T) {
	if len(m.units) == 0 {
		t.Skip("empty")
	}
	end := rapid.Int64Range(m.units[0].physical, physical(m.next)+5).Draw(t, "end")
	noErr(t, m.q.TruncatePhysical(end))
	m.cut(func(u modelUnit) bool { return u.physical+recSize > end })
}

func (m *machine) cut(gone func(modelUnit) bool) {
	for i, u := range m.units {
		if gone(u) {
			m.units, m.next = m.units[:i], u.base
			break
		}
	}
	// A queue that is cut to nothing at its very start is as good as new.
	m.known = m.q.MaxOffset() > 0 && (m.kind == cq.Simple || m.q.MaxPhysical() >= 0)
}

func (m *machine) Correct(t *rapid.T) {
	minPhysical := m.drawMin(t)
	noErr(t, m.q.CorrectMin(minPhysical))
	m.expire(minPhysical)
}

func (m *machine) Expire(t *rapid.T) {
	minPhysical := m.drawMin(t)
	_, err := m.q.DeleteExpired(minPhysical)
	noErr(t, err)
	m.expire(minPhysical)
}

func (m *machine) drawMin(t *rapid.T) int64 {
	if len(m.units) == 0 {
		return 0
	}
	return rapid.Int64Range(0, min(m.units[0].physical+600, physical(m.next)+50)).Draw(t, "min physical")
}

func (m *machine) expire(minPhysical int64) {
	for len(m.units) > 0 && m.units[0].physical < minPhysical {
		m.units = m.units[1:]
	}
}

func (m *machine) Rewrite(t *rapid.T) {
	if len(m.units) == 0 {
		t.Skip("empty")
	}
	u := rapid.SampledFrom(m.units).Draw(t, "unit")
	noErr(t, m.q.Rewrite(u.base, m.entry(u.base, u.num)))
}

func (m *machine) Sync(t *rapid.T) {
	_, err := m.s.Sync()
	noErr(t, err)
}

// Reopen is a restart, clean or by kill -9: the minimum is forgotten, and asked
// of the log again.
func (m *machine) Reopen(t *rapid.T) {
	noErr(t, m.s.Close())
	m.mem = m.mem.Kill()
	m.o.FS = m.mem
	lo := m.q.MinOffset()
	m.open(t)
	if len(m.units) > 0 {
		noErr(t, m.q.CorrectMin(m.units[0].physical))
		return
	}
	if m.known && m.q.MinOffset() < lo {
		noErr(t, m.q.CorrectMin(1<<40))
	}
}

func (m *machine) Reset(t *rapid.T) {
	noErr(t, m.q.Reset(""))
	m.units, m.next, m.known = nil, 0, false
}

// Check compares everything that can be asked.
func (m *machine) Check(t *rapid.T) {
	lo := m.next
	if len(m.units) > 0 {
		lo = m.units[0].base
	}
	if m.known || len(m.units) > 0 {
		wantRange(t, m.q, lo, m.next)
	}
	if len(m.units) > 0 && m.q.MaxPhysical() != m.units[len(m.units)-1].physical+recSize {
		t.Fatalf("max physical %d", m.q.MaxPhysical())
	}
	var got [5]cq.Unit
	for i := 0; i < len(m.units); {
		n, err := m.q.Read(m.units[i].base, got[:])
		noErr(t, err)
		if n == 0 {
			t.Fatalf("nothing at %d", m.units[i].base)
		}
		for _, u := range got[:n] {
			if want := m.units[i]; u.Base != want.base || int64(u.Num) != want.num || u.PhysicalOffset != want.physical || u.TagsCode != want.base*7 {
				t.Fatalf("unit %d is %+v, want %+v", i, u, want)
			}
			i++
		}
	}
	if n, err := m.q.Read(m.next, got[:]); n != 0 || err != nil {
		t.Fatalf("behind the end: %d, %v", n, err)
	}
	if good, err := m.q.Verify(0); err != nil || good != m.q.MaxOffset() {
		t.Fatalf("good up to %d: %v", good, err)
	}
}

func TestModel(t *testing.T) {
	for _, tt := range []struct {
		name string
		kind cq.Kind
		ext  bool
	}{{"simple", cq.Simple, false}, {"ext", cq.Simple, true}, {"batch", cq.Batch, false}} {
		t.Run(tt.name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				m := newMachine(t, tt.kind, tt.ext)
				t.Repeat(map[string]func(*rapid.T){
					"append": m.Append, "duplicate": m.Duplicate, "gap": m.Gap, "truncate": m.TruncateTo,
					"truncate physical": m.TruncatePhysical, "correct": m.Correct, "expire": m.Expire,
					"rewrite": m.Rewrite, "sync": m.Sync, "reopen": m.Reopen, "reset": m.Reset, "": m.Check,
				})
			})
		})
	}
}
