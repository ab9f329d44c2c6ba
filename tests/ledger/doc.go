// Package ledger keeps account of the runs of the rigs that prove the store.
//
// # Promise
//
// A run is a row; rows are only ever added, so that parts of a long soak add up.
//
// # Format
//
// A CSV file with a line of names:
//
//	date,rig,first_seed,last_seed,cases,violations
//	2026-11-30,crash-image,1100001,1102125,119627,0
//
// The date is that of the end of the run, in UTC. A run that ended before it
// could say what it had done, because its process died, is a row too: of the cases
// it had begun, at least one, with one violation.
//
// # Names of rigs
//
//	crash-image         power cuts under SYNC_FLUSH, on a file system in memory, of
//	                    which all was judged
//	crash-image-other   the other images of the same seeds: power cuts under
//	                    ASYNC_FLUSH, kills, and those of which a part cannot be judged
//	powercut-*, block-image-*   by file system and flush type
//
// A row of crash-image beside which there is no crash-image-other of the same
// seeds is older than that division: it counts images of all kinds, of which some
// 45 in 100 were what the name now says.
// The other names are told where the rigs are, in tests/crash, tests/fault and
// tests/sim.
//
// # Invariants
//
//   - L1: a row is written with one call, so rigs that run at once mix no rows.
//
// # Assumptions
//
// The names of rigs need no quotes.
package ledger
