package queue

import (
	"bytes"
	"context"
	"fmt"
	"time"

	"gatecrawl.example/gatecrawl/frontier"
	"gatecrawl.example/gatecrawl/frontier/queue/internal/recent"
	"gatecrawl.example/gatecrawl/frontier/seen"
	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/priority"
	"gatecrawl.example/gatecrawl/store/kv"
)

// Tables returns all tables of a Queue.
func Tables() []*kv.Table {
	return []*kv.Table{TableHosts, TableEntries, TableURLs, TableLater, TableCash}
}

// present is the value of rows whose key says all.
var present = []byte{1}

// A Queue is the queue of a job. Its tables may be changed by a Tx alone; what it holds in
// memory follows them. All methods may be called from many goroutines, but for Load,
// OpenFilter and Close, and for Begin, which is the writer's.
type Queue struct {
	o        Options
	priority priority.Options
	kv       kv.Store
	sched    *scheduler
	filter   *seen.Filter
	known    *recent.URLs          // the writer's
	linked   map[weburl.Key]uint32 // the writer's: recent.URL.Links of URLs that were forgotten and had More set
	ledger   ledger                // the writer's
	wanted   Wanted
}

// A Wanted decides about a URL that was refused, when a link that is not refused leads to
// it. It reports whether it has decided: else the refusal is taken back. It runs within
// the transaction that brought the link.
type Wanted func(t *Tx, l *Link, rec *Record) (decided bool, err error)

// New returns an empty queue. Wanted may be nil.
func New(o Options, p priority.Options, wanted Wanted) *Queue {
	return &Queue{o: o, priority: p, sched: newScheduler(o), known: recent.New(), linked: make(map[weburl.Key]uint32), wanted: wanted}
}

// Load loads the hosts of a job into memory. Hosts and waiting are how many hosts and how many
// URLs that wait for their time there were at the last commit. If the job goes on, parked hosts
// are tried again.
func (q *Queue) Load(store kv.Store, hosts, waiting int64, goesOn bool) error {
	q.kv = store
	return store.View(context.Background(), func(r kv.Reader) error {
		now := time.Now()
		q.sched.expect(hosts)
		for e, err := range kv.All(r, TableHosts) {
			if err != nil {
				return err
			}
			if len(e.Key) != len(weburl.HostKey{}) {
				return fmt.Errorf("host %x: not the key of a host: run crawl check", e.Key)
			}
			h, err := DecodeHost(e.Value)
			if err != nil {
				return err
			}
			q.sched.load(weburl.HostKey(e.Key), &h, now, goesOn)
		}
		first, ok, err := kv.First(kv.All(r, TableLater))
		if ok {
			q.sched.waitTill = LaterTime(first.Key)
			q.sched.waiting = waiting
		}
		return err
	})
}

// OpenFilter opens the filter in front of TableURLs, a file. It is filled again if it may have
// missed a write (power failure, a file that is gone or torn). It has to be open before URLs
// are added.
func (q *Queue) OpenFilter(file string, o seen.Options) error {
	f, intact, err := seen.Open(file, o)
	if err != nil {
		return err
	}
	q.filter = f
	if intact {
		return nil
	}
	if err := f.Reset(); err != nil {
		return err
	}
	err = q.kv.View(context.Background(), func(r kv.Reader) error {
		for e, err := range kv.All(r, TableURLs) {
			if err != nil {
				return err
			}
			f.Add(weburl.Key(e.Key))
		}
		return nil
	})
	if err != nil {
		return err
	}
	return f.Sync() // from now on it is whole
}

// Filter returns the filter in front of TableURLs; nil: it is not open.
func (q *Queue) Filter() *seen.Filter { return q.filter }

// Close closes the filter.
func (q *Queue) Close() error {
	if q.filter == nil {
		return nil
	}
	return q.filter.Close()
}

// Next lends the best URL of a host whose turn it is, see frontier.Backlog. Promote is
// called when URLs are due that wait for their time: it has to have a transaction call
// Tx.Promote.
func (q *Queue) Next(ctx context.Context, promote func()) (frontier.Lease, error) {
	return q.sched.next(ctx, q, promote)
}

// peek is reader's. It reads nothing but scattered tables, so that it may be called under
// the scheduler's lock: see kv.Store.View.
func (q *Queue) peek(fn func(snapshot) error) error {
	return q.kv.View(context.Background(), func(r kv.Reader) error { return fn(snapshotOf{r}) }, TableEntries, TableURLs)
}

// Release ends a lease unvisited and lets its host rest. It returns the lease where the
// record of its host has to be written by Tx.Touch, since it is to rest for longer than
// its record says, else nil.
func (q *Queue) Release(l frontier.Lease, rest time.Duration) (*Held, error) {
	held, owed, err := q.sched.release(l.Token, rest, l.Addr)
	if err != nil || !owed {
		return nil, err
	}
	return held, nil
}

// Hold keeps a lease until a transaction has taken its URL out of the queue: it does not
// expire from now on, and its host goes on, after it has rested from the end of the
// request. A host that was not asked need not rest. It fails with frontier.ErrLeaseLost
// where the lease has ended.
func (q *Queue) Hold(l frontier.Lease, a Answer) (*Held, error) { return q.sched.settling(l.Token, a) }

// SetLending says which URLs Next lends from now on. If these are not all, it returns frontier.ErrEmpty
// when the only ones left wait for another try.
func (q *Queue) SetLending(which frontier.Lending) { q.sched.setLending(which) }

// Fail has every Next return err from now on.
func (q *Queue) Fail(err error) {
	q.sched.mu.Lock()
	defer q.sched.mu.Unlock()
	q.sched.fail(err)
}

// Working returns how many leases may still be settled: those that are not being settled
// yet.
func (q *Queue) Working() int { return q.sched.working() }

// Leased reports whether a URL is lent out.
func (q *Queue) Leased(k weburl.Key) bool { return q.sched.takenNow(k) }

// Now is the clock by which waiting URLs become due.
func (q *Queue) Now() time.Time {
	q.sched.mu.Lock()
	defer q.sched.mu.Unlock()
	return q.sched.wallClock()
}

// SetClock has another clock tell Now. It may be called while the queue is in use. What
// waits within a run goes by the monotonic clock, which no one can set.
func (q *Queue) SetClock(now func() time.Time) {
	q.sched.mu.Lock()
	defer q.sched.mu.Unlock()
	q.sched.wallClock = now
}

// Host returns what is known of a host by its name, and whether it has used up its budget; nil:
// it is not known.
func (q *Queue) Host(name string) (r *HostRecord, held bool) { return q.sched.state(name) }

// Fetched reports whether a host was asked and its queue is empty.
func (q *Queue) Fetched(h weburl.HostKey) bool {
	q.sched.mu.Lock()
	defer q.sched.mu.Unlock()
	host := q.sched.hosts.find(h)
	return host != nil && host.queued == 0 && host.fetched > 0
}

// Totals are what only the queue knows of a job's counts.
type Totals struct {
	Hosts   int64 // that were ever seen
	Leased  int64 // URLs
	Held    int64 // URLs of hosts that have had as many pages as they may
	Waiting int64 // URLs that wait for their time
	Parked  int64 // URLs of parked hosts

	Aside int64 // those of hosts that a user parked

	ParkedHosts, AsideHosts int64
}

// Totals returns the counts of this moment.
func (q *Queue) Totals() Totals { return q.sched.counts() }

// HostsOf returns the hosts of a registrable domain. Their names are in their records.
func HostsOf(r kv.Reader, domain string) (hs []weburl.HostKey, err error) {
	for e, err := range kv.All(r, TableHosts) {
		if err != nil {
			return nil, err
		}
		if !bytes.Contains(e.Value, []byte(domain)) {
			continue
		}
		h, err := DecodeHost(e.Value)
		if err != nil {
			return nil, err
		}
		if u, err := weburl.Parse("http://" + h.Name + "/"); err == nil && u.Domain() == domain {
			hs = append(hs, u.Key().Host())
		}
	}
	return hs, nil
}
