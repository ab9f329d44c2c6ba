// Package commitlogtest is what the tests of several rooms do to a log: open one
// in memory, put messages without actors, and change bytes behind its back.
//
// # Promise
//
// A function that returns has done what it says; anything else ends the test with
// the cause, at the caller's line.
//
// # Invariants
//
//	T1  What Put returns is appended, published and confirmed.
//	T2  Write changes bytes of a segment and nothing that the log knows of them.
//
// # Assumptions
//
// The caller is a test, and the log's only writer.
package commitlogtest
