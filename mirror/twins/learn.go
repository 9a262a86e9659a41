package twins

import (
	"bytes"
	"fmt"
	"slices"

	"gatecrawl.example/gatecrawl/dedup"
	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/mirror"
	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/store/kv"
)

// Learn learns from a visit. Its record rec must be written, and its links queued, before.
func (m *Learner) Learn(tx kv.Tx, v *page.Visit, rec *page.Record, _ dedup.Verdict) error {
	if m.mode == mirror.ModeOff {
		return nil
	}
	u, document := v.Lease.URL, v.Sign != nil
	err := m.arrived(tx, u.Key(), document)
	switch {
	case err != nil:
	case v.Lease.Again:
		err = m.checkAgain(tx, u, rec, v.Same)
	case document || rec.Rule == "redirect":
		err = m.learn(tx, u, rec, document, v.Same)
	case rec.Status != 0 && rec.Depth == 0:
		err = m.answered(tx, u)
	}
	if err != nil {
		return fmt.Errorf("mirrors, page %s: %w", u, err)
	}
	return nil
}

// answered records a seed that has no document: its host is the user's all the same, and sitemaps may name its pages.
func (m *Learner) answered(tx kv.Tx, u weburl.URL) error {
	host, err := m.host(tx, u.Key().Host())
	if err != nil {
		return err
	}
	known, _, err := m.job.URL(tx, u.Key())
	if err == nil && known.Named { // what a sitemap lists has the sitemap's depth
		host.meets(known)
	}
	return err
}

// learn learns from the first visit of a URL; same: see check.
func (m *Learner) learn(tx kv.Tx, u weburl.URL, rec *page.Record, document bool, same uint64) error {
	k := u.Key()
	h := k.Host()
	host, err := m.host(tx, h)
	if err != nil {
		return err
	}
	known, _, err := m.job.URL(tx, k)
	if err != nil {
		return err
	}
	host.meets(known)
	if err := m.countMove(tx, h, host, u, rec.Location); err != nil {
		return err
	}
	if !document {
		m.checkRedirect(tx, host, u, rec.Location)
		return nil
	}
	host.documents++
	if err := draw(tx, host, u, k); err != nil {
		return fmt.Errorf("sample of %s: %w", u.Host(), err)
	}
	if tw := host.trusted(u.Origin()); tw != nil {
		return m.check(tx, tw, host, u, rec.Seq, same)
	}
	due, more := m.due[h]
	if more = more && host.documents >= due; more {
		delete(m.due, h)
	}
	if more || isTest(host.documents) {
		return m.test(tx, h)
	}
	return nil
}

// earlyPages is how many pages of a host are read with a template that lacks much: it knows what is on 5 pages, a line of one page in
// eight after 40.
const earlyPages = 40

// IsEarly reports whether a host had so few documents that its template was not known yet when the
// next one was read. With the frame in its text, a page differs from its copy.
func (m *Learner) IsEarly(tx kv.Tx, h weburl.HostKey) (bool, error) {
	if m.mode == mirror.ModeOff {
		return false, nil
	}
	host, err := m.host(tx, h)
	if err != nil {
		return false, err
	}
	return host.documents < earlyPages, nil
}

// NamedBefore reports whether a user has named a URL of a host, and one of another host later or never.
func (m *Learner) NamedBefore(tx kv.Tx, h, other weburl.HostKey) (bool, error) {
	if m.mode == mirror.ModeOff {
		return false, nil
	}
	mine, err := m.host(tx, h)
	if err != nil {
		return false, err
	}
	theirs, err := m.host(tx, other)
	return err == nil && mine.named != 0 && (theirs.named == 0 || mine.named < theirs.named), err
}

// firstTest is how many documents a host has when it is first compared with others. Further tests
// are at one and a half times and at twice this number, and so on: 20, 30, 40, 60, 80, 120.
const firstTest = 20

// isTest reports whether a host with n documents is compared with others.
func isTest(n uint64) bool {
	for at := uint64(firstTest); at <= n; at *= 2 {
		if n == at || n == at+at/2 {
			return true
		}
	}
	return false
}

// draw adds a document to its host's sample if it is drawn. The documents at one path over http and
// over https are both drawn or both not: the places of http are odd.
func draw(tx kv.Tx, host *hostRecord, u weburl.URL, k weburl.Key) error {
	order := mirror.SampleOrder(u.RequestURI()) &^ 1
	if u.Scheme() == "http" {
		order |= 1
	}
	h := k.Host()
	id := sampleKey(h, order)
	switch {
	case host.sampled == 0:
		host.sampled, host.only = 1, slices.Concat(id[len(h):], k[len(h):])
		return nil
	case host.only != nil && bytes.HasPrefix(host.only, id[len(h):]):
		return nil
	case host.only != nil:
		tx.Put(tableSamples, slices.Concat(h[:], host.only[:8]), host.only[8:])
		host.only = nil
	}
	if drawn, err := kv.Has(tx, tableSamples, id); err != nil || drawn {
		return err // of two with one tail the first one is drawn
	}
	if host.sampled < maxSample {
		host.sampled++
		tx.Put(tableSamples, id, k[len(h):])
		return nil
	}
	last, ok, err := kv.First(tx.Falling(tableSamples, h[:], kv.After(h[:])))
	if err != nil || !ok || bytes.Compare(id, last.Key) > 0 {
		return err
	}
	tx.Delete(tableSamples, last.Key)
	tx.Put(tableSamples, id, k[len(h):])
	return nil
}

// counterpart returns the URL that is fetched in place of a URL by the twins of its host, following
// twins that are not fetched themselves. It returns false if that URL's state is not known yet.
func (m *Learner) counterpart(tx kv.Tx, u weburl.URL) (to weburl.URL, rec URL, ok bool, err error) {
	to = u
	for range mostTwins {
		host, err := m.host(tx, to.Key().Host())
		if err != nil {
			return to, rec, false, err
		}
		tw := host.trusted(to.Origin())
		if tw == nil {
			break
		}
		if to, ok = tw.URLOf(to); !ok {
			break
		}
		rec, met, err := m.job.URL(tx, to.Key())
		if err != nil || !met {
			return to, rec, false, err
		}
		if rec.Settled {
			return to, rec, true, nil
		}
	}
	return to, rec, false, nil
}

// check compares a page of a site that has a twin with the twin's page; same: see find.
func (m *Learner) check(tx kv.Tx, tw *mirror.Twin, host *hostRecord, u weburl.URL, seq, same uint64) error {
	f, err := m.find(tx, tw, u, seq, same)
	switch {
	case err != nil:
		return err
	case f == absent && tw.CountLost(), f == near && tw.RecordNear(u.String()):
		m.giveUp(tx, tw, host, u.Key().Host())
	case f == equal:
		m.countCheck(tx, tw, host, u, true)
	case f == different:
		m.countCheck(tx, tw, host, u, false)
		if to, ok := tw.URLOf(u); ok {
			return m.checkCopies(tx, to)
		}
	}
	return nil
}

// checkCopies compares a page of a site with those of all sites that are left out for it. Those that were not fetched are fetched next.
func (m *Learner) checkCopies(tx kv.Tx, at weburl.URL) error {
	for _, origin := range m.followers(tx, at.Origin()) {
		host, err := m.host(tx, weburl.HostKeyOf(weburl.HostOf(origin)))
		if err != nil {
			return err
		}
		tw := host.trusted(origin)
		url, ok := tw.Copy(at.RequestURI())
		u, err := weburl.Parse(url)
		if !ok || err != nil {
			continue
		}
		rec, met, err := m.job.URL(tx, u.Key())
		switch {
		case err != nil:
			return err
		case met && (rec.Deferred || rec.Waits):
			if rec.Deferred {
				err = m.takeBack(tx, u.Key(), true)
			}
			if err == nil {
				_, err = m.job.Advance(tx, u.Key(), true)
			}
		case met && rec.Settled && rec.Page != 0:
			var f finding
			if f, err = m.find(tx, tw, u, rec.Page, 0); f == different {
				m.countCheck(tx, tw, host, u, false)
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// A finding is what the comparison of a page with its twin's page has shown.
type finding byte

const (
	nothing finding = iota
	absent          // the twin has no document: it is queued again, and says nothing about the rest
	equal
	near // a near copy, of another owner, before the first audit
	different
)

// find compares a page of a site that has a twin with the twin's page.
//
// A template that one of the sites has forgotten, or does not know yet, makes a copy in the same words a near copy: same is the twin's page
// if the two say the same all the same, 0 if not.
func (m *Learner) find(tx kv.Tx, tw *mirror.Twin, u weburl.URL, seq, same uint64) (finding, error) {
	to, rec, ok, err := m.counterpart(tx, u)
	if err != nil || !ok || u.RequestURI() == "/" || to.RequestURI() == "/" {
		return nothing, err // front pages may differ
	}
	theirs, state, err := documentOf(tx, to, rec.Page)
	switch {
	case err != nil:
		return nothing, err
	case state == mirror.Absent:
		return absent, nil
	case state != mirror.Present:
		return nothing, nil
	}
	p, verdict, err := page.Get(tx, seq)
	if err != nil || !p.Document() {
		return nothing, err
	}
	mine, err := documentIn(tx, u, seq, &p, verdict)
	switch {
	case err != nil:
		return nothing, err
	case tw.Agrees(mine, theirs) || same != 0 && rec.Page == same:
		return equal, nil
	case mirror.Agree(mine, theirs) && (mine.Early || theirs.Early) || mirror.Silent(mine, theirs) && !(mine.IsNear() && !theirs.IsNear()):
		return nothing, nil // a near copy of a third page that the other site has word for word was compared with that one
	case tw.Tried == 0 && mirror.Agree(mine, theirs):
		return near, nil
	}
	if same, err := m.areEqual(tw, mine, theirs); err != nil || same {
		return equal, err
	}
	return different, nil
}

// areEqual reports whether two documents confirm a twin by their records, or by the texts that are kept of them.
func (m *Learner) areEqual(tw *mirror.Twin, mine, theirs mirror.Document) (bool, error) {
	if tw.Agrees(mine, theirs) {
		return true, nil
	}
	if !tw.ByEqual() || !mine.HasText() || !theirs.HasText() {
		return false, nil
	}
	return m.job.SayTheSame(mine.Text, theirs.Text)
}

// review compares what was fetched of a site before it had a twin with the twin's pages, which have come since: that costs no request, and
// each of these pages is as likely to be altered as those that an audit requests. Only the sample of the site is compared. late is how many of
// those that are equal came after the site was first left out for another one, as what an audit requests does.
func (m *Learner) review(tx kv.Tx, h weburl.HostKey, tw *mirror.Twin, host *hostRecord) (late int, err error) {
	first := tw.Since
	for _, t := range host.Twins {
		if t.Origin == tw.Origin && t.Since.Before(first) {
			first = t.Since
		}
	}
	keys, err := m.drawn(tx, h)
	tw.Reviewed = 0
	for _, k := range keys {
		rec, met, err := m.job.URL(tx, k)
		if err != nil {
			return late, err
		}
		if !met || !rec.Settled || rec.Page == 0 {
			continue
		}
		u, err := weburl.Parse(rec.Text)
		if err != nil {
			return late, err
		}
		if u.Origin() != tw.Origin {
			continue
		}
		f, err := m.find(tx, tw, u, rec.Page, 0)
		if err != nil {
			return late, err
		}
		switch f {
		case equal:
			tw.Reviewed++
			p, _, err := page.Get(tx, rec.Page)
			if err != nil {
				return late, err
			}
			if p.Fetched.After(first) {
				late++
			}
		case different:
			m.countCheck(tx, tw, host, u, false)
		}
		if tw.GivenUp {
			return late, nil
		}
	}
	return late, err
}

// checkAgain compares a changed page of a site that has a twin with the twin's page: a trusted copy
// may become a different site.
func (m *Learner) checkAgain(tx kv.Tx, u weburl.URL, rec *page.Record, same uint64) error {
	host, err := m.host(tx, u.Key().Host())
	if err != nil || !rec.Document() {
		return err
	}
	if tw := host.trusted(u.Origin()); tw != nil {
		return m.check(tx, tw, host, u, rec.Seq, same)
	}
	return nil
}

// checkRedirect compares the redirect of a URL whose site has a twin with the twin. A redirect
// within the site says nothing, and neither does one to a third site, since the twin may redirect
// there too.
func (m *Learner) checkRedirect(tx kv.Tx, host *hostRecord, u weburl.URL, location string) {
	tw := host.trusted(u.Origin())
	at, err := weburl.Parse(location)
	if tw == nil || err != nil || at.Origin() == u.Origin() {
		return
	}
	if to, ok := tw.URLOf(u); ok && to.Origin() == at.Origin() {
		m.countCheck(tx, tw, host, u, to == at)
	}
}

// countCheck counts a check of a twin at a URL of the host.
func (m *Learner) countCheck(tx kv.Tx, tw *mirror.Twin, host *hostRecord, u weburl.URL, same bool) {
	n := m.job.Totals(tx).Mirrors
	n["explored"]++
	if !same {
		n["wrong"]++
	}
	if tw.RecordCheck(u.String(), same) {
		m.giveUp(tx, tw, host, u.Key().Host())
	}
}

// arrived records what the URL of a twin brought. If it is not a document, the URLs that it was
// fetched in place of are queued again.
func (m *Learner) arrived(tx kv.Tx, k weburl.Key, document bool) error {
	var waiting []weburl.Key
	for e, err := range kv.Prefix(tx, tableTwins, k[:]) {
		if err != nil {
			return err
		}
		waiting = append(waiting, weburl.Key(e.Key[len(k):]))
	}
	for _, u := range waiting {
		tw, err := m.deferredFor(tx, u)
		switch {
		case err != nil:
			return err
		case document && tw != nil:
			tw.There++
		case document:
		default:
			// Mostly the host has no document there either: a link that is broken on one of two
			// mirrors is broken on both.
			if err := m.reopen(tx, u, k, false); err != nil {
				return err
			}
		}
	}
	if !document || len(waiting) == 0 {
		return nil
	}
	rec, _, err := m.job.URL(tx, k)
	if err != nil {
		return err
	}
	return m.presume(tx, k, rec)
}
