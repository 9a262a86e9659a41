package fetch

import (
	"cmp"
	"context"
	"net"
	"net/netip"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"

	"gatecrawl.example/gatecrawl/limit"
)

const (
	// maxNames is how many hosts' addresses are remembered, at some 200 bytes each.
	maxNames = 65_536

	// noNameLife is how long the answer that a host does not exist is remembered. After a failure
	// of the name server the next look-up asks again.
	noNameLife = 30 * time.Second
)

// names looks up the addresses of hosts, once for all callers that ask at the same time, and
// remembers them. Its results are not trusted: the dialer checks every address before it connects.
type names struct {
	lookup func(ctx context.Context, network, host string) ([]netip.Addr, error)
	life   time.Duration // of an answer; the system's resolver does not tell its TTL
	most   time.Duration // longest duration of a look-up
	calls  singleflight.Group

	mu    sync.Mutex
	known map[string]name
}

// A name is the result of a look-up.
type name struct {
	addrs []netip.Addr
	err   error // the host does not exist
	till  time.Time
}

func newNames(life, most time.Duration) *names {
	return &names{
		lookup: net.DefaultResolver.LookupNetIP, life: life, most: most,
		known: make(map[string]name),
	}
}

// of returns the addresses of a host, the best first. The caller must not change them.
func (n *names) of(ctx context.Context, host string) ([]netip.Addr, error) {
	if known, ok := n.remembered(host, time.Now()); ok {
		return known.addrs, known.err
	}
	// The look-up goes on when the first caller gives up, since others may wait for it too.
	answer := n.calls.DoChan(host, func() (any, error) {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), n.most)
		defer cancel()
		return n.ask(ctx, host)
	})
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case r := <-answer:
		addrs, _ := r.Val.([]netip.Addr)
		return addrs, r.Err
	}
}

// ask looks up a host and remembers the answer, unless the name server failed.
func (n *names) ask(ctx context.Context, host string) ([]netip.Addr, error) {
	addrs, err := n.lookup(ctx, "ip", host)
	if err == nil && len(addrs) == 0 {
		err = &net.DNSError{Err: "no address", Name: host, IsNotFound: true}
	}
	life := n.life
	if err != nil {
		d, ok := err.(*net.DNSError)
		if !ok || !d.IsNotFound {
			return nil, err
		}
		life = min(life, noNameLife)
	}
	n.remember(host, name{addrs, err, time.Now().Add(life)})
	return addrs, err
}

func (n *names) remembered(host string, now time.Time) (name, bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	known, ok := n.known[host]
	return known, ok && now.Before(known.till)
}

// remember stores a result. If there are too many hosts, it replaces an arbitrary one.
func (n *names) remember(host string, found name) {
	n.mu.Lock()
	defer n.mu.Unlock()
	limit.Put(n.known, maxNames, host, found)
}

// forget drops a host whose addresses did not answer, since it may have moved.
func (n *names) forget(host string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	delete(n.known, host)
}

// nextAddress is how long one address of a host is tried before the next is tried in parallel
// (RFC 8305, section 8, Connection Attempt Delay).
const nextAddress = 250 * time.Millisecond

// A dialer connects to the addresses that names returns.
type dialer struct {
	net.Dialer
	names *names
	other func(ctx context.Context, network, address string) (net.Conn, error) // used instead of TCP; nil: TCP
}

// connect connects to an address, if that is allowed.
func (d *dialer) connect(ctx context.Context, network, address string) (net.Conn, error) {
	if d.other == nil {
		return d.Dialer.DialContext(ctx, network, address)
	}
	if d.ControlContext != nil {
		if err := d.ControlContext(ctx, network, address, nil); err != nil {
			return nil, err
		}
	}
	ctx, cancel := context.WithTimeout(ctx, d.Timeout)
	defer cancel()
	return d.other(ctx, network, address)
}

// DialContext connects to host:port, at the first address that answers; each address has a head
// start before the next one. Of several failures it returns the first.
func (d *dialer) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	if _, err := netip.ParseAddr(host); err == nil {
		return d.connect(ctx, network, address)
	}
	ctx, cancel := context.WithTimeout(ctx, d.Timeout) // DNS and TCP together
	defer cancel()
	addrs, err := d.names.of(ctx, host)
	if err != nil {
		if ctx.Err() == context.DeadlineExceeded {
			err = &net.DNSError{Err: "no answer in time", Name: host, IsTimeout: true, IsTemporary: true}
		}
		return nil, err
	}
	c, err := d.race(ctx, network, apart(addrs), port)
	if err != nil {
		d.names.forget(host)
	}
	return c, err
}

// race dials one address after the other until one answers, and cancels the other dials.
func (d *dialer) race(ctx context.Context, network string, addrs []netip.Addr, port string) (net.Conn, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	results := make(chan dialed, len(addrs)) // with room for all
	started, open := 0, 0
	// dialNext dials the next address, and returns when the one after it is due.
	dialNext := func() <-chan time.Time {
		if started == len(addrs) {
			return nil
		}
		to := net.JoinHostPort(addrs[started].String(), port)
		started++
		open++
		go func() { // ends with ctx or before
			c, err := d.connect(ctx, network, to)
			results <- dialed{c, err}
		}()
		if started == len(addrs) {
			return nil
		}
		return time.After(nextAddress)
	}
	var first error
	for due := dialNext(); open > 0; {
		select {
		case <-due:
			due = dialNext()
		case r := <-results:
			open--
			if r.err == nil {
				go closeDialed(results, open) // ends when the dials that cancel has cancelled end
				return r.c, nil
			}
			first = cmp.Or(first, r.err)
			if started < len(addrs) {
				due = dialNext()
			}
		}
	}
	return nil, first
}

// A dialed is the result of a dial.
type dialed struct {
	c   net.Conn
	err error
}

// closeDialed closes the connections of the next n results.
func closeDialed(results <-chan dialed, n int) {
	for range n {
		if r := <-results; r.c != nil {
			r.c.Close()
		}
	}
}

// maxAddresses is how many addresses of one host are tried.
const maxAddresses = 8

// apart returns the addresses with the two address families alternating, so that a family without
// connectivity costs one head start and not one for each address.
func apart(addrs []netip.Addr) []netip.Addr {
	if len(addrs) < 2 {
		return addrs
	}
	var same, other []netip.Addr
	for _, a := range addrs {
		a = a.Unmap()
		if a.Is4() == addrs[0].Unmap().Is4() {
			same = append(same, a)
		} else {
			other = append(other, a)
		}
	}
	var all []netip.Addr
	for i := range max(len(same), len(other)) {
		all = append(all, same[min(i, len(same)):min(i+1, len(same))]...)
		all = append(all, other[min(i, len(other)):min(i+1, len(other))]...)
	}
	return slices.Clip(all[:min(len(all), maxAddresses)])
}
