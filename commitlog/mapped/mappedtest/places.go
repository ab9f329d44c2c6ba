package mappedtest

import (
	"fmt"
	"iter"
	"runtime"
)

// place is where a call of the file system comes from: a stack of calls.
type place [40]uintptr

// here is the place of the call that has arrived at a script.
func here() (p place) {
	runtime.Callers(6, p[:]) // but for Callers, here, fits, arrive, do and the call itself
	return p
}

// EachPlace gives copies of an image, each behind a script that makes calls fail with
// err: for each place in the code that calls the file system the first one, and then
// all. Behind the first script, which learns the places, nothing fails. A script that
// is cleared looks no further.
//
// Calls of goroutines come in any order, and some of them only now and then, so a
// number does not find one again, and a script may meet its call no more.
// See Script.Failed.
func EachPlace(base *FS, stride int, err error) iter.Seq2[*FS, *Script] {
	return func(yield func(*FS, *Script) bool) {
		var places []place
		known := map[place]bool{}
		tried, met := 0, 0
		rule := Rule{from: func(p place) bool {
			if !known[p] {
				known[p], places = true, append(places, p)
			}
			return false
		}}
		for i := -1; i < 2*len(places); i++ {
			if i >= 0 && i/2%stride != 0 {
				continue
			}
			if i >= 0 {
				rule = Rule{Err: err, Forever: i%2 == 1, from: func(p place) bool { return p == places[i/2] }}
			}
			image := base.Kill()
			script := NewScript(image, rule)
			if !yield(image, script) {
				return
			}
			if _, failed := script.Failed(); failed {
				met++
			}
			tried++
		}
		if met < tried/2 {
			panic(fmt.Sprintf("mappedtest: of %d places that call the file system only %d were met again", tried/2, met/2))
		}
	}
}
