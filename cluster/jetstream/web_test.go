package jetstream_test

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"gatecrawl.example/gatecrawl/cluster/jetstream"
	"gatecrawl.example/gatecrawl/cluster/owner"
	"gatecrawl.example/gatecrawl/testserver/env"
	"gatecrawl.example/gatecrawl/testserver/slow"
)

// asNode has this test binary be a node that asks a web whenever it owns the log: its name,
// whether it looks at its lease, the URL, and the addresses of the engine, with spaces between.
const asNode = "GATECRAWL_TEST_NODE"

// A node looks at its lease, or is careless and learns from its appends alone.
const (
	careful  = "careful"
	careless = "careless"
)

// webDelay is the time between two requests to the web. It is shorter than the lease, so that
// a second owner would be seen.
const webDelay = 300 * time.Millisecond

// short leases make short tests.
func shortLease(name string) owner.Options {
	return owner.Options{Name: name, Lease: 3 * time.Second, Margin: 500 * time.Millisecond, Beat: 500 * time.Millisecond, Slack: 100 * time.Millisecond}
}

// beNode crawls until the process that started it closes the pipe or is gone.
func beNode(set []string) error {
	ctx, cancel := context.WithCancel(context.Background())
	go func() { // ends with the process
		io.Copy(io.Discard, os.Stdin)
		cancel()
	}()
	var conn *jetstream.Engine
	var err error
	for conn == nil && ctx.Err() == nil {
		if conn, err = jetstream.Open(ctx, jetstream.Options{Servers: set[3:], Timeout: time.Second}); err != nil {
			time.Sleep(50 * time.Millisecond) // the engine is not there yet
		}
	}
	for ctx.Err() == nil {
		log, err := conn.Log(ctx, "web")
		if err != nil {
			continue
		}
		o, err := owner.Take(ctx, log, shortLease(set[0]))
		if err != nil {
			continue
		}
		crawlWeb(ctx, o, set[1] == careless, set[0], set[2])
		o.Close()
	}
	return nil
}

// crawlWeb asks the web, and writes down that it did, until the log is lost.
func crawlWeb(ctx context.Context, o *owner.Owner, careless bool, name, url string) {
	allowed, within := o.Allowed, o.Within
	if careless {
		allowed, within = o.Err, context.WithCancel
	}
	var dialer net.Dialer
	client := &http.Client{Transport: &http.Transport{
		DisableKeepAlives: true, // each request dials, and the dialer asks
		DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			c, err := dialer.DialContext(ctx, network, address)
			if err == nil {
				err = allowed()
			}
			if err != nil {
				return nil, err
			}
			return c, nil
		},
	}}
	// The delay of politeness is what the test is about.
	for time.Sleep(webDelay); ctx.Err() == nil && o.Err() == nil; time.Sleep(webDelay) { // the host's delay is what is tested
		if allowed() != nil {
			continue
		}
		bounded, cancel := within(ctx)
		req, err := http.NewRequestWithContext(bounded, http.MethodGet, fmt.Sprintf("%s/?by=%s&epoch=%d", url, name, o.Epoch()), nil)
		if err == nil {
			var resp *http.Response
			if resp, err = client.Do(req); err == nil {
				resp.Body.Close()
			}
		}
		cancel()
		if err == nil {
			o.Append(ctx, []byte(name)) // an error ends the loop
		}
	}
}

// A webLog is what the web saw.
type webLog struct {
	mu       sync.Mutex
	last     time.Time
	by       string
	requests int
	inTurn   int // of the owner who asked last
	changes  int
	early    []string
	came     chan struct{} // closed when a request came
}

func (w *webLog) ServeHTTP(_ http.ResponseWriter, r *http.Request) {
	w.mu.Lock()
	defer w.mu.Unlock()
	now, by := time.Now(), r.URL.RawQuery
	if since := now.Sub(w.last); by != w.by && !w.last.IsZero() {
		w.changes++
		w.inTurn = 0
		// Of one process a slow machine may let two requests arrive close to each other; two
		// processes are a second apart, since the one rests and the other stops early.
		if since < webDelay {
			w.early = append(w.early, fmt.Sprintf("request %d, %s, %v behind %s", w.requests, by, since, w.by))
		}
	}
	if w.by != "" && epochOf(by) < epochOf(w.by) {
		w.early = append(w.early, fmt.Sprintf("request %d, %s, of an owner that was followed by %s", w.requests, by, w.by))
	}
	w.last, w.by = now, by
	w.requests++
	w.inTurn++
	close(w.came)
	w.came = make(chan struct{})
}

func epochOf(query string) (n int) {
	_, epoch, _ := strings.Cut(query, "epoch=")
	fmt.Sscan(epoch, &n)
	return n
}

// waitForRequests waits for some requests in turn of one process, other than the one that is
// named, and returns whose they were.
func (w *webLog) waitForRequests(t *testing.T, n int, other string) string {
	t.Helper()
	limit := time.After(2 * time.Minute)
	for {
		w.mu.Lock()
		by, inTurn, came := w.by, w.inTurn, w.came
		w.mu.Unlock()
		name, _, _ := strings.Cut(strings.TrimPrefix(by, "by="), "&")
		if name != "" && name != other && inTurn >= n {
			return name
		}
		select {
		case <-came:
		case <-limit:
			t.Fatalf("no node but %q asks the web", other)
		}
	}
}

// A siege is three nodes that take turns at a web, while they and the engine's servers are
// killed and stopped.
type siege struct {
	log     *webLog
	servers []*process
	nodes   map[string]*process
	draw    *rand.Rand

	kills, stops int
}

func newSiege(t *testing.T, how string) *siege {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	s := &siege{log: &webLog{came: make(chan struct{})}, nodes: make(map[string]*process), draw: rand.New(rand.NewPCG(seed, 0))}
	web := httptest.NewServer(s.log)
	t.Cleanup(web.Close)
	servers, addresses := startProcesses(t)
	s.servers = servers
	for i := range 3 {
		name := fmt.Sprintf("node-%d", i)
		p := &process{variable: asNode, settings: strings.Join(append([]string{name, how, web.URL}, addresses...), " ")}
		p.start(t)
		t.Cleanup(p.kill)
		s.nodes[name] = p
	}
	return s
}

// round kills the node that owns the web, or stops it past its lease, and goes on when another
// has taken over and the first one is back. Once in three times a server is away meanwhile, when all
// three have what was acknowledged.
func (s *siege) round(t *testing.T) {
	by := s.log.waitForRequests(t, 1+s.draw.IntN(10), "")
	if s.draw.IntN(3) == 0 {
		waitForCopies(t, s.servers) // the log may rest without the only server that has all of it
		server := s.servers[s.draw.IntN(3)]
		server.kill()
		defer server.start(t)
	}
	p := s.nodes[by]
	time.Sleep(time.Duration(s.draw.Int64N(int64(webDelay)))) // not only right behind a request
	if s.draw.IntN(2) == 0 {
		s.kills++
		p.kill()
		s.log.waitForRequests(t, 1, by)
		p.start(t)
		return
	}
	s.stops++
	p.cmd.Process.Signal(syscall.SIGSTOP)
	s.log.waitForRequests(t, 1+s.draw.IntN(3), by)
	p.cmd.Process.Signal(syscall.SIGCONT)
}

// early returns what the web says against the nodes.
func (s *siege) early() []string {
	s.log.mu.Lock()
	defer s.log.mu.Unlock()
	return s.log.early
}

func TestTheWebIsAskedByOneNodeAtATime(t *testing.T) {
	slow.Test(t, "waits for leases to end, GATECRAWL_KILLS times")
	s := newSiege(t, careful)
	for range env.Number(t, "GATECRAWL_KILLS", 3) {
		s.round(t)
	}
	s.log.waitForRequests(t, 5, "")
	for _, e := range s.early() {
		t.Error(e)
	}
	t.Logf("%d nodes killed, %d stopped past their lease: %d requests, %d times of another owner than the one before, %d early",
		s.kills, s.stops, s.log.requests, s.log.changes, len(s.early()))
}

// The web's log shows what is wrong with nodes that do not look at their lease.
func TestTheWebSeesACarelessNode(t *testing.T) {
	slow.Test(t, "waits for leases to end")
	s := newSiege(t, careless)
	for n := range 20 {
		s.round(t)
		s.log.waitForRequests(t, 3, "")
		if early := s.early(); len(early) > 0 {
			t.Logf("after %d rounds: %s", n+1, early[0])
			return
		}
	}
	t.Errorf("%d nodes were stopped past their lease, and %d requests are as they should be", s.stops, s.log.requests)
}
