package store

import (
	"bytes"
	"fmt"
	"net/http"
	"time"

	"gatecrawl"
	"gatecrawl/dedup"
	"gatecrawl/frontier"
)

// A group speaks through its kept page: while that stays what it is, its copies
// are taken to stay too. When the kept page changes or is gone the group is
// contested: one of its copies is asked for with its bytes.
//
//   - It is what the group was: it is the kept page from now on (or a copy of who
//     is), and the others are its copies.
//   - It changed as the kept page did: the others are taken to have done so too.
//   - It is another document by now, or gone: the next copy is asked.
//
// What is left when none is left to ask are copies of a page of the past.

// bucketContests has, by the seq of a contested group's former kept page, the key
// of the copy that is asked. Jobs without contested groups lack it.
var bucketContests = []byte("contests")

// maxHandedOn bounds how many copies are handed on in one transaction. Those
// beyond it stay with the former kept page, and the next re-crawl asks them.
const maxHandedOn = 10_000

// maxUnasked is how often a copy is asked for its bytes that answers "not
// modified" to a request without a version.
const maxUnasked = 3

// isRetired reports whether a kept page speaks for its group no longer.
func (t *txn) isRetired(seq uint64) bool { return isRetired(t.tx.Bucket(bucketRetired), seq) }

// contested returns the copy that is asked on behalf of a group.
func (t *txn) contested(of uint64) (asked frontier.Key, ok bool) {
	b := t.tx.Bucket(bucketContests)
	if b == nil {
		return asked, false
	}
	v := b.Get(seqKey(of))
	if len(v) != len(asked) {
		return asked, false
	}
	return frontier.Key(v), true
}

// contest asks the first copy of a group, unless one is asked already.
func (t *txn) contest(of uint64) error {
	if _, ok := t.contested(of); ok {
		return nil
	}
	return t.askAfter(of, frontier.Key{})
}

// askAfter asks the copy that comes after the given one. Where there is none the
// group is contested no longer.
func (t *txn) askAfter(of uint64, last frontier.Key) error {
	prefix := seqKey(of)
	k, _ := t.votes.Cursor().Seek(append(voteKey(of, last), 0))
	if !bytes.HasPrefix(k, prefix) {
		return t.endContest(of)
	}
	next := frontier.Key(k[len(prefix):])
	b, err := t.tx.CreateBucketIfNotExists(bucketContests)
	if err == nil {
		err = b.Put(prefix, next[:])
	}
	if err != nil {
		return fmt.Errorf("group of page %d: %w", of, err)
	}
	rec, err := t.url(next)
	if err != nil {
		return err
	}
	if rec == nil {
		return fmt.Errorf("group of page %d: voter %s is no url", of, next)
	}
	if rec.state == done {
		rec.attempt = 0
		t.enqueue(next, rec)
	}
	return nil
}

func (t *txn) endContest(of uint64) error {
	b := t.tx.Bucket(bucketContests)
	if b == nil {
		return nil
	}
	if err := b.Delete(seqKey(of)); err != nil {
		return fmt.Errorf("group of page %d: %w", of, err)
	}
	return nil
}

// gone reports whether a visit says that a document is at its address no longer.
// A server that fails or is out of reach says nothing of its documents.
func gone(p *gatecrawl.Page) bool {
	return p.Status == http.StatusNotFound || p.Status == http.StatusGone || p.Rule == "redirect" || p.Rule == "soft-404"
}

// keptGone takes note that a kept page is gone. Its group, if it has one, is
// contested, and the gate takes nothing new for a copy of it.
func (t *txn) keptGone(seq uint64) error {
	if t.isRetired(seq) || t.groups.Get(seqKey(seq)) == nil {
		return nil
	}
	if err := t.retire(seq, 0); err != nil {
		return err
	}
	return t.contest(seq)
}

// keptStayed takes note of a visit that left the record of a kept page as it was.
func (t *txn) keptStayed(seq uint64, old *gatecrawl.Page, v *gatecrawl.Visit) error {
	switch {
	case old.Verdict != gatecrawl.VerdictNew:
		return nil
	case v.Sign != nil || v.Page.Status == http.StatusNotModified:
		return t.putRate(seq, seq, t.rate(seq).visited(old.Asked(), v.Page.Fetched, false))
	case gone(&v.Page):
		return t.keptGone(seq)
	}
	return nil
}

// noBytes takes note that a copy in a contested group brought no document. If it
// is because it did not change, it is asked once more, now for its bytes.
func (t *txn) noBytes(k frontier.Key, rec *urlRecord, of uint64, status int) (again bool, err error) {
	asked, ok := t.contested(of)
	if !ok || asked != k {
		return false, nil
	}
	if status == http.StatusNotModified && rec.attempt < maxUnasked {
		rec.attempt++
		return true, t.wait(k, rec, time.Now())
	}
	return false, t.askAfter(of, k)
}

// changed takes note that the record of an address gave way to another one.
func (t *txn) changed(k frontier.Key, old *gatecrawl.Page, was dedup.Verdict, page *gatecrawl.Page, is dedup.Verdict, sig *dedup.Signature) error {
	if was.Copy() {
		return t.answered(k, old, uint64(was.Of), page, is, sig)
	}
	if old.Verdict != gatecrawl.VerdictNew {
		return nil
	}
	if !is.Copy() {
		if err := t.putRate(old.Seq, page.Seq, t.rate(old.Seq).visited(old.Asked(), page.Fetched, true)); err != nil {
			return err
		}
	}
	if t.groups.Get(seqKey(old.Seq)) == nil {
		return nil
	}
	return t.contest(old.Seq)
}

// answered decides for a contested group by what one of its copies is now.
func (t *txn) answered(k frontier.Key, old *gatecrawl.Page, of uint64, page *gatecrawl.Page, is dedup.Verdict, sig *dedup.Signature) error {
	asked, ok := t.contested(of)
	if !ok {
		return nil
	}
	now := page.Seq
	if is.Copy() {
		now = uint64(is.Of)
	}
	alike, err := t.stays(old, of, page, sig)
	if err == nil && !alike {
		alike, err = t.changedInto(of, now)
	}
	switch {
	case err != nil:
		return err
	case alike:
		return t.handOn(of, now)
	case asked == k:
		return t.askAfter(of, k)
	}
	return nil
}

// stays reports whether a copy is still what its group was.
func (t *txn) stays(old *gatecrawl.Page, of uint64, page *gatecrawl.Page, sig *dedup.Signature) (bool, error) {
	if old.Digest == page.Digest {
		return true, nil
	}
	b := t.signatures.Get(seqKey(of))
	if b == nil {
		return false, fmt.Errorf("page %d: no signature is kept", of)
	}
	kept, err := decodeSignature(b)
	if err != nil {
		return false, fmt.Errorf("page %d: %w", of, err)
	}
	return t.s.gateOptions.Compare(kept, *sig).Copy(), nil
}

// changedInto reports whether a former kept page is by now a document of the
// group that the given kept page has.
func (t *txn) changedInto(of, kept uint64) (bool, error) {
	b := t.tx.Bucket(bucketRetired)
	if b == nil {
		return false, nil
	}
	by := retiredBy(b, of)
	if by == 0 || t.pages.Get(seqKey(by)) == nil {
		return false, nil // it is gone, or was lost to damage
	}
	p, v, err := t.page(by)
	if err != nil {
		return false, err
	}
	return p.Document() && (by == kept || v.Copy() && uint64(v.Of) == kept), nil
}

// handOn ends a contest: the copies of a former kept page are another one's now.
func (t *txn) handOn(of, to uint64) error {
	if err := t.endContest(of); err != nil {
		return err
	}
	kept, _, err := t.page(to)
	if err != nil {
		return err
	}
	prefix := seqKey(of)
	var voters []frontier.Key
	c := t.votes.Cursor()
	for k, _ := c.Seek(prefix); bytes.HasPrefix(k, prefix) && len(voters) < maxHandedOn; k, _ = c.Next() {
		voters = append(voters, frontier.Key(k[len(prefix):]))
	}
	for _, k := range voters {
		rec, err := t.url(k)
		if err != nil {
			return err
		}
		if rec == nil {
			return fmt.Errorf("group of page %d: voter %s is no url", of, k)
		}
		p, v, err := t.page(rec.seq)
		if err != nil {
			return err
		}
		if p.Compared == 0 {
			p.Compared = of
		}
		v.Of = dedup.DocID(to)
		if err := t.pages.Put(seqKey(rec.seq), encodePage(&p, v)); err != nil {
			return fmt.Errorf("page %s: %w", p.URL, err)
		}
		if err := t.unvote(of, k); err != nil {
			return err
		}
		if err := t.vote(to, kept.URL, k); err != nil {
			return err
		}
	}
	if b := t.tx.Bucket(bucketRetired); retiredBy(b, of) == 0 {
		if err := b.Put(prefix, seqKey(to)); err != nil {
			return fmt.Errorf("group of page %d: %w", of, err)
		}
	}
	if r := t.rate(of); r.visits > 0 && t.rate(to).visits == 0 {
		return t.putRate(of, to, r)
	}
	return nil
}

// mayBeOf reports whether a copy can be one of the page that its verdict names: of
// one that was kept before it came, or that its group was handed on to.
func mayBeOf(p *gatecrawl.Page, v dedup.Verdict) bool {
	of := uint64(v.Of)
	return of < p.Seq || of > p.Seq && p.Compared != 0
}

// contests checks that of every contested group a copy is asked.
func (v *verifier) contests() error {
	b := v.tx.Bucket(bucketContests)
	if b == nil {
		return nil
	}
	return b.ForEach(func(of, k []byte) error {
		const what = "of every contested group a copy is asked"
		if len(k) != len(frontier.Key{}) {
			return v.breach(what, "page %d: %x is no key", seqOf(of), k)
		}
		rec, ok, err := v.in.url(frontier.Key(k))
		switch {
		case err != nil:
			return err
		case !ok || rec.state != queued && rec.state != later:
			return v.breach(what, "page %d: %s does not wait", seqOf(of), rec.url)
		}
		return nil
	})
}
