package storetest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/actorstore/actorstore"
	"github.com/actorstore/actorstore/actors"
	"github.com/actorstore/actorstore/commitlog"
	"github.com/actorstore/actorstore/commitlog/mapped/mappedtest"
	"github.com/actorstore/actorstore/flusher"
)

// judge is a test that only notes what it is told.
type judge struct {
	testing.TB
	told []string
}

func (j *judge) Helper() {}
func (j *judge) Errorf(format string, args ...any) {
	j.told = append(j.told, fmt.Sprintf(format, args...))
}

// finds wants Check to fail a test with words of one violation.
func finds(t *testing.T, s *Store, words ...string) {
	t.Helper()
	j := &judge{TB: t}
	Check(j, s)
	all := strings.Join(j.told, "\n")
	for _, w := range words {
		if !strings.Contains(all, w) {
			t.Errorf("Check does not tell of %q but says %q", w, all)
		}
	}
}

func sound(t *testing.T, list []Violation) {
	t.Helper()
	for _, v := range list {
		t.Errorf("nothing was planted, and it says %v", v)
	}
}

func tells(t *testing.T, list []Violation, invariant, words string) {
	t.Helper()
	for _, v := range list {
		if v.Invariant == invariant && strings.Contains(v.Text, words) {
			return
		}
	}
	t.Errorf("want %s with %q, got %v", invariant, words, list)
}

func msg(queue int32, body string) *actorstore.Message {
	return &actorstore.Message{Topic: "t", QueueID: queue, Body: []byte(body)}
}

// filled is a store with n messages at rest.
func filled(t *testing.T, n int, change ...func(*actorstore.Options)) *Store {
	t.Helper()
	o := Options()
	for _, f := range change {
		f(&o)
	}
	s := Open(t, o, nil)
	for i := range n {
		if _, err := s.Put(context.Background(), msg(int32(i%3), fmt.Sprint(i, strings.Repeat("x", i%700)))); err != nil {
			t.Fatal(err)
		}
	}
	Check(t, s)
	return s
}

// taken is a look at it.
func taken(t *testing.T, s *Store) *look {
	t.Helper()
	l, err := s.look(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(l.close)
	return l
}

func TestPlantedI1(t *testing.T) {
	good := actors.Watermarks{Min: 1, Dispatched: 2, Confirm: 3, Flushed: 3, Appended: 4}
	sound(t, order(actorstore.State{Watermarks: good}, true))
	for want, m := range map[string]actors.Watermarks{
		"min <= dispatched":     {Min: 3, Dispatched: 2, Confirm: 3, Flushed: 3, Appended: 4},
		"dispatched <= confirm": {Min: 1, Dispatched: 4, Confirm: 3, Flushed: 3, Appended: 4},
		"confirm <= appended":   {Min: 1, Dispatched: 2, Confirm: 5, Flushed: 3, Appended: 4},
		"flushed <= appended":   {Min: 1, Dispatched: 2, Confirm: 3, Flushed: 5, Appended: 4},
		"confirm <= flushed":    {Min: 1, Dispatched: 2, Confirm: 3, Flushed: 2, Appended: 4},
	} {
		tells(t, order(actorstore.State{Watermarks: m}, true), "I1", want)
	}
	w := &watch{}
	state := actorstore.State{Watermarks: good}
	w.begin(func() (actorstore.State, error) { return state, nil }, true)
	w.look()
	sound(t, w.violations())
	state.Watermarks.Flushed--
	state.Watermarks.Confirm--
	w.look()
	tells(t, w.violations(), "I1", "went back")
}

func TestPlantedI2(t *testing.T) {
	l := taken(t, filled(t, 800))
	sound(t, l.segments())
	if l.state.Watermarks.Appended < 2*l.segment {
		t.Fatal("no border of a segment")
	}
	record, blank := l.entries[3], 0
	for i, e := range l.entries {
		if e.blank {
			blank = i
		}
	}
	l.entries[3].offset += 8
	tells(t, l.segments(), "I2", "is due")
	l.entries[3] = record
	l.entries[3].size = int(l.segment)
	tells(t, l.segments(), "I2", "crosses")
	l.entries[3] = record
	if blank == 0 {
		t.Fatal("no BLANK")
	}
	l.entries[blank].size -= 8
	tells(t, l.segments(), "I2", "BLANK")
}

func TestPlantedI3(t *testing.T) {
	s := filled(t, 50)
	for at := range s.seen {
		s.seen[at]++ // as if it had been other bytes
		break
	}
	finds(t, s, "I3", "has changed")
	s.seen[s.options.MappedFileSizeCommitLog-1] = 1
	finds(t, s, "I3", "is gone")
	Check(t, s)
	damage(t, s, "/store/commitlog/00000000000000000000", taken(t, s).entries[7].offset+90)
	finds(t, s, "I3", "cannot be read")
}

// damage flips a byte behind the store's back.
func damage(t *testing.T, s *Store, path string, at int64) {
	t.Helper()
	f, err := s.disk.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	b := make([]byte, 1)
	if _, err := f.ReadAt(b, at); err != nil {
		t.Fatal(err)
	}
	b[0] ^= 0x55
	if _, err := f.WriteAt(b, at); err != nil {
		t.Fatal(err)
	}
}

func TestPlantedI4(t *testing.T) {
	l := taken(t, filled(t, 50))
	sound(t, l.dense(nil))
	l.entries[30].number += 5
	tells(t, l.dense(nil), "I4", "is due")
	l.entries[30].number = 0
	tells(t, l.dense(nil), "I4", "is due")
	l.entries[30].number = 0
	for i := 31; i < len(l.entries); i++ { // as if the topic had begun anew there
		l.entries[i].number = int64(i-30) / 3
	}
	if len(l.dense(map[string]bool{"t": true})) > 2 { // the other two queues
		t.Errorf("a topic that was deleted begins anew: %v", l.dense(map[string]bool{"t": true}))
	}
}

func TestPlantedI5(t *testing.T) {
	s := filled(t, 60)
	l := taken(t, s)
	sound(t, l.pointed(nil))
	q := l.queues[queueKey{"t", 1}]
	was := q.units[4]
	q.units[4].offset++
	tells(t, l.pointed(nil), "I5", "points at")
	q.units[4] = was
	q.units[4].number++
	tells(t, l.pointed(nil), "I5", "queue offset")
	q.units[4] = was
	l.state.Watermarks.Confirm = was.offset
	tells(t, l.pointed(nil), "I5", "above confirm")
	l.state.Watermarks.Confirm = l.end
	q.max--
	q.units = q.units[:len(q.units)-1]
	tells(t, l.pointed(nil), "I5", "has no unit")
	damage(t, s, "/store/consumequeue/t/1/00000000000000000000", 4*20+7)
	finds(t, s, "I5: t-1")
}

func TestPlantedI6(t *testing.T) {
	r := actorstore.PutResult{PhysicalOffset: 100, Size: 50, Durability: flusher.Flushed}
	sound(t, durable(r, 150))
	tells(t, durable(r, 149), "I6", "flushed is 149")
	r.Durability = flusher.Written
	tells(t, durable(r, 150), "I6", "PUT_OK")
}

func TestPlantedI7(t *testing.T) {
	for _, syncFlush := range []bool{true, false} {
		w := &watch{}
		state := actorstore.State{Watermarks: actors.Watermarks{Confirm: 10, Flushed: 10, Appended: 20}}
		w.begin(func() (actorstore.State, error) { return state, nil }, syncFlush)
		w.look()
		state.ReadOnly = fmt.Errorf("%w: %w", commitlog.ErrReadOnly, errors.New("disk"))
		w.look()
		state.Watermarks.Appended++ // what was encoded already
		w.look()
		sound(t, w.violations())
		state.Watermarks.Flushed++
		w.look()
		tells(t, w.violations(), "I7", "moved")
	}
}

func TestPlantedHistory(t *testing.T) {
	s := filled(t, 30)
	ok := actorstore.PutResult{QueueOffset: 3, PhysicalOffset: 0, Size: 1 << 20}
	s.History.Note(msg(0, "of somebody else"), ok, nil)
	finds(t, s, "another body", "two puts")
	s = filled(t, 30)
	s.History.Note(msg(0, "never stored"), actorstore.PutResult{QueueOffset: 99}, nil)
	s.History.puts[len(s.History.puts)-1].end = 1 << 40
	finds(t, s, "is not in the log")
	s = filled(t, 30)
	s.History.puts[4].key = "another"
	finds(t, s, "is not found by its key")
	s = filled(t, 30)
	s.History.puts[4].outcome = refused
	finds(t, s, "was put 0 times")
	s = filled(t, 30)
	s.History.puts[4].begun, s.History.puts[4].ended = 1000, 1001 // the later ones of its queue were answered before
	finds(t, s, "was answered before")
}

// A store that does not come to rest is told of.
func TestPlantedProgress(t *testing.T) {
	Virtual(t, func(t *testing.T) {
		s := filled(t, 3)
		gate := make(chan struct{}) // a hang that is none of ours
		s.Disk().Add(mappedtest.Rule{Path: "queuefile-*", Forever: true, Before: func() { <-gate }})
		for i := range 10 {
			if _, err := s.Put(context.Background(), msg(int32(i), "x")); err != nil {
				t.Fatal(err)
			}
		}
		finds(t, s, "progress: not dispatched")
		close(gate)
		Check(t, s)
	})
}

// A disk that lies about its syncs loses what was acknowledged, and Check tells.
func TestPlantedLoss(t *testing.T) {
	s := filled(t, 10, func(o *actorstore.Options) { o.FlushDiskType = actorstore.SyncFlush })
	s.Disk().Add(mappedtest.Rule{Op: mappedtest.OpDatasync, Path: "/store/commitlog/*", Forever: true, Lie: true})
	for i := range 10 {
		if _, err := s.Put(context.Background(), msg(0, fmt.Sprint("lost ", i))); err != nil {
			t.Fatal(err)
		}
	}
	s.PowerCut(1, mappedtest.Nothing)
	if err := s.Reopen(context.Background(), nil); err != nil {
		t.Fatal(err)
	}
	finds(t, s, "history: put 10, answered PUT_OK")
	if err := s.Close(context.Background()); err != nil {
		t.Error(err)
	}
}

// What a failed test prints repeats it.
func TestReplay(t *testing.T) {
	s := Open(t, Options(), Script{PanicAt("dispatch", 1), FailCall(mappedtest.OpDatasync, 3, os.ErrInvalid).Under("mark").After(time.Hour)})
	_, err := s.Put(context.Background(), msg(0, "x"))
	if err := Await(context.Background(), func() bool { return s.Told("restarted dispatch") == 1 }); err != nil {
		t.Fatal(err)
	}
	s.History.breaks(Violation{"I6", "planted"})
	finds(t, s, `I6: planted`, `storetest.Script{storetest.PanicAt("dispatch", 1), storetest.FailCall(mappedtest.OpDatasync, 3, errors.New("invalid argument")).Under("mark").After(1*time.Hour)}`, "restarted dispatch")
	if err != nil {
		t.Error(err)
	}
}
