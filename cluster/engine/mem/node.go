package mem

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"time"

	"gatecrawl.example/gatecrawl/cluster/engine"
)

var _ engine.Engine = (*Node)(nil)

// A Node is a process with its connection to a Net.
type Node struct {
	net   *Net
	draws [4]draw // by kind of message, so that one kind does not change the random numbers of another

	mu      sync.Mutex
	runs    chan struct{} // closed while the process runs
	waiting int           // calls that wait for runs
	dead    chan struct{}
	isDead  bool
	stopped bool

	cut bool // guarded by the net's lock
}

const (
	drawsOfAppend = iota
	drawsOfReads
	drawsOfFollow
	drawsOfQuestions
)

// A draw is a source of random numbers.
type draw struct {
	mu sync.Mutex
	r  *rand.Rand
}

// Cut takes the node off the net, or brings it back: no message reaches it or leaves it.
func (n *Node) Cut(off bool) {
	n.net.mu.Lock()
	defer n.net.mu.Unlock()
	n.cut = off
	n.net.signal()
}

// Stop stops the process, as SIGSTOP does: until Continue its calls do not return, and it answers
// no question.
func (n *Node) Stop() {
	n.mu.Lock()
	defer n.mu.Unlock()
	if !n.stopped && !n.isDead {
		n.stopped, n.runs, n.waiting = true, make(chan struct{}), 0
	}
}

// Continue lets a stopped process go on.
func (n *Node) Continue() {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.stopped {
		n.stopped = false
		close(n.runs)
	}
}

// Run waits while the process is stopped, and returns when it goes on or is killed. The process
// calls it before whatever it does to the outside. Callers that waited go on one after the other, a
// microsecond apart, so that their order follows from the seed.
func (n *Node) Run() {
	for n.waitForRun() {
	}
}

// waitForRun waits as Run does, and reports whether it had to wait.
func (n *Node) waitForRun() bool {
	n.mu.Lock()
	stopped, runs := n.stopped, n.runs
	if stopped {
		n.waiting++
	}
	turn := n.waiting
	n.mu.Unlock()
	if !stopped {
		return false
	}
	select {
	case <-runs:
		time.Sleep(time.Duration(turn) * time.Microsecond)
		return true
	case <-n.dead:
		return false
	}
}

// Dead reports whether the process was killed, or the connection closed.
func (n *Node) Dead() bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.isDead
}

// Close ends the connection, as the end of the process does: messages that are on their way still
// arrive.
func (n *Node) Close() error {
	n.mu.Lock()
	first := !n.isDead
	n.isDead = true
	n.mu.Unlock()
	if first {
		close(n.dead)
	}
	return nil
}

// check waits while the process is stopped, and returns an error if it may not go on.
func (n *Node) check() error {
	n.Run()
	if n.Dead() {
		return engine.ErrClosed
	}
	n.net.mu.Lock()
	defer n.net.mu.Unlock()
	if n.net.closed {
		return engine.ErrClosed
	}
	return nil
}

// Log returns a log of the net.
func (n *Node) Log(ctx context.Context, name string) (engine.Log, error) {
	if err := engine.CheckName(name); err != nil {
		return nil, err
	}
	l, err := ask(ctx, n, &n.draws[drawsOfReads], func() *log {
		n.net.mu.Lock()
		defer n.net.mu.Unlock()
		l, ok := n.net.logs[name]
		if !ok {
			l = &log{first: 1, more: make(chan struct{})}
			n.net.logs[name] = l
		}
		return l
	})
	if err != nil {
		return nil, fmt.Errorf("open the log %s: %w", name, err)
	}
	return &nodeLog{node: n, log: l}, nil
}

// A nodeLog is a log, used through the connection of a node.
type nodeLog struct {
	node *Node
	log  *log
}

func (l *nodeLog) Append(ctx context.Context, after uint64, e engine.Entry) (uint64, error) {
	if err := e.Check(); err != nil {
		return 0, err
	}
	e.Batch = slices.Clone(e.Batch) // the caller may change its batch while the message is on its way
	refused, err := ask(ctx, l.node, &l.node.draws[drawsOfAppend], func() error {
		return l.node.net.append(l.log, after, e)
	})
	if err := errors.Join(err, refused); err != nil {
		return 0, fmt.Errorf("append entry %d: %w", after+1, err)
	}
	return after + 1, nil
}

func (l *nodeLog) Last(ctx context.Context) (uint64, engine.Entry, error) {
	type end struct {
		seq   uint64
		entry engine.Entry
	}
	last, err := ask(ctx, l.node, &l.node.draws[drawsOfReads], func() end {
		n := l.node.net
		n.mu.Lock()
		defer n.mu.Unlock()
		if len(l.log.entries) == 0 {
			return end{}
		}
		return end{l.log.last(), l.log.entries[len(l.log.entries)-1]}
	})
	if err != nil {
		return 0, engine.Entry{}, fmt.Errorf("read the last entry: %w", err)
	}
	return last.seq, last.entry, nil
}

func (l *nodeLog) First(ctx context.Context) (uint64, error) {
	return ask(ctx, l.node, &l.node.draws[drawsOfReads], func() uint64 {
		n := l.node.net
		n.mu.Lock()
		defer n.mu.Unlock()
		if len(l.log.entries) == 0 {
			return 0
		}
		return l.log.first
	})
}

func (l *nodeLog) Trim(ctx context.Context, through uint64) error {
	_, err := ask(ctx, l.node, &l.node.draws[drawsOfReads], func() struct{} {
		l.node.net.trim(l.log, through)
		return struct{}{}
	})
	return err
}

func (l *nodeLog) Follow(ctx context.Context, after uint64, fn func(uint64, engine.Entry) error) error {
	for {
		entries, more, err := l.node.net.behind(l.log, after)
		if err != nil {
			return err
		}
		if len(entries) == 0 {
			select {
			case <-more:
				continue
			case <-ctx.Done():
				return ctx.Err()
			case <-l.node.dead:
				return engine.ErrClosed
			}
		}
		if err := l.node.arrive(ctx, &l.node.draws[drawsOfFollow]); err != nil {
			return err
		}
		for _, e := range entries {
			after++
			if err := fn(after, e); err != nil {
				return err
			}
		}
	}
}

// arrive waits until a message of the engine has reached the node. Unlike questions, a lost message
// is sent again and duplicates are dropped, as a connection does it.
func (n *Node) arrive(ctx context.Context, d *draw) error {
	for {
		delays := n.net.journeys(d)
		for len(delays) == 0 {
			delays = n.net.journeys(d)
		}
		time.Sleep(delays[0])
		n.Run()
		if err := ctx.Err(); err != nil {
			return err
		}
		if n.Dead() {
			return engine.ErrClosed
		}
		n.net.mu.Lock()
		cut, closed, changed := n.cut, n.net.closed, n.net.changed
		n.net.mu.Unlock()
		switch {
		case closed:
			return engine.ErrClosed
		case !cut:
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return ctx.Err()
		case <-n.dead:
			return engine.ErrClosed
		}
	}
}

// A server answers the questions of a subject.
type server struct {
	node   *Node
	answer func(context.Context, []byte) ([]byte, error)
	ctx    context.Context // ends when the server stops
	down   sync.WaitGroup  // answers under way
}

// An answer is what a server has returned.
type answer struct {
	b   []byte
	err error
}

// Ask asks one of the processes that serve a subject, chosen at random.
func (n *Node) Ask(ctx context.Context, subject string, question []byte) ([]byte, error) {
	if err := engine.CheckSubject(subject); err != nil {
		return nil, err
	}
	if len(question) > engine.MaxBatch {
		return nil, fmt.Errorf("a question of %d bytes: %w", len(question), engine.ErrTooLarge)
	}
	question = slices.Clone(question)
	a, err := ask(ctx, n, &n.draws[drawsOfQuestions], func() answer { return n.net.answer(subject, question, &n.draws[drawsOfQuestions]) })
	if err == nil {
		err = a.err
	}
	if err != nil {
		return nil, fmt.Errorf("ask %s: %w", subject, err)
	}
	return a.b, nil
}

// answer lets one of the servers of a subject answer. A server whose process is stopped answers
// late.
func (n *Net) answer(subject string, question []byte, d *draw) answer {
	n.mu.Lock()
	all := slices.DeleteFunc(slices.Clone(n.servers[subject]), func(s *server) bool { return s.node.cut || s.node.Dead() })
	if len(all) == 0 {
		n.mu.Unlock()
		return answer{err: engine.ErrNobody}
	}
	d.mu.Lock()
	s := all[d.r.IntN(len(all))]
	d.mu.Unlock()
	s.down.Add(1)
	n.mu.Unlock()
	defer s.down.Done()

	s.node.Run()
	b, err := s.answer(s.ctx, slices.Clone(question))
	if err != nil {
		return answer{err: &engine.AnswerError{Text: err.Error()}}
	}
	if len(b) > engine.MaxBatch {
		return answer{err: &engine.AnswerError{Text: fmt.Sprintf("an answer of %d bytes: %v", len(b), engine.ErrTooLarge)}}
	}
	return answer{b: b}
}

// Serve implements engine.Engine. Each question is answered in a goroutine of the net's.
func (n *Node) Serve(subject string, fn func(context.Context, []byte) ([]byte, error)) (func(), error) {
	if err := engine.CheckSubject(subject); err != nil {
		return nil, err
	}
	if err := n.check(); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(context.Background())
	s := &server{node: n, answer: fn, ctx: ctx}
	n.net.mu.Lock()
	defer n.net.mu.Unlock()
	n.net.servers[subject] = append(n.net.servers[subject], s)
	return func() {
		n.net.mu.Lock()
		n.net.servers[subject] = slices.DeleteFunc(n.net.servers[subject], func(o *server) bool { return o == s })
		n.net.mu.Unlock()
		s.down.Wait()
		cancel()
	}, nil
}

// Put implements engine.Engine.
func (n *Node) Put(_ context.Context, name string, r io.Reader) error {
	if err := errors.Join(engine.CheckName(name), n.check()); err != nil {
		return err
	}
	b, err := io.ReadAll(r)
	if err != nil {
		return fmt.Errorf("put %s: %w", name, err)
	}
	n.net.mu.Lock()
	defer n.net.mu.Unlock()
	n.net.blobs[name] = b
	return nil
}

// Delete implements engine.Engine.
func (n *Node) Delete(_ context.Context, name string) error {
	if err := errors.Join(engine.CheckName(name), n.check()); err != nil {
		return err
	}
	n.net.mu.Lock()
	defer n.net.mu.Unlock()
	delete(n.net.blobs, name)
	return nil
}

// Blobs implements engine.Engine.
func (n *Node) Blobs(_ context.Context, prefix string) (names []string, err error) {
	if err := n.check(); err != nil {
		return nil, err
	}
	n.net.mu.Lock()
	defer n.net.mu.Unlock()
	for name := range n.net.blobs {
		if strings.HasPrefix(name, prefix) {
			names = append(names, name)
		}
	}
	return names, nil
}

// Get implements engine.Engine.
func (n *Node) Get(_ context.Context, name string) (io.ReadCloser, error) {
	if err := errors.Join(engine.CheckName(name), n.check()); err != nil {
		return nil, err
	}
	n.net.mu.Lock()
	defer n.net.mu.Unlock()
	b, ok := n.net.blobs[name]
	if !ok {
		return nil, fmt.Errorf("get %s: %w", name, fs.ErrNotExist)
	}
	return io.NopCloser(bytes.NewReader(b)), nil
}
