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
	"gatecrawl.example/gatecrawl/priority"
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
		for i := range links { // they were paid and rated when the page was visited first
			l := &links[i].Candidate.Signals
			l.Cash, l.Links, l.Sum = 0, 0, 0
		}
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
	t.pay(rec, &old, &record, verdict, links)
	if err := t.rate(l, rec, &old, &record, links); err != nil {
		return record, err
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
				s := &links[i].Candidate.Signals
				s.Relevance, s.Sum = kept.Relevance, kept.Relevance*float32(s.Links)
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

// pay pays the links of a document that is kept for the first time: a copy pays nothing, and
// another version of a page neither. A redirect hands on what its URL was paid.
func (t *txn) pay(rec *queue.Record, old, record *page.Record, verdict dedup.Verdict, links []queue.Link) {
	first := old.Seq == 0 || !old.Document()
	switch {
	case record.Verdict == page.VerdictNew && !verdict.Copy() && first:
		t.queue.Pay(links, rec.Signals.Cash)
	case record.Rule == "redirect" && old.Seq == 0:
		for i := range links { // its own may have grown since it was lent
			links[i].Candidate.Signals.Cash = rec.Signals.Cash
		}
	default:
		for i := range links {
			links[i].Candidate.Signals.Cash = 0
		}
	}
}

// rate takes note in a focused crawl of how relevant the answer was: for its host, for those that
// are linked beside it, and for the harvest. A copy brings nothing that the job lacks.
func (t *txn) rate(l *queue.Held, rec *queue.Record, old, record *page.Record, links []queue.Link) error {
	if !t.s.priority.Focused {
		return nil
	}
	rec.Rated = record.Relevance
	t.queue.Settled(l.Key, rec.Rated)
	if err := t.queue.Siblings(l.Key, links); err != nil {
		return err
	}
	if record.Status == 0 || old.Seq != 0 {
		return nil
	}
	gain := float64(0)
	if record.Verdict == page.VerdictNew || record.Rule == "topic" {
		gain = float64(record.Relevance)
	}
	t.queue.CountRated(l, gain)
	if t.state.Totals.Harvest == nil {
		t.state.Totals.Harvest = &page.Harvest{}
	}
	t.state.Totals.Harvest.Add(&t.state.Recent, gain, t.s.onTopic)
	return nil
}

// keepOutlinks remembers where a kept page links to, so that votes for it can
// raise those that still wait.
func (t *txn) keepOutlinks(k []byte, links []queue.Link) {
	var b []byte
	met := make(map[weburl.Key]bool, len(links))
	for _, l := range links[:min(len(links), maxOutlinks)] {
		if l.Candidate.Refused.IsZero() && !met[l.Key] {
			met[l.Key] = true
			b = append(b, l.Key[:]...)
		}
	}
	if b != nil {
		t.tx.Put(tableOutlinks, k, b)
	}
}

// raise pays the waiting outlinks of a kept page for its new mirror degree: what they would have
// been paid more than they were if it had always had that. A degree that falls takes nothing
// back, and is not paid for again when it rises.
func (t *txn) raise(of uint64, degree uint64) error {
	out, err := t.tx.Get(tableOutlinks, seqKey(of))
	if err != nil || len(out) == 0 {
		return err
	}
	url, err := t.in().urlOf(of)
	if err != nil {
		return err
	}
	u, err := weburl.Parse(url)
	if err != nil {
		return fmt.Errorf("page %d: %w", of, err)
	}
	kept, err := t.queue.Get(u.Key())
	if err != nil || kept == nil || uint64(kept.Paid) >= degree {
		return err
	}
	now := uint16(min(degree, math.MaxUint16))
	more := t.s.priority.Bonus(int(now)) - t.s.priority.Bonus(int(kept.Paid))
	share := more * priority.Pay(kept.Signals.Cash, len(out)/len(weburl.Key{}))
	kept.Paid = now
	t.queue.Put(u.Key(), kept)
	if t.s.priority.Cash == 0 && t.s.priority.Mirror == 0 {
		return nil
	}
	for len(out) >= len(weburl.Key{}) {
		k := weburl.Key(out)
		out = out[len(k):]
		if err := t.queue.Grant(k, share, now); err != nil {
			return err
		}
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
