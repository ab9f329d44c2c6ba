// Package mapped is the floor that the store stands on: files, mappings, locks
// and the ordered set of segment files of one directory.
//
// Promise: FS is the only door to files; OS is the real one. A call that
// reports success has done what its comment says, a sync that failed is
// reported once and never repeated here, a lost page under a mapping is an
// error value (Guard) and not the end of the process.
//
// Format. A segment file is named by its first absolute offset, decimal, padded
// with zeros to 20 digits, and is as long as every other one of its directory:
//
//	<dir>/00000000000000000000   [0, fileSize)
//	<dir>/00000000001073741824   [fileSize, 2*fileSize)
//
// The bytes inside are the business of the packages above.
//
// Invariants:
//
//	M1  A segment is never visible under its name at another size: it is made
//	    in a directory of its own, sized, synced, renamed, its directory synced.
//	M2  The list of a MappedFileQueue is immutable; a change publishes a new one.
//	    Find gives the file that holds the offset, or nil, never a neighbour.
//	M3  A mapping ends when the owner has retired the file and the last holder
//	    has released it, never before.
//	M4  Opening changes nothing on disk: no repair, no removal, no creation.
//	M5  Flush covers exactly the pages that hold the range, so that pages
//	    prepared ahead of the writer are not written out as zeros.
//	M6  What is outside of all Extents reads as zeros, and did so without a sync:
//	    only file systems that look into the page cache are asked for holes.
//
//	M7  What Unwritten says is what the disk's file system says, not the memory.
//
// Where no sync reaches. ext4 notes for a page in memory that its place on the
// disk is written, before it writes it. If that write fails the disk goes on
// saying that the place never was. As long as the page stays in memory, every
// later write of it goes straight to that place, every sync of it succeeds, and
// after a power cut it reads as zeros. Only the file system's own list of extents
// shows it (Unwritten). To leave memory (Drop) is the way out for pages that hold
// nothing; what they hold is to be written into another file (ReplaceFile).
//
// Assumptions: one process writes a store (Lock); the page size is at least 4096
// and a power of two; Linux is the reference. On darwin, freebsd and windows the
// calls have the same meaning with coarser means: Allocate only sizes, Populate
// does nothing, Flush syncs the file, SyncFS and (on windows) SyncDir do nothing.
package mapped
