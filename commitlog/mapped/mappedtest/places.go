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

// EachPlace gives copies of an image, each behind a script that makes one call fail
// with err: of each place in the code that calls the file system the first, as a
// later call from there fails no differently. Behind the first script, which learns
// the places, nothing fails. A script that is cleared looks no further.
//
// Calls of goroutines come in any order, and some of them only now and then, so a
// number does not find one again, and a script may meet its call no more.
// See Script.Failed.
func EachPlace(base *FS, stride int, err error) iter.Seq2[*FS, *Script] {
	return func(yield func(*FS, *Script) bool) {
		places := []place{{}}
		known := map[place]bool{}
		met := 0
		for i := 0; i < len(places); i += stride {
			image := base.Kill()
			script := NewScript(image)
			if i == 0 {
				script.Add(Rule{from: func(p place) bool {
					if !known[p] {
						known[p], places = true, append(places, p)
					}
					return false
				}})
			} else {
				script.Add(Rule{Err: err, from: func(p place) bool { return p == places[i] }})
			}
			if !yield(image, script) {
				return
			}
			if _, failed := script.Failed(); failed {
				met++
			}
		}
		if tried := (len(places) - 1) / stride; met < tried/2 {
			panic(fmt.Sprintf("mappedtest: of %d places that call the file system only %d were met again", tried, met))
		}
	}
}
