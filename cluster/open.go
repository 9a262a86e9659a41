package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"gatecrawl.example/gatecrawl"
	"gatecrawl.example/gatecrawl/durable"
	"gatecrawl.example/gatecrawl/frontier"
	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/store"
	"gatecrawl.example/gatecrawl/store/kv/disk"
)

// fileLayout is the file in a job's folder that says where its partitions are.
const fileLayout = "partitions.json"

// layoutForm is the version of the layout file that this package reads and writes.
const layoutForm = 1

// A layout says where the partitions of a job are. It never changes.
type layout struct {
	Version    int      `json:"version"`
	Partitions uint32   `json:"partitions"`
	Gate       string   `json:"gate"`
	Folders    []string `json:"folders"` // one for each partition; relative paths start at the job's folder
}

// Options are the settings of a job in partitions.
type Options struct {
	// Store are the settings of every partition. Those that concern the whole job (per-ip, memory,
	// the filter) are divided among the partitions.
	Store store.Options

	// Partitions is the number of partitions of a new job: 1 to frontier.MaxPartitions. For a job
	// that exists it may be 0.
	Partitions int

	// Folders are where the partitions of a new job are put, in turn, for example one folder on
	// each disk. Default: the job's folder.
	Folders []string

	// carry, which only tests set, may change the messages that are carried from one store to
	// another: lose, repeat and delay them. It reports whether the sender learns what was applied.
	carry func(from, to uint32, ms []message) (carried []message, answered bool)
}

// Validate reports every fault at once.
func (o Options) Validate() error {
	errs := []error{o.Store.Validate()}
	if o.Partitions < 0 || o.Partitions > frontier.MaxPartitions {
		errs = append(errs, fmt.Errorf("partitions is %d: want 1 to %d", o.Partitions, frontier.MaxPartitions))
	}
	if o.Store.QueueBy == frontier.ByIP {
		errs = append(errs, errors.New("queue-by is ip: the hosts at one IP address may be in several partitions: want host or domain, or no partitions"))
	}
	return errors.Join(errs...)
}

// Exists reports whether dir has a job in partitions.
func Exists(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, fileLayout))
	return err == nil
}

// Folders returns the folders of the partitions of the job in dir.
func Folders(dir string) ([]string, error) {
	l, err := readLayout(dir)
	if err != nil {
		return nil, err
	}
	return l.folders(dir), nil
}

func readLayout(dir string) (l layout, err error) {
	path := filepath.Join(dir, fileLayout)
	b, err := os.ReadFile(path)
	if err != nil {
		return l, err
	}
	if err := json.Unmarshal(b, &l); err != nil {
		return l, fmt.Errorf("%s: %w: it names the folders of the job's partitions; take it from a copy of the job", path, err)
	}
	if l.Version != layoutForm {
		return l, &store.VersionError{Dir: dir, Part: "partitions", Got: l.Version, Want: layoutForm}
	}
	if l.Partitions == 0 || int(l.Partitions) != len(l.Folders) {
		return l, fmt.Errorf("%s: it has %d folders of %d partitions; take it from a copy of the job", path, len(l.Folders), l.Partitions)
	}
	return l, nil
}

func (l *layout) folders(dir string) []string {
	all := make([]string, len(l.Folders))
	for i, f := range l.Folders {
		if all[i] = f; !filepath.IsAbs(f) {
			all[i] = filepath.Join(dir, f)
		}
	}
	return all
}

// folderOf names the folder of a partition in the job's folder.
func folderOf(place uint32) string { return fmt.Sprintf("p%04d", place) }

// makeLayout creates the layout of a new job.
func makeLayout(dir string, o Options) (l layout, err error) {
	l = layout{Version: layoutForm, Partitions: uint32(o.Partitions), Gate: "gate"}
	for i := range o.Partitions {
		name := folderOf(uint32(i))
		if n := len(o.Folders); n > 0 {
			at, err := filepath.Abs(o.Folders[i%n])
			if err != nil {
				return l, err
			}
			name = filepath.Join(at, filepath.Base(dir)+"-"+name)
			if store.Exists(name) {
				return l, fmt.Errorf("%s has a job already: name other folders for the partitions", name)
			}
		}
		l.Folders = append(l.Folders, name)
	}
	if disk.Exists(filepath.Join(dir, l.Gate, fileGate)) {
		// A job that has lost its layout: another number would give its domains to other partitions.
		found := 0
		for store.Exists(filepath.Join(dir, folderOf(uint32(found)))) {
			found++
		}
		if found != o.Partitions || len(o.Folders) > 0 {
			return l, fmt.Errorf("%s has a job's gate, %d of its partitions, and no %s, which names them: take it from a copy of the job", dir, found, fileLayout)
		}
	}
	b, err := json.MarshalIndent(l, "", "  ")
	if err != nil {
		return l, err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return l, err
	}
	return l, durable.WriteFile(filepath.Join(dir, fileLayout), 0o600, func(f *os.File) error {
		_, err := f.Write(append(b, '\n'))
		return err
	})
}

// A Store is a job in partitions.
type Store struct {
	dir    string
	o      Options
	places frontier.Places
	here   []*store.Store // by partition: nil if another process has it
	own    []*store.Store // the partitions of this process
	parts  []part         // all partitions
	gate   gateway
	box    *gate         // the gate, if this process has it
	number atomic.Uint64 // the last place in crawl order
	peers  *peers        // nil: this process has the whole job

	copiesMu sync.Mutex
	copies   map[uint64]bool // pages whose claim was answered with "copy", until becameCopy asks

	pairs   [][]sync.Mutex  // by sender and receiver: held while messages are carried; the gate comes last
	carried atomic.Uint64   // messages that were applied and acknowledged
	unsent  []chan struct{} // by sender: signals that there may be messages to carry
	stop    chan struct{}
	workers sync.WaitGroup
	failed  atomic.Pointer[error]

	wake    chan struct{}
	timerMu sync.Mutex
	timerAt time.Time // earliest timer of the callers that wait in Next; zero: there is none
	turns   atomic.Uint64

	closeOnce sync.Once
}

var (
	_ gatecrawl.Store     = (*Store)(nil)
	_ gatecrawl.Inspector = (*Store)(nil)
)

// Open opens the job in partitions in dir, or creates one. Errors are those of store.Open.
func Open(dir string, o Options) (c *Store, err error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	l, err := readLayout(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist) && o.Store.ReadOnly:
		return nil, fmt.Errorf("%s: %w", dir, store.ErrNoJob)
	case errors.Is(err, fs.ErrNotExist):
		o.Partitions = max(1, o.Partitions)
		l, err = makeLayout(dir, o)
	case err == nil && o.Partitions != 0 && o.Partitions != int(l.Partitions):
		err = fmt.Errorf("job %s has %d partitions, and that cannot be changed to %d: leave the setting out, or start a new job in another folder", dir, l.Partitions, o.Partitions)
	}
	if err != nil {
		return nil, err
	}
	c = newStore(dir, o, l.Partitions)
	if err := c.open(&l); err != nil {
		return nil, errors.Join(err, c.closeAll())
	}
	if !o.Store.ReadOnly {
		for i := range c.unsent {
			c.workers.Go(func() { c.carryFrom(uint32(i)) }) // ends with stop
		}
	}
	return c, nil
}

// newStore returns a store of n partitions, none of which is open.
func newStore(dir string, o Options, n uint32) *Store {
	c := &Store{
		dir: dir, o: o, places: frontier.Places{N: n}, wake: make(chan struct{}, 1), stop: make(chan struct{}),
		here: make([]*store.Store, n), parts: make([]part, n), copies: make(map[uint64]bool),
		unsent: make([]chan struct{}, n+1), pairs: make([][]sync.Mutex, n+1),
	}
	for i := range c.pairs {
		c.pairs[i] = make([]sync.Mutex, n+1)
		c.unsent[i] = make(chan struct{}, 1)
	}
	return c
}

func (c *Store) open(l *layout) (err error) {
	gateDir := filepath.Join(c.dir, l.Gate)
	// The gate is made last, so where it exists a kill has not left the job half made.
	whole := disk.Exists(filepath.Join(gateDir, fileGate))
	for i, dir := range l.folders(c.dir) {
		if (whole || c.o.Store.ReadOnly) && !store.Exists(dir) {
			return c.lost(fmt.Sprintf("partition %d", i), dir)
		}
		if err := c.openPart(uint32(i), dir); err != nil {
			return err
		}
	}
	if !whole && (c.number.Load() > 0 || c.o.Store.ReadOnly) {
		return c.lost("the gate", gateDir)
	}
	if err := os.MkdirAll(gateDir, 0o700); err != nil && !c.o.Store.ReadOnly {
		return err
	}
	return c.openGate(gateDir)
}

// lost returns the error that a part of the job is not where the layout says: a new one in its place
// would lose what it has.
func (c *Store) lost(what, dir string) error {
	return fmt.Errorf("%s of job %s is not in %s: mount its disk, or bring the folder back; if it was moved, write its new place into %s", what, c.dir, dir, filepath.Join(c.dir, fileLayout))
}

// openPart opens a partition in this process.
func (c *Store) openPart(place uint32, dir string) error {
	p, err := store.Open(dir, c.partOptions(place))
	if err != nil {
		return err
	}
	c.here[place], c.parts[place], c.own = p, p, append(c.own, p)
	n, err := p.LastNumber()
	c.number.Store(max(c.number.Load(), n))
	return err
}

// openGate opens the gate in this process.
func (c *Store) openGate(dir string) (err error) {
	if c.box, err = openGate(dir, c.o.Store, c.places, c.journal(store.GatePlace)); err != nil {
		return err
	}
	c.gate, c.box.text = c.box, c.Text
	return nil
}

// partOptions are the options of one partition.
func (c *Store) partOptions(place uint32) store.Options {
	o, n := c.o.Store, int(c.places.N)
	share := func(all int) int { // a partition's share of a limit for the whole job; 0 means no limit
		if all == 0 {
			return 0
		}
		return max(1, all/n)
	}
	o.PerIP, o.MaxProbes = share(o.PerIP), share(o.MaxProbes)
	here := n
	if c.peers != nil {
		here = len(c.peers.Places)
	}
	o.QueueMemory = max(o.QueueMemory/here, 1<<20)
	o.Filter.Capacity = max(o.Filter.Capacity/uint64(n), 10_000)
	o.Spread = uint64(n) * uint64(n)
	o.Notify = c.notify
	o.Partition = &store.Partition{
		Places: c.places, Place: place, Number: func() uint64 { return c.number.Add(1) },
		Forget: c.forget, Posted: func() { c.posted(int(place)) },
		Named:   func(prefix []byte) (string, error) { return c.named(place, prefix) },
		Journal: c.journal(place),
	}
	return o
}

// forget makes the gate read the texts of these hosts again.
func (c *Store) forget(hosts []weburl.HostKey) {
	if c.gate != nil { // nil: the job is being opened
		c.gate.forgetTexts(hosts)
	}
}

// Close carries the messages that wait, and closes the job.
func (c *Store) Close() (err error) {
	c.closeOnce.Do(func() {
		close(c.stop)
		c.workers.Wait()
		switch {
		case c.o.Store.ReadOnly:
		case c.peers != nil:
			c.leave()
		default:
			err = c.quiesce(context.Background())
		}
		err = errors.Join(err, c.closeAll())
	})
	return err
}

func (c *Store) closeAll() error {
	var errs []error
	for _, p := range c.own {
		errs = append(errs, p.Close())
	}
	if c.box != nil {
		errs = append(errs, c.box.Close())
	}
	return errors.Join(errs...)
}

// Dir returns the job's folder.
func (c *Store) Dir() string { return c.dir }
