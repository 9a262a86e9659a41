package queue

import (
	"bytes"
	"errors"
	"fmt"
	"iter"
	"math"
	"slices"
	"time"

	"gatecrawl.example/gatecrawl/frontier"
	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/priority"
	"gatecrawl.example/gatecrawl/store/kv"
)

// A Tx is what one commit does to a Queue. Transactions that share the commit share the
// Tx. It belongs to the goroutine that writes.
type Tx struct {
	// Counts are what the commit changes in the counts of the job.
	Counts Counts

	q       *Queue
	kv      kv.Tx
	order   uint64 // of the URL discovered last
	urls    map[weburl.Key]*Record
	changes map[weburl.HostKey]*change
	settled []*Held

	waiting, waitTill int64 // of TableLater, after the commit
}

// Counts are changes of what a job counts of its queue.
type Counts struct {
	Seen       int64            // URLs that were never met before
	Requisites int64            // the same of requisites, which do not count as such
	Queued     int64            // entries that were added, less those taken out
	Refused    map[string]int64 // URLs, by rule
}

// Begin starts a commit. Order is that of the URL that was discovered last.
func (q *Queue) Begin(tx kv.Tx, order uint64) *Tx {
	q.sched.mu.Lock()
	waiting, waitTill := q.sched.waiting, q.sched.waitTill
	q.sched.mu.Unlock()
	return &Tx{
		Counts: Counts{Refused: make(map[string]int64)},
		q:      q, kv: tx, order: order,
		urls: make(map[weburl.Key]*Record), changes: make(map[weburl.HostKey]*change),
		waiting: waiting, waitTill: waitTill,
	}
}

// Finish writes what the commit has changed, and returns how many hosts there are then.
// It comes after all else that the commit does to the queue.
func (t *Tx) Finish() (hosts int, err error) {
	for k, rec := range t.urls {
		t.kv.Put(TableURLs, k[:], rec.Encode())
	}
	hosts = t.q.sched.encode(t.changes, func(h weburl.HostKey, v []byte) { t.kv.Put(TableHosts, h[:], v) })
	first, ok, err := kv.First(kv.All(t.kv, TableLater))
	if err != nil {
		return hosts, err
	}
	t.waitTill = 0
	if ok {
		t.waitTill = LaterTime(first.Key)
	}
	return hosts, nil
}

// Committed brings the hosts in memory up to date, once the commit is durable.
func (t *Tx) Committed() {
	t.q.sched.committed(t.changes, t.urls, t.settled, t.waiting, t.waitTill)
}

// Order returns the order of the URL that was discovered last.
func (t *Tx) Order() uint64 { return t.order }

// NextOrder counts one discovery more.
func (t *Tx) NextOrder() uint64 {
	t.order++
	return t.order
}

// Waiting returns how many URLs wait for their time after the commit.
func (t *Tx) Waiting() int64 { return t.waiting }

// Get returns the record of a URL as the commit has left it, to be changed and put; nil:
// the URL was never met.
func (t *Tx) Get(k weburl.Key) (*Record, error) {
	if rec := t.urls[k]; rec != nil {
		return rec, nil
	}
	rec, ok, err := Get(t.kv, k)
	if err != nil || !ok {
		return nil, err
	}
	return &rec, nil
}

// Changed returns the record of a URL if the commit has put it; nil: it has not.
func (t *Tx) Changed(k weburl.Key) *Record { return t.urls[k] }

// Put writes a record when the commit is finished.
func (t *Tx) Put(k weburl.Key, rec *Record) { t.urls[k] = rec }

// Remember notes the score that a URL has, so that links to it that bring no better one
// cost no look-up: +Inf for one that is done, -Inf for one that is refused.
func (t *Tx) Remember(k weburl.Key, score float32) { t.q.known.put(k, score) }

// Record returns the record of the lease's URL as it was when it was lent.
func (l *Held) Record() *Record { return &l.rec }

// Take takes the URL of a held lease out of the queue, and returns its record, to be
// changed and put. The lease ends when the commit is durable.
func (t *Tx) Take(l *Held) (*Record, error) {
	rec, err := t.lent(l)
	if err != nil {
		return nil, err
	}
	t.unqueue(l.Key, rec)
	t.settled = append(t.settled, l)
	return rec, nil
}

// lent returns the record of a lease's URL: that which was read when it was lent,
// where it has not changed since.
func (t *Tx) lent(l *Held) (*Record, error) {
	if t.urls[l.Key] == nil && !l.stale {
		rec := l.rec
		return &rec, nil
	}
	rec, err := t.Get(l.Key)
	if err == nil && (rec == nil || rec.State != Queued) {
		err = fmt.Errorf("url %s: lent out, but not in the queue", l.rec.URL)
	}
	return rec, err
}

// CountFetch counts a request for a page of the lease's host.
func (t *Tx) CountFetch(l *Held) { t.change(l.Key.Host(), l.rec.URL).fetched++ }

// CountNew counts a new document of the lease's host.
func (t *Tx) CountNew(l *Held) { t.change(l.Key.Host(), l.rec.URL).found++ }

// Touch writes the record of a host anew, see Queue.Release.
func (t *Tx) Touch(l *Held) { t.change(l.Key.Host(), l.rec.URL) }

// TouchHost writes the record of a URL's host anew, see Queue.Park.
func (t *Tx) TouchHost(u weburl.URL) { t.change(u.Key().Host(), u.String()) }

// Enqueue puts a URL's entry into the queue, by its record's score and order, and the
// record with it.
func (t *Tx) Enqueue(k weburl.Key, rec *Record) {
	rec.State, rec.NotBefore = Queued, 0
	t.enter(k, rec.URL, rec.Score, rec.Order).queued++
	t.Counts.Queued++
	t.Put(k, rec)
}

// unqueue takes a URL's entry out of the queue.
func (t *Tx) unqueue(k weburl.Key, rec *Record) {
	t.kv.Delete(TableEntries, EntryKey(k.Host(), rec.Score, rec.Order))
	t.change(k.Host(), rec.URL).queued--
	t.Counts.Queued--
}

// enter puts an entry into a host's queue, and tells the scheduler where.
func (t *Tx) enter(k weburl.Key, url string, score float32, order uint64) *change {
	t.kv.Put(TableEntries, EntryKey(k.Host(), score, order), k[6:])
	c := t.change(k.Host(), url)
	c.added = append(c.added, entry{positionOf(score, order), [10]byte(k[6:])})
	return c
}

// change returns the change of a URL's host.
func (t *Tx) change(h weburl.HostKey, url string) *change {
	if c := t.changes[h]; c != nil {
		return c
	}
	c := &change{name: weburl.HostOf(url)}
	t.changes[h] = c
	return c
}

// Wait puts a URL aside until the given time.
func (t *Tx) Wait(k weburl.Key, rec *Record, till time.Time) {
	rec.State, rec.NotBefore = Later, till.UnixNano()
	t.kv.Put(TableLater, LaterKey(rec.NotBefore, k), present)
	t.waiting++
	t.Put(k, rec)
}

// Promote queues the URLs whose time has come, some thousands at most, and from the other
// end those that were put aside before the machine's clock was set back.
func (t *Tx) Promote() error {
	const most = 10_000
	now := t.q.Now()
	var due [][]byte
	take := func(rows iter.Seq2[kv.Entry, error], wanted func(till int64) bool) error {
		for e, err := range rows {
			if err != nil {
				return err
			}
			if !wanted(LaterTime(e.Key)) || len(due) == most {
				break
			}
			due = append(due, bytes.Clone(e.Key))
		}
		return nil
	}
	err := errors.Join(
		take(kv.All(t.kv, TableLater), func(till int64) bool { return till <= now.UnixNano() }),
		take(t.kv.Falling(TableLater, nil, nil), func(till int64) bool { return t.q.sched.stranded(till, now) }))
	if err != nil {
		return err
	}
	for _, d := range due {
		t.kv.Delete(TableLater, d)
		t.waiting--
		k := weburl.Key(d[8:])
		rec, err := t.Get(k)
		if err != nil {
			return err
		}
		if rec == nil {
			return fmt.Errorf("url %s: in later, but not in urls", k)
		}
		t.Enqueue(k, rec)
	}
	return nil
}

// Rescore gives a waiting URL new signals, and its entry in the queue the place that
// goes with them.
func (t *Tx) Rescore(k weburl.Key, rec *Record, s priority.Signals) {
	score := t.q.priority.Score(s)
	if rec.Flags&Postponed != 0 {
		score -= postponement
	}
	if rec.Page != 0 {
		score = rec.Score // it waits for another visit
	}
	if rec.State == Queued && score != rec.Score {
		t.kv.Delete(TableEntries, EntryKey(k.Host(), rec.Score, rec.Order))
		t.enter(k, rec.URL, score, rec.Order).moved = true
	}
	rec.Signals, rec.Score = s, score
	t.Remember(k, score)
	t.Put(k, rec)
}

// Postpone queues a URL behind all that is no copy. It must not be in the queue.
func (t *Tx) Postpone(k weburl.Key, rec *Record) {
	rec.Flags |= Postponed
	rec.Score = t.q.priority.Score(rec.Signals) - postponement
	t.Remember(k, rec.Score)
	t.Enqueue(k, rec)
}

// A Link is a candidate with its key and score, which are computed beside the goroutine
// that writes.
type Link struct {
	Key       weburl.Key
	Score     float32
	Candidate *frontier.Candidate
}

// Links computes the keys and scores of candidates.
func (q *Queue) Links(cs []frontier.Candidate) []Link {
	ls := make([]Link, len(cs))
	for i := range cs {
		c := &cs[i]
		ls[i] = Link{c.URL.Key(), q.priority.Score(c.Signals), c}
		if c.Kind&frontier.RequisiteLink != 0 {
			ls[i].Key, ls[i].Score = ls[i].Key.Requisite(), requisiteScore
		}
	}
	return ls
}

// Add queues the links that were never met, remembers the refused ones, and
// gives those that still wait the better of their old and new signals. Of
// equal links the first counts.
func (t *Tx) Add(links []Link) error {
	base := t.order
	order := make([]int, len(links))
	for i := range order {
		order[i] = i
	}
	// In the order of their keys the records fall on neighbouring pages.
	slices.SortFunc(order, func(a, b int) int {
		if c := bytes.Compare(links[a].Key[:], links[b].Key[:]); c != 0 {
			return c
		}
		return a - b
	})
	for n, i := range order {
		l := &links[i]
		s := &l.Candidate.Signals
		requisite := l.Candidate.Kind&frontier.RequisiteLink != 0
		if t.q.priority.Inlinks == 0 || n > 0 && links[order[n-1]].Key == l.Key || l.Candidate.From == l.Key {
			s.Inlinks = 0 // nobody asks; it was counted for this page; it is the page itself
		}
		if !requisite && (s.Copy || s.Inlinks > 0) {
			l.Score = t.q.priority.Score(*s)
		}
		named := l.Candidate.From == (weburl.Key{}) && l.Candidate.Label != ""
		if best, ok := t.q.known.get(l.Key); ok && !named && (!l.Candidate.Refused.IsZero() || l.Score <= best && (s.Inlinks == 0 || math.IsInf(float64(best), 1))) {
			continue
		}
		if t.q.filter.Has(l.Key) {
			rec, err := t.Get(l.Key)
			if err != nil {
				return err
			}
			if rec != nil {
				if err := t.meetAgain(l, rec); err != nil {
					return err
				}
				continue
			}
		}
		t.meet(l, base+uint64(i)+1)
	}
	t.order = base + uint64(len(links))
	return nil
}

// meet records a URL that was never met.
func (t *Tx) meet(l *Link, order uint64) {
	t.q.filter.Add(l.Key)
	c := l.Candidate
	rec := &Record{
		URL: c.URL.String(), From: c.From, Anchor: c.Anchor, Label: c.Label,
		Signals: c.Signals, Trail: c.Trap, Score: l.Score, Order: order,
	}
	if c.Kind&frontier.RequisiteLink != 0 {
		rec.Flags |= Requisite
		t.Counts.Requisites++
	} else {
		t.Counts.Seen++
	}
	if !c.Refused.IsZero() {
		t.Refuse(l.Key, rec, c.Refused)
		return
	}
	t.Remember(l.Key, l.Score)
	t.Enqueue(l.Key, rec)
}

// Refuse records that a URL is not to be fetched, and why. It must not be in the queue.
func (t *Tx) Refuse(k weburl.Key, rec *Record, why frontier.Refusal) {
	rec.State, rec.Refusal = Refused, why
	t.Counts.Refused[why.Rule]++
	t.Remember(k, float32(math.Inf(-1)))
	t.Put(k, rec)
}

// Readmit takes back a refusal, and queues the URL.
func (t *Tx) Readmit(k weburl.Key, rec *Record) {
	t.Counts.Refused[rec.Refusal.Rule]--
	rec.Refusal = frontier.Refusal{}
	t.Remember(k, rec.Score)
	t.Enqueue(k, rec)
}

// meetAgain takes from another link to a known URL what is better than what is
// known.
func (t *Tx) meetAgain(l *Link, rec *Record) error {
	c := l.Candidate
	if rec.Flags&Requisite != 0 {
		return nil // one visit is enough
	}
	switch rec.State {
	case Done:
		t.Remember(l.Key, float32(math.Inf(1)))
		return nil
	case Refused:
		if !c.Refused.IsZero() {
			t.Remember(l.Key, float32(math.Inf(-1)))
			return nil
		}
		if t.q.wanted != nil {
			if decided, err := t.q.wanted(t, l, rec); err != nil || decided {
				return err
			}
		}
		rec.From, rec.Anchor, rec.Trail = c.From, c.Anchor, c.Trap
		rec.Label = c.Label
		rec.Signals, rec.Score = c.Signals, l.Score
		t.Readmit(l.Key, rec)
		return nil
	}
	if !c.Refused.IsZero() {
		t.Remember(l.Key, rec.Score)
		return nil
	}
	s := better(rec.Signals, c.Signals)
	if c.From == (weburl.Key{}) && c.Label != "" && c.Label != rec.Label {
		// Handed in by a user, who may call it anew.
		rec.Label = c.Label
		t.Rescore(l.Key, rec, s)
		return nil
	}
	if s == rec.Signals {
		t.Remember(l.Key, rec.Score)
		return nil
	}
	t.Rescore(l.Key, rec, s)
	return nil
}

// better takes the better of each signal.
func better(a, b priority.Signals) priority.Signals {
	return priority.Signals{
		Seed:      betterSeed(a.Seed, b.Seed),
		Depth:     min(a.Depth, b.Depth),
		Relevance: max(a.Relevance, b.Relevance),
		Anchor:    max(a.Anchor, b.Anchor),
		Degree:    max(a.Degree, b.Degree),
		Copy:      a.Copy && b.Copy,
		Inlinks:   uint16(min(int(a.Inlinks)+int(b.Inlinks), math.MaxUint16)),
	}
}

// betterSeed takes the larger priority of those that a user gave: 0 is none.
func betterSeed(a, b float32) float32 {
	if a == 0 || b == 0 {
		return a + b
	}
	return max(a, b)
}
