package owner_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"gatecrawl.example/gatecrawl/cluster/engine"
	"gatecrawl.example/gatecrawl/cluster/engine/mem"
	"gatecrawl.example/gatecrawl/cluster/owner"
)

// A clock is that of one simulated process: it runs fast or slow, and who asks it waits
// while the process is stopped.
type clock struct {
	node  *mem.Node
	start time.Time
	rate  float64
}

func newClock(node *mem.Node, rate float64) clock { return clock{node, time.Now(), rate} }

func (c clock) Now() time.Duration {
	c.node.Run()
	return time.Duration(float64(time.Since(c.start)) * c.rate)
}

func (c clock) Timer(d time.Duration) (<-chan time.Time, func()) {
	t := time.NewTimer(time.Duration(float64(d)/c.rate) + 1)
	return t.C, func() { t.Stop() }
}

// inNet runs a test in simulated time, with a net whose messages take 10 ms.
func inNet(t *testing.T, run func(t *testing.T, net *mem.Net)) {
	synctest.Test(t, func(t *testing.T) {
		net := mem.NewNet(mem.Options{MinDelay: 10 * time.Millisecond, MaxDelay: 10 * time.Millisecond})
		defer net.Close()
		run(t, net)
	})
}

func openLog(t *testing.T, node *mem.Node) engine.Log {
	t.Helper()
	l, err := node.Log(t.Context(), "part-0")
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func options(node *mem.Node, name string) owner.Options {
	return owner.Options{Name: name, Clock: newClock(node, 1)}
}

func take(t *testing.T, node *mem.Node, name string) *owner.Owner {
	t.Helper()
	o, err := owner.Take(t.Context(), openLog(t, node), options(node, name))
	if err != nil {
		t.Fatalf("Take: %v", err)
	}
	return o
}

func TestALogWithoutAnOwnerIsTakenAtOnce(t *testing.T) {
	inNet(t, func(t *testing.T, net *mem.Net) {
		start := time.Now()
		o := take(t, net.Join("a"), "a")
		defer o.Close()
		if took := time.Since(start); took > 100*time.Millisecond {
			t.Errorf("it took %v", took)
		}
		if err := o.Allowed(); o.Epoch() != 1 || o.First() != 1 || err != nil {
			t.Errorf("epoch %d, first entry %d, Allowed = %v", o.Epoch(), o.First(), err)
		}
	})
}

func TestTheLeaseCountsFromBeforeTheAppend(t *testing.T) {
	inNet(t, func(t *testing.T, net *mem.Net) {
		node := net.Join("a")
		o := take(t, node, "a")
		defer o.Close()
		// Its entry was sent 20 ms ago, of 10 s the last one is not used, and no heartbeat is due.
		if got, want := time.Until(o.Until()), 9*time.Second-20*time.Millisecond; got != want {
			t.Errorf("the lease lasts %v more, want %v", got, want)
		}
		node.Cut(true)
		time.Sleep(9*time.Second - 20*time.Millisecond - 1)
		if err := o.Allowed(); err != nil {
			t.Errorf("Allowed = %v within the lease", err)
		}
		time.Sleep(time.Nanosecond)
		if err := o.Allowed(); !errors.Is(err, owner.ErrLapsed) {
			t.Errorf("Allowed = %v after the lease, want ErrLapsed", err)
		}
	})
}

func TestHeartbeatsKeepTheLease(t *testing.T) {
	inNet(t, func(t *testing.T, net *mem.Net) {
		node := net.Join("a")
		o := take(t, node, "a")
		defer o.Close()
		for range 600 {
			time.Sleep(time.Second)
			if err := o.Allowed(); err != nil {
				t.Fatal(err)
			}
		}
		seq, last, err := openLog(t, node).Last(t.Context())
		if want := uint64(1 + 600/2); seq < want-5 || seq > want || len(last.Batch) > 0 || err != nil {
			t.Errorf("after 600 s the log has %d entries, want %d: one in 2 s", seq, want)
		}
	})
}

func TestAnOwnerThatIsBusyBeatsNot(t *testing.T) {
	inNet(t, func(t *testing.T, net *mem.Net) {
		node := net.Join("a")
		o := take(t, node, "a")
		defer o.Close()
		for n := range 100 {
			if seq, err := o.Append(t.Context(), []byte("batch")); seq != uint64(n)+2 || err != nil {
				t.Fatalf("Append %d = %d, %v", n, seq, err)
			}
			time.Sleep(time.Second)
		}
	})
}

func TestABatchThatIsTooLargeCostsNothing(t *testing.T) {
	inNet(t, func(t *testing.T, net *mem.Net) {
		o := take(t, net.Join("a"), "a")
		defer o.Close()
		if _, err := o.Append(t.Context(), make([]byte, engine.MaxBatch+1)); !errors.Is(err, engine.ErrTooLarge) {
			t.Errorf("Append = %v, want ErrTooLarge", err)
		}
		if err := o.Allowed(); err != nil {
			t.Errorf("Allowed = %v afterwards", err)
		}
	})
}

func TestAnotherTakesOverWhenTheOwnerIsGone(t *testing.T) {
	inNet(t, func(t *testing.T, net *mem.Net) {
		dead := net.Join("a")
		first := take(t, dead, "a")
		if _, err := first.Append(t.Context(), []byte("visit")); err != nil {
			t.Fatal(err)
		}
		last := time.Now()
		dead.Close()
		first.Close()
		node, applied := net.Join("b"), []string{}
		opts := options(node, "b")
		opts.Apply = func(seq uint64, e engine.Entry) error {
			applied = append(applied, fmt.Sprint(seq, " ", string(e.Batch)))
			return nil
		}
		o, err := owner.Take(t.Context(), openLog(t, node), opts)
		if err != nil {
			t.Fatal(err)
		}
		defer o.Close()
		if took := time.Since(last); took < 10*time.Second || took > 11*time.Second {
			t.Errorf("the takeover took %v, want the lease and a little more", took)
		}
		if want := []string{"1 ", "2 visit"}; !slices.Equal(applied, want) || o.Epoch() != 2 || o.First() != 3 {
			t.Errorf("applied %q, epoch %d from entry %d", applied, o.Epoch(), o.First())
		}
	})
}

func TestALogThatIsGivenUpIsTakenAtOnce(t *testing.T) {
	inNet(t, func(t *testing.T, net *mem.Net) {
		a, b := net.Join("a"), net.Join("b")
		first := take(t, a, "a")
		taken := make(chan *owner.Owner)
		go func() { taken <- take(t, b, "b") }()
		time.Sleep(time.Minute)
		within, cancel := first.Within(t.Context())
		defer cancel()
		start := time.Now()
		if err := first.Release(t.Context()); err != nil {
			t.Errorf("Release: %v", err)
		}
		if !errors.Is(context.Cause(within), owner.ErrReleased) || !errors.Is(first.Allowed(), owner.ErrReleased) {
			t.Errorf("after Release: %v, %v; want ErrReleased", context.Cause(within), first.Allowed())
		}
		o := <-taken
		defer o.Close()
		if took := time.Since(start); took > 100*time.Millisecond {
			t.Errorf("the takeover took %v", took)
		}
		if o.Epoch() != 2 {
			t.Errorf("epoch %d, want 2", o.Epoch())
		}
	})
}

func TestOfManyOneTakesOver(t *testing.T) {
	inNet(t, func(t *testing.T, net *mem.Net) {
		ctx, cancel := context.WithCancel(t.Context())
		taken, failed := make(chan *owner.Owner), make(chan error)
		for i := range 5 {
			node := net.Join(fmt.Sprint("node-", i))
			l := openLog(t, node)
			go func() {
				o, err := owner.Take(ctx, l, options(node, "node"))
				if err != nil {
					failed <- err
					return
				}
				taken <- o
			}()
		}
		o := <-taken
		defer o.Close()
		time.Sleep(5 * time.Minute)
		cancel()
		for range 4 {
			if err := <-failed; !errors.Is(err, context.Canceled) {
				t.Errorf("Take = %v, want that it still waited", err)
			}
		}
		if err := o.Allowed(); err != nil {
			t.Errorf("the owner is one no more: %v", err)
		}
	})
}

// SIGSTOP past the lease, SIGCONT: the process may do nothing, and its append is refused.
func TestAnOwnerThatWakesTooLateIsFenced(t *testing.T) {
	inNet(t, func(t *testing.T, net *mem.Net) {
		a, b := net.Join("a"), net.Join("b")
		first := take(t, a, "a")
		defer first.Close()
		within, cancel := first.Within(t.Context())
		defer cancel()
		a.Stop()
		second := take(t, b, "b")
		defer second.Close()
		a.Continue()
		if err := first.Allowed(); err == nil {
			t.Error("the old owner may send requests")
		}
		time.Sleep(time.Millisecond) // what has waited goes on
		if within.Err() == nil {
			t.Error("its requests go on")
		}
		if _, err := first.Append(t.Context(), []byte("late")); !errors.Is(err, engine.ErrFenced) {
			t.Errorf("Append = %v, want ErrFenced", err)
		}
		<-first.Lost()
		if err := first.Allowed(); !errors.Is(err, engine.ErrFenced) {
			t.Errorf("Allowed = %v, want ErrFenced", err)
		}
		if err := second.Allowed(); err != nil {
			t.Errorf("the new owner may not send requests: %v", err)
		}
	})
}

// The engine is away for a minute: nothing is asked of the web, and nothing is lost.
func TestTheLeaseComesBackWithTheEngine(t *testing.T) {
	inNet(t, func(t *testing.T, net *mem.Net) {
		o := take(t, net.Join("a"), "a")
		defer o.Close()
		within, cancel := o.Within(t.Context())
		defer cancel()
		net.Elect(time.Minute)
		time.Sleep(30 * time.Second)
		if err := o.Allowed(); !errors.Is(err, owner.ErrLapsed) {
			t.Errorf("Allowed = %v without the engine, want ErrLapsed", err)
		}
		if err := context.Cause(within); !errors.Is(err, owner.ErrLapsed) {
			t.Errorf("what was under way ended with %v, want ErrLapsed", err)
		}
		time.Sleep(time.Minute)
		if err := o.Allowed(); err != nil || o.Epoch() != 1 {
			t.Errorf("Allowed = %v when the engine is back", err)
		}
		again, cancelAgain := o.Within(t.Context())
		defer cancelAgain()
		if err := again.Err(); err != nil {
			t.Errorf("a request ends at once: %v", err)
		}
	})
}

// tries counts what an owner is told, on goroutines of its own.
type tries struct {
	mu   sync.Mutex
	seen seen
}

type seen struct {
	failed, answered int
	last             error
}

func (n *tries) tried(err error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.seen.last = err; err != nil {
		n.seen.failed++
	} else {
		n.seen.answered++
	}
}

func (n *tries) now() seen {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.seen
}

func TestAnOwnerThatWaitsForTheEngineIsTold(t *testing.T) {
	inNet(t, func(t *testing.T, net *mem.Net) {
		var n tries
		node := net.Join("a")
		opts := options(node, "a")
		opts.Tried = n.tried
		o, err := owner.Take(t.Context(), openLog(t, node), opts)
		if n := n.now(); err != nil || n.failed > 0 || n.answered == 0 {
			t.Fatalf("Take: %+v, %v", n, err)
		}
		defer o.Close()
		net.Elect(time.Minute)
		time.Sleep(30 * time.Second)
		synctest.Wait()
		if n := n.now(); n.failed == 0 || n.last == nil {
			t.Errorf("without the engine: %+v", n)
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		if n := n.now(); n.last != nil {
			t.Errorf("when the engine is back: %+v", n)
		}
	})
}

func TestACandidateThatWaitsForTheEngineIsTold(t *testing.T) {
	inNet(t, func(t *testing.T, net *mem.Net) {
		var n tries
		node := net.Join("a")
		opts := options(node, "a")
		opts.Tried = n.tried
		log := openLog(t, node)
		net.Elect(time.Minute)
		o, err := owner.Take(t.Context(), log, opts)
		if n := n.now(); err != nil || n.failed == 0 || n.answered == 0 || n.last != nil {
			t.Fatalf("Take: %+v, %v", n, err)
		}
		o.Close()
	})
}

func TestACandidateThatLacksWhatWasTrimmedSaysSo(t *testing.T) {
	inNet(t, func(t *testing.T, net *mem.Net) {
		node := net.Join("a")
		o := take(t, node, "a")
		for range 5 {
			if _, err := o.Append(t.Context(), []byte("batch")); err != nil {
				t.Fatal(err)
			}
		}
		o.Close()
		l := openLog(t, node)
		if err := l.Trim(t.Context(), 3); err != nil {
			t.Fatal(err)
		}
		for after, want := range map[uint64]error{2: engine.ErrTrimmed, 3: nil, 6: nil, 40: owner.ErrShort} {
			opts := options(node, "b")
			opts.After = after
			o, err := owner.Take(t.Context(), l, opts)
			if !errors.Is(err, want) {
				t.Errorf("Take behind %d = %v, want %v", after, err, want)
			}
			if o == nil {
				continue
			}
			if err := o.Release(t.Context()); err != nil {
				t.Error(err)
			}
			if err := l.Trim(t.Context(), 3); err != nil {
				t.Fatal(err)
			}
		}
	})
}

func TestOptionsThatCannotHoldAreRefused(t *testing.T) {
	for want, opts := range map[string]owner.Options{
		"name":              {},
		"does not renew":    {Name: "a", Lease: time.Second},
		"less than 0":       {Name: "a", Slack: -1},
		"between 0 and .1":  {Name: "a", Drift: .5},
		"want 1 to 228":     {Name: strings.Repeat("a", 250)},
		"a heartbeat each ": {Name: "a", Beat: time.Minute},
	} {
		if _, err := owner.Take(t.Context(), nil, opts); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Take(%+v) = %v, want %q", opts, err, want)
		}
	}
}

func TestTheBootClockGoesOn(t *testing.T) {
	var c owner.Boot
	before := c.Now()
	fires, stop := c.Timer(2 * time.Millisecond)
	defer stop()
	<-fires
	if passed := c.Now() - before; passed < 2*time.Millisecond {
		t.Errorf("%v passed while a timer of 2ms ran", passed)
	}
}
