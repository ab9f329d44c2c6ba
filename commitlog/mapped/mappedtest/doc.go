// Package mappedtest has two stand-ins for the machine's file system behind
// mapped.FS: FS, which lives in memory and knows what a power cut would leave,
// and Script, which wraps any mapped.FS and makes chosen calls fail.
//
// Promise: FS behaves as mapped.OS does where the store can see it (errors, the
// length of names, coherence of WriteAt and Map, locks), and keeps beside each
// live byte the durable one. An image (Crash, Kill, DropCaches) is a new FS that
// shares nothing that either may change; the same seed gives the same image.
//
// The model of a disk:
//
//	live      what every open and map sees: the page cache
//	disk      4096-byte pages and a size: what a power cut cannot take
//	dirty     live != disk; the next Sync, Datasync or Flush over it copies it
//	lost      was dirty when a sync failed: clean for the kernel, so no later
//	          sync writes it, but still what live shows
//	stuck     lost, on a disk of ext4 (SetSticky) that has never held anything
//	          there: no sync of it makes it durable, also if it is written again
//	pending   creations, renames and removals whose directory was not synced
//
// Invariants:
//
//	T1  Only a successful sync moves bytes from live to disk, page by page; a
//	    crash moves any subset of the dirty ones, torn at 512 bytes.
//	T2  A rename, creation or removal is whole or absent after a crash, and never
//	    there without an earlier one of the same file or name.
//	T3  Sync makes data and size durable, never the directory entry.
//	T4  A lost page becomes durable only after it was written again: by WriteAt
//	    in any case, through a mapping when its bytes differ afterwards. A stuck
//	    one does not: its bytes must be written to another place, or after Drop.
//	T5  An image has no locks, no open files and no pending entries.
//
// Assumptions: stores through a mapping into pages that were never allocated do
// not fail here for want of space; a mapped file can grow only as far as it has
// once been long; a mapped file that is cut keeps its region readable (zeros).
package mappedtest
