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
	return []*kv.Table{TableHosts, TableEntries, TableURLs, TableLater, TableCash, TableOutcomes}
}

// present is the value of rows that need none.
var present = []byte{1}

// A Queue is the queue of a job. Only a Tx changes its tables; what the Queue holds in memory
// follows them. All methods may be called from many goroutines, except Load, OpenFilter and Close,
// and Begin, which is for the writer.
type Queue struct {
	o        Options
	priority priority.Options
	kv       kv.Store
	sched    *scheduler
	filter   *seen.Filter
	known    *recent.URLs          // only the writer uses it
	linked   map[weburl.Key]uint32 // recent.URL.Links of URLs that were forgotten and had More set. Only the writer uses it
	ledger   ledger                // only the writer uses it
	wanted   Wanted
}

// A Wanted decides what to do with a refused URL when a link leads to it that is not refused. If it
// returns false, the refusal is taken back. It runs within the transaction that brought the link.
type Wanted func(t *Tx, l *Link, rec *Record) (decided bool, err error)

// New returns an empty queue. Wanted may be nil.
func New(o Options, p priority.Options, wanted Wanted) *Queue {
	sched := newScheduler(o)
	sched.priority = p
	return &Queue{o: o, priority: p, sched: sched, known: recent.New(), linked: make(map[weburl.Key]uint32), wanted: wanted}
}

// Load loads the hosts of a job into memory. hosts and waiting are how many hosts and how many URLs
// in TableLater there were at the last commit. With goesOn, parked hosts are tried again.
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

// OpenFilter opens the file of the filter in front of TableURLs. The filter is rebuilt if it may
// have missed a write (after a power failure, or if the file is lost or damaged). It must be open
// before URLs are added.
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
	return f.Sync() // from now on it is complete
}

// Filter returns the filter in front of TableURLs; nil if it is not open.
func (q *Queue) Filter() *seen.Filter { return q.filter }

// Close closes the filter.
func (q *Queue) Close() error {
	if q.filter == nil {
		return nil
	}
	return q.filter.Close()
}

// Next leases the best URL of a host whose turn it is, see frontier.Backlog. It calls promote when
// URLs in TableLater are due; promote must have a transaction call Tx.Promote.
func (q *Queue) Next(ctx context.Context, promote func()) (frontier.Lease, error) {
	return q.sched.next(ctx, q, promote)
}

// peek implements reader. It reads only scattered tables, so it may be called under the scheduler's
// lock: see kv.Store.View.
func (q *Queue) peek(fn func(snapshot) error) error {
	return q.kv.View(context.Background(), func(r kv.Reader) error { return fn(snapshotOf{r}) }, TableEntries, TableURLs)
}

// Release ends a lease without a visit and makes its host rest. If the host is to rest for longer
// than its record says, Release returns the lease, and Tx.Touch must write the record; otherwise it
// returns nil.
func (q *Queue) Release(l frontier.Lease, rest time.Duration) (*Held, error) {
	held, owed, err := q.sched.release(l.Token, rest, l.Addr)
	if err != nil || !owed {
		return nil, err
	}
	return held, nil
}

// Reserve gives the host of a lease one more request. It returns when this may be sent: not before from, and
// as long after the host's other requests as any of them.
func (q *Queue) Reserve(l frontier.Lease, from time.Time) time.Time {
	return q.sched.reserve(l.Token, from)
}

// Hold keeps a lease until a transaction has removed its URL from the queue: the lease no longer
// expires, and its host may be asked again after it has rested from the end of the request. A host
// that was not asked need not rest. The error is frontier.ErrLeaseLost if the lease has ended.
func (q *Queue) Hold(l frontier.Lease, a Answer) (*Held, error) { return q.sched.settling(l.Token, a) }

// SetLeasable says which URLs Next leases from now on. If these are not all, it returns frontier.ErrEmpty
// when the only ones left wait for another try.
func (q *Queue) SetLeasable(which frontier.Leasable) { q.sched.setLeasable(which) }

// Fail makes every Next return err from now on.
func (q *Queue) Fail(err error) {
	q.sched.mu.Lock()
	defer q.sched.mu.Unlock()
	q.sched.fail(err)
}

// Working returns how many leases may still be settled, without those that are being settled.
func (q *Queue) Working() int { return q.sched.working() }

// Leased reports whether a URL is leased.
func (q *Queue) Leased(k weburl.Key) bool { return q.sched.takenNow(k) }

// Now returns the time by which URLs in TableLater become due.
func (q *Queue) Now() time.Time {
	q.sched.mu.Lock()
	defer q.sched.mu.Unlock()
	return q.sched.wallClock()
}

// SetClock replaces the clock of Now. It may be called while the queue is in use. Waits within a
// run use the monotonic clock, which can't be set.
func (q *Queue) SetClock(now func() time.Time) {
	q.sched.mu.Lock()
	defer q.sched.mu.Unlock()
	q.sched.wallClock = now
}

// Host returns the record of a host by its name, and whether it has used up its budget; nil: the
// host is not known.
func (q *Queue) Host(name string) (r *HostRecord, held bool) { return q.sched.state(name) }

// Fetched reports whether a host was asked and its queue is empty.
func (q *Queue) Fetched(h weburl.HostKey) bool {
	q.sched.mu.Lock()
	defer q.sched.mu.Unlock()
	host := q.sched.hosts.find(h)
	return host != nil && host.queued == 0 && host.fetched > 0
}

// Totals are the counts of a job that only the queue knows.
type Totals struct {
	Hosts   int64 // that were ever seen
	Leased  int64 // leased URLs
	Held    int64 // URLs of hosts that have used up their budget
	Waiting int64 // URLs in TableLater
	Parked  int64 // URLs of parked hosts

	Aside int64 // of these, URLs of hosts that a user parked

	ParkedHosts, AsideHosts int64
}

// Totals returns the current counts.
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
