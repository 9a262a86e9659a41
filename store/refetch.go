package store

import (
	"fmt"
	"net/http"
	"reflect"
	"time"

	"gatecrawl.example/gatecrawl/dedup"
	"gatecrawl.example/gatecrawl/dedup/group"
	"gatecrawl.example/gatecrawl/frontier/queue"
	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/store/revisit"
)

// mustRefetch reports whether the bytes of a document are needed even if it has not changed: it, or
// the page that it was a copy of, no longer represents its group.
func mustRefetch(in snapshot, seq uint64, v dedup.Verdict) (bool, error) {
	if v.Copy() {
		seq = uint64(v.Of)
	}
	return group.Retired(in, seq)
}

// stay settles a page that has a record and has not changed. If it has changed, it returns false,
// and the page is settled like a new one.
//
// A document counts as unchanged if the visit brought none (304, a failure, a refusal), if its
// bytes are the same, or if the gate finds it a copy of the same kept page as before, or of its own
// old version. Its record, view, bytes, signature and vote stay, and the record says what the visit
// brought. A record without a document is replaced if the visit brought no document either.
func (t *settling) stay() (bool, error) {
	if t.entry.Page == 0 {
		return false, nil
	}
	var err error
	if t.old, t.was, err = t.page(t.entry.Page); err != nil {
		return false, err
	}
	came, had := t.visit.Sign != nil, t.old.Document()
	switch {
	case came && !had:
		return false, nil
	case came:
		return t.stayCame()
	case had:
		return true, t.stayUnseen()
	}
	return true, t.stayNone()
}

// stayNone replaces a record without a document by another one without.
func (t *settling) stayNone() error {
	t.record.Seq = t.entry.Page
	t.state.Uncount(&t.old)
	t.state.Count(&t.record)
	visits, err := revisit.CountWithoutDocument(t.tx, &t.old, &t.record)
	if err != nil {
		return err
	}
	if err := t.listed(t.links, t.old.Asked(), visits); err != nil {
		return err
	}
	return t.writeBack(&t.record)
}

// stayUnseen settles a visit that did not bring the document that was there before. A copy whose
// group may need its bytes is visited once more.
func (t *settling) stayUnseen() error {
	if t.was.Copy() {
		again, err := t.s.groups.NoBytes(t.tx, t.held.Key, uint64(t.was.Of), t.record.Status, t.entry.Attempt)
		if err != nil {
			return err
		}
		if again {
			t.entry.Attempt++
			t.queue.Wait(t.held.Key, t.entry, t.s.queue.Now())
			return nil
		}
		if t.old, t.was, err = t.page(t.entry.Page); err != nil { // its group may have got another kept page
			return err
		}
	}
	return t.visited(t.record.Reason)
}

// stayCame settles a document that has not changed; false: it has changed, or its bytes are needed.
func (t *settling) stayCame() (bool, error) {
	if wanted, err := mustRefetch(t.in(), t.entry.Page, t.was); err != nil || wanted {
		return false, err
	}
	what, err := t.same(t.entry.Page, &t.old, t.was, t.visit)
	if err != nil || what == "" {
		return false, err
	}
	t.noteEdits()
	t.old.ETag, t.old.LastModified = t.record.ETag, t.record.LastModified
	if t.visit.Text != nil { // the page was read: its text outside the body may have changed
		t.old.Fields, t.old.FieldsCut = t.record.Fields, t.record.FieldsCut
	}
	return true, t.visited(what)
}

// noteEdits records how a kept page differs now from what is kept of it, and since when.
func (t *settling) noteEdits() {
	if t.old.Verdict != page.VerdictNew {
		return
	}
	now := t.record.Differs
	if uint64(t.visit.Checked.Of) != t.entry.Page || t.visit.Sign.Bytes.String() == t.old.Digest {
		now = nil // it has not changed, or was compared with another page
	}
	switch {
	case now == nil:
		t.old.Edited = time.Time{}
	case !reflect.DeepEqual(now, t.old.Differs):
		t.old.Edited = t.record.Fetched
	}
	t.old.Differs = now
}

// visited records that a document was visited again, and what that brought.
func (t *settling) visited(what string) error {
	if err := t.keptStayed(t.entry.Page, &t.old, t.visit); err != nil {
		return err
	}
	t.old.MarkRevisited(&t.record, what)
	t.record.Gone, t.record.Edited = t.old.Gone, t.old.Edited
	t.state.Totals.Revisits++
	t.state.Totals.Bytes += t.record.Bytes
	t.state.Totals.Wire += t.record.Wire
	t.record.Verdict, t.record.Seq, t.record.Replaces = t.old.Verdict, t.entry.Page, t.entry.Page
	t.verdict = t.was
	return t.writeBack(&t.old)
}

// writeBack writes a record under its old sequence number.
func (t *settling) writeBack(p *page.Record) error {
	t.done()
	t.putPage(t.entry.Page, p, t.verdict)
	_, err := t.queueLinks()
	return err
}

// listed records which copies a sitemap lists as changed since it was last read; turn is how often
// it was read.
func (t *txn) listed(links []queue.Link, since time.Time, turn uint64) error {
	urls := make([]revisit.Listing, len(links))
	for i, l := range links {
		urls[i] = revisit.Listing{URL: l.Key, Modified: l.Candidate.Modified}
	}
	return revisit.Listed(t.tx, revisitedJob{t.s}, urls, since, t.state.Recrawled, turn)
}

// same says in words why a document counts as unchanged; "": it has changed.
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

// keptStayed counts a visit that left the record of a kept page unchanged.
func (t *txn) keptStayed(seq uint64, old *page.Record, v *page.Visit) error {
	switch {
	case old.Verdict != page.VerdictNew:
		return nil
	case v.Sign != nil || v.Page.Status == http.StatusNotModified:
		return revisit.Count(t.tx, old, seq, v.Page.Fetched, false)
	case v.Page.Missing():
		return t.s.groups.Gone(t.tx, seq)
	}
	return nil
}

// askAnew queues a page once more whose visit brought no bytes because it was a copy of a page that
// has been replaced since.
func (t *settling) askAnew() (bool, error) {
	v := t.visit
	if v.Sign == nil || v.View != nil || v.Body != nil || t.s.partition == nil && t.s.gate.Retired() == 0 {
		return false, nil
	}
	now, err := t.check(v)
	if err != nil {
		return false, fmt.Errorf("check %s: %w", v.Page.URL, err)
	}
	if now.Copy() {
		return false, nil
	}
	t.queue.Wait(t.held.Key, t.entry, t.s.queue.Now())
	return true, nil
}

// loadRetired retires in a gate the kept pages that were replaced.
func (s *Store) loadRetired(gate *dedup.Gate) error {
	return s.look(func(in snapshot) error {
		return group.EachRetired(in, func(seq uint64) { gate.Retire(dedup.DocID(seq)) })
	})
}
