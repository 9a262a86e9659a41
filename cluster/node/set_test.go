package node_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"gatecrawl.example/gatecrawl"
	"gatecrawl.example/gatecrawl/cluster/engine/mem"
	"gatecrawl.example/gatecrawl/cluster/node"
	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/testserver/await"
)

// run runs a node until stop is called.
func run(t *testing.T, net *mem.Net, name, dir string) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	e := net.Join(name)
	go func() { // ends with stop
		ended <- node.Run(ctx, node.Options{Name: name, Dir: dir, Engine: e, Owner: short})
	}()
	return func() {
		t.Helper()
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("node %s: %v", name, err)
		}
	}
}

// TestTheSettingsOfAJobThatRunsAreChanged: with its first delay the job would take minutes.
func TestTheSettingsOfAJobThatRunsAreChanged(t *testing.T) {
	t.Parallel()
	_, settings := startWebWith(t, 20, 1500*time.Millisecond)
	net := mem.NewNet(mem.Options{})
	t.Cleanup(net.Close)
	for _, name := range []string{"one", "two"} {
		defer run(t, net, name, t.TempDir())()
	}
	e := net.Join("client")
	c := open(t, e)
	if err := c.Start(t.Context(), "news", settings, awaitNodes(t, c, 2)); err != nil {
		t.Fatal(err)
	}
	j := awaitState(t, c, "news", node.Running)
	awaitPages(t, j.Inspect(e), 5)
	short := 2 * time.Millisecond
	s, state, err := c.Set(t.Context(), "news", gatecrawl.Change{Delay: &short, Exclude: []string{"/private/", `\.html\?`}})
	if err != nil || state != node.Running || time.Duration(s.Delay) != short || len(s.Exclude) != 2 {
		t.Fatalf("Set = delay %v, exclude %q, %s, %v", s.Delay, s.Exclude, state, err)
	}
	awaitState(t, c, "news", node.Done)
	pages := 0
	answered(t, func() error {
		pages = 0
		return j.Inspect(e).Pages(t.Context(), 1, func(p page.Record) error {
			if pages++; strings.Contains(p.URL, ".html?") && p.Status != 0 {
				t.Errorf("%s was fetched, and is excluded", p.URL)
			}
			return nil
		})
	})
	if pages < 100 {
		t.Errorf("%d pages, want all of the web", pages)
	}
	if s, _, err := c.Set(t.Context(), "news", gatecrawl.Change{}); err != nil || time.Duration(s.Delay) != short {
		t.Errorf("the settings are delay %v, %v", s.Delay, err)
	}
	none := 0
	if _, _, err := c.Set(t.Context(), "news", gatecrawl.Change{Workers: &none}); err == nil || !strings.Contains(err.Error(), "workers are 0") {
		t.Errorf("Set no workers: %v", err)
	}
	if _, _, err := c.Set(t.Context(), "sports", gatecrawl.Change{}); !errors.Is(err, node.ErrNoJob) || !strings.Contains(err.Error(), "it has news") {
		t.Errorf("Set of a job that is not there: %v", err)
	}
}

func TestANodeIsNamedAfterItsMachine(t *testing.T) {
	for machine, want := range map[string]string{"web1": "web1", "web1.example.org": "web1-example-org", "büro_2": "b-ro_2"} {
		if got := node.NameOf(machine); got != want || node.CheckName(got) != nil {
			t.Errorf("NameOf(%s) = %s, want %s", machine, got, want)
		}
	}
}

// TestANodeThatIsGoneForGoodIsRemoved: its partitions go to the others, the list forgets it, and it
// comes back by being started again.
func TestANodeThatIsGoneForGoodIsRemoved(t *testing.T) {
	t.Parallel()
	_, settings := startWebWith(t, 20, 2*time.Millisecond)
	net := mem.NewNet(mem.Options{})
	t.Cleanup(net.Close)
	defer run(t, net, "one", t.TempDir())()
	dir := t.TempDir()
	stop := run(t, net, "two", dir)
	e := net.Join("client")
	c := open(t, e)
	if err := c.Start(t.Context(), "news", settings, awaitNodes(t, c, 2)); err != nil {
		t.Fatal(err)
	}
	awaitState(t, c, "news", node.Done)
	if _, err := c.Remove(t.Context(), "two"); !errors.Is(err, node.ErrAnswers) {
		t.Errorf("Remove of a node that answers: %v", err)
	}
	stop()
	if moved, err := c.Remove(t.Context(), "two"); err != nil || moved != 1 {
		t.Errorf("Remove = %d partitions, %v; want that one moves", moved, err)
	}
	if _, err := c.Remove(t.Context(), "two"); !errors.Is(err, node.ErrNoNode) {
		t.Errorf("Remove of a node that is removed: %v", err)
	}
	if all, err := c.List(t.Context()); err != nil || len(all) != 1 || len(all[0].Jobs["news"]) != 2 {
		t.Errorf("List = %+v, %v; want one node with both partitions", all, err)
	}
	if err := c.Settled(t.Context()); err != nil {
		t.Error(err)
	}
	answered(t, func() error {
		s, err := awaitState(t, c, "news", node.Done).Inspect(e).Status(t.Context())
		if err == nil && len(s.Away) > 0 {
			err = fmt.Errorf("away: %q", s.Away)
		}
		return err
	})
	defer run(t, net, "two", dir)()
	await.Until(t, time.Minute, func() error {
		all, err := c.List(t.Context())
		if err != nil || len(all) != 2 || all[1].Drained {
			return fmt.Errorf("List = %+v, %v; want both nodes, and none drained", all, err)
		}
		return nil
	})
}
