package store

import (
	"encoding/binary"
	"fmt"
	"iter"
	"net/http"
	"time"

	"gatecrawl.example/gatecrawl/dedup"
	"gatecrawl.example/gatecrawl/frontier/queue"
	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/store/kv"
	"gatecrawl.example/gatecrawl/store/kv/row"
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

// tableContests has, by the seq of a contested group's former kept page, who is
// asked and what was said.
var tableContests = &kv.Table{Name: "contests"}

// samples is how many sampled copies have to agree. A group that falls into halves, and of
// which the three say the same, is found by the samples of the re-crawls to come.
const samples = 3

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
	asked  weburl.Key // of the copy that is asked now
	began  time.Time  // copies that were asked since are not asked again
	stayed uint64     // copies that are what the group was
	alike  uint64     // copies that changed as the kept page did
	to     uint64     // seq of the kept page of the last of them
	none   uint64     // copies that are gone, or another document by now
}

func (c contest) encode() []byte {
	e := row.Encoder{B: make([]byte, 0, 32)}
	e.Bytes(c.asked[:])
	e.Time(c.began)
	e.Uint(c.stayed)
	e.Uint(c.alike)
	e.Uint(c.to)
	e.Uint(c.none)
	return e.B
}

// decodeContest reads a contest; those of jobs of earlier versions are the copy's key alone.
func decodeContest(b []byte) (c contest, err error) {
	d := row.Decoder{B: b}
	copy(c.asked[:], d.Bytes(len(c.asked)))
	if len(d.B) > 0 {
		c.began = d.Time()
		c.stayed, c.alike, c.to, c.none = d.Uint(), d.Uint(), d.Uint(), d.Uint()
	}
	return c, d.Err
}

// contested returns the contest of a group; false: there is none.
func (t *txn) contested(of uint64) (c contest, ok bool, err error) {
	b, err := t.tx.Get(tableContests, seqKey(of))
	if err != nil || b == nil {
		return c, false, err
	}
	if c, err = decodeContest(b); err != nil {
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
	next, ok, err := t.sampleCopy(of, c)
	if err != nil {
		return err
	}
	if !ok || c.stayed+c.alike >= samples || c.none >= maxNone {
		return t.decide(of, c)
	}
	c.asked = next
	t.tx.Put(tableContests, seqKey(of), c.encode())
	rec, err := t.queue.Get(next)
	if err == nil && rec.State == queue.Done {
		rec.Attempt = 0
		t.queue.Enqueue(next, rec)
	}
	return err
}

// sampleCopy finds a copy to be asked, from another place among the copies each time:
// neighbours there are of one host.
func (t *txn) sampleCopy(of uint64, c contest) (k weburl.Key, ok bool, err error) {
	prefix := seqKey(of)
	from := binary.BigEndian.AppendUint64(prefix, scatterBits(of<<8|(c.stayed+c.alike+c.none)))
	for _, rows := range []iter.Seq2[kv.Entry, error]{
		t.tx.Scan(tableVotes, from, kv.After(prefix)),
		t.tx.Scan(tableVotes, prefix, from),
	} {
		for e, err := range rows {
			if err != nil {
				return k, false, err
			}
			if k = weburl.Key(e.Key[len(prefix):]); k == c.asked {
				continue
			}
			p, err := t.voterPage(of, k)
			if err != nil || !isGone(&p) && p.Asked().Before(c.began) {
				return k, err == nil, err
			}
		}
	}
	return k, false, nil
}

// decide ends a contest by what was said.
func (t *txn) decide(of uint64, c contest) error {
	t.tx.Delete(tableContests, seqKey(of))
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
	voters, err := t.voters(of)
	if err != nil {
		return err
	}
	for _, k := range voters {
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
func (t *txn) voters(of uint64) (ks []weburl.Key, err error) {
	for k, err := range t.in().voters(of) {
		if err != nil {
			return nil, err
		}
		if ks = append(ks, k); len(ks) == maxHandedOn {
			break
		}
	}
	return ks, nil
}

// gone reports whether a visit says that a document is at its URL no longer.
// A server that fails or is out of reach says nothing of its documents.
func gone(p *page.Record) bool {
	return p.Status == http.StatusNotFound || p.Status == http.StatusGone || p.Rule == "redirect" || p.Rule == "soft-404"
}

// keptGone takes note that a kept page is gone. Its group, if it has one, is
// contested, and the gate takes nothing new for a copy of it.
func (t *txn) keptGone(seq uint64) error {
	if retired, err := t.in().isRetired(seq); err != nil || retired {
		return err
	}
	if _, ok, err := t.in().group(seq); err != nil || !ok {
		return err
	}
	t.retire(seq, 0)
	return t.contest(seq)
}

// keptStayed takes note of a visit that left the record of a kept page as it was.
func (t *txn) keptStayed(seq uint64, old *page.Record, v *page.Visit) error {
	switch {
	case old.Verdict != page.VerdictNew:
		return nil
	case v.Sign != nil || v.Page.Status == http.StatusNotModified:
		r, err := t.in().rate(seq)
		if err == nil {
			t.putRate(seq, seq, r.visited(old.Asked(), v.Page.Fetched, false))
		}
		return err
	case gone(&v.Page):
		return t.keptGone(seq)
	}
	return nil
}

// noBytes takes note that a copy in a contested group brought no document. If it
// is because it did not change, it is asked once more, now for its bytes.
func (t *txn) noBytes(k weburl.Key, rec *queue.Record, of uint64, status int) (again bool, err error) {
	c, ok, err := t.contested(of)
	if err != nil || !ok || c.asked != k {
		return false, err
	}
	if status == http.StatusNotModified && rec.Attempt < maxUnasked {
		rec.Attempt++
		t.queue.Wait(k, rec, t.s.queue.Now())
		return true, nil
	}
	c.none++
	return false, t.askNext(of, c)
}

// changed takes note that the record of a URL gave way to another one.
func (t *txn) changed(k weburl.Key, old *page.Record, was dedup.Verdict, rec *page.Record, is dedup.Verdict, sig *dedup.Signature) error {
	if was.Copy() {
		return t.answered(k, old, uint64(was.Of), rec, is, sig)
	}
	if old.Verdict != page.VerdictNew {
		return nil
	}
	if !is.Copy() {
		r, err := t.in().rate(old.Seq)
		if err != nil {
			return err
		}
		t.putRate(old.Seq, rec.Seq, r.visited(old.Asked(), rec.Fetched, true))
	}
	if _, ok, err := t.in().group(old.Seq); err != nil || !ok {
		return err
	}
	back, err := t.stays(old, old.Seq, rec, sig)
	switch {
	case err != nil:
		return err
	case back && !is.Copy(): // it was gone
		return t.handOn(old.Seq, rec.Seq)
	}
	return t.contest(old.Seq)
}

// answered decides for a group whose kept page speaks for it no longer, by what one
// of its copies is now.
func (t *txn) answered(k weburl.Key, old *page.Record, of uint64, rec *page.Record, is dedup.Verdict, sig *dedup.Signature) error {
	if retired, err := t.in().isRetired(of); err != nil {
		return err
	} else if !retired {
		return t.divergedCopy(k, of)
	}
	c, ok, err := t.contested(of)
	if err != nil {
		return err
	}
	if !ok {
		c.began = time.Now()
	}
	now := rec.Seq
	if is.Copy() {
		now = uint64(is.Of)
	}
	stayed, err := t.stays(old, of, rec, sig)
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
		t.tx.Put(tableContests, seqKey(of), c.encode())
		return nil
	}
	return t.askNext(of, c)
}

// stays reports whether a copy is still what its group was.
func (t *txn) stays(old *page.Record, of uint64, rec *page.Record, sig *dedup.Signature) (bool, error) {
	if old.Digest == rec.Digest {
		return true, nil
	}
	kept, err := t.in().signature(of)
	if err != nil {
		return false, err
	}
	return t.s.gateOptions.Compare(kept, *sig).Copy(), nil
}

// changedInto reports whether a former kept page is by now a document of the
// group that the given kept page has.
func (t *txn) changedInto(of, kept uint64) (bool, error) {
	by, err := t.in().retiredBy(of)
	if err != nil || by == 0 {
		return false, err // it is gone
	}
	if there, err := kv.Has(t.tx, tablePages, seqKey(by)); err != nil || !there {
		return false, err // it was lost to damage
	}
	p, v, err := t.page(by)
	if err != nil {
		return false, err
	}
	return p.Document() && (by == kept || v.Copy() && uint64(v.Of) == kept), nil
}

// handOn ends a contest: the copies of a former kept page are another one's now.
func (t *txn) handOn(of, to uint64) error {
	t.tx.Delete(tableContests, seqKey(of))
	kept, _, err := t.page(to)
	if err != nil {
		return err
	}
	voters, err := t.voters(of)
	if err != nil {
		return err
	}
	for _, k := range voters {
		rec, err := t.queue.Get(k)
		if err == nil && rec == nil {
			err = fmt.Errorf("group of page %d: voter %s is no url", of, k)
		}
		if err != nil {
			return err
		}
		p, v, err := t.page(rec.Page)
		if err != nil {
			return err
		}
		if p.Compared == 0 {
			p.Compared = of
		}
		if p.Body == 0 { // it equals that of the page that it was a copy of, and not that of the next
			if p.Body, err = page.BodyDigest(t.tx, rec.Page, v); err != nil {
				return err
			}
		}
		v.Of = dedup.DocID(to)
		t.putPage(rec.Page, &p, v)
		if err := t.unvote(of, k); err != nil {
			return err
		}
		if err := t.vote(to, kept.URL, k); err != nil {
			return err
		}
	}
	by, err := t.in().retiredBy(of)
	if err != nil {
		return err
	}
	if by == 0 {
		t.tx.Put(tableRetired, seqKey(of), seqKey(to))
	}
	r, err := t.in().rate(of)
	if err != nil {
		return err
	}
	theirs, err := t.in().rate(to)
	if err == nil && r.visits+r.turn > 0 && theirs.visits == 0 {
		t.putRate(of, to, r)
	}
	return err
}

// mayBeOf reports whether a copy can be one of the page that its verdict names: of
// one that was kept before it came, or that its group was handed on to.
func mayBeOf(p *page.Record, v dedup.Verdict) bool {
	of := uint64(v.Of)
	return of < p.Seq || of > p.Seq && p.Compared != 0
}

// contests checks that of every contested group a copy is asked.
func (v *verifier) contests() error {
	return each(v.in, tableContests, func(of, k []byte) error {
		const what = "of every contested group a copy is asked"
		c, err := decodeContest(k)
		if err != nil {
			return v.breach(what, "page %d: %v", seqOf(of), err)
		}
		rec, ok, err := v.in.url(c.asked)
		switch {
		case err != nil:
			return err
		case !ok || rec.State != queue.Queued && rec.State != queue.Later:
			return v.breach(what, "page %d: %s does not wait", seqOf(of), rec.URL)
		}
		return nil
	})
}
