package testserver

import (
	"errors"
	"fmt"
	"html"
	"net/http"
	"path"
	"strconv"
	"strings"
	"sync/atomic"
)

// MovesOptions says what site is to move.
type MovesOptions struct {
	// Seed decides every byte. Any value will do.
	Seed uint64
	// Pages is the number of pages of each folder, from 4 to 1,000.
	Pages int
}

// The ways in which a page of a Moves goes.
const (
	Stays     = "stays"     // it is where it was
	Renamed   = "renamed"   // its folder has another name, and the new place is linked
	Unlinked  = "unlinked"  // the folder has another name; of three pages two are not linked
	Redirects = "redirects" // its address redirects to the new place
	Edited    = "edited"    // another address and some other sentences, linked
	Retitled  = "retitled"  // the folder has another name, the page another title and some other sentences
	Mirrored  = "mirrored"  // gone; a copy is on the other site
	Gone      = "gone"      // gone; a page of the same title and another text is linked
	SoftGone  = "soft-gone" // gone, and its address answers 200 with the site's words for that
	Rewritten = "rewritten" // gone; its folder was renamed, and at the new place is another text
	partials  = " " + Edited + " " + Retitled + " "
	goneAway  = " " + Gone + " " + SoftGone + " " + Rewritten + " "
)

// A MovedPage is one page and what became of it.
type MovedPage struct {
	Kind     string
	Old, New string // paths; New is "" where it lives nowhere, and is on the other site for Mirrored
}

// Partial reports whether the page was edited when it moved.
func (p MovedPage) Partial() bool { return strings.Contains(partials, " "+p.Kind+" ") }

// Lost reports whether the page lives nowhere.
func (p MovedPage) Lost() bool { return strings.Contains(goneAway, " "+p.Kind+" ") }

// A Moves is a site with a partial mirror, of which most pages move when Move is
// called. It is what the search for living copies is tried on.
type Moves struct {
	Pages []MovedPage

	moved  atomic.Bool
	dice   dice
	words  []string
	before map[string]movePage
	after  map[string]movePage
	mirror map[string]movePage
	aside  map[string]string // redirects after the move
	soft   map[string]bool   // folders that answer 200 with the words for "gone" after the move
	links  [2][]string       // on the front page, before and after
}

// A movePage is what stands at an address.
type movePage struct {
	title string
	text  []string // sentences
}

// NewMoves makes a site and its mirror.
func NewMoves(o MovesOptions) (*Moves, error) {
	if o.Pages < 4 || o.Pages > 1_000 {
		return nil, errors.New("moves: pages is " + strconv.Itoa(o.Pages) + ", must be from 4 to 1000")
	}
	m := &Moves{
		dice: dice(o.Seed), before: make(map[string]movePage), after: make(map[string]movePage),
		mirror: make(map[string]movePage), aside: make(map[string]string), soft: make(map[string]bool),
	}
	g := breeder{dice: dice(mix(o.Seed, 1))}
	for range 1_500 {
		m.words = append(m.words, g.invent())
	}
	for _, kind := range []string{Stays, Renamed, Unlinked, Redirects, Edited, Retitled, Mirrored, Gone, SoftGone, Rewritten} {
		m.folder(kind, o.Pages)
	}
	return m, nil
}

// folder plans the pages of one kind.
func (m *Moves) folder(kind string, pages int) {
	name, later := m.word(), m.word()
	for i := range pages {
		slug := fmt.Sprintf("%s-%s-%d", m.word(), m.word(), i)
		p := MovedPage{Kind: kind, Old: "/" + name + "/" + slug + ".html"}
		is := movePage{title: m.sentence(4), text: m.sentences(12 + m.dice.below(20))}
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
			p.New, is = fmt.Sprintf("/%s/%s-%d", later, m.word(), m.dice.below(1e6)), m.edit(is)
		case Retitled:
			p.New, is = renamed, m.edit(is)
			is.title = m.sentence(4)
		case Mirrored:
			m.mirror[p.Old], linked = is, false
		case Gone:
			other := movePage{title: is.title, text: m.sentences(20)}
			at := "/" + later + "/" + m.word() + strconv.Itoa(i)
			m.after[at] = other
			m.links[1] = append(m.links[1], at)
		case SoftGone:
			m.soft["/"+name] = true
		case Rewritten:
			at := renamed
			if i < pages/2 { // so that a rule can be learned
				p.Kind, p.New = Renamed, at
			} else {
				m.after[at] = movePage{title: m.sentence(4), text: m.sentences(20)}
				m.links[1] = append(m.links[1], at)
			}
		}
		if kind == Redirects {
			m.aside[p.Old] = p.New
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

// edit replaces one to three sentences of ten.
func (m *Moves) edit(p movePage) movePage {
	text := make([]string, len(p.text))
	share := 1 + m.dice.below(3)
	for i, s := range p.text {
		if text[i] = s; m.dice.below(10) < share {
			text[i] = m.sentence(9)
		}
	}
	return movePage{p.title, text}
}

// word draws words as prose does: few are frequent.
func (m *Moves) word() string {
	return m.words[m.dice.below(m.dice.below(len(m.words))+1)]
}

func (m *Moves) sentence(words int) string {
	s := make([]string, words)
	for i := range s {
		s[i] = m.word()
	}
	return strings.Join(s, " ")
}

func (m *Moves) sentences(n int) []string {
	text := make([]string, n)
	for i := range text {
		text[i] = m.sentence(6+m.dice.below(8)) + "."
	}
	return text
}

// Move moves the pages.
func (m *Moves) Move() { m.moved.Store(true) }

// Site serves the site that moves.
func (m *Moves) Site() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		pages, links := m.before, m.links[0]
		if m.moved.Load() {
			pages, links = m.after, m.links[1]
		}
		p, ok := pages[r.URL.Path]
		switch {
		case r.URL.Path == "/":
			m.write(w, movePage{title: "Contents", text: []string{"All pages of the site."}}, links)
		case ok:
			m.write(w, p, links[:min(8, len(links))])
		case m.moved.Load() && m.aside[r.URL.Path] != "":
			http.Redirect(w, r, m.aside[r.URL.Path], http.StatusMovedPermanently)
		case m.moved.Load() && m.soft[path.Dir(r.URL.Path)]:
			m.write(w, movePage{title: "Sorry", text: []string{
				"The page that you asked for cannot be found here any more.", "It may have been taken away or have another name by now.",
				"Please go to the list of contents, or write to the office if you think that this is a mistake of ours."}}, links[:min(8, len(links))])
		default:
			http.NotFound(w, r)
		}
	})
}

// Mirror serves the partial mirror.
func (m *Moves) Mirror() http.Handler {
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
			m.write(w, movePage{title: "What we carry", text: []string{"Copies, with thanks."}}, links)
		case ok:
			m.write(w, p, nil)
		default:
			http.NotFound(w, r)
		}
	})
}

func (m *Moves) write(w http.ResponseWriter, p movePage, links []string) {
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
	_, _ = w.Write([]byte(b.String())) // the client may be gone, which is its business
}
