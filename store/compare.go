package store

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"gatecrawl.example/gatecrawl/dedup"
	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/purify"
	"gatecrawl.example/gatecrawl/store/kv"
)

// Two pages are compared when the younger is settled, with the templates of that moment. Later templates
// may take more out of both, so that they are one document after all. Thin pages are read again then;
// the others are compared once more when nothing is left to fetch.

// finishTemplates makes last templates, and compares kept pages again once no page is left to be read with
// them. It reports whether pages are to be read again.
func (s *Store) finishTemplates(ctx context.Context) (more bool, err error) {
	if more, err = s.idle(s.templates); err != nil || more {
		return more, err
	}
	return false, s.compareAgain(ctx)
}

// compareAgain compares the kept pages of hosts whose template has changed, and joins those that are near
// copies now. If ctx ends first, or the process, the next run does all of it.
func (s *Store) compareAgain(ctx context.Context) error {
	if s.gate == nil || !s.comparing.TryLock() { // another worker does it
		return nil
	}
	defer s.comparing.Unlock()
	for ctx.Err() == nil {
		hosts := make(map[weburl.HostKey]bool)
		err := s.look(func(in snapshot) (err error) {
			hosts, err = s.templates.Stale(in)
			return err
		})
		if err != nil || len(hosts) == 0 {
			return err
		}
		if err := s.comparePages(ctx, hosts); err != nil || ctx.Err() != nil {
			return err
		}
		err = s.write(func(t *txn) error {
			s.templates.Compared(t.tx, hosts)
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// comparedAtOnce is how many pages are read before what was found is written.
const comparedAtOnce = 1024

// A comparison is a kept page that is compared again, and the neighbours that were found.
type comparison struct {
	seq   uint64
	sign  dedup.Signature
	found []dedup.Verdict
}

// comparePages compares all kept pages of some hosts with the gate's other pages.
func (s *Store) comparePages(ctx context.Context, hosts map[weburl.HostKey]bool) error {
	for from := uint64(0); ctx.Err() == nil; {
		var pages []comparison
		err := s.look(func(in snapshot) (err error) {
			pages, from, err = keptOf(in, hosts, from)
			return err
		})
		if err != nil {
			return err
		}
		if err := s.findAllNeighbours(pages); err != nil {
			return err
		}
		pages = slices.DeleteFunc(pages, func(c comparison) bool { return len(c.found) == 0 })
		if len(pages) > 0 {
			err = s.write(func(t *txn) error {
				for _, c := range pages {
					if err := t.join(c.seq, c.found); err != nil {
						return err
					}
				}
				return nil
			})
		}
		if err != nil || from == 0 {
			return err
		}
	}
	return nil
}

// findAllNeighbours is findNeighbours for several pages, on all processors.
func (s *Store) findAllNeighbours(pages []comparison) error {
	var g errgroup.Group
	var next atomic.Int64
	for range runtime.GOMAXPROCS(0) { // each takes page after page: a stack that has grown is not grown again
		g.Go(func() error {
			for i := int(next.Add(1)) - 1; i < len(pages); i = int(next.Add(1)) - 1 {
				if err := s.findNeighbours(&pages[i]); err != nil {
					return err
				}
			}
			return nil
		})
	}
	return g.Wait()
}

// keptOf returns kept pages of some hosts, from a sequence number on, and from where to go on; 0: there are
// no more.
func keptOf(in snapshot, hosts map[weburl.HostKey]bool, from uint64) (pages []comparison, next uint64, err error) {
	for e, err := range kv.PrefixFrom(in, tableSignatures, nil, seqKey(from)) {
		if err != nil {
			return nil, 0, err
		}
		seq := page.Seq(e.Key)
		if len(pages) == comparedAtOnce {
			return pages, seq, nil
		}
		url, err := in.URLOf(seq) // takes less time than the record: few hosts may have changed
		if err != nil {
			return nil, 0, err
		}
		if !hosts[weburl.HostKeyOf(weburl.HostOf(url))] {
			continue
		}
		p, _, err := in.Page(seq)
		if err != nil {
			return nil, 0, err
		}
		if p.Verdict != page.VerdictNew {
			continue
		}
		sign, err := page.DecodeSignature(e.Value)
		if err != nil {
			return nil, 0, fmt.Errorf("signature of page %d: %w", seq, err)
		}
		pages = append(pages, comparison{seq: seq, sign: sign})
	}
	return pages, 0, nil
}

// isReframed reports whether a template takes other blocks out of a page than the one did that the page was
// read with.
func isReframed(view *purify.DocView, site *purify.Template) bool {
	if (view.Template == 0) != (site.Generation() == 0) {
		return true
	}
	return slices.ContainsFunc(view.Blocks, func(b purify.Block) bool { return site.Has(&b) != b.Shared })
}

// findNeighbours asks the gate which kept pages a kept page is near, if its text is another one now, or more is
// known of its site.
func (s *Store) findNeighbours(c *comparison) error {
	if s.gate.IsRetired(dedup.DocID(c.seq)) {
		return nil
	}
	may, err := s.gate.HasCandidates(dedup.DocID(c.seq), c.sign)
	if err != nil || !may {
		return err
	}
	var view *purify.DocView
	err = s.look(func(in snapshot) (err error) { view, err = s.archive.View(in, c.seq); return err })
	if err != nil || view == nil || len(view.Blocks) == 0 {
		return err
	}
	site, err := s.templateFor(view)
	if err != nil || !isReframed(view, site) && !dedup.WasEarly(view, site) {
		return err // if the text of another page is another one now, that page asks
	}
	text := dedup.TextOf(view, site)
	s.recent.Renew(c.seq, &text)
	if c.found, err = s.gate.Nearest(c.sign, &text, 2); err != nil { // one may be the page itself
		return fmt.Errorf("compare page %d again: %w", c.seq, err)
	}
	c.found = slices.DeleteFunc(c.found, func(v dedup.Verdict) bool { return uint64(v.Of) == c.seq })
	return nil
}
