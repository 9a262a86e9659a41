package group

import (
	"context"
	"errors"
	"fmt"

	"gatecrawl.example/gatecrawl/dedup"
	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/store/kv"
)

// The invariants of a job's groups.
const (
	copyHasKept     = "every copy names a kept page that came before it, or that its group was handed on to"
	copyVotes       = "every copy is a vote"
	replacedRetired = "a page that was replaced gets no more copies"
	aliasIsCopy     = "the bytes of a copy lead to that copy"
	voteIsForPage   = "every vote is for a page"
	voteIsOfPage    = "every vote is of a page"
	sizeCounts      = "a group counts its votes and their domains"
	electionAsks    = "of every contested group a copy is asked"
)

// CheckPage checks what a page's record says of groups: its verdict, and which page replaced it. k
// is the key of its URL. It calls breach for every inconsistency.
func CheckPage(r kv.Reader, p *page.Record, v dedup.Verdict, k weburl.Key, breach func(what string, err error) error) error {
	if p.ReplacedBy != 0 && p.Verdict == page.VerdictNew {
		retired, err := Retired(r, p.Seq)
		if err != nil {
			return err
		}
		if !retired {
			return breach(replacedRetired, fmt.Errorf("page %d: %s is not retired", p.Seq, p.URL))
		}
	}
	if p.Verdict != page.VerdictCopy || p.Earlier() {
		return nil
	}
	of := uint64(v.Of)
	elsewhere, err := page.IsElsewhere(r, of)
	if err != nil {
		return err
	}
	if of == 0 || !elsewhere && !MayBeOf(p, v) {
		return breach(copyHasKept, fmt.Errorf("page %d: %s is a copy of page %d", p.Seq, p.URL, of))
	}
	kept, err := page.IsKept(r, of)
	if err != nil {
		return err
	}
	if !kept {
		return breach(copyHasKept, fmt.Errorf("page %d: %s is a copy of page %d, which is not kept", p.Seq, p.URL, of))
	}
	voted, err := hasVoted(r, of, k)
	if err == nil && p.ReplacedBy == 0 && !voted {
		err = breach(copyVotes, fmt.Errorf("page %d: %s did not vote for page %d", p.Seq, p.URL, of))
	}
	return err
}

// MayBeOf reports whether a copy can be a copy of the page that its verdict names: that page was
// kept before the copy came, took over the copy's group, or is a post that the copy lists.
func MayBeOf(p *page.Record, v dedup.Verdict) bool {
	of := uint64(v.Of)
	return of < p.Seq || of > p.Seq && p.Compared != 0
}

// Check checks that the counts of groups equal their votes, that each election waits for a copy,
// and that the bytes of copies lead to them. It calls breach for each inconsistency, until breach
// returns an error.
func (g *Groups) Check(r kv.Reader, breach func(what string, err error) error) error {
	if err := checkAliases(r, breach); err != nil {
		return err
	}
	if err := g.checkVotes(r, breach); err != nil {
		return err
	}
	return kv.Each(r, TableElections, func(k, b []byte) error {
		c, err := decodeElection(b)
		if err != nil {
			return breach(electionAsks, fmt.Errorf("page %d: %w", page.Seq(k), err))
		}
		u, ok, err := g.job.URL(r, c.asked)
		switch {
		case err != nil:
			return err
		case !ok || !u.Waits:
			return breach(electionAsks, fmt.Errorf("page %d: %s does not wait", page.Seq(k), u.Text))
		}
		return nil
	})
}

// checkAliases checks that each alias leads to a copy with these bytes.
func checkAliases(r kv.Reader, breach func(string, error) error) error {
	return kv.Each(r, TableAliases, func(d, k []byte) error {
		if len(d) != len(dedup.Digest{}) || len(k) != 8 {
			return breach(aliasIsCopy, fmt.Errorf("an entry of %d and %d bytes", len(d), len(k)))
		}
		p, _, err := page.Get(r, page.Seq(k))
		switch {
		case err != nil:
			return breach(aliasIsCopy, err)
		case p.Verdict != page.VerdictCopy || p.Digest != dedup.Digest(d).String():
			return breach(aliasIsCopy, fmt.Errorf("page %d: %s is not a copy with the digest %x", page.Seq(k), p.URL, d))
		}
		return nil
	})
}

// checkVotes checks that the counts equal the votes.
func (g *Groups) checkVotes(r kv.Reader, breach func(string, error) error) error {
	for next := []byte(nil); ; {
		first, ok, err := kv.First(r.Scan(TableVotes, next, nil))
		if err != nil || !ok {
			return err
		}
		of := page.Seq(first.Key)
		next = page.Key(of + 1)
		url, err := page.URLOf(r, of)
		if err != nil {
			if err := breach(voteIsForPage, err); err != nil {
				return err
			}
		}
		want, err := g.recount(r, of, url)
		if err != nil {
			if err := breach(voteIsOfPage, fmt.Errorf("page %d: %w", of, err)); err != nil {
				return err
			}
		}
		got, _, err := SizeOf(r, of)
		if err != nil {
			return err
		}
		if got != want {
			err := breach(sizeCounts, fmt.Errorf("page %d: %s has degree %d of %d copies; its votes say %d of %d",
				of, url, got.Degree, got.Copies, want.Degree, want.Copies))
			if err != nil {
				return err
			}
		}
	}
}

// recount counts the votes for a kept page.
func (g *Groups) recount(r kv.Reader, of uint64, keptURL string) (Size, error) {
	kept, err := weburl.Parse(keptURL)
	if err != nil {
		return Size{}, err
	}
	var copies uint64
	owners, last := make(map[ownerKey]bool), weburl.HostKey{}
	for key, err := range Voters(r, of) {
		if err != nil {
			return Size{}, err
		}
		copies++
		if key.Host() == last {
			continue
		}
		last = key.Host()
		owner, err := g.voter(r, of, key)
		if err != nil {
			return Size{}, err
		}
		if owner != ownerOf(kept) {
			owners[owner] = true
		}
	}
	return Size{Degree: uint64(len(owners)), Copies: copies}, nil
}

// recountOf is recount for a page whose URL has to be read from its record.
func (g *Groups) recountOf(r kv.Reader, of uint64) (Size, error) {
	url, err := page.URLOf(r, of)
	if err != nil {
		return Size{}, err
	}
	return g.recount(r, of, url)
}

// RepairPages retires every page that was replaced, since the list of retired pages may be lost
// while the pages are not. It also forgets the bytes that lead to no copy.
func (g *Groups) RepairPages(ctx context.Context, s kv.Store) error {
	unlisted := func(r kv.Reader, k, v []byte) (bool, error) {
		p, _, err := page.DecodeRecord(v)
		if err != nil || p.ReplacedBy == 0 || p.Verdict != page.VerdictNew {
			return false, nil
		}
		retired, err := Retired(r, page.Seq(k))
		return !retired, err
	}
	err := kv.Rewrite(ctx, s, page.TableRecords, unlisted, func(tx kv.Tx, k, v []byte) error {
		p, _, err := page.DecodeRecord(v)
		if err == nil {
			tx.Put(TableRetired, k, page.Key(p.ReplacedBy))
		}
		return err
	})
	if err != nil {
		return err
	}
	return kv.Forget(ctx, s, TableAliases, func(r kv.Reader, d, k []byte) (bool, error) {
		if len(k) != 8 {
			return true, nil
		}
		p, _, err := page.Get(r, page.Seq(k))
		return err != nil || p.Verdict != page.VerdictCopy || fmt.Sprintf("%x", d) != p.Digest, nil
	})
}

// RepairVotes rebuilds votes and groups from the records of copies. It ends all elections: the next
// re-crawl visits the copies again. Pages and URLs have to be repaired before.
func (g *Groups) RepairVotes(ctx context.Context, s kv.Store) error {
	if err := g.repairVotes(ctx, s); err != nil {
		return err
	}
	if err := g.repairOwners(ctx, s); err != nil {
		return err
	}
	err := kv.Forget(ctx, s, TableGroups, func(r kv.Reader, k, v []byte) (bool, error) {
		if has, err := hasVotes(r, page.Seq(k)); err != nil || !has {
			return true, err
		}
		want, err := g.recountOf(r, page.Seq(k))
		return err != nil || DecodeSize(v) != want, nil
	})
	if err != nil {
		return err
	}
	uncounted := func(r kv.Reader, k, _ []byte) (bool, error) {
		if _, ok, err := SizeOf(r, page.Seq(k)); err != nil || ok {
			return false, err
		}
		return hasVotes(r, page.Seq(k))
	}
	return kv.Rewrite(ctx, s, page.TableSignatures, uncounted, func(tx kv.Tx, k, _ []byte) error {
		size, err := g.recountOf(tx, page.Seq(k))
		if err == nil {
			tx.Put(TableGroups, k, size.encode())
		}
		return err
	})
}

func hasVotes(r kv.Reader, of uint64) (has bool, err error) {
	_, has, err = kv.First(kv.Prefix(r, TableVotes, page.Key(of)))
	return has, err
}

// repairVotes replaces the votes by those of the copies.
func (g *Groups) repairVotes(ctx context.Context, s kv.Store) error {
	err := kv.Forget(ctx, s, TableVotes, func(r kv.Reader, k, _ []byte) (bool, error) {
		if len(k) != len(voteKey(0, weburl.Key{})) {
			return true, nil
		}
		u, ok, err := g.job.URL(r, weburl.Key(k[8:]))
		if err != nil || !ok || u.Page == 0 {
			return true, nil
		}
		_, verdict, err := page.Get(r, u.Page)
		return err != nil || uint64(verdict.Of) != page.Seq(k), nil
	})
	if err != nil {
		return err
	}
	silent := func(r kv.Reader, _, record []byte) (bool, error) {
		vote := voteOf(record)
		if vote == nil {
			return false, nil
		}
		voted, err := kv.Has(r, TableVotes, vote)
		return !voted, err
	}
	return kv.Rewrite(ctx, s, page.TableRecords, silent, func(tx kv.Tx, _, record []byte) error {
		tx.Put(TableVotes, voteOf(record), present)
		return nil
	})
}

// voteOf returns the key of the vote that a copy's record stands for; nil if the record is not a
// copy's.
func voteOf(record []byte) []byte {
	p, verdict, err := page.DecodeRecord(record)
	if err != nil || !verdict.Copy() || p.ReplacedBy != 0 {
		return nil
	}
	u, err := weburl.Parse(p.URL)
	if err != nil {
		return nil
	}
	return voteKey(uint64(verdict.Of), u.Key())
}

// repairOwners counts the votes of each owner again, and ends all elections.
func (g *Groups) repairOwners(ctx context.Context, s kv.Store) error {
	all := func(kv.Reader, []byte, []byte) (bool, error) { return true, nil }
	err := errors.Join(kv.Forget(ctx, s, TableOwners, all), kv.Forget(ctx, s, TableElections, all))
	if err != nil {
		return err
	}
	return kv.Rewrite(ctx, s, TableVotes, all, func(tx kv.Tx, k, _ []byte) error {
		owner, err := g.voter(tx, page.Seq(k), weburl.Key(k[8:]))
		if err != nil {
			return err
		}
		_, err = countOwner(tx, page.Seq(k), owner, 1)
		return err
	})
}
