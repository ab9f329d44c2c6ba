package retention

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/actorstore/actorstore/commitlog/mapped"
	"pgregory.net/rapid"
)

const hour = time.Hour

var noon = time.Date(2024, 5, 6, 12, 0, 0, 0, time.UTC)

// aged makes segments of 100 bytes that ended so many hours before noon; NaN is
// an unknown time. Behind them stands the one in use.
func aged(hoursAgo ...float64) State {
	s := State{LogDisk: disk(50), QueueDisk: disk(50), Manual: true}
	for i, h := range hoursAgo {
		seg := Segment{Offset: int64(i) * 100, Size: 100}
		if !math.IsNaN(h) {
			seg.Last = noon.Add(-time.Duration(h * float64(hour))).UnixMilli()
		}
		s.Segments = append(s.Segments, seg)
	}
	end := int64(len(hoursAgo)) * 100
	s.Segments = append(s.Segments, Segment{Offset: end, Size: 100, Last: noon.UnixMilli()})
	s.Newest = noon.UnixMilli()
	s.Appended, s.Flushed, s.Confirm, s.Dispatched = end+50, end+50, end+50, end+50
	return s
}

// disk is one of 1000 bytes that is used to so many percent.
func disk(percent int64) mapped.DiskUsage {
	return mapped.DiskUsage{Total: 1000, Used: percent * 10, Free: 1000 - percent*10}
}

func core(t interface{ Fatal(...any) }, change func(*Policy)) *Core {
	p := DefaultPolicy()
	if change != nil {
		change(&p)
	}
	c, err := New(p)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func step(t *testing.T, p func(*Policy), s State) Decision {
	t.Helper()
	return core(t, p).Step(s, Now{Wall: noon})
}

var nan = math.NaN()

// TestAge: what has expired is a prefix, and only a prefix.
func TestAge(t *testing.T) {
	for _, c := range []struct {
		name    string
		ages    []float64
		below   int64
		blocked Blocked
	}{
		{"none old", []float64{3, 2, 1}, 0, Blocked{0, Unexpired}},
		{"two old", []float64{100, 73, 71, 1}, 200, Blocked{200, Unexpired}},
		{"exactly", []float64{72, 71.999}, 100, Blocked{100, Unexpired}},
		{"F37: the third and the fourth only", []float64{10, 9, 100, 100, 2, 1}, 0, Blocked{0, Unexpired}},
		{"all old, the one in use stays", []float64{400, 300, 200}, 300, Blocked{300, InUse}},
		{"F37: in the future", []float64{-1000, -1000}, 0, Blocked{0, Unexpired}},
		{"F39: unknown first", []float64{nan, 500, 400}, 0, Blocked{0, TimeUnknown}},
		{"F39: unknown behind", []float64{500, nan, 400}, 100, Blocked{100, TimeUnknown}},
		{"nothing but the one in use", nil, 0, Blocked{0, InUse}},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := step(t, nil, aged(c.ages...))
			if d.ExpireBelow != c.below || d.Blocked != c.blocked || d.RefusePuts || d.More {
				t.Errorf("%+v, want below %d, %v", d, c.below, c.blocked)
			}
			for i, e := range d.Expired {
				if e.Offset != int64(i)*100 || e.Reason != Age {
					t.Errorf("expired %d: %+v", i, e)
				}
			}
		})
	}
	for _, last := range []int64{0, -1, math.MinInt64} { // F39: padding read as 1970
		s := aged(5, 4)
		s.Segments[0].Last = last
		if d := step(t, nil, s); d.ExpireBelow != 0 || d.Blocked.Why != TimeUnknown {
			t.Errorf("last %d: %+v", last, d)
		}
	}
	if d := core(t, nil).Step(State{Manual: true}, Now{Wall: noon}); d.ExpireBelow != 0 || d.Expired != nil {
		t.Errorf("empty log: %+v", d)
	}
}

// TestProtected (R2): no reason is good enough for these.
func TestProtected(t *testing.T) {
	for why, change := range map[Why]func(*State){
		NotFlushed:    func(s *State) { s.Flushed = 199 },
		NotConfirmed:  func(s *State) { s.Confirm = 150 },
		NotDispatched: func(s *State) { s.Dispatched = 101 },
		NotReplicated: func(s *State) { s.HasReplicas, s.Replicated = true, 199 },
		InUse:         func(s *State) { s.Appended, s.Flushed, s.Confirm, s.Dispatched = 200, 200, 200, 200 },
	} {
		s := aged(400, 300, 200)
		change(&s)
		s.LogDisk = disk(99)
		d := step(t, func(p *Policy) { p.MaxStoreSize = 1 }, s)
		if d.ExpireBelow != 100 || d.Blocked != (Blocked{100, why}) || !d.RefusePuts {
			t.Errorf("%v: %+v", why, d)
		}
	}
	s := aged(400, 300)
	s.Replicated = 0 // no replicas: it counts for nothing
	if d := step(t, nil, s); d.ExpireBelow != 200 {
		t.Errorf("without replicas: %+v", d)
	}
}

// TestWhen: what has expired goes in certain hours, when the disk fills, or when
// somebody asks.
func TestWhen(t *testing.T) {
	at := func(h int) time.Time { return time.Date(2024, 5, 6, h, 59, 59, 0, time.UTC) }
	for _, c := range []struct {
		name    string
		when    string
		hour    int
		disk    mapped.DiskUsage
		queues  mapped.DiskUsage
		manual  bool
		deletes bool
	}{
		{"default hour", "04", 4, disk(10), disk(10), false, true},
		{"hour after", "04", 5, disk(10), disk(10), false, false},
		{"second of two", "04;16", 16, disk(10), disk(10), false, true},
		{"midnight", "0", 0, disk(10), disk(10), false, true},
		{"manual", "04", 5, disk(10), disk(10), true, true},
		{"disk at 75", "04", 5, disk(75), disk(10), false, false},
		{"disk at 76", "04", 5, disk(76), disk(10), false, true},
		{"queue disk at 76", "04", 5, disk(10), disk(76), false, true},
		{"unreadable", "04", 5, mapped.DiskUsage{}, disk(10), false, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := aged(200, 1)
			s.LogDisk, s.QueueDisk, s.Manual = c.disk, c.queues, c.manual
			d := core(t, func(p *Policy) { p.DeleteWhen = c.when }).Step(s, Now{Wall: at(c.hour)})
			if (d.ExpireBelow == 100) != c.deletes || d.ExpireBelow > 100 {
				t.Errorf("%+v", d)
			}
		})
	}
	zone := time.FixedZone("east", 8*3600)
	s := aged(200, 1)
	s.Manual = false
	if d := core(t, nil).Step(s, Now{Wall: at(20).In(zone)}); d.ExpireBelow != 100 {
		t.Errorf("04 local time: %+v", d)
	}
}

// TestForced: a full disk takes unexpired data, no more than it must.
func TestForced(t *testing.T) {
	for _, c := range []struct {
		name    string
		disk    int64 // percent of 1000 bytes
		leaving int64
		change  func(*Policy)
		below   int64
		refuse  bool
	}{
		{"at 85", 85, 0, nil, 0, false},
		{"at 86: ten bytes too many", 86, 0, nil, 100, false},
		{"at 90", 90, 0, nil, 100, false},
		{"at 91", 91, 0, nil, 100, true},
		{"at 99", 99, 0, nil, 200, true},
		{"at 99, some on the way out", 99, 100, nil, 100, true},
		{"at 99, enough on the way out", 99, 200, nil, 0, true},
		{"not allowed", 99, 0, func(p *Policy) { p.CleanFileForciblyEnable = false }, 0, true},
		{"batch of one", 99, 0, func(p *Policy) { p.DeleteFileBatchMax = 1 }, 100, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := aged(9, 8, 7, 6, 5)
			s.Manual = false
			s.LogDisk, s.Leaving = disk(c.disk), c.leaving
			d := step(t, c.change, s)
			if d.ExpireBelow != c.below || d.RefusePuts != c.refuse {
				t.Errorf("%+v", d)
			}
			for _, e := range d.Expired {
				if e.Reason != Forced {
					t.Errorf("%+v", e)
				}
			}
		})
	}
	s := aged(9, 8, nan, 7)
	s.QueueDisk = disk(95)
	if d := step(t, nil, s); d.ExpireBelow != 100 || !d.RefusePuts || d.Expired[0].Reason != Forced {
		t.Errorf("queue disk: one at a time: %+v", d)
	}
	s = aged(nan, 8)
	s.LogDisk = disk(95)
	if d := step(t, nil, s); d.ExpireBelow != 100 {
		t.Errorf("a full disk does not ask for times: %+v", d)
	}
}

// TestSize: MaxStoreSize counts segments, queues and index.
func TestSize(t *testing.T) {
	for max, below := range map[int64]int64{0: 0, 5000: 0, 650: 0, 649: 100, 550: 100, 549: 200, 1: 500} {
		s := aged(5, 4, 3, 2, 1) // 600 bytes
		s.QueueBytes, s.Manual = 50, false
		d := step(t, func(p *Policy) { p.MaxStoreSize = max }, s)
		if d.ExpireBelow != below {
			t.Errorf("max %d: %+v", max, d)
		}
		if below > 0 && d.Expired[0].Reason != Size {
			t.Errorf("max %d: %+v", max, d)
		}
	}
}

// TestBatch (R4).
func TestBatch(t *testing.T) {
	c := core(t, nil)
	ages := make([]float64, 25)
	for i := range ages {
		ages[i] = 500
	}
	s := aged(ages...)
	for _, want := range []struct {
		n    int
		more bool
	}{{10, true}, {10, true}, {5, false}, {0, false}} {
		d := c.Step(s, Now{Wall: noon})
		if len(d.Expired) != want.n || d.More != want.more {
			t.Fatalf("%d expired, more %v; want %v", len(d.Expired), d.More, want)
		}
		s.Segments = s.Segments[len(d.Expired):]
	}
}

// TestRefusal: puts are refused above 90 and taken again at 85.
func TestRefusal(t *testing.T) {
	c := core(t, nil)
	for i, v := range []struct {
		log, queues int64
		refuse      bool
	}{
		{50, 50, false}, {90, 50, false}, {91, 50, true}, {90, 50, true}, {86, 50, true}, {85, 50, false}, {90, 50, false},
		{50, 91, true}, {50, 86, true}, {91, 86, true}, {50, 85, false},
	} {
		if s := c.Space(disk(v.log), disk(v.queues)); s.RefusePuts != v.refuse {
			t.Errorf("step %d %+v: %+v", i, v, s)
		}
	}
	c.Space(disk(95), disk(50))
	if s := c.Space(mapped.DiskUsage{}, disk(50)); !s.RefusePuts || !s.Clean || s.AtOnce {
		t.Errorf("unreadable leaves it as it was: %+v", s)
	}
	if got := percent(mapped.DiskUsage{Used: 9001, Free: 999}); got != 91 {
		t.Errorf("rounded up: %d", got)
	}
	if got := percent(mapped.DiskUsage{Used: 29, Free: 71}); got != 29 {
		t.Errorf("29 of 100: %d", got)
	}
}

func TestPolicy(t *testing.T) {
	for when, ok := range map[string]bool{"04": true, "4": true, "04;16": true, "00;23": true, " 4 ; 5 ": true,
		"": false, "24": false, "-1": false, "04;": false, "4,5": false, "x": false, "0x4": false} {
		p := DefaultPolicy()
		p.DeleteWhen = when
		if err := p.Validate(); (err == nil) != ok {
			t.Errorf("%q: %v", when, err)
		} else if err != nil && !strings.Contains(err.Error(), "deleteWhen") {
			t.Errorf("%q: %v", when, err)
		}
	}
	for i, change := range []func(*Policy){
		func(p *Policy) { p.FileReservedTime = 0 }, func(p *Policy) { p.FileReservedTime = -hour },
		func(p *Policy) { p.MaxStoreSize = -1 }, func(p *Policy) { p.DeleteFileBatchMax = 0 },
	} {
		p := DefaultPolicy()
		change(&p)
		if _, err := New(p); err == nil {
			t.Errorf("bad policy %d was taken", i)
		}
	}
	low := Policy{DiskMaxUsedSpaceRatio: 1, DiskSpaceCleanForciblyRatio: -5}.Clamped()
	high := Policy{DiskMaxUsedSpaceRatio: 100, DiskSpaceCleanForciblyRatio: 99, DiskSpaceWarningLevelRatio: 99}.Clamped()
	if low.DiskMaxUsedSpaceRatio != 10 || low.DiskSpaceCleanForciblyRatio != 30 || low.DiskSpaceWarningLevelRatio != 35 ||
		high.DiskMaxUsedSpaceRatio != 95 || high.DiskSpaceCleanForciblyRatio != 85 || high.DiskSpaceWarningLevelRatio != 90 {
		t.Errorf("%+v %+v", low, high)
	}
	for _, s := range []fmt.Stringer{Stays, Age, Size, Forced, Free, NotReplicated, TimeUnknown} {
		if s.String() == "" || strings.Contains(s.String(), "(") {
			t.Errorf("%q", s)
		}
	}
}

// TestProperties: whatever the state, what goes is a free prefix of at most a
// batch, and segments that are young by any honest clock stay unless the disk or
// the size demands it.
func TestProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 20).Draw(t, "segments")
		ages := make([]float64, n)
		for i := range ages {
			ages[i] = rapid.SampledFrom([]float64{0, 1, 71, 72, 73, 1000, -5, -1e6, nan}).Draw(t, "age")
		}
		s := aged(ages...)
		s.Manual = rapid.Bool().Draw(t, "manual")
		end := int64(n)*100 + 50
		mark := rapid.Int64Range(0, end)
		s.Flushed, s.Confirm, s.Dispatched = mark.Draw(t, "flushed"), mark.Draw(t, "confirm"), mark.Draw(t, "dispatched")
		s.HasReplicas, s.Replicated = rapid.Bool().Draw(t, "replicas"), mark.Draw(t, "replicated")
		s.LogDisk, s.QueueDisk = disk(rapid.Int64Range(0, 100).Draw(t, "log")), disk(rapid.Int64Range(0, 100).Draw(t, "queues"))
		max := rapid.Int64Range(0, 3000).Draw(t, "max")
		c := core(t, func(p *Policy) { p.MaxStoreSize = max })
		d := c.Step(s, Now{Wall: noon})
		if len(d.Expired) > 10 {
			t.Fatalf("%d at once", len(d.Expired))
		}
		limit := min(s.Flushed, s.Confirm, s.Dispatched)
		if s.HasReplicas {
			limit = min(limit, s.Replicated)
		}
		if d.ExpireBelow > limit || d.ExpireBelow >= s.Appended {
			t.Fatalf("below %d, free below %d", d.ExpireBelow, limit)
		}
		for i, e := range d.Expired {
			if e.Offset != int64(i)*100 {
				t.Fatalf("no prefix: %+v", d.Expired)
			}
			if e.Reason == Age && !(ages[i] >= 72) {
				t.Fatalf("segment of age %v expired", ages[i])
			}
			if e.Reason == Forced && s.LogDisk.Used <= 850 && s.QueueDisk.Used <= 850 || e.Reason == Size && max == 0 {
				t.Fatalf("no cause for %+v", e)
			}
		}
	})
}

// FuzzDeleteWhen: what is taken names hours of the day and nothing else.
func FuzzDeleteWhen(f *testing.F) {
	for _, s := range []string{"04", "04;16", "", "24", ";", "4;4", "+4"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, when string) {
		h, err := parseHours(when)
		if err == nil && (h == 0 || h >= 1<<24) || err != nil && h != 0 {
			t.Errorf("%q: %b %v", when, h, err)
		}
	})
}
