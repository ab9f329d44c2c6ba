package mappedtest

import (
	"fmt"
	"runtime"
	"sync"

	"github.com/actorstore/actorstore/commitlog/mapped"
)

// Places gives for each place in the code that calls the file system while run runs
// the number of its first call, for Script.FailAt: a call that fails later from the
// same place fails no differently. A place is a stack of calls.
func Places(fsys mapped.FS, run func(mapped.FS)) []int {
	script := NewScript(fsys)
	var mu sync.Mutex
	seen, first := map[string]bool{}, []int(nil)
	script.Add(Rule{Forever: true, Before: func() {
		var pc [40]uintptr
		mu.Lock()
		defer mu.Unlock()
		if at := fmt.Sprint(pc[:runtime.Callers(4, pc[:])]); !seen[at] {
			seen[at], first = true, append(first, script.Calls())
		}
	}})
	run(script)
	return first
}
