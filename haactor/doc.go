// Package haactor is replication. So far it holds the wire formats of RocketMQ's
// two protocols; the masters and slaves that speak them follow.
//
// # Promise
//
// What RocketMQ sends is read, and what is written RocketMQ reads, byte for
// byte. A frame that cannot be is an error and never a guess; decoding allocates
// nothing that a peer's length field could inflate.
//
// # Format
//
// Two protocols share a port, without a version or a magic number; which one is
// spoken is a setting of both sides. All integers are big-endian.
//
//	DefaultHA, slave to master: one report
//	0               8
//	+---------------+
//	| i64 maxOffset |
//	+---------------+
//
//	DefaultHA, master to slave: header, then size bytes of log
//	0                8          12
//	+----------------+----------+---- - -
//	| i64 offset     | i32 size | body
//	+----------------+----------+---- - -
//
//	AutoSwitchHA, slave to master: handshake, then reports
//	0       4      6      8             16        0       4             12
//	+-------+------+------+-------------+         +-------+-------------+
//	| i32 1 | i16  | i16  | i64 broker  |         | i32 2 | i64 max     |
//	+-------+------+------+-------------+         +-------+-------------+
//	         last   learner
//
//	AutoSwitchHA, master to slave: handshake and transfer
//	0       4          8           16          20
//	+-------+----------+-----------+-----------+-- entries of 12: i32 epoch, i64 start
//	| i32 1 | i32 size | i64 max   | i32 epoch |
//	+-------+----------+-----------+-----------+--
//	0       4          8            16          20              28            36
//	+-------+----------+------------+-----------+---------------+-------------+-- body
//	| i32 2 | i32 size | i64 offset | i32 epoch | i64 epoch pos | i64 confirm |
//	+-------+----------+------------+-----------+---------------+-------------+--
//
// # Invariants
//
//   - H1: a size is checked against the receiver's limit before it is believed.
//   - H2: a decoder asks for more bytes instead of reading past what it has.
//
// # Assumptions
//
// The transport is a byte stream in order (TCP).
package haactor
