package record

// Names of properties that the store or a broker gives meaning to.
const (
	PropertyTags     = "TAGS"     // the tag; its hash goes into the queue unit
	PropertyKeys     = "KEYS"     // index keys, separated by one blank
	PropertyUniqKey  = "UNIQ_KEY" // the client's message id; indexed too
	PropertyWait     = "WAIT"     // "false": do not wait for flush and replicas
	PropertyDelay    = "DELAY"    // delay level, decimal
	PropertyCluster  = "CLUSTER"
	PropertyInstance = "INSTANCE_ID"
	PropertyShardKey = "__SHARDINGKEY"
	PropertyDupInfo  = "DUP_INFO"

	PropertyRealTopic   = "REAL_TOPIC" // where a delayed or half message belongs
	PropertyRealQueueID = "REAL_QID"
	PropertyTransaction = "TRAN_MSG"
	PropertyGroup       = "PGROUP"

	PropertyInnerNum  = "INNER_NUM"  // messages in an inner batch, i16
	PropertyInnerBase = "INNER_BASE" // its first queue offset, i64

	PropertyMultiDispatch = "INNER_MULTI_DISPATCH"     // light queues, separated by commas
	PropertyMultiOffset   = "INNER_MULTI_QUEUE_OFFSET" // their offsets, in the same order

	PropertyCRC = "__CRC32#" // whole-record checksum; the encoder owns it

	// PrefixTransient starts the names of properties that must not be stored.
	PrefixTransient = "__RMQ.TRANSIENT."
)

// Topics and topic prefixes with a meaning.
const (
	TopicSchedule = "SCHEDULE_TOPIC_XXXX" // delayed messages wait here
	PrefixRetry   = "%RETRY%"
	PrefixDLQ     = "%DLQ%"
	PrefixLMQ     = "%LMQ%" // light queues
)
