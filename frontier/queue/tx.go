package queue

import (
	"bytes"
	"errors"
	"fmt"
	"iter"
	"maps"
	"math"
	"slices"
	"time"

	"gatecrawl.example/gatecrawl/frontier"
	"gatecrawl.example/gatecrawl/frontier/queue/internal/recent"
	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/priority"
	"gatecrawl.example/gatecrawl/store/kv"
)

// A Tx has the changes of one commit to a Queue. Transactions that share the commit share the Tx.
// Only the goroutine that writes may use it.
type Tx struct {
	// Counts are the commit's changes of the job's counts.
	Counts Counts

	// Recrawl says that the job is being crawled again: then an unknown URL in a feed or sitemap is
	// news.
	Recrawl bool

	q       *Queue
	kv      kv.Tx
	order   uint64 // of the URL discovered last
	urls    map[weburl.Key]*Record
	changes map[weburl.HostKey]*change
	settled []*Held
	paid    []payment // what pages pay in this commit
	raised  []raise   // URLs that get a better place with this commit

	waiting, waitTill int64 // state of TableLater after the commit
}

// Counts are changes of the counts that a job has of its queue.
type Counts struct {
	Seen       int64            // URLs that were never seen before
	Queued     int64            // entries added minus entries removed
	Refused    map[string]int64 // URLs, by rule
	Readmitted int64            // URLs that were refused before, and are queued now
}

// Begin starts a commit. order is that of the URL that was discovered last.
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

// Finish writes the changes of the commit, and returns how many hosts there are then. Call it after
// all other changes of the commit to the queue.
func (t *Tx) Finish() (hosts int, err error) {
	if err := t.finishCash(); err != nil {
		return 0, err
	}
	if len(t.q.linked) >= mostLinked {
		if err := t.settleLinked(); err != nil {
			return 0, err
		}
	}
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

// Committed updates the hosts in memory, once the commit is durable.
func (t *Tx) Committed() {
	t.q.sched.committed(t.changes, t.urls, t.settled, t.raised, t.waiting, t.waitTill)
}

// Order returns the order of the URL that was discovered last.
func (t *Tx) Order() uint64 { return t.order }

// NextOrder returns the order of a new discovery.
func (t *Tx) NextOrder() uint64 {
	t.order++
	return t.order
}

// Waiting returns how many URLs are in TableLater after the commit.
func (t *Tx) Waiting() int64 { return t.waiting }

// Get returns the record of a URL as changed by the commit; nil if the URL is not known. The caller
// may change it and Put it.
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

// Changed returns the record of a URL if the commit has put it, else nil.
func (t *Tx) Changed(k weburl.Key) *Record { return t.urls[k] }

// Put writes a record when the commit is finished.
func (t *Tx) Put(k weburl.Key, rec *Record) { t.urls[k] = rec }

// remember records the score and cash of a waiting URL, so that links to it that do not improve its
// score need no look-up. It keeps the debt to the URL.
func (q *Queue) remember(k weburl.Key, rec *Record) {
	m := recent.URL{Score: rec.Score, Plain: rec.Score, Cash: rec.Signals.Cash, Placed: rec.Signals.Cash, Order: rec.Order}
	switch {
	case rec.Page != 0:
		m.Cash = -1
	case q.ledger.on:
		s := rec.Signals
		s.Cash = 0
		m.Plain = rec.scoreOf(q.priority, s)
		if was := q.met(k); was != nil && was.Owed != 0 {
			m.Owed, m.First, m.Placed, m.Due = was.Owed, was.First, was.Placed, was.Due
		}
	}
	q.know(k, m)
}

// knowDone records that a URL is done, and the rating of its page.
func (q *Queue) knowDone(k weburl.Key, rec *Record, rated float32) {
	m := q.known.Done(k, rated, max(rec.Signals.Links, rec.Linked))
	if n, there := q.linked[k]; there {
		delete(q.linked, k)
		m.Links, m.More = max(m.Links, n), true
	}
	q.know(k, m)
}

// StaysRefused records that a URL is refused, so that further links to it need no look-up.
func (t *Tx) StaysRefused(k weburl.Key) { t.q.know(k, recent.Refused()) }

// Record returns the record of the lease's URL as it was when it was leased.
func (l *Held) Record() *Record { return &l.rec }

// Take removes the URL of a held lease from the queue, and returns its record for the caller to
// change and Put. The lease ends when the commit is durable.
func (t *Tx) Take(l *Held) (*Record, error) {
	rec, err := t.leased(l)
	if err != nil {
		return nil, err
	}
	t.unqueue(l.Key, rec)
	rec.Signals.Cash += t.collect(l.Key, rec)
	t.q.knowDone(l.Key, rec, 0) // unless it has to wait again
	t.settled = append(t.settled, l)
	return rec, nil
}

// leased returns the record of a lease's URL: the one that was read when it was leased, if that has
// not changed since.
func (t *Tx) leased(l *Held) (*Record, error) {
	if t.urls[l.Key] == nil && !l.stale {
		rec := l.rec
		return &rec, nil
	}
	rec, err := t.Get(l.Key)
	if err == nil && (rec == nil || rec.State != Queued) {
		err = fmt.Errorf("url %s: leased, but not in the queue", l.rec.URL)
	}
	return rec, err
}

// CountFetch counts a request for a page of the lease's host.
func (t *Tx) CountFetch(l *Held) {
	c := t.change(l.Key.Host(), l.rec.URL)
	c.fetched++
	if l.rec.Page != 0 {
		c.again++
	}
}

// CountNew counts a new document of the lease's host.
func (t *Tx) CountNew(l *Held) { t.change(l.Key.Host(), l.rec.URL).found++ }

// UncountNew undoes CountNew for a document at a URL.
func (t *Tx) UncountNew(u weburl.URL) { t.change(u.Key().Host(), u.String()).found-- }

// Touch rewrites the record of a host, see Queue.Release.
func (t *Tx) Touch(l *Held) { t.change(l.Key.Host(), l.rec.URL) }

// TouchHost rewrites the record of a URL's host, see Queue.Park.
func (t *Tx) TouchHost(u weburl.URL) { t.change(u.Key().Host(), u.String()) }

// Enqueue adds a URL's entry to the queue, by its record's score and order, and puts the record.
func (t *Tx) Enqueue(k weburl.Key, rec *Record) {
	rec.State, rec.NotBefore = Queued, 0
	rec.Signals.Cash += t.collect(k, rec)
	t.q.remember(k, rec)
	t.enter(k, rec.URL, rec.Score, rec.Order).queued++
	t.Counts.Queued++
	t.Put(k, rec)
}

// unqueue removes a URL's entry from the queue.
func (t *Tx) unqueue(k weburl.Key, rec *Record) {
	t.kv.Delete(TableEntries, EntryKey(k.Host(), rec.Score, rec.Order))
	t.change(k.Host(), rec.URL).queued--
	t.Counts.Queued--
}

// enter adds an entry to a host's queue, and tells the scheduler its place.
func (t *Tx) enter(k weburl.Key, url string, score float32, order uint64) *change {
	t.kv.Put(TableEntries, EntryKey(k.Host(), score, order), k[6:])
	return t.moved(k, url, score, order, false)
}

// moved tells the scheduler that an entry was added or, with gone, taken out.
func (t *Tx) moved(k weburl.Key, url string, score float32, order uint64, gone bool) *change {
	c := t.change(k.Host(), url)
	c.moves = append(c.moves, move{entry{positionOf(score, order), [10]byte(k[6:])}, gone})
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

// Wait makes a URL wait until the given time.
func (t *Tx) Wait(k weburl.Key, rec *Record, till time.Time) {
	rec.State, rec.NotBefore = Later, till.UnixNano()
	rec.Signals.Cash += t.collect(k, rec)
	t.q.remember(k, rec)
	t.kv.Put(TableLater, LaterKey(rec.NotBefore, k), present)
	t.waiting++
	t.Put(k, rec)
}

// Promote queues the URLs that are due, some thousands at most, and also those that were scheduled
// before the machine's clock was set back.
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

// Rescore gives a waiting URL new signals, and moves its entry to the matching place. It adds the
// cash that is owed to the URL.
func (t *Tx) Rescore(k weburl.Key, rec *Record, s priority.Signals) {
	s.Cash += t.collect(k, rec)
	score := rec.scoreOf(t.q.priority, s)
	if rec.Page != 0 {
		score = rec.Score // the URL waits for another visit
	}
	if rec.State == Queued && !t.q.priority.Moves(rec.Signals, s, rec.Score, score) {
		score = rec.Score // the score of its entry
	}
	rec.Signals = s
	t.move(k, rec, score)
}

// move gives a waiting URL a score, and its entry, if it has one, the place of that.
func (t *Tx) move(k weburl.Key, rec *Record, score float32) {
	if rec.State == Queued && score != rec.Score {
		t.kv.Delete(TableEntries, EntryKey(k.Host(), rec.Score, rec.Order))
		t.moved(k, rec.URL, rec.Score, rec.Order, true)
		t.enter(k, rec.URL, score, rec.Order)
	}
	rec.Score = score
	t.q.remember(k, rec)
	t.Put(k, rec)
}

// Settled records that the URL of a record is done and how its page was rated, 0 to 1 or Unrated,
// for the pages that link to it.
func (t *Tx) Settled(k weburl.Key, rec *Record) { t.q.knowDone(k, rec, rec.Rated) }

// Siblings sets, in the rated links of a page, how relevant the pages were that the page's other
// links led to and that were fetched: their mean, shrunk towards .05 as if there were two more. A
// page that n other pages link to counts for 1/(1+n) of one: a front page that all pages of a site
// link to says nothing about the other links of one of them. The front page of the page's own site does not count at
// all, since before that number is known it would recommend the first pages of its site. Call it before Add.
func (t *Tx) Siblings(from weburl.Key, links []Link) error {
	sum, n := float32(.1), float32(2)
	for i := range links {
		l := &links[i]
		if l.Candidate.Signals.Links == 0 || l.Key == from || !l.Candidate.Refused.IsZero() {
			continue
		}
		m := t.q.known.Get(l.Key)
		if m == nil && t.q.filter.Has(l.Key) {
			rec, err := t.Get(l.Key)
			if err != nil {
				return err
			}
			if rec != nil && rec.State == Done {
				t.q.knowDone(l.Key, rec, rec.Rated)
				m = t.q.known.Get(l.Key)
			}
		}
		home := l.Key.Host() == from.Host() && l.Candidate.URL.RequestURI() == "/"
		if m != nil && m.Done() && m.Rated != Unrated && !home {
			share := 1 / float32(1+m.Links)
			sum += share * m.Rated
			n += share
		}
		t.q.known.Linked(l.Key)
	}
	for i := range links {
		if s := &links[i].Candidate.Signals; s.Links != 0 {
			s.Siblings = sum / n
			links[i].plain = t.q.priority.Score(*s)
		}
	}
	return nil
}

// mostLinked is how many URLs may be in Queue.linked before they are written to their records.
const mostLinked = 1 << 10

// SettleLinked writes the number of pages with rated links (see Siblings) into the records of done
// URLs that have a smaller one, some thousands at a time. It reports whether there are more.
func (t *Tx) SettleLinked() (more bool, err error) {
	for k, m := range t.q.known.All() {
		if len(t.q.linked) >= settledAtOnce {
			more = true
			break
		}
		if m.Done() && m.More {
			t.q.linked[k], m.More = m.Links, false
		}
	}
	return more, t.settleLinked()
}

// settleLinked is SettleLinked for the URLs in Queue.linked.
func (t *Tx) settleLinked() error {
	for _, k := range slices.SortedFunc(maps.Keys(t.q.linked), func(a, b weburl.Key) int { return bytes.Compare(a[:], b[:]) }) {
		rec, err := t.Get(k)
		if err != nil {
			return err
		}
		if rec != nil && rec.State == Done {
			rec.Linked = uint16(min(t.q.linked[k], math.MaxUint16))
			t.Put(k, rec)
		}
	}
	clear(t.q.linked)
	return nil
}

// CountRated counts an answer of the lease's host, with its relevance.
func (t *Tx) CountRated(l *Held, relevance float64) {
	c := t.change(l.Key.Host(), l.rec.URL)
	c.rated++
	c.relevance += float32(relevance)
}

// CorrectRated corrects the relevance of an answer that CountRated counted, by a difference.
func (t *Tx) CorrectRated(u weburl.URL, by float32) {
	t.change(u.Key().Host(), u.String()).relevance += by
}

// Grant adds to the cash of a URL if it waits. It does so at once, without the journal.
func (t *Tx) Grant(k weburl.Key, cash float32, degree uint16) error {
	if m := t.q.known.Get(k); m != nil && m.Decided() {
		return nil
	}
	rec, err := t.Get(k)
	if err != nil || rec == nil || rec.State != Queued && rec.State != Later {
		return err
	}
	s := rec.Signals
	if rec.Page == 0 {
		s.Cash += cash
	}
	s.Degree = max(s.Degree, degree)
	if s != rec.Signals {
		t.Rescore(k, rec, s)
	}
	return nil
}

// Postpone queues a URL after all others that are not copies. It must not be in the queue.
func (t *Tx) Postpone(k weburl.Key, rec *Record) {
	rec.Flags |= Postponed
	rec.Score = rec.scoreOf(t.q.priority, rec.Signals)
	t.Enqueue(k, rec)
}

// Advance gives a URL that waits for its first visit a place before the other URLs of its host, because its page is to be compared with
// another one that the job has. It reports whether it did. A trial gets the flag Trial, too, also if it has such a place already.
func (t *Tx) Advance(k weburl.Key, trial bool) (bool, error) {
	rec, err := t.Get(k)
	if err != nil || rec == nil || rec.State != Queued || rec.Page != 0 {
		return false, err
	}
	if trial {
		rec.Flags |= Trial
		t.Put(k, rec)
	}
	if rec.Flags&(Postponed|Compared) != 0 {
		return false, nil
	}
	rec.Flags |= Compared
	t.move(k, rec, rec.scoreOf(t.q.priority, rec.Signals))
	return true, nil
}

// A Link is a candidate with its key and score, which are computed before the writer gets it.
type Link struct {
	Key       weburl.Key
	Candidate *frontier.Candidate

	plain float32 // the score without cash
	owed  bool    // its cash is in the journal, see Tx.Pay
}

// Links computes the keys and scores of candidates.
func (q *Queue) Links(cs []frontier.Candidate) []Link {
	ls := make([]Link, len(cs))
	var host string // that of the last link, since most links of a page are to one
	var of weburl.HostKey
	for i := range cs {
		c := &cs[i]
		if h := c.URL.Host(); i == 0 || h != host {
			host, of = h, weburl.HostKeyOf(h)
		}
		ls[i] = Link{Key: c.URL.KeyOn(of), Candidate: c, plain: q.priority.Score(c.Signals)}
	}
	return ls
}

// Add queues the links whose URLs are not known, records the refused ones, and gives those that
// still wait the better of their old and new signals. Of equal links the first one counts.
func (t *Tx) Add(links []Link) error {
	base := t.order
	order := make([]int, len(links))
	for i := range order {
		order[i] = i
	}
	// In the order of their keys, records are on adjacent database pages.
	slices.SortFunc(order, func(a, b int) int {
		if c := bytes.Compare(links[a].Key[:], links[b].Key[:]); c != 0 {
			return c
		}
		return a - b
	})
	for n, i := range order {
		l := &links[i]
		s := &l.Candidate.Signals
		if t.q.priority.Inlinks == 0 || n > 0 && links[order[n-1]].Key == l.Key || l.Candidate.From == l.Key {
			s.Inlinks = 0 // not used; counted for this page already; or a link to the page itself
		}
		if s.Copy || s.Inlinks > 0 {
			cash := s.Cash
			s.Cash = 0
			l.plain = t.q.priority.Score(*s)
			s.Cash = cash
		}
		if m := t.q.met(l.Key); m != nil && !seed(l.Candidate) {
			if !l.Candidate.Refused.IsZero() {
				continue
			}
			if l.plain <= m.Plain && !adds(l, m) {
				if l.owed && !m.Decided() && m.Cash >= 0 {
					t.q.owe(l.Key, m, payment{t.q.ledger.till, s.Cash})
				}
				continue
			}
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

// adds reports whether a link to a known URL adds to its record although it does not improve the
// score.
func adds(l *Link, m *recent.URL) bool {
	s := &l.Candidate.Signals
	return (s.Cash != 0 && !l.owed || s.Links != 0 || s.Inlinks != 0) && !m.Decided()
}

// meet records a new URL.
func (t *Tx) meet(l *Link, order uint64) {
	t.q.filter.Add(l.Key)
	t.Counts.Seen++
	c := l.Candidate
	rec := &Record{
		URL: c.URL.String(), From: c.From, Anchor: c.Anchor, Label: c.Label,
		Signals: c.Signals, Trail: c.Trap, Order: order,
	}
	rec.Score = rec.scoreOf(t.q.priority, rec.Signals)
	if seed(c) && !rec.Seed() {
		rec.Flags |= SeedTarget
	}
	if !c.Refused.IsZero() {
		t.Refuse(l.Key, rec, c.Refused)
		return
	}
	if t.Recrawl && c.Kind&frontier.EntryLink != 0 {
		rec.Flags |= News
		rec.Score = rec.scoreOf(t.q.priority, rec.Signals)
	}
	t.Enqueue(l.Key, rec)
}

// Require queues a requisite of a page, before all pages of its host, unless it is known as a
// requisite; it reports whether it was not. The same URL as a page is separate.
func (t *Tx) Require(c *frontier.Candidate) (fresh bool, err error) {
	k := c.URL.Key().Requisite()
	rec, err := t.Get(k)
	if err != nil || rec != nil {
		return false, err
	}
	t.q.filter.Add(k)
	t.Enqueue(k, &Record{
		URL: c.URL.String(), From: c.From, Signals: c.Signals, Trail: c.Trap, Flags: Requisite,
		Score: requisiteScore, Order: t.NextOrder(),
	})
	return true, nil
}

// Renew queues a requisite that was settled again, after the pages of its host; it returns false if
// it waits already.
func (t *Tx) Renew(k weburl.Key) (bool, error) {
	rec, err := t.Get(k)
	if err != nil || rec == nil || rec.State != Done || rec.Flags&Requisite == 0 {
		return false, err
	}
	rec.Attempt, rec.Score, rec.Flags = 0, renewalScore, rec.Flags|Renewal
	t.Enqueue(k, rec)
	return true, nil
}

// Again queues a URL that is done for another visit, with what that is worth; nil: with the score that it
// has. With ahead, and if its host has had as many pages as it may, it comes before all URLs that were never
// visited, and also one that waits for another visit already. It reports whether the URL has a new place.
func (t *Tx) Again(k weburl.Key, rec *Record, worth *float32, ahead bool) bool {
	ahead = ahead || t.q.sched.isSpent(k.Host())
	waits := rec.Page != 0 && (rec.State == Queued || rec.State == Later)
	if rec.State != Done && (!waits || !ahead || rec.Score >= aheadScore/2) {
		return false
	}
	score := rec.Score
	if worth != nil {
		score = *worth
	}
	if ahead {
		score += aheadScore
	}
	if waits {
		t.move(k, rec, score)
		return true
	}
	rec.Attempt, rec.Score = 0, score
	t.Enqueue(k, rec)
	return true
}

// Refuse records that a URL is not to be fetched, and why. It must not be in the queue.
func (t *Tx) Refuse(k weburl.Key, rec *Record, why frontier.Refusal) {
	rec.State, rec.Refusal = Refused, why
	t.Counts.Refused[why.Rule]++
	t.q.know(k, recent.Refused())
	t.Put(k, rec)
}

// Readmit undoes a refusal, and queues the URL.
func (t *Tx) Readmit(k weburl.Key, rec *Record) {
	t.Counts.Refused[rec.Refusal.Rule]--
	t.Counts.Readmitted++
	rec.Refusal = frontier.Refusal{}
	t.Enqueue(k, rec)
}

// meetAgain updates the record of a known URL with what another link to it improves.
func (t *Tx) meetAgain(l *Link, rec *Record) error {
	c := l.Candidate
	if seed(c) && !rec.Seed() {
		rec.Flags |= SeedTarget
		t.Put(l.Key, rec)
	}
	switch rec.State {
	case Done:
		t.q.knowDone(l.Key, rec, rec.Rated)
		return nil
	case Refused:
		if !c.Refused.IsZero() {
			t.q.know(l.Key, recent.Refused())
			return nil
		}
		if t.q.wanted != nil {
			if decided, err := t.q.wanted(t, l, rec); err != nil || decided {
				return err
			}
		}
		rec.From, rec.Anchor, rec.Trail = c.From, c.Anchor, c.Trap
		rec.Label = c.Label
		rec.Signals, rec.Score = c.Signals, rec.scoreOf(t.q.priority, c.Signals)
		t.Readmit(l.Key, rec)
		return nil
	}
	if !c.Refused.IsZero() {
		t.q.remember(l.Key, rec)
		return nil
	}
	more := c.Signals
	if l.owed || rec.Page != 0 {
		more.Cash = 0
	}
	s := rec.Signals.And(more)
	if l.owed && rec.Page == 0 {
		t.q.remember(l.Key, rec)
		t.q.owe(l.Key, t.q.known.Get(l.Key), payment{t.q.ledger.till, c.Signals.Cash})
	}
	if c.From == (weburl.Key{}) && c.Label != "" && c.Label != rec.Label {
		// A user has added it as a seed, and may give it another label.
		rec.Label = c.Label
		t.Rescore(l.Key, rec, s)
		return nil
	}
	if s == rec.Signals {
		t.q.remember(l.Key, rec)
		return nil
	}
	t.Rescore(l.Key, rec, s)
	return nil
}
