package oracle

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"

	"github.com/actorstore/actorstore/commitlog/record"
)

// hostBits are set by the store.
const hostBits = record.SysBornHostV6 | record.SysStoreHostV6

// compare tells how a stored message differs from what was sent; "" if it does
// not. Properties that the store adds are left out.
func compare(got, want *record.Message) string {
	switch {
	case got.Topic != want.Topic:
		return fmt.Sprintf("topic %q, want %q", got.Topic, want.Topic)
	case got.QueueID != want.QueueID:
		return fmt.Sprintf("queue id %d, want %d", got.QueueID, want.QueueID)
	case got.Flag != want.Flag:
		return fmt.Sprintf("flag %d, want %d", got.Flag, want.Flag)
	case (got.SysFlag^want.SysFlag)&^hostBits != 0:
		return fmt.Sprintf("sys flag %#x, want %#x", got.SysFlag, want.SysFlag)
	case want.BornTimestamp != 0 && got.BornTimestamp != want.BornTimestamp:
		return fmt.Sprintf("born %d, want %d", got.BornTimestamp, want.BornTimestamp)
	case got.ReconsumeTimes != want.ReconsumeTimes:
		return fmt.Sprintf("reconsume times %d, want %d", got.ReconsumeTimes, want.ReconsumeTimes)
	case got.PreparedTransactionOffset != want.PreparedTransactionOffset:
		return fmt.Sprintf("prepared at %d, want %d", got.PreparedTransactionOffset, want.PreparedTransactionOffset)
	case !bytes.Equal(got.Body, want.Body):
		return fmt.Sprintf("body of %d bytes %s, want %d bytes %s", len(got.Body), head(got.Body), len(want.Body), head(want.Body))
	case !sameProperties(got.Properties, want.Properties):
		return fmt.Sprintf("properties %q, want %q", got.Properties.Sorted(), want.Properties.Sorted())
	}
	return ""
}

func head(b []byte) string { return fmt.Sprintf("%x", b[:min(len(b), 16)]) }

// sameProperties looks at the bytes first, which is nearly always enough.
func sameProperties(got, want record.Properties) bool {
	if bytes.Equal(got, want) {
		return true
	}
	g := append(record.Properties(nil), got...)
	g.Delete(record.PropertyInnerBase)
	g.Delete(record.PropertyMultiOffset)
	return g.Sorted() == want.Sorted()
}

// unitsOf are the places that a record must have in queues, by its own fields.
func unitsOf(m *record.MessageExt, multi bool) []unit {
	if record.IsTransactionPending(m.SysFlag) {
		return nil
	}
	own := unit{topic: m.Topic, id: m.QueueID, offset: m.QueueOffset, num: 1}
	if m.SysFlag&record.SysInnerBatch != 0 {
		if v, ok := m.Properties.Get(record.PropertyInnerNum); ok {
			if n, err := strconv.ParseInt(v, 10, 16); err == nil && n > 0 {
				own.num = n
			}
		}
	}
	units := []unit{own}
	names, _ := m.Properties.Get(record.PropertyMultiDispatch)
	offsets, _ := m.Properties.Get(record.PropertyMultiOffset)
	if !multi || names == "" || offsets == "" {
		return units
	}
	numbers := strings.Split(offsets, ",")
	for i, name := range strings.Split(names, ",") {
		if i < len(numbers) {
			if n, err := strconv.ParseInt(numbers[i], 10, 64); err == nil {
				units = append(units, unit{topic: name, offset: n, num: 1})
			}
		}
	}
	return units
}
