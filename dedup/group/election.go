package group

import (
	"encoding/binary"
	"fmt"
	"iter"
	"net/http"
	"time"

	"gatecrawl.example/gatecrawl/dedup"
	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/store/kv"
)

const (
	// samples is how many copies have to agree. If a group splits in two although three copies
	// agree, the samples of later re-crawls find out.
	samples = 3

	// maxLost is how many copies of a group may be found gone or changed before an election ends:
	// most of the others are likely to be, too. The next re-crawl visits other copies.
	maxLost = 5

	// maxHandedOn is how many copies get another kept page, or are queued, in one transaction. The
	// others keep the former kept page, and the next re-crawl visits them.
	maxHandedOn = 10_000

	// maxUnasked is how often a copy is requested again that answers "not modified" although the
	// request named no version.
	maxUnasked = 3
)

// elected returns the election of a group; false: there is none.
func elected(r kv.Reader, of uint64) (c election, ok bool, err error) {
	b, err := r.Get(TableElections, page.Key(of))
	if err != nil || b == nil {
		return c, false, err
	}
	if c, err = decodeElection(b); err != nil {
		return c, false, fmt.Errorf("group of page %d: %w", of, err)
	}
	return c, true, nil
}

// Elect starts an election in a group whose kept page no longer represents it: it queues a copy,
// unless one is queued already.
func (g *Groups) Elect(tx kv.Tx, of uint64) error {
	if _, ok, err := elected(tx, of); err != nil || ok {
		return err
	}
	return g.askNext(tx, of, election{started: time.Now()})
}

// askNext queues a copy that was not visited in this election and was not gone when it was last
// visited. If there is none, or enough were visited, the election ends.
func (g *Groups) askNext(tx kv.Tx, of uint64, c election) error {
	next, ok, err := g.sample(tx, of, c)
	if err != nil {
		return err
	}
	if !ok || c.stayed+c.followed >= samples || c.lost >= maxLost {
		return g.decide(tx, of, c)
	}
	c.asked = next
	tx.Put(TableElections, page.Key(of), c.encode())
	return g.job.Ask(tx, next)
}

// sample returns a copy to visit. The search starts at another place among the copies each time,
// since adjacent ones are often of one host.
func (g *Groups) sample(tx kv.Tx, of uint64, c election) (k weburl.Key, ok bool, err error) {
	prefix := page.Key(of)
	from := placeAt(of, c.stayed+c.followed+c.lost)
	for _, rows := range []iter.Seq2[kv.Entry, error]{
		tx.Scan(TableVotes, from, kv.After(prefix)),
		tx.Scan(TableVotes, prefix, from),
	} {
		for e, err := range rows {
			if err != nil {
				return k, false, err
			}
			if k = weburl.Key(e.Key[len(prefix):]); k == c.asked {
				continue
			}
			may, err := g.mayAsk(tx, of, k, c)
			if err != nil || may {
				return k, err == nil, err
			}
		}
	}
	return k, false, nil
}

// mayAsk reports whether a copy was not gone when it was last visited, and has not been visited in
// this election.
func (g *Groups) mayAsk(tx kv.Tx, of uint64, k weburl.Key, c election) (bool, error) {
	p, err := g.Member(tx, of, k)
	return err == nil && !page.GoneStatus(p.RevisitStatus) && p.Asked().Before(c.started), err
}

// decide ends an election according to the copies that were visited.
func (g *Groups) decide(tx kv.Tx, of uint64, c election) error {
	tx.Delete(TableElections, page.Key(of))
	switch {
	case c.stayed > 0 && c.followed > 0:
		return g.askAll(tx, of, c)
	case c.stayed+c.followed > 0:
		return g.endElection(tx, of, c.to, 0)
	}
	return nil
}

// askAll queues the copies of a group whose copies have gone different ways, so that each is
// visited.
func (g *Groups) askAll(tx kv.Tx, of uint64, c election) error {
	voters, err := firstVoters(tx, of)
	if err != nil {
		return err
	}
	for _, k := range voters {
		may, err := g.mayAsk(tx, of, k, c)
		if err == nil && may {
			err = g.job.Ask(tx, k)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// firstVoters returns the keys of a group's copies, the first maxHandedOn.
func firstVoters(tx kv.Tx, of uint64) (ks []weburl.Key, err error) {
	for k, err := range Voters(tx, of) {
		if err != nil {
			return nil, err
		}
		if ks = append(ks, k); len(ks) == maxHandedOn {
			break
		}
	}
	return ks, nil
}

// Gone notes that a kept page is gone: if it has copies, here or in another partition, the gate finds no more of them,
// and they elect another kept page.
func (g *Groups) Gone(tx kv.Tx, seq uint64) error {
	if retired, err := Retired(tx, seq); err != nil || retired {
		return err
	}
	if _, ok, err := WholeSizeOf(tx, seq); err != nil || !ok {
		return err
	}
	if err := g.retire(tx, seq, 0); err != nil {
		return err
	}
	return g.Elect(tx, seq)
}

// NoBytes notes that a visit of the copy named by k brought no document. attempt counts from 0. It
// reports whether the copy has to be requested again without a version: it did not change, and an
// election needs its bytes.
func (g *Groups) NoBytes(tx kv.Tx, k weburl.Key, of uint64, status, attempt int) (again bool, err error) {
	c, ok, err := elected(tx, of)
	if err != nil || !ok || c.asked != k {
		return false, err
	}
	if status == http.StatusNotModified && attempt < maxUnasked {
		return true, nil
	}
	c.lost++
	return false, g.askNext(tx, of, c)
}

// Changed notes that the record of the URL named by k, with its verdict, was replaced by another
// one.
func (g *Groups) Changed(tx kv.Tx, k weburl.Key, old *page.Record, was dedup.Verdict, rec *page.Record, is dedup.Verdict, sig *dedup.Signature) error {
	if was.Copy() {
		return g.answered(tx, k, old, uint64(was.Of), rec, is, sig)
	}
	if old.Verdict != page.VerdictNew {
		return nil
	}
	if _, ok, err := SizeOf(tx, old.Seq); err != nil || !ok {
		return err
	}
	back, err := g.stayed(tx, old, old.Seq, rec, sig)
	switch {
	case err != nil:
		return err
	case back && !is.Copy(): // the copy was gone before
		return g.endElection(tx, old.Seq, rec.Seq, 0)
	}
	return g.Elect(tx, old.Seq)
}

// answered continues the election of a group by what one of its copies is now.
func (g *Groups) answered(tx kv.Tx, k weburl.Key, old *page.Record, of uint64, rec *page.Record, is dedup.Verdict, sig *dedup.Signature) error {
	if retired, err := Retired(tx, of); err != nil {
		return err
	} else if !retired {
		return g.job.Diverged(tx, k, of)
	}
	c, ok, err := elected(tx, of)
	if err != nil {
		return err
	}
	if !ok {
		c.started = time.Now()
	}
	now := rec.Seq
	if is.Copy() {
		now = uint64(is.Of)
	}
	stayed, err := g.stayed(tx, old, of, rec, sig)
	if err != nil {
		return err
	}
	followed, err := changedInto(tx, of, now)
	switch {
	case err != nil:
		return err
	case stayed:
		c.stayed++
		c.to = now
	case followed:
		c.followed++
		c.to = now
	case !ok || c.asked != k:
		return nil // this copy says nothing about the others, and another one is visited
	default:
		c.lost++
	}
	if ok && c.asked != k { // the copy that the election waits for has not been visited yet
		tx.Put(TableElections, page.Key(of), c.encode())
		return nil
	}
	return g.askNext(tx, of, c)
}

// stayed reports whether a copy is still what its group was.
func (g *Groups) stayed(tx kv.Tx, old *page.Record, of uint64, rec *page.Record, sig *dedup.Signature) (bool, error) {
	if old.Digest == rec.Digest {
		return true, nil
	}
	kept, err := page.Signature(tx, of)
	if err != nil {
		return false, err
	}
	return g.o.Compare(kept, *sig).Copy(), nil
}

// changedInto reports whether a former kept page is now a document of the group of the given kept
// page.
func changedInto(tx kv.Tx, of, kept uint64) (bool, error) {
	by, err := Successor(tx, of)
	if err != nil || by == 0 {
		return false, err // the page is gone
	}
	if by == kept {
		return true, nil
	}
	if there, err := kv.Has(tx, page.TableRecords, page.Key(by)); err != nil || !there {
		return false, err // the record was lost to damage, or is in another partition
	}
	p, v, err := page.Get(tx, by)
	if err != nil {
		return false, err
	}
	return p.Document() && v.Copy() && uint64(v.Of) == kept, nil
}

// endElection ends an election, and makes the copies of the former kept page copies of another one.
// class is that of the former kept page as a copy of the other; 0: they were not compared.
func (g *Groups) endElection(tx kv.Tx, of, to uint64, class dedup.Class) error {
	tx.Delete(TableElections, page.Key(of))
	voters, err := firstVoters(tx, of)
	if err != nil {
		return err
	}
	for _, k := range voters {
		if err := g.moveCopy(tx, k, of, to, class); err != nil {
			return err
		}
	}
	by, err := Successor(tx, of)
	if err != nil {
		return err
	}
	if by == 0 {
		tx.Put(TableRetired, page.Key(of), page.Key(to))
	}
	return g.job.HandedOn(tx, of, to)
}

// moveCopy makes a copy of one kept page a copy of another; see endElection.
func (g *Groups) moveCopy(tx kv.Tx, k weburl.Key, of, to uint64, class dedup.Class) error {
	u, err := g.urlOf(tx, of, k)
	if err != nil {
		return err
	}
	p, v, err := page.Get(tx, u.Page)
	if err != nil {
		return err
	}
	if p.Compared == 0 {
		p.Compared = of
	}
	if p.Body == 0 { // the body equals that of the former kept page, but not that of the new one
		if p.Body, err = page.BodyDigest(tx, u.Page, v); err != nil {
			return err
		}
	}
	if p.Layout == 0 {
		if p.Layout, err = page.LayoutOf(tx, u.Page, v); err != nil {
			return err
		}
	}
	v.Of = dedup.Ref(to)
	is, err := classTowards(tx, &p, v, class)
	if err != nil {
		return err
	}
	if is != v.Class {
		classes := g.job.Totals(tx).Classes
		classes[v.Class.String()]--
		classes[is.String()]++
		v.Class = is
	}
	page.Put(tx, u.Page, &p, v)
	if err := g.Unvote(tx, of, k); err != nil {
		return err
	}
	return g.Vote(tx, to, k)
}

// classTowards returns the class of a copy towards its new kept page, which v names, where v still has the class towards the former one.
// class is that of the former kept page as a copy of the new one; 0: they were not compared. Where bodies or layouts of both are known these
// decide: each may differ from the former kept page, in the same way.
func classTowards(tx kv.Tx, p *page.Record, v dedup.Verdict, class dedup.Class) (is dedup.Class, err error) {
	if is = v.Class; class != 0 {
		is = is.Through(class)
	}
	kept, _, err := page.FindSignature(tx, uint64(v.Of))
	if err != nil {
		return 0, err
	}
	if body := binary.BigEndian.Uint64(kept.Body[:]); body == p.Body && body != 0 {
		is = is.WithContent()
	}
	if p.Layout != 0 && kept.Layout != 0 {
		is = is.WithLayouts(p.Layout, kept.Layout)
	}
	return is, nil
}
