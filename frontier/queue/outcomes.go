package queue

import (
	"bytes"
	"errors"

	"gatecrawl.example/gatecrawl/frontier"
	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/priority"
	"gatecrawl.example/gatecrawl/store/kv"
	"gatecrawl.example/gatecrawl/store/kv/row"
)

const (
	// rerated is how many entries of a host's queue are looked at together. Links of one page often
	// have similar scores, so that what has to move stands next to each other.
	rerated = 64

	// mostHops is over how many redirects in a row a link is traced back to its page.
	mostHops = 10
)

// TableOutcomes has what came of the links of pages in a focused crawl, by the key of the linking
// page's URL. A link counts for the page on which it was found first, and for a redirect the link
// that led to it. In a partition it has the links that are the partition's, of pages of any.
var TableOutcomes = &kv.Table{Name: "outcomes", ID: 'c'}

// An outcome is a row of TableOutcomes.
type outcome struct {
	links    uint64  // that were fetched
	promised float32 // sum of the relevance that their pages were expected to have
	found    float32 // sum of the relevance that their pages had
}

func (o outcome) encode() []byte {
	var e row.Encoder
	e.Uint(o.links)
	e.Float32(o.promised)
	e.Float32(o.found)
	return e.B
}

func decodeOutcome(b []byte) (o outcome, err error) {
	d := row.Decoder{B: b}
	o = outcome{d.Uint(), d.Float32(), d.Float32()}
	if d.Err == nil && len(d.B) > 0 {
		d.Err = errors.New("more than an outcome")
	}
	return o, d.Err
}

// BadOutcome reports whether the value of a row of TableOutcomes can't be read.
func BadOutcome(value []byte) bool {
	_, err := decodeOutcome(value)
	return err != nil
}

// outcomeOf reads what came of a page's links. If the URL redirected, they are those of the page
// that links to it: from is its key then.
func outcomeOf(r kv.Reader, url func(weburl.Key) (*Record, error), k weburl.Key) (from weburl.Key, o outcome, err error) {
	for range mostHops {
		rec, err := url(k)
		if err != nil {
			return k, o, err
		}
		if rec == nil || rec.State != Done || rec.Rated != Unrated || rec.From.IsZero() {
			break
		}
		k = rec.From
	}
	b, err := r.Get(TableOutcomes, k[:])
	if err == nil && b != nil {
		o, err = decodeOutcome(b)
	}
	return k, o, err
}

// Outcome counts an answer for the page on which the URL of the record was found. The record says
// how relevant the answer was.
func (t *Tx) Outcome(rec *Record) error {
	if rec.From.IsZero() || rec.Rated == Unrated {
		return nil
	}
	from, o, err := outcomeOf(t.kv, t.Get, rec.From)
	if err != nil {
		return err
	}
	o.links++
	o.promised += t.q.priority.Expected(rec.Signals)
	o.found += rec.Rated
	t.kv.Put(TableOutcomes, from[:], o.encode())
	return nil
}

// Misplaced reports whether a leased URL that no user named, of a focused crawl, stands at a place in the queue that other
// links of the page on which it was found have proved wrong: see Tx.Rerate.
func (q *Queue) Misplaced(r kv.Reader, l frontier.Lease) (bool, error) {
	url := func(k weburl.Key) (*Record, error) {
		rec, ok, err := Get(r, k)
		if err != nil || !ok {
			return nil, err
		}
		return &rec, nil
	}
	_, o, err := outcomeOf(r, url, l.From)
	return err == nil && changed(l.Signals.Doubt, o), err
}

// changed reports whether a link has to move that was placed with a doubt about its page: if what is left of
// its score has halved or doubled, or nothing is in doubt any more. It moves eight times at most while its doubt grows.
func changed(placed uint8, o outcome) bool {
	was, now := 255-int(placed), 255-int(priority.Doubt(o.links, o.promised, o.found))
	return 2*now <= was && now < was || now >= 2*was && now > was || now == 255 && was < 255
}

// Rerate puts a leased URL back into the queue, by what is known of the other links of the page on
// which it was found, and so the waiting URLs that come next on its host.
func (t *Tx) Rerate(l *Held) error {
	rec, err := t.Take(l)
	if err != nil {
		return err
	}
	if _, err := t.doubt(rec); err != nil {
		return err
	}
	rec.Score = rec.scoreOf(t.q.priority, rec.Signals)
	next, err := t.after(l)
	if err != nil {
		return err
	}
	for _, k := range next {
		other, err := t.Get(k)
		if err != nil {
			return err
		}
		if other == nil || other.State != Queued || other.Page != 0 {
			continue
		}
		if moves, err := t.doubt(other); err != nil {
			return err
		} else if moves {
			t.move(k, other, other.scoreOf(t.q.priority, other.Signals))
		}
	}
	t.Enqueue(l.Key, rec)
	return nil
}

// doubt sets the doubt about the page on which the URL of a record was found, and reports whether it
// has changed.
func (t *Tx) doubt(rec *Record) (bool, error) {
	if rec.From.IsZero() {
		return false, nil
	}
	_, o, err := outcomeOf(t.kv, t.Get, rec.From)
	if err != nil || !changed(rec.Signals.Doubt, o) {
		return false, err
	}
	rec.Signals.Doubt = priority.Doubt(o.links, o.promised, o.found)
	return true, nil
}

// after returns the next URLs after a lease's in the queue of its host that are not leased.
func (t *Tx) after(l *Held) (ks []weburl.Key, err error) {
	h := l.Key.Host()
	for e, err := range kv.PrefixFrom(t.kv, TableEntries, h[:], bytes.Join([][]byte{h[:], l.at[:]}, nil)) {
		if err != nil {
			return nil, err
		}
		if k := KeyOf(e.Key, e.Value); k != l.Key && !t.q.Leased(k) {
			ks = append(ks, k)
		}
		if len(ks) == rerated {
			break
		}
	}
	return ks, nil
}
