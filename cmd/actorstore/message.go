package main

import (
	"context"
	"crypto/md5"
	"encoding/hex"
	"fmt"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"github.com/actorstore/actorstore"
	"github.com/actorstore/actorstore/commitlog/record"
)

// message writes the seventeen fields of a message, in the order and form of the
// golden files. props is what properties gives.
func (l *jsonLine) message(m *actorstore.MessageExt, props string) *jsonLine {
	sum := md5.Sum(m.Body)
	return l.text("topic", m.Topic).number("queue", int64(m.QueueID)).number("offset", m.QueueOffset).
		number("phy", m.PhysicalOffset).number("size", int64(m.StoreSize)).
		number("flag", int64(m.Flag)).number("sysFlag", int64(m.SysFlag)).
		number("born", m.BornTimestamp).number("stored", m.StoreTimestamp).
		text("bornHost", javaHost(m.BornHost)).text("storeHost", javaHost(m.StoreHost)).
		number("recon", int64(m.ReconsumeTimes)).number("prep", m.PreparedTransactionOffset).
		number("crc", int64(m.BodyCRC)).number("len", int64(len(m.Body))).
		text("md5", hex.EncodeToString(sum[:])).text("props", props)
}

// ids adds what RocketMQ knows the message by: the offset message id, and the
// client's own, which is a property too.
func (l *jsonLine) ids(m *actorstore.MessageExt) *jsonLine {
	l.text("id", m.MsgID())
	if key := m.UniqKey(); key != "" {
		l.text("uniqKey", key)
	}
	return l
}

// javaHost prints an address as Java's InetSocketAddress does: all eight groups
// of an IPv6 address, none of them shortened to "::".
func javaHost(a netip.AddrPort) string {
	if !a.Addr().Is6() || a.Addr().Is4In6() {
		return "/" + netip.AddrPortFrom(a.Addr().Unmap(), a.Port()).String()
	}
	ip := a.Addr().As16()
	groups := make([]string, 8)
	for i := range groups {
		groups[i] = strconv.FormatUint(uint64(ip[2*i])<<8|uint64(ip[2*i+1]), 16)
	}
	return fmt.Sprintf("/[%s]:%d", strings.Join(groups, ":"), a.Port())
}

// sortedProperties are the properties as "name=value;", sorted, with the
// checksum property where the record has one.
func sortedProperties(p actorstore.Properties, crc []byte) string {
	if crc != nil {
		p = record.AppendProperty(slices.Clone(p), record.PropertyCRC, string(crc))
	}
	return p.Sorted()
}

// properties looks the record up for its checksum property, which a message
// does not show.
func properties(ctx context.Context, i *actorstore.Inspection, m *actorstore.MessageExt) (string, error) {
	var crc []byte
	err := i.Walk(ctx, m.PhysicalOffset, m.PhysicalOffset+int64(m.StoreSize),
		func(e actorstore.Entry, err error) error {
			if digits, ok := record.CRCProperty(e.Bytes); err == nil && ok {
				crc = slices.Clone(digits)
			}
			return nil
		})
	return sortedProperties(m.Properties, crc), err
}
