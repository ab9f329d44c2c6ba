package reader

import (
	"errors"
	"fmt"
	"testing"

	"github.com/actorstore/actorstore/commitlog/record"
)

func TestView(t *testing.T) {
	s := newStore(t, shape{segment: 4096})
	s.fill("T", 0, 50, 100)
	var got []string
	v, err := s.r.View(ctx, GetRequest{Topic: "T", Offset: 10, MaxCount: 30}, func(m *record.MessageExt) error {
		got = append(got, string(m.Body[:10]))
		return nil
	})
	if err != nil || len(got) != 30 || got[0] != "T-0-000010" || got[29] != "T-0-000039" ||
		v.Count != 30 || v.NextOffset != 40 || !v.More || v.MaxOffset != 50 {
		t.Errorf("%v %v %+v", err, got, v)
	}
}

// TestViewError: the function's error comes back as it is, and the message that
// it refused is the next one.
func TestViewError(t *testing.T) {
	s := newStore(t, shape{})
	s.fill("T", 0, 10, 10)
	stop := errors.New("stop")
	for refuse, want := range map[int64]int64{0: 0, 4: 4, 9: 9} {
		v, err := s.r.View(ctx, GetRequest{Topic: "T", MaxCount: 32}, func(m *record.MessageExt) error {
			if m.QueueOffset == refuse {
				return stop
			}
			return nil
		})
		if err != stop || v.NextOffset != want || v.Count != int(refuse) {
			t.Errorf("refused %d: %v %+v", refuse, err, v)
		}
	}
	corrupt := &record.CorruptionError{Next: 99}
	if _, err := s.r.View(ctx, GetRequest{Topic: "T"}, func(*record.MessageExt) error { return corrupt }); err != error(corrupt) || corrupt.Next != 99 {
		t.Errorf("%v", err)
	}
}

// TestViewPanic: a panic of the function is not ours, and leaves the reader
// usable and no segment held.
func TestViewPanic(t *testing.T) {
	s := newStore(t, shape{})
	s.fill("T", 0, 10, 10)
	try := func(fn func(*record.MessageExt) error) (got any) {
		defer func() { got = recover() }()
		s.r.View(ctx, GetRequest{Topic: "T", MaxCount: 32}, fn)
		return nil
	}
	if got := try(func(*record.MessageExt) error { panic("mine") }); got != "mine" {
		t.Errorf("panic came out as %v", got)
	}
	var nobody *record.MessageExt
	got := try(func(m *record.MessageExt) error { m.Body = nobody.Body; return nil })
	if err, ok := got.(error); !ok || err.Error() != "runtime error: invalid memory address or nil pointer dereference" {
		t.Errorf("nil dereference came out as %v", got)
	}
	if n := s.log.Segments()[0].Holders(); n != 0 {
		t.Errorf("%d holders left", n)
	}
	g, err := s.get(GetRequest{Topic: "T"})
	if err != nil || len(g.Messages) != 10 {
		t.Errorf("afterwards: %v %+v", err, g.Place)
	}
}

// TestViewNests: the function may read on its own.
func TestViewNests(t *testing.T) {
	s := newStore(t, shape{})
	s.fill("T", 0, 5, 10)
	s.fill("U", 0, 5, 10)
	n := 0
	_, err := s.r.View(ctx, GetRequest{Topic: "T"}, func(m *record.MessageExt) error {
		g, err := s.get(GetRequest{Topic: "U", Offset: m.QueueOffset, MaxCount: 1})
		if err == nil && string(g.Messages[0].Body[:1]) != "U" {
			err = fmt.Errorf("got %s", g.Messages[0].Body)
		}
		if err == nil && string(m.Body[:1]) != "T" {
			err = fmt.Errorf("message became %s", m.Body)
		}
		n++
		return err
	})
	if err != nil || n != 5 {
		t.Error(err, n)
	}
}

// TestViewLendsOnlyMatches: a tag with the same hash is not the tag.
func TestViewLendsOnlyMatches(t *testing.T) {
	s := newStore(t, shape{})
	for i := range 10 {
		m := message("T", 0, fmt.Sprint(i))
		m.SetTags([]string{"Aa", "BB"}[i%2])
		s.put(m)
	}
	n := 0
	v, err := s.r.View(ctx, GetRequest{Topic: "T", Tags: "Aa"}, func(m *record.MessageExt) error {
		if n++; m.Tags() != "Aa" {
			t.Errorf("lent one with tag %s", m.Tags())
		}
		return nil
	})
	if err != nil || n != 5 || v.Count != 5 || v.NextOffset != 10 {
		t.Errorf("%v, %d lent, %+v", err, n, v)
	}
}
