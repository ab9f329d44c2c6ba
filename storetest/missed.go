package storetest

import (
	"strings"
	"testing"
)

// MustStrike fails the test for each fault that has not struck in the stores, which
// may be meant or not: the n-th message never came. Check only logs them. Call it
// in front of Reopen, which begins a new script.
func MustStrike(t testing.TB, stores ...*Store) {
	t.Helper()
	for _, s := range stores {
		if list := s.Missed(); len(list) > 0 {
			t.Errorf("has not struck: %s\n%s", strings.Join(list, ", "), s.replay())
		}
	}
}

// Missed lists the faults, of the script and of Add, that have not struck since the
// store was opened last, as Go source. One that repeats needs to strike once.
func (s *Store) Missed() (list []string) {
	struck := make(map[string]int)
	for _, f := range s.Struck() {
		struck[f]++
	}
	s.engine.mu.Lock()
	defer s.engine.mu.Unlock()
	for _, f := range s.engine.faults {
		if name := f.String(); struck[name] == 0 {
			list = append(list, name)
		} else if f.every == 0 { // there may be another one like it
			struck[name]--
		}
	}
	return list
}
