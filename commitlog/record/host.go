package record

import "net/netip"

// hostOr is the address to store: the default for a zero one, IPv4 for an IPv4
// address in IPv6 clothes, as Java's InetAddress has it.
func hostOr(a, def netip.AddrPort) netip.AddrPort {
	if !a.IsValid() {
		a = def
	}
	if a.Addr().Is4() {
		return a
	}
	return netip.AddrPortFrom(a.Addr().Unmap(), a.Port())
}

// hostLen is the number of bytes that putHost writes; a zero address takes as
// many as 0.0.0.0.
func hostLen(a netip.AddrPort) int {
	if a.Addr().Is6() {
		return hostV6
	}
	return hostV4
}

func putHost(b []byte, a netip.AddrPort) int {
	addr := a.Addr()
	if addr.Is6() {
		ip := addr.As16()
		copy(b, ip[:])
		be.PutUint32(b[16:], uint32(a.Port()))
		return hostV6
	}
	var ip [4]byte
	if addr.Is4() {
		ip = addr.As4()
	}
	copy(b, ip[:])
	be.PutUint32(b[4:], uint32(a.Port()))
	return hostV4
}

// getHost reads 8 or 20 bytes; false if the port is none.
func getHost(b []byte) (netip.AddrPort, bool) {
	var addr netip.Addr
	if len(b) == hostV6 {
		addr = netip.AddrFrom16([16]byte(b)).Unmap()
	} else {
		addr = netip.AddrFrom4([4]byte(b))
	}
	port := be.Uint32(b[len(b)-4:])
	return netip.AddrPortFrom(addr, uint16(port)), port <= 0xFFFF
}
