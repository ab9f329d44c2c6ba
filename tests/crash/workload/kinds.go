package workload

import (
	"fmt"
	"net/netip"
	"strconv"

	"github.com/actorstore/actorstore/commitlog/record"
)

var (
	bornV6  = netip.MustParseAddrPort("[2001:db8::1]:6001")
	storeV6 = netip.MustParseAddrPort("[2001:db8::2]:6002")
)

// odd makes a message of a kind of its own.
func (o *Ops) odd() record.Message {
	body := o.rng.IntN(200)
	switch o.rng.IntN(9) {
	case 0:
		m := o.message("tx", 0, body)
		m.SysFlag = record.SysTransactionPrepared
		return m
	case 1:
		m := o.message("tx", 0, body)
		m.SysFlag, m.PreparedTransactionOffset = record.SysTransactionCommit, 12345
		return m
	case 2:
		m := o.message("tx", 0, body)
		m.SysFlag, m.PreparedTransactionOffset = record.SysTransactionRollback, 12345
		return m
	case 3:
		m := o.message("light", int32(o.rng.IntN(2)), body)
		names := "%LMQ%a"
		if o.one(2) {
			names += ",%LMQ%" + string(rune('b'+o.rng.IntN(3)))
		}
		m.Properties.Set(record.PropertyMultiDispatch, names)
		return m
	case 4:
		return o.innerBatch()
	case 5:
		m := o.message(record.TopicSchedule, 2, body)
		m.Properties.Set(record.PropertyDelay, "3")
		return m
	case 6:
		m := o.message("v6", 0, body)
		m.BornHost, m.StoreHost = bornV6, storeV6
		return m
	case 7:
		m := o.message("тема 😀", 0, 0)
		m.SetKeys("ключ", fmt.Sprint("鍵", o.serial), "ключ")
		return m
	}
	m := o.message("%RETRY%group", 0, body)
	m.Flag, m.ReconsumeTimes = int32(o.serial*31), int32(o.rng.IntN(16))
	return m
}

// innerBatch is several messages in one record.
func (o *Ops) innerBatch() record.Message {
	n := o.between(1, 5)
	inner := make([]record.Message, n)
	for i := range inner {
		inner[i].Body = o.bytes(o.rng.IntN(60))
	}
	m := o.message("inner", int32(o.rng.IntN(2)), 0)
	m.Body = record.EncodeInnerBatch(nil, inner)
	m.SysFlag = record.SysNeedUnwrap | record.SysInnerBatch
	m.Properties.Set(record.PropertyInnerNum, strconv.Itoa(n))
	return m
}
