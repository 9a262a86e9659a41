package topics

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"

	"gatecrawl.example/gatecrawl/testserver/corpus"
)

// An author writes the pages of a site; d draws the random numbers of its plan.
type author struct {
	w *Web
	s *site
	d corpus.RNG
}

// addSite adds a site.
func (w *Web) addSite(name string, lang int) *author {
	s := &site{name: name, lang: lang, byPath: make(map[string]*page)}
	w.sites = append(w.sites, s)
	return &author{w, s, corpus.RNG(corpus.Mix(w.o.Seed, uint64(len(w.sites))))}
}

func (a *author) corpus() *corpus.Corpus { return a.w.corpora[a.s.lang] }

// page adds a page. title is used if it is about no subject.
func (a *author) page(path, kind string, about, size int, title string) *page {
	seed := a.d.Uint64()
	c := a.corpus()
	if title == "" {
		titles := c.Titles[max(about, 0)]
		if about < 0 || a.d.IntN(2) == 0 { // half of the titles do not name the subject
			titles = c.Titles[a.d.IntN(len(c.Titles))]
		}
		f := c.Facts(seed)
		of := corpus.Pick(titles, seed)
		title = string(of.Append(nil, &f, seed, nil))
	}
	return a.s.add(page{path: path, kind: kind, about: about, lang: a.s.lang, seed: seed, size: size, title: title, corpus: c})
}

// plan makes all sites.
func (w *Web) plan() {
	w.addSite("portal", 0).page("/", "portal", -1, 12, "Sites")
	portal := w.sites[0].pages[0]
	for i := range w.o.Blogs {
		w.addSite("blog-"+strconv.Itoa(i+1), i%2).blog(w.o.Pages, i)
	}
	for i := range w.o.Manuals {
		w.addSite("manual-"+strconv.Itoa(i+1), i%2).manual(w.o.Pages, i)
	}
	if w.o.Articles > 0 {
		w.addSite("encyclopaedia", 0).encyclopaedia(w.o.Articles)
	}
	for _, s := range w.sites[1:] {
		portal.body = append(portal.body, link{s.pages[0], s.name})
	}
	w.copies()
}

// blog adds the pages of a blog. Each of its two subjects has a third of its posts; the rest are
// about any subject. The front page has the latest posts and leads to the older ones; each post
// links to its neighbours, to a post on the same subject, and to the list of all posts on it.
func (a *author) blog(posts, number int) {
	const listed = 10
	subjects := len(a.corpus().Topics)
	main := [2]int{(7*number + int(a.w.o.Seed)) % subjects, (7*number + 3*parts + 1 + int(a.w.o.Seed)) % subjects}
	front := a.page("/", "front", -1, 6, a.s.name)
	a.s.menu = []link{{front, a.s.name}}
	var all []*page
	by := make(map[int][]*page)
	tags := make(map[int]*page)
	for i := range posts {
		about := main[a.d.IntN(2)]
		if a.d.IntN(3) == 0 {
			about = a.d.IntN(subjects)
		}
		p := a.page(fmt.Sprintf("/%d/%d", 2000+i/30, i), "post", about, 10+a.d.IntN(14), "")
		if i > 0 {
			p.body = append(p.body, link{all[i-1], all[i-1].title})
			all[i-1].body = append(all[i-1].body, link{p, p.title})
		}
		if same := by[about]; len(same) > 0 {
			to := same[a.d.IntN(len(same))]
			p.body = append(p.body, link{to, to.title})
		}
		all, by[about] = append(all, p), append(by[about], p)
		tag := tags[about]
		if tag == nil {
			tag = a.page("/tag/"+a.corpus().Slugs[about], "listing", -1, 0, a.corpus().Topics[about])
			tags[about] = tag
		}
		p.body, tag.body = append(p.body, link{tag, tag.title}), append(tag.body, link{p, p.title})
	}
	listing := front
	for i, p := range slices.Backward(all) {
		if from := len(all) - 1 - i; from > 0 && from%listed == 0 {
			older := a.page(fmt.Sprintf("/page/%d", from/listed+1), "listing", -1, 0, fmt.Sprintf("%s: %d", a.s.name, from/listed+1))
			listing.body = append(listing.body, link{older, a.corpus().Labels.Older})
			listing = older
		}
		listing.body = append(listing.body, link{p, p.title})
	}
	if a.w.o.Traps {
		a.traps(main[0])
	}
	if a.w.o.Farm > 0 {
		a.farm(main[0])
	}
}

// farm adds a page that consists of the words of a subject, and links in these words to pages about nothing.
func (a *author) farm(about int) {
	c := a.corpus()
	words := c.Topics[about]
	farm := a.page("/guide", "stuffed", -1, 0, words+". "+words)
	farm.words, farm.lures = words, words
	for i := range a.w.o.Farm {
		p := a.page(fmt.Sprintf("/guide/%s-%d", c.Slugs[about], i), "farmed", -1, 8, "")
		farm.body = append(farm.body, link{p, words + ": " + p.title})
	}
	front := a.s.pages[0]
	front.body = append(front.body, link{farm, farm.title})
}

// traps adds a page that consists of the words of a subject and leads to pages about nothing, and a
// calendar.
func (a *author) traps(about int) {
	const nothings = 12
	words := a.corpus().Topics[about]
	stuffed := a.page("/best", "stuffed", -1, 0, words+", "+words)
	stuffed.words, stuffed.lures = words, words
	for i := range nothings {
		p := a.page("/best/"+strconv.Itoa(i), "nothing", -1, 8, fmt.Sprintf("%s: %d", a.s.name, i+1))
		stuffed.body = append(stuffed.body, link{p, "-> " + strconv.Itoa(i+1)})
	}
	a.s.calendar = &page{site: a.s, path: calendar + "0", title: words, lang: a.s.lang, seed: a.d.Uint64(), corpus: a.corpus()}
	front := a.s.pages[0]
	front.body = append(front.body, link{stuffed, stuffed.title}, link{a.s.calendar, words})
}

// manual adds the pages of a manual. Each chapter is about one subject. There is a list of
// chapters, a list of sections in each, and sections that link to the previous one, the next one,
// their list, and sometimes to another chapter.
func (a *author) manual(sections, number int) {
	const size = 12 // of a chapter
	subjects := len(a.corpus().Topics)
	front := a.page("/", "front", -1, 8, a.s.name)
	a.s.menu = []link{{front, a.s.name}}
	var all []*page
	for chapter := 0; len(all) < sections; chapter++ {
		about := (11*number + 7*chapter + int(a.w.o.Seed)) % subjects
		contents := a.page(fmt.Sprintf("/%d/", chapter+1), "contents", about, 6, a.corpus().Topics[about])
		front.body = append(front.body, link{contents, contents.title})
		for i := range min(size, sections-len(all)) {
			p := a.page(fmt.Sprintf("/%d/%d", chapter+1, i+1), "section", about, 14+a.d.IntN(20), "")
			contents.body = append(contents.body, link{p, p.title})
			p.body = append(p.body, link{contents, contents.title})
			if n := len(all); n > 0 {
				p.body = append(p.body, link{all[n-1], all[n-1].title})
				all[n-1].body = append(all[n-1].body, link{p, p.title})
				if to := all[a.d.IntN(n)]; a.d.IntN(3) == 0 {
					p.body = append(p.body, link{to, to.title})
				}
			}
			all = append(all, p)
		}
	}
}

// encyclopaedia adds articles. They link to others, most to those about their subject, and prefer
// articles that many link to: the nth gets links in proportion to 1/n^.8. The front page leads to
// alphabetical lists, unless the web is to have no frames.
func (a *author) encyclopaedia(articles int) {
	links, frames := a.w.o.Links, !a.w.o.Frameless
	subjects := len(a.corpus().Topics)
	front := a.page("/", "front", -1, 8, a.s.name)
	if frames {
		a.s.menu = []link{{front, a.s.name}}
	}
	var all []*page
	by := make([][]*page, subjects)
	for i := range articles {
		about := a.d.IntN(subjects)
		p := a.page("/wiki/"+strconv.Itoa(i), "article", about, 10+a.d.IntN(20), "")
		all, by[about] = append(all, p), append(by[about], p)
	}
	order := slices.Clone(all) // the popular ones first; their numbers do not show it
	for i := range order {
		j := i + a.d.IntN(len(order)-i)
		order[i], order[j] = order[j], order[i]
	}
	rank := make(map[*page]int, len(order))
	for i, p := range order {
		rank[p] = i
	}
	for _, same := range by {
		slices.SortFunc(same, func(x, y *page) int { return cmp.Compare(rank[x], rank[y]) })
	}
	draw := newZipf(len(all))
	for _, p := range all {
		for range links {
			from := order
			if a.d.IntN(5) < 2 {
				from = by[p.about]
			}
			to := from[draw.at(&a.d, len(from))]
			if to != p && !slices.ContainsFunc(p.body, func(l link) bool { return l.to == to }) {
				p.body = append(p.body, link{to, to.title})
			}
		}
	}
	if frames {
		a.lists(front, all)
	}
	front.body = append(front.body, link{order[0], order[0].title}, link{order[len(order)/2], order[len(order)/2].title})
	w := a.w
	w.popular = order
}

// lists adds alphabetical lists of articles, which the front page links to.
func (a *author) lists(front *page, articles []*page) {
	const listed = 50
	for some := range slices.Chunk(articles, listed) {
		name := strconv.Itoa(len(front.body) + 1)
		list := a.page("/list/"+name, "listing", -1, 0, name)
		front.body = append(front.body, link{list, list.title})
		for _, p := range some {
			list.body = append(list.body, link{p, p.title})
		}
	}
}

// A zipf draws numbers: n has the weight 1/(n+1)^.8. Its elements are cumulative weights.
type zipf []float64 // sums of the weights

func newZipf(n int) (z zipf) {
	sum := 0.
	for i := range n {
		sum += math.Pow(float64(i+1), -.8)
		z = append(z, sum)
	}
	return z
}

// at draws one of the first n.
func (z zipf) at(d *corpus.RNG, n int) int {
	x := float64(d.Uint64()>>11) / (1 << 53) * z[n-1]
	i, _ := slices.BinarySearch(z[:n], x)
	return min(i, n-1)
}

// copies adds hosts with copies of articles, which the encyclopaedia's front page links to.
func (w *Web) copies() {
	const hosts = 8
	if w.o.Copied == 0 {
		return
	}
	d := corpus.RNG(corpus.Mix(w.o.Seed, 0xc09))
	chosen := slices.Clone(w.popular)
	if !w.o.Popular {
		for i := range w.o.Copied {
			j := i + d.IntN(len(chosen)-i)
			chosen[i], chosen[j] = chosen[j], chosen[i]
		}
	}
	front := w.popular[0].site.pages[0]
	for i := range hosts {
		a := w.addSite("library-"+strconv.Itoa(i+1), 0)
		home := a.page("/", "front", -1, 6, a.s.name)
		front.body = append(front.body, link{home, a.s.name})
		for n, p := range chosen[:w.o.Copied] {
			c := a.s.add(page{path: "/" + strconv.Itoa(n), kind: "copy", title: p.title, lang: p.lang, about: p.about, corpus: p.corpus, copyOf: p})
			home.body = append(home.body, link{c, p.title})
		}
	}
}
