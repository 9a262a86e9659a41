package store

import (
	"bytes"
	"context"
	"fmt"
	"time"

	"gatecrawl.example/gatecrawl/dedup/group"
	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/store/kv"
	"gatecrawl.example/gatecrawl/store/kv/row"
)

// A copy that changes while its kept page does not is met by the samples of the
// re-crawls. Two things point at it sooner: a sitemap that says when it changed, and
// another copy of its host that changed so. What they point at is noted, and looked
// into when nothing else is left to visit: by then it is known which kept pages
// changed too, and took their copies with them.

// tableHints has, by the key of a copy, what speaks for asking it or its neighbours.
var tableHints = &kv.Table{Name: "told"}

const (
	// Where a sitemap says of more than one URL in believed that it changed since it
	// was read last, and of more than toldLeast, one in toldShare is looked into, and
	// toldLeast at least: some servers say so of all URLs, each time.
	believed, toldShare, toldLeast = 5, 20, 10

	// neighbours is how many copies of a host are asked for one that changed alone.
	// Where more than one in so many changed most are come upon, each leading to others.
	neighbours = 5

	// maxNeighbours bounds the records that are read to find them.
	maxNeighbours = 200

	// toldAtOnce bounds how much of what was noted one commit looks into.
	toldAtOnce = 100
)

// A hint is what speaks for looking into a copy.
type hint struct {
	at time.Time // a sitemap says that it changed then; zero: it did, and its neighbours are meant
	of uint64    // the kept page that it was a copy of when it changed
}

func (n hint) encode() []byte {
	var e row.Encoder
	e.Time(n.at)
	e.Uint(n.of)
	return e.B
}

func decodeNote(b []byte) (n hint, err error) {
	d := row.Decoder{B: b}
	n = hint{at: d.Time(), of: d.Uint()}
	return n, d.Err
}

// divergedCopy notes a copy that did, of the given kept page. Where a sitemap told of it,
// that tells of its neighbours too.
func (t *txn) divergedCopy(k weburl.Key, of uint64) error {
	rec, err := t.url(k)
	if err != nil || rec == nil || rec.dust&isTold != 0 {
		return err
	}
	t.putHint(k, hint{of: of})
	return nil
}

func (t *txn) putHint(k weburl.Key, n hint) { t.tx.Put(tableHints, k[:], n.encode()) }

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
			t.putHint(l.key, hint{at: l.cand.Modified})
			left--
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// suspect reports whether a URL is that of a copy that was last asked for before
// the given time, and that this re-crawl did not take to have changed with its kept page.
func (t *txn) suspect(k weburl.Key, before time.Time) (bool, error) {
	rec, err := t.url(k)
	if err != nil || rec == nil || rec.state != done || rec.seq == 0 {
		return false, err
	}
	p, v, err := t.page(rec.seq)
	if err == nil && !p.Document() { // a redirect or a missing page that waits for its turn
		return p.Asked().Before(before), nil
	}
	if err != nil || !v.Copy() || !p.Asked().Before(before) {
		return false, err
	}
	if retired, err := group.Retired(t.tx, uint64(v.Of)); err != nil || retired {
		return false, err
	}
	kept := []uint64{uint64(v.Of)}
	if p.Compared != 0 { // its group was handed on
		by, err := group.Successor(t.tx, p.Compared)
		if err != nil {
			return false, err
		}
		kept = append(kept, by)
	}
	for _, seq := range kept {
		there, err := kv.Has(t.tx, tablePages, seqKey(seq))
		if err != nil {
			return false, err
		}
		if !there {
			continue
		}
		if p, _, err := t.page(seq); err != nil || !p.Fetched.Before(t.state.Recrawled) {
			return false, err
		}
	}
	return true, nil
}

// askCopy queues the copy at a URL, if it is suspect.
func (t *txn) askCopy(k weburl.Key, before time.Time) (int, error) {
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

// askNeighbours queues some copies of a URL's host that this re-crawl did not ask
// for.
func (t *txn) askNeighbours(k weburl.Key) (asked int, err error) {
	h := k.Host()
	var keys []weburl.Key
	read := func(from []byte) error {
		for e, err := range kv.PrefixFrom(t.tx, tableURLs, h[:], from) {
			if err != nil {
				return err
			}
			if keys = append(keys, weburl.Key(e.Key)); len(keys) >= maxNeighbours {
				break
			}
		}
		return nil
	}
	if err = read(k[:]); err == nil {
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
	more, err := s.isTold()
	for err == nil && more && ctx.Err() == nil {
		err = s.write(func(t *txn) error {
			asked, left, err := t.followHints()
			more = left
			s.toldAsked.Add(int64(asked))
			return err
		})
	}
	if err != nil {
		return false, fmt.Errorf("ask copies that may have changed: %w", err)
	}
	for n := s.toldAsked.Load(); n > 0; n = s.toldAsked.Load() {
		if s.toldAsked.CompareAndSwap(n, n-1) {
			return true, nil
		}
	}
	return false, nil
}

// isTold reports whether anything is noted.
func (s *Store) isTold() (is bool, err error) {
	err = s.look(func(in snapshot) (err error) {
		_, is, err = kv.First(kv.All(in, tableHints))
		return err
	})
	return is, err
}

// followHints takes some of the notes and queues what they lead to. It reports
// whether there are more.
func (t *txn) followHints() (asked int, more bool, err error) {
	var keys [][]byte
	var notes []hint
	for e, err := range kv.All(t.tx, tableHints) {
		if err != nil {
			return 0, false, err
		}
		n, err := decodeNote(e.Value)
		if err != nil {
			return 0, false, fmt.Errorf("note of copy %x: %w", e.Key, err)
		}
		if keys, notes = append(keys, bytes.Clone(e.Key)), append(notes, n); len(keys) == toldAtOnce {
			break
		}
	}
	for i, said := range notes {
		n := 0
		switch {
		case !said.at.IsZero():
			if n, err = t.askCopy(weburl.Key(keys[i]), said.at); n > 0 {
				t.urls[weburl.Key(keys[i])].dust |= isTold
			}
		default:
			var retired bool
			if retired, err = group.Retired(t.tx, said.of); err == nil && !retired {
				n, err = t.askNeighbours(weburl.Key(keys[i]))
			}
		}
		if err != nil {
			return 0, false, err
		}
		t.tx.Delete(tableHints, keys[i])
		asked += n
	}
	return asked, len(keys) == toldAtOnce, nil
}

// told checks that what is noted can be read.
func (v *verifier) told() error {
	return each(v.in, tableHints, func(k, n []byte) error {
		_, err := decodeNote(n)
		if err != nil || len(k) != len(weburl.Key{}) {
			return v.breach("what is noted of copies can be read", "%x: %v", k, err)
		}
		return nil
	})
}
