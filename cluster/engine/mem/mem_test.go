package mem_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"gatecrawl.example/gatecrawl/cluster/engine"
	"gatecrawl.example/gatecrawl/cluster/engine/enginetest"
	"gatecrawl.example/gatecrawl/cluster/engine/mem"
)

func join(t *testing.T, net *mem.Net, name string) *mem.Node {
	node := net.Join(name)
	t.Cleanup(func() { node.Close() })
	return node
}

func TestTheEngineKeepsTheContract(t *testing.T) {
	net := mem.NewNet(mem.Options{})
	defer net.Close()
	enginetest.Run(t, enginetest.Engine{Connect: func(t *testing.T) engine.Engine { return join(t, net, "node") }})
}

func openLog(t *testing.T, node *mem.Node) engine.Log {
	t.Helper()
	for {
		if l, err := node.Log(t.Context(), "log"); err == nil {
			return l
		}
	}
}

// outcomes appends 200 entries over a net that loses, doubles and delays, and returns how
// each try ended.
func outcomes(t *testing.T, seed uint64) (all []string) {
	synctest.Test(t, func(t *testing.T) {
		net := mem.NewNet(mem.Options{Seed: seed, MinDelay: time.Millisecond, MaxDelay: 3 * time.Second, Lost: .1, Doubled: .1})
		defer net.Close()
		start, l := time.Now(), openLog(t, net.Join("a"))
		for seq := uint64(0); seq < 200; {
			_, err := l.Append(t.Context(), seq, engine.Entry{Epoch: seq})
			all = append(all, fmt.Sprint(seq, time.Since(start), err))
			if err == nil || errors.Is(err, engine.ErrFenced) {
				seq++
			}
		}
		seq := uint64(0)
		l.Follow(t.Context(), 0, func(n uint64, e engine.Entry) error {
			if seq++; n != seq || e.Epoch != seq-1 {
				t.Errorf("entry %d is number %d with what was appended after %d", seq, n, e.Epoch)
			}
			if seq == 200 {
				return errors.New("enough")
			}
			return nil
		})
	})
	return all
}

func TestABadNetLosesAnswersAndNoEntries(t *testing.T) {
	got := outcomes(t, 1)
	count := func(what string) (n int) {
		for _, o := range got {
			if len(o) > len(what) && o[len(o)-len(what):] == what {
				n++
			}
		}
		return n
	}
	if unknown := count("in time"); unknown < 20 || len(got) < 220 {
		t.Errorf("%d of %d appends had no answer; the net did nothing to them", unknown, len(got))
	}
}

func TestTheSameSeedIsTheSameRun(t *testing.T) {
	a, b, c := outcomes(t, 1), outcomes(t, 1), outcomes(t, 2)
	if !slices.Equal(a, b) {
		t.Error("two runs with one seed differ")
	}
	if slices.Equal(a, c) {
		t.Error("two seeds have the same run")
	}
}

func TestANodeThatIsCutOffIsNotHeard(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		net := mem.NewNet(mem.Options{})
		defer net.Close()
		a, b := net.Join("a"), net.Join("b")
		l, other := openLog(t, a), openLog(t, b)
		a.Cut(true)
		if _, err := l.Append(t.Context(), 0, engine.Entry{}); err == nil || errors.Is(err, engine.ErrFenced) {
			t.Errorf("Append of a node that is cut off = %v, want that it does not know", err)
		}
		if _, err := other.Append(t.Context(), 0, engine.Entry{}); err != nil {
			t.Errorf("Append of the other node: %v", err)
		}
		a.Cut(false)
		if _, err := l.Append(t.Context(), 0, engine.Entry{}); !errors.Is(err, engine.ErrFenced) {
			t.Errorf("Append of the node that came back = %v, want ErrFenced", err)
		}
	})
}

func TestWithoutALeaderNothingIsAppended(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		net := mem.NewNet(mem.Options{})
		defer net.Close()
		l := openLog(t, net.Join("a"))
		net.Elect(3 * time.Second) // an append waits 2 s for its answer
		for try, want := range []bool{false, false, true} {
			if _, err := l.Append(t.Context(), 0, engine.Entry{}); (err == nil) != want {
				t.Errorf("Append %d = %v, want success %v", try, err, want)
			}
		}
	})
}

func TestAStoppedProcessHearsNothingUntilItGoesOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		net := mem.NewNet(mem.Options{})
		defer net.Close()
		a, b := net.Join("a"), net.Join("b")
		l, other := openLog(t, a), openLog(t, b)
		ctx, cancel := context.WithCancel(t.Context())
		var came []time.Duration
		start, done := time.Now(), make(chan struct{})
		go func() { // ends with ctx
			defer close(done)
			l.Follow(ctx, 0, func(uint64, engine.Entry) error {
				came = append(came, time.Since(start).Truncate(time.Second))
				return nil
			})
		}()
		for seq := range uint64(3) {
			if seq == 1 {
				a.Stop()
			}
			if _, err := other.Append(t.Context(), seq, engine.Entry{}); err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Second)
		}
		a.Continue()
		time.Sleep(time.Millisecond)
		cancel()
		<-done
		if want := []time.Duration{0, 3 * time.Second, 3 * time.Second}; !slices.Equal(came, want) {
			t.Errorf("entries came after %v, want %v", came, want)
		}
	})
}
