package purify

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/cespare/xxhash/v2"
	"golang.org/x/net/idna"

	"gatecrawl.example/gatecrawl/purify/css"
	"gatecrawl.example/gatecrawl/purify/metadata"
)

// Selectors are a user's choice of the text that belongs to the body, of the text that does not,
// and of fields to read from a page. They are immutable; nil chooses nothing. They apply to HTML
// only.
type Selectors struct {
	fields     []css.Field
	keep, drop []bound
}

// A bound is a selector for the pages of a host and its subdomains.
type bound struct {
	host     string // lower case, with its port if one was given; "": any host
	selector *css.Selector
}

// maxSelectors is how many selectors of text there may be, since each is a walk over each page.
const maxSelectors = 256

// ParseSelectors compiles selectors. Each element of extract is a field, NAME=SELECTOR or
// NAME=SELECTOR@ATTR, see css.ParseField. Each element of keep and drop is a SELECTOR, or
// HOST=SELECTOR for the pages of a host and its subdomains. The error names every fault; without
// any selector the result is nil.
func ParseSelectors(extract, keep, drop []string) (*Selectors, error) {
	var faults []error
	s := new(Selectors)
	named := make(map[string]bool)
	for _, text := range extract {
		f, err := css.ParseField(text)
		if err == nil && named[f.Name] {
			err = fmt.Errorf("field %s: it is there twice: want one selector for each name; a list of selectors has commas between them", f.Name)
		}
		if err != nil {
			faults = append(faults, err)
			continue
		}
		named[f.Name] = true
		s.fields = append(s.fields, f)
	}
	if n := len(s.fields); n > css.MaxFields {
		faults = append(faults, fmt.Errorf("there are %d fields: want at most %d", n, css.MaxFields))
	}
	s.keep = bind(keep, &faults)
	s.drop = bind(drop, &faults)
	if len(faults) > 0 {
		return nil, errors.Join(faults...)
	}
	if len(s.fields)+len(s.keep)+len(s.drop) == 0 {
		return nil, nil
	}
	return s, nil
}

// Version identifies the selectors that choose body text, in any order; "" if there are none.
// Bodies of two versions can't be compared.
func (s *Selectors) Version() string {
	if s == nil || len(s.keep)+len(s.drop) == 0 {
		return ""
	}
	var lines []string
	for i, list := range [][]bound{s.keep, s.drop} {
		for _, b := range list {
			lines = append(lines, fmt.Sprintf("%d %s=%s\n", i, b.host, b.selector))
		}
	}
	slices.Sort(lines)
	return fmt.Sprintf("%016x", xxhash.Sum64String(strings.Join(slices.Compact(lines), "")))
}

func bind(texts []string, faults *[]error) []bound {
	var list []bound
	for _, text := range texts {
		b := bound{}
		host, rest, ok := css.CutOutside(text, '=')
		if !ok {
			rest = text
		}
		var err error
		if ok {
			if b.host, err = hostName(host); err != nil {
				*faults = append(*faults, fmt.Errorf("%q: %w", text, err))
				continue
			}
		}
		if b.selector, err = css.Parse(rest); err != nil {
			*faults = append(*faults, err)
			continue
		}
		list = append(list, b)
	}
	if len(list) > maxSelectors {
		*faults = append(*faults, fmt.Errorf("there are %d selectors: want at most %d", len(list), maxSelectors))
	}
	return list
}

// hostName brings a host into the form that URLs have.
func hostName(text string) (string, error) {
	text = strings.TrimSpace(text)
	name, port, hasPort := strings.Cut(text, ":")
	ascii, err := strings.ToLower(name), error(nil)
	if strings.Trim(ascii, "abcdefghijklmnopqrstuvwxyz0123456789-_.") != "" {
		ascii, err = idna.Lookup.ToASCII(ascii)
	}
	if err != nil || ascii == "" || strings.Trim(port, "0123456789") != "" || hasPort && port == "" {
		return "", fmt.Errorf("%q is not a host: want SELECTOR, or HOST=SELECTOR such as example.org=.sidebar", text)
	}
	if hasPort {
		ascii += ":" + port
	}
	return ascii, nil
}

// covers reports whether a selector applies to the pages of a host, given as host:port or host.
func (b *bound) covers(host string) bool {
	if b.host == "" {
		return true
	}
	if name, _, ok := strings.Cut(host, ":"); ok && !strings.Contains(b.host, ":") {
		host = name
	}
	above, ok := strings.CutSuffix(host, b.host)
	return ok && (above == "" || strings.HasSuffix(above, "."))
}

// bodyFor returns the selectors of body text that apply to a URL.
func (s *Selectors) bodyFor(url string) (keep, drop []*css.Selector) {
	if s == nil || len(s.keep)+len(s.drop) == 0 {
		return nil, nil
	}
	host := metadata.Host(url)
	for i := range s.keep {
		if s.keep[i].covers(host) {
			keep = append(keep, s.keep[i].selector)
		}
	}
	for i := range s.drop {
		if s.drop[i].covers(host) {
			drop = append(drop, s.drop[i].selector)
		}
	}
	return keep, drop
}

// readWith reads a page, and the fields that the selectors extract from it.
func (w *workspace) readWith(s *Selectors, url string, page []byte, xml bool) (Fields, []string) {
	keep, drop := s.bodyFor(url)
	switch {
	case len(keep)+len(drop) > 0:
		first := newWorkspace()
		defer first.done()
		return s.extract(w.Outline.ReadSelected(&first.Outline, page, xml, keep, drop))
	case s == nil || len(s.fields) == 0:
		w.Outline.Read(page, xml)
		return nil, nil
	}
	return s.extract(w.Outline.ReadTree(page, xml))
}

// extract reads the fields of a page. cut has the names of fields of which the page has more than
// is kept.
func (s *Selectors) extract(t *css.Tree) (fields Fields, cut []string) {
	if len(s.fields) == 0 {
		return nil, nil
	}
	doc := t.Document()
	left := css.Budget(css.MaxPage)
	for i := range s.fields {
		f := &s.fields[i]
		v, ok := f.Extract(doc, &left)
		if v.Cut || t.Cut() && (f.List || !ok) {
			cut = append(cut, f.Name)
		}
		if len(v.Texts) > 0 {
			fields = append(fields, Field{Name: f.Name, List: f.List, Values: v.Texts, url: v.URL})
		}
	}
	return fields, cut
}

// choosePinned replaces a choice of blocks by those that selectors keep, if there are any.
func (w *workspace) choosePinned(kept []bool) {
	for i := range w.Blocks {
		w.pinned = w.pinned || w.Blocks[i].Kept()
	}
	if !w.pinned {
		return
	}
	for i := range kept {
		kept[i] = w.Blocks[i].Kept()
	}
}

// keepSections completes a choice of blocks, unless selectors have made it.
func (w *workspace) keepSections(kept []bool, m *metadata.Declared, kind string) {
	if !w.pinned {
		w.body.KeepSections(kept, m, kind)
	}
}

// trim removes from a body what it already has and the like, unless selectors have chosen it.
func (w *workspace) trim(kept []bool) {
	if !w.pinned {
		w.body.Trim(kept)
	}
}
