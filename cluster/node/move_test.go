package node_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"time"

	"gatecrawl.example/gatecrawl/cluster/engine"
	"gatecrawl.example/gatecrawl/cluster/engine/mem"
	"gatecrawl.example/gatecrawl/cluster/jetstream"
	"gatecrawl.example/gatecrawl/cluster/node"
	"gatecrawl.example/gatecrawl/testserver/await"
	"gatecrawl.example/gatecrawl/testserver/slow"
)

// startEngine starts an engine in this process, and returns a connection and its address.
func startEngine(t *testing.T) (engine.Engine, string) {
	t.Helper()
	server, err := jetstream.Serve(jetstream.ServerOptions{Name: "engine", Dir: t.TempDir(), Listen: "127.0.0.1:0"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Close)
	if err := server.Ready(t.Context()); err != nil {
		t.Fatal(err)
	}
	e, err := jetstream.Open(t.Context(), jetstream.Options{Servers: []string{server.Addr()}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close() })
	return e, server.Addr()
}

// TestADeletedDiskLosesNothing: nodes are killed while they crawl, and their folders deleted. One
// starts again with an empty folder, of another the rest take the partitions over: the records
// are those of an undisturbed crawl.
func TestADeletedDiskLosesNothing(t *testing.T) {
	slow.Test(t, "kills nodes and deletes their folders")
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	draw := rand.New(rand.NewPCG(seed, 1))
	web, settings := startWeb(t)
	e, server := startEngine(t)
	dir := t.TempDir()
	var all []*process
	for i := range 3 {
		name := fmt.Sprint("node-", i)
		p := &process{name: name, dir: filepath.Join(dir, name), server: server}
		p.start(t)
		t.Cleanup(func() { p.kill(syscall.SIGKILL) })
		all = append(all, p)
	}
	c := open(t, e)
	if err := c.Start(t.Context(), "news", settings, awaitNodes(t, c, 3)); err != nil {
		t.Fatal(err)
	}
	awaitState(t, c, "news", node.Running)
	pause := func() { // a disk is lost at any point of a crawl
		time.Sleep(time.Duration(300+draw.IntN(600)) * time.Millisecond) // a real one, since nodes are processes
	}
	loseDisk := func(p *process) {
		t.Helper()
		pause()
		if j, err := c.Job(t.Context(), "news"); err != nil || j.State != node.Running {
			t.Fatalf("the crawl was over too early: %v, %v", j, err)
		}
		p.kill(syscall.SIGKILL)
		if err := os.RemoveAll(p.dir); err != nil {
			t.Fatal(err)
		}
	}
	again, gone := all[draw.IntN(3)], 0
	loseDisk(again)
	again.start(t)
	pause()
	for all[gone] == again {
		gone++
	}
	loseDisk(all[gone])
	j := awaitState(t, c, "news", node.Done)
	if slices.Contains(j.Nodes, all[gone].name) {
		t.Errorf("the partitions are at %v, and %s is gone", j.Nodes, all[gone].name)
	}
	judge(t, web, j.Inspect(e), 4*2+copiesByBytes)
}

// TestNodesComeAndGo: a job starts on one node, is spread over three, and drained to another one
// than it started on, while it crawls.
func TestNodesComeAndGo(t *testing.T) {
	slow.Test(t, "crawls a web with nodes that come and go")
	web, settings := startWeb(t)
	net := mem.NewNet(mem.Options{})
	t.Cleanup(net.Close)
	dir := t.TempDir()
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 3)
	start := func(i int) string {
		name := fmt.Sprint("node-", i)
		e := net.Join(name)
		go func() { // ends with stop
			ended <- node.Run(ctx, node.Options{Name: name, Dir: filepath.Join(dir, name), Engine: e, Owner: short, Away: away, Snapshot: 200_000, Standby: true})
		}()
		return name
	}
	e := net.Join("client")
	c := open(t, e)
	first := start(0)
	awaitNodes(t, c, 1)
	if _, err := c.Drain(t.Context(), first); !errors.Is(err, node.ErrAlone) {
		t.Errorf("Drain of the only node = %v, want ErrAlone", err)
	}
	if _, err := c.Drain(t.Context(), "nobody"); !errors.Is(err, node.ErrNoNode) {
		t.Errorf("Drain of no node = %v, want ErrNoNode", err)
	}
	if err := c.Start(t.Context(), "news", settings, []string{first, first, first}); err != nil {
		t.Fatal(err)
	}
	crawlOn := func() {
		t.Helper()
		in := awaitState(t, c, "news", node.Running).Inspect(e)
		awaitPages(t, in, awaitPages(t, in, 0)+20)
	}
	settled := func() []string {
		t.Helper()
		ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
		defer cancel()
		if err := c.Settled(ctx); err != nil {
			t.Fatal(err)
		}
		j, err := c.Job(ctx, "news")
		if err != nil {
			t.Fatal(err)
		}
		return j.Nodes
	}
	crawlOn()
	second, third := start(1), start(2)
	awaitNodes(t, c, 3)
	if n, err := c.Spread(t.Context()); n != 2 || err != nil {
		t.Errorf("Spread over three nodes = %d, %v, want 2 partitions moved", n, err)
	}
	if at := settled(); !slices.Equal(slices.Sorted(slices.Values(at)), []string{first, second, third}) {
		t.Errorf("the partitions are at %v", at)
	}
	crawlOn()
	j, err := c.Job(t.Context(), "news")
	if err != nil {
		t.Fatal(err)
	}
	for i, at := range j.Nodes { // the next node by name has a copy of each, or is about to
		next := map[string]string{first: second, second: third, third: first}[at]
		path := filepath.Join(dir, next, "jobs", "news", fmt.Sprintf("p%04d", i), "crawl.db")
		await.Until(t, late, func() error { _, err := os.Stat(path); return err })
	}
	for _, name := range []string{first, third} {
		if n, err := c.Drain(t.Context(), name); n < 1 || err != nil {
			t.Errorf("Drain(%s) = %d, %v", name, n, err)
		}
		if at := settled(); slices.Contains(at, name) {
			t.Errorf("the partitions are at %v after %s was drained", at, name)
		}
	}
	j = awaitState(t, c, "news", node.Done)
	if !slices.Equal(j.Nodes, []string{second, second, second}) {
		t.Errorf("the partitions are at %v, want all at %s", j.Nodes, second)
	}
	judge(t, web, j.Inspect(e), 4*8+copiesByBytes)
	stop()
	for range 3 {
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
}

// copiesByBytes is how many pages of the web of these tests have the bytes of another, at most.
const copiesByBytes = 110

// Two nodes of one name would take the same partitions from each other for ever.
func TestASecondNodeOfANameIsRefused(t *testing.T) {
	net := mem.NewNet(mem.Options{})
	t.Cleanup(net.Close)
	run := func(ctx context.Context, process string) error {
		return node.Run(ctx, node.Options{Name: "one", Dir: t.TempDir(), Engine: net.Join(process), Owner: short})
	}
	ended := make(chan error, 1)
	for _, process := range []string{"first", "later"} { // the name is free again when its node has ended
		ctx, stop := context.WithCancel(t.Context())
		go func() { ended <- run(ctx, process) }() // ends with stop
		awaitNodes(t, open(t, net.Join("client of "+process)), 1)
		if err := run(t.Context(), "second"); !errors.Is(err, node.ErrNameTaken) {
			t.Errorf("Run of a second node one = %v, want ErrNameTaken", err)
		}
		stop()
		if err := <-ended; err != nil {
			t.Errorf("Run of the %s = %v", process, err)
		}
	}
}
