package fetch

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"strings"
	"time"

	"cmp"
	"gatecrawl.example/gatecrawl/fetch/access"
	"gatecrawl.example/gatecrawl/fetch/feed"
	"gatecrawl.example/gatecrawl/fetch/robots"
)

// Token is the product token (RFC 9309, section 2.2.1) by which a robots.txt
// addresses this crawler.
const Token = "gatecrawl"

// Options are the settings of a Fetcher. A field that is zero has its default.
type Options struct {
	// Agent is the whole User-Agent header. It must contain the Token, so that a webmaster who
	// reads a log knows what to write into robots.txt. Default: Agent("", ""). Without a
	// contact, sites block first and have no one to ask.
	Agent string

	// Token is the product token by which robots.txt is read: letters,
	// "-" and "_" only. Default: "gatecrawl". With a token that differs from the
	// one in Agent a site's rules for this crawler do not reach it.
	Token string

	// MaxBody is the most bytes of a body that are kept, after decompression.
	// Default: 10 MiB. Too small cuts long pages, whose tails then never
	// count; too large lets every worker hold that much at once.
	MaxBody int64

	// MaxSitemap is the most bytes of a sitemap that are kept, after decompression, if that is
	// more than MaxBody. Default: 50 MiB, the limit of the protocol.
	MaxSitemap int64

	// MaxRobots is the most bytes of a robots.txt that are read. Default and
	// maximum: 500 KiB, which RFC 9309 asks for at least; less drops rules
	// that the site did write.
	MaxRobots int64

	// MaxHeader is the most bytes of response headers. Default: 256 KiB. Below
	// some 16 KiB sites with many cookies fail.
	MaxHeader int64

	// Timeout is the most time that a whole request may take, from DNS to the
	// last byte. Default: 30 s. Too short loses large pages on slow lines; too
	// long lets a server that trickles hold a worker.
	Timeout time.Duration

	// ConnectTimeout is the most time for DNS and TCP together, and again for
	// TLS. Default: 10 s. Less than 3 s gives up after one lost packet.
	ConnectTimeout time.Duration

	// HeaderTimeout is the most time from the request's last byte to the end
	// of the response headers. Default: 15 s.
	HeaderTimeout time.Duration

	// StallTimeout is the longest silence within a body. Default: 15 s.
	StallTimeout time.Duration

	// MinRate is how many bytes a second a body has to bring, counted over a
	// StallTimeout. Default: 64, a page of 30 kB in 8 minutes, which the Timeout
	// forbids anyway; a server that trickles is given up after one StallTimeout
	// and not after the whole Timeout. Above some thousand it loses slow lines.
	MinRate int64

	// DNSLife is how long the addresses of a host are remembered. Default: 5 min. Too short
	// asks the name server for every page; too long goes on asking a machine that a site has
	// left (when none of its addresses can be connected to, a host is looked up again).
	DNSLife time.Duration

	// Proxy sends every request through a proxy: http://, https:// or socks5://
	// with a host, a port and perhaps user:password@. Default: none. The proxy
	// then looks up names and connects: addresses that a URL writes as numbers
	// are still checked here, but keeping names out of private networks is left
	// to the proxy.
	Proxy string

	// MaxIdle and MaxIdlePerHost are how many unused connections are kept for
	// the next request, for 30 s at most. Defaults: 1,024 and 64. Too few, and
	// every page costs a handshake; each one kept costs a file descriptor.
	MaxIdle        int
	MaxIdlePerHost int

	// AllowPrivate permits addresses that are not on the public Internet: private, link-local,
	// shared (carrier NAT), reserved and metadata addresses. Off, because a link on a page must
	// not reach into the crawler's own network.
	AllowPrivate bool

	// AllowPorts are ports, as numbers, that may be asked although they are of other
	// protocols: see frontier.CheckPort. Default none.
	AllowPorts []string

	// AllowLoopback permits 127.0.0.0/8 and ::1.
	AllowLoopback bool

	// Grants are the headers, credentials and cookies of sites. Default nil: no request
	// carries any.
	Grants *access.Grants

	// Insecure are sites whose certificates are not checked. Default none: anyone between here
	// and such a site can read and change everything.
	Insecure []access.Site

	// Roots are the certificates that are trusted. Default nil: those of the system.
	Roots *x509.CertPool

	// Allowed is asked before each request and each connection: with its error neither is
	// made. A process that shares a crawl with others asks only while it has leases. Default
	// nil: everything is allowed.
	Allowed func() error

	// Dial connects to an address that may be asked, in place of the system: for sites that are
	// reached in a way of their own, and for tests, whose sites may be in memory (net.Pipe) and
	// whose clock may be that of testing/synctest. Default nil: TCP.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)

	// Bandwidth is how many bytes of bodies a second all requests together may bring, on
	// the wire. Default 0: no limit. A request waits until there is room for a body of the
	// usual size, so that it holds over some pages and not within one.
	Bandwidth int64
}

// Defaults returns Options with every default written out.
func Defaults() Options {
	return Options{
		Agent:          Agent("", ""),
		Token:          Token,
		MaxBody:        10 << 20,
		MaxSitemap:     feed.MaxBytes,
		MaxRobots:      robots.MaxSize,
		MaxHeader:      256 << 10,
		Timeout:        30 * time.Second,
		ConnectTimeout: 10 * time.Second,
		HeaderTimeout:  15 * time.Second,
		StallTimeout:   15 * time.Second,
		MinRate:        64,
		DNSLife:        5 * time.Minute,
		MaxIdle:        1024,
		MaxIdlePerHost: 64,
	}
}

// Agent returns a User-Agent in the form that site owners know from other
// crawlers: what crawls, in which version, and where its operator is reached
// (a web page or a mail address). Empty parts are left out.
func Agent(contact, version string) string {
	s := "Mozilla/5.0 (compatible; " + Token
	if version != "" {
		s += "/" + version
	}
	if contact != "" {
		s += "; +" + contact
	}
	return s + ")"
}

// OwnAgent returns a User-Agent that a user has chosen, with the contact if it does not name
// it, and the product token in it: gatecrawl if it has that, or else its first word. The token
// is "" if it does not start with a letter.
func OwnAgent(text, contact string) (agent, token string) {
	first, _, _ := strings.Cut(strings.TrimSpace(text), " ")
	agent, token = text, robots.ProductToken(first)
	if strings.Contains(strings.ToLower(text), Token) {
		token = Token
	}
	if contact != "" && !strings.Contains(text, contact) {
		agent += " (+" + contact + ")"
	}
	return agent, token
}

// Validate reports everything that is wrong with o.
func (o Options) Validate() error {
	o = o.filled()
	var faults []error
	fault := func(format string, args ...any) {
		faults = append(faults, fmt.Errorf(format, args...))
	}
	if strings.ContainsFunc(o.Agent, isControl) {
		fault("user agent %q has a control character", o.Agent)
	}
	if !isToken(o.Token) {
		fault("robots token %q must be letters, \"-\" and \"_\" only", o.Token)
	}
	if !strings.Contains(strings.ToLower(o.Agent), strings.ToLower(o.Token)) {
		fault("user agent %q does not contain the robots token %q", o.Agent, o.Token)
	}
	for _, n := range []struct {
		name         string
		is, min, max int64
		unit         string
	}{
		{"largest body", o.MaxBody, 1, 1 << 30, "bytes"},
		{"largest sitemap", o.MaxSitemap, 1, 1 << 30, "bytes"},
		{"largest robots.txt", o.MaxRobots, 1, robots.MaxSize, "bytes"},
		{"largest response header", o.MaxHeader, 1 << 10, 16 << 20, "bytes"},
		{"lowest rate of a body", o.MinRate, 1, 1 << 30, "bytes a second"},
		{"idle connections", int64(o.MaxIdle), 1, 1 << 20, "connections"},
		{"idle connections per host", int64(o.MaxIdlePerHost), 1, 1 << 20, "connections"},
	} {
		if n.is < n.min || n.is > n.max {
			fault("%s is %d: must be from %d to %d %s", n.name, n.is, n.min, n.max, n.unit)
		}
	}
	for _, d := range []struct {
		name string
		is   time.Duration
	}{
		{"timeout of a request", o.Timeout},
		{"timeout to connect", o.ConnectTimeout},
		{"timeout to the first byte", o.HeaderTimeout},
		{"timeout of a silent body", o.StallTimeout},
		{"life of a looked-up address", o.DNSLife},
	} {
		if d.is < time.Millisecond || d.is > time.Hour {
			fault("%s is %v: must be from 1ms to 1h", d.name, d.is)
		}
	}
	if o.Bandwidth < 0 || o.Bandwidth > 0 && o.Bandwidth < leastBandwidth {
		fault("bandwidth is %d: must be 0 (no limit), or %d bytes a second or more", o.Bandwidth, leastBandwidth)
	}
	if o.Proxy != "" {
		if _, err := parseProxy(o.Proxy); err != nil {
			faults = append(faults, err)
		}
	}
	return errors.Join(faults...)
}

// stallBytes is how many bytes a body has to bring within a StallTimeout.
func (o *Options) stallBytes() int64 {
	return max(1, int64(float64(o.MinRate)*o.StallTimeout.Seconds()))
}

// filled returns o with defaults in the place of zero fields.
func (o Options) filled() Options {
	d := Defaults()
	o.Agent = cmp.Or(o.Agent, d.Agent)
	o.Token = cmp.Or(o.Token, d.Token)
	o.MaxBody = cmp.Or(o.MaxBody, d.MaxBody)
	o.MaxSitemap = cmp.Or(o.MaxSitemap, d.MaxSitemap)
	o.MaxRobots = cmp.Or(o.MaxRobots, d.MaxRobots)
	o.MaxHeader = cmp.Or(o.MaxHeader, d.MaxHeader)
	o.Timeout = cmp.Or(o.Timeout, d.Timeout)
	o.ConnectTimeout = cmp.Or(o.ConnectTimeout, d.ConnectTimeout)
	o.HeaderTimeout = cmp.Or(o.HeaderTimeout, d.HeaderTimeout)
	o.StallTimeout = cmp.Or(o.StallTimeout, d.StallTimeout)
	o.MinRate = cmp.Or(o.MinRate, d.MinRate)
	o.DNSLife = cmp.Or(o.DNSLife, d.DNSLife)
	o.MaxIdle = cmp.Or(o.MaxIdle, d.MaxIdle)
	o.MaxIdlePerHost = cmp.Or(o.MaxIdlePerHost, d.MaxIdlePerHost)
	return o
}

func isControl(r rune) bool { return r < ' ' || r == 0x7f }

// isToken reports whether s is a product token of RFC 9309.
func isToken(s string) bool {
	return s != "" && !strings.ContainsAny(s, " \t") && robots.ProductToken(s) == s
}
