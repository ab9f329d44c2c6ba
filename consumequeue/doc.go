// Package consumequeue keeps the queues: for each (topic, queueId) the list of
// where its messages stand in the commit log. All of it can be made again from
// the log; nothing here is the only copy of anything.
//
// Promise: a unit that can be read was written as a whole, stands at its own
// queue offset, and stays as it is until it expires or is cut. Damage is an
// error with a path and an offset, never a panic, a loop or a wrong unit.
//
// Files, byte-identical to RocketMQ's ConsumeQueue, BatchConsumeQueue and
// ConsumeQueueExt, big-endian, always of full length with zeros behind the data:
//
//	<Dir>/<topic>/<queueId>/<20 digits: byte position of the first unit>
//
//	simple   0        8     12       20
//	         |physical|size | tagsCode|          unit i is queue offset i
//	pre-blank: physical 0, size 0x7fffffff, tagsCode 0; only from the start of
//	the first file up to the first unit, never data
//
//	batch    0        8     12       20     28    36  38        42     46
//	         |physical|size | tagsCode| time | base|num|compacted|   0   |
//	base is the queue offset of the first of num messages; compacted is -1
//
//	ext      0    2        10     18   20      20+n
//	         |20+n|tagsCode| time | n  | bit map |
//	i16 -1 marks a full file, 0 the end. A simple unit whose tagsCode is below
//	-2147483648 points here: tagsCode = byte position + the smallest int64
//
// Invariants:
//
//	Q1  Units [MinOffset, MaxOffset) are written, in order, without a hole.
//	    MaxOffset moves after the bytes are in the file.
//	Q2  A unit is appended only at its own queue offset: below is a duplicate,
//	    above a *GapError. Offset 0 is no exception.
//	Q3  MinOffset never moves down but by a cut or a reset, and never points at a
//	    pre-blank. MaxPhysical knows no pre-blanks.
//	Q4  A file is visible under its name only at full length.
//	Q5  No file is closed or unmapped while somebody reads it.
//	Q6  A bad entry or batch changes nothing on disk or in memory.
//	Q7  Files leave from the ends only, so what a stop leaves over is a queue.
//
// A queue that is only listed costs about 300 bytes; Load reads a few pages of
// it. Descriptors and maps are bounded by Options.MaxOpenFiles. Nothing is
// synced before Store.Sync but cuts and resets, which are durable on return.
//
// Assumptions: each queue has one writer at a time; other processes keep out
// (the store's lock); the file layer shows in a map what WriteAt has written.
package consumequeue
