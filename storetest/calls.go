package storetest

import "github.com/actorstore/actorstore/commitlog/mapped/mappedtest"

// calls are the rules of a fault of the disk.
func (e *engine) calls(f Fault, round int) []mappedtest.Rule {
	one := mappedtest.Rule{Op: f.op, Path: f.path, At: f.at, Err: f.err, Before: func() {
		gate := e.strikes(f, round)
		switch {
		case gate == nil:
		case f.deed == doPanicCall:
			panic(&Injected{Fault: f})
		case f.deed == doHangCall:
			e.hang(gate, f.length)
		}
	}}
	if f.every == 1 && f.times == 0 {
		one.Forever = true
		return []mappedtest.Rule{one}
	}
	list := []mappedtest.Rule{one}
	for k := 1; f.every > 0 && k < f.times; k++ {
		one.At += f.every
		list = append(list, one)
	}
	return list
}
