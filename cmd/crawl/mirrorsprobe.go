package main

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/spf13/cobra"

	"gatecrawl.example/gatecrawl/configs"
	"gatecrawl.example/gatecrawl/crawl"
	"gatecrawl.example/gatecrawl/dedup"
	"gatecrawl.example/gatecrawl/fetch"
	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/mirror"
	"gatecrawl.example/gatecrawl/purify"
	"gatecrawl.example/gatecrawl/store"
)

// askSites answers from a job that no crawl works on, and asks the sites for
// what it does not know.
func (m *mirrorsReport) askSites(cmd *cobra.Command) (r mirror.Report, err error) {
	if !store.Exists(m.dir) {
		return r, noJob(m.dir)
	}
	s, err := crawl.SavedSettings(m.dir)
	if err != nil {
		s = configs.Default() // its manners are the careful ones
	}
	if m.contact != "" {
		s.Contact = m.contact
	}
	st, err := openToRead(m.dir)
	if isLocked(err) {
		return r, fmt.Errorf("%w: --probe live waits for its end, --probe store does not", err)
	}
	if err != nil {
		return r, err
	}
	defer st.Close()
	c, err := fetch.NewClient(fetch.ClientOptions{
		Fetch: s.FetchOptions(version()), Anonymous: s.Contact == "",
		Delay: time.Duration(s.Delay), MaxDelay: time.Duration(s.MaxDelay), Known: st.Robots,
	})
	if err != nil {
		return r, err
	}
	defer c.Close()
	reader, err := s.CrawlOptions().Reader()
	if err != nil {
		return r, err
	}
	p := &siteProber{st: st, client: c, reader: reader}
	pairs, err := st.PairsBy(cmd.Context(), p.probe)
	if err == nil && p.anonymous > 0 {
		fmt.Fprintf(cmd.ErrOrStderr(), "%s not asked for: they are not on this machine, and nobody is named to their owners; give --contact\n", many(p.anonymous, "URL was", "URLs were"))
	}
	r = mirror.Gather(pairs)
	if m.q.Limit > 0 {
		r.Groups = r.Groups[:min(len(r.Groups), m.q.Limit)]
		r.Pairs = r.Pairs[:min(len(r.Pairs), m.q.Limit-len(r.Groups))]
	}
	return r, err
}

// A siteProber asks sites for documents that a job does not know.
type siteProber struct {
	st        *store.Store
	client    *fetch.Client
	reader    purify.Reader
	anonymous int // URLs that were not asked for since no contact is named
}

// probe is a mirror.Probe.
func (p *siteProber) probe(ctx context.Context, u weburl.URL) (_ mirror.Document, _ mirror.State, asked bool, err error) {
	var none mirror.Document
	r, err := p.client.Get(ctx, u)
	var refused *fetch.RefusedError
	var failed *fetch.Error
	switch {
	case errors.As(err, &refused):
		if refused.Anonymous {
			p.anonymous++
		}
		return none, mirror.Unknown, false, nil
	case errors.As(err, &failed): // that a server does not answer says nothing about a mirror
		return none, mirror.Unknown, true, nil
	case err != nil:
		return none, mirror.Unknown, false, err
	case r.Status == http.StatusNotFound || r.Status == http.StatusGone || r.Location() != "":
		return none, mirror.Absent, true, nil
	case r.Status < 200 || r.Status >= 300:
		return none, mirror.Unknown, true, nil
	}
	template, err := p.st.Template(u.Key().Host())
	if err != nil {
		return none, mirror.Unknown, true, err
	}
	view := &purify.DocView{}
	if r.IsHTML() || r.IsText() {
		view, _ = p.reader.PurifyOn(template, u.String(), r.Body, r.MediaType())
	}
	sig := dedup.Sign(r.Body, view)
	return mirror.Document{
		Path: u.RequestURI(), SimHash: sig.SimHash, Tokens: int(sig.Tokens),
		Bytes: binary.BigEndian.Uint64(sig.Bytes[:]), Body: binary.BigEndian.Uint64(sig.Body[:]),
	}, mirror.Present, true, nil
}
