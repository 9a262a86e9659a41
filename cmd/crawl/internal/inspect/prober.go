package inspect

import (
	"context"
	"encoding/binary"
	"errors"
	"net/http"

	"gatecrawl.example/gatecrawl/dedup"
	"gatecrawl.example/gatecrawl/fetch"
	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/mirror"
	"gatecrawl.example/gatecrawl/purify"
)

// A prober asks sites for documents that a crawl has not fetched, to tell whether two sites are
// copies of each other: crawl mirrors --probe live. It asks by a fetch.Client, so politely and
// within robots.txt. It is used from one goroutine.
type prober struct {
	client   *fetch.Client
	reader   purify.Reader
	template func(weburl.URL) (*purify.Template, error) // what is known of the template of a URL's host

	anonymous int // URLs that were not asked for since no contact is named
}

// probe is a mirror.Probe: it asks for one URL. It returns the document that is there, whether there is one, and
// whether its site was asked at all: robots.txt may forbid it.
func (p *prober) probe(ctx context.Context, u weburl.URL) (_ mirror.Document, _ mirror.State, asked bool, err error) {
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
	case errors.As(err, &failed): // a server that does not answer says nothing about a mirror
		return none, mirror.Unknown, true, nil
	case err != nil:
		return none, mirror.Unknown, false, err
	case r.Status == http.StatusNotFound || r.Status == http.StatusGone || r.Location() != "":
		return none, mirror.Absent, true, nil
	case r.Status < 200 || r.Status >= 300:
		return none, mirror.Unknown, true, nil
	}
	template, err := p.template(u)
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
