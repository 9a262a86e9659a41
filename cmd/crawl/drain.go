package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"gatecrawl.example/gatecrawl/cluster/jetstream"
	"gatecrawl.example/gatecrawl/cluster/node"
	"gatecrawl.example/gatecrawl/cmd/crawl/internal/cli"
	"gatecrawl.example/gatecrawl/cmd/crawl/internal/console"
	"gatecrawl.example/gatecrawl/humanize"
)

func newDrain() *cobra.Command {
	var c cli.Cluster
	cmd := &cobra.Command{
		Use:   "drain NODE",
		Short: "Move the partitions of a node to the others",
		Long: `drain moves the partitions of a node to the other nodes that answer, while their jobs go
on, and waits until that is done. The node finishes its pages in hand before it gives a
partition up. It can be stopped afterwards. It gets no partitions until it is started again
and crawl node spread gives it some.`,
		Example: "  crawl node drain --cluster 127.0.0.1:4222 two",
		Args:    cobra.ExactArgs(1),
	}
	c.Flags(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		return movePartitions(cmd, &c, func(ctx context.Context, all *node.Cluster) (int, error) { return all.Drain(ctx, args[0]) })
	}
	return cmd
}

func newRemove() *cobra.Command {
	var c cli.Cluster
	cmd := &cobra.Command{
		Use:   "remove NODE",
		Short: "Take a node that is gone for good off the list of nodes",
		Long: `remove takes a node off the list of nodes, after it has moved the partitions that the node
still has to the others, as crawl node drain does. A node that answers is refused: stop it
first. With --standby the other nodes no longer count on it to keep copies. Its folder
stays on its disk. Started again, the node is listed again.`,
		Example: "  crawl node remove --cluster 127.0.0.1:4222 two",
		Args:    cobra.ExactArgs(1),
	}
	c.Flags(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		return movePartitions(cmd, &c, func(ctx context.Context, all *node.Cluster) (int, error) { return all.Remove(ctx, args[0]) })
	}
	return cmd
}

func newSpread() *cobra.Command {
	var c cli.Cluster
	cmd := &cobra.Command{
		Use:   "spread",
		Short: "Spread the partitions of all jobs over the nodes",
		Long: `spread moves partitions so that all nodes that answer have the same number of each job's,
for instance after nodes were added. The number of a job's partitions never changes: if
there are more nodes than partitions, some nodes get none.`,
		Example: "  crawl node spread --cluster 127.0.0.1:4222",
		Args:    cobra.NoArgs,
	}
	c.Flags(cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		return movePartitions(cmd, &c, func(ctx context.Context, all *node.Cluster) (int, error) { return all.Spread(ctx) })
	}
	return cmd
}

// movePartitions moves partitions, and waits until they have arrived.
func movePartitions(cmd *cobra.Command, c *cli.Cluster, move func(context.Context, *node.Cluster) (int, error)) error {
	if !c.Given() {
		return cli.Usagef("--cluster is missing")
	}
	screen := console.NewScreen(cmd.ErrOrStderr())
	ctx, stop := cli.UntilInterrupt(cmd.Context(), screen, "the partitions go on moving without this command", func() {})
	defer stop()
	return c.With(ctx, func(_ *jetstream.Engine, all *node.Cluster) error {
		moved, err := move(ctx, all)
		if err != nil {
			return err
		}
		if moved > 0 {
			fmt.Fprintf(screen, "%s to be moved\n", humanize.Many(int64(moved), "partition is", "partitions are"))
		}
		if err := all.Settled(ctx); err != nil {
			return err
		}
		fmt.Fprintln(screen, "all partitions are at their nodes")
		return nil
	})
}
