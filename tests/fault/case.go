package fault

import (
	"fmt"
	"strconv"
	"strings"
	"syscall"
)

// Errnos are what a failing call reports, by name.
var Errnos = []struct {
	Name string
	Err  syscall.Errno
}{
	{"EIO", syscall.EIO}, {"ENOSPC", syscall.ENOSPC}, {"EMFILE", syscall.EMFILE}, {"EFBIG", syscall.EFBIG},
}

// Ending is how a case ends before the store is opened again without fault.
type Ending uint8

// The endings.
const (
	ByClose    Ending = iota // closed; then, if that was clean, everything unsynced is gone
	ByKill                   // kill -9: the page cache stays
	ByDrop                   // kill -9, and the kernel has dropped its clean pages
	ByPowerCut               // an image of what a power cut may leave, by the seed
	endings
)

var endingNames = [endings]string{"close", "kill", "drop", "cut"}

// String is the name in a case.
func (e Ending) String() string { return endingNames[e] }

// Often is how often calls fail.
type Often uint8

// The ways.
const (
	Once    Often = iota // the one call
	There                // and all that do the same with the same path: a bad sector, a wrong owner
	Forever              // and all behind it: a disk that is gone
	often
)

var oftenNames = [often]string{"once", "there", "forever"}

// String is the name in a case.
func (o Often) String() string { return oftenNames[o] }

// Case is one run of the sweep.
type Case struct {
	Workload Workload
	K        int // which call fails; 0 = none
	Errno    int // index in Errnos
	Often    Often
	Ending   Ending
	Seed     uint64 // of the power cut
}

// String is what -fault.case takes.
func (c Case) String() string {
	return fmt.Sprintf("%s/%d/%s/%s/%s/%d", c.Workload.Name, c.K, Errnos[c.Errno].Name, c.Often, c.Ending, c.Seed)
}

// Command repeats the case.
func (c Case) Command() string {
	return fmt.Sprintf("go test ./tests/fault -run '^TestSweep$' -fault.case '%s'", c)
}

// ParseCase reads what String wrote.
func ParseCase(s string) (c Case, err error) {
	parts := strings.Split(s, "/")
	if len(parts) != 6 {
		return c, fmt.Errorf("case %q: want workload/k/errno/once|there|forever/ending/seed", s)
	}
	found := 0
	for _, w := range Workloads() {
		if w.Name == parts[0] {
			c.Workload = w
			found++
		}
	}
	for i, e := range Errnos {
		if e.Name == parts[2] {
			c.Errno = i
			found++
		}
	}
	for e, name := range endingNames {
		if name == parts[4] {
			c.Ending = Ending(e)
			found++
		}
	}
	for o, name := range oftenNames {
		if name == parts[3] {
			c.Often = Often(o)
			found++
		}
	}
	if found != 4 {
		return c, fmt.Errorf("case %q: no such workload, errno or ending", s)
	}
	if c.K, err = strconv.Atoi(parts[1]); err == nil {
		c.Seed, err = strconv.ParseUint(parts[5], 10, 64)
	}
	return c, err
}
