// Package reader is the read side of a store: messages by queue offset, by key,
// by physical offset, by message id and by time, and waiting for new ones. It
// serves a live store and one that was opened only for reading alike.
//
// # Promise
//
// What is returned was checked against what led to it. A queue unit says which
// record it stands for; the record must say the same of itself, and its checksum
// must hold, before a caller sees it. A message that fails is reported with its
// place and with the offset at which to go on; it never stands in the way of the
// messages in front of it or behind it.
//
// # Copies and loans
//
// Get copies each record once, into memory that the result owns, and checks the
// copy. A result that is handed back in is reused without allocation. View lends
// the mapped log itself, inside the fault guard, for the length of a call; it
// checks structure and identity but no checksum.
//
// # Invariants
//
//   - G1: only units below the queue's published end are read, so only
//     dispatched records are seen.
//   - G2: NextOffset is never below the offset asked for, but where that lies
//     above the end of the queue; and a call that finds nothing still moves it,
//     unless there is nothing to move over.
//   - G3: one call examines a bounded number of units, whatever the filter does.
//   - G4: the first message is returned whatever its size.
//   - G5: no length that was read decides how much is allocated or copied before
//     it was checked against the file.
//   - G6: a hash never decides alone: tags and keys are compared as text.
//   - G7: a waiter is woken by its own offset only, and leaves nothing behind.
//   - G8: of a store that has ended (Options.Gone) nothing is said to be missing:
//     that it has ended is the answer.
//
// # Assumptions
//
// Bytes of the log below Appended never change (I3 of package commitlog), so
// what was checked in place is what is copied.
package reader
