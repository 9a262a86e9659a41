package node_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"gatecrawl.example/gatecrawl"
	"gatecrawl.example/gatecrawl/cluster/engine"
	"gatecrawl.example/gatecrawl/cluster/engine/mem"
	"gatecrawl.example/gatecrawl/cluster/internal/rpc"
	"gatecrawl.example/gatecrawl/cluster/jetstream"
	"gatecrawl.example/gatecrawl/cluster/node"
	"gatecrawl.example/gatecrawl/cluster/owner"
	"gatecrawl.example/gatecrawl/configs"
	"gatecrawl.example/gatecrawl/mirror"
	"gatecrawl.example/gatecrawl/mirror/dust"
	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/testserver"
	"gatecrawl.example/gatecrawl/testserver/await"
	"gatecrawl.example/gatecrawl/testserver/env"
	"gatecrawl.example/gatecrawl/testserver/score"
	"gatecrawl.example/gatecrawl/testserver/slow"
)

// asNode has this test binary be a node: name, folder and engine, with spaces between.
const asNode = "GATECRAWL_TEST_CRAWL_NODE"

// short leases make short tests.
var short = owner.Options{Lease: 1500 * time.Millisecond, Margin: 300 * time.Millisecond, Beat: 300 * time.Millisecond, Slack: 100 * time.Millisecond}

// away is after how long the nodes of these tests take over from one that is gone.
const away = 4 * time.Second

func TestMain(m *testing.M) {
	if set := strings.Fields(os.Getenv(asNode)); len(set) == 3 {
		if err := beNode(set[0], set[1], set[2]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// beNode is a node until the process that started it closes the pipe or is gone.
func beNode(name, dir, server string) error {
	ctx, cancel := context.WithCancel(context.Background())
	go func() { // ends with the process
		io.Copy(io.Discard, os.Stdin)
		cancel()
	}()
	e, err := jetstream.Open(ctx, jetstream.Options{Servers: []string{server}})
	if err != nil {
		return err
	}
	defer e.Close()
	return node.Run(ctx, node.Options{Name: name, Dir: dir, Engine: e, Owner: short, Away: away, Snapshot: 200_000, Log: slog.New(slog.NewTextHandler(os.Stderr, nil))})
}

const delay = 20 * time.Millisecond

// startWeb starts a web, and returns it with the settings of its crawl.
func startWeb(t *testing.T) (*testserver.Web, []byte) {
	t.Helper()
	return startWebWith(t, 60, delay)
}

// startWebWith starts a web of so many pages a site, whose slow pages take as long as a hundred
// others of a host, or a second.
func startWebWith(t *testing.T, pages int, delay time.Duration) (*testserver.Web, []byte) {
	t.Helper()
	o := testserver.Demo()
	o.Hosts, o.Mirrors, o.Pages = 9, 1, pages
	o.CrawlDelay = min(o.CrawlDelay, 10*delay) // one site's; a crawl of the others is done sooner
	o.SlowDelay = min(o.SlowDelay, 100*delay)
	web, err := testserver.New(o)
	if err != nil {
		t.Fatal(err)
	}
	if err := web.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { web.Close() })
	s := configs.Default()
	s.URL, s.Delay, s.Workers = web.Seeds(), configs.Duration(delay), 4
	s.Mirrors, s.URLRulesLearn = mirror.ModeWatch, dust.LearnDefer
	if err := node.Refuse(&s); err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	if err := s.WriteYAML(&text); err != nil {
		t.Fatal(err)
	}
	return web, text.Bytes()
}

// open opens the common log.
func open(t *testing.T, e engine.Engine) *node.Cluster {
	t.Helper()
	c, err := node.Open(t.Context(), e)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// late is when a test gives up: a crawl among nodes that are killed takes minutes.
const late = time.Hour

// awaitNodes waits until so many nodes answer.
func awaitNodes(t *testing.T, c *node.Cluster, n int) []string {
	t.Helper()
	var here []string
	await.Until(t, late, func() (err error) {
		if here, err = c.Nodes(t.Context()); err != nil {
			t.Fatal(err)
		}
		if len(here) != n {
			return fmt.Errorf("%q answer, want %d nodes", here, n)
		}
		return nil
	})
	return here
}

// awaitPages waits until a job has that many pages, and returns how many it has then. A node may
// be about to open its partition, and does not answer meanwhile.
func awaitPages(t *testing.T, in gatecrawl.Inspector, n int64) (pages int64) {
	t.Helper()
	await.Until(t, late, func() error {
		s, err := in.Status(t.Context())
		if pages = s.Pages; err == nil && pages < n {
			err = fmt.Errorf("%d pages, want %d", pages, n)
		}
		return err
	})
	return pages
}

// awaitState waits until a job is in a state.
func awaitState(t *testing.T, c *node.Cluster, job string, want node.State) *node.Job {
	t.Helper()
	var j *node.Job
	await.Until(t, late, func() (err error) {
		if j, err = c.Job(t.Context(), job); err == nil && j.State != want {
			err = fmt.Errorf("job %s: %v, want %v", job, j.State, want)
		}
		return err
	})
	return j
}

// answered asks until every node answers: one that was killed as the job got done is on its way
// back, or what it had on its way to another.
func answered(t *testing.T, ask func() error) {
	t.Helper()
	await.Until(t, time.Minute, func() error {
		err := ask()
		if err != nil && !rpc.IsAway(err) {
			t.Fatal(err)
		}
		return err
	})
}

// judge compares what a job says with what is so of its web, and with the web's own log.
func judge(t *testing.T, web *testserver.Web, in gatecrawl.Inspector, again int) {
	t.Helper()
	judgeWith(t, web, in, delay, again)
}

func judgeWith(t *testing.T, web *testserver.Web, in gatecrawl.Inspector, delay time.Duration, again int) {
	t.Helper()
	var records []score.Record
	var twice map[string]int
	var unread map[string]string // why a page has no status
	answered(t, func() error {
		records, twice, unread = nil, make(map[string]int), make(map[string]string)
		return in.Pages(t.Context(), 1, func(p page.Record) error {
			twice[p.URL]++
			if p.Status == 0 {
				unread[p.URL] = p.Reason
			}
			if p.Status > 0 {
				records = append(records, score.Record{URL: p.URL, Copy: p.Verdict == page.VerdictCopy, Of: p.Of, Level: p.Level, Class: score.Class(p.Class)})
			}
			return nil
		})
	})
	r := web.Score(records)
	if len(r.Missed) > 0 || len(r.Forbidden) > 0 || r.Exact.Precision() != 1 || r.Exact.Recall() != 1 || r.Near.Precision() != 1 || r.Near.Recall() != 1 {
		t.Errorf("exact %+v, near %+v, missed %v, forbidden %v", r.Exact, r.Near, r.Missed, r.Forbidden)
	}
	for _, u := range r.Missed {
		t.Logf("missed %s: it has %d records; %s", u, twice[u], unread[u])
	}
	for u, n := range twice {
		if n > 1 {
			t.Errorf("%s has %d records", u, n)
		}
	}
	fetched := 0
	for _, s := range web.Traffic() {
		if s.Requests > 1 && s.MinGap < delay-delay/10 || s.Concurrent > 1 {
			t.Errorf("%s: %v between two requests, %d at once; want %v", s.Site, s.MinGap, s.Concurrent, delay)
		}
		for path, n := range s.Paths {
			if n > 1 && path != "/robots.txt" {
				fetched += n - 1
			}
		}
	}
	if fetched > again {
		t.Errorf("%d pages were fetched again, want at most %d", fetched, again)
	}
	answered(t, func() error {
		_, err := in.Verify(t.Context(), func(b gatecrawl.Breach) error {
			t.Errorf("breach: %s: %s", b.Invariant, b.Detail)
			return nil
		})
		return err
	})
	t.Logf("%d records; exact copies %+v, near %+v; %d pages fetched again", len(records), r.Exact, r.Near, fetched)
}

// TestThreeNodesCrawlAsOneMachineDoes: copies are found across nodes, each page is fetched by
// one, no host is asked early; pause, stop, resume and more seeds reach all of them.
func TestThreeNodesCrawlAsOneMachineDoes(t *testing.T) {
	slow.Test(t, "crawls a web with three nodes")
	web, settings := startWeb(t)
	net := mem.NewNet(mem.Options{})
	t.Cleanup(net.Close)
	dir := t.TempDir()
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 3)
	for i := range 3 {
		name := fmt.Sprint("node-", i)
		e := net.Join(name)
		go func() { // ends with stop
			ended <- node.Run(ctx, node.Options{Name: name, Dir: filepath.Join(dir, name), Engine: e, Owner: short})
		}()
	}
	e := net.Join("client")
	c := open(t, e)
	nodes := awaitNodes(t, c, 3)
	if err := c.Start(t.Context(), "news", settings, nodes); err != nil {
		t.Fatal(err)
	}
	if err := c.Start(t.Context(), "news", settings, nodes); err == nil {
		t.Error("a job starts twice")
	}
	if err := c.Pause(t.Context(), "none"); !errors.Is(err, node.ErrNoJob) {
		t.Errorf("Pause of no job: %v", err)
	}
	in := awaitState(t, c, "news", node.Running).Inspect(e)
	awaitPages(t, in, 50)
	for range 5 { // a node may see nothing of some of these stops
		if err := c.Stop(t.Context(), "news"); err != nil {
			t.Fatal(err)
		}
		if err := c.Resume(t.Context(), "news"); err != nil {
			t.Fatal(err)
		}
	}
	awaitState(t, c, "news", node.Done)
	if err := c.Stop(t.Context(), "news"); err == nil {
		t.Error("a job is stopped that is done")
	}
	judge(t, web, in, 5*3*4)
	stop()
	for range 3 {
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
}

// A process is a node in a process of its own.
type process struct {
	name, dir, server string
	cmd               *exec.Cmd
	in                io.Closer
}

func (p *process) start(t *testing.T) {
	t.Helper()
	p.cmd = exec.Command(os.Args[0])
	p.cmd.Env = append(os.Environ(), asNode+"="+strings.Join([]string{p.name, p.dir, p.server}, " "))
	var err error
	if p.in, err = p.cmd.StdinPipe(); err == nil {
		err = p.cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
}

func (p *process) kill(how syscall.Signal) {
	p.cmd.Process.Signal(how)
	if how == syscall.SIGKILL {
		p.cmd.Wait() // says that it was killed
	}
}

// killRounds returns how many kills and stops GATECRAWL_KILLS asks for, 5 without it, and what
// draws them.
func killRounds(t *testing.T) (rounds int, draw *rand.Rand) {
	t.Helper()
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	return env.Number(t, "GATECRAWL_KILLS", 5), rand.New(rand.NewPCG(seed, 1))
}

// TestKilledNodesLoseNothing: nodes are killed and started again, or stopped past their lease,
// while they crawl: the records are those of an undisturbed crawl, and what is fetched again
// was in hand or given back. GATECRAWL_KILLS sets the rounds.
func TestKilledNodesLoseNothing(t *testing.T) {
	slow.Test(t, "kills nodes while they crawl")
	rounds, draw := killRounds(t)
	web, settings := startWeb(t)
	e, address := startEngine(t)
	dir := t.TempDir()
	var all []*process
	for i := range 3 {
		name := fmt.Sprint("node-", i)
		p := &process{name: name, dir: filepath.Join(dir, name), server: address}
		p.start(t)
		t.Cleanup(func() { p.kill(syscall.SIGKILL) })
		all = append(all, p)
	}
	c := open(t, e)
	if err := c.Start(t.Context(), "news", settings, awaitNodes(t, c, 3)); err != nil {
		t.Fatal(err)
	}
	in := awaitState(t, c, "news", node.Running).Inspect(e)
	kills, stops := 0, 0
	for range rounds {
		if j, err := c.Job(t.Context(), "news"); err == nil && j.State == node.Done {
			break
		}
		time.Sleep(time.Duration(500+draw.IntN(1500)) * time.Millisecond) // a node is killed at any point of a crawl
		p := all[draw.IntN(len(all))]
		if draw.IntN(3) == 0 {
			stops++
			p.kill(syscall.SIGSTOP)
			time.Sleep(2 * short.Lease) // it is about a lease that runs out
			p.kill(syscall.SIGCONT)
			continue
		}
		kills++
		p.kill(syscall.SIGKILL)
		p.start(t)
	}
	awaitState(t, c, "news", node.Done)
	t.Logf("%d nodes killed, %d stopped past their lease", kills, stops)
	// Four may be in hand of each. A page with the bytes of one at a node that does not answer is
	// given back and asked for again, once in the 2 s for which its host rests: as many more.
	judge(t, web, in, 2*4*(kills+stops))
}

// TestWhatNodesCannotDoIsRefused: with the setting, and why.
func TestWhatNodesCannotDoIsRefused(t *testing.T) {
	s := configs.Default()
	if err := node.Refuse(&s); err != nil {
		t.Errorf("Refuse of the defaults: %v", err)
	}
	s.MaxPages, s.Topic, s.Hosts, s.Categories = 10, "clocks", "hosts.yaml", "model.json"
	s.URLRules, s.Known, s.HeaderNames = []string{"rules.json"}, []string{"older"}, []string{"example.org:Cookie"}
	err := node.Refuse(&s)
	for _, want := range []string{"max-pages", "topic", "hosts", "categories", "url-rules", "known", "header"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Refuse = %v, want %s in it", err, want)
		}
	}
}
