// Package repair finds out what a store needs so that it opens, is whole and
// says only what its log says, and does it when it is told to.
//
// # Promise
//
// Plan changes nothing, not even a file's time. Run does what Plan says and
// nothing else; what it takes out of the store, or writes over, it keeps in
// actorstore/aside/. No record that can be read is lost. A record that is damaged
// stays damaged: nothing in a store could give it back. Run may be cut at any
// point and run again: it comes to the same end. A second run finds nothing.
//
// # Steps
//
//	files    directory by directory: names, lengths, places
//	check    everything against everything, on a view that shows the store as
//	         the steps about files will leave it
//	do       the files; then copies of what will be written over; then
//	         package recoverer, which compares every unit with the log
//	check    once more; what is left is told
//
// # What a wrong file becomes
//
//	no segment by its name, or a second one     moved aside
//	a segment that is too short                 a copy aside, zeros added
//	a segment that is too long                  the surplus aside, cut
//	segments under each other's names           renamed
//	a segment of another log                    moved aside, if damage may be skipped
//	a queue file out of place or length         it and those behind it moved
//	                                            aside; their units come from the log
//	an index file that does not agree           it and later ones moved aside; built again
//	mark, queue summary, checkpoint             moved aside, written anew
//	the list of deleted topics                  moved aside, if damage may be skipped
//
// # Invariants
//
//	P1  Nothing is removed: a file is moved, or its bytes are copied and synced
//	    before they are changed.
//	P2  Each step is one rename, or is begun again from its copy. Between any two
//	    calls of the file system the next Plan finds the rest of the work.
//	P3  What only a human can decide is not done unless Input.SkipDamaged is set.
//	P4  While a segment waits in aside for its place, nothing opens the store: see
//	    Unfinished.
//
// # Assumptions
//
// The caller of Run holds the store's lock. actorstore/ is on the file system of
// the store; a commit log that lies elsewhere has a directory actorstore-aside/ of
// its own.
package repair
