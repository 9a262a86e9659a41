package store

import (
	"fmt"
	"slices"

	"gatecrawl.example/gatecrawl/dedup"
	"gatecrawl.example/gatecrawl/dedup/group"
	"gatecrawl.example/gatecrawl/dedup/parts"
	"gatecrawl.example/gatecrawl/frontier/queue"
	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/linkgraph"
	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/purify"
	"gatecrawl.example/gatecrawl/purify/template"
	"gatecrawl.example/gatecrawl/store/job"
	"gatecrawl.example/gatecrawl/store/kv"
	"gatecrawl.example/gatecrawl/store/letter"
)

// newTemplates returns the learner of the job's templates.
func (s *Store) newTemplates(learn bool) *template.Learner {
	return template.New(s.kv, template.Options{
		Off: !learn, Stale: learn && !s.inPartitions,
		Changed: func(hosts []weburl.HostKey) {
			switch {
			case s.gate != nil: // nil for a repair, or a partition
				s.gate.ForgetTexts(func(host string) bool { return slices.Contains(hosts, weburl.HostKeyOf(host)) })
			case s.partition != nil && s.partition.Forget != nil:
				s.partition.Forget(hosts)
			}
		},
		Body:      s.archive.Body,
		Copies:    copiesOf,
		View:      s.archive.View,
		KnowsHost: func(r kv.Reader, h weburl.HostKey) (bool, error) { return kv.Has(r, queue.TableHosts, h[:]) },
	})
}

// Template returns the template for a URL's page, nil while there is none.
func (s *Store) Template(url string) (*purify.Template, error) { return s.templates.Of(url) }

// copiesOf returns the number of known copies of a kept page.
func copiesOf(r kv.Reader, seq uint64) (int, error) {
	size, _, err := group.SizeOf(r, seq)
	return int(size.Copies), err
}

// revise replaces what is kept of a page that was leased to be read again. Revising twice changes
// nothing.
func (s *Store) revise(v *page.Visit) error {
	links := linksOf(s.queue.Links(v.Links))
	if !s.inPartitions {
		if err := s.Reread(v); err != nil { // its host may have got another template while it was read
			return fmt.Errorf("revise %s: %w", v.Page.URL, err)
		}
	}
	var stub *dedup.Stub
	if s.partition != nil && v.Text != nil { // made here, so that the writer need not wait for it
		made := v.Text.Stub()
		stub = &made
	}
	if err := s.write(func(t *txn) error { return t.revise(v, links, stub) }); err != nil {
		return fmt.Errorf("revise %s: %w", v.Page.URL, err)
	}
	return nil
}

// revise replaces what is kept of a page: its view, its signature here and in the gate, and what
// its record says of them.
func (t *txn) revise(v *page.Visit, links []linkgraph.Link, stub *dedup.Stub) error {
	if wanted, err := t.s.templates.Revise(t.tx, v); err != nil || !wanted {
		return err // it was done before
	}
	now, _, err := t.page(v.Page.Seq)
	if err != nil {
		return err
	}
	if now.Verdict != page.VerdictNew || now.ReplacedBy != 0 || now.Digest != v.Page.Digest {
		return nil // other bytes were settled since, or its URL has another page by now
	}
	if err := t.reviseGate(v, stub); err != nil {
		return err
	}
	seq := seqKey(v.Page.Seq)
	t.tx.Put(job.TableRevised, seq, job.Present)
	t.tx.Put(tableSignatures, seq, page.EncodeSignature(v.Sign))
	t.tx.Put(tableViews, seq, v.View)
	t.s.links.Add(t.tx, v.Page.Seq, links)
	if t.s.parts {
		if err := parts.Add(t.tx, v.Page.Seq, v.Text, t.s.recent); err != nil {
			return err
		}
	}
	now.Title, now.Lang, now.PageType, now.Relevance = v.Page.Title, v.Page.Lang, v.Page.PageType, v.Page.Relevance
	now.Category = v.Page.Category
	now.SimHash, now.BodyTokens = v.Page.SimHash, v.Page.BodyTokens
	t.putPage(v.Page.Seq, &now, dedup.Verdict{})
	if t.s.partition != nil {
		return nil // the gate reports near pages itself
	}
	if joined, err := t.joinEarlier(v.Page.Seq, v.Earlier); err != nil || joined {
		return err
	}
	return t.joinNeighbour(v)
}

// reviseGate passes the new signature of a kept page to the gate. The gate of a partitioned job
// also gets the stub of the text, so that for most pages it need not ask for the text.
func (t *txn) reviseGate(v *page.Visit, stub *dedup.Stub) error {
	switch {
	case t.s.partition == nil:
		t.s.texts.put(v.Page.Seq, v.View, v.Body)
		return t.s.gate.Revise(dedup.DocID(v.Page.Seq), *v.Sign)
	case t.s.gateOff:
		return nil
	}
	return t.post(GatePlace, &letter.Letter{Kind: letter.Revised, Page: v.Page.Seq, Sign: *v.Sign, Stub: stub})
}

// joinNeighbour puts a page that was read again, and the kept page that it is near now, into one
// group: while only one of them was read without its template they counted as two documents.
func (t *txn) joinNeighbour(v *page.Visit) error {
	found, err := t.s.gate.Nearest(*v.Sign, v.Text, 2) // one may be the page itself
	if err != nil {
		return err
	}
	return t.join(v.Page.Seq, found)
}

// joinEarlier makes a kept page the copy of a document of an earlier crawl, if it is one as it is read now, and reports
// whether it did.
func (t *txn) joinEarlier(seq uint64, e *page.Earlier) (joined bool, err error) {
	if e == nil {
		return false, nil
	}
	joined, err = t.s.groups.JoinEarlier(t.tx, seq, e)
	if err != nil || !joined {
		return false, err
	}
	return true, parts.Forget(t.tx, seq)
}

// join puts a kept page and the first of its neighbours into one group.
func (t *txn) join(seq uint64, found []dedup.Verdict) error {
	joined, err := t.s.groups.JoinNeighbour(t.tx, seq, found, func(younger, older uint64, may bool) (bool, error) {
		p, _, err := t.page(younger)
		if err != nil {
			return false, err
		}
		view, err := t.view(younger)
		if err != nil {
			return false, err
		}
		shown, err := t.isShown(&p, view, older)
		if err == nil && !may {
			return t.isArticleOf(shown, &p, older)
		}
		return shown, err
	})
	if err != nil || joined == 0 {
		return err
	}
	if err := t.noteWhetherSame(joined); err != nil {
		return err
	}
	return parts.Forget(t.tx, joined)
}

// noteWhetherSame writes into the record of a page that was kept and is a near copy now whether it says the same as its kept page.
func (t *txn) noteWhetherSame(joined uint64) error {
	rec, v, err := t.page(joined)
	if err != nil || v.Level != dedup.LevelNear || v.Similarity == 1 {
		return err
	}
	same, err := mirroredJob{t.s}.SayTheSame(joined, uint64(v.Of))
	if err == nil && same {
		rec.Says = true
		t.putPage(joined, &rec, v)
	}
	return err
}
