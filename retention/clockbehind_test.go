package retention

import (
	"context"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/actorstore/actorstore/commitlog"
	"github.com/actorstore/actorstore/commitlog/mapped"
	"github.com/actorstore/actorstore/commitlog/record"
)

const year = 365 * 24 * hour

// fillBetween makes a first segment of records of which the first, and the one
// behind the segment, are a year old; middle is the time of the others, last that
// of the last one. It returns where they are. Behind it come records of noon.
func (s *store) fillBetween(middle, last time.Time) (at []commitlog.Appended) {
	s.t.Helper()
	at = append(at, s.put("T", 300, noon.Add(-year).UnixMilli()))
	for n := (segmentSize - record.BlankSize) / int(at[0].Size); len(at) < n-1; {
		at = append(at, s.put("T", 300, middle.UnixMilli()))
	}
	at = append(at, s.put("T", 300, last.UnixMilli()))
	if next := s.put("T", 300, noon.Add(-year).UnixMilli()); next.PhysicalOffset != segmentSize {
		s.t.Fatalf("the second segment begins behind %d", next.PhysicalOffset)
	}
	for range 20 {
		s.put("T", 300, noon.UnixMilli())
	}
	return at
}

// TestClockBehindAtBoot: a clock that was a year behind for a moment after each of
// two boots has stamped the first record of a segment and the one behind it. What
// lies between them counts: it goes when it is old, and not before.
func TestClockBehindAtBoot(t *testing.T) {
	for _, c := range []struct {
		age   time.Duration
		below int64
	}{{time.Minute, 0}, {71 * hour, 0}, {73 * hour, segmentSize}, {year, segmentSize}, {-hour, 0}} {
		s := newStore(t)
		s.fillBetween(noon.Add(-c.age-hour), noon.Add(-c.age))
		v, k := NewSurvey(s.log.Reader()), core(t, nil)
		if d := s.settle(v, k, Now{Wall: noon}); d.ExpireBelow != c.below {
			t.Errorf("written %v ago: %+v", c.age, d)
		}
		if d := k.Step(s.state(v), Now{Wall: noon}); d.ExpireBelow != c.below || len(d.Unread) > 0 {
			t.Errorf("written %v ago, the next look: %+v", c.age, d)
		}
	}
}

// TestReadsOnlyWhatGoes: segments are read when they seem to have expired, a batch
// of them at once, none behind one that stays, and none that goes in any case.
func TestReadsOnlyWhatGoes(t *testing.T) {
	unread := func(ages ...float64) State {
		s := aged(ages...)
		for i := range s.Segments {
			s.Segments[i].Unread = true
		}
		return s
	}
	ages := slices.Repeat([]float64{500}, 25)
	for name, c := range map[string]struct {
		change        func(*State)
		expired, read int
	}{
		"all old":          {func(*State) {}, 0, 10},
		"two read before":  {func(s *State) { s.Segments[0].Unread, s.Segments[1].Unread = false, false }, 2, 8},
		"the fourth young": {func(s *State) { s.Segments[3].Last = noon.UnixMilli() }, 0, 3},
		"not asked for":    {func(s *State) { s.Manual = false }, 0, 0},
		"not dispatched":   {func(s *State) { s.Dispatched = 250 }, 0, 2},
		"a full disk":      {func(s *State) { s.LogDisk = disk(99) }, 2, 8}, // forced first, the rest by age
	} {
		t.Run(name, func(t *testing.T) {
			s := unread(ages...)
			c.change(&s)
			d := core(t, nil).Step(s, Now{Wall: noon})
			if len(d.Expired) != c.expired || len(d.Unread) != c.read || d.ExpireBelow != int64(c.expired)*100 {
				t.Errorf("%+v", d)
			}
			for i, seg := range d.Unread {
				if seg.Offset != int64(c.expired+i)*100 {
					t.Errorf("not the next: %+v", d.Unread)
				}
			}
		})
	}
	k := core(t, nil)
	k.Step(unread(1, 1), Now{Wall: noon})
	if d := k.Step(unread(1, 1), Now{Wall: noon, Elapsed: 72 * hour}); len(d.Unread) > 0 || d.ExpireBelow != 200 {
		t.Errorf("seen for long enough, whatever it holds: %+v", d)
	}
}

// TestReadPassesOverDamage: what stands behind a damaged place counts.
func TestReadPassesOverDamage(t *testing.T) {
	old, young := noon.Add(-100*hour), noon.Add(-hour)
	for name, c := range map[string]struct {
		harm func(s *store, at []commitlog.Appended)
		last time.Time
	}{
		"a torn record": {func(s *store, at []commitlog.Appended) { s.write(at[2].PhysicalOffset, []byte("torn")) }, young},
		"zeros":         {func(s *store, at []commitlog.Appended) { s.write(at[2].PhysicalOffset, make([]byte, 500)) }, young},
		"a size that is too large": {func(s *store, at []commitlog.Appended) {
			s.write(at[2].PhysicalOffset, []byte{0, 1, 0, 0})
		}, young},
		"the young one itself": {func(s *store, at []commitlog.Appended) {
			s.write(at[len(at)-1].PhysicalOffset, []byte("torn"))
		}, old},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStore(t)
			c.harm(s, s.fillBetween(old, young))
			v := NewSurvey(s.log.Reader())
			v.Learn(v.Read(t.Context(), v.Segments()[:1]))
			if seg := v.Segments()[0]; seg.Last != c.last.UnixMilli() || seg.Unread {
				t.Errorf("%+v, want %d", seg, c.last.UnixMilli())
			}
		})
	}
}

// TestReadFault: pages that cannot be read are passed over; a reading that is told
// to end has read nothing, nor has one of a segment that has gone.
func TestReadFault(t *testing.T) {
	dir, fs := t.TempDir(), mapped.OS()
	log, err := commitlog.Open(commitlog.Options{FS: fs, Dir: dir, TmpDir: dir + "/tmp", SegmentSize: 16 * segmentSize})
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	log.Restore(0, 0, 0)
	app := log.Appender(log.Allocator(), commitlog.NewOffsetTable())
	for range 400 {
		err := mapped.Guard(func() {
			_, err = app.Append(&record.Message{Topic: "T", Body: make([]byte, 300)}, noon.UnixMilli())
		})
		if err != nil || app.Publish() != nil {
			t.Fatal(err)
		}
	}
	v := NewSurvey(log.Reader())
	whole := v.Segments()[0]
	whole.Last = 1
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if read := v.Read(ended, []Segment{whole}); len(read) > 0 {
		t.Errorf("ended: %+v", read)
	}
	if read := v.Read(t.Context(), []Segment{{Offset: 1 << 40, Size: whole.Size, Last: 1}, whole}); len(read) > 0 {
		t.Errorf("one that has gone: %+v", read)
	}
	if err := os.Truncate(dir+"/"+mapped.Name(0), segmentSize); err != nil {
		t.Fatal(err)
	}
	if read := v.Read(t.Context(), []Segment{whole}); len(read) != 1 || read[0].Last != noon.UnixMilli() {
		t.Errorf("cut behind its first page: %+v", read)
	}
}
