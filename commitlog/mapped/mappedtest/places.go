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
		known := map[place]bool{}
		var rules []Rule
		rules = append(rules, Rule{from: func(p place) bool {
			if !known[p] {
				if len(known)%stride == 0 {
					there := func(q place) bool { return q == p }
					rules = append(rules, Rule{Err: err, from: there}, Rule{Err: err, from: there, Forever: true})
				}
				known[p] = true
			}
			return false
		}})
		met := 0
		for i := 0; i < len(rules); i++ { // from one line, which is in the stack of all
			image := base.Kill()
			script := NewScript(image, rules[i])
			if !yield(image, script) {
				return
			}
			if _, failed := script.Failed(); failed {
				met++
			}
		}
		if tried := len(rules) - 1; met < tried/2 {
			panic(fmt.Sprintf("mappedtest: of %d rules for places that call the file system only %d were met again", tried, met))
		}
	}
}
