package node_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"time"

	"gatecrawl.example/gatecrawl/cluster/node"
	"gatecrawl.example/gatecrawl/testserver/slow"
)

// slowDelay is that of a web whose crawl lasts while nodes come and go.
const slowDelay = 150 * time.Millisecond

// TestClustersGrowAndShrinkWhileNodesAreKilled: a job in five partitions starts on one node, is
// spread over three and five, and drained to three and to one. In each step a node is killed
// and started again, or stopped past its lease, mostly while partitions are on their way. The
// records are those of an undisturbed crawl. GATECRAWL_KILLS sets the kills and stops in all;
// there are as many crawls as that takes.
func TestClustersGrowAndShrinkWhileNodesAreKilled(t *testing.T) {
	slow.Test(t, "kills nodes of a cluster that grows and shrinks")
	rounds, draw := killRounds(t)
	for crawl, done := 0, 0; done < rounds && !t.Failed(); crawl++ {
		t.Run(fmt.Sprint("crawl=", crawl), func(t *testing.T) {
			n := growAndShrink(t, draw, rounds-done)
			if done += n; n == 0 {
				t.Error("the crawl was over before a node was killed")
			}
		})
	}
}

// growAndShrink crawls a web once, and returns how many nodes it has killed and stopped while that
// went on, at most so many.
func growAndShrink(t *testing.T, draw *rand.Rand, most int) (disturbed int) {
	web, settings := startWebWith(t, 60, slowDelay)
	e, server := startEngine(t)
	dir := t.TempDir()
	c := open(t, e)
	var here []*process
	come := func(n int) {
		for len(here) < n {
			name := fmt.Sprint("node-", len(here))
			p := &process{name: name, dir: filepath.Join(dir, name), server: server}
			p.start(t)
			t.Cleanup(func() { p.kill(syscall.SIGKILL) })
			here = append(here, p)
		}
		awaitNodes(t, c, n)
	}
	kills, stops := 0, 0
	disturb := func() {
		if j, err := c.Job(t.Context(), "news"); disturbed >= most || err != nil || j.State != node.Running {
			return
		}
		disturbed++
		p := here[draw.IntN(len(here))]
		if draw.IntN(3) == 0 {
			stops++
			p.kill(syscall.SIGSTOP)
			time.Sleep(2 * short.Lease) // it is about a lease that runs out
			p.kill(syscall.SIGCONT)
			return
		}
		kills++
		p.kill(syscall.SIGKILL)
		p.start(t)
	}
	moves := 0
	moved := func(n int, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		if moves += n; draw.IntN(3) > 0 {
			disturb() // while they are on their way
		}
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
		defer cancel()
		if err := c.Settled(ctx); err != nil {
			t.Fatalf("%d partitions that were moved are not open: %v", n, err)
		}
		disturb()
	}
	come(1)
	if err := c.Start(t.Context(), "news", settings, slices.Repeat([]string{here[0].name}, 5)); err != nil {
		t.Fatal(err)
	}
	awaitState(t, c, "news", node.Running)
	for _, n := range []int{3, 5} {
		come(n)
		moved(c.Spread(t.Context()))
	}
	for _, n := range []int{3, 1} {
		for len(here) > n {
			last := here[len(here)-1]
			awaitNodes(t, c, len(here)) // one that was killed is up again: partitions go to nodes that answer
			moved(c.Drain(t.Context(), last.name))
			here = here[:len(here)-1]
			last.in.Close() // it ends by itself
			if err := last.cmd.Wait(); err != nil {
				t.Errorf("%s: %v", last.name, err)
			}
		}
	}
	j := awaitState(t, c, "news", node.Done)
	if !slices.Equal(j.Nodes, slices.Repeat([]string{here[0].name}, 5)) {
		t.Errorf("the partitions are at %v, want all at %s", j.Nodes, here[0].name)
	}
	t.Logf("%d nodes killed, %d stopped past their lease, %d partitions moved", kills, stops, moves)
	judgeWith(t, web, j.Inspect(e), slowDelay, 2*4*(kills+stops+moves)+copiesByBytes)
	return disturbed
}
