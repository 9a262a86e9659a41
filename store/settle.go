package store

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"gatecrawl"
	"gatecrawl/dedup"
	"gatecrawl/frontier"
	"gatecrawl/priority"
)

// maxOutlinks bounds how many links of a kept page a vote can raise.
const maxOutlinks = 10_000

// settle takes a visited URL out of the queue and records what became of it.
func (t *txn) settle(l *lent, v *gatecrawl.Visit, links []link) (gatecrawl.Page, error) {
	page := v.Page
	rec, err := t.lent(l)
	if err != nil {
		return page, err
	}
	t.unqueue(l.key, rec)
	if rec.seq != 0 {
		rec.score = t.s.priority.Score(rec.signals) // it was queued by what the visit was worth
	}
	rec.state = done // a page that links here may be raised below
	t.put(l.key, rec)
	t.settled = append(t.settled, l)
	if err := t.addRoots(v.Roots); err != nil {
		return page, err
	}
	c := t.changeOf(l.key.Host(), l.rec.url)
	if !v.Finished.IsZero() {
		c.fetched++
	}
	if v.Retry > 0 {
		rec.attempt++
		t.state.Totals.Retries++
		return page, t.wait(l.key, rec, t.s.sched.wall().Add(v.Retry))
	}

	if old, err := t.outdated(v); err != nil || old {
		return page, errors.Join(err, t.wait(l.key, rec, t.s.sched.wall()))
	}
	if rec.seq != 0 {
		if page, settled, err := t.settleAgain(l.key, rec, v, links); err != nil || settled {
			return page, err
		}
	}

	seq, err := t.pages.NextSequence()
	if err != nil {
		return page, fmt.Errorf("page %s: %w", v.Lease.URL, err)
	}
	if seq > math.MaxUint32 {
		return page, fmt.Errorf("page %s: a job holds at most %d pages", v.Lease.URL, uint32(math.MaxUint32))
	}
	page.Seq = seq
	var old gatecrawl.Page
	var was dedup.Verdict
	if rec.seq != 0 {
		if old, was, err = t.page(rec.seq); err != nil {
			return page, err
		}
		old.Seq = rec.seq
		if err := t.replace(l.key, rec.seq, seq); err != nil {
			return page, err
		}
	}
	var verdict dedup.Verdict
	if v.Sign != nil {
		if verdict, err = t.claim(dedup.DocID(seq), v); err != nil {
			return page, fmt.Errorf("claim %s: %w", v.Lease.URL, t.s.advise(err))
		}
		if verdict.Of != v.Checked.Of {
			page.Differs = nil // from another page than it is a copy of
		}
		if err := t.judge(&page, l, v, links, verdict); err != nil {
			return page, err
		}
		if err := t.alias(seq, v.Sign.Bytes, verdict); err != nil {
			return page, err
		}
		if !verdict.Copy() {
			c.found++
		}
	}
	first := rec.seq == 0
	rec.state, rec.seq = done, seq
	t.put(l.key, rec)
	if err := t.pages.Put(seqKey(seq), encodePage(&page, verdict)); err != nil {
		return page, fmt.Errorf("page %s: %w", page.URL, err)
	}
	t.count(&page)
	if err := t.weigh(v.Lease.URL, &page, verdict); err != nil {
		return page, err
	}
	if verdict.Copy() {
		for i := range links {
			links[i].cand.Signals.Copy = true
		}
	}
	if err := t.add(links); err != nil {
		return page, err
	}
	if err := t.reflect(l, v.Lease.URL, &page, v.Sign != nil, first); err != nil {
		return page, fmt.Errorf("mirrors, page %s: %w", page.URL, err)
	}
	if old.Seq == 0 {
		return page, nil
	}
	return page, t.changed(l.key, &old, was, &page, verdict, v.Sign)
}

// lent returns the record of a lease's URL: that which was read when it was lent,
// where it has not changed since.
func (t *txn) lent(l *lent) (*urlRecord, error) {
	if t.urls[l.key] == nil && !l.stale {
		rec := l.rec
		return &rec, nil
	}
	rec, err := t.url(l.key)
	if err == nil && (rec == nil || rec.state != queued) {
		err = fmt.Errorf("url %s: lent out, but not in the queue", l.rec.url)
	}
	return rec, err
}

// addRoots widens the scope of the crawl.
func (t *txn) addRoots(roots []string) error {
	b := t.tx.Bucket(bucketRoots)
	for _, r := range roots {
		if err := b.Put([]byte(r), present); err != nil {
			return fmt.Errorf("root %s: %w", r, err)
		}
	}
	return nil
}

// judge writes the gate's answer into the record, and keeps what is kept.
func (t *txn) judge(page *gatecrawl.Page, l *lent, v *gatecrawl.Visit, links []link, verdict dedup.Verdict) error {
	page.Verdict = gatecrawl.VerdictNew
	if verdict.Copy() {
		kept, _, err := t.page(uint64(verdict.Of))
		if err != nil {
			return err
		}
		page.Verdict, page.Of = gatecrawl.VerdictCopy, kept.URL
		page.Level, page.Class = int(verdict.Level), verdict.Class.String()
		page.Distance, page.Similarity = verdict.Distance, verdict.Similarity
		page.Reason = verdict.Reason()
		if err := t.vote(uint64(verdict.Of), kept.URL, l.key); err != nil {
			return err
		}
	}
	k := seqKey(page.Seq)
	if !verdict.Copy() {
		if err := t.signatures.Put(k, encodeSignature(v.Sign)); err != nil {
			return fmt.Errorf("signature of %s: %w", page.URL, err)
		}
		if err := t.keepOutlinks(k, links); err != nil {
			return fmt.Errorf("links of %s: %w", page.URL, err)
		}
		if err := t.learn(l.key.Host(), page.Seq, v); err != nil {
			return fmt.Errorf("template of %s: %w", hostOf(l.rec.url), err)
		}
	}
	if verdict.Copy() && t.s.discard {
		return nil
	}
	if v.View != nil {
		if err := t.views.Put(k, v.View); err != nil {
			return fmt.Errorf("view of %s: %w", page.URL, err)
		}
	}
	if v.Body != nil {
		if err := t.bodies.Put(k, v.Body); err != nil {
			return fmt.Errorf("body of %s: %w", page.URL, err)
		}
	}
	return nil
}

// keepOutlinks remembers where a kept page links to, so that votes for it can
// raise those that still wait.
func (t *txn) keepOutlinks(k []byte, links []link) error {
	var b []byte
	for _, l := range links[:min(len(links), maxOutlinks)] {
		if l.cand.Refused.IsZero() {
			b = append(b, l.key[:]...)
		}
	}
	if b == nil {
		return nil
	}
	return t.outlinks.Put(k, b)
}

// vote records that the URL named by k carries a copy of the kept page, and
// raises what the kept page links to when an owner votes for the first time.
// Voting again changes nothing.
func (t *txn) vote(of uint64, keptURL string, k frontier.Key) error {
	id := voteKey(of, k)
	if t.votes.Get(id) != nil {
		return nil
	}
	kept, g, err := t.ownersOf(of)
	if err != nil {
		return err
	}
	owner, err := t.voter(of, k)
	if err != nil {
		return err
	}
	n, err := t.countOwner(of, owner, 1)
	if err != nil {
		return err
	}
	first := n == 1 && owner != kept
	if err := t.votes.Put(id, present); err != nil {
		return fmt.Errorf("vote for %s: %w", keptURL, err)
	}
	t.state.Totals.Votes++
	g.copies++
	if first {
		g.degree++
	}
	if err := t.groups.Put(seqKey(of), g.encode()); err != nil {
		return fmt.Errorf("vote for %s: %w", keptURL, err)
	}
	if !first {
		return nil
	}
	return t.raise(of, g.degree)
}

// raise gives the waiting outlinks of a kept page its new mirror degree.
func (t *txn) raise(of uint64, degree uint64) error {
	// A copy: the writes below may move the page that Get points into.
	out := bytes.Clone(t.outlinks.Get(seqKey(of)))
	for len(out) >= len(frontier.Key{}) {
		k := frontier.Key(out)
		out = out[len(k):]
		rec, err := t.url(k)
		if err != nil {
			return err
		}
		if rec == nil || rec.state != queued && rec.state != later || uint64(rec.signals.Degree) >= degree {
			continue
		}
		s := rec.signals
		s.Degree = uint16(min(degree, math.MaxUint16))
		if err := t.rescore(k, rec, s); err != nil {
			return err
		}
	}
	return nil
}

// rescore gives a waiting URL new signals, and its entry in the queue the place
// that goes with them.
func (t *txn) rescore(k frontier.Key, rec *urlRecord, s priority.Signals) error {
	score := t.s.priority.Score(s)
	if rec.dust&isDeferred != 0 {
		score -= deferral
	}
	if rec.seq != 0 {
		score = rec.score // it waits for another visit
	}
	if rec.state == queued && score != rec.score {
		t.batch.Delete(queueKey(k.Host(), rec.score, rec.order))
		t.enter(k, rec.url, score, rec.order).moved = true
	}
	rec.signals, rec.score = s, score
	t.s.known.put(k, score)
	t.put(k, rec)
	return nil
}

// enter puts an entry into a host's queue, and tells the scheduler where.
func (t *txn) enter(k frontier.Key, url string, score float32, order uint64) *change {
	t.batch.Put(queueKey(k.Host(), score, order), k[6:])
	c := t.changeOf(k.Host(), url)
	c.added = append(c.added, waiting{positionOf(score, order), [10]byte(k[6:])})
	return c
}

// unqueue takes a URL's entry out of the queue.
func (t *txn) unqueue(k frontier.Key, rec *urlRecord) {
	t.batch.Delete(queueKey(k.Host(), rec.score, rec.order))
	t.changeOf(k.Host(), rec.url).queued--
	t.state.Totals.Queued--
}

// enqueue puts a URL's entry into the queue and its record into urls.
func (t *txn) enqueue(k frontier.Key, rec *urlRecord) {
	rec.state, rec.notTill = queued, 0
	t.enter(k, rec.url, rec.score, rec.order).queued++
	t.state.Totals.Queued++
	t.put(k, rec)
}

// changeOf returns the change of a URL's host.
func (t *txn) changeOf(h frontier.HostKey, url string) *change {
	if c := t.changes[h]; c != nil {
		return c
	}
	c := &change{name: hostOf(url)}
	t.changes[h] = c
	return c
}

// wait puts a URL aside until the given time.
func (t *txn) wait(k frontier.Key, rec *urlRecord, till time.Time) error {
	rec.state, rec.notTill = later, till.UnixNano()
	if err := t.later.Put(laterKey(rec.notTill, k), present); err != nil {
		return fmt.Errorf("later: %w", err)
	}
	t.waiting++
	t.put(k, rec)
	return nil
}

// promote brings back the URLs whose time has come, some thousands at most, and from
// the other end those that are stranded.
func (t *txn) promote(now time.Time) error {
	const most = 10_000
	var due [][]byte
	c := t.later.Cursor()
	for k, _ := c.First(); k != nil && laterTime(k) <= now.UnixNano() && len(due) < most; k, _ = c.Next() {
		due = append(due, bytes.Clone(k))
	}
	for k, _ := c.Last(); k != nil && t.s.sched.stranded(laterTime(k), now) && len(due) < most; k, _ = c.Prev() {
		due = append(due, bytes.Clone(k))
	}
	for _, d := range due {
		if err := t.later.Delete(d); err != nil {
			return fmt.Errorf("later: %w", err)
		}
		t.waiting--
		k := frontier.Key(d[8:])
		rec, err := t.url(k)
		if err != nil {
			return err
		}
		if rec == nil {
			return fmt.Errorf("url %s: in later, but not in urls", k)
		}
		t.enqueue(k, rec)
	}
	return nil
}

func laterTime(k []byte) int64 { return int64(binary.BigEndian.Uint64(k)) }

// A link is a candidate with its key and score, which the worker computed.
type link struct {
	key   frontier.Key
	score float32
	cand  *frontier.Candidate
}

// add queues the links that were never met, remembers the refused ones, and
// gives those that still wait the better of their old and new signals. Of
// equal links the first counts.
func (t *txn) add(links []link) error {
	base := t.state.Order
	order := make([]int, len(links))
	for i := range order {
		order[i] = i
	}
	// In the order of their keys the records fall on neighbouring pages.
	slices.SortFunc(order, func(a, b int) int {
		if c := bytes.Compare(links[a].key[:], links[b].key[:]); c != 0 {
			return c
		}
		return a - b
	})
	for _, i := range order {
		l := &links[i]
		if l.cand.Signals.Copy {
			l.score = t.s.priority.Score(l.cand.Signals)
		}
		named := l.cand.From == (frontier.Key{}) && l.cand.Label != ""
		if best, ok := t.s.known.get(l.key); ok && !named && (!l.cand.Refused.IsZero() || l.score <= best) {
			continue
		}
		if t.s.filter.Has(l.key) {
			rec, err := t.url(l.key)
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
	t.state.Order = base + uint64(len(links))
	return nil
}

// meet records a URL that was never met.
func (t *txn) meet(l *link, order uint64) {
	t.s.filter.Add(l.key)
	t.state.Totals.Seen++
	rec := &urlRecord{
		url: l.cand.URL.String(), from: l.cand.From, anchor: l.cand.Anchor, label: l.cand.Label,
		signals: l.cand.Signals, trail: l.cand.Trap, score: l.score, order: order,
	}
	if !l.cand.Refused.IsZero() {
		rec.state, rec.refusal = refused, l.cand.Refused
		t.state.Totals.Rules[rec.refusal.Rule]++
		t.s.known.put(l.key, float32(math.Inf(-1)))
		t.put(l.key, rec)
		return
	}
	t.s.known.put(l.key, l.score)
	t.enqueue(l.key, rec)
}

// meetAgain takes from another link to a known URL what is better than what is
// known.
func (t *txn) meetAgain(l *link, rec *urlRecord) error {
	switch rec.state {
	case done:
		t.s.known.put(l.key, float32(math.Inf(1)))
		return nil
	case refused:
		dust := rec.refusal.Rule == gatecrawl.RuleDust
		wanted := l.cand.From.IsZero() || isEndless(rec) && !l.cand.Signals.Copy
		if !l.cand.Refused.IsZero() || dust && !wanted {
			t.s.known.put(l.key, float32(math.Inf(-1)))
			return nil
		}
		if dust { // a user wants it, or it was left out since copies alone led there
			rec.dust |= isTrial
			if err := t.readmit(rec); err != nil {
				return err
			}
			t.s.known.put(l.key, rec.score)
			t.enqueue(l.key, rec)
			return nil
		}
		if rec.refusal.Rule == gatecrawl.RuleMirror {
			if l.cand.From.IsZero() { // a user wants it
				return t.asked(l.key)
			}
			t.s.known.put(l.key, float32(math.Inf(-1)))
			return nil
		}
		t.state.Totals.Rules[rec.refusal.Rule]--
		if t.state.Totals.Rules[rec.refusal.Rule] == 0 {
			delete(t.state.Totals.Rules, rec.refusal.Rule)
		}
		rec.refusal = frontier.Refusal{}
		rec.from, rec.anchor, rec.trail = l.cand.From, l.cand.Anchor, l.cand.Trap
		rec.label = l.cand.Label
		rec.signals, rec.score = l.cand.Signals, l.score
		t.s.known.put(l.key, rec.score)
		t.enqueue(l.key, rec)
		return nil
	}
	if !l.cand.Refused.IsZero() {
		t.s.known.put(l.key, rec.score)
		return nil
	}
	s := better(rec.signals, l.cand.Signals)
	if l.cand.From == (frontier.Key{}) && l.cand.Label != "" && l.cand.Label != rec.label {
		// Handed in by a user, who may call it anew.
		rec.label = l.cand.Label
		return t.rescore(l.key, rec, s)
	}
	if s == rec.signals {
		t.s.known.put(l.key, rec.score)
		return nil
	}
	return t.rescore(l.key, rec, s)
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
	}
}

// betterSeed takes the larger priority of those that a user gave: 0 is none.
func betterSeed(a, b float32) float32 {
	if a == 0 || b == 0 {
		return a + b
	}
	return max(a, b)
}

// url reads a record; nil: the URL was never met.
func (t *txn) url(k frontier.Key) (*urlRecord, error) {
	if rec := t.urls[k]; rec != nil {
		return rec, nil
	}
	rec, ok, err := urlIn(t.table, k)
	if err != nil || !ok {
		return nil, err
	}
	return &rec, nil
}

func (t *txn) put(k frontier.Key, rec *urlRecord) { t.urls[k] = rec }

func (t *txn) page(seq uint64) (gatecrawl.Page, dedup.Verdict, error) {
	b := t.pages.Get(seqKey(seq))
	if b == nil {
		return gatecrawl.Page{}, dedup.Verdict{}, fmt.Errorf("page %d: named as a kept page, but there is no such record", seq)
	}
	return decodePage(b)
}

// count brings the totals up to date with a new record.
func (t *txn) count(p *gatecrawl.Page) {
	n := &t.state.Totals
	n.Pages++
	n.Bytes += p.Bytes
	n.Wire += p.Wire
	if p.Status != 0 {
		n.Fetched++
		n.Statuses[strconv.Itoa(p.Status)]++
	}
	switch p.Verdict {
	case gatecrawl.VerdictNew:
		n.New++
	case gatecrawl.VerdictCopy:
		n.Copies++
		n.Levels[strconv.Itoa(p.Level)]++
		n.Classes[p.Class]++
	case gatecrawl.VerdictRefused:
		n.Refused++
		n.Rules[p.Rule]++
	case gatecrawl.VerdictFailed:
		n.Failed++
		kind, _, _ := strings.Cut(p.Reason, ":")
		n.Reasons[kind]++
	}
}

// A groupRecord counts the votes for one kept page.
type groupRecord struct {
	degree  uint64 // distinct registrable domains, other than the kept page's, that carry a copy
	copies  uint64
	byOwner bool // false: degree counts hosts, as in jobs of old
}

func (g groupRecord) encode() []byte {
	e := encoder{make([]byte, 0, 8)}
	e.uint(g.degree)
	e.uint(g.copies)
	e.bool(g.byOwner)
	return e.b
}

func decodeGroup(b []byte) groupRecord {
	d := decoder{b: b}
	g := groupRecord{degree: d.uint(), copies: d.uint()}
	g.byOwner = len(d.b) > 0 && d.bool()
	return g
}
