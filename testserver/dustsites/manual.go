package dustsites

import (
	"errors"
	"fmt"
	"net/http"
	"strings"

	"gatecrawl.example/gatecrawl/testserver/corpus"
)

// ManualOptions are the settings of a Manual.
type ManualOptions struct {
	Seed     uint64 // determines every byte
	Sections int    // 2 to 50
	Pages    int    // of each section, 5 to 1,000
}

// manualLanguages are the folders of a manual's languages.
var manualLanguages = []string{"en", "de", "fr", "es", "ja", "ko", "pt-br", "tr", "zh-cn", "da"}

// A Manual is a manual in ten languages, each in a folder of its own, as server projects
// publish theirs: untranslated pages are in every folder in English. All, none or some of
// a section's pages are translated into a language. It is an http.Handler.
type Manual struct {
	o      ManualOptions
	corpus *corpus.Corpus
}

// NewManual plans a manual.
func NewManual(o ManualOptions) (*Manual, error) {
	var faults []error
	if o.Sections < 2 || o.Sections > 50 {
		faults = append(faults, fmt.Errorf("sections is %d, must be from 2 to 50", o.Sections))
	}
	if o.Pages < 5 || o.Pages > 1000 {
		faults = append(faults, fmt.Errorf("pages is %d, must be from 5 to 1000", o.Pages))
	}
	if err := errors.Join(faults...); err != nil {
		return nil, fmt.Errorf("manual: %w", err)
	}
	return &Manual{o: o, corpus: corpus.English(o.Seed)}, nil
}

func (m *Manual) section(n int) string {
	return fmt.Sprintf("%s-%d", m.corpus.Slugs[n%len(m.corpus.Slugs)], n)
}

// A leaf is one page of a manual in one language.
type leaf struct{ lang, section, page int } // page -1: the section's list of pages; section -1: the language's front page

// at finds the page at a path.
func (m *Manual) at(path string) (l leaf, ok bool) {
	parts := strings.Split(strings.TrimPrefix(path, "/"), "/")
	l = leaf{-1, -1, -1}
	for i, lang := range manualLanguages {
		if parts[0] == lang {
			l.lang = i
		}
	}
	switch {
	case l.lang < 0:
		return l, false
	case len(parts) == 2 && parts[1] == "":
		return l, true
	case len(parts) != 3:
		return l, false
	}
	for i := range m.o.Sections {
		if parts[1] == m.section(i) {
			l.section = i
		}
	}
	if l.section < 0 || parts[2] == "" {
		return l, l.section >= 0
	}
	l.page = numberIn(parts[2])
	return l, l.page >= 0 && l.page < m.o.Pages && parts[2] == fmt.Sprintf("page-%d.html", l.page)
}

func (m *Manual) url(l leaf) string {
	a := "/" + manualLanguages[l.lang] + "/"
	if l.section >= 0 {
		a += m.section(l.section) + "/"
	}
	if l.page >= 0 {
		a += fmt.Sprintf("page-%d.html", l.page)
	}
	return a
}

// isTranslated reports whether a page was translated into its language.
func (m *Manual) isTranslated(l leaf) bool {
	if l.lang == 0 {
		return false
	}
	switch section := corpus.Mix(m.o.Seed^0x5ec, uint64(l.lang*64+l.section)) % 100; {
	case section < 35:
		return true
	case section < 85:
		return false
	}
	return corpus.Mix(m.o.Seed^0x9a6e, uint64(l.lang)<<32|uint64(l.section)<<16|uint64(l.page))%2 == 0
}

// Document returns the number of the document at a path: the same number for the same text.
// Lists and front pages have different numbers in each language.
func (m *Manual) Document(path string) (n int, ok bool) {
	if path == "/" {
		return -1, true
	}
	l, ok := m.at(path)
	if !ok {
		return 0, false
	}
	if l.page < 0 {
		return -2 - l.lang*(m.o.Sections+1) - l.section - 1, true
	}
	n = l.section*m.o.Pages + l.page
	if m.isTranslated(l) {
		n += l.lang * m.o.Sections * m.o.Pages
	}
	return n, true
}

// ServeHTTP serves the manual.
func (m *Manual) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	n, ok := m.Document(r.URL.RequestURI())
	if !ok {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	var b []byte
	if r.URL.Path == "/" {
		b = fmt.Appendf(b, "<!DOCTYPE html>\n<html><head><title>Manual</title></head><body><ul>")
		for _, lang := range manualLanguages {
			b = fmt.Appendf(b, "<li><a href=\"/%s/\">%s</a></li>\n", lang, lang)
		}
		_, _ = w.Write(append(b, "</ul></body></html>\n"...)) // the client may be gone
		return
	}
	l, _ := m.at(r.URL.Path)
	title := "Manual " + manualLanguages[l.lang]
	if l.section >= 0 {
		title = fmt.Sprintf("%s in %s", m.section(l.section), manualLanguages[l.lang])
	}
	var body []byte
	if l.page >= 0 {
		h := corpus.Mix(m.o.Seed, uint64(n))
		title = fmt.Sprintf("Topic %d", n)
		t := corpus.Text{Corpus: m.corpus, Topic: int(h % uint64(len(m.corpus.Topics))), Seed: h, Frame: h ^ 1, Length: 24, Day: 19_000 + n%900, Title: title}
		body = t.Append(nil, &corpus.Markup{
			Title: [2]string{"<h1>", "</h1>\n"}, Lead: [2]string{"<p>", "</p>\n"}, Heading: [2]string{"<h2>", "</h2>\n"},
			Para: [2]string{"<p>", "</p>\n"}, Quote: [2]string{"<p>", "</p>\n"}, List: [2]string{"<ul>", "</ul>\n"}, Item: [2]string{"<li>", "</li>\n"},
		}, nil)
	}
	b = fmt.Appendf(b, "<!DOCTYPE html>\n<html><head><title>%s</title></head>\n<body><div class=top>manual, %s</div><main><article>\n%s</article></main>\n<nav><ul>\n", title, manualLanguages[l.lang], body)
	for _, to := range m.links(l) {
		b = fmt.Appendf(b, "<li><a href=%q>%s</a></li>\n", to, to)
	}
	_, _ = w.Write(append(b, "</ul></nav></body></html>\n"...)) // as above
}

// links returns the links of a page: to the next pages of its section, and to the same page
// in the other languages.
func (m *Manual) links(l leaf) (to []string) {
	switch {
	case l.section < 0:
		for i := range m.o.Sections {
			to = append(to, m.url(leaf{l.lang, i, -1}))
		}
	case l.page < 0:
		for i := range m.o.Pages {
			to = append(to, m.url(leaf{l.lang, l.section, i}))
		}
	default:
		for i := range 3 {
			to = append(to, m.url(leaf{l.lang, l.section, (l.page + 1 + i) % m.o.Pages}))
		}
		to = append(to, m.url(leaf{l.lang, l.section, -1}))
		for i := range manualLanguages {
			if i != l.lang {
				to = append(to, m.url(leaf{i, l.section, l.page}))
			}
		}
	}
	return to
}
