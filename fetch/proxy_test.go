package fetch

import (
	"crypto/tls"
	"encoding/binary"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
)

// newProxy serves an HTTP proxy that leads every request to one server,
// whatever host it names, and counts the requests.
func newProxy(t *testing.T, to string) (origin string, asked *atomic.Int32) {
	t.Helper()
	asked = new(atomic.Int32)
	return serve(t, func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		if strings.HasPrefix(r.Host, "refused.") {
			http.Error(w, "no", http.StatusBadGateway)
			return
		}
		c, err := net.Dial("tcp", to)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadGateway)
			return
		}
		defer c.Close()
		if r.Method != http.MethodConnect {
			if !r.URL.IsAbs() {
				http.Error(w, "not a proxy's request: "+r.RequestURI, http.StatusBadRequest)
				return
			}
			r.Header.Set("Via", "1.1 test")
			r.Write(c)
			in, _, _ := w.(http.Hijacker).Hijack()
			defer in.Close()
			io.Copy(in, c)
			return
		}
		in, _, _ := w.(http.Hijacker).Hijack()
		defer in.Close()
		io.WriteString(in, "HTTP/1.1 200 OK\r\n\r\n")
		join(in, c)
	}), asked
}

// join passes on what two connections say until one of them ends.
func join(a, b net.Conn) {
	done := make(chan struct{})
	go func() { // until either ends
		io.Copy(a, b)
		a.Close()
		close(done)
	}()
	io.Copy(b, a)
	b.Close()
	<-done
}

// newSOCKS serves SOCKS 5 (RFC 1928) and leads every connection to one server.
func newSOCKS(t *testing.T, to string) (address string, asked *atomic.Int32) {
	t.Helper()
	asked = new(atomic.Int32)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() { // until l is closed
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() { // until the client hangs up
				defer c.Close()
				asked.Add(1)
				b := make([]byte, 512)
				io.ReadFull(c, b[:2]) // version, number of methods
				io.ReadFull(c, b[:b[1]])
				c.Write([]byte{5, 0})
				io.ReadFull(c, b[:5]) // version, command, 0, type, length of the name
				io.ReadFull(c, b[:int(b[4])+2])
				c.Write(binary.BigEndian.AppendUint32([]byte{5, 0, 0, 1, 0, 0}, 0))
				d, err := net.Dial("tcp", to)
				if err != nil {
					return
				}
				join(c, d)
			}()
		}
	}()
	return l.Addr().String(), asked
}

func TestRequestsGoThroughTheProxy(t *testing.T) {
	var via atomic.Value
	via.Store("")
	site := func(w http.ResponseWriter, r *http.Request) {
		via.Store(r.Header.Get("Via"))
		io.WriteString(w, r.Host+r.RequestURI)
	}
	plain := strings.TrimPrefix(serve(t, site), "http://")
	secure := httptest.NewTLSServer(http.HandlerFunc(site))
	defer secure.Close()
	pool := secure.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs
	web, webAsked := newProxy(t, plain)
	tunnel, tunnelAsked := newProxy(t, secure.Listener.Addr().String())
	socks, socksAsked := newSOCKS(t, plain)
	for _, c := range []struct {
		proxy, address, want string
		asked                *atomic.Int32
	}{
		{web, "http://site.invalid/a%2Fb?c", "site.invalid/a%2Fb?c", webAsked},
		{web, "http://site.invalid//a?b", "site.invalid//a?b", webAsked},
		{tunnel, "https://example.com/a", "example.com/a", tunnelAsked}, // whom the certificate names
		{"socks5://" + socks, "http://site.invalid/b", "site.invalid/b", socksAsked},
	} {
		f, err := New(Options{Proxy: c.proxy})
		if err != nil {
			t.Fatal(err)
		}
		f.wire.base.TLSClientConfig = &tls.Config{RootCAs: pool}
		r := mustFetch(t, f, c.address)
		f.Close()
		if string(r.Body) != c.want || c.asked.Load() == 0 {
			t.Errorf("%s by %s: %q, proxy asked %d times; want %q by the proxy", c.address, c.proxy, r.Body, c.asked.Load(), c.want)
		}
	}
	if via.Load() == nil {
		t.Error("the site was not asked")
	}
}

func TestAProxyIsNoWayInside(t *testing.T) {
	proxy, asked := newProxy(t, "127.0.0.1:1")
	f, err := New(Options{Proxy: proxy})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for _, address := range []string{
		"http://127.0.0.1/", "http://localhost:8080/", "http://a.localhost/", "http://10.0.0.1/",
		"http://169.254.169.254/latest", "http://[::1]/", "http://[::ffff:10.0.0.1]/", "http://2130706433/", "https://[fd00::1]/",
	} {
		_, err := f.Fetch(t.Context(), mustParse(t, address))
		wantError(t, err, PhaseAddress, false, "not allowed")
	}
	if got := asked.Load(); got != 0 {
		t.Errorf("the proxy was asked %d times", got)
	}
}

func TestARefusalByTheProxyIsNoAnswerOfTheSite(t *testing.T) {
	proxy, _ := newProxy(t, "127.0.0.1:1")
	f, err := New(Options{Proxy: proxy})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	_, err = f.Fetch(t.Context(), mustParse(t, "https://refused.example/"))
	wantError(t, err, PhaseConnect, true, "the proxy answered 502 Bad Gateway")
}

func TestFaultsOfAProxyAreToldWithoutItsPassword(t *testing.T) {
	for proxy, want := range map[string]string{
		"ftp://me:secret@h":            "must start with http://",
		"http://me:secret@":            "must be a scheme, a host and a port",
		"http://me:secret@h/path":      "must be a scheme, a host and a port",
		"h:3128":                       "must start with http://",
		"http://me:secret@h:3128:3128": "",
		"http://me:sec%zzret@h":        "is not a URL",
	} {
		err := Options{Proxy: proxy}.Validate()
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "secret") {
			t.Errorf("Validate of proxy %s: %v, want %q and no password", proxy, err, want)
		}
	}
	for _, proxy := range []string{"http://h:3128", "https://me:secret@h", "socks5://127.0.0.1:9050", "socks5h://h:1/"} {
		if err := (Options{Proxy: proxy}).Validate(); err != nil {
			t.Errorf("Validate of proxy %s: %v, want nil", proxy, err)
		}
	}
}

func TestAFaultOfTheProxyIsNotOneOfTheSite(t *testing.T) {
	closed := func() string {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		return l.Addr().String()
	}
	login := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Proxy-Authenticate", `Basic realm="proxy"`)
		w.WriteHeader(http.StatusProxyAuthRequired)
	})
	for _, c := range []struct {
		proxy, url string
		phase      Phase
		retry      bool
		want       string
	}{
		{login, "http://site.example/", PhaseProxy, false, "the proxy answered 407"},
		{login, "https://site.example/", PhaseProxy, false, "the proxy answered 407"},
		{"http://" + closed(), "http://site.example/", PhaseProxy, true, "connect to the proxy: "},
		{"socks5://" + closed(), "http://site.example/", PhaseProxy, true, "connect to the proxy: "},
		{"socks5://" + socksAnswer(t, 5, 255), "http://site.example/", PhaseProxy, false, "the proxy does not take the login: "},
		{"socks5://" + socksAnswer(t, 5, 0, 5, 5, 0, 1, 0, 0, 0, 0, 0, 0), "http://site.example/", PhaseConnect, true, "the proxy answered: connection refused"},
	} {
		f, err := New(Options{Proxy: c.proxy})
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		_, err = f.Fetch(t.Context(), mustParse(t, c.url))
		wantError(t, err, c.phase, c.retry, c.want)
	}
}

// socksAnswer serves SOCKS 5 to one client, and writes an answer whatever it asks for.
func socksAnswer(t *testing.T, answer ...byte) (address string) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() { // until the client hangs up, or l is closed
		c, err := l.Accept()
		if err != nil {
			return
		}
		defer c.Close()
		c.Write(answer)
		io.Copy(io.Discard, c)
	}()
	return l.Addr().String()
}
