package store

import (
	"fmt"
	"strconv"
	"strings"

	"go.etcd.io/bbolt"

	"gatecrawl"
	"gatecrawl/dedup"
	"gatecrawl/fetch"
	"gatecrawl/frontier"
)

// Validators is gatecrawl.Store's.
func (s *Store) Validators(u frontier.URL) (fetch.Validators, error) {
	var v fetch.Validators
	err := s.look(func(in glance) error {
		rec, _, err := in.url(u.Key())
		if err != nil || rec.seq == 0 {
			return err
		}
		p, was, err := decodePage(in.Bucket(bucketPages).Get(seqKey(rec.seq)))
		if err == nil && p.Document() && !in.speechless(rec.seq, was) {
			v = fetch.Validators{ETag: p.ETag, LastModified: p.LastModified}
		}
		return err
	})
	if err != nil {
		return v, fmt.Errorf("validators of %s: %w", u, err)
	}
	return v, nil
}

// speechless reports whether the bytes of a document are wanted even where it did
// not change: it, or the page that it was a copy of, speaks for its group no longer.
func (in glance) speechless(seq uint64, v dedup.Verdict) bool {
	if v.Copy() {
		seq = uint64(v.Of)
	}
	return isRetired(in.Bucket(bucketRetired), seq)
}

// settleAgain settles a page that has a record, unless it changed: then it
// reports false, and the page is settled like a new one.
//
// A document stays what it was where none came now (304, a failure, a refusal),
// where its bytes are the same, and where the gate takes it for a copy of the
// same kept page as before, or of what it was itself: its record, view, bytes,
// signature and vote stay, and the record says what the visit brought. A record
// that is of no document gives its place to another that is of none.
func (t *txn) settleAgain(k frontier.Key, rec *urlRecord, v *gatecrawl.Visit, links []link) (_ gatecrawl.Page, settled bool, err error) {
	page := v.Page
	page.Seq = rec.seq
	old, verdict, err := t.page(rec.seq)
	if err != nil {
		return page, false, err
	}
	switch {
	case v.Sign == nil && !old.Document():
		t.uncount(&old)
		t.count(&page)
		r := t.rate(rec.seq)
		if err := t.putRate(rec.seq, rec.seq, r.visited(old.Asked(), page.Fetched, false)); err != nil {
			return page, true, err
		}
		if err := t.noteListed(links, old.Asked(), r.visits); err != nil {
			return page, true, err
		}
		return page, true, t.stay(k, rec, &page, dedup.Verdict{}, links)
	case v.Sign != nil && (!old.Document() || (glance{Tx: t.tx}).speechless(rec.seq, verdict)):
		return page, false, nil
	}
	if v.Sign == nil && verdict.Copy() {
		if again, err := t.noBytes(k, rec, uint64(verdict.Of), page.Status); err != nil || again {
			return page, true, err
		}
		if old, verdict, err = t.page(rec.seq); err != nil { // its group may have been handed on
			return page, true, err
		}
	}
	what := page.Reason
	if v.Sign != nil {
		if what, err = t.same(rec.seq, &old, verdict, v); err != nil || what == "" {
			return page, false, err
		}
		old.ETag, old.LastModified = page.ETag, page.LastModified
	}
	if err := t.keptStayed(rec.seq, &old, v); err != nil {
		return page, false, err
	}
	old.Revisited, old.RevisitStatus, old.Revisit = page.Fetched, page.Status, what
	t.state.Totals.Revisits++
	t.state.Totals.Bytes += page.Bytes
	t.state.Totals.Wire += page.Wire
	page.Verdict = old.Verdict
	return page, true, t.stay(k, rec, &old, verdict, links)
}

// same says in words by what a document is the one that the record is of; "":
// it is another.
func (t *txn) same(seq uint64, old *gatecrawl.Page, verdict dedup.Verdict, v *gatecrawl.Visit) (string, error) {
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
func (t *txn) stay(k frontier.Key, rec *urlRecord, page *gatecrawl.Page, verdict dedup.Verdict, links []link) error {
	rec.state = done
	t.put(k, rec)
	if err := t.pages.Put(seqKey(rec.seq), encodePage(page, verdict)); err != nil {
		return fmt.Errorf("page %s: %w", page.URL, err)
	}
	if verdict.Copy() {
		for i := range links {
			links[i].cand.Signals.Copy = true
		}
	}
	return t.add(links)
}

// bucketRetired has the kept pages that were replaced: seq of each, and of the
// record that came in its place; and those that are gone, and seq of who took
// over, 0 while nobody did. Jobs without any lack it.
var bucketRetired = []byte("retired")

// replace lets the record of a page give way to a newer one of the same
// address. The gate takes nothing new for a copy of what it was; copies that
// were found before stay its copies. If it was a copy itself its vote is taken
// back.
func (t *txn) replace(k frontier.Key, seq, by uint64) error {
	old, verdict, err := t.page(seq)
	if err != nil {
		return err
	}
	old.ReplacedBy = by
	if err := t.pages.Put(seqKey(seq), encodePage(&old, verdict)); err != nil {
		return fmt.Errorf("page %s: %w", old.URL, err)
	}
	if verdict.Copy() {
		return t.unvote(uint64(verdict.Of), k)
	}
	if old.Verdict != gatecrawl.VerdictNew {
		return nil
	}
	return t.retire(seq, by)
}

// retire lets the gate take nothing new for a copy of a kept page. It was
// replaced by the record with number by, or is gone if that is 0.
func (t *txn) retire(seq, by uint64) error {
	b, err := t.tx.CreateBucketIfNotExists(bucketRetired)
	if err == nil {
		err = b.Put(seqKey(seq), seqKey(by))
	}
	if err != nil {
		return fmt.Errorf("retire page %d: %w", seq, err)
	}
	t.s.gate.Retire(dedup.DocID(seq))
	return nil
}

// retiredBy returns what came in the place of a retired page; 0: nothing, it is
// gone, or it is not retired.
func retiredBy(b *bbolt.Bucket, seq uint64) uint64 {
	v := b.Get(seqKey(seq))
	if v == nil {
		return 0
	}
	return seqOf(v)
}

func isRetired(b *bbolt.Bucket, seq uint64) bool { return b != nil && b.Get(seqKey(seq)) != nil }

// unvote takes back the vote of the URL named by k.
func (t *txn) unvote(of uint64, k frontier.Key) error {
	id := voteKey(of, k)
	if t.votes.Get(id) == nil {
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
	n, err := t.countOwner(of, owner, -1)
	if err != nil {
		return err
	}
	if err := t.votes.Delete(id); err != nil {
		return fmt.Errorf("take back a vote for page %d: %w", of, err)
	}
	t.state.Totals.Votes--
	g.copies--
	if n == 0 && owner != kept {
		g.degree--
	}
	if g.copies == 0 {
		err = t.groups.Delete(seqKey(of))
	} else {
		err = t.groups.Put(seqKey(of), g.encode())
	}
	if err != nil {
		return fmt.Errorf("take back a vote for page %d: %w", of, err)
	}
	return nil
}

// outdated reports whether a visit brought no bytes because its page was a copy
// of one that has been replaced since. Such a page has to be visited once more.
func (t *txn) outdated(v *gatecrawl.Visit) (bool, error) {
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
	return s.db.View(func(tx *bbolt.Tx) error {
		b := tx.Bucket(bucketRetired)
		if b == nil {
			return nil
		}
		return b.ForEach(func(k, _ []byte) error {
			gate.Retire(dedup.DocID(seqOf(k)))
			return nil
		})
	})
}

// uncount takes a record out of the totals; what was transferred for it stays
// counted.
func (t *txn) uncount(p *gatecrawl.Page) {
	n := &t.state.Totals
	n.Pages--
	if p.Status != 0 {
		n.Fetched--
		lower(n.Statuses, strconv.Itoa(p.Status))
	}
	switch p.Verdict {
	case gatecrawl.VerdictRefused:
		n.Refused--
		lower(n.Rules, p.Rule)
	case gatecrawl.VerdictFailed:
		n.Failed--
		kind, _, _ := strings.Cut(p.Reason, ":")
		lower(n.Reasons, kind)
	}
}

// lower counts one less, and forgets a name that no longer occurs.
func lower(counts map[string]int64, name string) {
	if counts[name]--; counts[name] <= 0 {
		delete(counts, name)
	}
}

// Fields at the end of a page record; tailLabel is 1.
const (
	tailETag     = 10 // as sent
	tailModified = 11 // as sent
	tailReplaced = 12 // seq, a varint
	tailRender   = 14 // what became of running the page's scripts
	tailCompared = 30 // seq, a varint
	tailRevisit  = 13 // time, HTTP status and words, as in the rest of the record
)

// encodeRevisit appends what a page record has for visits to come and of those
// that changed nothing.
func encodeRevisit(e *encoder, p *gatecrawl.Page) {
	e.tail(tailRender, p.Render)
	e.tail(tailETag, p.ETag)
	e.tail(tailModified, p.LastModified)
	if p.ReplacedBy != 0 {
		var by encoder
		by.uint(p.ReplacedBy)
		e.tail(tailReplaced, string(by.b))
	}
	if p.Compared != 0 {
		var with encoder
		with.uint(p.Compared)
		e.tail(tailCompared, string(with.b))
	}
	if !p.Revisited.IsZero() {
		var again encoder
		again.time(p.Revisited)
		again.uint(uint64(p.RevisitStatus))
		again.string(p.Revisit)
		e.tail(tailRevisit, string(again.b))
	}
}

// decodeRevisit takes a field that encodeRevisit appended into a page. It
// returns what is wrong with the field.
func decodeRevisit(tag byte, v string, p *gatecrawl.Page) error {
	d := decoder{b: []byte(v)}
	switch tag {
	case tailRender:
		p.Render = v
	case tailETag:
		p.ETag = v
	case tailModified:
		p.LastModified = v
	case tailReplaced:
		p.ReplacedBy = d.uint()
	case tailCompared:
		p.Compared = d.uint()
	case tailRevisit:
		p.Revisited = d.time()
		p.RevisitStatus = int(d.uint())
		p.Revisit = d.string()
	}
	return d.err
}
