package fetch

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// answers returns names that are asked of a function, and how often it was.
func answers(life time.Duration, f func(host string) ([]netip.Addr, error)) (*names, *atomic.Int32) {
	asked := new(atomic.Int32)
	n := newNames(life, time.Second)
	n.lookup = func(_ context.Context, _, host string) ([]netip.Addr, error) {
		asked.Add(1)
		return f(host)
	}
	return n, asked
}

var someAddr = netip.MustParseAddr("192.0.2.1")

func TestNamesAreLookedUpOnceForAllWhoWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n, asked := answers(time.Minute, func(string) ([]netip.Addr, error) {
			time.Sleep(100 * time.Millisecond) // the bubble's clock
			return []netip.Addr{someAddr}, nil
		})
		var wg sync.WaitGroup
		for range 50 {
			wg.Go(func() {
				if addrs, err := n.of(t.Context(), "h.example"); err != nil || len(addrs) != 1 {
					t.Errorf("of(h.example) = %v, %v", addrs, err)
				}
			})
		}
		wg.Wait()
		if got := asked.Load(); got != 1 {
			t.Errorf("50 who wait made %d look-ups, want 1", got)
		}
	})
}

func TestNamesAreRememberedForTheirLife(t *testing.T) {
	absent := &net.DNSError{Err: "no such host", IsNotFound: true}
	failing := &net.DNSError{Err: "server misbehaving", IsTemporary: true}
	for _, c := range []struct {
		name string
		err  error
		wait time.Duration
		want int32 // look-ups, with the first
	}{
		{"an answer", nil, 59 * time.Second, 1},
		{"an answer that has grown old", nil, 61 * time.Second, 2},
		{"no such host", absent, 29 * time.Second, 1},
		{"no such host, a while ago", absent, 31 * time.Second, 2},
		{"a name server that fails", failing, 0, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				n, asked := answers(time.Minute, func(string) ([]netip.Addr, error) {
					return []netip.Addr{someAddr}, c.err
				})
				for range 2 {
					if _, err := n.of(t.Context(), "h.example"); !errors.Is(err, c.err) {
						t.Errorf("of: error %v, want %v", err, c.err)
					}
					time.Sleep(c.wait)
				}
				if got := asked.Load(); got != c.want {
					t.Errorf("%d look-ups, want %d", got, c.want)
				}
			})
		})
	}
}

func TestOneWhoGivesUpDoesNotSpoilTheAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n, _ := answers(time.Minute, func(string) ([]netip.Addr, error) {
			time.Sleep(100 * time.Millisecond)
			return []netip.Addr{someAddr}, nil
		})
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
		defer cancel()
		var wg sync.WaitGroup
		wg.Go(func() {
			if _, err := n.of(ctx, "h.example"); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("the first got %v", err)
			}
		})
		wg.Go(func() {
			synctest.Wait()
			if _, err := n.of(t.Context(), "h.example"); err != nil {
				t.Errorf("the second got %v", err)
			}
		})
		wg.Wait()
	})
}

func TestNamesAreBounded(t *testing.T) {
	n, _ := answers(time.Minute, func(string) ([]netip.Addr, error) { return []netip.Addr{someAddr}, nil })
	for i := range maxNames + 100 {
		n.remember(fmt.Sprint(i), name{till: time.Now().Add(time.Minute)})
	}
	if len(n.known) != maxNames {
		t.Errorf("%d names are remembered, want %d", len(n.known), maxNames)
	}
}

func TestFamiliesTakeTurns(t *testing.T) {
	addrs := func(s string) (all []netip.Addr) {
		for _, a := range strings.Fields(s) {
			all = append(all, netip.MustParseAddr(a))
		}
		return all
	}
	for in, want := range map[string]string{
		"192.0.2.1":                     "192.0.2.1",
		"::1 ::2 192.0.2.1 192.0.2.2":   "::1 192.0.2.1 ::2 192.0.2.2",
		"192.0.2.1 192.0.2.2 ::1":       "192.0.2.1 ::1 192.0.2.2",
		"::1 ::2 ::3":                   "::1 ::2 ::3",
		"::ffff:192.0.2.1 192.0.2.2":    "192.0.2.1 192.0.2.2",
		strings.Repeat("192.0.2.1 ", 9): strings.Repeat("192.0.2.1 ", maxAddresses),
	} {
		if got := apart(addrs(in)); fmt.Sprint(got) != fmt.Sprint(addrs(want)) {
			t.Errorf("apart(%s) = %v, want %s", in, got, want)
		}
	}
}

// resolving makes a fetcher find these addresses for every name.
func resolving(f *Fetcher, addrs ...string) *atomic.Int32 {
	asked := new(atomic.Int32)
	f.wire.names.lookup = func(context.Context, string, string) ([]netip.Addr, error) {
		asked.Add(1)
		all := make([]netip.Addr, len(addrs))
		for i, a := range addrs {
			all[i] = netip.MustParseAddr(a)
		}
		return all, nil
	}
	return asked
}

func TestTheNextAddressIsTriedWhereOneFails(t *testing.T) {
	origin := serve(t, func(w http.ResponseWriter, _ *http.Request) { w.Write([]byte("here")) })
	_, port, _ := strings.Cut(strings.TrimPrefix(origin, "http://"), ":")
	f := newFetcher(t, Options{})
	asked := resolving(f, "127.0.0.99", "::1", "127.0.0.1")
	if r := mustFetch(t, f, "http://h.example:"+port+"/"); string(r.Body) != "here" || r.Addr != "127.0.0.1:"+port {
		t.Errorf("got %q from %s", r.Body, r.Addr)
	}
	f.Close()
	mustFetch(t, f, "http://h.example:"+port+"/")
	if got := asked.Load(); got != 1 {
		t.Errorf("two connections took %d look-ups, want 1", got)
	}
}

func TestAHostThatMovedIsLookedUpAnew(t *testing.T) {
	origin := serve(t, func(http.ResponseWriter, *http.Request) {})
	_, port, _ := strings.Cut(strings.TrimPrefix(origin, "http://"), ":")
	f := newFetcher(t, Options{})
	resolving(f, "127.0.0.99")
	_, err := f.Fetch(t.Context(), mustParse(t, "http://h.example:"+port+"/"))
	wantError(t, err, PhaseConnect, true, "connect to 127.0.0.99:"+port)
	resolving(f, "127.0.0.1")
	mustFetch(t, f, "http://h.example:"+port+"/")
}

// A name that answers with a public address at first and a private one later
// (DNS rebinding), or with both, leads nowhere private.
func TestRememberedNamesDoNotLeadInside(t *testing.T) {
	var asked atomic.Bool
	origin := serve(t, func(http.ResponseWriter, *http.Request) { asked.Store(true) })
	_, port, _ := strings.Cut(strings.TrimPrefix(origin, "http://"), ":")
	f, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	resolving(f, "127.0.0.1", "::ffff:127.0.0.1", "64:ff9b::7f00:1", "2002:7f00:1::")
	_, err = f.Fetch(t.Context(), mustParse(t, "http://rebound.example:"+port+"/"))
	wantError(t, err, PhaseAddress, false, "is loopback and not allowed")
	if asked.Load() {
		t.Error("the server was asked")
	}
}

func TestANameServerThatFlapsCostsATry(t *testing.T) {
	origin := serve(t, func(http.ResponseWriter, *http.Request) {})
	_, port, _ := strings.Cut(strings.TrimPrefix(origin, "http://"), ":")
	u := mustParse(t, "http://h.example:"+port+"/")
	f := newFetcher(t, Options{})
	for _, c := range []struct {
		err   *net.DNSError
		retry bool
	}{
		{&net.DNSError{Err: "server misbehaving", Name: "h.example", IsTemporary: true}, true},
		{&net.DNSError{Err: "i/o timeout", Name: "h.example", IsTimeout: true}, true},
		{&net.DNSError{Err: "no such host", Name: "h.example", IsNotFound: true}, false},
	} {
		f.wire.names.lookup = func(context.Context, string, string) ([]netip.Addr, error) { return nil, c.err }
		_, err := f.Fetch(t.Context(), u)
		wantError(t, err, PhaseDNS, c.retry, "look up host h.example: "+c.err.Err)
		f.wire.names.forget("h.example")
		resolving(f, "127.0.0.1")
		mustFetch(t, f, u.String())
		f.Close()
		f.wire.names.forget("h.example")
	}
}
