package store

import (
	"fmt"
	"net/http"
	"strconv"
	"time"

	"gatecrawl.example/gatecrawl/dedup"
	"gatecrawl.example/gatecrawl/dedup/group"
	"gatecrawl.example/gatecrawl/frontier/queue"
	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/store/revisit"
)

// mustRefetch reports whether the bytes of a document are wanted even where it did
// not change: it, or the page that it was a copy of, speaks for its group no longer.
func (in snapshot) mustRefetch(seq uint64, v dedup.Verdict) (bool, error) {
	if v.Copy() {
		seq = uint64(v.Of)
	}
	return group.Retired(in, seq)
}

// settleAgain settles a page that has a record, unless it changed: then it
// reports false, and the page is settled like a new one.
//
// A document stays what it was where none came now (304, a failure, a refusal),
// where its bytes are the same, and where the gate takes it for a copy of the
// same kept page as before, or of what it was itself: its record, view, bytes,
// signature and vote stay, and the record says what the visit brought. A record
// that is of no document gives its place to another that is of none.
func (t *txn) settleAgain(k weburl.Key, rec *queue.Record, v *page.Visit, links []queue.Link) (_ page.Record, settled bool, err error) {
	record := v.Page
	record.Seq = rec.Page
	old, verdict, err := t.page(rec.Page)
	if err != nil {
		return record, false, err
	}
	switch {
	case v.Sign == nil && !old.Document():
		t.uncount(&old)
		t.count(&record)
		r, err := revisit.RateOf(t.tx, rec.Page)
		if err != nil {
			return record, true, err
		}
		if record.Status != old.Status || record.Location != old.Location {
			r = revisit.Rate{} // it is as before from now on
		} else {
			r = r.Visited(old.Asked(), record.Fetched, false)
		}
		r.Put(t.tx, rec.Page)
		if err := t.listed(links, old.Asked(), r.Visits); err != nil {
			return record, true, err
		}
		return record, true, t.stay(k, rec, &record, dedup.Verdict{}, links)
	case v.Sign != nil && !old.Document():
		return record, false, nil
	case v.Sign != nil:
		if wanted, err := t.in().mustRefetch(rec.Page, verdict); err != nil || wanted {
			return record, false, err
		}
	}
	if v.Sign == nil && verdict.Copy() {
		again, err := t.s.groups.NoBytes(t.tx, k, uint64(verdict.Of), record.Status, rec.Attempt)
		if err != nil {
			return record, true, err
		}
		if again {
			rec.Attempt++
			t.queue.Wait(k, rec, t.s.queue.Now())
			record.Seq = 0 // it is visited once more
			return record, true, nil
		}
		if old, verdict, err = t.page(rec.Page); err != nil { // its group may have been handed on
			return record, true, err
		}
	}
	what := record.Reason
	if v.Sign != nil {
		if what, err = t.same(rec.Page, &old, verdict, v); err != nil || what == "" {
			return record, false, err
		}
		old.ETag, old.LastModified = record.ETag, record.LastModified
		if v.Text != nil { // it was read: what stands beside the body may have changed
			old.Fields, old.FieldsCut = record.Fields, record.FieldsCut
		}
	}
	if err := t.keptStayed(rec.Page, &old, v); err != nil {
		return record, false, err
	}
	old.Revisited, old.RevisitStatus, old.Revisit = record.Fetched, record.Status, what
	t.state.Totals.Revisits++
	t.state.Totals.Bytes += record.Bytes
	t.state.Totals.Wire += record.Wire
	record.Verdict, record.Replaces = old.Verdict, rec.Page
	return record, true, t.stay(k, rec, &old, verdict, links)
}

// listed notes what a sitemap says of copies since it was read last; turn is how often
// it was.
func (t *txn) listed(links []queue.Link, since time.Time, turn uint64) error {
	urls := make([]revisit.Listing, len(links))
	for i, l := range links {
		urls[i] = revisit.Listing{URL: l.Key, Modified: l.Candidate.Modified}
	}
	return revisit.Listed(t.tx, revisitedJob{t.s}, urls, since, t.state.Recrawled, turn)
}

// same says in words by what a document is the one that the record is of; "":
// it is another.
func (t *txn) same(seq uint64, old *page.Record, verdict dedup.Verdict, v *page.Visit) (string, error) {
	if v.Sign.Bytes.String() == old.Digest {
		return "same bytes as before", nil
	}
	now, err := t.check(v)
	switch {
	case err != nil:
		return "", fmt.Errorf("check %s: %w", v.Page.URL, err)
	case now.Copy() && uint64(now.Of) == seq:
		return "still a copy of what it was: " + now.Reason(), nil
	case now.Copy() && now.Of == verdict.Of:
		return "still a copy of the same page: " + now.Reason(), nil
	}
	return "", nil
}

// stay writes back a record in its place.
func (t *txn) stay(k weburl.Key, rec *queue.Record, record *page.Record, verdict dedup.Verdict, links []queue.Link) error {
	rec.State = queue.Done
	t.queue.Put(k, rec)
	t.putPage(rec.Page, record, verdict)
	if verdict.Copy() {
		for i := range links {
			links[i].Candidate.Signals.Copy = true
		}
	}
	return t.add(links)
}

// keptStayed takes note of a visit that left the record of a kept page as it was.
func (t *txn) keptStayed(seq uint64, old *page.Record, v *page.Visit) error {
	switch {
	case old.Verdict != page.VerdictNew:
		return nil
	case v.Sign != nil || v.Page.Status == http.StatusNotModified:
		return revisit.Count(t.tx, old, seq, v.Page.Fetched, false)
	case gone(&v.Page):
		return t.s.groups.Gone(t.tx, seq)
	}
	return nil
}

// gone reports whether a visit says that a document is at its URL no longer.
// A server that fails or is out of reach says nothing of its documents.
func gone(p *page.Record) bool {
	return p.Status == http.StatusNotFound || p.Status == http.StatusGone || p.Rule == "redirect" || p.Rule == "soft-404"
}

// outdated reports whether a visit brought no bytes because its page was a copy
// of one that has been replaced since. Such a page has to be visited once more.
func (t *txn) outdated(v *page.Visit) (bool, error) {
	if v.Sign == nil || v.View != nil || v.Body != nil || t.s.gate.Retired() == 0 {
		return false, nil
	}
	now, err := t.check(v)
	if err != nil {
		return false, fmt.Errorf("check %s: %w", v.Page.URL, err)
	}
	return !now.Copy(), nil
}

// loadRetired tells a gate which kept pages were replaced.
func (s *Store) loadRetired(gate *dedup.Gate) error {
	return s.look(func(in snapshot) error {
		return group.EachRetired(in, func(seq uint64) { gate.Retire(dedup.DocID(seq)) })
	})
}

// uncount takes a record out of the totals; what was transferred for it stays
// counted.
func (t *txn) uncount(p *page.Record) {
	n := &t.state.Totals
	n.Pages--
	if p.Status != 0 {
		n.Fetched--
		lower(n.Statuses, strconv.Itoa(p.Status))
	}
	switch p.Verdict {
	case page.VerdictRefused:
		n.Refused--
		lower(n.Rules, p.Rule)
	case page.VerdictFailed:
		n.Failed--
		lower(n.Reasons, p.Failure())
	}
}

// lower counts one less, and forgets a name that no longer occurs.
func lower(counts map[string]int64, name string) {
	if counts[name]--; counts[name] <= 0 {
		delete(counts, name)
	}
}
