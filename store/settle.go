package store

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"iter"
	"math"
	"slices"
	"strconv"
	"time"

	"gatecrawl.example/gatecrawl"
	"gatecrawl.example/gatecrawl/dedup"
	"gatecrawl.example/gatecrawl/frontier"
	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/mirror/dust"
	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/priority"
	"gatecrawl.example/gatecrawl/store/kv"
	"gatecrawl.example/gatecrawl/store/kv/row"
)

// What waits for its time, and what copies say of kept pages.
var (
	tableLater  = &kv.Table{Name: "later"}               // by time and the URL's key
	tableVotes  = &kv.Table{Name: "votes"}               // by the seq of a kept page and the key of a copy's URL
	tableGroups = &kv.Table{Name: "groups", Fill: grows} // by the seq of a kept page
)

// maxOutlinks bounds how many links of a kept page a vote can raise.
const maxOutlinks = 10_000

// settle takes a visited URL out of the queue and records what became of it.
func (t *txn) settle(l *activeLease, v *page.Visit, links []link) (page.Record, error) {
	record := v.Page
	rec, err := t.lent(l)
	if err != nil {
		return record, err
	}
	t.unqueue(l.key, rec)
	if rec.seq != 0 {
		rec.score = t.s.priority.Score(rec.signals) // it was queued by what the visit was worth
	}
	rec.state = done // a page that links here may be raised below
	t.put(l.key, rec)
	t.settled = append(t.settled, l)
	c := t.changeOf(l.key.Host(), l.rec.url)
	if !v.Finished.IsZero() {
		c.fetched++
	}
	if v.Retry > 0 {
		rec.attempt++
		t.state.Totals.Retries++
		t.wait(l.key, rec, t.s.sched.wall().Add(v.Retry))
		return record, nil
	}

	if old, err := t.outdated(v); err != nil || old {
		t.wait(l.key, rec, t.s.sched.wall())
		return record, err
	}
	if rec.seq != 0 {
		if pageRec, settled, err := t.settleAgain(l.key, rec, v, links); err != nil || settled {
			return pageRec, err
		}
	}

	seq, err := lastPage.Next(t.tx)
	if err != nil {
		return record, fmt.Errorf("page %s: %w", v.Lease.URL, err)
	}
	if seq > math.MaxUint32 {
		return record, fmt.Errorf("page %s: a job holds at most %d pages", v.Lease.URL, uint32(math.MaxUint32))
	}
	record.Seq = seq
	var old page.Record
	var was dedup.Verdict
	if rec.seq != 0 {
		if old, was, err = t.page(rec.seq); err != nil {
			return record, err
		}
		if old.Document() {
			record.Replaces = rec.seq
		}
		if err := t.replace(l.key, rec.seq, seq); err != nil {
			return record, err
		}
	}
	var verdict dedup.Verdict
	if v.Sign != nil {
		if verdict, err = t.claim(dedup.DocID(seq), v); err != nil {
			return record, fmt.Errorf("claim %s: %w", v.Lease.URL, t.s.advise(err))
		}
		record.SimHash, record.BodyTokens = v.Page.SimHash, v.Page.BodyTokens // it may have been read again
		if verdict.Of != v.Checked.Of {
			record.Differs = nil // from another page than it is a copy of
		}
		if err := t.judge(&record, l, v, links, verdict); err != nil {
			return record, err
		}
		if record.Early, err = t.s.twins.IsEarly(t.tx, l.key.Host()); err != nil {
			return record, err
		}
		if err := t.alias(seq, v.Sign.Bytes, verdict); err != nil {
			return record, err
		}
		if !verdict.Copy() {
			c.found++
		}
	}
	rec.state, rec.seq = done, seq
	t.put(l.key, rec)
	t.putPage(seq, &record, verdict)
	t.count(&record)
	if verdict.Copy() {
		for i := range links {
			links[i].cand.Signals.Copy = true
		}
	}
	if err := t.add(links); err != nil {
		return record, err
	}
	if err := t.learn(v, &record, verdict); err != nil || old.Seq == 0 {
		return record, err
	}
	return record, t.changed(l.key, &old, was, &record, verdict, v.Sign)
}

// lent returns the record of a lease's URL: that which was read when it was lent,
// where it has not changed since.
func (t *txn) lent(l *activeLease) (*urlRecord, error) {
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

// addRoot widens the scope of the crawl.
func (t *txn) addRoot(url string) { t.tx.Put(tableRoots, []byte(url), present) }

// judge writes the gate's answer into the record, and keeps what is kept.
func (t *txn) judge(record *page.Record, l *activeLease, v *page.Visit, links []link, verdict dedup.Verdict) error {
	record.Verdict = page.VerdictNew
	if verdict.Copy() {
		kept, _, err := t.page(uint64(verdict.Of))
		if err != nil {
			return err
		}
		record.Verdict, record.Of = page.VerdictCopy, kept.URL
		record.Level, record.Class = int(verdict.Level), verdict.Class.String()
		record.Distance, record.Similarity = verdict.Distance, verdict.Similarity
		record.Reason = verdict.Reason()
		if v.Text == nil { // it was not read: what the kept page is to the topic, it is
			record.Relevance = kept.Relevance
			for i := range links {
				links[i].cand.Signals.Relevance = kept.Relevance
			}
		}
		if verdict.Level == dedup.LevelNear && v.Sign.Body != (dedup.Digest{}) {
			record.Body = binary.BigEndian.Uint64(v.Sign.Body[:])
		}
		if err := t.vote(uint64(verdict.Of), kept.URL, l.key); err != nil {
			return err
		}
	}
	k := seqKey(record.Seq)
	if !verdict.Copy() {
		t.tx.Put(tableSignatures, k, page.EncodeSignature(v.Sign))
		t.keepOutlinks(k, links)
	}
	if verdict.Copy() && t.s.discard {
		return nil
	}
	if v.View != nil {
		t.tx.Put(tableViews, k, v.View)
	}
	if v.Body != nil {
		t.tx.Put(tableBodies, k, v.Body)
	}
	return nil
}

// keepOutlinks remembers where a kept page links to, so that votes for it can
// raise those that still wait.
func (t *txn) keepOutlinks(k []byte, links []link) {
	var b []byte
	for _, l := range links[:min(len(links), maxOutlinks)] {
		if l.cand.Refused.IsZero() {
			b = append(b, l.key[:]...)
		}
	}
	if b != nil {
		t.tx.Put(tableOutlinks, k, b)
	}
}

// vote records that the URL named by k carries a copy of the kept page, and
// raises what the kept page links to when an owner votes for the first time.
// Voting again changes nothing.
func (t *txn) vote(of uint64, keptURL string, k weburl.Key) error {
	id := voteKey(of, k)
	if voted, err := kv.Has(t.tx, tableVotes, id); err != nil || voted {
		return err
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
	t.tx.Put(tableVotes, id, present)
	t.state.Totals.Votes++
	g.copies++
	if first {
		g.degree++
	}
	t.tx.Put(tableGroups, seqKey(of), g.encode())
	if !first {
		return nil
	}
	return t.raise(of, g.degree)
}

// raise gives the waiting outlinks of a kept page its new mirror degree.
func (t *txn) raise(of uint64, degree uint64) error {
	out, err := t.tx.Get(tableOutlinks, seqKey(of))
	if err != nil {
		return err
	}
	for len(out) >= len(weburl.Key{}) {
		k := weburl.Key(out)
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
func (t *txn) rescore(k weburl.Key, rec *urlRecord, s priority.Signals) error {
	score := t.s.priority.Score(s)
	if rec.dust&isPostponed != 0 {
		score -= postponed
	}
	if rec.seq != 0 {
		score = rec.score // it waits for another visit
	}
	if rec.state == queued && score != rec.score {
		t.tx.Delete(tableQueue, queueKey(k.Host(), rec.score, rec.order))
		t.enter(k, rec.url, score, rec.order).moved = true
	}
	rec.signals, rec.score = s, score
	t.s.known.put(k, score)
	t.put(k, rec)
	return nil
}

// enter puts an entry into a host's queue, and tells the scheduler where.
func (t *txn) enter(k weburl.Key, url string, score float32, order uint64) *change {
	t.tx.Put(tableQueue, queueKey(k.Host(), score, order), k[6:])
	c := t.changeOf(k.Host(), url)
	c.added = append(c.added, queueEntry{positionOf(score, order), [10]byte(k[6:])})
	return c
}

// unqueue takes a URL's entry out of the queue.
func (t *txn) unqueue(k weburl.Key, rec *urlRecord) {
	t.tx.Delete(tableQueue, queueKey(k.Host(), rec.score, rec.order))
	t.changeOf(k.Host(), rec.url).queued--
	t.state.Totals.Queued--
}

// enqueue puts a URL's entry into the queue and its record into urls.
func (t *txn) enqueue(k weburl.Key, rec *urlRecord) {
	rec.state, rec.notTill = queued, 0
	t.enter(k, rec.url, rec.score, rec.order).queued++
	t.state.Totals.Queued++
	t.put(k, rec)
}

// changeOf returns the change of a URL's host.
func (t *txn) changeOf(h weburl.HostKey, url string) *change {
	if c := t.changes[h]; c != nil {
		return c
	}
	c := &change{name: hostOf(url)}
	t.changes[h] = c
	return c
}

// wait puts a URL aside until the given time.
func (t *txn) wait(k weburl.Key, rec *urlRecord, till time.Time) {
	rec.state, rec.notTill = later, till.UnixNano()
	t.tx.Put(tableLater, laterKey(rec.notTill, k), present)
	t.waiting++
	t.put(k, rec)
}

// promote brings back the URLs whose time has come, some thousands at most, and from
// the other end those that are stranded.
func (t *txn) promote(now time.Time) error {
	const most = 10_000
	var due [][]byte
	take := func(rows iter.Seq2[kv.Entry, error], wanted func(till int64) bool) error {
		for e, err := range rows {
			if err != nil {
				return err
			}
			if !wanted(laterTime(e.Key)) || len(due) == most {
				break
			}
			due = append(due, bytes.Clone(e.Key))
		}
		return nil
	}
	err := errors.Join(
		take(kv.All(t.tx, tableLater), func(till int64) bool { return till <= now.UnixNano() }),
		take(t.tx.Falling(tableLater, nil, nil), func(till int64) bool { return t.s.sched.stranded(till, now) }))
	if err != nil {
		return err
	}
	for _, d := range due {
		t.tx.Delete(tableLater, d)
		t.waiting--
		k := weburl.Key(d[8:])
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
	key   weburl.Key
	score float32
	cand  *frontier.Candidate
}

// add queues the links that were never met, remembers the refused ones, and
// gives those that still wait the better of their old and new signals. Of
// equal links the first counts. What links add to the scope's roots is kept in any case.
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
		if l.cand.Root != "" {
			t.addRoot(l.cand.Root)
		}
		if l.cand.Signals.Copy {
			l.score = t.s.priority.Score(l.cand.Signals)
		}
		named := l.cand.From == (weburl.Key{}) && l.cand.Label != ""
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
		left := rec.refusal.Rule == dust.RefusalRule
		wanted := l.cand.From.IsZero()
		if left && !wanted && !l.cand.Signals.Copy { // it may have been left out since copies alone led there
			var err error
			if wanted, err = dust.IsEndless(t.tx, l.key); err != nil {
				return err
			}
		}
		if !l.cand.Refused.IsZero() || left && !wanted {
			t.s.known.put(l.key, float32(math.Inf(-1)))
			return nil
		}
		if left {
			if err := t.s.rules.TakeBack(t.tx, l.key); err != nil {
				return err
			}
			return ruledJob{t.s}.Readmit(t.tx, l.key, true)
		}
		if rec.refusal.Rule == gatecrawl.RuleMirror {
			if l.cand.From.IsZero() { // a user wants it
				rec.from = weburl.Key{} // as that of a seed
				t.put(l.key, rec)
				return t.s.twins.TakeBack(t.tx, l.key)
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
	if l.cand.From == (weburl.Key{}) && l.cand.Label != "" && l.cand.Label != rec.label {
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
func (t *txn) url(k weburl.Key) (*urlRecord, error) {
	if rec := t.urls[k]; rec != nil {
		return rec, nil
	}
	rec, ok, err := t.in().url(k)
	if err != nil || !ok {
		return nil, err
	}
	return &rec, nil
}

func (t *txn) put(k weburl.Key, rec *urlRecord) { t.urls[k] = rec }

func (t *txn) page(seq uint64) (page.Record, dedup.Verdict, error) {
	return t.in().page(seq)
}

// putPage writes the record of a page.
func (t *txn) putPage(seq uint64, p *page.Record, v dedup.Verdict) {
	page.Put(t.tx, seq, p, v)
}

// count brings the totals up to date with a new record.
func (t *txn) count(p *page.Record) {
	n := &t.state.Totals
	n.Pages++
	n.Bytes += p.Bytes
	n.Wire += p.Wire
	n.MoreLinks += int64(p.MoreLinks)
	if p.Status != 0 {
		n.Fetched++
		n.Statuses[strconv.Itoa(p.Status)]++
	}
	switch p.Verdict {
	case page.VerdictNew:
		n.New++
	case page.VerdictCopy:
		n.Copies++
		n.Levels[strconv.Itoa(p.Level)]++
		n.Classes[p.Class]++
	case page.VerdictRefused:
		n.Refused++
		n.Rules[p.Rule]++
	case page.VerdictFailed:
		n.Failed++
		n.Reasons[p.Failure()]++
	}
}

// A groupRecord counts the votes for one kept page.
type groupRecord struct {
	degree uint64 // distinct registrable domains, other than the kept page's, that carry a copy
	copies uint64
}

func (g groupRecord) encode() []byte {
	e := row.Encoder{B: make([]byte, 0, 8)}
	e.Uint(g.degree)
	e.Uint(g.copies)
	return e.B
}

func decodeGroup(b []byte) groupRecord {
	d := row.Decoder{B: b}
	return groupRecord{degree: d.Uint(), copies: d.Uint()}
}
