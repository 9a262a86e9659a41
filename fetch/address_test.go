package fetch

import (
	"net/netip"
	"testing"
)

func TestAddressesAreToldApart(t *testing.T) {
	for address, want := range map[string]string{
		"8.8.8.8":                public,
		"172.15.0.1":             public,
		"172.32.0.1":             public,
		"100.128.0.1":            public,
		"2606:4700::1111":        public,
		"64:ff9b::808:808":       public,
		"2002:808:808::1":        public,
		"127.0.0.1":              loopback,
		"127.255.255.254":        loopback,
		"::1":                    loopback,
		"::ffff:127.0.0.1":       loopback,
		"64:ff9b::7f00:1":        loopback,
		"2002:7f00:1::":          loopback,
		"0.0.0.0":                unusable,
		"0.1.2.3":                unusable,
		"::":                     unusable,
		"224.0.0.1":              unusable,
		"ff02::1":                unusable,
		"255.255.255.255":        unusable,
		"10.1.2.3":               "private",
		"172.16.0.1":             "private",
		"172.31.255.255":         "private",
		"192.168.1.1":            "private",
		"::ffff:10.0.0.1":        "private",
		"64:ff9b::a00:1":         "private",
		"fd00:ec2::254":          metadata,
		"fec0::1":                "private",
		"169.254.169.254":        metadata,
		"::ffff:169.254.169.254": metadata,
		"fe80::1%eth0":           "link-local",
		"100.64.0.1":             "shared",
		"100.100.100.200":        metadata,
		"168.63.129.16":          metadata,
		"192.0.0.192":            "reserved",
		"198.18.0.1":             "benchmarking",
		"203.0.113.7":            "documentation",
		"240.0.0.1":              "reserved",
		"::7f00:1":               "reserved",
		"::ffff:0:127.0.0.1":     "reserved",
		"64:ff9b:1::a00:1":       "translated",
		"2001::1":                "reserved",
		"2001:db8::1":            "documentation",
	} {
		if got := addressKind(netip.MustParseAddr(address)); got != want {
			t.Errorf("addressKind(%s) = %q, want %q", address, got, want)
		}
	}
}

func TestAddressesNeedPermission(t *testing.T) {
	for _, c := range []struct {
		address             string
		neither, priv, loop bool
	}{
		{"8.8.8.8:80", true, true, true},
		{"10.0.0.1:80", false, true, false},
		{"169.254.169.254:80", false, false, false},
		{"169.254.1.1:80", false, true, false},
		{"100.100.100.200:80", false, false, false},
		{"127.0.0.1:80", false, false, true},
		{"[::1]:80", false, false, true},
		{"0.0.0.0:80", false, false, false},
		{"[ff02::1%1]:80", false, false, false},
		{"site.example:80", false, false, false},
	} {
		for o, want := range map[*Options]bool{
			{}:                    c.neither,
			{AllowPrivate: true}:  c.priv,
			{AllowLoopback: true}: c.loop,
		} {
			if err := o.control(t.Context(), "tcp", c.address, nil); (err == nil) != want {
				t.Errorf("private %v, loopback %v: %s: %v, want allowed %v", o.AllowPrivate, o.AllowLoopback, c.address, err, want)
			}
		}
	}
}
