package node

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"gatecrawl.example/gatecrawl/cluster/plan"
	"gatecrawl.example/gatecrawl/store"
)

var (
	// ErrNoNode says that the cluster has never had a node with this name.
	ErrNoNode = errors.New("the cluster has no such node")

	// ErrAlone says that there is no other node to move the partitions to.
	ErrAlone = errors.New("no other node answers that could take its partitions")

	// ErrAnswers says that a node is not gone.
	ErrAnswers = errors.New("it answers: stop it first")

	// errMoved says that the partitions were moved by another process in the meantime.
	errMoved = errors.New("the partitions were moved meanwhile")
)

// Spread distributes the partitions of all jobs evenly over the nodes that answer, and moves as few
// of them as possible. It returns how many move, as soon as that is in the log; Settled waits until
// they are open.
func (c *Cluster) Spread(ctx context.Context) (moved int, err error) {
	return c.replan(ctx, func(v *view) ([]string, bool) { return c.answering(ctx, v), true })
}

// Drain moves the partitions of a node to the others that answer. The node gets no partitions until
// it is started again. It returns as Spread does.
func (c *Cluster) Drain(ctx context.Context, name string) (moved int, err error) {
	v, _, err := c.read(ctx)
	if err != nil {
		return 0, err
	}
	if !v.nodes[name] {
		return 0, fmt.Errorf("node %s: %w", name, ErrNoNode)
	}
	if others := slices.DeleteFunc(c.answering(ctx, v), func(o string) bool { return o == name }); len(others) == 0 {
		return 0, fmt.Errorf("node %s: %w", name, ErrAlone)
	}
	if err := c.say(ctx, entry{Kind: kindDrain, Node: name}, func(*view) error { return nil }); err != nil {
		return 0, err
	}
	return c.Spread(ctx)
}

// Remove takes a node that is gone for good off the list of nodes, after its partitions, if it has any,
// were moved as by Drain. A node that turns out not to be gone, or is started again, is listed again.
func (c *Cluster) Remove(ctx context.Context, name string) (moved int, err error) {
	v, _, err := c.read(ctx)
	switch {
	case err != nil:
		return 0, err
	case !v.nodes[name]:
		return 0, fmt.Errorf("node %s: %w", name, ErrNoNode)
	case c.answers(ctx, name):
		return 0, fmt.Errorf("node %s: %w", name, ErrAnswers)
	}
	if err := c.understood(ctx, v); err != nil {
		return 0, err
	}
	if v.has(name) {
		if moved, err = c.Drain(ctx, name); err != nil {
			return moved, err
		}
	}
	return moved, c.say(ctx, entry{Kind: kindRemove, Node: name}, func(v *view) error {
		if v.has(name) {
			return fmt.Errorf("node %s: %w", name, errMoved)
		}
		return nil
	})
}

// has reports whether a node has partitions.
func (v *view) has(name string) bool {
	for _, j := range v.jobs {
		if slices.Contains(j.Nodes, name) {
			return true
		}
	}
	return false
}

// replan assigns the partitions of all jobs to the nodes that the function returns. If ok is false
// nothing is done.
func (c *Cluster) replan(ctx context.Context, nodes func(*view) (names []string, ok bool)) (moved int, err error) {
	for {
		v, _, err := c.read(ctx)
		if err != nil {
			return moved, err
		}
		names, ok := nodes(v)
		if !ok || len(names) == 0 {
			return moved, nil
		}
		for _, name := range slices.Sorted(maps.Keys(v.jobs)) {
			var n int
			if n, err = c.move(ctx, v, v.jobs[name], names); err != nil {
				break
			}
			moved += n
		}
		if !errors.Is(err, errMoved) {
			return moved, err
		}
	}
}

// move assigns the partitions of a job to nodes, if they are still where j says. Partitions of a
// node that does not answer go to its standby first.
func (c *Cluster) move(ctx context.Context, v *view, j *Job, nodes []string) (moved int, err error) {
	parts := make([]plan.Partition, len(j.Nodes))
	for i, at := range j.Nodes {
		if parts[i].Owner = at; !slices.Contains(nodes, at) {
			parts[i].Owner = v.standby(at)
		}
	}
	to := plan.Assign(parts, nodes)
	for i, at := range j.Nodes {
		if to[i] != at {
			moved++
		}
	}
	if moved == 0 {
		return 0, nil
	}
	return moved, c.change(ctx, entry{Kind: kindMove, Job: j.Name, Nodes: to}, func(now *Job) error {
		if !slices.Equal(now.Nodes, j.Nodes) {
			return errMoved
		}
		return nil
	})
}

// lookAgain is the time between two looks of Settled.
const lookAgain = 100 * time.Millisecond

// Settled waits until all partitions are owned by the nodes that the log names.
func (c *Cluster) Settled(ctx context.Context) error {
	for {
		v, _, err := c.read(ctx)
		if err != nil {
			return err
		}
		settled := true
		for _, j := range v.jobs {
			for _, l := range logsOf(j) {
				if owned, err := c.owned(ctx, l.name, l.node); err != nil {
					return err
				} else if !owned {
					settled = false
				}
			}
		}
		if settled {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(lookAgain):
		}
	}
}

// owned reports whether a node owns a log, according to its last entry.
func (c *Cluster) owned(ctx context.Context, log, node string) (bool, error) {
	l, err := c.engine.Log(ctx, log)
	if err != nil {
		return false, err
	}
	_, last, err := l.Last(ctx)
	return strings.HasPrefix(last.Owner, node+"/"), err
}

// A placedLog is a log, and the node that has to own it.
type placedLog struct{ name, node string }

// logsOf returns the logs of a job's partitions and of its gate.
func logsOf(j *Job) (all []placedLog) {
	for i, at := range j.Nodes {
		all = append(all, placedLog{logOf(j.Name, uint32(i)), at})
	}
	return append(all, placedLog{logOf(j.Name, store.GatePlace), j.Nodes[0]})
}

// logOf is the name of the log of a partition, or of the gate.
func logOf(job string, place uint32) string {
	if place == store.GatePlace {
		return fmt.Sprintf("job-%s-gate", job)
	}
	return fmt.Sprintf("job-%s-p%d", job, place)
}

// A guard watches the other nodes, and moves the partitions of those that do not answer for
// Options.Away.
type guard struct {
	n      *node
	silent map[string]time.Time // since when a node has not answered
	told   string               // the last error, which is logged once
}

// run ends with ctx.
func (g *guard) run(ctx context.Context) {
	for ctx.Err() == nil {
		select {
		case <-ctx.Done():
			return
		case <-time.After(g.n.o.Away / 8):
		}
		if err := g.look(ctx); ctx.Err() == nil {
			g.tell(err)
		}
	}
}

// tell logs an error once, until there is none or another: while the engine is away each look fails.
func (g *guard) tell(err error) {
	switch {
	case err == nil:
		g.told = ""
	case err.Error() != g.told:
		g.told = err.Error()
		g.n.o.Log.Warn("partitions of nodes that are gone cannot be moved, which is tried again", "err", err)
	}
}

// look asks all other nodes that have partitions. While the engine does not answer, no node counts
// as silent: maybe other nodes cannot reach the engine either.
func (g *guard) look(ctx context.Context) error {
	v, _, err := g.n.cluster.read(ctx)
	if err != nil {
		clear(g.silent)
		return err
	}
	have := make(map[string]bool)
	for _, j := range v.jobs {
		for _, at := range j.Nodes {
			have[at] = at != g.n.o.Name
		}
	}
	gone := make(map[string]bool)
	for name := range have {
		if !have[name] || g.n.cluster.answers(ctx, name) {
			delete(g.silent, name)
			continue
		}
		if g.silent[name].IsZero() {
			g.silent[name] = time.Now()
		}
		gone[name] = time.Since(g.silent[name]) >= g.n.o.Away
	}
	maps.DeleteFunc(gone, func(_ string, is bool) bool { return !is })
	if len(gone) == 0 {
		return nil
	}
	moved, err := g.n.cluster.replan(ctx, func(v *view) ([]string, bool) {
		nodes := g.n.cluster.answering(ctx, v)
		if !slices.Contains(nodes, g.n.o.Name) { // this node was drained
			return nil, false
		}
		for _, j := range v.jobs { // a node that is only slow keeps its partitions
			for _, at := range j.Nodes {
				if !gone[at] && !v.drained[at] && !slices.Contains(nodes, at) {
					nodes = append(nodes, at)
				}
			}
		}
		return nodes, true
	})
	if moved > 0 {
		g.n.o.Log.Warn("took over from nodes that are gone", "nodes", slices.Sorted(maps.Keys(gone)), "partitions", moved)
	}
	return err
}
