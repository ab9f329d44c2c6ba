// Package record reads and writes the records of the commit log: RocketMQ's
// message format, byte for byte, and everything that is computed from one record
// alone. It does no I/O and keeps no state but that of an Interner.
//
// # Promise
//
// What Limits.Check lets pass, Encoder writes so that this package and RocketMQ
// read the same message back; any byte string can be given to the readers, and
// they return an error instead of panicking. Encode, Decode of a known topic,
// ParseDispatch, Properties.Bytes and Verify allocate nothing.
//
// # Format
//
// Integers are big-endian. A host takes 8 bytes (IPv4) or 20 (IPv6), the last
// four for the port; the right column is for two IPv4 hosts.
//
//	size  field                       offset
//	   4  totalSize                        0   of the whole record
//	   4  magicCode                        4   DAA320A7 v1, DAA320AB v2
//	   4  bodyCRC                          8   CRC-32 without the top bit
//	   4  queueId                         12
//	   4  flag                            16   the producer's
//	   8  queueOffset                     20   0 for prepared and rolled back
//	   8  physicalOffset                  28   of byte 0 of this record
//	   4  sysFlag                         36   Sys* bits
//	   8  bornTimestamp                   40   ms, the producer's clock
//	8,20  bornHost                        48   20 with SysBornHostV6
//	   8  storeTimestamp                  56   ms, the store's clock
//	8,20  storeHost                       64   20 with SysStoreHostV6
//	   4  reconsumeTimes                  72
//	   8  preparedTransactionOffset       76
//	   4  bodyLength                      84
//	   n  body                            88
//	 1,2  topicLength                   88+n   signed; 2 in v2
//	   t  topic                                UTF-8
//	   2  propertiesLength                     signed, trailer included
//	   p  properties                           name 0x01 value 0x02 ...
//	 (20) of these: "__CRC32#" 0x01, ten decimal digits from the least
//	      significant, 0x02: CRC-32 of all bytes in front of the trailer
//
// A BLANK ends a segment: totalSize (to the end of the segment), CBD43194.
//
// # Invariants
//
//   - R1: the parts of a record add up to totalSize, and no length is negative.
//   - R2: physicalOffset is the place where the record stands.
//   - R3: a topic of more than 127 bytes is written as v2 and never as v1.
//   - R4: bodyCRC, and the trailer if there is one, are right. Zero is a
//     checksum like any other.
//   - R5: Message.Properties never holds the trailer; the encoder alone writes
//     it, behind a 0x02, in batches too.
//   - R6: results of the readers alias the bytes they were given, and nobody
//     writes into those: only what takes a dst, or appends, writes there.
//
// # Assumptions
//
// Text is compared and hashed as Java would decode it (ToValidUTF8, JavaHash);
// bytes are kept as they are. Values that RocketMQ takes for damage though the
// record is whole (a DELAY or INNER_NUM that is no number) are refused on the way
// in and tolerated when found. A record whose properties happen to end with an
// old __CRC32# property, which RocketMQ can write only with its trailer switched
// off, is judged by it and fails Verify.
package record
