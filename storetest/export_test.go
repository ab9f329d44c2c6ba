package storetest

import "testing"

// Left fails the test for files and mappings that a closed store has left open.
func Left(t testing.TB, s *Store) {
	t.Helper()
	if files, maps := s.disk.OpenFiles(), s.disk.Mappings(); files != 0 || maps != 0 {
		t.Errorf("closed, with %d files and %d mappings left open", files, maps)
	}
}
