// Package checkpoint owns the small files of a store: where every file lies
// (Layout), who may use the store (Lock), whether the last stop was clean
// (abort), what RocketMQ believes is flushed (Checkpoint) and what is proven to
// be flushed (Mark). It also keeps what only this store knows: the queue
// summary, the deleted topics, known damage, and bytes that were cut away (Aside).
//
// # Promise
//
// A file of RocketMQ's is read and written as RocketMQ does it. A file of ours
// lies under actorstore/, carries a magic number and a checksum, and is replaced
// as a whole or not at all. Nothing here ever deletes a file because of what it
// contains; a file that cannot be believed is reported and left to the caller.
//
// # checkpoint, 4096 bytes, RocketMQ's
//
//	0        8        16       24       32       40       48          4096
//	| physic | logics | index  | master | confirm| logics | zero ...    |
//	| MsgTs  | MsgTs  | MsgTs  | Flushed| PhyOff | PhyOff |             |
//
// Six big-endian i64, no magic, no checksum. They lie in one 512-byte sector
// and are written with one pwrite, in place, because RocketMQ maps the file.
//
// # actorstore/mark, 1024 bytes, two slots of 64
//
//	0         64          512        576         1024
//	| slot A  | zero ...  | slot B   | zero ...  |
//
//	+0       +8        +16         +24              +32    +36    +40     +56   +60
//	| magic  | sequence| flushedEnd| lastRecordStart| recCRC| flags| digest| mnt | crc |
//	| 8      | i64     | i64       | i64            | u32   | u32  | 16    | u32 | u32 |
//
// flags: 1 = SYNC_FLUSH. mnt stands for the mount of the log's file system, 0 if it
// is not known. digest is taken over the six checkpoint fields as they
// stand in the file, so the CRC, which covers bytes 0..59 of the slot, covers
// them too. The slots lie in different sectors and are written in turn: a torn
// write costs the slot that was being written, never the newest one that is whole.
//
// # actorstore/queues, actorstore/deleted and actorstore/damage
//
//	| magic 8 | count u32 | body ... | crc u32 |      crc over all before it
//
//	queues body:   | dispatched i64 | indexApplied i64 | entry * count |
//	       entry:  | n u16 | topic n | queueId i32 | kind u8 | min i64 | max i64 |
//	deleted body:  | entry * count |
//	       entry:  | n u16 | topic n | physicalOffset i64 |
//	damage body:   | entry * count |
//	       entry:  | physicalOffset i64 | end i64 | n u16 | want n | n u16 | got n |
//
// # Invariants
//
//	C1  Whoever changes a store holds its lock; who only reads creates nothing.
//	C2  The mark is written before the checkpoint that it describes: after a
//	    crash between the two the older slot still matches the older fields.
//	C3  The newest mark that is whole is never overwritten.
//	C4  A file made new appears under its name only complete and synced; the
//	    directory is synced before the call returns.
//	C5  Bytes kept by Aside are durable when it returns; keeping the same bytes
//	    again keeps them once. Whatever they are called, the file's name fits.
//	C6  A failed sync is returned and not repeated.
//
// # Assumptions
//
// The directory actorstore/ and the rest of the root are one file system (rename
// works). A write of 64 bytes inside a 512-byte sector is torn or not done, but
// leaves the other sectors alone. The calls that write are made by one goroutine
// at a time per file; Aside may be called from several.
package checkpoint
