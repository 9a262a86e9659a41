package store

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"fmt"

	"gatecrawl/frontier"
)

// bucketOwners counts, for each kept page, its votes by registrable domain: key is
// the seq and an ownerKey, value the number of votes. Who has a thousand hosts
// under one domain copies his own pages as often as he likes; a mirror is somebody
// else's. Hosts at one address are not taken for one owner's: strangers share the
// addresses of large networks. Groups that were counted by host before there was
// this bucket are counted anew at their next vote.
var bucketOwners = []byte("owners")

// An ownerKey names a registrable domain.
type ownerKey [6]byte

func ownerOf(u frontier.URL) ownerKey {
	h := sha256.Sum256([]byte(u.Domain()))
	return ownerKey(h[:6])
}

// ownersOf returns the owner of the kept page of a group, and the group with its
// votes counted by owner.
func (t *txn) ownersOf(of uint64) (kept ownerKey, g groupRecord, err error) {
	url, err := urlAt(t.tx, of)
	if err != nil {
		return kept, g, err
	}
	u, err := frontier.Parse(url)
	if err != nil {
		return kept, g, fmt.Errorf("kept page %d: %w", of, err)
	}
	kept = ownerOf(u)
	b := t.groups.Get(seqKey(of))
	if b == nil {
		return kept, groupRecord{byOwner: true}, nil
	}
	if g = decodeGroup(b); g.byOwner {
		return kept, g, nil
	}
	var voters []frontier.Key
	prefix := seqKey(of)
	c := t.votes.Cursor()
	for k, _ := c.Seek(prefix); bytes.HasPrefix(k, prefix); k, _ = c.Next() {
		voters = append(voters, frontier.Key(k[len(prefix):]))
	}
	g = groupRecord{copies: g.copies, byOwner: true}
	for _, k := range voters {
		owner, err := t.voter(of, k)
		if err != nil {
			return kept, g, err
		}
		n, err := t.countOwner(of, owner, 1)
		if err != nil {
			return kept, g, err
		}
		if n == 1 && owner != kept {
			g.degree++
		}
	}
	return kept, g, nil
}

// voter returns the owner of a copy's host.
func (t *txn) voter(of uint64, k frontier.Key) (ownerKey, error) {
	rec, err := t.url(k)
	if err != nil {
		return ownerKey{}, err
	}
	if rec == nil {
		return ownerKey{}, fmt.Errorf("group of page %d: voter %s is no url", of, k)
	}
	u, err := frontier.Parse(rec.url)
	if err != nil {
		return ownerKey{}, fmt.Errorf("group of page %d: %w", of, err)
	}
	return ownerOf(u), nil
}

// countOwner adds to the votes of an owner, and returns how many there are then.
func (t *txn) countOwner(of uint64, owner ownerKey, add int) (int, error) {
	b, err := t.tx.CreateBucketIfNotExists(bucketOwners)
	if err != nil {
		return 0, fmt.Errorf("owners of page %d: %w", of, err)
	}
	k := append(seqKey(of), owner[:]...)
	old, _ := binary.Uvarint(b.Get(k))
	n := int(old) + add
	if n <= 0 {
		err = b.Delete(k)
	} else {
		err = b.Put(k, binary.AppendUvarint(nil, uint64(n)))
	}
	if err != nil {
		return 0, fmt.Errorf("owners of page %d: %w", of, err)
	}
	return n, nil
}

// owners counts the votes by owner anew. Contested groups are so no longer: the next
// re-crawl asks their copies again. What was noted of copies is forgotten.
func (r *repair) owners() error {
	err := r.update(func(t *txn) error {
		for _, name := range [][]byte{bucketOwners, bucketContests, bucketTold} {
			if t.tx.Bucket(name) == nil {
				continue
			}
			if err := t.tx.DeleteBucket(name); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	all := func(glance, []byte, []byte) (bool, error) { return true, nil }
	return r.inChunks(bucketVotes, all, func(t *txn, k []byte) error {
		owner, err := t.voter(seqOf(k), frontier.Key(k[8:]))
		if err != nil {
			return err
		}
		_, err = t.countOwner(seqOf(k), owner, 1)
		return err
	})
}

// countOwners counts the domains of a group's votes, and the hosts, other than the
// kept page's.
func (in glance) countOwners(of uint64, keptURL string) (domains, hosts, copies uint64, err error) {
	kept, err := frontier.Parse(keptURL)
	if err != nil {
		return 0, 0, 0, err
	}
	owners, last := make(map[ownerKey]bool), frontier.HostKey{}
	prefix := seqKey(of)
	c := in.Bucket(bucketVotes).Cursor()
	for k, _ := c.Seek(prefix); bytes.HasPrefix(k, prefix); k, _ = c.Next() {
		copies++
		key := frontier.Key(k[len(prefix):])
		if key.Host() == last {
			continue
		}
		last = key.Host()
		if last != kept.Key().Host() {
			hosts++
		}
		rec, ok, err := in.url(key)
		if err != nil || !ok {
			return 0, 0, 0, fmt.Errorf("voter %s is no url (%w)", key, err)
		}
		u, err := frontier.Parse(rec.url)
		if err != nil {
			return 0, 0, 0, err
		}
		if o := ownerOf(u); o != ownerOf(kept) {
			owners[o] = true
		}
	}
	return uint64(len(owners)), hosts, copies, nil
}
