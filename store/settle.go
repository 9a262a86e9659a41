package store

import (
	"encoding/binary"
	"fmt"
	"math"
	"strconv"

	"gatecrawl.example/gatecrawl/dedup"
	"gatecrawl.example/gatecrawl/dedup/group"
	"gatecrawl.example/gatecrawl/frontier/queue"
	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/page"
)

// maxOutlinks bounds how many links of a kept page a vote can raise.
const maxOutlinks = 10_000

// settle takes a visited URL out of the queue and records what became of it.
func (t *txn) settle(l *queue.Held, v *page.Visit, links []queue.Link) (page.Record, error) {
	record := v.Page
	rec, err := t.queue.Take(l)
	if err != nil {
		return record, err
	}
	if rec.Page != 0 {
		rec.Score = t.s.priority.Score(rec.Signals) // it was queued by what the visit was worth
	}
	rec.State = queue.Done // a page that links here may be raised below
	t.queue.Put(l.Key, rec)
	if !v.Finished.IsZero() {
		t.queue.CountFetch(l)
	}
	if v.Retry > 0 {
		rec.Attempt++
		t.state.Totals.Retries++
		t.queue.Wait(l.Key, rec, t.s.queue.Now().Add(v.Retry))
		return record, nil
	}

	if old, err := t.outdated(v); err != nil || old {
		t.queue.Wait(l.Key, rec, t.s.queue.Now())
		return record, err
	}
	if rec.Page != 0 {
		if pageRec, settled, err := t.settleAgain(l.Key, rec, v, links); err != nil || settled {
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
	if rec.Page != 0 {
		if old, was, err = t.page(rec.Page); err != nil {
			return record, err
		}
		if old.Document() {
			record.Replaces = rec.Page
		}
		t.s.links.Remove(t.tx, rec.Page)
		if err := t.s.groups.Replace(t.tx, l.Key, rec.Page, seq); err != nil {
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
		if record.Early, err = t.s.twins.IsEarly(t.tx, l.Key.Host()); err != nil {
			return record, err
		}
		if err := group.RememberBytes(t.tx, seq, v.Sign.Bytes, verdict); err != nil {
			return record, err
		}
		if !verdict.Copy() {
			t.queue.CountNew(l)
		}
	}
	rec.State, rec.Page = queue.Done, seq
	t.queue.Put(l.Key, rec)
	t.putPage(seq, &record, verdict)
	t.count(&record)
	if verdict.Copy() {
		for i := range links {
			links[i].Candidate.Signals.Copy = true
		}
	}
	if err := t.add(links); err != nil {
		return record, err
	}
	if err := t.learn(v, &record, verdict); err != nil || old.Seq == 0 {
		return record, err
	}
	return record, t.changed(l.Key, &old, was, &record, verdict, v.Sign)
}

// addRoot widens the scope of the crawl.
func (t *txn) addRoot(url string) { t.tx.Put(tableRoots, []byte(url), present) }

// add queues links, and keeps what they add to the scope's roots in any case.
func (t *txn) add(links []queue.Link) error {
	for i := range links {
		if root := links[i].Candidate.Root; root != "" {
			t.addRoot(root)
		}
	}
	return t.queue.Add(links)
}

// judge writes the gate's answer into the record, and keeps what is kept.
func (t *txn) judge(record *page.Record, l *queue.Held, v *page.Visit, links []queue.Link, verdict dedup.Verdict) error {
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
				links[i].Candidate.Signals.Relevance = kept.Relevance
			}
		}
		if verdict.Level == dedup.LevelNear && v.Sign.Body != (dedup.Digest{}) {
			record.Body = binary.BigEndian.Uint64(v.Sign.Body[:])
		}
		if err := t.s.groups.Vote(t.tx, uint64(verdict.Of), l.Key); err != nil {
			return err
		}
	}
	k := seqKey(record.Seq)
	if !verdict.Copy() {
		t.tx.Put(tableSignatures, k, page.EncodeSignature(v.Sign))
		t.keepOutlinks(k, links)
		t.s.links.Add(t.tx, record.Seq, linksOf(links))
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
func (t *txn) keepOutlinks(k []byte, links []queue.Link) {
	var b []byte
	for _, l := range links[:min(len(links), maxOutlinks)] {
		if l.Candidate.Refused.IsZero() {
			b = append(b, l.Key[:]...)
		}
	}
	if b != nil {
		t.tx.Put(tableOutlinks, k, b)
	}
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
		rec, err := t.queue.Get(k)
		if err != nil {
			return err
		}
		if rec == nil || rec.State != queue.Queued && rec.State != queue.Later || uint64(rec.Signals.Degree) >= degree {
			continue
		}
		s := rec.Signals
		s.Degree = uint16(min(degree, math.MaxUint16))
		t.queue.Rescore(k, rec, s)
	}
	return nil
}

// page reads the record of a page.
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
