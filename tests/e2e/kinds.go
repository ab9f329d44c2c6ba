package e2e

import (
	"fmt"
	"math/rand/v2"
	"net/netip"
	"strconv"
	"strings"

	"github.com/actorstore/actorstore"
	"github.com/actorstore/actorstore/commitlog/record"
	"github.com/actorstore/actorstore/tests/golden"
)

// Hosts of the messages; the second of each pair makes records with IPv6.
var (
	born    = netip.MustParseAddrPort("127.0.0.1:5555")
	bornV6  = netip.MustParseAddrPort("[2001:db8::1]:6001")
	storeV6 = netip.MustParseAddrPort("[2001:db8::2]:6002")
)

const (
	kindCount = 15
	batchKind = 13
	members   = 3 // of a batch
)

// Kinds makes messages of every kind that a store can hold: the kind is the
// message's number modulo fifteen, as in the golden stores. Content follows from
// seed and number alone, so a store written in two runs holds what one run would
// have put.
type Kinds struct {
	Seed uint64
	// LongTopic is the length in bytes of the topic of kind 12; 0 is the topic
	// t127. Above 127 it starts with %RETRY% and makes records of version 2.
	LongTopic int
	// LMQ names two light queues in kind 14.
	LMQ bool
	// BatchTopic, if not empty, makes kind 13 an inner batch on that topic.
	BatchTopic string
}

// IsBatch reports whether message i is a batch that is stored as one record for
// each member; Batch makes it then.
func (k Kinds) IsBatch(i int) bool { return i%kindCount == batchKind && k.BatchTopic == "" }

// Message makes message i.
func (k Kinds) Message(i int) actorstore.Message {
	r := k.random(i)
	var m actorstore.Message
	switch i % kindCount {
	case 0:
		m = message("orders", 0, "TagA", fmt.Sprint("order-", i), noise(r, 32+r.IntN(900)))
	case 1:
		m = message("orders", 1, "TagB", fmt.Sprintf("order-%d cust-%d", i, i%7), noise(r, 100+r.IntN(500)))
	case 2:
		m = message("payments", int32(i%4), "", "", noise(r, 1+r.IntN(3000)))
	case 3:
		m = message("empty-body", 0, "E", fmt.Sprint("e", i), nil)
	case 4:
		m = message("unicode", 0, "标签", fmt.Sprint("ключ-", i), []byte(fmt.Sprintf("тело %d 😀", i)))
	case 5:
		m = message("v6", 0, "V6", fmt.Sprint("v6-", i), noise(r, 100))
		m.BornHost, m.StoreHost = bornV6, storeV6
	case 6:
		m = message("orders", 2, "TagC", "", noise(r, 64))
		m.Properties.Set(record.PropertyUniqKey, fmt.Sprintf("7F00000100002A139A%014d", i))
		m.Properties.Set("region", fmt.Sprint("eu-", i%3))
	case 7, 8, 9:
		m = message("orders", 0, "T", fmt.Sprint("tx-", i), noise(r, 80))
	case 10:
		m = message(record.TopicSchedule, 2, "D", fmt.Sprint("d", i), noise(r, 50))
	case 11:
		m = message("retry", 0, "R", fmt.Sprint("r#", i), noise(r, 50))
		m.Flag, m.ReconsumeTimes = int32(i*31), int32(i%16)
	case 12:
		m = message(k.longTopic(), 0, "L", fmt.Sprint("l", i), noise(r, 30))
	case batchKind:
		m = message(k.BatchTopic, 0, "B", fmt.Sprint("b", i), record.EncodeInnerBatch(nil, k.members(r, i)))
	default:
		m = message("lmq-src", 0, "M", fmt.Sprint("m", i), noise(r, 40))
	}
	k.special(&m, i)
	return m
}

// special adds flags and properties that only one kind has.
func (k Kinds) special(m *actorstore.Message, i int) {
	switch i % kindCount {
	case 7:
		m.SysFlag = record.SysTransactionPrepared
	case 8:
		m.SysFlag, m.PreparedTransactionOffset = record.SysTransactionCommit, 12345
	case 9:
		m.SysFlag, m.PreparedTransactionOffset = record.SysTransactionRollback, 12345
	case 10:
		m.Properties.Set(record.PropertyDelay, "3")
		m.Properties.Set(record.PropertyRealTopic, "orders")
		m.Properties.Set(record.PropertyRealQueueID, "1")
	case batchKind:
		m.SysFlag = record.SysNeedUnwrap | record.SysInnerBatch
		m.Properties.Set(record.PropertyInnerNum, strconv.Itoa(members))
	case 14:
		if k.LMQ {
			m.Properties.Set(record.PropertyMultiDispatch, "%LMQ%a,%LMQ%b")
		}
	}
}

// Batch makes batch i.
func (k Kinds) Batch(i int) []actorstore.Message { return k.members(k.random(i), i) }

func (k Kinds) members(r *rand.Rand, i int) []actorstore.Message {
	batch := make([]actorstore.Message, members)
	for n := range batch {
		batch[n] = message("batch", int32(i%2), "B", fmt.Sprintf("b%d-%d", i, n), noise(r, 20+r.IntN(50)))
	}
	return batch
}

func (k Kinds) longTopic() string {
	switch {
	case k.LongTopic == 0:
		return "t127"
	case k.LongTopic <= record.MaxTopic:
		return strings.Repeat("T", k.LongTopic)
	}
	return record.PrefixRetry + strings.Repeat("T", k.LongTopic-len(record.PrefixRetry))
}

func (k Kinds) random(i int) *rand.Rand { return rand.New(rand.NewPCG(k.Seed, uint64(i))) }

func message(topic string, queue int32, tag, keys string, body []byte) actorstore.Message {
	m := actorstore.Message{Topic: topic, QueueID: queue, BornHost: born, Body: body}
	m.BornTimestamp = 1_700_000_000_123
	if tag != "" {
		m.SetTags(tag)
	}
	if keys != "" {
		m.Properties.Set(record.PropertyKeys, keys)
	}
	return m
}

func noise(r *rand.Rand, n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return b
}

// KindsOf are the kinds that suit a store with these settings.
func KindsOf(s golden.Settings, seed uint64) Kinds { return Kinds{Seed: seed, LMQ: s.LMQ} }
