package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/spf13/cobra"

	"gatecrawl/configs"
	"gatecrawl/dedup"
	"gatecrawl/fetch"
	"gatecrawl/frontier"
	"gatecrawl/mirror"
	"gatecrawl/purify"
	"gatecrawl/store"
)

// askSites answers from a job that no crawl works on, and asks the sites for
// what it does not know.
func (m *mirrorsReport) askSites(cmd *cobra.Command) ([]mirror.Pair, error) {
	if !store.Exists(m.dir) {
		return nil, fmt.Errorf("no job at %s: start one with crawl run --job %s -u URL", m.dir, m.dir)
	}
	s, err := loadSaved(m.dir)
	if err != nil {
		s = configs.Default() // its manners are the careful ones
	}
	if m.contact != "" {
		s.Contact = m.contact
	}
	st, err := openToRead(m.dir)
	var locked *store.LockedError
	if errors.As(err, &locked) {
		return nil, fmt.Errorf("%w: --probe live waits for its end, --probe store does not", err)
	}
	if err != nil {
		return nil, err
	}
	defer st.Close()
	f, err := fetch.New(s.FetchOptions(version()))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	p := &sitesProber{st: st, f: f, s: s, robots: make(map[string]*fetch.Robots), next: make(map[string]time.Time)}
	pairs, err := st.PairsBy(cmd.Context(), p.probe)
	if err == nil && p.refused > 0 {
		fmt.Fprintf(cmd.ErrOrStderr(), "%s were not asked for: off this machine --contact says whom the owners of sites can turn to\n", many(p.refused, "address", "addresses"))
	}
	if m.q.limit > 0 {
		pairs = pairs[:min(len(pairs), m.q.limit)]
	}
	return pairs, err
}

// A sitesProber asks sites one after another, each with the job's delay.
type sitesProber struct {
	st      *store.Store
	f       *fetch.Fetcher
	s       configs.Settings
	robots  map[string]*fetch.Robots // by origin
	next    map[string]time.Time     // when a host may be asked again
	refused int                      // addresses that needed a contact
}

// probe is a store.Probe.
func (p *sitesProber) probe(ctx context.Context, u frontier.URL) (mirror.Document, mirror.State, bool, error) {
	if p.s.Contact == "" && !u.Loopback() {
		p.refused++
		return mirror.Document{}, mirror.Unknown, false, nil
	}
	rules, err := p.rules(ctx, u)
	if err != nil {
		return mirror.Document{}, mirror.Unknown, false, err
	}
	if !rules.Check(fetch.Token, u).Allowed {
		return mirror.Document{}, mirror.Unknown, false, nil
	}
	if err := p.rest(ctx, u); err != nil {
		return mirror.Document{}, mirror.Unknown, false, err
	}
	r, err := p.f.Fetch(ctx, u)
	p.asked(u, rules)
	if ctx.Err() != nil {
		return mirror.Document{}, mirror.Unknown, true, ctx.Err()
	}
	switch {
	case err != nil: // no answer says nothing of a mirror
		return mirror.Document{}, mirror.Unknown, true, nil
	case r.Status == http.StatusNotFound || r.Status == http.StatusGone || r.Location() != "":
		return mirror.Document{}, mirror.Absent, true, nil
	case r.Status < 200 || r.Status >= 300:
		return mirror.Document{}, mirror.Unknown, true, nil
	}
	template, err := p.st.Template(u.Key().Host())
	if err != nil {
		return mirror.Document{}, mirror.Unknown, true, err
	}
	view := &purify.DocView{}
	if r.IsHTML() || r.IsText() {
		view, _ = purify.PurifyOn(template, u.String(), r.Body, r.Header.Get("Content-Type"))
	}
	sig := dedup.SignText(view.Body)
	return mirror.Document{Path: u.RequestURI(), SimHash: sig.SimHash, Tokens: int(sig.Tokens)}, mirror.Present, true, nil
}

// rules returns the robots.txt of a URL's site: the job's where it is fresh,
// else it is asked for.
func (p *sitesProber) rules(ctx context.Context, u frontier.URL) (*fetch.Robots, error) {
	if r := p.robots[u.Origin()]; r != nil {
		return r, nil
	}
	file, ok, err := p.st.Robots(u.Origin())
	if err != nil {
		return nil, err
	}
	if !ok || file.Expired(time.Now()) {
		if err := p.rest(ctx, u); err != nil {
			return nil, err
		}
		file = p.f.Robots(ctx, u.Origin())
		p.asked(u, nil)
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	}
	p.robots[u.Origin()] = file.Rules()
	return p.robots[u.Origin()], nil
}

// rest waits until a host may be asked again.
func (p *sitesProber) rest(ctx context.Context, u frontier.URL) error {
	wait := time.Until(p.next[u.Host()])
	if wait <= 0 {
		return nil
	}
	pause(ctx, wait)
	return ctx.Err()
}

// asked remembers when a host may be asked again.
func (p *sitesProber) asked(u frontier.URL, rules *fetch.Robots) {
	delay := time.Duration(p.s.Delay)
	if rules != nil {
		delay = max(delay, min(rules.Delay(fetch.Token), time.Duration(p.s.MaxDelay)))
	}
	p.next[u.Host()] = time.Now().Add(delay)
}
