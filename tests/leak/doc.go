// Package leak finds goroutines that the tests of a package have left behind.
//
// # Promise
//
// Find returns nil as soon as no goroutine is left but those of the tests, and an
// error that names the others if some stay for seconds.
//
// # Invariants
//
//   - L1: a package whose TestMain is Main fails where a goroutine stays, also if
//     all its tests pass.
//
// # Assumptions
//
// Tests run one after another where one of them calls Find. protoactor's throttle
// of dead letters lives for a second after the last of them; nothing else may.
package leak
