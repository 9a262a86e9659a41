package jetstream_test

import (
	"bufio"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"gatecrawl.example/gatecrawl/cluster/engine"
	"gatecrawl.example/gatecrawl/cluster/jetstream"
	"gatecrawl.example/gatecrawl/testserver/await"
	"gatecrawl.example/gatecrawl/testserver/env"
	"gatecrawl.example/gatecrawl/testserver/slow"
)

// asServer has this test binary be a server: its name, folder, address for clients, own
// line and all lines, with spaces between.
const asServer = "GATECRAWL_TEST_SERVER"

func TestMain(m *testing.M) {
	for variable, be := range map[string]func([]string) error{asServer: beServer, asNode: beNode} {
		settings := strings.Fields(os.Getenv(variable))
		if len(settings) == 0 {
			continue
		}
		if err := be(settings); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// beServer runs until the process that started it closes the pipe or is gone. It answers a line with
// the ends of its logs.
func beServer(set []string) error {
	s, err := jetstream.Serve(jetstream.ServerOptions{Name: set[0], Dir: set[1], Listen: set[2], Line: set[3], Peers: set[4:]})
	if err != nil {
		return err
	}
	defer s.Close()
	for asked := bufio.NewScanner(os.Stdin); asked.Scan(); {
		ends, err := s.Ends()
		if err = errors.Join(err, json.NewEncoder(os.Stdout).Encode(ends)); err != nil {
			return err
		}
	}
	return nil
}

// A process is a server or a node in a process of its own, which a test may kill.
type process struct {
	variable string // asServer or asNode
	settings string
	cmd      *exec.Cmd
	stdin    io.WriteCloser
	stdout   *json.Decoder
}

func (p *process) start(t *testing.T) {
	t.Helper()
	p.cmd = exec.Command(os.Args[0])
	p.cmd.Env = append(os.Environ(), p.variable+"="+p.settings)
	p.cmd.Stderr = os.Stderr
	stdin, err := p.cmd.StdinPipe()
	stdout, outErr := p.cmd.StdoutPipe()
	if err = errors.Join(err, outErr); err == nil {
		err = p.cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	p.stdin, p.stdout = stdin, json.NewDecoder(stdout)
}

// ends asks a server for the number of the last entry that it has itself, by log.
func (p *process) ends() (ends map[string]uint64, err error) {
	if _, err = fmt.Fprintln(p.stdin); err == nil {
		err = p.stdout.Decode(&ends)
	}
	return ends, err
}

func (p *process) kill() {
	p.stdin.Close()
	p.cmd.Process.Kill()
	p.cmd.Wait() // it was killed: that is its error
}

// startProcesses starts three servers, and returns when they take appends.
func startProcesses(t *testing.T) (all []*process, addresses []string) {
	t.Helper()
	addresses = freeAddresses(t, 6)
	clients, lines := addresses[:3], addresses[3:]
	for i := range 3 {
		set := append([]string{fmt.Sprintf("node-%d", i), t.TempDir(), clients[i], lines[i]}, lines...)
		p := &process{variable: asServer, settings: strings.Join(set, " ")}
		p.start(t)
		t.Cleanup(p.kill)
		all = append(all, p)
	}
	return all, clients
}

// A writer owns a log and appends to it for as long as the test runs.
type writer struct {
	log          engine.Log
	name         string
	acknowledged uint64
	progress     atomic.Uint64 // acknowledged, for others to see
	failures     int
}

func numbered(n uint64) engine.Entry {
	return engine.Entry{Epoch: 1, Owner: "a", Batch: binary.LittleEndian.AppendUint64(make([]byte, 2000), n)}
}

// write appends until ctx ends. An append whose outcome is open is tried again as it was.
func (w *writer) write(ctx context.Context) error {
	for ctx.Err() == nil {
		w.progress.Store(w.acknowledged)
		_, err := w.log.Append(ctx, w.acknowledged, numbered(w.acknowledged+1))
		switch {
		case err == nil:
			w.acknowledged++
			continue
		case ctx.Err() != nil:
			return nil
		}
		w.failures++
		time.Sleep(5 * time.Millisecond) // without a leader the answer comes at once
		if !errors.Is(err, engine.ErrFenced) {
			continue
		}
		seq, _, err := w.log.Last(ctx)
		if err == nil && seq == w.acknowledged+1 { // the one writer's own: the answer was lost
			w.acknowledged++
		} else if err == nil {
			return fmt.Errorf("fenced after %d where the log ends with %d, and there is no other writer", w.acknowledged, seq)
		}
	}
	return nil
}

// check reads the log from its start: it has what was acknowledged, each once, and at most
// one more, whose answer nobody waited for.
func (w *writer) check(ctx context.Context) error {
	seq, _, err := w.log.Last(ctx)
	for err != nil && ctx.Err() == nil {
		seq, _, err = w.log.Last(ctx)
	}
	if err != nil {
		return err
	}
	if seq < w.acknowledged || seq > w.acknowledged+1 {
		return fmt.Errorf("the log ends with %d, and %d was the last acknowledged", seq, w.acknowledged)
	}
	done := errors.New("done")
	err = w.log.Follow(ctx, 0, func(n uint64, e engine.Entry) error {
		if got := binary.LittleEndian.Uint64(e.Batch[2000:]); got != n {
			return fmt.Errorf("entry %d is what was appended as %d", n, got)
		}
		if n == seq {
			return done
		}
		return nil
	})
	if errors.Is(err, done) {
		return nil
	}
	return err
}

// patience is how long appends may rest while servers lack entries: longer than elections take.
const patience = 20 * time.Second

// TestNothingAcknowledgedIsLostWhenServersAreKilled kills or stops one server after the
// other under appends to six logs. If all three had what was acknowledged, the other two go on. In
// half of the rounds a server that was away may still lack entries when the next one goes, which may be
// the only one that has all of a log. Then the log may rest until that one is back. GATECRAWL_KILLS says how often.
func TestNothingAcknowledgedIsLostWhenServersAreKilled(t *testing.T) {
	slow.Test(t, "kills servers of the engine, GATECRAWL_KILLS times")
	rounds := env.Number(t, "GATECRAWL_KILLS", 5)
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	draw := rand.New(rand.NewPCG(seed, 0))

	processes, addresses := startProcesses(t)
	conn := waitForEngine(t, addresses)
	var writers []*writer
	for i := range 6 {
		name := fmt.Sprintf("part-%d", i)
		writers = append(writers, &writer{log: waitForLog(t, conn, name), name: name})
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var group sync.WaitGroup
	for _, w := range writers {
		group.Go(func() { // ends with ctx
			if err := w.write(ctx); err != nil {
				t.Error(err)
			}
		})
	}
	kills, rests := 0, 0
	for round := range rounds {
		whole := draw.IntN(2) == 0
		if whole {
			waitForCopies(t, processes)
		}
		p := processes[draw.IntN(len(processes))]
		killed := draw.IntN(3) > 0
		if killed {
			kills++
			p.kill()
		} else {
			p.cmd.Process.Signal(syscall.SIGSTOP)
		}
		if whole {
			waitForAppends(t, writers, "without one server", round)
		} else if !mayGoOn(writers) {
			rests++
		}
		if killed {
			p.start(t)
		} else {
			p.cmd.Process.Signal(syscall.SIGCONT)
		}
		waitForAppends(t, writers, "with all servers", round)
	}
	cancel()
	group.Wait()
	total, failures := uint64(0), 0
	for i, w := range writers {
		checked, stop := context.WithTimeout(t.Context(), 2*time.Minute)
		if err := w.check(checked); err != nil {
			t.Errorf("log %d: %v", i, err)
		}
		stop()
		total, failures = total+w.acknowledged, failures+w.failures
	}
	t.Logf("%d rounds (%d kills, %d stops), in %d a log rested: %d appends acknowledged, %d failed or open, all acknowledged are there", rounds, kills, rounds-kills, rests, total, failures)
}

func waitForEngine(t *testing.T, addresses []string) *jetstream.Engine {
	t.Helper()
	var e *jetstream.Engine
	await.Until(t, time.Minute, func() (err error) {
		e, err = jetstream.Open(t.Context(), jetstream.Options{Servers: addresses, Timeout: 2 * time.Second})
		return err
	})
	t.Cleanup(func() { e.Close() })
	return e
}

func waitForLog(t *testing.T, conn *jetstream.Engine, name string) engine.Log {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	var l engine.Log
	await.Until(t, 2*time.Minute, func() (err error) { // there is no leader yet
		l, err = conn.Log(ctx, name)
		return err
	})
	return l
}

// resting returns a function that returns an error until each writer has gone on with twenty more entries.
func resting(writers []*writer) func() error {
	from := make([]uint64, len(writers))
	for i, w := range writers {
		from[i] = w.progress.Load()
	}
	return func() error {
		for i, w := range writers {
			if n := w.progress.Load(); n < from[i]+20 {
				return fmt.Errorf("log %s takes no appends after %d", w.name, n)
			}
		}
		return nil
	}
}

func waitForAppends(t *testing.T, writers []*writer, when string, round int) {
	t.Helper()
	rest := resting(writers)
	await.Until(t, 2*time.Minute, func() error {
		if err := rest(); err != nil {
			return fmt.Errorf("round %d: %w %s", round, err, when)
		}
		return nil
	})
}

// mayGoOn waits for appends to all logs for a while.
func mayGoOn(writers []*writer) bool {
	rest := resting(writers)
	for start := time.Now(); rest() != nil; time.Sleep(10 * time.Millisecond) { // the servers are other processes
		if time.Since(start) > patience {
			return false
		}
	}
	return true
}

// waitForCopies waits until each server has itself what any of them had at the start: what was
// acknowledged is among it.
func waitForCopies(t *testing.T, servers []*process) {
	t.Helper()
	want := make(map[string]uint64)
	for _, p := range servers {
		has, err := p.ends()
		if err != nil {
			t.Fatal(err)
		}
		for log, end := range has {
			want[log] = max(want[log], end)
		}
	}
	await.Until(t, 2*time.Minute, func() error {
		for i, p := range servers {
			has, err := p.ends()
			if err != nil {
				return err
			}
			for log, end := range want {
				if has[log] < end {
					return fmt.Errorf("server %d has %d of %d entries of log %s", i, has[log], end, log)
				}
			}
		}
		return nil
	})
}
