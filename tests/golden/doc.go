// Package golden holds stores that Apache RocketMQ 5.5.0 wrote, and what
// RocketMQ itself reads from each of them.
//
// # Promise
//
// A store reader that agrees with RocketMQ returns, for every store of
// [Names], exactly the lines of [Lines]. [Open] gives a fresh copy of the
// store's directory, so a test may recover, write and damage it as it likes.
//
// # Format
//
// A reading is a list of lines, each one JSON object without spaces, keys in
// this order:
//
//	{"min":,"max":}                                     the log's range, first line
//	{"topic":"","queue":,"minOffset":,"maxOffset":}     a queue; sorted by topic, then number
//	{"topic":"","queue":,"offset":,"phy":,"size":,
//	 "flag":,"sysFlag":,"born":,"stored":,
//	 "bornHost":"","storeHost":"","recon":,"prep":,
//	 "crc":,"len":,"md5":"","props":""}                 a message of the queue above it
//	{"query":"topic/key","offsets":"0 5291"}            a key query
//	{"topic":"","queue":,"time":,"lower":,"upper":}     offsets by time
//
// Queues come first, each followed by its messages; then queries, then times.
//
// # Invariants
//
//  1. Formatting a parsed reading gives back its lines byte for byte.
//  2. The messages that follow a queue take exactly maxOffset-minOffset
//     offsets, an inner batch one for each member.
//  3. Every file of a store has the size that RocketMQ gave it.
//
// # Assumptions
//
// The package is for tests; its data is part of the test binary.
package golden
