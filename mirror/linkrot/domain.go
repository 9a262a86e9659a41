package linkrot

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"

	"gatecrawl.example/gatecrawl/dedup"
	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/store/kv"
)

// A domain is what lost pages of a registrable domain may be found by. It is kept
// for the next question.
type domain struct {
	name   string
	moves  Moves    // by which its pages moved
	pages  []bodyOf // that are there, in crawl order
	sample sample

	taught int
}

// A bodyOf is the SimHash of a page's body.
type bodyOf struct{ seq, simhash uint64 }

// readDomain reads what the job has of the hosts of a registrable domain: its cost is that of
// their pages, whatever the size of the job.
func (n *Lookups) readDomain(ctx context.Context, name string) (*domain, error) {
	d := &domain{name: name}
	var seqs []uint64
	hs, err := n.job.Hosts(name)
	if err != nil {
		return nil, err
	}
	for _, h := range hs {
		if seqs, err = n.pagesOf(ctx, h, seqs); err != nil {
			return nil, err
		}
	}
	slices.Sort(seqs)
	for batch := range slices.Chunk(seqs, pagesAtOnce) {
		err := n.tables.View(ctx, func(r kv.Reader) error {
			for _, seq := range batch {
				if err := n.take(r, d, seq); err != nil {
					return err
				}
			}
			return ctx.Err()
		})
		if err != nil {
			return nil, err
		}
	}
	return d, nil
}

// pagesOf adds the numbers of a host's pages to seqs.
func (n *Lookups) pagesOf(ctx context.Context, h weburl.HostKey, seqs []uint64) ([]uint64, error) {
	var from weburl.Key
	copy(from[:], h[:])
	for more := true; more; {
		more = false
		err := n.tables.View(ctx, func(r kv.Reader) error {
			read := 0
			for at, err := range n.job.URLs(r, h, from) {
				if err != nil {
					return err
				}
				if read++; read > urlsAtOnce {
					from, more = at.URL, true
					return nil
				}
				if at.Page != 0 {
					seqs = append(seqs, at.Page)
				}
			}
			return nil
		})
		if err = cmp.Or(err, ctx.Err()); err != nil {
			return seqs, err
		}
	}
	return seqs, nil
}

// take adds a page of the domain: to the rules by which pages moved, and to the pages that are
// there.
func (n *Lookups) take(r kv.Reader, d *domain, seq uint64) error {
	p, v, err := page.Get(r, seq)
	switch {
	case err != nil:
		return err
	case hasText(&p, v):
		d.sample.add(seq)
	}
	switch {
	case p.Rule == "redirect":
		d.moves.Add(p.URL, p.Location)
	case !p.Document() || p.ReplacedBy != 0:
	case !isThere(&p):
		return n.learn(r, d, &p, v)
	case p.SimHash != "" && len(d.pages) < maxDomain:
		h, err := strconv.ParseUint(p.SimHash, 16, 64)
		if err != nil {
			return fmt.Errorf("simhash of %s: %w", p.URL, err)
		}
		d.pages = append(d.pages, bodyOf{seq, h})
	}
	return nil
}

// learn learns from a page that is gone where its copies are.
func (n *Lookups) learn(r kv.Reader, d *domain, p *page.Record, v dedup.Verdict) error {
	if p.RevisitRule == "redirect" {
		d.moves.Add(p.URL, p.RevisitTo)
	}
	if d.taught++; d.taught > maxTaught {
		return nil
	}
	of := p.Seq
	if v.Copy() {
		of = uint64(v.Of)
	}
	members, err := n.members(r, of, maxMembers)
	for _, m := range members {
		d.moves.Add(p.URL, m.URL)
	}
	return err
}
