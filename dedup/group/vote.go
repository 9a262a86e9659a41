package group

import (
	"encoding/binary"
	"fmt"
	"iter"

	"gatecrawl.example/gatecrawl/dedup"
	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/store/kv"
)

// A Job is what Groups need of the rest of a crawl's state. Within a transaction it returns the
// state as changed by it.
type Job interface {
	// URL returns what is known of a URL; ok is false if it is not known.
	URL(r kv.Reader, k weburl.Key) (u URL, ok bool, err error)

	// Ask queues a settled URL again. It does nothing if the URL is queued already.
	Ask(tx kv.Tx, k weburl.Key) error

	// Raise sets the new degree in the queued URLs that a kept page links to.
	Raise(tx kv.Tx, of, degree uint64) error

	// Retire makes the gate find no more copies of a page. by is the sequence number of the record
	// that replaced it; 0: the page is gone.
	Retire(tx kv.Tx, seq, by uint64) error

	// Resized is called when the votes for a page have changed.
	Resized(tx kv.Tx, of uint64)

	// HandedOn is called when the copies of one page have become copies of another.
	HandedOn(tx kv.Tx, of, to uint64) error

	// Diverged is called when the copy named by k has become another document, while the kept
	// page of its group has not changed.
	Diverged(tx kv.Tx, k weburl.Key, of uint64) error

	// Totals returns the totals as of a transaction, which the caller may change.
	Totals(tx kv.Tx) *page.Totals
}

// A URL is what Groups need to know of a URL.
type URL struct {
	Text  string
	Page  uint64 // the sequence number of its record; 0: it has none
	Waits bool   // it is queued
}

// Groups are the groups of a job.
type Groups struct {
	o   dedup.Options
	job Job
}

// New returns the groups of a job. o are the options of its gate.
func New(o dedup.Options, job Job) *Groups { return &Groups{o, job} }

// Vote records that the URL named by k has a copy of the kept page. If it is the first vote of its
// owner, the URLs that the kept page links to are raised. Voting again changes nothing.
func (g *Groups) Vote(tx kv.Tx, of uint64, k weburl.Key) error {
	if voted, err := hasVoted(tx, of, k); err != nil || voted {
		return err
	}
	first, size, err := g.count(tx, of, k, 1)
	if err != nil {
		return err
	}
	tx.Put(TableVotes, voteKey(of, k), present)
	g.job.Totals(tx).Votes++
	size.Copies++
	if first {
		size.Degree++
	}
	tx.Put(TableGroups, page.Key(of), size.encode())
	g.job.Resized(tx, of)
	if !first {
		return nil
	}
	return g.job.Raise(tx, of, size.Degree)
}

// Unvote takes back the vote of the URL named by k.
func (g *Groups) Unvote(tx kv.Tx, of uint64, k weburl.Key) error {
	if voted, err := hasVoted(tx, of, k); err != nil || !voted {
		return err
	}
	last, size, err := g.count(tx, of, k, -1)
	if err != nil {
		return err
	}
	tx.Delete(TableVotes, voteKey(of, k))
	g.job.Totals(tx).Votes--
	size.Copies--
	if last {
		size.Degree--
	}
	if size.Copies == 0 {
		tx.Delete(TableGroups, page.Key(of))
	} else {
		tx.Put(TableGroups, page.Key(of), size.encode())
	}
	g.job.Resized(tx, of)
	return nil
}

// count adds to the number of votes of a voter's owner. It reports whether that changes the degree,
// and returns the size of the group before.
func (g *Groups) count(tx kv.Tx, of uint64, k weburl.Key, add int) (changes bool, size Size, err error) {
	kept, err := keptOwner(tx, of)
	if err != nil {
		return false, size, err
	}
	if size, _, err = SizeOf(tx, of); err != nil {
		return false, size, err
	}
	owner, err := g.voter(tx, of, k)
	if err != nil {
		return false, size, err
	}
	n, err := countOwner(tx, of, owner, add)
	edge := 0 // change of the degree: the owner's last vote was taken back
	if add > 0 {
		edge = 1 // or its first one was given
	}
	return n == edge && owner != kept, size, err
}

// maxPresumed is how many domains Presume counts at most: a score hardly rises beyond a few.
const maxPresumed = 40

// Presume raises the URLs that a kept page links to as copies at these URLs would, although they
// were never fetched: by the number of their domains.
func (g *Groups) Presume(tx kv.Tx, of uint64, copies iter.Seq2[weburl.URL, error]) error {
	kept, err := keptOwner(tx, of)
	if err != nil {
		return err
	}
	size, _, err := SizeOf(tx, of)
	if err != nil {
		return err
	}
	domains := make(map[ownerKey]bool)
	for u, err := range copies {
		if err != nil {
			return err
		}
		if len(domains) == maxPresumed {
			break
		}
		o := ownerOf(u)
		voted, err := kv.Has(tx, TableOwners, o.key(of))
		if err != nil {
			return fmt.Errorf("owners of page %d: %w", of, err)
		}
		if o != kept && !voted {
			domains[o] = true
		}
	}
	if len(domains) == 0 {
		return nil
	}
	return g.job.Raise(tx, of, size.Degree+uint64(len(domains)))
}

// keptOwner returns the owner of a kept page.
func keptOwner(r kv.Reader, of uint64) (ownerKey, error) {
	url, err := page.URLOf(r, of)
	if err != nil {
		return ownerKey{}, err
	}
	u, err := weburl.Parse(url)
	if err != nil {
		return ownerKey{}, fmt.Errorf("kept page %d: %w", of, err)
	}
	return ownerOf(u), nil
}

// urlOf returns what is known of the URL of a copy.
func (g *Groups) urlOf(r kv.Reader, of uint64, k weburl.Key) (URL, error) {
	u, ok, err := g.job.URL(r, k)
	if err == nil && !ok {
		err = fmt.Errorf("group of page %d: voter %s is not a url", of, k)
	}
	return u, err
}

// voter returns the owner of a copy's host.
func (g *Groups) voter(r kv.Reader, of uint64, k weburl.Key) (ownerKey, error) {
	found, err := g.urlOf(r, of, k)
	if err != nil {
		return ownerKey{}, err
	}
	u, err := weburl.Parse(found.Text)
	if err != nil {
		return ownerKey{}, fmt.Errorf("group of page %d: %w", of, err)
	}
	return ownerOf(u), nil
}

// Member reads the record of a copy.
func (g *Groups) Member(r kv.Reader, of uint64, k weburl.Key) (page.Record, error) {
	u, err := g.urlOf(r, of, k)
	if err != nil {
		return page.Record{}, err
	}
	p, _, err := page.Get(r, u.Page)
	return p, err
}

// countOwner adds to the number of votes of an owner, and returns the new number.
func countOwner(tx kv.Tx, of uint64, owner ownerKey, add int) (int, error) {
	k := owner.key(of)
	v, err := tx.Get(TableOwners, k)
	if err != nil {
		return 0, fmt.Errorf("owners of page %d: %w", of, err)
	}
	old, _ := binary.Uvarint(v)
	n := int(old) + add
	if n <= 0 {
		tx.Delete(TableOwners, k)
	} else {
		tx.Put(TableOwners, k, binary.AppendUvarint(nil, uint64(n)))
	}
	return n, nil
}

// Replace replaces the record of a page by a newer one of the same URL, which k names. The gate
// finds no more copies of the old page; the ones found before stay its copies. If the old page was
// a copy itself, its vote is taken back.
func (g *Groups) Replace(tx kv.Tx, k weburl.Key, seq, by uint64) error {
	old, verdict, err := page.Get(tx, seq)
	if err != nil {
		return err
	}
	old.ReplacedBy = by
	page.Put(tx, seq, &old, verdict)
	if verdict.Copy() {
		return g.Unvote(tx, uint64(verdict.Of), k)
	}
	if old.Verdict == page.VerdictNew {
		return g.retire(tx, seq, by)
	}
	return nil
}

// RetireElsewhere notes that a kept page of another partition no longer represents its group,
// and elects another kept page for the copies that are here.
func (g *Groups) RetireElsewhere(tx kv.Tx, seq, by uint64) error {
	if retired, err := Retired(tx, seq); err != nil || retired {
		return err
	}
	tx.Put(TableRetired, page.Key(seq), page.Key(by))
	if _, ok, err := SizeOf(tx, seq); err != nil || !ok {
		return err
	}
	return g.Elect(tx, seq)
}

// retire makes the gate find no more copies of a kept page. by is the sequence number of the record
// that replaced it; 0: the page is gone.
func (g *Groups) retire(tx kv.Tx, seq, by uint64) error {
	tx.Put(TableRetired, page.Key(seq), page.Key(by))
	return g.job.Retire(tx, seq, by)
}

// JoinEarlier makes a kept page a copy of a document of an earlier crawl, unless it has copies, and reports whether it did.
// Bytes and view stay where they are.
func (g *Groups) JoinEarlier(tx kv.Tx, seq uint64, e *page.Earlier) (joined bool, err error) {
	if may, err := g.MayJoin(tx, seq, 0, dedup.Verdict{}); err != nil || !may { // its copies could not be handed on
		return false, err
	}
	rec, _, err := page.Get(tx, seq)
	if err != nil {
		return false, err
	}
	e.Note(&rec)
	rec.Reason += seenLater
	totals := g.job.Totals(tx)
	totals.Demote(&rec)
	totals.Known++
	page.Put(tx, seq, &rec, e.Verdict())
	return true, g.retire(tx, seq, 0)
}

// seenLater is what the reason of a copy ends with that was kept at first.
const seenLater = "; seen after it had been kept"

// JoinNeighbour puts a page and the first other kept page that the gate has found near it into one
// group: the younger of the two becomes a copy of the older, or the older of the younger if better says
// that this one is to represent both; see Join. If the older one may not become a copy then, both stay what they are. It returns the page that becomes the copy, even if Join
// keeps the two apart; 0: the page has no such neighbour.
func (g *Groups) JoinNeighbour(tx kv.Tx, seq uint64, found []dedup.Verdict, better func(younger, older uint64, may bool) (bool, error)) (joined uint64, err error) {
	for _, v := range found {
		other := uint64(v.Of)
		if other == seq {
			continue
		}
		settled, err := kv.Has(tx, page.TableRecords, page.Key(other))
		if err != nil {
			return 0, err
		}
		if !settled {
			continue // it is settled later in this commit
		}
		kept, joined := min(seq, other), max(seq, other)
		may, err := g.MayJoin(tx, kept, joined, v)
		if err != nil {
			return 0, err
		}
		swap, err := better(joined, kept, may)
		switch {
		case err != nil:
			return 0, err
		case swap && !may:
			return 0, nil
		case swap:
			kept, joined = joined, kept
		}
		v.Of = dedup.Ref(kept)
		return joined, g.Join(tx, joined, kept, v)
	}
	return 0, nil
}

// MayJoin reports whether a page may become a copy of another one with the verdict: it is kept, and has no
// copies unless the two are equal, since its copies become those of the other page. A list may be handed on to a
// younger page, which it only shows, if leastShown of the two is the same.
func (g *Groups) MayJoin(tx kv.Tx, seq, to uint64, verdict dedup.Verdict) (bool, error) {
	if retired, err := Retired(tx, seq); err != nil || retired {
		return false, err
	}
	least := 1.
	if to > seq {
		least = leastShown
	}
	size, _, err := SizeOf(tx, seq)
	if err != nil || size.Copies > 0 && verdict.Similarity < least || size.Copies > maxHandedOn {
		return false, err
	}
	rec, _, err := page.Get(tx, seq)
	return err == nil && rec.Verdict == page.VerdictNew, err
}

// leastShown is how much of a list and of the page that it shows must be the same if the list has copies: other lists that show
// the page.
const leastShown = 0.95

// Join makes a kept page a copy of another one, as the verdict says, if MayJoin allows it. Its copies
// become those of the other page. Bytes and view stay where they are.
func (g *Groups) Join(tx kv.Tx, seq, kept uint64, verdict dedup.Verdict) error {
	if retired, err := Retired(tx, kept); err != nil || retired {
		return err
	}
	if may, err := g.MayJoin(tx, seq, kept, verdict); err != nil || !may {
		return err
	}
	size, _, err := SizeOf(tx, seq)
	if err != nil {
		return err
	}
	rec, _, err := page.Get(tx, seq)
	if err != nil {
		return err
	}
	of, _, err := page.Get(tx, kept)
	if err != nil || of.Verdict != page.VerdictNew {
		return err
	}
	u, err := weburl.Parse(rec.URL)
	if err != nil {
		return fmt.Errorf("page %d: %w", seq, err)
	}
	rec.MarkCopy(of.URL, verdict)
	rec.Reason += seenLater
	if kept > seq {
		rec.Compared = kept // a copy of a younger page says so: see MayBeOf
	}
	if err := g.Vote(tx, kept, u.Key()); err != nil {
		return err
	}
	g.job.Totals(tx).Demote(&rec)
	page.Put(tx, seq, &rec, verdict)
	sig, err := page.Signature(tx, seq)
	if err != nil {
		return err
	}
	if err := RememberBytes(tx, seq, sig.Bytes, verdict); err != nil { // the gate forgets them with the page
		return err
	}
	if err := g.retire(tx, seq, kept); err != nil || size.Copies == 0 {
		return err
	}
	return g.endElection(tx, seq, kept, verdict.Class)
}
