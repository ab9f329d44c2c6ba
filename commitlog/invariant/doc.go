// Package invariant holds the checks that cost too much for every run.
//
// Promise: with the build tag "invariants", or under the race detector, Enabled
// is true and a Check that does not hold panics. Otherwise Enabled is the
// constant false, and a check written as
//
//	if invariant.Enabled {
//		invariant.Check(flushed <= appended, "I1: flushed beyond appended")
//	}
//
// is not even compiled in. A message starts with the number of the invariant it
// guards, as the doc comment of the package that owns it counts them.
//
// Assumption: a check has no side effect, so that both builds do the same.
package invariant
