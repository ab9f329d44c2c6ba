package storetest

import (
	"strings"
	"testing"
	"time"
)

// That a store did not close was dropped by the end of its test.
func TestCloseFailsTheTest(t *testing.T) {
	Virtual(t, func(t *testing.T) {
		for _, byFault := range []bool{false, true} {
			o := Options()
			o.RestartBudget = 0
			s := Open(t, o, nil)
			if byFault {
				s.Kill("append")
			} else { // nobody has said that it shall
				_ = s.Actors().StopActor("append")
			}
			time.Sleep(time.Second)
			if s.Told("read-only") != 1 {
				t.Fatal(s.Events())
			}
			j := &judge{TB: t}
			s.finish(j)
			if told := strings.Join(j.told, " "); strings.Contains(told, "close: ") == byFault {
				t.Errorf("by a fault: %t, told %q", byFault, told)
			}
		}
	})
}

// What a closed store leaves open was never looked at.
func TestLeft(t *testing.T) {
	s := filled(t, 3)
	j := &judge{TB: t}
	Left(j, s)
	if len(j.told) != 1 {
		t.Error("a store that is open has no file open")
	}
	if err := s.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	Left(t, s)
}
