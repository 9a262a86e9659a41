package template

import (
	"context"
	"fmt"

	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/store/kv"
)

// The invariants that Check checks.
const (
	siteIsReadable     = "what a host repeats can be read"
	siteHasHost        = "every host that learns has a record"
	templateIsReadable = "every template can be read"
	templateIsLast     = "a host's template is its last"
	templateHasSite    = "every template is of a host that learns"
	earlyIsKept        = "a host's first pages are its own, and kept"
	againIsKept        = "every page to be purified again is kept"
	staleHasTemplate   = "every host whose pages are to be compared again learns"
	thinIsKept         = "every page that may be purified again is kept"
)

// Check checks the records of templates, and calls breach for each fault, until breach returns an
// error.
func (l *Learner) Check(r kv.Reader, breach func(what string, err error) error) error {
	for _, level := range []level{hosts, folders} {
		for e, err := range level.sites.All(r) {
			if err != nil {
				return err
			}
			site, err := decodeSite(e.Value)
			if err != nil {
				err = breach(siteIsReadable, fmt.Errorf("%x: %w", e.Key, err))
			} else {
				err = l.checkSite(r, placeIn(e.Key), &site, breach)
			}
			if err != nil {
				return err
			}
		}
		err := kv.Each(r, level.templates, func(k, _ []byte) error {
			learns, err := level.sites.Has(r, k)
			if err == nil && !learns {
				err = breach(templateHasSite, fmt.Errorf("%x", k))
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	for _, listed := range listsOfPages {
		err := kv.Each(r, listed.table, func(k, _ []byte) error { return listed.check(r, k, breach) })
		if err != nil {
			return err
		}
	}
	return kv.Each(r, TableStale, func(k, _ []byte) error {
		learns, err := siteRows.Has(r, k)
		if err == nil && !learns {
			err = breach(staleHasTemplate, fmt.Errorf("%x", k))
		}
		return err
	})
}

// A listOfPages is a table of pages that are to be purified again, or will be if a template has
// enough of them.
type listOfPages struct {
	table *kv.Table
	kept  string // the invariant that they are kept
}

var listsOfPages = []listOfPages{{TableAgain, againIsKept}, {TableThin, thinIsKept}, {TableFolderThin, thinIsKept}}

// check checks the page of a row: its key is that of a host, in some tables of a folder, and of the
// page.
func (l listOfPages) check(r kv.Reader, k []byte, breach func(string, error) error) error {
	if len(k) != KeyLengths()[l.table] {
		return breach(l.kept, fmt.Errorf("key %x", k))
	}
	return checkPage(r, keyOf(weburl.HostKey(k), page.Seq(k[len(k)-8:])), l.kept, breach)
}

// checkSite checks one record of a host or a folder against its template and its pages.
func (l *Learner) checkSite(r kv.Reader, p place, site *siteRecord, breach func(string, error) error) error {
	known, err := l.o.KnowsHost(r, p.host)
	if err != nil {
		return err
	}
	if !known {
		if err := breach(siteHasHost, fmt.Errorf("%x", p.key())); err != nil {
			return err
		}
	}
	t, err := readTemplate(r, p)
	switch {
	case err != nil:
		return breach(templateIsReadable, err)
	case t.Generation() != site.site.Generation():
		return breach(templateIsLast, fmt.Errorf("%x: template %d of %d", p.key(), t.Generation(), site.site.Generation()))
	}
	for _, seq := range site.early {
		if err := checkPage(r, keyOf(p.host, seq), earlyIsKept, breach); err != nil {
			return err
		}
	}
	return nil
}

// checkPage checks that a page is kept with its bytes, and is of its host.
func checkPage(r kv.Reader, k pageKey, what string, breach func(string, error) error) error {
	for _, t := range []*kv.Table{page.TableSignatures, page.TableBodies} {
		if kept, err := kv.Has(r, t, page.Key(k.seq())); err != nil {
			return err
		} else if !kept {
			return breach(what, fmt.Errorf("page %d", k.seq()))
		}
	}
	url, err := page.URLOf(r, k.seq())
	if err != nil || weburl.HostKeyOf(weburl.HostOf(url)) != k.host() {
		return breach(what, fmt.Errorf("page %d: %s", k.seq(), url))
	}
	return nil
}

// Repair deletes the template of each host or folder whose records have a fault, so that it is
// learned again. It removes pages that are not kept from the lists of pages to be purified again: a
// run that leased one would end with an error.
func (l *Learner) Repair(ctx context.Context) error {
	l.sites = newRecent[*siteRecord](maxSites)
	breaks := func(check func(breach func(string, error) error) error) (bool, error) {
		n := 0
		err := check(func(string, error) error { n++; return nil })
		return n > 0, err
	}
	wrong := func(r kv.Reader, k, b []byte) (bool, error) {
		site, err := decodeSite(b)
		if err != nil {
			return true, nil
		}
		return breaks(func(breach func(string, error) error) error {
			return l.checkSite(r, placeIn(k), &site, breach)
		})
	}
	for _, level := range []level{hosts, folders} {
		for _, t := range level.sites.Tables() {
			err := kv.Rewrite(ctx, l.store, t, wrong, func(tx kv.Tx, k, _ []byte) error {
				tx.Delete(level.templates, k)
				tx.Delete(t, k)
				return nil
			})
			if err != nil {
				return err
			}
		}
		err := kv.Forget(ctx, l.store, level.templates, func(r kv.Reader, k, _ []byte) (bool, error) {
			learns, err := level.sites.Has(r, k)
			return !learns, err
		})
		if err != nil {
			return err
		}
	}
	err := kv.Forget(ctx, l.store, TableStale, func(r kv.Reader, k, _ []byte) (bool, error) {
		learns, err := siteRows.Has(r, k)
		return !learns, err
	})
	if err != nil {
		return err
	}
	for _, listed := range listsOfPages {
		err := kv.Forget(ctx, l.store, listed.table, func(r kv.Reader, k, _ []byte) (bool, error) {
			return breaks(func(breach func(string, error) error) error { return listed.check(r, k, breach) })
		})
		if err != nil {
			return err
		}
	}
	return nil
}
