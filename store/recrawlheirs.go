package store

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"net/http"
	"time"

	"gatecrawl"
	"gatecrawl/dedup"
	"gatecrawl/frontier"
)

// A group speaks through its kept page: while that stays what it is, its copies
// are taken to stay too. When the kept page changes or is gone the group is
// contested: up to three of its copies are asked for their bytes, one after the
// other.
//
//   - A copy that is what the group was is the kept page from now on (or a copy of
//     who is).
//   - A copy that changed as the kept page did is a copy of that again.
//   - A copy that is another document by now, or gone, says nothing of the others,
//     and the next is asked.
//
// Where those agree the other copies are taken to be as they are; where they do
// not all are asked. What is left when none is left to ask are copies of a page of
// the past.

// bucketContests has, by the seq of a contested group's former kept page, who is
// asked and what was said. Jobs without contested groups lack it.
var bucketContests = []byte("contests")

// witnesses is how many copies have to agree. A group that falls into halves, and of
// which the three say the same, is found by the samples of the re-crawls to come.
const witnesses = 3

// maxNone is after how many copies that are gone, or other documents, no more are
// asked: then most are. The next re-crawl goes on with others.
const maxNone = 5

// maxHandedOn bounds how many copies are handed on, or asked, in one transaction.
// Those beyond it stay with the former kept page, and the next re-crawl asks them.
const maxHandedOn = 10_000

// maxUnasked is how often a copy is asked for its bytes that answers "not
// modified" to a request without a version.
const maxUnasked = 3

// A contest is the question what became of a group.
type contest struct {
	asked  frontier.Key // of the copy that is asked now
	began  time.Time    // copies that were asked since are not asked again
	stayed uint64       // copies that are what the group was
	alike  uint64       // copies that changed as the kept page did
	to     uint64       // seq of the kept page of the last of them
	none   uint64       // copies that are gone, or another document by now
}

func (c contest) encode() []byte {
	e := encoder{make([]byte, 0, 32)}
	e.bytes(c.asked[:])
	e.time(c.began)
	e.uint(c.stayed)
	e.uint(c.alike)
	e.uint(c.to)
	e.uint(c.none)
	return e.b
}

// decodeContest reads a contest; those of jobs of old are the copy's key alone.
func decodeContest(b []byte) (c contest, err error) {
	d := decoder{b: b}
	copy(c.asked[:], d.take(len(c.asked)))
	if len(d.b) > 0 {
		c.began = d.time()
		c.stayed, c.alike, c.to, c.none = d.uint(), d.uint(), d.uint(), d.uint()
	}
	return c, d.err
}

// isRetired reports whether a kept page speaks for its group no longer.
func (t *txn) isRetired(seq uint64) bool { return isRetired(t.tx.Bucket(bucketRetired), seq) }

// contested returns the contest of a group; false: there is none.
func (t *txn) contested(of uint64) (c contest, ok bool, err error) {
	b := t.tx.Bucket(bucketContests)
	if b == nil || b.Get(seqKey(of)) == nil {
		return c, false, nil
	}
	if c, err = decodeContest(b.Get(seqKey(of))); err != nil {
		return c, false, fmt.Errorf("group of page %d: %w", of, err)
	}
	return c, true, nil
}

// contest asks a copy of a group, unless one is asked already.
func (t *txn) contest(of uint64) error {
	if _, ok, err := t.contested(of); err != nil || ok {
		return err
	}
	return t.askNext(of, contest{began: time.Now()})
}

// askNext asks a copy that was not asked in this contest, and was not gone when it
// was asked last. Where there is none, or enough were asked, the contest ends.
func (t *txn) askNext(of uint64, c contest) error {
	next, ok, err := t.witness(of, c)
	if err != nil {
		return err
	}
	if !ok || c.stayed+c.alike >= witnesses || c.none >= maxNone {
		return t.decide(of, c)
	}
	c.asked = next
	b, err := t.tx.CreateBucketIfNotExists(bucketContests)
	if err == nil {
		err = b.Put(seqKey(of), c.encode())
	}
	if err != nil {
		return fmt.Errorf("group of page %d: %w", of, err)
	}
	rec, err := t.url(next)
	if err == nil && rec.state == done {
		rec.attempt = 0
		t.enqueue(next, rec)
	}
	return err
}

// witness finds a copy to be asked, from another place among the copies each time:
// neighbours there are of one host.
func (t *txn) witness(of uint64, c contest) (k frontier.Key, ok bool, err error) {
	from := binary.BigEndian.AppendUint64(seqKey(of), scatterBits(of<<8|(c.stayed+c.alike+c.none)))
	cur, prefix, turned := t.votes.Cursor(), seqKey(of), false
	for id, _ := cur.Seek(from); ; id, _ = cur.Next() {
		if !bytes.HasPrefix(id, prefix) || turned && bytes.Compare(id, from) >= 0 {
			if turned {
				return k, false, nil
			}
			turned = true
			id, _ = cur.Seek(prefix)
			if !bytes.HasPrefix(id, prefix) {
				return k, false, nil
			}
		}
		if k = frontier.Key(id[len(prefix):]); k == c.asked {
			continue
		}
		p, err := t.voterPage(of, k)
		if err != nil || !isGone(&p) && p.Asked().Before(c.began) {
			return k, err == nil, err
		}
	}
}

// decide ends a contest by what was said.
func (t *txn) decide(of uint64, c contest) error {
	if err := t.endContest(of); err != nil {
		return err
	}
	switch {
	case c.stayed > 0 && c.alike > 0:
		return t.askAll(of, c)
	case c.stayed+c.alike > 0:
		return t.handOn(of, c.to)
	}
	return nil
}

// askAll asks the copies of a group that fell apart, each for itself.
func (t *txn) askAll(of uint64, c contest) error {
	for _, k := range t.voters(of) {
		p, err := t.voterPage(of, k)
		if err == nil && !isGone(&p) && p.Asked().Before(c.began) {
			_, err = t.askAgain(p.URL, nil)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// voters returns the keys of a group's copies, the first maxHandedOn.
func (t *txn) voters(of uint64) (ks []frontier.Key) {
	c, prefix := t.votes.Cursor(), seqKey(of)
	for k, _ := c.Seek(prefix); bytes.HasPrefix(k, prefix) && len(ks) < maxHandedOn; k, _ = c.Next() {
		ks = append(ks, frontier.Key(k[len(prefix):]))
	}
	return ks
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
	c, ok, err := t.contested(of)
	if err != nil || !ok || c.asked != k {
		return false, err
	}
	if status == http.StatusNotModified && rec.attempt < maxUnasked {
		rec.attempt++
		return true, t.wait(k, rec, t.s.sched.wall())
	}
	c.none++
	return false, t.askNext(of, c)
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
	back, err := t.stays(old, old.Seq, page, sig)
	switch {
	case err != nil:
		return err
	case back && !is.Copy(): // it was gone
		return t.handOn(old.Seq, page.Seq)
	}
	return t.contest(old.Seq)
}

// answered decides for a group whose kept page speaks for it no longer, by what one
// of its copies is now.
func (t *txn) answered(k frontier.Key, old *gatecrawl.Page, of uint64, page *gatecrawl.Page, is dedup.Verdict, sig *dedup.Signature) error {
	if !t.isRetired(of) {
		return t.changedAlone(k, of)
	}
	c, ok, err := t.contested(of)
	if err != nil {
		return err
	}
	if !ok {
		c.began = time.Now()
	}
	now := page.Seq
	if is.Copy() {
		now = uint64(is.Of)
	}
	stayed, err := t.stays(old, of, page, sig)
	if err != nil {
		return err
	}
	alike, err := t.changedInto(of, now)
	switch {
	case err != nil:
		return err
	case stayed:
		c.stayed++
		c.to = now
	case alike:
		c.alike++
		c.to = now
	case !ok || c.asked != k:
		return nil // it speaks for itself alone, and another is asked
	default:
		c.none++
	}
	if ok && c.asked != k { // the one that is asked is still to answer
		return t.tx.Bucket(bucketContests).Put(seqKey(of), c.encode())
	}
	return t.askNext(of, c)
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
	for _, k := range t.voters(of) {
		rec, err := t.url(k)
		if err == nil && rec == nil {
			err = fmt.Errorf("group of page %d: voter %s is no url", of, k)
		}
		if err != nil {
			return err
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
		if err := b.Put(seqKey(of), seqKey(to)); err != nil {
			return fmt.Errorf("group of page %d: %w", of, err)
		}
	}
	if r := t.rate(of); r.visits+r.turn > 0 && t.rate(to).visits == 0 {
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
		c, err := decodeContest(k)
		if err != nil {
			return v.breach(what, "page %d: %v", seqOf(of), err)
		}
		rec, ok, err := v.in.url(c.asked)
		switch {
		case err != nil:
			return err
		case !ok || rec.state != queued && rec.state != later:
			return v.breach(what, "page %d: %s does not wait", seqOf(of), rec.url)
		}
		return nil
	})
}
