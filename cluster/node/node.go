package node

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"gatecrawl.example/gatecrawl"
	"gatecrawl.example/gatecrawl/cluster"
	"gatecrawl.example/gatecrawl/cluster/engine"
	"gatecrawl.example/gatecrawl/cluster/journal"
	"gatecrawl.example/gatecrawl/cluster/owner"
	"gatecrawl.example/gatecrawl/configs"
	"gatecrawl.example/gatecrawl/crawl"
	"gatecrawl.example/gatecrawl/frontier"
	"gatecrawl.example/gatecrawl/store"
	"gatecrawl.example/gatecrawl/store/folder"
	"gatecrawl.example/gatecrawl/store/kv/disk"
)

// Options are the settings of a node.
type Options struct {
	// Name is the name of the node: unique in the cluster, and the same each time it is started,
	// since its partitions are assigned to this name.
	Name string

	// Dir is the folder for its partitions, with a folder for each job.
	Dir string

	// Engine connects the nodes. Run does not close it.
	Engine engine.Engine

	// Crawl has the options of each crawl. Its Share is set by the node.
	Crawl crawl.Options

	// Owner sets the leases. Its Name is not used. The zero value stands for the defaults.
	Owner owner.Options

	// Snapshot is how many bytes of commits a log may have before a snapshot replaces them.
	// Default: that of package journal.
	Snapshot int64

	// Away is the time after which the others take over the partitions of a node that does not
	// answer. If it is short, partitions move when a node is only restarted; if it is long, the
	// hosts of a dead node wait. It has to be the same on all nodes. Default 1 minute.
	Away time.Duration

	// Standby makes the node keep copies of the partitions of the previous node, in the order of
	// the names. If that node fails, this one takes its partitions over first. Without a copy a
	// partition is created from its log when it is taken over, which takes as long as its data need
	// to arrive from the engine. It has to be the same on all nodes. Default: off.
	Standby bool

	// Log gets messages about what happens to jobs. Default: none.
	Log *slog.Logger
}

// A node is a process that crawls.
type node struct {
	o       Options
	cluster *Cluster

	mu      sync.Mutex
	view    *view
	changed chan struct{} // closed when view has changed
	works   sync.WaitGroup
	working map[string]bool              // jobs that work runs for
	stands  map[string]bool              // jobs that standBy runs for
	folders map[string]*sync.Mutex       // by log: see node.folder
	closed  map[string]string            // by job: why its partitions are not open
	resting map[string]string            // by job: why nothing is fetched although they are
	stalls  map[string]map[string]*stall // by job and log: the logs that the engine takes nothing for
}

// again is the time after which a job that could not be opened is tried again.
const again = time.Second

// ErrNameTaken says that another process runs under the node's name. Two nodes with one name would
// take the same partitions from each other.
var ErrNameTaken = errors.New("a node of this name answers already: stop that one, or give this one another name")

// CheckName returns an error unless a node may have a name.
func CheckName(name string) error { return engine.CheckName(name) }

// NameOf returns the name that a node has by default, for that of its machine: with hyphens in place
// of characters that it may not have, such as the dots of web1.example.org.
func NameOf(machine string) string {
	return strings.Map(func(r rune) rune {
		if CheckName(string(r)) != nil {
			return '-'
		}
		return r
	}, machine)
}

// Lock locks the folder of a node until unlock is called or the process ends. Two processes that
// carry the engine in one folder would damage its logs, so it is called before an engine is started.
func Lock(dir string) (unlock func(), err error) {
	unlock, err = folder.Lock(dir)
	if locked := (*folder.LockedError)(nil); errors.As(err, &locked) {
		by := "another process"
		if locked.PID != 0 {
			by = fmt.Sprintf("process %d", locked.PID)
		}
		return nil, fmt.Errorf("folder %s is that of a node that runs already (%s): stop that one, or give this one a folder of its own", dir, by)
	}
	return unlock, err
}

// Run crawls this node's share of all jobs until ctx ends. Then it finishes the pages under way and
// gives up the partitions. The error is one of the engine, or of the options.
func Run(ctx context.Context, o Options) error {
	if err := engine.CheckName(o.Name); err != nil {
		return fmt.Errorf("the node's name: %w", err)
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Away == 0 {
		o.Away = time.Minute
	}
	var c *Cluster
	up := func() (err error) {
		c, err = Open(ctx, o.Engine)
		return err
	}
	if err := o.retry(ctx, up); err != nil || ctx.Err() != nil {
		return err
	}
	if c.answers(ctx, o.Name) {
		return fmt.Errorf("node %s: %w", o.Name, ErrNameTaken)
	}
	if err := c.fits(ctx, &o); errors.Is(err, ErrOtherVersion) || errors.Is(err, ErrOtherSettings) {
		return fmt.Errorf("node %s: %w", o.Name, err)
	}
	n := &node{
		o: o, cluster: c, view: newView(), changed: make(chan struct{}), working: make(map[string]bool),
		stands: make(map[string]bool), folders: make(map[string]*sync.Mutex), closed: make(map[string]string), resting: make(map[string]string),
		stalls: make(map[string]map[string]*stall),
	}
	stop, err := o.Engine.Serve(nodeSubject(o.Name), n.answer)
	if err != nil {
		return err
	}
	defer stop()
	defer n.works.Wait()
	ctx, end := context.WithCancel(ctx)
	defer end()
	if err := o.retry(ctx, func() error { return c.announce(ctx, o.Name) }); err != nil || ctx.Err() != nil {
		return err
	}
	o.Log.Info("the node is up", "name", o.Name, "dir", o.Dir)
	// What to do depends on the whole log, since a partition may have been moved by a later entry.
	var last uint64
	theEnd := func() (err error) {
		_, last, err = c.read(ctx)
		return err
	}
	if err := o.retry(ctx, theEnd); err != nil || ctx.Err() != nil {
		return err
	}
	n.works.Go(func() { (&guard{n: n, silent: make(map[string]time.Time)}).run(ctx) }) // ends with ctx
	err = c.log.Follow(ctx, 0, func(seq uint64, e engine.Entry) error { return n.takeEntry(ctx, e.Batch, seq >= last) })
	if ctx.Err() != nil {
		return nil
	}
	return err
}

// announce says in the log that a node is there.
func (c *Cluster) announce(ctx context.Context, name string) error {
	return c.say(ctx, entry{Kind: kindNode, Node: name}, func(*view) error { return nil })
}

// retry calls try until it succeeds, ctx ends, or the engine is closed. The other nodes that the
// engine needs may be started later.
func (o Options) retry(ctx context.Context, try func() error) error {
	for {
		err := try()
		if err == nil || ctx.Err() != nil {
			return nil
		}
		if errors.Is(err, engine.ErrClosed) {
			return err
		}
		o.Log.Warn("the engine does not do it yet, and is asked again: most of the nodes that carry it have to run and reach each other", "err", err)
	}
}

// takeEntry applies an entry of the log, and if all is set starts what follows from the log.
func (n *node) takeEntry(ctx context.Context, b []byte, all bool) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	listed := n.view.nodes[n.o.Name]
	if err := n.view.take(b); err != nil {
		return err
	}
	if all && listed && !n.view.nodes[n.o.Name] {
		n.o.Log.Warn("this node was taken for gone and removed: it is listed again", "name", n.o.Name)
		n.works.Go(func() { n.o.retry(ctx, func() error { return n.cluster.announce(ctx, n.o.Name) }) }) // ends with ctx
	}
	close(n.changed)
	n.changed = make(chan struct{})
	if !all {
		return nil
	}
	for name, j := range n.view.jobs {
		if n.o.Standby && !n.stands[name] {
			n.stands[name] = true
			n.works.Go(func() { n.standBy(ctx, name) }) // ends with ctx
		}
		if slices.Contains(j.Nodes, n.o.Name) && !n.working[name] {
			n.working[name] = true
			n.works.Go(func() { n.work(ctx, name) }) // ends with ctx
		}
	}
	return nil
}

// job returns a job as the log has it now, and a channel that is closed when that changes.
func (n *node) job(name string) (Job, <-chan struct{}) {
	n.mu.Lock()
	defer n.mu.Unlock()
	return *n.view.jobs[name], n.changed
}

// work opens the node's partitions of a job, and crawls them whenever the job is to run.
func (n *node) work(ctx context.Context, name string) {
	for ctx.Err() == nil {
		if j, _ := n.job(name); len(placesOf(&j, n.o.Name)) == 0 {
			n.opened(name) // what could not be opened was moved to other nodes
		}
		n.until(ctx, name, func(j *Job) bool { return len(placesOf(j, n.o.Name)) > 0 })
		j, _ := n.job(name)
		if ctx.Err() != nil {
			return
		}
		n.opening(name)
		err := n.open(ctx, &j)
		if err == nil || ctx.Err() != nil {
			n.opened(name)
			continue
		}
		n.failed(name, err)
		select {
		case <-ctx.Done():
		case <-time.After(again):
		}
	}
}

// ownedLogs are the logs of a job that this node owns, by partition.
type ownedLogs struct {
	owners map[uint32]*journal.Journal
	free   []func() // unlock the folders
}

// Allowed returns an error if no request may be sent to the web at present.
func (t *ownedLogs) Allowed() error {
	for _, o := range t.owners {
		if err := o.Allowed(); err != nil {
			return err
		}
	}
	return nil
}

// Within returns a context that ends with the first lease that ends.
func (t *ownedLogs) Within(ctx context.Context) (context.Context, context.CancelFunc) {
	leaves := make([]context.CancelFunc, 0, len(t.owners))
	for _, o := range t.owners {
		within, leave := o.Within(ctx)
		ctx, leaves = within, append(leaves, leave)
	}
	return ctx, func() {
		for _, leave := range slices.Backward(leaves) {
			leave()
		}
	}
}

// dirOf returns the folder of a job.
func (n *node) dirOf(job string) string { return filepath.Join(n.o.Dir, "jobs", job) }

// keptIn returns the options of the journal of a partition, or of the gate.
func (n *node) keptIn(job string, place uint32) journal.Options {
	f := cluster.FolderOf(n.dirOf(job), place)
	o := journal.Options{
		Engine: n.o.Engine, Name: logOf(job, place),
		Dir: f.Dir, File: f.File, Tables: f.Tables, Grow: f.Grow, Derived: f.Derived,
		Owner: n.o.Owner, Snapshot: n.o.Snapshot, Log: n.o.Log,
	}
	o.Owner.Name = n.o.Name
	o.Owner.Tried = func(err error) { n.tried(job, o.Name, err) }
	return o
}

// take brings partitions, and the gate with the first of them, up to date, and takes their logs
// over. It waits for the leases of other nodes to end.
func (n *node) take(ctx context.Context, job string, places []uint32) (t *ownedLogs, err error) {
	t = &ownedLogs{owners: make(map[uint32]*journal.Journal)}
	if places[0] == 0 {
		places = append(places, store.GatePlace)
	}
	var mu sync.Mutex
	var group sync.WaitGroup
	var errs []error
	for _, p := range places {
		folder := n.folder(job, p)
		t.free = append(t.free, folder.Unlock)
		group.Go(func() {
			folder.Lock()
			own, err := journal.Take(ctx, n.keptIn(job, p))
			mu.Lock()
			defer mu.Unlock()
			if errs = append(errs, err); err == nil {
				t.owners[p] = own
			}
		})
	}
	group.Wait()
	if err := errors.Join(errs...); err != nil {
		t.close()
		return nil, err
	}
	return t, nil
}

// close gives nothing up: other nodes wait for the end of the leases.
func (t *ownedLogs) close() {
	for _, o := range t.owners {
		o.Owner.Close()
	}
	t.leave()
}

// leave unlocks the folders, so that copies may follow the logs into them.
func (t *ownedLogs) leave() {
	for _, free := range t.free {
		free()
	}
}

// closeTimeout bounds how long a partition that is being closed waits for the engine to acknowledge
// its commits. After that it is closed as by a crash.
const closeTimeout = 10 * time.Second

// abandon makes commits no longer wait for the engine.
func (t *ownedLogs) abandon() {
	for _, o := range t.owners {
		o.Abandon()
	}
}

// releaseTimeout bounds how long giving up the logs may take. After that other nodes wait for the
// end of the leases.
const releaseTimeout = 3 * time.Second

// release gives up the logs.
func (t *ownedLogs) release() {
	ctx, cancel := context.WithTimeout(context.Background(), releaseTimeout)
	defer cancel()
	var group sync.WaitGroup
	for _, o := range t.owners {
		group.Go(func() { o.Release(ctx) }) // after an error other nodes wait for the lease, as after a crash
	}
	group.Wait()
	t.leave()
}

// open takes over the node's partitions of a job, opens them, and crawls if the job is to run. If
// it is not, they answer questions until the state of the job changes. open returns when they have
// to be opened again, when ctx ends, or when a partition is lost.
func (n *node) open(ctx context.Context, j *Job) error {
	places := placesOf(j, n.o.Name)
	s, err := j.settings()
	if err != nil {
		return err
	}
	s.URL = append(s.URL, j.URLs...)
	ctx, end := context.WithCancel(ctx)
	var watch sync.WaitGroup
	defer watch.Wait()
	defer end()
	watch.Go(func() { // ends with ctx
		n.until(ctx, j.Name, func(now *Job) bool { return !slices.Equal(placesOf(now, n.o.Name), places) })
		end()
	})
	defer n.forget(j.Name)
	t, err := n.take(ctx, j.Name, places)
	if err != nil {
		if ctx.Err() != nil { // the partitions were moved
			return nil
		}
		return err
	}
	defer t.release()
	stop := context.AfterFunc(ctx, func() { time.AfterFunc(closeTimeout, t.abandon) })
	defer stop()
	for _, o := range t.owners {
		watch.Go(func() { // ends with the owner, or with ctx
			select {
			case <-o.Lost():
				end()
			case <-ctx.Done():
			}
		})
	}
	return n.crawl(ctx, j, s, places, t)
}

// until waits until is returns true for a job, or ctx ends.
func (n *node) until(ctx context.Context, name string, is func(*Job) bool) {
	for ctx.Err() == nil {
		j, changed := n.job(name)
		if is(&j) {
			return
		}
		select {
		case <-ctx.Done():
		case <-changed:
		}
	}
}

// runs reports whether a job is to be crawled.
func (j *Job) runs() bool { return j.State == Running || j.State == Paused }

// differs reports whether a job was resumed or has got more seeds or other settings since `then`. Comparing the state
// is not enough: a job that is stopped and at once resumed may be seen running both times.
func (j *Job) differs(then *Job) bool {
	return j.reopened != then.reopened || len(j.URLs) != len(then.URLs)
}

func placesOf(j *Job, name string) (places []uint32) {
	for i, at := range j.Nodes {
		if at == name {
			places = append(places, uint32(i))
		}
	}
	return places
}

// crawl opens the node's partitions, and crawls them if the job is to run.
func (n *node) crawl(ctx context.Context, j *Job, s configs.Settings, places []uint32, t *ownedLogs) (err error) {
	var ended atomic.Bool
	m := cluster.Membership{
		Engine: n.o.Engine, Job: j.Name, Partitions: uint32(len(j.Nodes)), Places: places, Gate: places[0] == 0,
		Allowed: t.Allowed, Ended: ended.Load, Journal: func(place uint32) disk.Journal { return t.owners[place] },
		Refused: func(to uint32, err error) {
			n.o.Log.Warn("another partition does not take what is for it; it is offered again until it does", "job", j.Name, "to", logOf(j.Name, to), "err", err)
		},
		Done: func(ctx context.Context) error {
			err := n.cluster.change(ctx, entry{Kind: kindDone, Job: j.Name}, notDone)
			if errors.Is(err, errDone) { // another node has said it first
				err = nil
			}
			return err
		},
	}
	o := n.o.Crawl
	o.Share = &crawl.Share{
		Allowed: t.Allowed, Within: t.Within,
		Open: func(dir string, o store.Options) (crawl.Job, error) { return cluster.Join(dir, o, m) },
	}
	c, err := crawl.OpenWith(n.dirOf(j.Name), s, o)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.Close()) }()
	n.opened(j.Name)
	n.o.Log.Info("opened", "job", j.Name, "partitions", strings.Trim(fmt.Sprint(places), "[]"), "state", string(j.State))
	if j.runs() {
		err := n.run(ctx, j, c, &ended)
		if proxy, away := errors.AsType[*crawl.ProxyError](err); away {
			n.rest(ctx, j, proxy)
			return nil // a crawl runs once, so the partitions are opened again
		}
		if err != nil {
			return err
		}
	}
	n.until(ctx, j.Name, func(now *Job) bool { return now.runs() && now.differs(j) })
	return nil
}

// run crawls until the job is done or stopped, or has got more seeds or other settings.
func (n *node) run(ctx context.Context, j *Job, c *crawl.Crawl, ended *atomic.Bool) error {
	ctx, end := context.WithCancel(ctx)
	defer end()
	var watch sync.WaitGroup
	watch.Go(func() { // ends with ctx
		defer end()
		n.until(ctx, j.Name, func(now *Job) bool { return now.State == Stopped || now.differs(j) })
	})
	watch.Go(func() { n.steer(ctx, j.Name, c, ended) }) // ends with ctx
	how, err := c.Run(ctx)
	end()
	watch.Wait()
	if err == nil {
		what := "the crawl has ended"
		if how == gatecrawl.Interrupted { // for seeds, settings, partitions that move, crawl stop, or the end of this node
			what = "the pages in hand are finished"
		}
		n.o.Log.Info(what, "job", j.Name, "how", string(how), "pages", c.Totals().Pages)
	}
	return err
}

// steer pauses, resumes and ends a crawl as the log says.
func (n *node) steer(ctx context.Context, name string, c *crawl.Crawl, ended *atomic.Bool) {
	for ctx.Err() == nil {
		j, changed := n.job(name)
		switch j.State {
		case Paused:
			c.Pause()
		case Running:
			c.Resume()
		case Done:
			ended.Store(true)
		}
		select {
		case <-ctx.Done():
		case <-changed:
		}
	}
}

// Refuse returns an error that names the settings that a job of a cluster cannot have.
func Refuse(s *configs.Settings) error {
	var errs []error
	refuse := func(set bool, setting, why string) {
		if set {
			errs = append(errs, fmt.Errorf("%s does not go with a cluster: %s", setting, why))
		}
	}
	const counted = "nodes do not count together"
	refuse(s.MaxPages > 0, "max-pages", counted)
	refuse(s.MaxBytes > 0, "max-bytes", counted)
	refuse(s.TimeLimit > 0, "time-limit", counted)
	for _, k := range configs.Keys() {
		named := k.Arg == "FILE" || strings.HasPrefix(k.Arg, "JOB|")
		refuse(named && k.Name != "seeds" && !unset(s.Get(k.Name)), k.Name, "the file is on this machine")
	}
	refuse(len(s.Seeds) > 0, "seeds", "give the URLs themselves, or add them with crawl seeds add --cluster")
	refuse(len(s.HeaderNames) > 0, "header", "no secret of it is written to the log that nodes follow")
	refuse(s.Requisites, "requisites", "a page and its files may be in two partitions")
	refuse(s.Topic != "" || len(s.Like) > 0, "a topic", "each node would learn one of its own")
	refuse(s.QueueBy == frontier.ByIP, "queue-by ip", "the hosts at one IP address may be at several nodes")
	refuse(s.Cookies, "cookies", "each node would have its own")
	refuse(len(s.PartitionDirs) > 0, "partition-dirs", "each node has its own folder")
	return errors.Join(errs...)
}

// unset reports whether a setting has no value.
func unset(values []string) bool {
	return !slices.ContainsFunc(values, func(v string) bool { return v != "" })
}
