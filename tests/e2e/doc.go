// Package e2e tests whole stores through the public face: golden stores that
// RocketMQ wrote, stores that were killed, stores that must be refused, and
// what a program sees that puts and reads.
//
// # Promise
//
// What the package exports is the yardstick of these tests and of those that
// run RocketMQ beside actorstore: [Kinds] makes messages of every kind, [Writer]
// puts them and notes what a reader must find, [Model] is a store as it must be
// read, and [Read] is what actorstore reads. All of it has the form of package
// golden, so one comparison serves all.
//
// # Invariants
//
//  1. A Model knows only what was put and what puts were answered; it never
//     asks the store what it should hold.
//  2. Read goes through the public face alone, but for the checksum that a
//     record ends with: a Message hides it, so it is read from the segment.
//
// # Assumptions
//
// The package is for tests.
package e2e
