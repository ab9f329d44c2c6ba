package dispatch_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/actorstore/actorstore/commitlog"
	"github.com/actorstore/actorstore/commitlog/record"
	"github.com/actorstore/actorstore/consumequeue"
	"github.com/actorstore/actorstore/dispatch"
)

// A damaged record costs itself alone: its queue offset stays taken, by a unit
// that points into the damage, and everything behind keeps its number.
func TestHoles(t *testing.T) {
	for _, c := range []struct {
		name    string
		records int
		spoiled []int
		windows []int // records after which a window ends
	}{
		{"one in a window", 5, []int{2}, nil},
		{"the first of a queue", 5, []int{0}, nil}, // the queue begins behind it
		{"the last", 5, []int{4}, nil},
		{"two in a row", 6, []int{2, 3}, nil},
		{"five in a row", 9, []int{2, 3, 4, 5, 6}, nil},
		{"two apart", 7, []int{2, 4}, nil},
		{"in a window of its own", 5, []int{2}, []int{2, 3}},
		{"two in two windows", 6, []int{2, 3}, []int{2, 3, 4}},
		{"at the end of a window", 5, []int{2}, []int{3}},
		{"at the start of a window", 5, []int{2}, []int{2}},
		{"behind an applied window", 8, []int{3, 6}, []int{2, 5}},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := begin(t, segment, dispatch.Rules{})
			var at []commitlog.Appended
			for range c.records {
				at = append(at, b.put(message("t", 0)))
			}
			for _, i := range c.spoiled {
				b.spoil(at[i])
			}
			for _, n := range c.windows {
				noErr(t, b.apply(b.read(at[n-1].End())))
			}
			b.catchUp()
			b.wantHoles(at, c.spoiled)
			b.reput = b.newReput(0)
			for _, s := range b.sinks {
				s.Reset(0)
			}
			b.keys.Reset(0)
			b.catchUp()
			b.wantHoles(at, c.spoiled)
		})
	}
}

// wantHoles compares queue t/0 with its records.
func (b *bed) wantHoles(at []commitlog.Appended, spoiled []int) {
	b.Helper()
	q := b.queues.Queue("t", 0)
	last := len(at)
	for last > 0 && slices.Contains(spoiled, last-1) {
		last--
	}
	equal(b, "max offset", q.MaxOffset(), int64(last))
	end := int64(0)
	for _, u := range b.all("t", 0) {
		r := at[u.Base]
		switch damaged := slices.Contains(spoiled, int(u.Base)); {
		case u.PhysicalOffset < end || u.Size <= 0:
			b.Errorf("unit %d: [%d, +%d) behind %d", u.Base, u.PhysicalOffset, u.Size, end)
		case damaged && !inDamage(at, spoiled, u):
			b.Errorf("unit %d: [%d, +%d) is not in the damage", u.Base, u.PhysicalOffset, u.Size)
		case !damaged && (u.PhysicalOffset != r.PhysicalOffset || int(u.Size) != r.Size):
			b.Errorf("unit %d: [%d, +%d), want its record at %d", u.Base, u.PhysicalOffset, u.Size, r.PhysicalOffset)
		}
		end = u.PhysicalOffset + int64(u.Size)
	}
}

func inDamage(at []commitlog.Appended, spoiled []int, u consumequeue.Unit) bool {
	for from := u.PhysicalOffset; from < u.PhysicalOffset+int64(u.Size); from++ {
		if !slices.ContainsFunc(spoiled, func(i int) bool { return from >= at[i].PhysicalOffset && from < at[i].End() }) {
			return false
		}
	}
	return true
}

// Damage is told with its range; what is zeroed counts as damage too, and so
// does what stands in the place of a BLANK.
func TestDamageIsTold(t *testing.T) {
	b := begin(t, segment, dispatch.Rules{})
	var at []commitlog.Appended
	for range 60 {
		at = append(at, b.put(message("t", 0)))
	}
	next := slices.IndexFunc(at, func(a commitlog.Appended) bool { return a.PhysicalOffset == segment })
	b.spoil(at[3])
	b.spoil(at[4])
	b.write(at[10].PhysicalOffset, make([]byte, at[10].Size))
	b.write(at[next-1].End(), []byte{9, 9, 9, 9}) // the BLANK's size
	b.spoil(at[len(at)-1])
	damage := b.catchUp()
	var got []int64
	for _, d := range damage {
		got = append(got, d.Offset, d.Next)
		if d.Err == nil {
			t.Errorf("damage at %d without a cause", d.Offset)
		}
	}
	same(t, "ranges", got, []int64{at[3].PhysicalOffset, at[5].PhysicalOffset, at[10].PhysicalOffset, at[11].PhysicalOffset,
		at[next-1].End(), segment, at[59].PhysicalOffset, at[59].End()})
	b.wantHoles(at, []int{3, 4, 10, 59})
}

// Damage in one queue's record does not touch another queue, and a record that
// may not be followed is no place for a hole to point at.
func TestHolesOfOthers(t *testing.T) {
	b := begin(t, segment, dispatch.Rules{})
	first := b.put(message("t", 0))
	lost := b.put(message("t", 0))
	other := b.put(message("u", 0))
	b.put(message("../x", 0)) // behind the damage, whole, and in no queue
	last := b.put(message("t", 0))
	b.spoil(lost)
	b.catchUp()
	same(t, "queue", b.units("t", 0), []int64{first.PhysicalOffset, lost.PhysicalOffset, last.PhysicalOffset})
	same(t, "other queue", b.units("u", 0), []int64{other.PhysicalOffset})
}

// A lost inner batch leaves one unit for all its offsets.
func TestHoleInBatchQueue(t *testing.T) {
	b := begin(t, segment, dispatch.Rules{Kind: batched})
	var at []commitlog.Appended
	for range 3 {
		m := message("t", 0, record.PropertyInnerNum, "1000")
		m.SysFlag = record.SysInnerBatch
		at = append(at, b.put(m))
	}
	b.spoil(at[1])
	b.catchUp()
	units := b.all("t", 0)
	equal(t, "units", len(units), 3)
	equal(t, "base", units[1].Base, 1000)
	equal(t, "num", units[1].Num, 1000)
	equal(t, "place", units[1].PhysicalOffset, at[1].PhysicalOffset)
	equal(t, "base behind", units[2].Base, 2000)
}

// A missing segment is damage like any other.
func TestMissingSegment(t *testing.T) {
	b := begin(t, segment, dispatch.Rules{})
	var at []commitlog.Appended
	for b.log.Appended() < 4*segment {
		at = append(at, b.put(message("t", 0)))
	}
	noErr(t, b.log.Syncer().Flush())
	end := b.log.Appended()
	o := b.log.Options()
	noErr(t, b.fs.Remove(b.log.Segments()[1].Path()))
	log, err := commitlog.Open(o)
	noErr(t, err)
	t.Cleanup(log.Close)
	log.Restore(0, 0, end)
	b.log, b.reput = log, dispatch.NewReput(log.Reader(), b.queues, b.rules, 0)
	damage := b.catchUp()
	equal(t, "damages", len(damage), 1)
	equal(t, "from", damage[0].Offset, segment)
	equal(t, "to", damage[0].Next, 2*segment)
	var spoiled []int
	for i, a := range at {
		if a.PhysicalOffset >= segment && a.PhysicalOffset < 2*segment {
			spoiled = append(spoiled, i)
		}
	}
	equal(t, "units", b.queues.Queue("t", 0).MaxOffset(), int64(len(at)))
	equal(t, "first lost", b.units("t", 0)[spoiled[0]], segment)
}

// Any damage, any windows, any replays: the queues come out the same, every
// record that is whole has its unit at its offset, and nothing gets stuck.
func TestHolesAnywhere(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		b := begin(t, segment, dispatch.Rules{Shards: 2})
		type place struct {
			queue int32
			at    commitlog.Appended
		}
		var all []place
		for range rapid.IntRange(1, 40).Draw(rt, "records") {
			queue := rapid.Int32Range(0, 2).Draw(rt, "queue")
			all = append(all, place{queue, b.put(message("t", queue))})
		}
		lost := map[int]bool{}
		for range rapid.IntRange(0, 10).Draw(rt, "damages") {
			i := rapid.IntRange(0, len(all)-1).Draw(rt, "record")
			if !lost[i] {
				b.spoil(all[i].at)
			}
			lost[i] = true
		}
		for b.reput.Pos() < b.log.Confirm() {
			limit := all[rapid.IntRange(0, len(all)-1).Draw(rt, "limit")].at.End()
			if limit <= b.reput.Pos() {
				limit = b.log.Confirm()
			}
			w := b.read(limit)
			noErr(t, b.apply(w))
			if rapid.IntRange(0, 4).Draw(rt, "replay") == 0 {
				back := all[rapid.IntRange(0, len(all)-1).Draw(rt, "back to")].at.PhysicalOffset
				if back <= b.reput.Pos() {
					b.reput.Rewind(back)
				}
			}
		}
		for queue := range int32(3) {
			q := b.queues.Queue("t", queue)
			for i, p := range all {
				if p.queue != queue || lost[i] {
					continue
				}
				var dst [1]consumequeue.Unit
				n, err := q.Read(p.at.QueueOffset, dst[:])
				noErr(t, err)
				if n != 1 || dst[0].PhysicalOffset != p.at.PhysicalOffset {
					rt.Fatalf("queue %d offset %d: got %d units, %+v, want the record at %d", queue, p.at.QueueOffset, n, dst[0], p.at.PhysicalOffset)
				}
			}
		}
	})
}
