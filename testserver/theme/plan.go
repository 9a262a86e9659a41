package theme

import (
	"cmp"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"gatecrawl.example/gatecrawl/testserver/corpus"
)

// listSize is the number of entries on a page of a list, excerpts that on a home page.
const (
	listSize = 10
	excerpts = 5
)

// blog plans a blog: posts, some of them twice, and every kind of list.
func (p *builder) blog() {
	used := make(map[string]bool)
	terms := func(n int, folder string) []*term {
		var list []*term
		for len(list) < n {
			name := p.name()
			if used[folder+name] {
				continue
			}
			used[folder+name] = true
			list = append(list, &term{name: name, path: "/" + folder + "/" + (&url.URL{Path: name}).EscapedPath() + "/"})
		}
		return list
	}
	p.tags, p.cats = terms(10+p.n/6, "tags"), terms(5, "categories")
	// Some tags have the name of a category.
	for i := range 2 {
		p.tags[i+3].name, p.tags[i+3].path = p.cats[i].name, "/tags/"+(&url.URL{Path: p.cats[i].name}).EscapedPath()+"/"
	}
	authors := terms(3, "author")
	for _, a := range authors {
		a.name = corpus.Pick(p.corpus.Persons, p.rng.Uint64())
	}
	for i := range p.n {
		length := 8 + p.rng.IntN(40)
		if i%15 == 7 {
			length = 1 + p.rng.IntN(3)
		}
		t := p.write(length)
		day := 15_000 + i*2500/p.n + p.rng.IntN(20)
		q := &post{text: t, title: t.Title, day: day, comments: max(0, p.rng.IntN(9)-3)}
		q.cat = p.cats[min(p.rng.IntN(len(p.cats)), p.rng.IntN(len(p.cats)))]
		for range 1 + p.rng.IntN(3) {
			if tag := p.tags[min(p.rng.IntN(len(p.tags)), p.rng.IntN(len(p.tags)))]; !slices.Contains(q.tags, tag) {
				q.tags = append(q.tags, tag)
			}
		}
		if q.cat == p.cats[0] && !slices.Contains(q.tags, p.tags[3]) {
			q.tags = append(q.tags, p.tags[3]) // a category and a tag with the same name and posts
		}
		a := corpus.Pick(authors, p.rng.Uint64())
		a.posts = append(a.posts, q)
		q.author = a.name
		q.path = fmt.Sprintf("/%s/%s-%d/", time.Unix(int64(day)*86400, 0).UTC().Format("2006/01/02"), corpus.Pick(p.corpus.Slugs, p.rng.Uint64()), i)
		p.posts = append(p.posts, q)
	}
	slices.SortStableFunc(p.posts, func(a, b *post) int { return cmp.Compare(b.day, a.day) })
	p.latest = p.posts[:min(6, len(p.posts))]
	for _, q := range p.posts {
		q.cat.posts = append(q.cat.posts, q)
		for _, t := range q.tags {
			t.posts = append(t.posts, q)
		}
		month := time.Unix(int64(q.day)*86400, 0).UTC().Format("2006/01")
		if n := len(p.months); n == 0 || p.months[n-1].name != month {
			p.months = append(p.months, &term{name: month, path: "/archives/" + month + "/"})
		}
		m := p.months[len(p.months)-1]
		m.posts = append(m.posts, q)
	}
	for i, q := range p.posts {
		p.addPost(q, q.text, q.path, "post")
		switch i % 4 {
		case 1: // the same text at another URL
			p.addPost(q, q.text, "/notes"+q.path, "note")
		case 3: // with a few changes
			if q.text.Length > 12 {
				edited := q.text.Edited(p.newRNG(), false)
				edited.Day = q.text.Day
				p.addPost(q, edited, "/notes"+q.path, "note")
			}
		}
	}
	p.lists(authors)
}

func (p *builder) addPost(q *post, t *corpus.Text, path, class string) {
	p.add(Page{Path: path, Class: class, Title: q.title, own: blocksOf(t), post: q})
}

func dateOf(day int) string { return time.Unix(int64(day)*86400, 0).UTC().Format("2006-01-02") }

// lists plans the lists of posts, and the pages that every generator adds.
func (p *builder) lists(authors []*term) {
	w := p.words
	one := func(class, path, heading string, posts []*post) {
		for n := 0; n == 0 || n*listSize < len(posts); n++ {
			at, title := path, heading
			if n > 0 {
				at = path + "page/" + strconv.Itoa(n+1) + "/"
			}
			var own []block
			if p.theme.headings {
				own = append(own, block{kind: "1", text: heading})
			}
			for _, q := range posts[n*listSize : min((n+1)*listSize, len(posts))] {
				own = append(own, block{kind: "e", text: q.title, href: q.path, date: dateOf(q.day)})
			}
			p.add(Page{Path: at, Class: class, Title: title, own: own})
		}
	}
	for _, t := range p.tags {
		if len(t.posts) > 0 {
			one("tag", t.path, fmt.Sprintf(w.tag, t.name), t.posts)
		}
	}
	for _, t := range p.cats {
		if len(t.posts) > 0 {
			heading := fmt.Sprintf(w.category, t.name)
			if p.theme.sameHeadings {
				heading = fmt.Sprintf(w.tag, t.name)
			}
			one("category", t.path, heading, t.posts)
		}
	}
	for _, t := range authors {
		one("author", t.path, fmt.Sprintf(w.author, t.name), t.posts)
	}
	one("archive", "/archives/", w.archives, p.posts)
	years := make(map[string][]*post)
	for _, m := range p.months {
		one("archive", m.path, fmt.Sprintf(w.archive, m.name), m.posts)
		years[m.name[:4]] = append(years[m.name[:4]], m.posts...)
	}
	var sorted []string
	for y := range years {
		sorted = append(sorted, y)
	}
	slices.Sort(sorted)
	for _, y := range sorted {
		one("archive", "/archives/"+y+"/", fmt.Sprintf(w.archive, y), years[y])
	}
	for n := 0; n*excerpts < len(p.posts); n++ {
		path := "/"
		if n > 0 {
			path = "/page/" + strconv.Itoa(n+1) + "/"
		}
		var own []block
		for _, q := range p.posts[n*excerpts : min((n+1)*excerpts, len(p.posts))] {
			own = append(own, block{kind: "e", text: q.title, href: q.path, date: dateOf(q.day), rest: string(q.text.AppendAbstract(nil))})
		}
		p.add(Page{Path: path, Class: "home", Title: w.home, own: own})
		if n == 0 {
			p.add(Page{Path: "/page/1/", Class: "home", Title: w.home, own: own})
		}
	}
	for _, list := range []struct {
		path, heading string
		terms         []*term
	}{{"/tags/", w.tags, p.tags}, {"/categories/", w.categories, p.cats}} {
		own := []block{{kind: "1", text: list.heading}}
		for _, t := range list.terms {
			if len(t.posts) > 0 {
				own = append(own, block{kind: "li", text: t.name, href: t.path})
			}
		}
		p.add(Page{Path: list.path, Class: "terms", Title: list.heading, own: own})
	}
	p.add(Page{Path: "/about/", Class: "about", Title: w.about, own: []block{{kind: "1", text: w.about}, {kind: "p", text: p.sentences(5)}}})
	p.extra()
}

// extra adds the search page and the error page, which have hardly any text. Each has a
// sentence of its own, so that the pages of two sites differ.
func (p *builder) extra() {
	w := p.words
	p.add(Page{Path: "/search/", Class: "search", Title: w.search, own: []block{{kind: "1", text: w.search}, {kind: "p", text: w.searchHint}, {kind: "p", text: p.sentences(1)}}})
	p.add(Page{Path: "/404.html", Class: "missing", Title: w.missing, own: []block{{kind: "1", text: w.missing}, {kind: "p", text: w.missingMore}, {kind: "p", text: p.sentences(1)}}})
}

// versions are the versions of manuals.
var versions = []string{"1.4", "1.5", "2.0"}

// nextVersion returns a part of a manual in its next version: most parts are unchanged, some are
// edited, some are rewritten.
func (p *builder) nextVersion(t *corpus.Text) *corpus.Text {
	switch n := p.rng.IntN(100); {
	case n < 75:
		return t
	case n < 90 && t.Length > 12:
		edited := t.Edited(p.newRNG(), n < 80)
		edited.Day = t.Day
		return edited
	}
	fresh := p.write(t.Length)
	fresh.Title = t.Title
	return fresh
}

// handbook plans a manual of chapters in versions.
func (p *builder) handbook() {
	w := p.words
	var chapters []*corpus.Text
	for range p.n {
		chapters = append(chapters, p.write(3+p.rng.IntN(50)))
	}
	slug := func(i int) string { return fmt.Sprintf("%s-%d.html", p.corpus.Slugs[chapters[i].Topic], i) }
	for i := range chapters {
		p.toc = append(p.toc, block{kind: "li", text: chapters[i].Title, href: slug(i)})
	}
	releases := p.write(14)
	for v, version := range versions {
		root := "/" + version + "/"
		home := []block{{kind: "1", text: p.title}}
		for i, t := range chapters {
			if v > 0 {
				chapters[i] = p.nextVersion(t)
			}
			p.add(Page{Path: root + slug(i), Class: "chapter", Title: t.Title, own: blocksOf(chapters[i]), version: version})
			home = append(home, block{kind: "li", text: t.Title, href: root + slug(i)})
		}
		p.add(Page{Path: root, Class: "index", Title: p.title, own: home, version: version})
		// The notes of a release differ little from those of the release before.
		for k := range 4 {
			t := releases.Edited(p.newRNG(), false)
			name := fmt.Sprintf("%s.%d", version, k)
			t.Title = fmt.Sprintf(w.release, name)
			p.add(Page{Path: root + "releases/" + name + ".html", Class: "release", Title: t.Title, own: blocksOf(t), version: version, Subject: "release " + name})
		}
		var index []block
		index = append(index, block{kind: "1", text: w.index})
		for i, t := range chapters {
			for _, b := range blocksOf(t) {
				if b.kind == "2" {
					index = append(index, block{kind: "li", text: b.text, href: root + slug(i)})
				}
			}
		}
		p.add(Page{Path: root + "genindex.html", Class: "index", Title: w.index, own: index, version: version})
		p.add(Page{Path: root + "search.html", Class: "search", Title: w.search, version: version,
			own: []block{{kind: "1", text: w.search}, {kind: "p", text: w.searchHint}}})
	}
	p.front()
}

// front adds the root of a manual.
func (p *builder) front() {
	home := []block{{kind: "1", text: p.title}, {kind: "p", text: p.sentences(3)}}
	for _, v := range versions {
		home = append(home, block{kind: "li", text: p.title + " " + v, href: "/" + v + "/"})
	}
	p.add(Page{Path: "/", Class: "home", Title: p.title, own: home})
	p.extra()
}

// A method is a method of a class in an API manual. Its text is the same for every class of the
// family, except for the class's name.
type method struct {
	name, does string
}

// apiManual plans a manual of classes in versions. Most methods are the same in all classes of a
// family; each sentence names the class.
func (p *builder) apiManual() {
	kinds := []string{"Reader", "Writer", "Parser", "Filter", "Buffer", "Handler"}
	verbs := []string{"open", "close", "reset", "flush", "copy", "mark", "skip", "peek", "next", "size", "lock", "merge", "attach", "detach"}
	does := func(verb string) string {
		return fmt.Sprintf("%s what is current, and tells the owner of this {n} what %s. Whoever does so twice without a reset gets an exception.", corpus.Capital(verb)+"s", strings.ToLower(p.englishPhrase()))
	}
	type class struct {
		name, pkg string
		text      string
		methods   []method
	}
	var classes []*class
	family := make(map[string][]method)
	about := make(map[string]string)
	for i := range p.n {
		kind := kinds[i%len(kinds)]
		if family[kind] == nil {
			for _, verb := range verbs {
				family[kind] = append(family[kind], method{verb + corpus.Capital(corpus.Pick(p.corpus.Slugs, p.rng.Uint64())), does(verb)})
			}
			about[kind] = "A {N} " + strings.ToLower(p.englishPhrase()) + ". It is made by a factory, and belongs to one thread. " + corpus.Capital(p.englishPhrase()) + " when it is shared."
		}
		noun := camel(corpus.Pick(corpus.EnglishNouns(p.rng.IntN(corpus.EnglishTopics())), p.rng.Uint64()))
		name := noun + strconv.Itoa(i) + kind
		c := &class{name: name, pkg: "org." + strings.ToLower(p.corpus.Slugs[i%4]), text: about[kind]}
		for _, m := range family[kind] {
			if p.rng.IntN(10) > 0 {
				c.methods = append(c.methods, m)
			}
		}
		classes = append(classes, c)
	}
	p.toc = append(p.toc, block{kind: "li", text: "All Classes", href: "allclasses.html"})
	for v, version := range versions {
		root := "/" + version + "/"
		var all []block
		packages := make(map[string][]block)
		for i, c := range classes {
			if v > 0 && p.rng.IntN(5) == 0 { // one more method
				verb := corpus.Pick(verbs, p.rng.Uint64())
				next := *c
				next.methods = append(slices.Clone(c.methods), method{verb + corpus.Capital(corpus.Pick(p.corpus.Slugs, p.rng.Uint64())) + version[2:], does(verb)})
				classes[i], c = &next, &next
			}
			say := strings.NewReplacer("{N}", c.name, "{n}", strings.ToLower(c.name))
			path := root + strings.ReplaceAll(c.pkg, ".", "/") + "/"
			own := []block{{kind: "p", text: c.pkg}, {kind: "1", text: "Class " + c.name}, {kind: "p", text: say.Replace(c.text)}, {kind: "2", text: p.words.summary}}
			for _, m := range c.methods {
				own = append(own, block{kind: "li", text: fmt.Sprintf("void %s(Object %s)", m.name, strings.ToLower(c.name[:1]))}, block{kind: "p", text: say.Replace(m.does)})
			}
			p.add(Page{Path: path + c.name + ".html", Class: "api", Title: c.name, own: own, version: version, Subject: "class " + c.name})
			use := []block{{kind: "2", text: fmt.Sprintf(p.words.uses, c.name)}}
			if i%3 == 0 {
				use = append(use, block{kind: "p", text: "No usage of " + c.pkg + "." + c.name})
			} else {
				other := classes[(i*7+1)%len(classes)]
				use = append(use, block{kind: "li", text: fmt.Sprintf("%s.%s(%s) in %s", other.name, other.methods[0].name, c.name, other.pkg)})
			}
			p.add(Page{Path: path + "class-use/" + c.name + ".html", Class: "use", Title: fmt.Sprintf(p.words.uses, c.name), own: use, version: version, Subject: "use of " + c.name})
			entry := block{kind: "li", text: c.name, href: path + c.name + ".html"}
			all = append(all, entry)
			packages[c.pkg] = append(packages[c.pkg], entry)
		}
		p.add(Page{Path: root + "allclasses.html", Class: "index", Title: "All Classes", own: append([]block{{kind: "1", text: "All Classes"}}, all...), version: version})
		for i := range 4 {
			pkg := "org." + strings.ToLower(p.corpus.Slugs[i])
			p.add(Page{Path: root + strings.ReplaceAll(pkg, ".", "/") + "/package-summary.html", Class: "package", Title: pkg, version: version,
				own: append([]block{{kind: "1", text: "Package " + pkg}}, packages[pkg]...)})
		}
		p.add(Page{Path: root, Class: "index", Title: "Overview", version: version,
			own: append([]block{{kind: "1", text: p.title + " API"}, {kind: "p", text: p.about}}, all[:min(4, len(all))]...)})
	}
	p.front()
}

// englishPhrase is a sentence without its full stop.
func (p *builder) englishPhrase() string { return strings.TrimRight(p.sentences(1), ".?!”") }

// camel makes a name from a word: Tide-gate becomes TideGate.
func camel(word string) string {
	var b strings.Builder
	for part := range strings.SplitSeq(word, "-") {
		b.WriteString(corpus.Capital(part))
	}
	return b.String()
}

// newRNG starts another sequence of random numbers.
func (p *builder) newRNG() *corpus.RNG {
	d := corpus.RNG(p.rng.Uint64())
	return &d
}
