package store

import (
	"fmt"
	"sync"

	"gatecrawl.example/gatecrawl/dedup"
	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/purify"
	"gatecrawl.example/gatecrawl/store/kv"
)

var _ dedup.Texts = (*Store)(nil)

// pendingTexts holds the packed views of what was claimed and is not durable
// yet: the gate may name such a page before a transaction can read it.
type pendingTexts struct {
	mu    sync.RWMutex
	views map[dedup.DocID]pendingText
}

// A pendingText is a packed view, and the bytes that it may be packed on.
type pendingText struct{ view, page []byte }

func (p *pendingTexts) put(doc dedup.DocID, view, page []byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.views == nil {
		p.views = make(map[dedup.DocID]pendingText)
	}
	p.views[doc] = pendingText{view, page}
}

func (p *pendingTexts) get(doc dedup.DocID) pendingText {
	p.mu.RLock()
	defer p.mu.RUnlock()
	return p.views[doc]
}

// committed forgets all of them. The writer calls it when they can be read from
// the file.
func (p *pendingTexts) committed() {
	p.mu.Lock()
	defer p.mu.Unlock()
	clear(p.views)
}

// Text is dedup.Texts's: the title and body of a kept page.
func (s *Store) Text(doc dedup.DocID) (dedup.Text, bool, error) {
	view, err := s.claimedView(doc)
	if err == nil && view == nil {
		err = s.look(func(in snapshot) (err error) { view, err = s.viewIn(in, uint64(doc)); return err })
	}
	if err != nil || view == nil {
		return dedup.Text{}, false, err
	}
	// Two pages are compared by the templates of now, whatever was known when
	// each of them was read.
	if len(view.Blocks) > 0 {
		site, err := s.Template(weburl.HostKeyOf(weburl.HostOf(view.URL)))
		if err != nil {
			return dedup.Text{}, false, err
		}
		return dedup.TextOf(view, site), true, nil
	}
	return dedup.TextOf(view), true, nil
}

// claimedView returns the view of what is not durable yet, nil where the tables have it.
func (s *Store) claimedView(doc dedup.DocID) (*purify.DocView, error) {
	p := s.texts.get(doc)
	if p.view == nil {
		return nil, nil
	}
	return page.UnpackViewOn(p.view, func() ([]byte, error) { return p.page, nil })
}

// viewIn returns the view of a page, nil where none is kept.
func (s *Store) viewIn(r kv.Reader, seq uint64) (*purify.DocView, error) {
	packed, err := r.Get(tableViews, seqKey(seq))
	if err != nil || packed == nil {
		return nil, err
	}
	v, err := page.UnpackViewOn(packed, func() ([]byte, error) { return s.bodyIn(r, seq) })
	if err != nil {
		return nil, fmt.Errorf("view of page %d: %w", seq, err)
	}
	return v, nil
}

// reread has a visit read its page with the template that its host has by now.
func (t *txn) reread(v *page.Visit) error {
	if v.Reread == nil {
		return nil
	}
	now, err := t.s.templates.In(t.tx, v.Lease.URL.Key().Host())
	if err != nil || now.Generation() == v.Template {
		return err
	}
	v.Behind = true
	return v.Reread(now)
}

// check returns the gate's verdict on a visit. Where nothing of it was kept that
// could be compared, it has its verdict: that stays as long as the kept page does.
func (t *txn) check(v *page.Visit) (dedup.Verdict, error) {
	if t.decided(v) {
		return v.Checked, nil
	}
	if err := t.reread(v); err != nil {
		return dedup.Verdict{}, err
	}
	return t.s.gate.Check(*v.Sign, v.Text)
}

// claim is check for a page that becomes the kept page where it is new.
func (t *txn) claim(doc dedup.DocID, v *page.Visit) (dedup.Verdict, error) {
	if t.decided(v) {
		return v.Checked, nil
	}
	if err := t.reread(v); err != nil {
		return dedup.Verdict{}, err
	}
	if v.View != nil {
		t.s.texts.put(doc, v.View, v.Body)
	}
	return t.s.gate.Claim(doc, *v.Sign, v.Text)
}

// decided reports whether a visit was told for a copy by its bytes.
func (t *txn) decided(v *page.Visit) bool {
	return v.Checked.Copy() && v.View == nil && !t.s.gate.IsRetired(v.Checked.Of)
}
