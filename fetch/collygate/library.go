package collygate

import (
	"sync"

	"gatecrawl.example/gatecrawl/dedup"
	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/purify"
)

var _ dedup.Texts = (*library)(nil)

// A library has the pages that a gate keeps, numbered from 1, and the templates of their hosts.
type library struct {
	max int // most sites

	mu    sync.RWMutex
	kept  []*keptPage // nil for a copy
	n     int         // number of those that are not nil
	sites map[string]*site
}

type keptPage struct {
	url, host string
	sig       dedup.Signature
	view      []byte // packed; nil: it has no text
}

// A site is what is known of a host.
type site struct {
	learner  purify.Site
	template *purify.Template
	early    []dedup.DocID // pages that were kept before the host had a template
}

// template returns the template of a host; nil: none is known.
func (l *library) template(host string) *purify.Template {
	l.mu.RLock()
	defer l.mu.RUnlock()
	if s := l.sites[host]; s != nil {
		return s.template
	}
	return nil
}

func (l *library) len() int {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return l.n
}

func (l *library) at(doc dedup.DocID) keptPage {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return *l.kept[doc-1]
}

func (l *library) url(doc dedup.DocID) string { return l.at(doc).url }

// push adds a page. The caller asks the gate afterwards, since another goroutine that finds the
// page in the gate's tables reads it here.
func (l *library) push(u unread, sig dedup.Signature, view *purify.DocView) dedup.DocID {
	k := &keptPage{url: u.url, host: u.host, sig: sig}
	if view != nil {
		k.view = page.PackView(view)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.kept = append(l.kept, k)
	l.n++
	return dedup.DocID(len(l.kept))
}

// drop removes a page that turned out to be a copy. Its number is not used again.
func (l *library) drop(doc dedup.DocID) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.kept[doc-1] = nil
	l.n--
}

// learn counts the latest kept page, or a copy that counts, for the template of its host, and
// reports whether the host has a new template now.
func (l *library) learn(host string, prints []purify.Print, isKept bool) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	s := l.sites[host]
	if s == nil {
		if len(l.sites) >= l.max {
			return false
		}
		if l.sites == nil {
			l.sites = make(map[string]*site)
		}
		s = new(site)
		l.sites[host] = s
	}
	if isKept && s.template == nil && len(prints) > 0 {
		s.early = append(s.early, dedup.DocID(len(l.kept)))
	}
	if !s.learner.Wants(prints) || isKept && s.learner.Met(prints) {
		return false
	}
	made := s.learner.Learn(prints)
	if made == nil {
		return false
	}
	s.template = made
	return true
}

// teaches reports whether a copy counts for its host's template: it is brief, and its title and URL
// have a name that those of its kept page lack, or the reverse.
func (l *library) teaches(of dedup.DocID, u unread, view *purify.DocView, text *dedup.Text) bool {
	if view == nil || !text.IsBrief() || l.at(of).host != u.host {
		return false
	}
	kept, _, err := l.view(of)
	return err == nil && kept != nil && dedup.NamesAnother(u.url, view.Title, kept.URL, kept.Title)
}

// early returns, once, the pages of a host that were kept before it had a template.
func (l *library) early(host string) []dedup.DocID {
	l.mu.Lock()
	defer l.mu.Unlock()
	s := l.sites[host]
	docs := s.early
	s.early = nil
	return docs
}

// view returns the view of a kept page, nil if it has none, and the digest of its bytes.
func (l *library) view(doc dedup.DocID) (*purify.DocView, dedup.Digest, error) {
	k := l.at(doc)
	if k.view == nil {
		return nil, k.sig.Bytes, nil
	}
	view, err := page.UnpackView(k.view)
	return view, k.sig.Bytes, err
}

// resign changes the signature of a kept page.
func (l *library) resign(doc dedup.DocID, sig dedup.Signature) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.kept[doc-1].sig = sig
}

// Signature implements dedup.Signatures.
func (l *library) Signature(doc dedup.DocID) (dedup.Signature, error) { return l.at(doc).sig, nil }

// Text implements dedup.Texts. Two pages are compared with the current templates, whatever was
// known when each of them was read.
func (l *library) Text(doc dedup.DocID) (dedup.Text, bool, error) {
	view, _, err := l.view(doc)
	if view == nil || err != nil {
		return dedup.Text{}, false, err
	}
	return dedup.TextOf(view, l.template(l.at(doc).host)), true, nil
}
