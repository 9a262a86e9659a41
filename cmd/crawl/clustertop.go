package main

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/spf13/cobra"

	"gatecrawl.example/gatecrawl"
	"gatecrawl.example/gatecrawl/cluster/jetstream"
	"gatecrawl.example/gatecrawl/cluster/node"
	"gatecrawl.example/gatecrawl/cmd/crawl/internal/cli"
	"gatecrawl.example/gatecrawl/control"
	"gatecrawl.example/gatecrawl/frontier"
)

// A clusterTop is what crawl top shows of a job of a cluster.
type clusterTop struct {
	engine *jetstream.Engine
	all    *node.Cluster
	job    string
	by     string
	limit  int
}

func topOfCluster(cmd *cobra.Command, at *cli.Cluster, t clusterTop, asJSON bool) error {
	if t.by == "rate" {
		return cli.Usagef("--sort rate does not go with --cluster: nodes tell no rates of single hosts")
	}
	return at.With(cmd.Context(), func(e *jetstream.Engine, all *node.Cluster) error {
		t.engine, t.all = e, all
		return t.show(cmd, asJSON)
	})
}

func (t *clusterTop) show(cmd *cobra.Command, asJSON bool) error {
	if !asJSON {
		return showLines(cmd, t.lines)
	}
	_, st, err := t.status(cmd.Context())
	if err != nil {
		return err
	}
	return json.NewEncoder(cmd.OutOrStdout()).Encode(st)
}

// status returns the status of a job that runs. The error is control.ErrNotRunning if it does not.
func (t *clusterTop) status(ctx context.Context) (gatecrawl.Inspector, gatecrawl.Status, error) {
	j, err := t.all.Job(ctx, t.job)
	if err != nil {
		return nil, gatecrawl.Status{}, err
	}
	in := j.Inspect(t.engine)
	st, err := in.Status(ctx)
	if err == nil && !st.Running {
		err = fmt.Errorf("job %s is %s, and %w: crawl status --cluster shows what it has", t.job, j.State, control.ErrNotRunning)
	}
	return in, st, err
}

// lines returns the lines of the screen. Hosts of nodes that do not answer are left out with them.
func (t *clusterTop) lines(ctx context.Context, width int) ([]string, error) {
	in, st, err := t.status(ctx)
	if err != nil {
		return nil, err
	}
	lines := wrapped(clusterLines(st, nil), width)
	by := frontier.HostOrder(t.by)
	if t.by == "errors" {
		by = frontier.HostsByFailures
	}
	hosts, err := in.Hosts(ctx, gatecrawl.HostQuery{By: by, Limit: t.limit})
	if err != nil {
		return append(lines, "", "no hosts now: "+err.Error()), nil
	}
	return hostLines(lines, hosts, nil, t.by, st.Harvest != nil, width)
}
