// Package alloc finds parsers that allocate by what their input claims instead of
// by what it is: a length field must not cost more memory than the bytes that
// came with it.
//
// # Promise
//
// Check returns an error if, for a parse of n bytes, an allocation was larger than
// twice n and a fixed allowance. The allowance, which the caller states, is for
// results of a fixed size: errors, structs, pages. Objects above 32 KiB count
// together, as the runtime does not tell them apart.
//
// # Limits
//
// To look costs two stops of the world, 25 µs: after the first thousand calls of a
// process, which are those of a corpus or of a replayed failure, only each 16th
// call is looked at. The runtime tells size classes: an allocation counts as the
// smallest size of its class.
//
// # Assumptions
//
// Nothing else of the process allocates at the time. What exceeds the limit is
// parsed up to three times and counts only if it does so each time.
package alloc
