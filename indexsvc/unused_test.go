package indexsvc_test

import (
	"slices"
	"testing"

	"github.com/actorstore/actorstore/indexsvc"
)

// TestUnusedFilesGoWithTheOthers: a file that passes for unused is taken out with
// those in front of it or behind it, or stays where it is, and is kept aside.
func TestUnusedFilesGoWithTheOthers(t *testing.T) {
	for lost := range 4 {
		for from := range 4 {
			fsys, s := fourFiles(t)
			files := s.Files()
			writeFile(t, fsys, files[lost].Path, make([]byte, files[lost].Size()))
			s = open(t, fsys, 7, 30) // of another size, or it would be one without keys
			if got := s.Unused(); !slices.Equal(got, []string{files[lost].Path}) {
				t.Fatalf("unused %v", got)
			}
			if err := s.DropFrom(files[from].Name, aside); err != nil {
				t.Fatal(err)
			}
			gone := lost >= from
			for _, look := range []*indexsvc.Service{s, open(t, fsys, 7, 30)} {
				if (len(look.Unused()) == 0) != gone {
					t.Errorf("%d lost, dropped from %d: unused %v", lost, from, look.Unused())
				}
			}
			if got := names(t, fsys, aside); len(got) != 4-from || gone != slices.Contains(got, "index-"+files[lost].Name) {
				t.Errorf("%d lost, dropped from %d: aside %v", lost, from, got)
			}
		}
	}
}
