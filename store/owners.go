package store

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"

	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/store/kv"
)

// tableOwners counts, for each kept page, its votes by registrable domain: key is
// the seq and an ownerKey, value the number of votes. Who has a thousand hosts
// under one domain copies his own pages as often as he likes; a mirror is somebody
// else's. Hosts at one IP address are not taken for one owner's: strangers share the
// addresses of large networks.
var tableOwners = &kv.Table{Name: "owners"}

// An ownerKey names a registrable domain.
type ownerKey [6]byte

func ownerOf(u weburl.URL) ownerKey {
	h := sha256.Sum256([]byte(u.Domain()))
	return ownerKey(h[:6])
}

// ownersOf returns the owner of the kept page of a group, and the group.
func (t *txn) ownersOf(of uint64) (kept ownerKey, g groupRecord, err error) {
	url, err := t.in().urlOf(of)
	if err != nil {
		return kept, g, err
	}
	u, err := weburl.Parse(url)
	if err != nil {
		return kept, g, fmt.Errorf("kept page %d: %w", of, err)
	}
	g, _, err = t.in().group(of)
	return ownerOf(u), g, err
}

// voter returns the owner of a copy's host.
func (t *txn) voter(of uint64, k weburl.Key) (ownerKey, error) {
	rec, err := t.queue.Get(k)
	if err != nil {
		return ownerKey{}, err
	}
	if rec == nil {
		return ownerKey{}, fmt.Errorf("group of page %d: voter %s is no url", of, k)
	}
	u, err := weburl.Parse(rec.URL)
	if err != nil {
		return ownerKey{}, fmt.Errorf("group of page %d: %w", of, err)
	}
	return ownerOf(u), nil
}

// countOwner adds to the votes of an owner, and returns how many there are then.
func (t *txn) countOwner(of uint64, owner ownerKey, add int) (int, error) {
	k := append(seqKey(of), owner[:]...)
	v, err := t.tx.Get(tableOwners, k)
	if err != nil {
		return 0, fmt.Errorf("owners of page %d: %w", of, err)
	}
	old, _ := binary.Uvarint(v)
	n := int(old) + add
	switch {
	case add == 0:
	case n <= 0:
		t.tx.Delete(tableOwners, k)
	default:
		t.tx.Put(tableOwners, k, binary.AppendUvarint(nil, uint64(n)))
	}
	return n, nil
}

// owners counts the votes by owner anew. Contested groups are so no longer: the next
// re-crawl asks their copies again. What was noted of copies is forgotten.
func (r *repair) owners() error {
	all := func(snapshot, []byte, []byte) (bool, error) { return true, nil }
	for _, table := range []*kv.Table{tableOwners, tableContests, tableHints} {
		if err := r.forget(table, all); err != nil {
			return err
		}
	}
	return r.inChunks(tableVotes, all, func(t *txn, k, _ []byte) error {
		owner, err := t.voter(seqOf(k), weburl.Key(k[8:]))
		if err != nil {
			return err
		}
		_, err = t.countOwner(seqOf(k), owner, 1)
		return err
	})
}

// countOwners counts the domains of a group's votes, other than the kept page's.
func (in snapshot) countOwners(of uint64, keptURL string) (domains, copies uint64, err error) {
	kept, err := weburl.Parse(keptURL)
	if err != nil {
		return 0, 0, err
	}
	owners, last := make(map[ownerKey]bool), weburl.HostKey{}
	for key, err := range in.voters(of) {
		if err != nil {
			return 0, 0, err
		}
		copies++
		if key.Host() == last {
			continue
		}
		last = key.Host()
		rec, ok, err := in.url(key)
		if err != nil || !ok {
			return 0, 0, fmt.Errorf("voter %s is no url (%w)", key, err)
		}
		u, err := weburl.Parse(rec.URL)
		if err != nil {
			return 0, 0, err
		}
		if o := ownerOf(u); o != ownerOf(kept) {
			owners[o] = true
		}
	}
	return uint64(len(owners)), copies, nil
}
