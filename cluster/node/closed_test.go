package node_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httputil"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"gatecrawl.example/gatecrawl/cluster/engine"
	"gatecrawl.example/gatecrawl/cluster/engine/mem"
	"gatecrawl.example/gatecrawl/cluster/node"
	"gatecrawl.example/gatecrawl/crawl"
	"gatecrawl.example/gatecrawl/testserver/await"
	"gatecrawl.example/gatecrawl/testserver/slow"
)

// TestANodeThatCannotWriteSaysSo: the list of nodes and the status of the job say which node cannot
// write, and what to do; when the disk has room again the job goes on by itself.
func TestANodeThatCannotWriteSaysSo(t *testing.T) {
	const locked = "/sys/kernel" // where no one can make a folder
	if _, err := os.Stat(locked); err != nil {
		t.Skip("this system has no folder that root cannot write to: ", err)
	}
	const delay = 2 * time.Millisecond
	web, settings := startWebWith(t, 20, delay)
	net := mem.NewNet(mem.Options{})
	t.Cleanup(net.Close)
	dir := t.TempDir()
	blocked := filepath.Join(dir, "two", "jobs")
	if err := errors.Join(os.Mkdir(filepath.Dir(blocked), 0o700), os.Symlink(locked, blocked)); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 2)
	for _, name := range []string{"one", "two"} {
		e := net.Join(name)
		go func() { // ends with stop
			ended <- node.Run(ctx, node.Options{Name: name, Dir: filepath.Join(dir, name), Engine: e, Owner: short, Crawl: crawl.Options{Version: "1.2.3"}})
		}()
	}
	e := net.Join("client")
	c := open(t, e)
	if err := c.Start(t.Context(), "news", settings, awaitNodes(t, c, 2)); err != nil {
		t.Fatal(err)
	}
	in := awaitState(t, c, "news", node.Running).Inspect(e)
	var away []string
	await.Until(t, 20*time.Second, func() error {
		s, err := in.Status(t.Context())
		if away = s.Away; err != nil || len(away) != 1 || !strings.Contains(away[0], "cannot write") {
			return fmt.Errorf("Status: %q, %v", away, err)
		}
		return nil
	})
	const what = "node two, which has partition 1 of job news, cannot write: "
	if !strings.HasPrefix(away[0], what) || !strings.HasSuffix(away[0], "crawl node drain two") {
		t.Errorf("Status says %q", away[0])
	}
	await.Until(t, 20*time.Second, func() error { // node one is opening its partition
		nodes, err := c.List(t.Context())
		if err != nil || len(nodes) != 2 || !nodes[1].Up || !strings.HasPrefix(nodes[1].Closed["news"], "cannot write") || len(nodes[0].Closed) > 0 || nodes[0].Version != "1.2.3" {
			return fmt.Errorf("List = %+v, %v", nodes, err)
		}
		return nil
	})
	if err := os.Remove(blocked); err != nil {
		t.Fatal(err)
	}
	awaitState(t, c, "news", node.Done)
	judgeWith(t, web, in, delay, 0)
	if nodes, err := c.List(t.Context()); err != nil || len(nodes[1].Closed) > 0 {
		t.Errorf("List = %+v, %v", nodes, err)
	}
	stop()
	for range 2 {
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
}

// TestWhileTheProxyIsAwayTheJobAnswers: a proxy that does not answer closes no partition, status says
// why nothing is fetched, and the job goes on when the proxy is there.
func TestWhileTheProxyIsAwayTheJobAnswers(t *testing.T) {
	t.Parallel()
	gone, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	at := gone.Addr().String()
	gone.Close()
	_, settings := startWebWith(t, 20, 2*time.Millisecond)
	between := mem.NewNet(mem.Options{})
	t.Cleanup(between.Close)
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	one := between.Join("one")
	go func() { // ends with stop
		ended <- node.Run(ctx, node.Options{Name: "one", Dir: t.TempDir(), Engine: one, Owner: short})
	}()
	e := between.Join("client")
	c := open(t, e)
	settings = regexp.MustCompile(`(?m)^proxy:.*$`).ReplaceAll(settings, []byte("proxy: http://"+at))
	if err := c.Start(t.Context(), "news", settings, awaitNodes(t, c, 1)); err != nil {
		t.Fatal(err)
	}
	in := awaitState(t, c, "news", node.Running).Inspect(e)
	want := "node one fetches nothing: proxy http://" + at + " does not answer"
	await.Until(t, 20*time.Second, func() error {
		s, err := in.Status(t.Context())
		if err != nil || len(s.Away) > 0 || len(s.Resting) != 1 || !strings.HasPrefix(s.Resting[0], want) {
			return fmt.Errorf("Status: away %q, resting %q, %v; want %s", s.Away, s.Resting, err, want)
		}
		return nil
	})
	l, err := net.Listen("tcp", at)
	if err != nil {
		t.Fatal(err)
	}
	proxy := &http.Server{Handler: &httputil.ReverseProxy{Rewrite: func(*httputil.ProxyRequest) {}}}
	go proxy.Serve(l) // ends in Close
	defer proxy.Close()
	awaitState(t, c, "news", node.Done)
	if s, err := in.Status(t.Context()); err != nil || len(s.Resting) > 0 || s.New == 0 {
		t.Errorf("Status at the end: resting %q, %d new, %v", s.Resting, s.New, err)
	}
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// A leaderless engine takes nothing for one log while it is told to.
type leaderless struct {
	engine.Engine
	log  string
	away *atomic.Bool
}

func (e leaderless) Log(ctx context.Context, name string) (engine.Log, error) {
	l, err := e.Engine.Log(ctx, name)
	if err == nil && name == e.log {
		l = leaderlessLog{l, e.away}
	}
	return l, err
}

type leaderlessLog struct {
	engine.Log
	away *atomic.Bool
}

func (l leaderlessLog) Append(ctx context.Context, after uint64, e engine.Entry) (uint64, error) {
	if l.away.Load() {
		return 0, errors.New("nobody leads it")
	}
	return l.Log.Append(ctx, after, e)
}

// TestALogThatTheEngineTakesNothingForIsNamed: before partitions are open and while they are crawled, the
// job's status names the log, and the job goes on when the engine takes entries again.
func TestALogThatTheEngineTakesNothingForIsNamed(t *testing.T) {
	slow.Test(t, "waits twice for longer than elections take")
	t.Parallel()
	web, settings := startWeb(t)
	between := mem.NewNet(mem.Options{})
	t.Cleanup(between.Close)
	const log = "job-news-p0"
	var away atomic.Bool
	away.Store(true)
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	one := leaderless{between.Join("one"), log, &away}
	go func() { // ends with stop
		ended <- node.Run(ctx, node.Options{Name: "one", Dir: t.TempDir(), Engine: one, Owner: short})
	}()
	e := between.Join("client")
	c := open(t, e)
	if err := c.Start(t.Context(), "news", settings, awaitNodes(t, c, 1)); err != nil {
		t.Fatal(err)
	}
	in := awaitState(t, c, "news", node.Running).Inspect(e)
	why := regexp.MustCompile(`for \d+s the engine has taken nothing for log ` + log + `: .*nobody leads it`)
	await.Until(t, time.Minute, func() error {
		_, err := in.Status(t.Context())
		if err == nil || !strings.Contains(err.Error(), "node one, which has partition 0 of job news, cannot open it yet: ") || !why.MatchString(err.Error()) {
			return fmt.Errorf("Status of a job that is not open: %v", err)
		}
		return nil
	})
	away.Store(false)
	awaitPages(t, in, 1)
	away.Store(true)
	await.Until(t, time.Minute, func() error {
		s, err := in.Status(t.Context())
		if err != nil || len(s.Resting) != 1 || !strings.HasPrefix(s.Resting[0], "node one fetches nothing: ") || !why.MatchString(s.Resting[0]) {
			return fmt.Errorf("Status of a job that is open: away %q, resting %q, %v", s.Away, s.Resting, err)
		}
		return nil
	})
	away.Store(false)
	awaitState(t, c, "news", node.Done)
	if s, err := in.Status(t.Context()); err != nil || len(s.Resting) > 0 {
		t.Errorf("Status at the end: resting %q, %v", s.Resting, err)
	}
	judge(t, web, in, 4)
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// TestADrainedNodeForgetsWhatItCouldNotOpen: the list of nodes would say for ever that it cannot
// write partitions that the other nodes have.
func TestADrainedNodeForgetsWhatItCouldNotOpen(t *testing.T) {
	_, settings := startWebWith(t, 20, 2*time.Millisecond)
	net := mem.NewNet(mem.Options{})
	t.Cleanup(net.Close)
	dir := t.TempDir()
	if err := errors.Join(os.Mkdir(filepath.Join(dir, "two"), 0o700), os.WriteFile(filepath.Join(dir, "two", "jobs"), nil, 0o600)); err != nil { // no folder
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 2)
	for _, name := range []string{"one", "two"} {
		e := net.Join(name)
		go func() { // ends with stop
			ended <- node.Run(ctx, node.Options{Name: name, Dir: filepath.Join(dir, name), Engine: e, Owner: short})
		}()
	}
	c := open(t, net.Join("client"))
	if err := c.Start(t.Context(), "news", settings, awaitNodes(t, c, 2)); err != nil {
		t.Fatal(err)
	}
	closed := func(want bool) {
		t.Helper()
		await.Until(t, 20*time.Second, func() error {
			nodes, err := c.List(t.Context())
			if err != nil || len(nodes) != 2 || strings.HasPrefix(nodes[1].Closed["news"], "cannot open it") != want {
				return fmt.Errorf("List = %+v, %v", nodes, err)
			}
			return nil
		})
	}
	closed(true)
	if _, err := c.Drain(t.Context(), "two"); err != nil {
		t.Fatal(err)
	}
	closed(false)
	stop()
	for range 2 {
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
}

// TestANodeOfAnotherVersionIsRefused: it would share partitions, and never hear of the others' pages.
func TestANodeOfAnotherVersionIsRefused(t *testing.T) {
	net := mem.NewNet(mem.Options{})
	t.Cleanup(net.Close)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	ended := make(chan error, 1)
	one := net.Join("one")
	go func() { // ends with stop
		ended <- node.Run(ctx, node.Options{Name: "one", Dir: t.TempDir(), Engine: one, Owner: short})
	}()
	e := net.Join("client")
	c := open(t, e)
	awaitNodes(t, c, 1)
	stop()
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	silent, err := net.Join("old").Serve("node.one", func(context.Context, []byte) ([]byte, error) { return nil, nil }) // as nodes of before answered
	if err != nil {
		t.Fatal(err)
	}
	defer silent()
	err = node.Run(t.Context(), node.Options{Name: "two", Dir: t.TempDir(), Engine: net.Join("two"), Owner: short})
	if !errors.Is(err, node.ErrOtherVersion) || !strings.Contains(err.Error(), "node one answers, and has an earlier version") {
		t.Errorf("Run beside a node of another version: %v", err)
	}
	if here, err := c.Nodes(t.Context()); err != nil || len(here) > 0 {
		t.Errorf("Nodes = %v, %v; want none that could have partitions", here, err)
	}
	if all, err := c.List(t.Context()); err != nil || len(all) != 1 || !all[0].Up || !all[0].Other {
		t.Errorf("List = %+v, %v", all, err)
	}
}

// TestANodeOfOtherSettingsIsRefused: one would take over what the others wait for, or keep copies
// that no other has.
func TestANodeOfOtherSettingsIsRefused(t *testing.T) {
	net := mem.NewNet(mem.Options{})
	t.Cleanup(net.Close)
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	one := net.Join("one")
	go func() { // ends with stop
		ended <- node.Run(ctx, node.Options{Name: "one", Dir: t.TempDir(), Engine: one, Owner: short, Away: time.Minute, Standby: true})
	}()
	c := open(t, net.Join("client"))
	awaitNodes(t, c, 1)
	for _, other := range []struct {
		o    node.Options
		want string
	}{
		{node.Options{Away: 30 * time.Second, Standby: true}, "node two: node one answers, and has --away 1m0s in place of 30s: all nodes of a cluster need the same --away and --standby: start this one"},
		{node.Options{}, "node two: node one answers, and runs with --standby: all nodes of a cluster need the same"},
	} {
		o := other.o
		o.Name, o.Dir, o.Engine, o.Owner = "two", t.TempDir(), net.Join("two"), short
		if err := node.Run(t.Context(), o); !errors.Is(err, node.ErrOtherSettings) || !strings.HasPrefix(err.Error(), other.want) {
			t.Errorf("Run beside a node of other settings: %v, want %q", err, other.want)
		}
	}
	if here, err := c.Nodes(t.Context()); err != nil || len(here) != 1 {
		t.Errorf("Nodes = %v, %v; want one", here, err)
	}
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
