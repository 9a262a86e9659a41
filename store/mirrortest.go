package store

import (
	"bytes"
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	"gatecrawl.example/gatecrawl/frontier/queue"
	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/mirror"
	"gatecrawl.example/gatecrawl/store/kv"
)

// How a crawl finds out that a site is a copy of another.

// mostKeepers is how many hosts that have what a host has copies of are compared with
// it at a test. One costs two samples of look-ups, some milliseconds. Hosts that only
// paths or a URL speak for are not: whatever these found, the gate had found too.
const mostKeepers = 2

// mostCounted returns the hosts with the highest counts, in a stable order.
func mostCounted(count map[weburl.HostKey]int, limit int) []weburl.HostKey {
	hs := slices.SortedFunc(maps.Keys(count), func(a, b weburl.HostKey) int {
		return cmp.Or(count[b]-count[a], bytes.Compare(a[:], b[:]))
	})
	return hs[:min(len(hs), limit)]
}

// test holds a host against others: its own other scheme, the host that differs in
// www, and those that have most of the kept pages which its sample has copies of.
func (t *txn) test(h weburl.HostKey) error {
	sites, keepers, err := t.sampled(h)
	if err != nil || len(sites) == 0 {
		return err
	}
	if len(sites) > 1 {
		if _, err := t.hold(h, sites[0], h, sites[1]); err != nil {
			return err
		}
	}
	mine := sites[0]
	var others []weburl.HostKey
	for _, name := range mirror.Namesakes(mine.Origin) {
		if k := weburl.HostKeyOf(weburl.HostOf(name)); k != h && !slices.Contains(others, k) {
			others = append(others, k)
		}
	}
	maps.DeleteFunc(keepers, func(_ weburl.HostKey, n int) bool { return n < leastShared })
	others = append(others, mostCounted(keepers, mostKeepers)...)
	for i, other := range others {
		m, err := t.mirror(h)
		if err != nil || m.believed(mine.Origin) != nil {
			return err
		}
		if slices.Contains(others[:i], other) {
			continue
		}
		if err := t.holdHosts(h, mine, other); err != nil {
			return err
		}
	}
	return nil
}

// holdHosts compares the site of a host with the larger one of another; where that
// is not asked for itself, with the one that is asked in its place.
func (t *txn) holdHosts(h weburl.HostKey, mine *mirror.Sampled, other weburl.HostKey) error {
	for range mostTwins {
		m, err := t.mirror(other)
		if err != nil || m.documents < firstTest {
			return err
		}
		theirs, _, err := t.sampled(other)
		if err != nil || len(theirs) == 0 {
			return err
		}
		tw := m.believed(theirs[0].Origin)
		if tw == nil {
			_, err := t.hold(h, mine, other, theirs[0])
			return err
		}
		if other = weburl.HostKeyOf(weburl.HostOf(tw.To)); other == h {
			return nil
		}
	}
	return nil
}

// hold compares two sites, and reports whether one became the twin of the other.
func (t *txn) hold(h weburl.HostKey, mine *mirror.Sampled, other weburl.HostKey, theirs *mirror.Sampled) (bool, error) {
	rel, err := mirror.Compare(context.Background(), mirror.DefaultOptions(), inTxn{t}, mine, theirs)
	if err != nil {
		return false, err
	}
	twin, ok := mirror.TwinOf(&rel)
	if !ok {
		return false, nil
	}
	if twin.Origin == theirs.Origin {
		h = other
	}
	return t.adopt(h, &twin)
}

// adopt makes a twin that of its host's site. It reports false where the site has
// one already, or gave this one up, or is asked in place of another itself.
func (t *txn) adopt(h weburl.HostKey, tw *mirror.Twin) (bool, error) {
	m, err := t.mirror(h)
	if err != nil || !m.takes(tw) || t.isAsked(tw) {
		return false, err
	}
	tw.Since = time.Now().UTC()
	m.Twins = append(m.Twins, tw)
	t.state.Totals.Mirrors["found"]++
	return true, nil
}

// isAsked reports whether the site of a twin is asked in place of others, so that
// it would make a chain of copies, each a little less like the first. Other names
// of a site are no such chain, unless it closes.
func (t *txn) isAsked(tw *mirror.Twin) bool {
	asks := func(o *mirror.Twin) bool {
		return o.IsTrusted() && o.To == tw.Origin && (o.Class != mirror.Alias || o.Origin == tw.To)
	}
	for h, ts := range t.s.mirrors.twins { // the writer is the only one who changes it
		if t.mirrored[h] == nil && slices.ContainsFunc(ts, asks) {
			return true
		}
	}
	for _, m := range t.mirrored {
		if slices.ContainsFunc(m.Twins, asks) {
			return true
		}
	}
	return false
}

// maxMoves is how many ways a host's redirects to other sites are counted.
const maxMoves = 4

// moved counts where a URL of a site redirects to, "" if it is a document. A
// site that does nothing but send to another is that one under another name.
func (t *txn) moved(h weburl.HostKey, m *mirrorRecord, u weburl.URL, location string) error {
	to, err := weburl.Parse(location)
	same := err == nil && to.Origin() != u.Origin() && to.RequestURI() == u.RequestURI()
	met := false
	for i := range m.Moves {
		w := &m.Moves[i]
		if w.From != u.Origin() {
			continue
		}
		if !same || w.To != to.Origin() {
			w.Other++
			continue
		}
		met = true
		w.Same++
		if tw, ok := mirror.Redirected(w.From, w.To, w.Same, w.Other); ok {
			if _, err := t.adopt(h, &tw); err != nil {
				return err
			}
		}
	}
	if same && !met && len(m.Moves) < maxMoves {
		m.Moves = append(m.Moves, movedSite{From: u.Origin(), To: to.Origin(), Same: 1})
	}
	return nil
}

// sampled reads a host's sample: of each of its sites, over http and over https,
// the one with more documents first. keepers counts the other hosts that documents
// are copies of pages of.
func (t *txn) sampled(h weburl.HostKey) (sites []*mirror.Sampled, keepers map[weburl.HostKey]int, err error) {
	keepers = make(map[weburl.HostKey]int)
	of := make(map[string]*mirror.Sampled)
	all := 0
	for e, err := range kv.Prefix(t.tx, tableSamples, h[:]) {
		if err != nil {
			return nil, nil, err
		}
		var key weburl.Key
		copy(key[:], h[:])
		copy(key[len(h):], e.Value)
		rec, err := t.queue.Get(key)
		if err != nil {
			return nil, nil, err
		}
		if rec == nil || rec.State != queue.Done {
			continue // it is being visited again
		}
		u, err := weburl.Parse(rec.URL)
		if err != nil {
			return nil, nil, err
		}
		d, state, err := t.in().standing(u, rec)
		if err != nil {
			return nil, nil, err
		}
		if state != mirror.Present {
			continue
		}
		p, _, err := t.page(rec.Page)
		if err != nil {
			return nil, nil, err
		}
		if d.Group != rec.Page {
			kept, err := t.in().urlOf(d.Group)
			if err != nil {
				return nil, nil, err
			}
			keepers[weburl.HostKeyOf(weburl.HostOf(kept))]++
		}
		s := of[u.Origin()]
		if s == nil {
			s = &mirror.Sampled{Origin: u.Origin()}
			of[s.Origin] = s
			sites = append(sites, s)
		}
		all++
		s.Sample = append(s.Sample, d)
		if to, err := weburl.Parse(p.Canonical); err == nil && p.Canonical != "" {
			s.Canonicals = append(s.Canonicals, to.Origin())
		}
	}
	delete(keepers, h)
	m, err := t.mirror(h)
	if err != nil {
		return nil, nil, err
	}
	for _, s := range sites {
		s.Documents = int(m.documents) * len(s.Sample) / all
		s.Named, s.Met = m.named, m.met
	}
	slices.SortFunc(sites, func(a, b *mirror.Sampled) int {
		return cmp.Or(len(b.Sample)-len(a.Sample), cmp.Compare(a.Origin, b.Origin))
	})
	return sites, keepers, nil
}

// inTxn is a batch as mirror.Library.
type inTxn struct{ t *txn }

// Document is mirror.Library's.
func (l inTxn) Document(_ context.Context, url string) (mirror.Document, mirror.State, error) {
	u, err := weburl.Parse(url)
	if err != nil {
		return mirror.Document{}, mirror.Unknown, nil
	}
	rec, err := l.t.queue.Get(u.Key())
	switch {
	case err != nil:
		return mirror.Document{}, mirror.Unknown, err
	case rec == nil || rec.State == queue.Queued || rec.State == queue.Later || rec.State == queue.Refused:
		return mirror.Document{}, mirror.Unknown, nil
	}
	return l.t.in().standing(u, rec)
}
