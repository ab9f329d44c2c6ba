package record_test

import (
	"net/netip"
	"strings"

	"pgregory.net/rapid"

	"github.com/actorstore/actorstore/commitlog/record"
)

func genHost() *rapid.Generator[netip.AddrPort] {
	return rapid.Custom(func(t *rapid.T) netip.AddrPort {
		port := rapid.Uint16().Draw(t, "port")
		if rapid.Bool().Draw(t, "v6") {
			ip := rapid.SliceOfN(rapid.Byte(), 16, 16).Draw(t, "ip")
			ip[0] |= 0x20 // never an IPv4 address in IPv6 clothes
			return netip.AddrPortFrom(netip.AddrFrom16([16]byte(ip)), port)
		}
		ip := rapid.SliceOfN(rapid.Byte(), 4, 4).Draw(t, "ip")
		return netip.AddrPortFrom(netip.AddrFrom4([4]byte(ip)), port)
	})
}

func genTopic() *rapid.Generator[string] {
	return rapid.OneOf(
		rapid.StringMatching(`[a-zA-Z0-9_%|-]{1,127}`),
		rapid.Map(rapid.IntRange(1, 248), func(n int) string { return "%RETRY%" + strings.Repeat("t", n) }),
		rapid.Map(rapid.IntRange(1, 42), func(n int) string { return strings.Repeat("題", n) }),
	)
}

func genProperties() *rapid.Generator[record.Properties] {
	word := rapid.StringMatching(`[a-zA-Z0-9_ é題😀]{1,12}`)
	return rapid.Custom(func(t *rapid.T) record.Properties {
		var p record.Properties
		for i := range rapid.IntRange(0, 6).Draw(t, "pairs") {
			name := rapid.OneOf(rapid.SampledFrom([]string{"TAGS", "KEYS", "UNIQ_KEY", "WAIT"}), word).Draw(t, "name")
			p = record.AppendProperty(p, name, rapid.OneOf(word, rapid.Just("x\x01y")).Draw(t, "value"))
			_ = i
		}
		if len(p) > 0 && rapid.Bool().Draw(t, "no last separator") {
			p = p[:len(p)-1]
		}
		return p
	})
}

func genMessage() *rapid.Generator[record.Message] {
	return rapid.Custom(func(t *rapid.T) record.Message {
		return record.Message{
			Topic:                     genTopic().Draw(t, "topic"),
			QueueID:                   rapid.Int32Min(0).Draw(t, "queue"),
			Flag:                      rapid.Int32().Draw(t, "flag"),
			SysFlag:                   rapid.SampledFrom([]int32{0, 1, 2, 8, 0x101, 0x40, -0x800}).Draw(t, "sysFlag"),
			BornTimestamp:             rapid.Int64Min(1).Draw(t, "born"),
			BornHost:                  genHost().Draw(t, "bornHost"),
			StoreHost:                 genHost().Draw(t, "storeHost"),
			ReconsumeTimes:            rapid.Int32().Draw(t, "reconsume"),
			PreparedTransactionOffset: rapid.Int64().Draw(t, "prepared"),
			Properties:                genProperties().Draw(t, "properties"),
			Body:                      rapid.SliceOfN(rapid.Byte(), 0, 300).Draw(t, "body"),
		}
	})
}

func genPosition() *rapid.Generator[record.Position] {
	return rapid.Custom(func(t *rapid.T) record.Position {
		return record.Position{
			QueueOffset:    rapid.Int64Min(0).Draw(t, "queueOffset"),
			PhysicalOffset: rapid.Int64Min(0).Draw(t, "physicalOffset"),
			StoreTimestamp: rapid.Int64Min(0).Draw(t, "storeTimestamp"),
		}
	})
}
