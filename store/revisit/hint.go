package revisit

import (
	"bytes"
	"context"
	"fmt"
	"time"

	"gatecrawl.example/gatecrawl/dedup/group"
	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/store/kv"
	"gatecrawl.example/gatecrawl/store/kv/row"
)

// The samples of re-crawls find a copy that changes while its kept page does not. Two things find
// it sooner: a sitemap that says when it changed, and another copy of its host that has changed
// like this. Such hints are stored, and followed when nothing else is left to visit: by then it is
// known which kept pages have changed too, together with their copies.

// tableHints has, by the key of a copy, the hint to visit it or its neighbours.
var tableHints = &kv.Table{Name: "told"}

const (
	// If a sitemap lists more than one URL in believed, and more than leastListed URLs, as changed
	// since it was last read, only one in listedShare of them is visited, and at least leastListed:
	// some servers list all URLs as changed, each time.
	believed, listedShare, leastListed = 5, 20, 10

	// neighbours is how many copies of a host are queued for one that has changed alone. Each may
	// lead to others, so if more than one in neighbours has changed, most of them are found.
	neighbours = 5

	// maxNeighbours is how many records are read to find them.
	maxNeighbours = 200

	// hintsAtOnce is how many hints are followed in one commit.
	hintsAtOnce = 100
)

// A hint is a reason to visit a copy or its neighbours.
type hint struct {
	at time.Time // a sitemap says that it changed then; zero: it has changed, and the hint is for its neighbours
	of uint64    // the kept page that it was a copy of when it changed
}

func (n hint) put(tx kv.Tx, k weburl.Key) {
	var e row.Encoder
	e.Time(n.at)
	e.Uint(n.of)
	tx.Put(tableHints, k[:], e.B)
}

func decodeHint(b []byte) (n hint, err error) {
	d := row.Decoder{B: b}
	n = hint{at: d.Time(), of: d.Uint()}
	return n, d.Err
}

// Diverged records that a copy has become another document while the given kept page has not
// changed. If a sitemap had listed the copy, its listings of the copy's neighbours are believed
// too.
func Diverged(tx kv.Tx, job Job, k weburl.Key, of uint64) error {
	u, ok, err := job.URL(tx, k)
	if err != nil || !ok || u.Listed {
		return err
	}
	hint{of: of}.put(tx, k)
	return nil
}

// A Listing is a URL in a sitemap, and when it has changed according to that.
type Listing struct {
	URL      weburl.Key
	Modified time.Time
}

// Listed records the copies that a sitemap lists as changed since it was last read. If these are
// too many, it starts at another place each time: turn is how often the sitemap was read. recrawled
// is when the last re-crawl started.
func Listed(tx kv.Tx, job Job, urls []Listing, since, recrawled time.Time, turn uint64) error {
	n := 0
	for _, l := range urls {
		if l.Modified.After(since) {
			n++
		}
	}
	from, left := uint64(0), n
	if n > max(leastListed, len(urls)/believed) {
		left = max(leastListed, len(urls)/listedShare)
		from = turn * uint64(left)
	}
	for i := range urls {
		l := urls[(from+uint64(i))%uint64(len(urls))]
		if left == 0 {
			return nil
		}
		if !l.Modified.After(since) {
			continue
		}
		is, err := isSuspect(tx, job, l.URL, l.Modified, recrawled)
		if err != nil {
			return err
		}
		if is {
			hint{at: l.Modified}.put(tx, l.URL)
			left--
		}
	}
	return nil
}

// isSuspect reports whether a URL is that of a copy whose last visit was before the given time, and
// that this re-crawl does not expect to have changed with its kept page.
func isSuspect(tx kv.Tx, job Job, k weburl.Key, before, recrawled time.Time) (bool, error) {
	u, ok, err := job.URL(tx, k)
	if err != nil || !ok || !u.Settled || u.Page == 0 {
		return false, err
	}
	p, v, err := page.Get(tx, u.Page)
	if err == nil && !p.Document() { // a redirect or a missing page that is not due yet
		return p.Asked().Before(before), nil
	}
	if err != nil || !v.Copy() || !p.Asked().Before(before) {
		return false, err
	}
	if retired, err := group.Retired(tx, uint64(v.Of)); err != nil || retired {
		return false, err
	}
	kept := []uint64{uint64(v.Of)}
	if p.Compared != 0 { // its group has got another kept page
		by, err := group.Successor(tx, p.Compared)
		if err != nil {
			return false, err
		}
		kept = append(kept, by)
	}
	for _, seq := range kept {
		there, err := kv.Has(tx, page.TableRecords, page.Key(seq))
		if err != nil {
			return false, err
		}
		if !there {
			continue
		}
		if p, _, err := page.Get(tx, seq); err != nil || !p.Fetched.Before(recrawled) {
			return false, err
		}
	}
	return true, nil
}

// askCopy queues the copy at a URL, if it is suspect.
func askCopy(tx kv.Tx, job Job, k weburl.Key, before, recrawled time.Time) (bool, error) {
	is, err := isSuspect(tx, job, k, before, recrawled)
	if err != nil || !is {
		return false, err
	}
	return job.Ask(tx, k, nil)
}

// askNeighbours queues some copies of a URL's host that this re-crawl has not visited.
func askNeighbours(tx kv.Tx, job Job, k weburl.Key, recrawled time.Time) (asked int, err error) {
	h := k.Host()
	keys, err := job.Neighbours(tx, h, k, maxNeighbours)
	if err == nil && len(keys) < maxNeighbours { // fewer than maxNeighbours to the end of the host: take some from its start, too
		var more []weburl.Key
		var first weburl.Key
		copy(first[:], h[:])
		more, err = job.Neighbours(tx, h, first, maxNeighbours-len(keys))
		keys = append(keys, more...)
	}
	for _, other := range keys {
		if err != nil || asked == neighbours {
			break
		}
		var is bool
		if is, err = askCopy(tx, job, other, recrawled, recrawled); is {
			asked++
		}
	}
	return asked, err
}

// HasHints reports whether there are hints.
func HasHints(r kv.Reader) (bool, error) {
	_, is, err := kv.First(kv.All(r, tableHints))
	return is, err
}

// FollowHints removes some of the hints and queues what they lead to. It returns how many URLs
// these are, which of them a sitemap listed, and whether there are more hints.
func FollowHints(tx kv.Tx, job Job, recrawled time.Time) (asked int, listed []weburl.Key, more bool, err error) {
	var keys [][]byte
	var hints []hint
	for e, err := range kv.All(tx, tableHints) {
		if err != nil {
			return 0, nil, false, err
		}
		n, err := decodeHint(e.Value)
		if err != nil {
			return 0, nil, false, fmt.Errorf("note of copy %x: %w", e.Key, err)
		}
		if keys, hints = append(keys, bytes.Clone(e.Key)), append(hints, n); len(keys) == hintsAtOnce {
			break
		}
	}
	for i, said := range hints {
		k, n := weburl.Key(keys[i]), 0
		switch {
		case !said.at.IsZero():
			var is bool
			if is, err = askCopy(tx, job, k, said.at, recrawled); is {
				n, listed = 1, append(listed, k)
			}
		default:
			var retired bool
			if retired, err = group.Retired(tx, said.of); err == nil && !retired {
				n, err = askNeighbours(tx, job, k, recrawled)
			}
		}
		if err != nil {
			return 0, nil, false, err
		}
		tx.Delete(tableHints, keys[i])
		asked += n
	}
	return asked, listed, len(keys) == hintsAtOnce, nil
}

// Check calls breach for each hint that can't be read.
func Check(r kv.Reader, breach func(what string, err error) error) error {
	return kv.Each(r, tableHints, func(k, v []byte) error {
		if _, err := decodeHint(v); err != nil || len(k) != len(weburl.Key{}) {
			return breach("what is noted of copies can be read", fmt.Errorf("%x: %w", k, err))
		}
		return nil
	})
}

// Repair deletes all hints: the next re-crawls find what they were about.
func Repair(ctx context.Context, s kv.Store) error {
	return kv.Forget(ctx, s, tableHints, func(kv.Reader, []byte, []byte) (bool, error) { return true, nil })
}
