package store

import (
	"sync"

	"go.etcd.io/bbolt"

	"gatecrawl"
	"gatecrawl/dedup"
)

var _ dedup.Texts = (*Store)(nil)

// pendingTexts holds the packed views of what was claimed and is not durable
// yet: the gate may name such a page before a transaction can read it.
type pendingTexts struct {
	mu    sync.RWMutex
	views map[dedup.DocID][]byte
}

func (p *pendingTexts) put(doc dedup.DocID, view []byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.views == nil {
		p.views = make(map[dedup.DocID][]byte)
	}
	p.views[doc] = view
}

func (p *pendingTexts) get(doc dedup.DocID) []byte {
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
	if view := s.texts.get(doc); view != nil {
		t, err := gatecrawl.UnpackText(view)
		return t, err == nil, err
	}
	var t dedup.Text
	found := false
	err := s.db.View(func(tx *bbolt.Tx) error {
		view := tx.Bucket(bucketViews).Get(seqKey(uint64(doc)))
		if view == nil {
			return nil
		}
		var err error
		t, err = gatecrawl.UnpackText(view)
		found = err == nil
		return err
	})
	return t, found, err
}

// check returns the gate's verdict on a visit. Where nothing of it was kept that
// could be compared, it has its verdict: that stays as long as the kept page does.
func (t *txn) check(v *gatecrawl.Visit) (dedup.Verdict, error) {
	if t.decided(v) {
		return v.Checked, nil
	}
	return t.s.gate.Check(*v.Sign, v.Text)
}

// claim is check for a page that becomes the keeper where it is new.
func (t *txn) claim(doc dedup.DocID, v *gatecrawl.Visit) (dedup.Verdict, error) {
	if t.decided(v) {
		return v.Checked, nil
	}
	if v.View != nil {
		t.s.texts.put(doc, v.View)
	}
	return t.s.gate.Claim(doc, *v.Sign, v.Text)
}

// decided reports whether a visit was told for a copy by its bytes.
func (t *txn) decided(v *gatecrawl.Visit) bool {
	return v.Checked.Copy() && v.View == nil && !t.s.gate.IsRetired(v.Checked.Of)
}
