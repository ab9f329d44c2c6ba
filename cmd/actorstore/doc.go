// Command actorstore reads and writes message stores in RocketMQ's file format.
//
//	actorstore COMMAND [flags] DIR [arguments]
//
// # Promise
//
// The program is a thin layer over package actorstore: what it knows about a
// store it asks there. Output is for people unless --json is given; then it is
// one JSON object a line, with the names of package tests/golden. Everything
// that is not the answer goes to standard error: notes, and the error with the next
// step, as JSON too where answers are.
//
// # Invariants
//
//  1. A command that only reads opens nothing for writing, takes no lock and
//     changes no time stamp, unless --recover is given.
//  2. No command deletes messages: retention is off while this program has a
//     store open.
//  3. Every error leaves through report, which prints what happened and what to do
//     next, and gives the exit code of its kind. The next step is one that helps:
//     nobody is sent to repair what repair cannot mend.
//  4. A message is printed in one way, by jsonLine.message, so that export, get,
//     tail, query, lookup and dump cannot differ.
//
// # Assumptions
//
// The exit codes and kinds of error in failure.go and the JSON names are an
// interface: scripts depend on them.
package main
