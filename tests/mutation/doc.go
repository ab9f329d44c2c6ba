// Command mutation asks whether the tests of this store prove anything: it
// plants bugs, one at a time, and demands that the tests find each of them.
//
// # Promise
//
// Every file of bugs/ is a bug that a developer could write: a sync that is left
// out, an answer that comes too early, a check that is skipped. For each one
//
//   - the tests that it names pass without it;
//   - with it each of those tests fails, by itself or by a panic, in a package
//     that compiles: a bug that the compiler finds proves nothing;
//   - that takes no longer than -limit.
//
// A bug that is not found so is a hole in the tests, and the command fails.
// Nothing in the tree is changed: the go command is told to read the changed file
// in the place of the true one (go test -overlay).
//
// # Format
//
// A bug is a text file. In front of the first marker stand, line by line, what
// the bug is, the file that it is in, and what must find it: a package, its
// tests, flags for them. Behind the markers stand the text as it is and as the
// bug has it, whole lines; there may be several such pairs.
//
//	What the bug does, in a sentence or two.
//	file: commitlog/syncer.go
//	kill: ./commitlog TestFlushOrder TestFlushedSurvives
//	kill: ./tests/crash TestImages -images 200 -seed 1
//	-- before --
//			return f.File().Datasync()
//	-- after --
//			return nil
//
// # Commands
//
//	make mutation                            all bugs
//	go run ./tests/mutation -run checkpoint  those with a name like that
//	go run ./tests/mutation -run NAME -v     and what the tests said
//	go test ./tests/mutation                 the bug files fit the code
//
// # Assumptions
//
// The text that a bug replaces stands once in its file. Whoever changes that text
// changes the bug too; the tests of this package say so.
package main
