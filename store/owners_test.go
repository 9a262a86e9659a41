package store

import (
	"testing"

	"go.etcd.io/bbolt"

	"gatecrawl/frontier"
)

// Jobs of old have groups without the votes by owner.
func TestAGroupCountedByHostIsCountedAnewAtItsNextVote(t *testing.T) {
	dir := t.TempDir()
	smallJob(t, dir)
	s, err := Open(dir, testOptions())
	if err != nil {
		t.Fatal(err)
	}
	err = s.write(func(t *txn) error {
		if err := t.tx.DeleteBucket(bucketOwners); err != nil {
			return err
		}
		return t.groups.Put(seqKey(1), []byte{1, 1})
	})
	if err != nil {
		t.Fatal(err)
	}
	wantGroup := func(want groupRecord) {
		t.Helper()
		err := s.db.View(func(tx *bbolt.Tx) error {
			if got := decodeGroup(tx.Bucket(bucketGroups).Get(seqKey(1))); got != want {
				t.Errorf("group %+v, want %+v", got, want)
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	}
	wantGroup(groupRecord{degree: 1, copies: 1})
	u, err := frontier.Parse("http://www.b.test/copy")
	if err != nil {
		t.Fatal(err)
	}
	err = s.write(func(t *txn) error {
		t.put(u.Key(), &urlRecord{state: done, url: u.String()})
		return t.vote(1, "http://a.test/kept", u.Key())
	})
	if err != nil {
		t.Fatal(err)
	}
	// Two hosts of one domain.
	wantGroup(groupRecord{degree: 1, copies: 2, byOwner: true})
	if err := s.write(func(t *txn) error { return t.unvote(1, u.Key()) }); err != nil {
		t.Fatal(err)
	}
	wantGroup(groupRecord{degree: 1, copies: 1, byOwner: true})
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}
