package store

import (
	"sync"

	"gatecrawl.example/gatecrawl/dedup"
	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/purify"
	"gatecrawl.example/gatecrawl/store/kv"
)

// pendingTexts has the packed views of pages that are claimed and not yet durable: the gate may
// name such a page before a transaction can read it.
type pendingTexts struct {
	mu    sync.RWMutex
	views map[uint64]pendingText // by sequence number
}

// A pendingText is a packed view, and the bytes that it may be packed with.
type pendingText struct{ view, page []byte }

func (p *pendingTexts) put(seq uint64, view, page []byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.views == nil {
		p.views = make(map[uint64]pendingText)
	}
	p.views[seq] = pendingText{view, page}
}

func (p *pendingTexts) get(seq uint64) pendingText {
	p.mu.RLock()
	defer p.mu.RUnlock()
	return p.views[seq]
}

// committed drops all of them. The writer calls it when they can be read from the tables.
func (p *pendingTexts) committed() {
	p.mu.Lock()
	defer p.mu.Unlock()
	clear(p.views)
}

// Text returns the title and body of a kept page, false if none are kept.
func (s *Store) Text(of dedup.Ref) (dedup.Text, bool, error) {
	view, site, err := s.compared(of, s.archive.View)
	if err != nil || view == nil {
		return dedup.Text{}, false, err
	}
	return dedup.TextOf(view, site...), true, nil
}

// PartText returns the text of a kept page for parts.Find, nil if none is kept, or it says little.
func (s *Store) PartText(of dedup.Ref) (*dedup.PartText, error) {
	view, site, err := s.compared(of, func(r kv.Reader, seq uint64) (*purify.DocView, error) {
		return s.archive.ViewWith(r, seq, dedup.PartLinks)
	})
	if err != nil || view == nil {
		return nil, err
	}
	return dedup.PartOf(view, site...), nil
}

// compared returns the view of a kept page, which read reads from the archive, and the template that it is compared by, which is the current one,
// whatever was known when the page was read. The view is nil if none is kept.
func (s *Store) compared(of dedup.Ref, read func(r kv.Reader, seq uint64) (*purify.DocView, error)) (view *purify.DocView, site []*purify.Template, err error) {
	seq := uint64(of)
	view, err = s.claimedView(seq)
	if err == nil && view == nil {
		err = s.look(func(in snapshot) (err error) { view, err = read(in, seq); return err })
	}
	if err != nil || view == nil || len(view.Blocks) == 0 {
		return view, nil, err
	}
	t, err := s.templateFor(view)
	if err != nil {
		return nil, nil, err
	}
	return view, []*purify.Template{t}, nil
}

// templateFor returns the current template for a kept page.
func (s *Store) templateFor(view *purify.DocView) (*purify.Template, error) {
	site, err := s.Template(view.URL)
	if err == nil && view.Template == 0 && site.Asks() {
		site = site.For(view.Names())
	}
	return site, err
}

// claimedView returns the view of a page that is not durable yet, nil if the tables have it.
func (s *Store) claimedView(seq uint64) (*purify.DocView, error) {
	p := s.texts.get(seq)
	if p.view == nil {
		return nil, nil
	}
	return page.UnpackViewOn(p.view, func() ([]byte, error) { return p.page, nil })
}

// reread makes a visit read its page with the current template of its host, and reports whether the
// page was read with another one before.
func (t *txn) reread(v *page.Visit) (bool, error) {
	if v.Reread == nil {
		return false, nil
	}
	now, err := t.s.templates.In(t.tx, v.Lease.URL.String())
	if err != nil || now.Generation() == v.Template {
		return false, err
	}
	t.s.readWith(v, now)
	return true, nil
}

// readWith makes a visit read its page with a template. A job in partitions does not compare kept pages again when their host has
// another template, so it reads a page of which that has other blocks as a task of its own, which does.
func (s *Store) readWith(v *page.Visit, now *purify.Template) {
	v.Reread(now)
	v.Behind = v.Behind || v.Moved && s.inPartitions
}

// check returns the gate's verdict on a visit. If the visit has nothing that could be compared, its
// own verdict is valid as long as the kept page is.
func (t *txn) check(v *page.Visit) (dedup.Verdict, error) {
	if t.decided(v) {
		return v.Checked, nil
	}
	if t.s.partition != nil {
		return v.Checked, nil // the gate was asked just before
	}
	if _, err := t.reread(v); err != nil {
		return dedup.Verdict{}, err
	}
	return t.s.gate.Check(*v.Sign, v.Text)
}

// claim is check for a page that becomes a kept page if it is new.
func (t *txn) claim(seq uint64, v *page.Visit) (dedup.Verdict, error) {
	if t.decided(v) {
		return v.Checked, nil
	}
	reread, err := t.reread(v)
	if err != nil {
		return dedup.Verdict{}, err
	}
	if t.s.partition != nil {
		return t.claimElsewhere(seq, v, reread)
	}
	if v.View != nil {
		t.s.texts.put(seq, v.View, v.Body)
	}
	return t.s.gate.Claim(dedup.DocID(seq), *v.Sign, v.Text)
}

// decided reports whether a visit was recognised as a copy by its bytes.
func (t *txn) decided(v *page.Visit) bool {
	if !v.Checked.Copy() || v.View != nil {
		return false
	}
	return t.s.partition != nil || !t.s.gate.IsRetired(dedup.DocID(v.Checked.Of))
}
