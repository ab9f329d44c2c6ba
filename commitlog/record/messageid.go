package record

import (
	"encoding/hex"
	"fmt"
	"net/netip"
)

// EncodeMessageID is the offset message id: store host and physical offset in
// upper-case hex, 32 digits for IPv4 and 56 for IPv6.
func EncodeMessageID(storeHost netip.AddrPort, physicalOffset int64) string {
	const digits = "0123456789ABCDEF"
	var b [hostV6 + 8]byte
	n := putHost(b[:], hostOr(storeHost, netip.AddrPort{}))
	be.PutUint64(b[n:], uint64(physicalOffset))
	var id [2 * len(b)]byte
	for i, c := range b[:n+8] {
		id[2*i], id[2*i+1] = digits[c>>4], digits[c&15]
	}
	return string(id[:2*(n+8)])
}

// MsgID is RocketMQ's offset message id (offsetMsgId): where the message stands,
// for LookupID. What RocketMQ's clients call msgId is UniqKey, if there is one.
func (m *MessageExt) MsgID() string { return EncodeMessageID(m.StoreHost, m.PhysicalOffset) }

// DecodeMessageID takes an offset message id apart; small letters are as good.
func DecodeMessageID(id string) (storeHost netip.AddrPort, physicalOffset int64, err error) {
	if len(id) != 2*(hostV4+8) && len(id) != 2*(hostV6+8) {
		return netip.AddrPort{}, 0, fmt.Errorf("message id: want 32 or 56 hex digits, got %d characters", len(id))
	}
	b, err := hex.DecodeString(id)
	if err != nil {
		return netip.AddrPort{}, 0, fmt.Errorf("message id %q: %w", id, err)
	}
	n := len(b) - 8
	host, ok := getHost(b[:n])
	offset := int64(be.Uint64(b[n:]))
	if !ok || offset < 0 {
		return netip.AddrPort{}, 0, fmt.Errorf("message id %q: want a port of at most 65535 and an offset >= 0", id)
	}
	return host, offset, nil
}
