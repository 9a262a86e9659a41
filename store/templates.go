package store

import (
	"fmt"

	"gatecrawl.example/gatecrawl"
	"gatecrawl.example/gatecrawl/dedup"
	"gatecrawl.example/gatecrawl/dedup/parts"
	"gatecrawl.example/gatecrawl/frontier/queue"
	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/linkgraph"
	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/purify"
	"gatecrawl.example/gatecrawl/purify/template"
	"gatecrawl.example/gatecrawl/store/kv"
)

// tableRevised has the pages that were signed again, by seq.
var tableRevised = &kv.Table{Name: "revised"}

// newTemplates returns what the job learns of the templates of its hosts.
func (s *Store) newTemplates(learn bool) *template.Learner {
	return template.New(s.kv, template.Options{
		Off: !learn,
		Changed: func(of func(weburl.HostKey) bool) {
			if s.gate != nil { // nil: a repair
				s.gate.ForgetTexts(func(host string) bool { return of(weburl.HostKeyOf(host)) })
			}
		},
		Body:      s.bodyIn,
		KnowsHost: func(r kv.Reader, h weburl.HostKey) (bool, error) { return kv.Has(r, queue.TableHosts, h[:]) },
	})
}

// Template returns what the host's pages repeat, nil while that is not known.
func (s *Store) Template(h weburl.HostKey) (*purify.Template, error) { return s.templates.Of(h) }

// revise replaces what is kept of a page that was lent to be read again. Revising twice
// changes nothing.
func (s *Store) revise(v *page.Visit) error {
	links := linksOf(s.queue.Links(v.Links))
	if err := s.write(func(t *txn) error { return t.revise(v, links) }); err != nil {
		return fmt.Errorf("revise %s: %w", v.Page.URL, err)
	}
	return nil
}

// revise replaces what is kept of a page: its view, its signature here and in
// the gate, and what its record says of them.
func (t *txn) revise(v *page.Visit, links []linkgraph.Link) error {
	if wanted, err := t.s.templates.Revise(t.tx, v); err != nil || !wanted {
		return err // it was done before
	}
	now, _, err := t.page(v.Page.Seq)
	if err != nil {
		return err
	}
	if now.Verdict != page.VerdictNew || now.Digest != v.Page.Digest {
		return nil // other bytes were settled since
	}
	t.s.texts.put(dedup.DocID(v.Page.Seq), v.View, v.Body)
	if err := t.s.gate.Revise(dedup.DocID(v.Page.Seq), *v.Sign); err != nil {
		return err
	}
	seq := seqKey(v.Page.Seq)
	t.tx.Put(tableRevised, seq, present)
	t.tx.Put(tableSignatures, seq, page.EncodeSignature(v.Sign))
	t.tx.Put(tableViews, seq, v.View)
	t.s.links.Add(t.tx, v.Page.Seq, links)
	if t.s.parts {
		if err := parts.Add(t.tx, v.Page.Seq, v.Text); err != nil {
			return err
		}
	}
	now.Title, now.Lang, now.PageType, now.Relevance = v.Page.Title, v.Page.Lang, v.Page.PageType, v.Page.Relevance
	now.SimHash, now.BodyTokens = v.Page.SimHash, v.Page.BodyTokens
	t.putPage(v.Page.Seq, &now, dedup.Verdict{})
	return t.meetsEqual(v)
}

// meetsEqual looks for a kept page that a revised one is near now: while a frame was
// in one of them they were two. The younger becomes a copy of the older. If it has
// copies itself it does only where the two are equal: then its copies are those of the
// older too. Its bytes and view stay where they are.
func (t *txn) meetsEqual(v *page.Visit) error {
	found, err := t.s.gate.Neighbours(*v.Sign, v.Text, 2) // one may be itself
	if err != nil {
		return err
	}
	for _, verdict := range found {
		kept, seq := uint64(verdict.Of), v.Page.Seq
		if kept == seq {
			continue
		}
		if there, err := kv.Has(t.tx, tablePages, seqKey(kept)); err != nil {
			return err
		} else if !there {
			continue // of this batch, and it came after
		}
		if kept > seq {
			kept, seq, verdict.Of = seq, kept, dedup.DocID(seq)
		}
		if err := parts.Forget(t.tx, seq); err != nil {
			return err
		}
		return t.s.groups.Join(t.tx, seq, kept, verdict)
	}
	return nil
}

// frame returns what was left out of a kept page; nil where its host had no
// template.
func (s *Store) frame(in snapshot, seq uint64) (*gatecrawl.Frame, error) {
	v, err := s.viewIn(in, seq)
	if err != nil || v == nil || v.Template == 0 {
		return nil, err
	}
	return &gatecrawl.Frame{Template: v.Template, Blocks: v.Dropped}, nil
}

// sampleViews is how many kept pages there are to one whose view is signed: that
// takes as long as all other checks of a hundred pages.
const sampleViews = 16

// signed checks that a kept page's record, signature and view are of one
// reading of it.
func (v *verifier) signed(p *page.Record, sig *dedup.Signature) error {
	const what = "record, signature and view are of one reading"
	if p.SimHash != "" && p.SimHash != fmt.Sprintf("%016x", sig.SimHash) {
		return v.breach(what, "page %d: %s: the record has SimHash %s, the signature %016x", p.Seq, p.URL, p.SimHash, sig.SimHash)
	}
	if p.Seq%sampleViews != 1 {
		return nil
	}
	view, err := v.s.viewIn(v.in, p.Seq)
	if err != nil {
		return v.breach("every view can be read", "page %d: %v", p.Seq, err)
	}
	if view == nil {
		return nil
	}
	got := dedup.SignView(sig.Bytes, view)
	got.Bands[0] = sig.Bands[0] // which only leads to candidates; long pages had no title there once
	if v.s.job.IDF != "" {
		got.SimHash = sig.SimHash // its words were weighed by a table that is not at hand
	}
	if got != *sig {
		return v.breach(what, "page %d: %s: the view's body is not what was signed", p.Seq, p.URL)
	}
	return nil
}
