package moves

import (
	"errors"
	"fmt"
	"html"
	"net/http"
	"path"
	"strconv"
	"strings"
	"sync/atomic"

	"gatecrawl.example/gatecrawl/testserver/corpus"
)

// Options are the settings of a Site.
type Options struct {
	// Seed determines every byte. Any value is valid.
	Seed uint64
	// Pages is the number of pages of each folder, from 4 to 1,000.
	Pages int
}

// The kinds of moves.
const (
	Stays     = "stays"     // the page does not move
	Renamed   = "renamed"   // its folder is renamed, and the new URL is linked
	Unlinked  = "unlinked"  // its folder is renamed; two of three pages are not linked
	Redirects = "redirects" // its URL redirects to the new one
	Edited    = "edited"    // it has another URL, which is linked, and some other sentences
	Retitled  = "retitled"  // its folder is renamed; it has another title and some other sentences
	Mirrored  = "mirrored"  // gone; a copy is on the other site
	Gone      = "gone"      // gone; a page with the same title and another text is linked
	SoftGone  = "soft-gone" // gone, and its URL answers 200 with the site's error page
	Rewritten = "rewritten" // gone; its folder was renamed, and its new URL has another text
	partials  = " " + Edited + " " + Retitled + " "
	goneAway  = " " + Gone + " " + SoftGone + " " + Rewritten + " "
)

// A Page is one page and its move.
type Page struct {
	Kind     string
	Old, New string // paths; New is "" if the page is gone, and on the mirror for Mirrored
}

// Partial reports whether the page was edited when it moved.
func (p Page) Partial() bool { return strings.Contains(partials, " "+p.Kind+" ") }

// Lost reports whether the page is gone.
func (p Page) Lost() bool { return strings.Contains(goneAway, " "+p.Kind+" ") }

// A Site is a site with a partial mirror. Most of its pages move when Move is called.
type Site struct {
	Pages []Page

	moved       atomic.Bool
	rng         corpus.RNG
	words       []string
	before      map[string]content
	after       map[string]content
	mirror      map[string]content
	redirects   map[string]string // redirects after the move
	softFolders map[string]bool   // folders whose URLs answer 200 with an error page after the move
	links       [2][]string       // on the front page, before and after the move
}

// content is a page's content.
type content struct {
	title string
	text  []string // sentences
}

// New makes a site and its mirror.
func New(o Options) (*Site, error) {
	if o.Pages < 4 || o.Pages > 1_000 {
		return nil, errors.New("moves: pages is " + strconv.Itoa(o.Pages) + ", must be from 4 to 1000")
	}
	m := &Site{
		rng: corpus.RNG(o.Seed), before: make(map[string]content), after: make(map[string]content),
		mirror: make(map[string]content), redirects: make(map[string]string), softFolders: make(map[string]bool),
	}
	names := corpus.RNG(corpus.Mix(o.Seed, 1))
	for range 1_500 {
		m.words = append(m.words, names.Word())
	}
	for _, kind := range []string{Stays, Renamed, Unlinked, Redirects, Edited, Retitled, Mirrored, Gone, SoftGone, Rewritten} {
		m.addFolder(kind, o.Pages)
	}
	return m, nil
}

// addFolder plans the pages of one kind.
func (m *Site) addFolder(kind string, pages int) {
	name, later := m.word(), m.word()
	for i := range pages {
		slug := fmt.Sprintf("%s-%s-%d", m.word(), m.word(), i)
		p := Page{Kind: kind, Old: "/" + name + "/" + slug + ".html"}
		is := content{title: m.sentence(4), text: m.sentences(12 + m.rng.IntN(20))}
		m.before[p.Old] = is
		m.links[0] = append(m.links[0], p.Old)
		renamed := "/" + later + "/" + slug + ".htm"
		linked := true
		switch kind {
		case Stays:
			p.New = p.Old
		case Renamed, Redirects:
			p.New = renamed
		case Unlinked:
			p.New, linked = renamed, i%3 == 0
		case Edited:
			p.New, is = fmt.Sprintf("/%s/%s-%d", later, m.word(), m.rng.IntN(1e6)), m.edit(is)
		case Retitled:
			p.New, is = renamed, m.edit(is)
			is.title = m.sentence(4)
		case Mirrored:
			m.mirror[p.Old], linked = is, false
		case Gone:
			other := content{title: is.title, text: m.sentences(20)}
			at := "/" + later + "/" + m.word() + strconv.Itoa(i)
			m.after[at] = other
			m.links[1] = append(m.links[1], at)
		case SoftGone:
			m.softFolders["/"+name] = true
		case Rewritten:
			at := renamed
			if i < pages/2 { // half of the pages, so that a rule can be learned
				p.Kind, p.New = Renamed, at
			} else {
				m.after[at] = content{title: m.sentence(4), text: m.sentences(20)}
				m.links[1] = append(m.links[1], at)
			}
		}
		if kind == Redirects {
			m.redirects[p.Old] = p.New
		}
		if p.New != "" {
			m.after[p.New] = is
			if linked {
				m.links[1] = append(m.links[1], p.New)
			}
		}
		if kind == Mirrored {
			p.New = p.Old
		}
		m.Pages = append(m.Pages, p)
	}
}

// edit replaces one to three of ten sentences.
func (m *Site) edit(p content) content {
	text := make([]string, len(p.text))
	share := 1 + m.rng.IntN(3)
	for i, s := range p.text {
		if text[i] = s; m.rng.IntN(10) < share {
			text[i] = m.sentence(9)
		}
	}
	return content{p.title, text}
}

// word returns a word; as in prose, few words are frequent.
func (m *Site) word() string {
	return m.words[m.rng.IntN(m.rng.IntN(len(m.words))+1)]
}

func (m *Site) sentence(words int) string {
	s := make([]string, words)
	for i := range s {
		s[i] = m.word()
	}
	return strings.Join(s, " ")
}

func (m *Site) sentences(n int) []string {
	text := make([]string, n)
	for i := range text {
		text[i] = m.sentence(6+m.rng.IntN(8)) + "."
	}
	return text
}

// Move moves the pages.
func (m *Site) Move() { m.moved.Store(true) }

// Site serves the site that moves.
func (m *Site) Site() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		pages, links := m.before, m.links[0]
		if m.moved.Load() {
			pages, links = m.after, m.links[1]
		}
		p, ok := pages[r.URL.Path]
		switch {
		case r.URL.Path == "/":
			m.write(w, content{title: "Contents", text: []string{"All pages of the site."}}, links)
		case ok:
			m.write(w, p, links[:min(8, len(links))])
		case m.moved.Load() && m.redirects[r.URL.Path] != "":
			http.Redirect(w, r, m.redirects[r.URL.Path], http.StatusMovedPermanently)
		case m.moved.Load() && m.softFolders[path.Dir(r.URL.Path)]:
			m.write(w, content{title: "Sorry", text: []string{
				"The page that you asked for cannot be found here any more.", "It may have been taken away or have another name by now.",
				"Please go to the list of contents, or write to the office if you think that this is a mistake of ours."}}, links[:min(8, len(links))])
		default:
			http.NotFound(w, r)
		}
	})
}

// Mirror serves the partial mirror.
func (m *Site) Mirror() http.Handler {
	var links []string
	for _, p := range m.Pages {
		if p.Kind == Mirrored {
			links = append(links, p.Old)
		}
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p, ok := m.mirror[r.URL.Path]
		switch {
		case r.URL.Path == "/":
			m.write(w, content{title: "What we carry", text: []string{"Copies, with thanks."}}, links)
		case ok:
			m.write(w, p, nil)
		default:
			http.NotFound(w, r)
		}
	})
}

func (m *Site) write(w http.ResponseWriter, p content, links []string) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	var b strings.Builder
	fmt.Fprintf(&b, "<!DOCTYPE html><html lang=en><head><title>%s</title></head><body><main><h1>%[1]s</h1>\n", html.EscapeString(p.title))
	for i := 0; i < len(p.text); i += 4 {
		fmt.Fprintf(&b, "<p>%s</p>\n", strings.Join(p.text[i:min(i+4, len(p.text))], " "))
	}
	b.WriteString("</main><nav><ul>")
	for _, to := range links {
		fmt.Fprintf(&b, "<li><a href=%q>%s</a>", to, to)
	}
	b.WriteString("</ul></nav></body></html>\n")
	_, _ = w.Write([]byte(b.String())) // the client may be gone
}
