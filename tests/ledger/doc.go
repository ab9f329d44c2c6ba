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
// The date is that of the end of the run, in UTC.
//
// # Invariants
//
//   - L1: a row is written with one call, so rigs that run at once mix no rows.
//
// # Assumptions
//
// The names of rigs need no quotes.
package ledger
