package mem

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"gatecrawl.example/gatecrawl/cluster/engine"
)

// Options say what may happen to messages. With the zero Options each arrives once and at once.
type Options struct {
	// Seed is the seed of all random numbers.
	Seed uint64

	// MinDelay and MaxDelay bound the time of a message, one way.
	MinDelay, MaxDelay time.Duration

	// Lost and Doubled are the shares of messages that are lost and that arrive twice.
	Lost, Doubled float64

	// Timeout is how long a call waits for an answer before it returns an error that leaves its
	// outcome open. Default: 2 s.
	Timeout time.Duration
}

// errNoAnswer leaves open whether the call had an effect.
var errNoAnswer = errors.New("no answer from the engine in time")

// A Net is an engine in memory.
type Net struct {
	opts Options
	down sync.WaitGroup // messages on their way

	mu      sync.Mutex
	logs    map[string]*log
	blobs   map[string][]byte
	servers map[string][]*server
	closed  bool
	leads   time.Time     // the engine has no leader before this time
	changed chan struct{} // closed when a node was cut off or joined again
}

// A log has the entries from number first on. It is guarded by the lock of its Net.
type log struct {
	first   uint64
	entries []engine.Entry
	more    chan struct{} // closed when an entry is added
}

func (l *log) last() uint64 { return l.first + uint64(len(l.entries)) - 1 }

// NewNet returns an empty engine.
func NewNet(opts Options) *Net {
	if opts.Timeout == 0 {
		opts.Timeout = 2 * time.Second
	}
	return &Net{
		opts: opts, changed: make(chan struct{}),
		logs: make(map[string]*log), blobs: make(map[string][]byte), servers: make(map[string][]*server),
	}
}

// Close ends the engine. It returns when no message is on its way.
func (n *Net) Close() {
	n.mu.Lock()
	n.closed = true
	n.signal()
	for _, l := range n.logs {
		close(l.more)
		l.more = make(chan struct{})
	}
	n.mu.Unlock()
	n.down.Wait()
}

// Elect leaves the engine without a leader for a time: messages that reach it then are lost.
func (n *Net) Elect(d time.Duration) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.leads = time.Now().Add(d)
}

// signal wakes the calls that wait for a node to be reachable again. The caller holds the lock.
func (n *Net) signal() {
	close(n.changed)
	n.changed = make(chan struct{})
}

// Join returns a new connection. Its random numbers depend on the name too.
func (n *Net) Join(name string) *Node {
	node := &Node{net: n, runs: closedChan(), dead: make(chan struct{})}
	for i := range node.draws {
		node.draws[i].r = rand.New(rand.NewPCG(n.opts.Seed, hash(name)+uint64(i)))
	}
	return node
}

// send sends a message to the engine and does not wait for it. hear is called each time that the
// message arrives: never, once or twice.
func (n *Net) send(from *Node, d *draw, hear func()) {
	for _, delay := range n.journeys(d) {
		n.down.Go(func() {
			time.Sleep(delay)
			if n.reaches(from) {
				hear()
			}
		})
	}
}

// journeys draws how long a message takes, for each time that it arrives.
func (n *Net) journeys(d *draw) []time.Duration {
	d.mu.Lock()
	defer d.mu.Unlock()
	lost, doubled := d.r.Float64() < n.opts.Lost, d.r.Float64() < n.opts.Doubled
	first, second := n.delay(d.r), n.delay(d.r)
	switch {
	case lost:
		return nil
	case doubled:
		return []time.Duration{first, second}
	}
	return []time.Duration{first}
}

func (n *Net) delay(r *rand.Rand) time.Duration {
	f := r.Float64()
	return n.opts.MinDelay + time.Duration(f*float64(n.opts.MaxDelay-n.opts.MinDelay))
}

// reaches reports whether a message from a node, or to it, arrives now.
func (n *Net) reaches(node *Node) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return !n.closed && !node.cut && !time.Now().Before(n.leads)
}

// ask sends a message to the engine, has it answered there and brings the answer back. It
// returns errNoAnswer if either was lost.
func ask[A any](ctx context.Context, node *Node, d *draw, answer func() A) (A, error) {
	n := node.net
	var none A
	if err := node.check(); err != nil {
		return none, err
	}
	came := make(chan A, 4) // a question that arrives twice has two answers, each of which may arrive twice
	n.send(node, d, func() {
		a := answer()
		n.send(node, d, func() { came <- a })
	})
	timeout := time.NewTimer(n.opts.Timeout)
	defer timeout.Stop()
	var a A
	var err error
	select {
	case a = <-came:
	case <-timeout.C:
		err = errNoAnswer
	case <-ctx.Done():
		err = ctx.Err()
	case <-node.dead:
		err = engine.ErrClosed
	}
	node.Run()
	return a, errors.Join(err, node.check())
}

// append adds an entry to a log, if after is the number of its last entry.
func (n *Net) append(l *log, after uint64, e engine.Entry) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	if l.last() != after {
		return engine.ErrFenced
	}
	e.Batch = slices.Clone(e.Batch)
	l.entries = append(l.entries, e)
	close(l.more)
	l.more = make(chan struct{})
	return nil
}

// behind returns the entries after a number, and a channel that is closed when there are more.
func (n *Net) behind(l *log, after uint64) (entries []engine.Entry, more <-chan struct{}, err error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	switch {
	case n.closed:
		return nil, nil, engine.ErrClosed
	case after+1 < l.first:
		return nil, nil, engine.ErrTrimmed
	case after >= l.last():
		return nil, l.more, nil
	}
	return slices.Clone(l.entries[after+1-l.first:]), l.more, nil
}

func (n *Net) trim(l *log, through uint64) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if len(l.entries) == 0 {
		return
	}
	through = min(through, l.last()-1)
	if through >= l.first {
		l.entries = slices.Clone(l.entries[through+1-l.first:])
		l.first = through + 1
	}
}

func closedChan() chan struct{} {
	c := make(chan struct{})
	close(c)
	return c
}

// hash returns the FNV-1a hash of a string.
func hash(s string) uint64 {
	h := uint64(14695981039346656037)
	for i := range len(s) {
		h = (h ^ uint64(s[i])) * 1099511628211
	}
	return h
}
