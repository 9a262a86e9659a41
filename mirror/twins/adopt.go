package twins

import (
	"bytes"
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/mirror"
	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/store/kv"
)

// How a crawl finds out that a site is a copy of another.

const (
	// mostKept is how many other hosts a host is compared with in a test: those that have most of
	// the pages that its documents are copies of. One comparison costs two samples of look-ups,
	// some milliseconds. Hosts for which the only evidence is paths or a URL are not compared: they
	// found nothing that the gate had not found too.
	mostKept = 2

	// mostFellows is with how many hosts it is compared besides: those that have most of its documents as
	// copies, too. Where many sites have the same pages the kept ones are on all of them, by who came first, and
	// altered copies may have most of them.
	mostFellows = 4

	// leastShared is how many of a host's sampled documents must be copies of another host's pages, or have
	// copies there, for a test. While both are being crawled, most sampled documents were found on only one of
	// them.
	leastShared = 4

	// mostCopies is how many copies of a page are looked at for the hosts that have them.
	mostCopies = 40
)

// mostCounted returns the hosts with the highest counts from leastShared on, in a stable order.
func mostCounted(count map[weburl.HostKey]int, limit int) []weburl.HostKey {
	maps.DeleteFunc(count, func(_ weburl.HostKey, n int) bool { return n < leastShared })
	hs := slices.SortedFunc(maps.Keys(count), func(a, b weburl.HostKey) int {
		return cmp.Or(count[b]-count[a], bytes.Compare(a[:], b[:]))
	})
	return hs[:min(len(hs), limit)]
}

// test compares a host with others: with itself over the other scheme, with the host that differs
// in www, with those that have most of the kept pages that its sampled documents are copies of, and with those that
// have most of its documents besides.
func (m *Learner) test(tx kv.Tx, h weburl.HostKey) error {
	sites, err := m.sampled(tx, h)
	if err != nil || len(sites) == 0 {
		return err
	}
	if len(sites) > 1 {
		if err := m.compare(tx, h, sites[0], h, sites[1]); err != nil {
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
	kept, fellows, err := m.sharing(tx, h, sites)
	if err != nil {
		return err
	}
	for _, k := range mostCounted(kept, mostKept) {
		others = append(others, k)
		delete(fellows, k)
	}
	others = append(others, mostCounted(fellows, mostFellows)...)
	for i, other := range others {
		host, err := m.host(tx, h)
		if err != nil || host.trusted(mine.Origin) != nil {
			return err
		}
		if slices.Contains(others[:i], other) {
			continue
		}
		if err := m.compareHosts(tx, h, mine, other); err != nil {
			return err
		}
	}
	return nil
}

// compareHosts compares the site of a host with the larger site of another host; if that is not
// fetched itself, with the one that is fetched instead.
func (m *Learner) compareHosts(tx kv.Tx, h weburl.HostKey, mine *mirror.Sampled, other weburl.HostKey) error {
	for range mostTwins {
		host, err := m.host(tx, other)
		if err != nil || host.documents < firstTest {
			return err
		}
		theirs, err := m.sampled(tx, other)
		if err != nil || len(theirs) == 0 {
			return err
		}
		tw := host.trusted(theirs[0].Origin)
		if tw == nil {
			return m.compare(tx, h, mine, other, theirs[0])
		}
		if other = weburl.HostKeyOf(weburl.HostOf(tw.To)); other == h {
			return nil
		}
	}
	return nil
}

// compare compares two sites. If they are certainly copies, one of them gets the other as its twin.
func (m *Learner) compare(tx kv.Tx, h weburl.HostKey, mine *mirror.Sampled, other weburl.HostKey, theirs *mirror.Sampled) error {
	rel, err := mirror.Compare(context.Background(), mirror.DefaultOptions(), inTx{m, tx}, mine, theirs)
	if err != nil {
		return err
	}
	twin, ok := mirror.TwinOf(&rel)
	if !ok {
		if err := m.suspect(tx, &rel); err != nil {
			return err
		}
		return m.advance(tx, h, mine, theirs, &rel)
	}
	if twin.Origin == theirs.Origin {
		h = other
	}
	host, err := m.host(tx, h)
	if err != nil {
		return err
	}
	if twin.ByEqual() && host.documents < earlyPages { // its next pages would be checked, and say little yet
		m.due[h] = earlyPages
		return nil
	}
	if twin.ByEqual() {
		known, err := m.hasWhatDiffered(tx, host, &twin)
		if err != nil || !known {
			return err // the host is compared again when it has half as many pages more
		}
	}
	return m.adopt(tx, h, &twin)
}

// hasWhatDiffered reports whether the page of a host for which an earlier twin was given up is on the site of a new one. An altered copy is
// another document than each of the equal ones, though most of its pages, and those of a third site that both were compared with, say nothing of that.
func (m *Learner) hasWhatDiffered(tx kv.Tx, host *hostRecord, tw *mirror.Twin) (bool, error) {
	for _, former := range host.Twins {
		if !former.GivenUp || !former.ByEqual() || former.Differs == "" || former.Origin != tw.Origin {
			continue
		}
		u, err := weburl.Parse(former.Differs)
		if err != nil {
			return false, err
		}
		to, ok := tw.URLOf(u)
		if !ok {
			continue
		}
		var docs [2]mirror.Document
		for i, at := range []weburl.URL{u, to} {
			rec, met, err := m.job.URL(tx, at.Key())
			if err != nil || !met || !rec.Settled {
				return false, err
			}
			d, state, err := documentOf(tx, at, rec.Page)
			if err != nil || state != mirror.Present {
				return false, err
			}
			docs[i] = d
		}
		if same, err := m.areEqual(tw, docs[0], docs[1]); err != nil || !same {
			return false, err
		}
	}
	return true, nil
}

// suspect checks, for two sites that were compared and differ, the sites that are left out for one of them where the two differ: if it is the
// canonical site of a group that was altered, each of the others differs from it there, and if it is the other one, none does.
func (m *Learner) suspect(tx kv.Tx, rel *mirror.Relation) error {
	for _, origin := range []string{rel.A, rel.B} {
		for _, url := range rel.Differing(origin) {
			u, err := weburl.Parse(url)
			if err == nil {
				err = m.checkCopies(tx, u)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// advance makes URLs of a site that another site has too be fetched next, if the two are copies as far as they were compared: while both are
// fetched in orders of their own, half of n pages of each have only a quarter of all in common. The host is tested again when they are there.
func (m *Learner) advance(tx kv.Tx, h weburl.HostKey, mine, theirs *mirror.Sampled, rel *mirror.Relation) error {
	wanted := rel.Wanting()
	if _, waits := m.due[h]; waits || wanted == 0 || m.mode != mirror.ModeOn {
		return nil
	}
	var waiting []weburl.Key
	for i := range theirs.Sample {
		path, ok := rel.Counterpart(theirs.Origin, theirs.Sample[i].Path)
		if !ok {
			continue
		}
		u, err := weburl.Parse(mine.Origin + path)
		if err != nil {
			continue // a mapping may make an invalid URL
		}
		rec, met, err := m.job.URL(tx, u.Key())
		if err != nil {
			return err
		}
		if met && rec.Waits {
			waiting = append(waiting, u.Key())
		}
	}
	// The keys are hashes: each copy of a group has other pages compared, by which an alteration of the site itself is found.
	slices.SortFunc(waiting, func(a, b weburl.Key) int { return bytes.Compare(a[:], b[:]) })
	n := 0
	for _, k := range waiting {
		if n == wanted {
			break
		}
		ok, err := m.job.Advance(tx, k, false)
		if err != nil {
			return err
		}
		if ok {
			n++
		}
	}
	if n == 0 {
		return nil
	}
	host, err := m.host(tx, h)
	if err != nil {
		return err
	}
	m.due[h] = host.documents + uint64(n)
	return nil
}

// adopt makes tw the twin of its host's site, unless the site has one already, has given this one
// up, or has to stay because others are left out for it, see handOver.
func (m *Learner) adopt(tx kv.Tx, h weburl.HostKey, tw *mirror.Twin) error {
	host, err := m.host(tx, h)
	if err != nil || !host.takes(tw) {
		return err
	}
	if ok, err := m.handOver(tx, tw); err != nil || !ok {
		return err
	}
	tw.Since = time.Now().UTC()
	host.Twins = append(host.Twins, tw)
	m.job.Totals(tx).Mirrors["found"]++
	return nil
}

// mostHandedOver bounds how many comparisons one new twin may cost besides its own.
const mostHandedOver = 50

// handOver gives the sites that are left out for the site of a twin to the site that is fetched in its place, so that
// each group of copies has one site that is fetched, whichever two of them were compared first. It reports false if one
// of them is another site than that: then a chain of copies would result, each a little less like the first. Other
// names of a site stay with it.
func (m *Learner) handOver(tx kv.Tx, tw *mirror.Twin) (ok bool, err error) {
	if closes, err := m.leads(tx, tw.To, tw.Origin); err != nil || closes {
		return false, err
	}
	followers := m.followers(tx, tw.Origin)
	if len(followers) == 0 {
		return true, nil
	}
	if len(followers) > mostHandedOver {
		return false, nil
	}
	theirs, err := m.sampledSite(tx, tw.To)
	if err != nil || theirs == nil {
		return false, err
	}
	moved := make(map[*mirror.Twin]mirror.Twin)
	for _, origin := range followers {
		host, err := m.host(tx, weburl.HostKeyOf(weburl.HostOf(origin)))
		if err != nil {
			return false, err
		}
		if slices.ContainsFunc(host.Twins, func(t *mirror.Twin) bool { return t.GivenUp && t.Origin == origin && t.To == tw.To }) {
			return false, nil
		}
		mine, err := m.sampledSite(tx, origin)
		if err != nil || mine == nil {
			return false, err
		}
		rel, err := mirror.Compare(context.Background(), mirror.DefaultOptions(), inTx{m, tx}, mine, theirs)
		if err != nil {
			return false, err
		}
		old := host.trusted(origin)
		to, ok := old.Through(tw, &rel)
		if !ok && rel.Unequal > 0 {
			alike, err := m.contest(tx, old, host, &rel)
			if err != nil {
				return false, err
			}
			if old.GivenUp {
				continue
			}
			if alike {
				rel.Unequal = 0
				to, ok = old.Through(tw, &rel)
			}
		}
		if !ok {
			return false, nil
		}
		moved[old] = to
	}
	for old, to := range moved {
		if !old.GivenUp {
			*old = to
		}
	}
	return true, nil
}

// contest compares a site with the one that it is left out for, where it differs from a third one, rel. If it differs there too, it is given up; if it is
// a near copy of both, which says little yet, it is as much like the one as like the other, and alike is true. What is not known of the site that it is
// left out for is fetched next, and that one is tested again then.
func (m *Learner) contest(tx kv.Tx, tw *mirror.Twin, host *hostRecord, rel *mirror.Relation) (alike bool, err error) {
	wanted := uint64(0)
	urls := rel.Differing(tw.Origin)
	alike = len(urls) > 0
	for _, url := range urls {
		u, err := weburl.Parse(url)
		if err != nil {
			return false, err
		}
		to, ok := tw.URLOf(u)
		if !ok {
			return false, nil
		}
		there, _, err := m.job.URL(tx, to.Key())
		if err != nil {
			return false, err
		}
		if there.Waits {
			if ok, err = m.job.Advance(tx, to.Key(), false); err != nil {
				return false, err
			}
			if ok {
				wanted++
			}
		}
		mine, _, err := m.job.URL(tx, u.Key())
		if err != nil {
			return false, err
		}
		f, err := m.find(tx, tw, u, mine.Page, 0)
		if err != nil {
			return false, err
		}
		if f == different {
			m.countCheck(tx, tw, host, u, false)
			return false, m.checkCopies(tx, to)
		}
		alike = alike && f == near
	}
	if wanted > 0 {
		h := weburl.HostKeyOf(weburl.HostOf(tw.To))
		to, err := m.host(tx, h)
		if err != nil {
			return false, err
		}
		m.due[h] = to.documents + wanted
	}
	return alike, nil
}

// leads reports whether one site is left out for another one, or for a site that is itself left out for that.
func (m *Learner) leads(tx kv.Tx, from, to string) (bool, error) {
	for range mostTwins {
		host, err := m.host(tx, weburl.HostKeyOf(weburl.HostOf(from)))
		if err != nil {
			return false, err
		}
		tw := host.trusted(from)
		if tw == nil {
			return false, nil
		}
		if from = tw.To; from == to {
			return true, nil
		}
	}
	return false, nil
}

// followers returns the origins of the sites that are left out for a site, but for its other names.
func (m *Learner) followers(tx kv.Tx, origin string) (origins []string) {
	add := func(ts []*mirror.Twin) {
		for _, t := range ts {
			if t.IsTrusted() && t.To == origin && t.Class != mirror.Alias {
				origins = append(origins, t.Origin)
			}
		}
	}
	changed := m.in(tx).hosts
	for h, ts := range m.twins { // only the writer changes it
		if changed[h] == nil {
			add(ts)
		}
	}
	for _, host := range changed {
		add(host.Twins)
	}
	return origins
}

// sampledSite reads the sample of one site; nil: there is none.
func (m *Learner) sampledSite(tx kv.Tx, origin string) (*mirror.Sampled, error) {
	sites, err := m.sampled(tx, weburl.HostKeyOf(weburl.HostOf(origin)))
	if i := slices.IndexFunc(sites, func(s *mirror.Sampled) bool { return s.Origin == origin }); i >= 0 {
		return sites[i], err
	}
	return nil, err
}

// maxMoves is how many targets of a host's redirects to other sites are counted.
const maxMoves = 4

// countMove counts where a URL of a site redirects to; "" if it has a document. A site that only
// redirects to another one is another name of that site.
func (m *Learner) countMove(tx kv.Tx, h weburl.HostKey, host *hostRecord, u weburl.URL, location string) error {
	to, err := weburl.Parse(location)
	same := err == nil && to.Origin() != u.Origin() && to.RequestURI() == u.RequestURI()
	met := false
	for i := range host.Moves {
		w := &host.Moves[i]
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
			if err := m.adopt(tx, h, &tw); err != nil {
				return err
			}
		}
	}
	if same && !met && len(host.Moves) < maxMoves {
		host.Moves = append(host.Moves, movedSite{From: u.Origin(), To: to.Origin(), Same: 1})
	}
	return nil
}

// sharing counts for other hosts of how many of their pages the sampled documents of a host are copies, and how many of
// the documents they have, as pages or as copies.
func (m *Learner) sharing(tx kv.Tx, h weburl.HostKey, sites []*mirror.Sampled) (kept, fellows map[weburl.HostKey]int, err error) {
	kept, fellows = make(map[weburl.HostKey]int), make(map[weburl.HostKey]int)
	met := make(map[weburl.HostKey]bool) // hosts that count for a document
	for _, s := range sites {
		for i := range s.Sample {
			group := s.Sample[i].Group
			url, err := page.URLOf(tx, group)
			if err != nil {
				return nil, nil, err
			}
			owner := weburl.HostKeyOf(weburl.HostOf(url))
			clear(met)
			met[h] = true
			n := 0
			meet := func(other weburl.HostKey, count map[weburl.HostKey]int) {
				if !met[other] {
					met[other] = true
					count[other]++
				}
			}
			meet(owner, kept)
			for k, err := range m.job.Copies(tx, group) {
				if err != nil {
					return nil, nil, err
				}
				if n++; n > mostCopies {
					break
				}
				meet(k.Host(), fellows)
			}
		}
	}
	for other := range fellows {
		fellows[other] += kept[other]
	}
	return kept, fellows, nil
}

// sampled reads a host's sample for each of its sites, over http and over https; the one with more
// documents comes first.
func (m *Learner) sampled(tx kv.Tx, h weburl.HostKey) (sites []*mirror.Sampled, err error) {
	keys, err := m.drawn(tx, h)
	if err != nil {
		return nil, err
	}
	of := make(map[string]*mirror.Sampled)
	all := 0
	for _, key := range keys {
		rec, met, err := m.job.URL(tx, key)
		if err != nil {
			return nil, err
		}
		if !met || !rec.Settled {
			continue // it is being visited again
		}
		u, err := weburl.Parse(rec.Text)
		if err != nil {
			return nil, err
		}
		d, p, state, err := recordOf(tx, u, rec.Page)
		if err != nil {
			return nil, err
		}
		if state != mirror.Present {
			continue
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
	host, err := m.host(tx, h)
	if err != nil {
		return nil, err
	}
	for _, s := range sites {
		s.Documents = int(host.documents) * len(s.Sample) / all
		s.Named, s.Met = host.named, host.met
	}
	slices.SortFunc(sites, func(a, b *mirror.Sampled) int {
		return cmp.Or(len(b.Sample)-len(a.Sample), cmp.Compare(a.Origin, b.Origin))
	})
	return sites, nil
}

// drawn returns the keys of a host's sampled documents, in the order of their hashes.
func (m *Learner) drawn(tx kv.Tx, h weburl.HostKey) (keys []weburl.Key, err error) {
	host, err := m.host(tx, h)
	if err != nil {
		return nil, err
	}
	add := func(rest []byte) {
		var key weburl.Key
		copy(key[:], h[:])
		copy(key[len(h):], rest)
		keys = append(keys, key)
	}
	if host.only != nil {
		add(host.only[8:])
		return keys, nil
	}
	for e, err := range kv.Prefix(tx, tableSamples, h[:]) {
		if err != nil {
			return nil, err
		}
		add(e.Value)
	}
	return keys, nil
}

// inTx implements mirror.Library for a transaction.
type inTx struct {
	m  *Learner
	tx kv.Tx
}

// Document implements Library.
func (l inTx) Document(_ context.Context, url string) (mirror.Document, mirror.State, error) {
	u, err := weburl.Parse(url)
	if err != nil {
		return mirror.Document{}, mirror.Unknown, nil
	}
	rec, met, err := l.m.job.URL(l.tx, u.Key())
	if err != nil || !met || !rec.Settled {
		return mirror.Document{}, mirror.Unknown, err
	}
	return documentOf(l.tx, u, rec.Page)
}

// SayTheSame implements mirror.Comparer.
func (l inTx) SayTheSame(_ context.Context, a, b uint64) (bool, error) {
	return l.m.job.SayTheSame(a, b)
}
