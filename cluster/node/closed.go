package node

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"syscall"
	"time"

	"gatecrawl.example/gatecrawl/cluster"
	"gatecrawl.example/gatecrawl/cluster/engine"
	"gatecrawl.example/gatecrawl/crawl"
)

// A nodeStatus is what a node answers when it is asked whether it is running. Earlier versions give
// an empty answer.
type nodeStatus struct {
	Form    int               `json:"form,omitempty"` // cluster.Form
	Version string            `json:"version,omitempty"`
	Closed  map[string]string `json:"closed,omitempty"`  // by job: why the node has not opened its partitions
	Resting map[string]string `json:"resting,omitempty"` // by job: why it fetches nothing, although they are open

	// These have to be the same on all nodes, see Options.
	Away    time.Duration `json:"away,omitempty"`
	Standby bool          `json:"standby,omitempty"`
}

// askNode asks a node whether it is running.
func askNode(ctx context.Context, e engine.Engine, node string) (h nodeStatus, err error) {
	ctx, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	b, err := e.Ask(ctx, nodeSubject(node), nil)
	if err == nil && len(b) > 0 {
		err = json.Unmarshal(b, &h)
	}
	return h, err
}

// ErrOtherVersion says that two nodes have versions that do not understand each other.
var ErrOtherVersion = errors.New("all nodes of a cluster need the same version of the program")

// ErrOtherSettings says that two nodes have different settings that have to be the same on all
// nodes.
var ErrOtherSettings = errors.New("all nodes of a cluster need the same --away and --standby")

// fits returns an error if a node that answers has a version that does not understand this one, or
// if settings that have to be the same on all nodes differ.
func (c *Cluster) fits(ctx context.Context, o *Options) error {
	v, _, err := c.read(ctx)
	if err != nil {
		return err
	}
	const advice = "start this one with the same, or stop the others first"
	for _, name := range slices.Sorted(maps.Keys(v.nodes)) {
		switch h, err := askNode(ctx, c.engine, name); {
		case err != nil:
		case h.Form != cluster.Form:
			return fmt.Errorf("node %s answers, and has %s: %w: stop the others before this one is started", name, h.program(), ErrOtherVersion)
		case h.Away != o.Away:
			return fmt.Errorf("node %s answers, and has --away %v in place of %v: %w: %s", name, h.Away, o.Away, ErrOtherSettings, advice)
		case h.Standby != o.Standby:
			return fmt.Errorf("node %s answers, and runs %s --standby: %w: %s", name, map[bool]string{true: "with", false: "without"}[h.Standby], ErrOtherSettings, advice)
		}
	}
	return nil
}

// understood returns an error if a node that answers would not understand what this program may write
// to the log.
func (c *Cluster) understood(ctx context.Context, v *view) error {
	for _, name := range slices.Sorted(maps.Keys(v.nodes)) {
		if h, err := askNode(ctx, c.engine, name); err == nil && h.Form != cluster.Form {
			return fmt.Errorf("node %s has %s: %w", name, h.program(), ErrOtherVersion)
		}
	}
	return nil
}

// program names the program of a node.
func (h nodeStatus) program() string {
	if h.Version == "" {
		return "an earlier version"
	}
	return "version " + h.Version
}

// answer answers the question whether the node is running.
func (n *node) answer(context.Context, []byte) ([]byte, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	closed, resting := maps.Clone(n.closed), maps.Clone(n.resting)
	for job := range n.stalls {
		switch why := n.stalled(job); {
		case why == "":
		case closed[job] == isOpening:
			closed[job] = "cannot open it yet: " + why
		default:
			resting[job] = why
		}
	}
	return json.Marshal(nodeStatus{Form: cluster.Form, Version: n.o.Crawl.Version, Closed: closed, Resting: resting, Away: n.o.Away, Standby: n.o.Standby})
}

// A stall is a time in which the engine took nothing for a log.
type stall struct {
	since time.Time
	err   error // of the last try
	told  bool
}

// stalledAfter is how long the engine may take nothing for a log before that is told: its elections
// take up to 10 s, and more on machines that are busy.
const stalledAfter = 15 * time.Second

// tried notes what a try to append to a log came to. It logs once that nothing is fetched, and once that the
// engine takes entries again.
func (n *node) tried(job, log string, err error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	s := n.stalls[job][log]
	switch {
	case err == nil && s != nil:
		delete(n.stalls[job], log)
		if s.told {
			n.o.Log.Info("the engine takes entries for the log again", "job", job, "log", log, "after", time.Since(s.since).Round(time.Second))
		}
	case err != nil && s == nil:
		if n.stalls[job] == nil {
			n.stalls[job] = make(map[string]*stall)
		}
		n.stalls[job][log] = &stall{since: time.Now(), err: err}
	case err != nil:
		s.err = err
		if !s.told && time.Since(s.since) > stalledAfter {
			s.told = true
			n.o.Log.Warn("the engine takes nothing for a log, so nothing of its job is fetched here; it is tried until it does", "job", job, "log", log, "err", err)
		}
	}
}

// forget ends what is noted of a job's logs: this node does not append to them any more.
func (n *node) forget(job string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	delete(n.stalls, job)
}

// stalled says for which logs of a job the engine takes nothing, and since when; "" if there are none. The
// caller holds the lock.
func (n *node) stalled(job string) string {
	var all []string
	logs := n.stalls[job]
	for _, log := range slices.Sorted(maps.Keys(logs)) {
		if s := logs[log]; s.told {
			all = append(all, fmt.Sprintf("for %v the engine has taken nothing for log %s: %v", time.Since(s.since).Round(time.Second), log, s.err))
		}
	}
	return strings.Join(all, "; ")
}

// isOpening is what a node says about its partitions while it waits for the lease of their previous
// owner, or brings their folders up to date.
const isOpening = "is opening it: ask again in some seconds"

// opening notes that partitions are being opened, unless there is a reason why they could not be.
func (n *node) opening(job string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.closed[job] == "" {
		n.closed[job] = isOpening
	}
}

// opened notes that partitions are open, or that they are not to be opened.
func (n *node) opened(job string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	delete(n.closed, job)
}

// failed notes why partitions could not be opened, or had to be closed. It logs each reason once.
func (n *node) failed(job string, err error) {
	why := fmt.Sprintf("cannot open it: %v", err)
	if noWrites(err) {
		why = fmt.Sprintf("cannot write: %v: free space or repair its disk and it goes on by itself, or move its partitions to other nodes with crawl node drain %s", err, n.o.Name)
	}
	n.mu.Lock()
	before := n.closed[job]
	n.closed[job] = why
	n.mu.Unlock()
	if before != why {
		n.o.Log.Error("the job's partitions here are closed; opening them is tried again every second", "job", job, "err", err)
	}
}

// proxyRest is how long a node waits before it asks a proxy again that does not answer.
const proxyRest = 5 * time.Second

// rest keeps the partitions of a job open for questions while its proxy is asked for nothing. It
// returns after proxyRest, or when the job is stopped or has got more seeds.
func (n *node) rest(ctx context.Context, j *Job, proxy *crawl.ProxyError) {
	n.o.Log.Warn("nothing is fetched; the proxy is asked again", "job", j.Name, "after", proxyRest, "err", proxy.Err)
	n.mu.Lock()
	n.resting[j.Name] = fmt.Sprintf("%v: it is asked again every %v", proxy.Err, proxyRest)
	n.mu.Unlock()
	ctx, cancel := context.WithTimeout(ctx, proxyRest)
	defer cancel()
	n.until(ctx, j.Name, func(now *Job) bool { return !now.runs() || now.differs(j) })
	n.mu.Lock()
	delete(n.resting, j.Name)
	n.mu.Unlock()
}

// noWrites reports whether an error means that a folder cannot be written to.
func noWrites(err error) bool {
	for _, of := range []error{syscall.ENOSPC, syscall.EDQUOT, syscall.EROFS, syscall.EACCES, syscall.EPERM, syscall.EIO} {
		if errors.Is(err, of) {
			return true
		}
	}
	return false
}
