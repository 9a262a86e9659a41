package fetch

import (
	"context"
	"net/netip"
	"syscall"
)

// An addressError says that connecting to an IP address is not allowed.
type addressError struct {
	addr netip.Addr
	kind string
}

func (e *addressError) Error() string {
	return "address " + e.addr.String() + " is " + e.kind + " and not allowed"
}

// A portError says that a URL's port is not used for web pages.
type portError struct{ why string }

func (e *portError) Error() string { return e.why }

// control is the dialer's last check of an address before it connects. It runs after DNS and for
// every address that is tried, so no name and no redirect can bypass it.
func (o *Options) control(_ context.Context, _, address string, _ syscall.RawConn) error {
	ap, err := netip.ParseAddrPort(address)
	if err != nil {
		return err
	}
	return o.allow(ap.Addr())
}

// allow returns an *addressError for an address that must not be connected to.
func (o *Options) allow(a netip.Addr) error {
	kind := addressKind(a)
	switch {
	case kind == public,
		kind == loopback && o.AllowLoopback,
		kind != loopback && kind != unusable && kind != metadata && o.AllowPrivate:
		return nil
	}
	return &addressError{a, kind}
}

// The kinds of addresses that the code distinguishes; the others are only names for messages.
const (
	public   = ""
	loopback = "loopback"
	unusable = "not a host's"               // unspecified, multicast and broadcast: nothing allows these
	metadata = "a cloud's metadata service" // nor these: what a machine is told there, such as its keys, is on no intranet
)

// addressBlocks are the ranges that the IANA special-purpose registries
// (RFC 6890 and its updates) do not call globally reachable. The first that
// contains an address names it.
var addressBlocks = []struct {
	block netip.Prefix
	kind  string
}{
	{netip.MustParsePrefix("127.0.0.0/8"), loopback},
	{netip.MustParsePrefix("255.255.255.255/32"), unusable},
	{netip.MustParsePrefix("224.0.0.0/4"), unusable},
	{netip.MustParsePrefix("0.0.0.0/8"), unusable}, // Linux connects 0.0.0.0 to itself
	{netip.MustParsePrefix("10.0.0.0/8"), "private"},
	{netip.MustParsePrefix("172.16.0.0/12"), "private"},
	{netip.MustParsePrefix("192.168.0.0/16"), "private"},
	{netip.MustParsePrefix("169.254.169.0/24"), metadata}, // .254 on most clouds
	{netip.MustParsePrefix("169.254.170.0/24"), metadata}, // of containers
	{netip.MustParsePrefix("169.254.0.0/16"), "link-local"},
	{netip.MustParsePrefix("100.100.100.200/32"), metadata},
	{netip.MustParsePrefix("100.64.0.0/10"), "shared"},    // RFC 6598
	{netip.MustParsePrefix("168.63.129.16/32"), metadata}, // public by number, but one cloud's inner service
	{netip.MustParsePrefix("192.0.0.0/24"), "reserved"},
	{netip.MustParsePrefix("192.0.2.0/24"), "documentation"},
	{netip.MustParsePrefix("198.51.100.0/24"), "documentation"},
	{netip.MustParsePrefix("203.0.113.0/24"), "documentation"},
	{netip.MustParsePrefix("192.88.99.0/24"), "reserved"},
	{netip.MustParsePrefix("198.18.0.0/15"), "benchmarking"},
	{netip.MustParsePrefix("240.0.0.0/4"), "reserved"},

	{netip.MustParsePrefix("::1/128"), loopback},
	{netip.MustParsePrefix("::/128"), unusable},
	{netip.MustParsePrefix("ff00::/8"), unusable},
	{netip.MustParsePrefix("fd00:ec2::254/128"), metadata},
	{netip.MustParsePrefix("fc00::/7"), "private"},
	{netip.MustParsePrefix("fe80::/10"), "link-local"},
	{netip.MustParsePrefix("fec0::/10"), "private"},
	{netip.MustParsePrefix("::/96"), "reserved"},
	{netip.MustParsePrefix("::ffff:0:0:0/96"), "reserved"},  // SIIT
	{netip.MustParsePrefix("64:ff9b:1::/48"), "translated"}, // RFC 8215, local NAT64
	{netip.MustParsePrefix("100::/64"), "reserved"},
	{netip.MustParsePrefix("2001::/23"), "reserved"}, // protocol assignments, with Teredo
	{netip.MustParsePrefix("2001:db8::/32"), "documentation"},
	{netip.MustParsePrefix("3fff::/20"), "documentation"},
	{netip.MustParsePrefix("5f00::/16"), "reserved"},
}

var (
	nat64 = netip.MustParsePrefix("64:ff9b::/96") // RFC 6052
	sixTo = netip.MustParsePrefix("2002::/16")    // RFC 3056
)

// addressKind returns public, or the word for what else a is. An IPv6 address that carries an
// IPv4 address (mapped, NAT64, 6to4) is of that one's kind: on a network with NAT64 the whole
// IPv4 Internet has such addresses.
func addressKind(a netip.Addr) string {
	a = a.WithZone("").Unmap()
	if a.Is6() {
		b := a.As16()
		switch {
		case nat64.Contains(a):
			return addressKind(netip.AddrFrom4([4]byte(b[12:])))
		case sixTo.Contains(a):
			return addressKind(netip.AddrFrom4([4]byte(b[2:6])))
		}
	}
	for _, r := range addressBlocks {
		if r.block.Contains(a) {
			return r.kind
		}
	}
	return public
}
