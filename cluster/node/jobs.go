package node

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"

	"gatecrawl.example/gatecrawl"
	"gatecrawl.example/gatecrawl/cluster"
	"gatecrawl.example/gatecrawl/cluster/engine"
	"gatecrawl.example/gatecrawl/configs"
	"gatecrawl.example/gatecrawl/crawl"
)

// logName is the log that all nodes follow.
const logName = "crawl"

// An entry of that log says one thing. Its kind tells which fields it has.
type entry struct {
	Kind     string
	Node     string   `json:",omitempty"`
	Job      string   `json:",omitempty"`
	Settings []byte   `json:",omitempty"` // of a job, all of them, in the form that configs.Parse reads
	Nodes    []string `json:",omitempty"` // by partition
	URLs     []string `json:",omitempty"`
}

// The kinds of entries.
const (
	kindNode   = "node"   // a node was started
	kindStart  = "begin"  // a new job with its settings; older logs have this word too
	kindPause  = "pause"  //
	kindResume = "resume" // the job goes on, whether it was paused or stopped
	kindStop   = "stop"   //
	kindDone   = "done"   // nothing is left to do
	kindSeeds  = "seeds"  // URLs for a job; a job that was done goes on
	kindMove   = "move"   // from now on the job's partitions are on these nodes
	kindDrain  = "drain"  // a node gets no partitions until it is started again
	kindSet    = "set"    // from now on a job has these settings
	kindRemove = "remove" // a node is gone for good, and comes back only by being started again
)

// A State says what is to be done with a job.
type State string

// The states of a job.
const (
	Running State = "running"
	Paused  State = "paused"
	Stopped State = "stopped"
	Done    State = "done"
)

// A Job is a job of a cluster.
type Job struct {
	Name     string
	Settings []byte   // in the form that configs.Parse reads
	Nodes    []string // by partition; the first has the gate too
	State    State
	URLs     []string // added after the start to those of the settings

	reopened int // how often nodes had to open it again: resumed after it was stopped or done, or with other settings
}

// Inspect returns the job for reading. Questions go to the nodes that have its partitions.
func (j *Job) Inspect(e engine.Engine) gatecrawl.Inspector {
	closed := func(ctx context.Context, node string) string {
		h, _ := askNode(ctx, e, node)
		return h.Closed[j.Name]
	}
	return status{cluster.Inspect(e, j.Name, j.Nodes, closed), j, e}
}

// A status adds to a job's status what the log says about the job.
type status struct {
	gatecrawl.Inspector
	job    *Job
	engine engine.Engine
}

// Status implements gatecrawl.Inspector.
func (s status) Status(ctx context.Context) (gatecrawl.Status, error) {
	all, err := s.Inspector.Status(ctx)
	all.Job, all.Paused = s.job.Name, s.job.State == Paused
	all.MemoryBytes = 0 // the number is of one process only
	all.Running, all.Stopped = s.job.State == Running || all.Paused, ""
	if !all.Running {
		all.Stopped = string(s.job.State)
		return all, err
	}
	for _, name := range slices.Compact(slices.Sorted(slices.Values(s.job.Nodes))) {
		h, _ := askNode(ctx, s.engine, name) // of one that does not answer all.Away tells
		if why := h.Resting[s.job.Name]; why != "" {
			all.Resting = append(all.Resting, fmt.Sprintf("node %s fetches nothing: %s", name, why))
		}
	}
	return all, err
}

// A Cluster is the common log of all nodes.
type Cluster struct {
	engine engine.Engine
	log    engine.Log
}

// Open opens the common log on an engine.
func Open(ctx context.Context, e engine.Engine) (*Cluster, error) {
	c := &Cluster{engine: e}
	err := persist(ctx, func() (done bool, err error) {
		c.log, err = e.Log(ctx, logName)
		return err == nil || errors.Is(err, engine.ErrClosed), err
	})
	if err != nil {
		return nil, err
	}
	return c, nil
}

const (
	patience = 20 * time.Second       // how long requests to an engine that does not answer are repeated: its elections take up to 10 s
	pause    = 200 * time.Millisecond // between two tries
)

// persist calls try until it is done, for as long as the engine may take to elect a leader. It
// returns the last error.
func persist(ctx context.Context, try func() (done bool, err error)) error {
	late := time.Now().Add(patience)
	for {
		done, err := try()
		if done || ctx.Err() != nil || time.Now().After(late) {
			return err
		}
		select {
		case <-ctx.Done():
		case <-time.After(pause):
		}
	}
}

// errRead ends the reading of a log at the entry that was the last one.
var errRead = errors.New("read to the end")

// A view is the state that follows from the log.
type view struct {
	nodes   map[string]bool
	drained map[string]bool // nodes that get no partitions
	jobs    map[string]*Job
	by      map[string]bool // owners of entries that were read: each entry has another owner
}

func newView() *view {
	return &view{nodes: make(map[string]bool), drained: make(map[string]bool), jobs: make(map[string]*Job), by: make(map[string]bool)}
}

// take applies an entry to the view.
func (v *view) take(b []byte) error {
	var e entry
	if err := json.Unmarshal(b, &e); err != nil {
		return fmt.Errorf("the cluster's log: %w: it was written by another version of the program", err)
	}
	j := v.jobs[e.Job]
	switch e.Kind {
	case kindNode:
		v.nodes[e.Node] = true
		delete(v.drained, e.Node)
		return nil
	case kindDrain:
		v.drained[e.Node] = true
		return nil
	case kindRemove:
		delete(v.nodes, e.Node)
		delete(v.drained, e.Node)
		return nil
	case kindStart:
		if j == nil {
			v.jobs[e.Job] = &Job{Name: e.Job, Settings: e.Settings, Nodes: e.Nodes, State: Running}
		}
		return nil
	}
	if j == nil {
		return nil
	}
	switch e.Kind {
	case kindPause:
		if j.State == Running {
			j.State = Paused
		}
	case kindResume:
		if j.State != Done {
			j.goOn()
		}
	case kindStop:
		if j.State != Done {
			j.State = Stopped
		}
	case kindDone:
		if j.State != Stopped {
			j.State = Done
		}
	case kindMove:
		j.Nodes = e.Nodes
	case kindSet:
		j.Settings = e.Settings
		j.reopened++
	case kindSeeds:
		j.URLs = append(j.URLs, e.URLs...)
		if j.State == Done {
			j.goOn()
		}
	default:
		return fmt.Errorf("the cluster's log has a %q: it was written by a later version of the program", e.Kind)
	}
	return nil
}

// goOn makes a job run again.
func (j *Job) goOn() {
	if !j.runs() {
		j.reopened++
	}
	j.State = Running
}

// read returns the view of the whole log as it is now.
func (c *Cluster) read(ctx context.Context) (v *view, last uint64, err error) {
	v = newView()
	if last, _, err = c.log.Last(ctx); err != nil || last == 0 {
		return v, last, err
	}
	err = c.log.Follow(ctx, 0, func(seq uint64, e engine.Entry) error {
		if err := v.take(e.Batch); err != nil {
			return err
		}
		v.by[e.Owner] = true
		if seq >= last {
			last = seq
			return errRead
		}
		return nil
	})
	if errors.Is(err, errRead) {
		err = nil
	}
	return v, last, err
}

// say appends an entry, if may allows it for the state of the log at that point. If it is not known
// whether an append succeeded, the log is read again.
func (c *Cluster) say(ctx context.Context, e entry, may func(*view) error) error {
	b, err := json.Marshal(e)
	if err != nil {
		return err
	}
	mine := engine.Entry{Epoch: 1, Owner: "cluster/" + rand.Text(), Batch: b}
	return persist(ctx, func() (done bool, err error) {
		for {
			v, last, err := c.read(ctx)
			if err != nil {
				return errors.Is(err, engine.ErrClosed), err
			}
			if v.by[mine.Owner] {
				return true, nil
			}
			if err := may(v); err != nil {
				return true, err
			}
			_, err = c.log.Append(ctx, last, mine)
			if !errors.Is(err, engine.ErrFenced) {
				return err == nil || errors.Is(err, engine.ErrClosed) || errors.Is(err, engine.ErrTooLarge), err
			}
		}
	})
}

// Jobs returns all jobs, sorted by name.
func (c *Cluster) Jobs(ctx context.Context) ([]*Job, error) {
	v, _, err := c.read(ctx)
	if err != nil {
		return nil, err
	}
	var all []*Job
	for _, name := range slices.Sorted(maps.Keys(v.jobs)) {
		all = append(all, v.jobs[name])
	}
	return all, nil
}

// ErrNoJob says that the cluster has no job with this name.
var ErrNoJob = errors.New("the cluster has no such job")

// Job returns one job.
func (c *Cluster) Job(ctx context.Context, name string) (*Job, error) {
	v, _, err := c.read(ctx)
	if err != nil {
		return nil, err
	}
	if j := v.jobs[name]; j != nil {
		return j, nil
	}
	return nil, v.noJob(name)
}

// Await waits until is returns true for a job, and returns the job. It ends with ctx.
func (c *Cluster) Await(ctx context.Context, name string, is func(*Job) bool) (*Job, error) {
	_, last, err := c.read(ctx)
	if err != nil {
		return nil, err
	}
	v := newView()
	err = c.log.Follow(ctx, 0, func(seq uint64, e engine.Entry) error {
		if err := v.take(e.Batch); err != nil {
			return err
		}
		j := v.jobs[name]
		switch {
		case seq < last: // it was true at that point of the log
			return nil
		case j == nil:
			return v.noJob(name)
		case is(j):
			return errRead
		}
		return nil
	})
	if !errors.Is(err, errRead) {
		return nil, err
	}
	return v.jobs[name], nil
}

// askTimeout bounds how long a node may take to answer whether it is running.
const askTimeout = 2 * time.Second

// A Listed is a node of the cluster, running or not.
type Listed struct {
	Name    string              `json:"name"`
	Up      bool                `json:"up"`                // it answers at present
	Version string              `json:"version,omitempty"` // of its program, if Up
	Other   bool                `json:"other,omitempty"`   // its program does not understand this one, and it gets no partitions
	Drained bool                `json:"drained"`           // it gets no partitions until it is started again
	Jobs    map[string][]uint32 `json:"jobs"`              // by job: the partitions that it has
	Closed  map[string]string   `json:"closed,omitempty"`  // by job: why it has not opened its partitions
}

// List returns all nodes that the cluster has ever had, sorted by name.
func (c *Cluster) List(ctx context.Context) (all []Listed, err error) {
	v, _, err := c.read(ctx)
	if err != nil {
		return nil, err
	}
	for _, name := range slices.Sorted(maps.Keys(v.nodes)) {
		h, err := askNode(ctx, c.engine, name)
		n := Listed{Name: name, Up: err == nil, Version: h.Version, Other: err == nil && h.Form != cluster.Form, Drained: v.drained[name], Jobs: make(map[string][]uint32), Closed: h.Closed}
		for job, j := range v.jobs {
			if places := placesOf(j, name); places != nil {
				n.Jobs[job] = places
			}
		}
		all = append(all, n)
	}
	return all, nil
}

// Nodes returns the nodes that answer at present and were not drained.
func (c *Cluster) Nodes(ctx context.Context) (here []string, err error) {
	v, _, err := c.read(ctx)
	if err != nil {
		return nil, err
	}
	return c.answering(ctx, v), nil
}

// answering returns the nodes that answer at present, understand this program, and may have
// partitions.
func (c *Cluster) answering(ctx context.Context, v *view) (here []string) {
	for _, name := range slices.Sorted(maps.Keys(v.nodes)) {
		if v.drained[name] {
			continue
		}
		if h, err := askNode(ctx, c.engine, name); err == nil && h.Form == cluster.Form {
			here = append(here, name)
		}
	}
	return here
}

func (c *Cluster) answers(ctx context.Context, node string) bool {
	_, err := askNode(ctx, c.engine, node)
	return err == nil
}

func nodeSubject(name string) string { return "node." + name }

// Start starts a job with these nodes for its partitions.
func (c *Cluster) Start(ctx context.Context, job string, settings []byte, nodes []string) error {
	if err := engine.CheckName(job); err != nil {
		return err
	}
	return c.say(ctx, entry{Kind: kindStart, Job: job, Settings: settings, Nodes: nodes}, func(v *view) error {
		if v.jobs[job] != nil {
			return fmt.Errorf("the cluster has a job %s already: give another name, or let it go on with crawl resume", job)
		}
		return nil
	})
}

// change appends an entry about a job that exists.
func (c *Cluster) change(ctx context.Context, e entry, may func(*Job) error) error {
	return c.say(ctx, e, func(v *view) error {
		j := v.jobs[e.Job]
		if j == nil {
			return v.noJob(e.Job)
		}
		return may(j)
	})
}

// errDone says that nothing is left to do in a job.
var errDone = errors.New("it is done: add seeds, or start another job")

// notDone returns errDone for a job that is done.
func notDone(j *Job) error {
	if j.State == Done {
		return fmt.Errorf("job %s: %w", j.Name, errDone)
	}
	return nil
}

// Pause pauses a job: no page is started until Resume.
func (c *Cluster) Pause(ctx context.Context, job string) error {
	return c.change(ctx, entry{Kind: kindPause, Job: job}, func(j *Job) error {
		if j.State != Running && j.State != Paused {
			return fmt.Errorf("job %s is %s", job, j.State)
		}
		return nil
	})
}

// Resume lets a job go on that was paused or stopped.
func (c *Cluster) Resume(ctx context.Context, job string) error {
	return c.change(ctx, entry{Kind: kindResume, Job: job}, notDone)
}

// Stop makes all nodes finish the pages under way and close the job.
func (c *Cluster) Stop(ctx context.Context, job string) error {
	return c.change(ctx, entry{Kind: kindStop, Job: job}, notDone)
}

// Set changes the settings of a job, and returns those that it has then. A job that runs is opened
// again with them, as for more seeds. An empty change only returns them.
func (c *Cluster) Set(ctx context.Context, job string, ch gatecrawl.Change) (s configs.Settings, state State, err error) {
	for {
		v, _, err := c.read(ctx)
		if err != nil {
			return s, "", err
		}
		j := v.jobs[job]
		if j == nil {
			return s, "", v.noJob(job)
		}
		if s, err = j.settings(); err != nil || reflect.ValueOf(ch).IsZero() {
			return s, j.State, err
		}
		if err := ch.Validate(s.CrawlOptions()); err != nil {
			return s, "", err
		}
		if s, err = crawl.Changed(s, ch); err != nil {
			return s, "", err
		}
		if err := Refuse(&s); err != nil {
			return s, "", err
		}
		if err := c.understood(ctx, v); err != nil {
			return s, "", err
		}
		var text bytes.Buffer
		if err := s.WriteYAML(&text); err != nil {
			return s, "", err
		}
		err = c.change(ctx, entry{Kind: kindSet, Job: job, Settings: text.Bytes()}, func(now *Job) error {
			if !bytes.Equal(now.Settings, j.Settings) {
				return errChanged
			}
			return nil
		})
		if !errors.Is(err, errChanged) {
			return s, j.State, err
		}
	}
}

// errChanged says that the settings of a job were changed by another command in the meantime.
var errChanged = errors.New("the settings were changed meanwhile")

// settings decodes the settings of a job.
func (j *Job) settings() (configs.Settings, error) {
	return configs.Parse(j.Settings, "the settings of job "+j.Name, configs.Default())
}

// noJob returns the error that the cluster has no job of a name, with those that it has.
func (v *view) noJob(name string) error {
	if len(v.jobs) == 0 {
		return fmt.Errorf("job %s: %w: it has none", name, ErrNoJob)
	}
	return fmt.Errorf("job %s: %w; it has %s", name, ErrNoJob, strings.Join(slices.Sorted(maps.Keys(v.jobs)), ", "))
}

// AddSeeds adds start URLs to a job. A job that was done goes on.
func (c *Cluster) AddSeeds(ctx context.Context, job string, urls []string) error {
	return c.change(ctx, entry{Kind: kindSeeds, Job: job, URLs: urls}, func(*Job) error { return nil })
}
