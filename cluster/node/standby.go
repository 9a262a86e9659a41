package node

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"gatecrawl.example/gatecrawl/cluster/journal"
	"gatecrawl.example/gatecrawl/store"
)

// standby returns the node that keeps copies of the partitions of another node and takes them over
// first: the next node by name that was not drained; "" if there is none.
func (v *view) standby(of string) string {
	nodes := slices.DeleteFunc(slices.Sorted(maps.Keys(v.nodes)), func(name string) bool { return v.drained[name] && name != of })
	i, ok := slices.BinarySearch(nodes, of)
	if !ok || len(nodes) < 2 {
		return ""
	}
	return nodes[(i+1)%len(nodes)]
}

// copiesOf returns the partitions of a job, and the gate, that a node keeps copies of.
func (v *view) copiesOf(j *Job, name string) (places []uint32) {
	for i, at := range j.Nodes {
		if at == name || v.standby(at) != name {
			continue
		}
		places = append(places, uint32(i))
		if i == 0 {
			places = append(places, store.GatePlace)
		}
	}
	return places
}

// copies returns the partitions of a job that this node has to keep copies of, and a channel that
// is closed when that may change.
func (n *node) copies(job string) ([]uint32, <-chan struct{}) {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.view.copiesOf(n.view.jobs[job], n.o.Name), n.changed
}

// standBy keeps the copies of other nodes' partitions up to date until ctx ends.
func (n *node) standBy(ctx context.Context, job string) {
	for ctx.Err() == nil {
		places, changed := n.copies(job)
		following, end := context.WithCancel(ctx)
		var group sync.WaitGroup
		for _, p := range places {
			group.Go(func() { n.follow(following, job, p) }) // ends with following
		}
		for same := true; same && ctx.Err() == nil; {
			select {
			case <-ctx.Done():
			case <-changed:
				var now []uint32
				now, changed = n.copies(job)
				same = slices.Equal(now, places)
			}
		}
		end()
		group.Wait()
	}
}

// follow keeps the copy of a partition up to date until ctx ends.
func (n *node) follow(ctx context.Context, job string, place uint32) {
	folder := n.folder(job, place)
	folder.Lock()
	defer folder.Unlock()
	for ctx.Err() == nil {
		err := journal.Follow(ctx, n.keptIn(job, place))
		if ctx.Err() != nil {
			return
		}
		n.o.Log.Warn("the copy of a partition falls behind", "log", logOf(job, place), "err", err)
		select {
		case <-ctx.Done():
		case <-time.After(again):
		}
	}
}

// folder returns the lock of a partition's folder. Whatever has the partition open, or follows its
// log, holds it.
func (n *node) folder(job string, place uint32) *sync.Mutex {
	n.mu.Lock()
	defer n.mu.Unlock()
	name := logOf(job, place)
	if n.folders[name] == nil {
		n.folders[name] = new(sync.Mutex)
	}
	return n.folders[name]
}
