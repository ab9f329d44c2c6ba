package record

// Magic codes: the second field of everything that stands in the log.
const (
	MagicV1    uint32 = 0xDAA320A7 // a record with a one-byte topic length
	MagicV2    uint32 = 0xDAA320AB // a record with a two-byte topic length
	MagicBlank uint32 = 0xCBD43194 // the filler that ends a segment
)

// Sizes in bytes.
const (
	BlankSize     = 8     // written part of a BLANK; every segment keeps room for one
	CRCTrailer    = 20    // "__CRC32#" 0x01, ten digits, 0x02 at the end of a record
	MaxProperties = 32767 // properties of a record, trailer included
	MaxTopic      = 127   // topic of a put
	MaxRetryTopic = 255   // topic of a put that starts with %RETRY%, and any topic found

	// minRecord is a v1 record with IPv4 hosts and nothing in its variable parts.
	minRecord = 91
	// maxTopicV1 is the largest v1 topic length: Java reads it as a signed byte.
	maxTopicV1 = 127
)

// Bits of SysFlag. The store sets the two host bits from the addresses; the
// others come from the producer and are kept as they are.
const (
	SysCompressed          int32 = 0x1 // the body is compressed
	SysMultiTags           int32 = 0x2 // no effect on the tags code
	SysTransactionMask     int32 = 0xC // the two bits of the transaction type
	SysTransactionNone     int32 = 0x0
	SysTransactionPrepared int32 = 0x4 // in the log, in no queue, queueOffset 0
	SysTransactionCommit   int32 = 0x8
	SysTransactionRollback int32 = 0xC   // in the log, in no queue, queueOffset 0
	SysBornHostV6          int32 = 0x10  // bornHost takes 20 bytes
	SysStoreHostV6         int32 = 0x20  // storeHost takes 20 bytes
	SysNeedUnwrap          int32 = 0x40  // a client must unpack the body
	SysInnerBatch          int32 = 0x80  // the body is a list of messages, one queue unit
	SysCompressionMask     int32 = 0x700 // 0 or 0x300 ZLIB, 0x100 LZ4, 0x200 ZSTD
	sysHosts                     = SysBornHostV6 | SysStoreHostV6
	hostV4, hostV6               = 8, 20 // address and four bytes of port
)

// Offsets of the fields in front of the hosts; behind them they depend on the
// host lengths, see frame.
const (
	atSize           = 0
	atMagic          = 4
	atBodyCRC        = 8
	atQueueID        = 12
	atFlag           = 16
	atQueueOffset    = 20
	atPhysicalOffset = 28
	atSysFlag        = 36
	atBornTimestamp  = 40
	atBornHost       = 48
)
