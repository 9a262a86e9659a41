package cluster

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"gatecrawl.example/gatecrawl"
	"gatecrawl.example/gatecrawl/cluster/engine"
	"gatecrawl.example/gatecrawl/cluster/internal/rpc"
	"gatecrawl.example/gatecrawl/frontier"
	"gatecrawl.example/gatecrawl/store"
	"gatecrawl.example/gatecrawl/store/archive"
	"gatecrawl.example/gatecrawl/store/job"
	"gatecrawl.example/gatecrawl/store/kv"
	"gatecrawl.example/gatecrawl/store/kv/disk"
	"gatecrawl.example/gatecrawl/store/kv/row"
)

// Membership says which partitions of a job this process has, and how it reaches the processes that
// have the others.
type Membership struct {
	// Engine carries questions and mail. It is not closed with the store.
	Engine engine.Engine

	// Job is the name of the job on the engine.
	Job string

	// Partitions is the number of partitions of the whole job, and Places are those of this
	// process: at least one. Gate says that this process has the gate. The caller makes sure that
	// no two processes have the same partition, or the gate, at a time.
	Partitions uint32
	Places     []uint32
	Gate       bool

	// Allowed returns an error while no URL may be leased, for example because the lease of the log
	// has run out. Nil: URLs may always be leased.
	Allowed func() error

	// Journal returns a journal for a partition of this process or for the gate; it gets every
	// commit too: see FolderOf. Nil: no journal.
	Journal func(place uint32) disk.Journal

	// Refused is told why another process does not accept the messages of a partition or of the
	// gate of this one. It is called once for each reason, while the messages are offered again and
	// again. It is not called if the other process does not answer at all. Nil: nobody is told.
	Refused func(to uint32, err error)

	// Done is called when nothing is left to do in the whole job. Several processes may call it.
	// After that Ended has to return true in every process.
	Done  func(ctx context.Context) error
	Ended func() bool
}

func (m Membership) validate() error {
	errs := []error{engine.CheckName(m.Job)}
	if m.Partitions == 0 || m.Partitions > frontier.MaxPartitions || len(m.Places) == 0 {
		errs = append(errs, fmt.Errorf("%d of %d partitions: want 1 to %d, and one of them here", len(m.Places), m.Partitions, frontier.MaxPartitions))
	}
	for _, p := range m.Places {
		if p >= m.Partitions {
			errs = append(errs, fmt.Errorf("partition %d of %d", p, m.Partitions))
		}
	}
	return errors.Join(errs...)
}

// Form is the version of the messages between the processes of a job. Processes with different
// forms would not hear of each other's pages, so all nodes of a cluster need the same one.
const Form = rpc.Form

const (
	methodState = "state"

	peersAgain  = 100 * time.Millisecond // after how long a process that does not answer is asked again
	peersGather = 50 * time.Millisecond  // how long a message waits for others to be sent with it
	mailBytes   = 1 << 20                // of messages that are sent together
)

// subject names a partition, or the gate, on the engine.
func subject(job string, place uint32) string {
	if place == store.GatePlace {
		return "job." + job + ".gate"
	}
	return "job." + job + ".p" + strconv.FormatUint(uint64(place), 10)
}

// peers has what concerns the other processes of the job.
type peers struct {
	Membership
	ctx    context.Context // ends when the store is closed
	end    context.CancelFunc
	stops  []func()
	missed atomic.Uint64 // texts that could not be read, since the process that has them was away
	moves  atomic.Uint64 // counts events that may have given a partition of this process something to do
	idle   atomic.Uint64 // value of moves when this process had nothing to do and nothing to send; 0: never
	vain   atomic.Uint64 // value of moves when the audits found nothing to do either

	start  time.Time
	looked atomic.Int64 // when Allowed was last asked and returned nil, in ns since start; 0: it returned an error

	asked atomic.Int64 // when a round last found that others are not idle: Unix time in ns

	mu           sync.Mutex
	applied      map[[2]uint32]uint64 // by receiver and sender: up to which number the receiver, in this process, has applied
	acknowledged map[[2]uint32]uint64 // by receiver and sender: what the sender was told of applied
	why          map[[2]uint32]string // by sender and receiver: the reason that Refused was told last
}

// Join opens the partitions of a process, each in a folder of its own in dir, and serves them
// to the other processes of the job. Errors are those of store.Open.
func Join(dir string, o store.Options, m Membership) (c *Store, err error) {
	if err := errors.Join(Options{Store: o}.Validate(), m.validate()); err != nil {
		return nil, err
	}
	n := m.Partitions
	c = newStore(dir, Options{Store: o}, n)
	c.peers = &peers{Membership: m, start: time.Now(), applied: make(map[[2]uint32]uint64), acknowledged: make(map[[2]uint32]uint64), why: make(map[[2]uint32]string)}
	c.peers.ctx, c.peers.end = context.WithCancel(context.Background())
	c.peers.moves.Store(1)
	for i := range c.parts {
		c.parts[i] = &remotePart{rpc.Asker{Engine: m.Engine, Subject: subject(m.Job, uint32(i)), Who: fmt.Sprintf("partition %d of job %s", i, m.Job)}}
	}
	c.gate = &remoteGate{Asker: rpc.Asker{Engine: m.Engine, Subject: subject(m.Job, store.GatePlace), Who: "the gate of job " + m.Job}}
	if err := c.openOwn(); err != nil {
		return nil, errors.Join(err, c.closeAll())
	}
	if err := c.serve(); err != nil {
		return nil, errors.Join(err, c.Close())
	}
	for i := range c.unsent {
		if b, _ := c.boxOf(c.placeOf(i)); b != nil {
			c.workers.Go(func() { c.carryFrom(uint32(i)) }) // ends with stop
			c.posted(i)                                     // messages that were left when the store was closed
		}
	}
	return c, nil
}

func (c *Store) openOwn() error {
	for _, place := range c.peers.Places {
		dir := FolderOf(c.dir, place).Dir
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return err
		}
		if err := c.openPart(place, dir); err != nil {
			return err
		}
	}
	if !c.peers.Gate {
		return nil
	}
	dir := FolderOf(c.dir, store.GatePlace).Dir
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	if err := c.openGate(dir); err != nil {
		return err
	}
	c.box.away = c.peers.missed.Load
	return nil
}

// serve answers the questions of others.
func (c *Store) serve() error {
	for i := range c.unsent {
		place := c.placeOf(i)
		b, _ := c.boxOf(place)
		if b == nil {
			continue
		}
		var methods map[string]rpc.Method
		var quick map[string]rpc.Quick
		if place == store.GatePlace {
			methods, quick = methodsOfGate(c.box), quickOfGate(c.box)
		} else {
			methods, quick = methodsOf(c.here[place]), quickOf(c.here[place])
		}
		methods[methodState] = rpc.One(func(context.Context, struct{}) (state, error) { return c.state(), nil })
		d := rpc.NewServer(c.peers.ctx, methods, quick)
		d.Mail = func(ctx context.Context, q []byte) ([]byte, error) { return c.deliver(ctx, place, q) }
		stop, err := c.peers.Engine.Serve(subject(c.peers.Job, place), d.Answer)
		if err != nil {
			return err
		}
		c.peers.stops = append(c.peers.stops, stop)
	}
	return nil
}

// A Folder says where the rows and files of a partition, or of the gate, are: what a copy of it
// needs.
type Folder struct {
	Dir     string
	File    string      // of the tables, in Dir
	Tables  []*kv.Table //
	Grow    []string    // folders in Dir with files that only grow, every byte of which a commit names
	Derived []string    // files and folders in Dir that are rebuilt from the tables if they are missing
}

// FolderOf returns the folder of a partition, or of the gate (store.GatePlace), of the processes
// that have opened the job in dir by Join.
func FolderOf(dir string, place uint32) Folder {
	if place == store.GatePlace {
		return Folder{Dir: filepath.Join(dir, "gate"), File: fileGate, Tables: allTables, Derived: []string{dirIndex}}
	}
	return Folder{
		Dir: filepath.Join(dir, folderOf(place)), File: job.FileTables, Tables: store.Tables(),
		Grow: []string{archive.Dir, job.DirLinks}, Derived: []string{job.FileFilter},
	}
}

// journal returns the journal of a partition, or of the gate; nil: none.
func (c *Store) journal(place uint32) disk.Journal {
	if c.peers == nil || c.peers.Journal == nil {
		return nil
	}
	return c.peers.Journal(place)
}

// A parcel has messages of one store to another, and the number up to which the sender has applied
// the messages of the other.
type parcel struct {
	from    uint32
	applied uint64 // in an answer: up to which of the messages that it answers
	mail    []message
}

func (p *parcel) encode() []byte {
	e := row.Encoder{B: make([]byte, 0, 256)}
	e.Uint32(p.from)
	e.Uint(p.applied)
	e.Uint(uint64(len(p.mail)))
	for _, m := range p.mail {
		e.Uint(m.N)
		e.Text(string(m.Body))
	}
	return e.B
}

func decodeParcel(b []byte) (p parcel, err error) {
	d := row.Decoder{B: b}
	p.from, p.applied = d.Uint32(), d.Uint()
	for n := d.Uint(); n > 0 && d.Err == nil; n-- {
		p.mail = append(p.mail, message{N: d.Uint(), Body: []byte(d.Text())})
	}
	if d.Err != nil {
		return parcel{}, fmt.Errorf("mail: %w", d.Err)
	}
	return p, nil
}

// fitting returns as many of the messages, from the first on, as may be sent together.
func fitting(ms []message) []message {
	size := 0
	for i, m := range ms {
		if size += len(m.Body) + 16; size > mailBytes && i > 0 {
			return ms[:i]
		}
	}
	return ms
}

// exchange sends the messages of a store of this process to a store of another, and receives those
// that it has in return. It returns when all messages up to last were applied, or did not arrive.
// The caller holds the lock of the pair.
func (c *Store) exchange(ctx context.Context, src box, from, to uint32, last uint64) error {
	there := rpc.Asker{Engine: c.peers.Engine, Subject: subject(c.peers.Job, to)}
	pair := [2]uint32{from, to}
	for {
		ms, err := src.Mail(to, atOnce)
		if err != nil {
			return err
		}
		ms = fitting(ms)
		applied, owed := c.unacknowledged(pair)
		if len(ms) == 0 && !owed {
			return nil
		}
		first, answered := uint64(0), true
		if len(ms) > 0 {
			first = ms[0].N
		}
		if c.o.carry != nil {
			if ms, answered = c.o.carry(from, to, ms); len(ms) == 0 {
				return nil
			}
		}
		p := parcel{from, applied, ms}
		b, err := there.Post(ctx, p.encode())
		if err != nil {
			return err
		}
		back, err := decodeParcel(b)
		if err != nil {
			return err
		}
		if !answered {
			return nil
		}
		c.acknowledge(pair, applied)
		if first > 0 && back.applied >= first {
			c.moved()
			c.carried.Add(back.applied - first + 1) // before the sender knows it: see find
			src.Sent(to, back.applied)
			c.notify()
		}
		if len(back.mail) > 0 {
			if _, err := c.receive(ctx, to, from, back.mail); err != nil {
				return err
			}
		} else if back.applied >= last || first > 0 && back.applied < first {
			return nil
		}
	}
}

// refused tells Membership.Refused why messages are not accepted, or notes that they are.
func (p *peers) refused(from, to uint32, err error) {
	if p == nil || p.Refused == nil {
		return
	}
	pair, why := [2]uint32{from, to}, ""
	if errors.As(err, new(*engine.AnswerError)) || errors.Is(err, engine.ErrTooLarge) {
		why = err.Error()
	} else if err != nil {
		return
	}
	p.mu.Lock()
	before := p.why[pair]
	p.why[pair] = why
	p.mu.Unlock()
	if why != "" && why != before {
		p.Refused(to, err)
	}
}

// deliver takes the messages of another process and answers with those for it.
func (c *Store) deliver(ctx context.Context, place uint32, question []byte) ([]byte, error) {
	p, err := decodeParcel(question)
	if err != nil {
		return nil, err
	}
	b, _ := c.boxOf(place)
	b.Sent(p.from, p.applied)
	answer := parcel{from: place}
	if answer.applied, err = c.receive(ctx, p.from, place, p.mail); err != nil {
		return nil, err
	}
	if !c.carrying(place, p.from) {
		if answer.mail, err = b.Mail(p.from, atOnce); err != nil {
			return nil, err
		}
		answer.mail = fitting(answer.mail)
	}
	return answer.encode(), nil
}

// carrying reports whether the messages of a partition of this process to the gate are being sent
// just now: sent twice they would have to be read twice. Answers of the gate to claims are always
// sent with the acknowledgement, since Settle waits for them.
func (c *Store) carrying(from, to uint32) bool {
	if to != store.GatePlace {
		return false
	}
	pair := &c.pairs[from][len(c.parts)]
	if !pair.TryLock() {
		return true
	}
	pair.Unlock()
	return false
}

// receive applies the messages of a store of another process, and returns the number up to which
// they are applied.
func (c *Store) receive(ctx context.Context, from, to uint32, ms []message) (through uint64, err error) {
	if len(ms) == 0 {
		return 0, nil
	}
	if err := c.fault(); err != nil {
		return 0, err
	}
	if from == store.GatePlace {
		if err := c.introduceAll(c.here[to], ms); err != nil {
			return 0, err
		}
	}
	b, i := c.boxOf(to)
	through, err = b.Deliver(ctx, from, ms)
	if err != nil {
		if !rpc.IsAway(err) {
			c.fail(err)
		}
		return 0, err
	}
	c.moved()
	c.posted(i) // messages that follow from these
	c.notify()
	c.peers.mu.Lock()
	defer c.peers.mu.Unlock()
	pair := [2]uint32{to, from}
	c.peers.applied[pair] = max(c.peers.applied[pair], through)
	return through, nil
}

// unacknowledged returns up to which number a store of this process has applied the messages of
// another store, and whether that one still has to be told.
func (c *Store) unacknowledged(pair [2]uint32) (applied uint64, owed bool) {
	c.peers.mu.Lock()
	defer c.peers.mu.Unlock()
	applied = c.peers.applied[pair]
	return applied, applied > c.peers.acknowledged[pair]
}

func (c *Store) acknowledge(pair [2]uint32, applied uint64) {
	c.peers.mu.Lock()
	defer c.peers.mu.Unlock()
	c.peers.acknowledged[pair] = max(c.peers.acknowledged[pair], applied)
}

// moved notes that a partition of this process may have something to do.
func (c *Store) moved() {
	if c.peers != nil {
		c.peers.moves.Add(1)
	}
}

// mayLease waits until a URL may be leased.
func (c *Store) mayLease(ctx context.Context) error {
	for c.peers != nil && c.peers.Allowed != nil && !c.peers.allowed() {
		if err := c.rest(ctx); err != nil {
			return err
		}
	}
	return nil
}

// stillAllowed is how long Allowed is not asked again after it has returned nil. Many workers ask
// for a URL at once, and reading the clock is a system call. Allowed is asked once more before each
// request.
const stillAllowed = 5 * time.Millisecond

// allowed reports whether a URL may be leased.
func (p *peers) allowed() bool {
	now := time.Since(p.start)
	if at := p.looked.Load(); at > 0 && now-time.Duration(at) < stillAllowed {
		return true
	}
	if p.Allowed() != nil {
		p.looked.Store(0)
		return false
	}
	p.looked.Store(int64(now))
	return true
}

// mark returns a number that changes with whatever may bring work: see find.
func (c *Store) mark() uint64 {
	if c.peers != nil {
		return c.peers.moves.Load()
	}
	return c.carried.Load()
}

// A state is what a process reports about itself. The end of a job is found by comparing the states
// of all processes.
type state struct {
	Moves uint64 // see peers.moves
	Idle  bool   // it has nothing to do, and no message to send
	Vain  bool   // its audits found nothing to do either
}

func (c *Store) state() state {
	moves := c.peers.moves.Load()
	return state{moves, c.peers.idle.Load() == moves && c.silent(), c.peers.vain.Load() == moves}
}

// findAmongPeers is find for a job in several processes. The job is at its end when all processes
// are idle, their audits found nothing to do, and nothing has happened in any of them between two
// rounds of questions.
func (c *Store) findAmongPeers(ctx context.Context, before uint64) (more bool, err error) {
	if c.peers.Ended() {
		return false, nil
	}
	if !c.silent() {
		if err := c.settled(context.WithoutCancel(ctx)); err != nil {
			return false, err
		}
		return true, c.rest(ctx)
	}
	if c.peers.moves.Load() != before {
		return true, nil
	}
	c.peers.idle.Store(before)
	if time.Since(time.Unix(0, c.peers.asked.Load())) < peersAgain {
		return true, c.rest(ctx)
	}
	if _, ok := c.round(ctx, false); !ok {
		c.peers.asked.Store(time.Now().UnixNano())
		return true, c.rest(ctx)
	}
	if c.peers.vain.Load() != before {
		for _, p := range c.own {
			if more, err := p.Audit(ctx); err != nil || more {
				c.moved()
				return more, err
			}
		}
		c.peers.vain.Store(before)
		return true, nil
	}
	if first, ok := c.round(ctx, true); ok {
		if second, ok := c.round(ctx, true); ok && sameMoves(first, second) {
			return !c.peers.Ended(), c.peers.Done(ctx)
		}
	}
	return true, c.rest(ctx)
}

// rest waits for a moment, or until something comes.
func (c *Store) rest(ctx context.Context) error { return c.sleep(ctx, peersAgain) }

// round asks every partition and the gate, and reports whether all processes are idle and, if vain
// is set, whether their audits found nothing either.
func (c *Store) round(ctx context.Context, vain bool) (moves []uint64, ok bool) {
	for i := range c.unsent {
		place := c.placeOf(i)
		s := c.state()
		if b, _ := c.boxOf(place); b == nil {
			var err error
			if s, err = rpc.Ask[state](ctx, rpc.Asker{Engine: c.peers.Engine, Subject: subject(c.peers.Job, place)}, methodState, struct{}{}); err != nil {
				return nil, false
			}
		}
		if !s.Idle || vain && !s.Vain {
			return nil, false
		}
		moves = append(moves, s.Moves)
	}
	return moves, true
}

func sameMoves(a, b []uint64) bool {
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

// leave sends the messages that can be sent now, and stops serving.
func (c *Store) leave() {
	ctx, cancel := context.WithTimeout(context.Background(), leaveTimeout)
	defer cancel()
	if err := c.settled(ctx); err != nil && ctx.Err() == nil {
		c.fail(err)
	}
	c.peers.end()
	for _, stop := range c.peers.stops {
		stop()
	}
}

// leaveTimeout bounds how long messages are sent when a process ends. The others wait in its
// outboxes until it is started again.
const leaveTimeout = 2 * time.Second

// Inspect returns the job on an engine for reading. It opens nothing: every question goes to the
// processes that have the partitions. nodes are those of the partitions; the first one has the gate
// too. closed returns what a node says about partitions that it has not opened, such as "cannot
// write", or "" for nothing.
func Inspect(e engine.Engine, job string, nodes []string, closed func(ctx context.Context, node string) string) gatecrawl.Inspector {
	c := newStore("job "+job, Options{Store: store.Options{ReadOnly: true}}, uint32(len(nodes)))
	asker := func(node string, place uint32, what string) rpc.Asker {
		return rpc.Asker{
			Engine: e, Subject: subject(job, place), Who: fmt.Sprintf("node %s, which has %s of job %s,", node, what, job),
			Closed: func(ctx context.Context) string { return closed(ctx, node) },
		}
	}
	for i, node := range nodes {
		c.parts[i] = &remotePart{asker(node, uint32(i), fmt.Sprintf("partition %d", i))}
	}
	c.gate = &remoteGate{Asker: asker(nodes[0], store.GatePlace, "the gate")}
	return c
}
