package mappedtest

import "fmt"

// Mode says which of the unsynced changes a power cut leaves.
type Mode int

// Random takes everything by chance: names, lengths, pages, torn pages. The
// others are the corners; those that keep some pages keep all names and lengths
// so that the pages can be seen.
const (
	Random      Mode = iota // by the seed
	Nothing                 // only what was synced
	Everything              // all that was written
	LastPage                // of each file only its last dirty page
	FirstPage               // of each file only its first dirty page
	AllButFirst             // of each file all but its first dirty page
	LastFile                // of each directory only its last file's pages
	TornPages               // every dirty page torn, by the seed
	modes
)

// Modes lists all of them, for a sweep.
func Modes() []Mode {
	list := make([]Mode, modes)
	for i := range list {
		list[i] = Mode(i)
	}
	return list
}

// String is the name of the constant.
func (m Mode) String() string {
	names := [...]string{
		"Random", "Nothing", "Everything", "LastPage", "FirstPage", "AllButFirst", "LastFile", "TornPages",
	}
	if m < 0 || int(m) >= len(names) {
		return fmt.Sprintf("Mode(%d)", int(m))
	}
	return names[m]
}
