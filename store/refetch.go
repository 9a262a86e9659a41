package store

import (
	"fmt"
	"strconv"

	"gatecrawl.example/gatecrawl/dedup"
	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/store/kv"
)

// mustRefetch reports whether the bytes of a document are wanted even where it did
// not change: it, or the page that it was a copy of, speaks for its group no longer.
func (in snapshot) mustRefetch(seq uint64, v dedup.Verdict) (bool, error) {
	if v.Copy() {
		seq = uint64(v.Of)
	}
	return in.isRetired(seq)
}

// settleAgain settles a page that has a record, unless it changed: then it
// reports false, and the page is settled like a new one.
//
// A document stays what it was where none came now (304, a failure, a refusal),
// where its bytes are the same, and where the gate takes it for a copy of the
// same kept page as before, or of what it was itself: its record, view, bytes,
// signature and vote stay, and the record says what the visit brought. A record
// that is of no document gives its place to another that is of none.
func (t *txn) settleAgain(k weburl.Key, rec *urlRecord, v *page.Visit, links []link) (_ page.Record, settled bool, err error) {
	record := v.Page
	record.Seq = rec.seq
	old, verdict, err := t.page(rec.seq)
	if err != nil {
		return record, false, err
	}
	switch {
	case v.Sign == nil && !old.Document():
		t.uncount(&old)
		t.count(&record)
		r, err := t.in().rate(rec.seq)
		if err != nil {
			return record, true, err
		}
		if record.Status != old.Status || record.Location != old.Location {
			r = rateRecord{} // it is as before from now on
		} else {
			r = r.visited(old.Asked(), record.Fetched, false)
		}
		t.putRate(rec.seq, rec.seq, r)
		if err := t.noteListed(links, old.Asked(), r.visits); err != nil {
			return record, true, err
		}
		return record, true, t.stay(k, rec, &record, dedup.Verdict{}, links)
	case v.Sign != nil && !old.Document():
		return record, false, nil
	case v.Sign != nil:
		if wanted, err := t.in().mustRefetch(rec.seq, verdict); err != nil || wanted {
			return record, false, err
		}
	}
	if v.Sign == nil && verdict.Copy() {
		if again, err := t.noBytes(k, rec, uint64(verdict.Of), record.Status); err != nil || again {
			record.Seq = 0 // it is visited once more
			return record, true, err
		}
		if old, verdict, err = t.page(rec.seq); err != nil { // its group may have been handed on
			return record, true, err
		}
	}
	what := record.Reason
	if v.Sign != nil {
		if what, err = t.same(rec.seq, &old, verdict, v); err != nil || what == "" {
			return record, false, err
		}
		old.ETag, old.LastModified = record.ETag, record.LastModified
		if v.Text != nil { // it was read: what stands beside the body may have changed
			old.Fields, old.FieldsCut = record.Fields, record.FieldsCut
		}
	}
	if err := t.keptStayed(rec.seq, &old, v); err != nil {
		return record, false, err
	}
	old.Revisited, old.RevisitStatus, old.Revisit = record.Fetched, record.Status, what
	t.state.Totals.Revisits++
	t.state.Totals.Bytes += record.Bytes
	t.state.Totals.Wire += record.Wire
	record.Verdict, record.Replaces = old.Verdict, rec.seq
	return record, true, t.stay(k, rec, &old, verdict, links)
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
func (t *txn) stay(k weburl.Key, rec *urlRecord, record *page.Record, verdict dedup.Verdict, links []link) error {
	rec.state = done
	t.put(k, rec)
	t.putPage(rec.seq, record, verdict)
	if verdict.Copy() {
		for i := range links {
			links[i].cand.Signals.Copy = true
		}
	}
	return t.add(links)
}

// tableRetired has the kept pages that were replaced: seq of each, and of the
// record that came in its place; and those that are gone, and seq of who took
// over, 0 while nobody did.
var tableRetired = &kv.Table{Name: "retired"}

// replace lets the record of a page give way to a newer one of the same
// URL. The gate takes nothing new for a copy of what it was; copies that
// were found before stay its copies. If it was a copy itself its vote is taken
// back.
func (t *txn) replace(k weburl.Key, seq, by uint64) error {
	old, verdict, err := t.page(seq)
	if err != nil {
		return err
	}
	old.ReplacedBy = by
	t.putPage(seq, &old, verdict)
	if verdict.Copy() {
		return t.unvote(uint64(verdict.Of), k)
	}
	if old.Verdict != page.VerdictNew {
		return nil
	}
	t.retire(seq, by)
	return nil
}

// retire lets the gate take nothing new for a copy of a kept page. It was
// replaced by the record with number by, or is gone if that is 0.
func (t *txn) retire(seq, by uint64) {
	t.tx.Put(tableRetired, seqKey(seq), seqKey(by))
	t.s.gate.Retire(dedup.DocID(seq))
}

// retiredBy returns what came in the place of a retired page; 0: nothing, it is
// gone, or it is not retired.
func (in snapshot) retiredBy(seq uint64) (uint64, error) {
	v, err := in.Get(tableRetired, seqKey(seq))
	if err != nil || v == nil {
		return 0, err
	}
	return seqOf(v), nil
}

// isRetired reports whether a kept page speaks for its group no longer.
func (in snapshot) isRetired(seq uint64) (bool, error) {
	return kv.Has(in, tableRetired, seqKey(seq))
}

// unvote takes back the vote of the URL named by k.
func (t *txn) unvote(of uint64, k weburl.Key) error {
	id := voteKey(of, k)
	if voted, err := kv.Has(t.tx, tableVotes, id); err != nil || !voted {
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
	n, err := t.countOwner(of, owner, -1)
	if err != nil {
		return err
	}
	t.tx.Delete(tableVotes, id)
	t.state.Totals.Votes--
	g.copies--
	if n == 0 && owner != kept {
		g.degree--
	}
	if g.copies == 0 {
		t.tx.Delete(tableGroups, seqKey(of))
	} else {
		t.tx.Put(tableGroups, seqKey(of), g.encode())
	}
	return nil
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
		return each(in, tableRetired, func(k, _ []byte) error {
			gate.Retire(dedup.DocID(seqOf(k)))
			return nil
		})
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
