package store

import (
	"bytes"
	"context"
	"fmt"
	"time"

	"go.etcd.io/bbolt"

	"gatecrawl/frontier"
)

// A copy that changes while its kept page does not is met by the samples of the
// re-crawls. Two things point at it sooner: a sitemap that says when it changed, and
// another copy of its host that changed so. What they point at is noted, and looked
// into when nothing else is left to visit: by then it is known which kept pages
// changed too, and took their copies with them.

// bucketTold has, by the key of a copy, what speaks for asking it or its neighbours.
// Jobs that were never told of any lack it.
var bucketTold = []byte("told")

const (
	// Where a sitemap says of more than one address in believed that it changed since it
	// was read last, and of more than toldLeast, one in toldShare is looked into, and
	// toldLeast at least: some servers say so of all addresses, each time.
	believed, toldShare, toldLeast = 5, 20, 10

	// neighbours is how many copies of a host are asked for one that changed alone.
	// Where more than one in so many changed most are come upon, each leading to others.
	neighbours = 5

	// maxNeighbours bounds the records that are read to find them.
	maxNeighbours = 200

	// toldAtOnce bounds how much of what was noted one commit looks into.
	toldAtOnce = 100
)

// A note is what speaks for looking into a copy.
type note struct {
	at time.Time // a sitemap says that it changed then; zero: it did, and its neighbours are meant
	of uint64    // the kept page that it was a copy of when it changed
}

func (n note) encode() []byte {
	var e encoder
	e.time(n.at)
	e.uint(n.of)
	return e.b
}

func decodeNote(b []byte) (n note, err error) {
	d := decoder{b: b}
	n = note{at: d.time(), of: d.uint()}
	return n, d.err
}

// changedAlone notes a copy that did, of the given kept page. Where a sitemap told of it,
// that tells of its neighbours too.
func (t *txn) changedAlone(k frontier.Key, of uint64) error {
	rec, err := t.url(k)
	if err != nil || rec == nil || rec.dust&isTold != 0 {
		return err
	}
	return t.note(k, note{of: of})
}

func (t *txn) note(k frontier.Key, n note) error {
	b, err := t.tx.CreateBucketIfNotExists(bucketTold)
	if err == nil {
		err = b.Put(k[:], n.encode())
	}
	if err != nil {
		return fmt.Errorf("note copy %s: %w", k, err)
	}
	return nil
}

// noteListed notes the copies that a sitemap says to have changed since it was read
// last. Where it says so of too many it begins at another place each time: turn is how
// often it was read.
func (t *txn) noteListed(links []link, since time.Time, turn uint64) error {
	told := 0
	for i := range links {
		if links[i].cand.Modified.After(since) {
			told++
		}
	}
	from, left := uint64(0), told
	if told > max(toldLeast, len(links)/believed) {
		left = max(toldLeast, len(links)/toldShare)
		from = turn * uint64(left)
	}
	for i := range links {
		l := &links[(from+uint64(i))%uint64(len(links))]
		if left == 0 {
			return nil
		}
		if !l.cand.Modified.After(since) {
			continue
		}
		is, err := t.suspect(l.key, l.cand.Modified)
		if err == nil && is {
			err = t.note(l.key, note{at: l.cand.Modified})
			left--
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// suspect reports whether an address is that of a copy that was last asked for before
// the given time, and that this re-crawl did not take to have changed with its kept page.
func (t *txn) suspect(k frontier.Key, before time.Time) (bool, error) {
	rec, err := t.url(k)
	if err != nil || rec == nil || rec.state != done || rec.seq == 0 {
		return false, err
	}
	p, v, err := t.page(rec.seq)
	if err != nil || !v.Copy() || !p.Asked().Before(before) || t.isRetired(uint64(v.Of)) {
		return false, err
	}
	kept := []uint64{uint64(v.Of)}
	if b := t.tx.Bucket(bucketRetired); b != nil && p.Compared != 0 { // its group was handed on
		kept = append(kept, retiredBy(b, p.Compared))
	}
	for _, seq := range kept {
		if t.pages.Get(seqKey(seq)) == nil {
			continue
		}
		if p, _, err := t.page(seq); err != nil || !p.Fetched.Before(t.state.Recrawled) {
			return false, err
		}
	}
	return true, nil
}

// askCopy queues the copy at an address, if it is suspect.
func (t *txn) askCopy(k frontier.Key, before time.Time) (int, error) {
	is, err := t.suspect(k, before)
	if err != nil || !is {
		return 0, err
	}
	rec, err := t.url(k)
	if err != nil {
		return 0, err
	}
	return t.askAgain(rec.url, nil)
}

// askNeighbours queues some copies of an address's host that this re-crawl did not ask
// for.
func (t *txn) askNeighbours(k frontier.Key) (asked int, err error) {
	h := k.Host()
	var keys []frontier.Key
	read := func(from []byte) error {
		return t.table.Range(append([]byte{kindURL}, h[:]...), from, func(id, _ []byte) bool {
			keys = append(keys, frontier.Key(id[1:]))
			return len(keys) < maxNeighbours
		})
	}
	if err = read(urlKey(k)); err == nil {
		err = read(nil) // from the first on, where it was near the last
	}
	for _, other := range keys {
		if err != nil || asked == neighbours {
			break
		}
		var n int
		n, err = t.askCopy(other, t.state.Recrawled)
		asked += n
	}
	return asked, err
}

// auditCopies is Audit as far as it is about copies that may have changed alone. Of
// many workers that call it at once each may find one URL.
func (s *Store) auditCopies(ctx context.Context) (bool, error) {
	for more := s.isTold(); more && ctx.Err() == nil; {
		err := s.write(func(t *txn) error {
			asked, left, err := t.lookIntoTold()
			more = left
			s.toldAsked.Add(int64(asked))
			return err
		})
		if err != nil {
			return false, fmt.Errorf("ask copies that may have changed: %w", err)
		}
	}
	return s.toldAsked.Load() > 0 && s.toldAsked.Add(-1) >= 0, nil
}

// isTold reports whether anything is noted.
func (s *Store) isTold() (is bool) {
	_ = s.db.View(func(tx *bbolt.Tx) error { // of a file that is closed nothing is
		if b := tx.Bucket(bucketTold); b != nil {
			k, _ := b.Cursor().First()
			is = k != nil
		}
		return nil
	})
	return is
}

// lookIntoTold takes some of the notes and queues what they lead to. It reports
// whether there are more.
func (t *txn) lookIntoTold() (asked int, more bool, err error) {
	b := t.tx.Bucket(bucketTold)
	var keys [][]byte
	var notes []note
	c := b.Cursor()
	for k, v := c.First(); k != nil && len(keys) < toldAtOnce; k, v = c.Next() {
		n, err := decodeNote(v)
		if err != nil {
			return 0, false, fmt.Errorf("note of copy %x: %w", k, err)
		}
		keys, notes = append(keys, bytes.Clone(k)), append(notes, n)
	}
	for i, said := range notes {
		n := 0
		switch {
		case !said.at.IsZero():
			if n, err = t.askCopy(frontier.Key(keys[i]), said.at); n > 0 {
				t.urls[frontier.Key(keys[i])].dust |= isTold
			}
		case !t.isRetired(said.of):
			n, err = t.askNeighbours(frontier.Key(keys[i]))
		}
		if err == nil {
			err = b.Delete(keys[i])
		}
		if err != nil {
			return 0, false, err
		}
		asked += n
	}
	return asked, len(keys) == toldAtOnce, nil
}

// told checks that what is noted can be read.
func (v *verifier) told() error {
	b := v.tx.Bucket(bucketTold)
	if b == nil {
		return nil
	}
	return b.ForEach(func(k, n []byte) error {
		_, err := decodeNote(n)
		if err != nil || len(k) != len(frontier.Key{}) {
			return v.breach("what is noted of copies can be read", "%x: %v", k, err)
		}
		return nil
	})
}
