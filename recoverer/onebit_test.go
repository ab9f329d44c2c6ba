package recoverer_test

import (
	"fmt"
	"strings"
	"testing"
)

// bitOf tells where a record holds what a damage changes, and by what.
var bitOf = map[string]struct {
	at   int64
	flip byte
}{
	"queue":  {15, 1},
	"number": {21, 4}, // by 2^42
	"two":    {27, 2}, // by 2
	"time":   {57, 1}, // by 2^48 ms
	"body":   {100, 4},
}

// TestOneBit damages a few records, each by one bit: those that are whole are all
// served under their numbers, and the order of damages takes none of them away.
func TestOneBit(t *testing.T) {
	for _, c := range []struct {
		name     string
		log      string // topics, with what is damaged; behind | nothing is dispatched
		anothers bool   // without mark and summary
		do       func(s *store, at []int64)
		options  []option
	}{
		{"a damaged number makes none old", "T | T~number T~number U U~body T U", true, nil, nil},
		{"a number that no checksum shows makes none old", "T | T~number U U~body T U", true, nil, []option{withoutCRC}},
		{"a first one neither", "| T~number U U~body T U", true, nil, []option{withoutCRC}},
		{"nor does a damaged unit", "T T U T T ^ T~body U T", false, func(s *store, at []int64) { s.pointTo("U", 1, at[3]) }, nil},
		{"a time makes none old", "T T T~time T~body T U T", true, nil, []option{withoutCRC}},
		{"a number that went back takes none away", "T T T T~two U~body T U", false, nil, []option{withoutCRC}},
		{"at the end neither", "T T T~two U", false, nil, []option{withoutCRC}},
		{"the last one may lack the one before", "T | T~queue U T U", false, nil, []option{withoutCRC}},
		{"a queue does not begin with any number", "| T~number T U", false, nil, []option{withoutCRC}},
		{"nor does one that stands", "T~number T U T", true, nil, []option{withoutCRC}},
	} {
		t.Run(c.name, func(t *testing.T) { oneBit(t, c.log, c.anothers, c.do, c.options) })
	}
}

func oneBit(t *testing.T, log string, anothers bool, do func(*store, []int64), options []option) {
	s := open(t, newFS(), options...)
	dispatched := true
	var at []int64
	var hurt []func()
	want := map[string][]string{}
	for _, word := range strings.Fields(log) {
		switch word {
		case "|":
			dispatched = false
			continue
		case "^":
			s.mark()
			continue
		}
		topic, bit, damaged := strings.Cut(word, "~")
		i := len(want[topic])
		r := s.add(message(topic, 0, i, 200))
		s.flush()
		if dispatched {
			s.dispatch()
		}
		at = append(at, r.PhysicalOffset)
		if damaged {
			b := bitOf[bit]
			hurt = append(hurt, func() { s.change(r.PhysicalOffset+b.at, b.flip) })
			want[topic] = append(want[topic], "")
		} else {
			want[topic] = append(want[topic], fmt.Sprintf("%d:%c", i, 'a'+i))
		}
	}
	s.kill()
	for _, f := range hurt {
		f()
	}
	if do != nil {
		do(s, at)
	}
	if anothers {
		remove(t, s.fs, s.layout.Ours())
	}
	for range 2 {
		s = open(t, s.fs, append(options, checkQueues)...)
		for topic, all := range want {
			got := s.read(topic, 0)
			for _, m := range all {
				if !strings.Contains(" "+got+" ", " "+m+" ") && m != "" {
					t.Errorf("%s holds %s, want %s\n%v", topic, got, m, s.report.Findings)
				}
			}
		}
		s.kill()
	}
}
