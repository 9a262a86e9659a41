package fetch

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"gatecrawl.example/gatecrawl/fetch/access"
	"gatecrawl.example/gatecrawl/frontier"
	"gatecrawl.example/gatecrawl/frontier/weburl"
)

// idleLife is how long an unused connection is kept. Servers close theirs after 5 s (Apache) to 75
// s (nginx); using a closed one costs a failed write.
const idleLife = 30 * time.Second

// wire is the http.RoundTripper below colly. It requests the URL exactly as the frontier wrote it,
// reads and decodes the body within the limits, and stores the answer in the request's job. Colly
// sees only the status: with the body it would convert its characters and unzip it by the file's
// name, and with an invalid Location it would lose the answer.
type wire struct {
	o     *Options
	names *names
	base  *http.Transport
	bare  *http.Transport // for sites whose certificates are not checked; nil: there are none
	rate  *rate           // nil: no limit
}

func newWire(o *Options) *wire {
	d := &dialer{
		Dialer: net.Dialer{Timeout: o.ConnectTimeout, KeepAlive: idleLife, ControlContext: o.control},
		names:  newNames(o.DNSLife, o.ConnectTimeout),
		other:  o.Dial,
	}
	w := &wire{o: o, names: d.names}
	dial := func(ctx context.Context, network, address string) (net.Conn, error) {
		if err := o.allowed(); err != nil {
			return nil, err
		}
		c, err := d.DialContext(ctx, network, address)
		if err != nil {
			return nil, err
		}
		return &conn{c, c.RemoteAddr().String()}, nil
	}
	w.base = &http.Transport{
		DialContext:            dial,
		TLSHandshakeTimeout:    o.ConnectTimeout,
		DisableCompression:     true, // ours has more encodings and a limit
		MaxIdleConns:           o.MaxIdle,
		MaxIdleConnsPerHost:    o.MaxIdlePerHost,
		IdleConnTimeout:        idleLife,
		ResponseHeaderTimeout:  o.HeaderTimeout,
		MaxResponseHeaderBytes: o.MaxHeader,
		ForceAttemptHTTP2:      true, // a dialer of one's own turns it off otherwise
		HTTP2: &http.HTTP2Config{ // a silent connection is tested by a ping
			SendPingTimeout: o.StallTimeout,
			PingTimeout:     o.ConnectTimeout,
			// How much a server may send before it is read; Go's default of 4 MB for each page
			// would be more than the pages themselves.
			MaxReceiveBufferPerStream:     256 << 10,
			MaxReceiveBufferPerConnection: 1 << 20,
		},
	}
	if o.Proxy != "" {
		proxy, err := parseProxy(o.Proxy)
		if err != nil {
			panic("options were validated: " + err.Error())
		}
		w.base.Proxy, w.base.OnProxyConnectResponse = http.ProxyURL(proxy), connectAnswer
		d.ControlContext = nil // it only ever connects to the proxy, which the user named
	}
	w.base.TLSClientConfig = &tls.Config{RootCAs: o.Roots}
	if len(o.Insecure) > 0 {
		w.bare = w.base.Clone() // with its own connections
		w.bare.TLSClientConfig.InsecureSkipVerify = true
	}
	if o.Bandwidth > 0 {
		w.rate = newRate(o.Bandwidth)
	}
	return w
}

// A conn remembers, as text, the IP address that it is connected to.
type conn struct {
	net.Conn
	addr string
}

// RoundTrip sends the request of the job in req's context.
func (w *wire) RoundTrip(req *http.Request) (*http.Response, error) {
	j := req.Context().Value(jobKey{}).(*job)
	if err := w.o.allowed(); err != nil {
		return nil, err
	}
	if r := frontier.CheckPort(j.answer.URL, w.o.AllowPorts); !r.IsZero() {
		return nil, &portError{r.Detail}
	}
	if w.o.Proxy != "" {
		if err := w.o.allowTarget(j.answer.URL); err != nil {
			return nil, err
		}
	}
	out := *req
	out.URL, out.Host = j.target, j.target.Host
	j.answer.Started = time.Now()
	res, cookies, err := w.send(&out, j.answer.URL)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	if w.o.asksLogin(j.answer.URL, res.StatusCode) {
		return nil, &proxyError{res.StatusCode, res.Status}
	}
	j.answer.Status, j.answer.Header = res.StatusCode, res.Header
	j.answer.OtherCookies, j.answer.KeptCookies = cookies, !isBare(req.Context()) && w.o.Grants.HasCookies(j.answer.URL)
	j.answer.Protocols, j.answer.Cipher = protocolsOf(res)
	if err := j.read(res); err != nil {
		return nil, errBody{err}
	}
	j.answer.Took = time.Since(j.answer.Started)
	return &http.Response{
		Status:       res.Status,
		StatusCode:   res.StatusCode,
		Proto:        res.Proto,
		ProtoMajor:   res.ProtoMajor,
		ProtoMinor:   res.ProtoMinor,
		Header:       http.Header{},
		Body:         http.NoBody,
		Uncompressed: true, // or colly opens gzip by the file's name
		Request:      req,
	}, nil
}

// protocolsOf returns the protocols of an answer as WARC-Protocol names them, and the cipher suite
// (github.com/iipc/warc-specifications, issues 42 and 86).
func protocolsOf(res *http.Response) (names []string, cipher string) {
	switch {
	case res.ProtoMajor != 2:
		names = append(names, strings.ToLower(res.Proto))
	case res.TLS != nil:
		names = append(names, "h2")
	default:
		names = append(names, "h2c")
	}
	if res.TLS == nil {
		return names, ""
	}
	if v := tlsNames[res.TLS.Version]; v != "" {
		names = append(names, v)
	}
	return names, tls.CipherSuiteName(res.TLS.CipherSuite)
}

var tlsNames = map[uint16]string{tls.VersionTLS10: "tls/1.0", tls.VersionTLS11: "tls/1.1", tls.VersionTLS12: "tls/1.2", tls.VersionTLS13: "tls/1.3"}

// send sends a request for u with what Options.Grants has for its site. Callers do not see that:
// what they store of the request is made from the request without it. cookies is as in
// Response.OtherCookies.
func (w *wire) send(out *http.Request, u weburl.URL) (res *http.Response, cookies bool, err error) {
	g := w.o.Grants
	if isBare(out.Context()) {
		g = nil
	}
	carries := false
	if g != nil {
		out.Header = out.Header.Clone()
		carries = g.Apply(out.Header, u)
	}
	by := w.base
	if w.bare != nil && slices.ContainsFunc(w.o.Insecure, func(s access.Site) bool { return s.Names(u) }) {
		by = w.bare
	}
	if res, err = by.RoundTrip(out); err == nil {
		cookies = g.Answered(res.Header, u, carries)
	}
	return res, cookies, err
}

// bareKey is the key of a context whose requests carry no grants.
type bareKey struct{}

// Bare returns a context whose requests carry none of Options.Grants. It is for requests that a
// page of another site causes, and whose answers that page may read.
func Bare(ctx context.Context) context.Context { return context.WithValue(ctx, bareKey{}, true) }

func isBare(ctx context.Context) bool { return ctx.Value(bareKey{}) != nil }

// A job is a request that is passed through colly and its answer.
type job struct {
	o      *Options
	target *url.URL
	limits limits
	answer *Response
	cut    bool // the limit cut the body
	broken bool // the body ended before it should have

	claim claim // reservation of the memory that bodies share

	rate   *rate   // nil: no limit
	booked float64 // bytes booked in rate

	wrote atomic.Bool // the request was sent

	// recent counts bytes since the stall timer was set; a body has to bring
	// Options.stallBytes before it runs out.
	recent atomic.Int64

	cancel context.CancelCauseFunc
	timer  *time.Timer
	end    time.Time
}

// limits are the most bytes of a body that are kept: for a sitemap and for all others.
type limits struct{ sitemap, body int64 }

// jobKey is the key of a job in a request's context.
type jobKey struct{}

func newJob(o *Options, u weburl.URL, l limits) *job {
	return &job{o: o, target: o.target(u), limits: l, answer: &Response{URL: u}}
}

// start returns a context for the request that ends with ctx, when the time for the whole request
// has passed, or when the body stalls. One timer is set to whichever time comes first. Call stop
// when the request is over.
func (j *job) start(ctx context.Context) context.Context {
	ctx, j.cancel = context.WithCancelCause(ctx)
	j.end = time.Now().Add(j.o.Timeout)
	j.timer = time.AfterFunc(j.o.Timeout, func() {
		if time.Now().Before(j.end) {
			j.cancel(stallError(j.recent.Load()))
			return
		}
		j.cancel(errTotal)
	})
	ctx = context.WithValue(ctx, jobKey{}, j)
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GotConn:      j.connected,
		WroteRequest: func(httptrace.WroteRequestInfo) { j.wrote.Store(true) },
	})
}

func (j *job) stop() {
	j.timer.Stop()
	j.cancel(nil)
}

// finish completes the answer.
func (j *job) finish() {
	r := j.answer
	r.ContentType = MediaType(r.Header.Get("Content-Type"), r.Body)
}

// beat sets the timer for the next part of the body.
func (j *job) beat() {
	j.recent.Store(0)
	j.timer.Reset(min(j.o.StallTimeout, time.Until(j.end)))
}

// came records n more bytes of the body, and resets the timer when there were enough.
func (j *job) came(n int) {
	if j.recent.Add(int64(n)) >= j.o.stallBytes() {
		j.beat()
	}
}

// connected records the IP address that answers. It ends a request that net/http is about to repeat
// because a kept connection broke before the answer: the server may have received it, and the queue
// decides when it is asked again.
func (j *job) connected(info httptrace.GotConnInfo) {
	c := info.Conn
	if j.wrote.Load() && !multiplexed(c) {
		j.cancel(errBroke)
		c.Close()
		return
	}
	if s, ok := c.(interface{ NetConn() net.Conn }); ok {
		c = s.NetConn()
	}
	if c, ok := c.(*conn); ok {
		j.answer.Addr = c.addr
	}
}

// multiplexed reports whether other requests share a connection, as in HTTP/2.
func multiplexed(c net.Conn) bool {
	t, ok := c.(*tls.Conn)
	return ok && t.ConnectionState().NegotiatedProtocol == "h2"
}

// target returns u for net/http. The path is in Opaque, which is written as it is; Path would be
// decoded and encoded again, which changes some URLs. For a proxy that reads the request itself,
// Opaque has the whole URL. Otherwise, if the path starts with two slashes, Opaque would have
// another meaning, and Path is used: that changes only canonical paths with a bar, which is sent as
// %7C.
func (o *Options) target(u weburl.URL) *url.URL {
	t := &url.URL{Scheme: u.Scheme(), Host: u.Host()}
	switch {
	case o.relays(u):
		t.Opaque = "//" + u.Host() + u.RequestURI() // net/http puts the scheme before it
		return t
	case !strings.HasPrefix(u.RequestURI(), "//"):
		t.Opaque = u.RequestURI()
		return t
	}
	path, query, asked := strings.Cut(u.RequestURI(), "?")
	t.Path, t.RawPath = path, path
	if p, err := url.PathUnescape(path); err == nil {
		t.Path = p
	}
	t.RawQuery, t.ForceQuery = query, asked && query == ""
	return t
}
