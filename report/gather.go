package report

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/cespare/xxhash/v2"

	"gatecrawl.example/gatecrawl"
	"gatecrawl.example/gatecrawl/frontier"
	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/mirror"
	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/purify"
)

// A Source is the job that a report is made from.
type Source interface {
	gatecrawl.HostLister
	Status(ctx context.Context) (gatecrawl.Status, error)
	Pages(ctx context.Context, from uint64, fn func(page.Record) error) error
	Rows(ctx context.Context, want gatecrawl.Wanted, fn func(*gatecrawl.Row) error) error
	Groups(ctx context.Context, q gatecrawl.GroupQuery, fn func(gatecrawl.Group) error) error
	Pairs(ctx context.Context) ([]mirror.Pair, error)
	LinksTo(ctx context.Context, urls []string, fn func(gatecrawl.Edge) error) error
}

// Gather makes the report of a job. It reads all records twice, the bytes of kept pages once, and
// all links once; it needs some hundreds of bytes of memory for each page.
func Gather(ctx context.Context, from Source) (*Report, error) {
	g := &gathering{
		Report: &Report{Made: time.Now().UTC()}, from: from,
		counts: make(map[string]map[string]int64), hosts: make(map[string]*Host), moved: make(map[string]string),
		refused: make(map[string]*Refusal), titles: newTexts(), descriptions: newTexts(),
		wanted: make(map[string]*fact), named: make(map[uint64]bool), titleOf: make(map[string]string), unread: make(map[string]int64),
	}
	for _, step := range []func(context.Context) error{
		g.status, g.rows, g.groups, g.facts, g.chains, g.conflicts, g.links, g.mirrors, g.parked,
	} {
		if err := step(ctx); err != nil {
			return nil, err
		}
	}
	g.finish()
	return g.Report, nil
}

// A gathering is a report that is not finished.
type gathering struct {
	*Report
	from Source

	counts       map[string]map[string]int64
	hosts        map[string]*Host
	moved        map[string]string // redirects
	refused      map[string]*Refusal
	titles       *texts
	descriptions *texts
	canonicals   []claim
	alternates   []claim
	named        map[uint64]bool  // translations: hashes of a page and the URL that it names
	wanted       map[string]*fact // URLs whose outcome has to be looked up
	titleOf      map[string]string
	unread       map[string]int64 // copies without a language, by the URL of what they are copies of
}

// A claim says that a page names another one as its canonical page or its translation.
type claim struct{ url, says, lang string }

// A fact is the outcome of a URL.
type fact struct {
	verdict page.Verdict // "": the URL has no record
	status  int
	of      string // the kept page, for a copy
	reason  string
	to      string // the target, for a redirect
	lang    string
}

// maxClaims is how many canonical links and translations are compared with the crawl: more would
// need too much memory.
const maxClaims = 2_000_000

func (g *gathering) status(ctx context.Context) (err error) {
	g.Status, err = g.from.Status(ctx)
	return err
}

func (g *gathering) count(what, name string) {
	g.countMany(what, name, 1)
}

func (g *gathering) countMany(what, name string, n int64) {
	m := g.counts[what]
	if m == nil {
		m = make(map[string]int64)
		g.counts[what] = m
	}
	m[name] += n
}

func (g *gathering) countLang(lang string, n int64) {
	g.countMany("lang", cmp.Or(lang, "not known"), n)
}

// rows reads all records, and the heads of kept pages.
func (g *gathering) rows(ctx context.Context) error {
	return g.from.Rows(ctx, gatecrawl.Wanted{Bodies: true}, func(r *gatecrawl.Row) error {
		g.record(&r.Page)
		if r.Page.Verdict != page.VerdictNew {
			if r.Page.Canonical != "" {
				g.claims(r.Page.URL, purify.Head{Canonical: r.Page.Canonical})
			}
			return nil
		}
		g.titles.add(r.Page.Title, r.Page.URL)
		if r.Body == nil || !strings.Contains(r.Page.Type, "html") {
			return nil
		}
		kind := r.Page.Type
		if r.Page.Charset != "" {
			kind += "; charset=" + r.Page.Charset
		}
		head := purify.ReadHead(r.Body, kind)
		g.descriptions.add(head.Description, r.Page.URL)
		g.claims(r.Page.URL, head)
		return nil
	})
}

// record counts a record.
func (g *gathering) record(p *page.Record) {
	g.count("verdict", string(p.Verdict))
	g.count("depth", strconv.Itoa(p.Depth))
	switch {
	case p.Status != 0:
		g.count("status", strconv.Itoa(p.Status))
	case p.Verdict == page.VerdictFailed:
		g.count("status", p.Failure)
	default:
		g.count("status", "not requested")
	}
	if p.Document() {
		g.count("type", cmp.Or(p.Type, "not told"))
		if p.Lang == "" && p.Verdict == page.VerdictCopy {
			g.unread[p.Of]++ // a copy of the same bytes is not read
		} else {
			g.countLang(p.Lang, 1)
		}
	}
	if p.Verdict == page.VerdictNew {
		g.count("pagetype", cmp.Or(p.PageType, "no text"))
	}
	g.host(p)
	switch {
	case p.Verdict == page.VerdictFailed || p.Rule == "soft-404":
		g.Broken.add(Broken{URL: p.URL, Status: p.Status, Reason: p.Reason, Links: []gatecrawl.Edge{}})
	case p.Verdict == page.VerdictRefused && p.Location != "":
		g.moved[p.URL] = p.Location
	}
	if p.Verdict == page.VerdictRefused {
		r := g.refused[p.Rule]
		if r == nil {
			r = &Refusal{Rule: p.Rule}
			g.refused[p.Rule] = r
		}
		r.URLs++
		if len(r.Examples) < MaxLinks {
			r.Examples = append(r.Examples, Example{p.URL, p.Reason})
		}
	}
}

func (g *gathering) host(p *page.Record) {
	name := weburl.HostOf(p.URL)
	h := g.hosts[name]
	if h == nil {
		h = &Host{Name: name}
		g.hosts[name] = h
	}
	h.Pages++
	h.Bytes += p.Bytes
	if p.Status != 0 {
		h.Answers++
		h.took += int64(p.TookMS)
		h.MaxMS = max(h.MaxMS, int64(p.TookMS))
	}
	switch p.Verdict {
	case page.VerdictNew:
		h.New++
	case page.VerdictCopy:
		h.Copies++
	case page.VerdictRefused:
		h.Refused++
	case page.VerdictFailed:
		h.Failed++
	}
}

// claims collects the pages that the head of a page names.
func (g *gathering) claims(url string, head purify.Head) {
	base, err := weburl.Parse(url)
	if err != nil {
		return
	}
	if head.Base != "" {
		if to, err := base.Parse(head.Base); err == nil {
			base = to
		}
	}
	if to, err := base.Parse(head.Canonical); head.Canonical != "" && err == nil && to.String() != url && len(g.canonicals) < maxClaims {
		g.canonicals = append(g.canonicals, claim{url: url, says: to.String()})
		g.want(to.String())
		g.want(url)
	}
	for _, a := range head.Alternates {
		to, err := base.Parse(a.URL)
		if err != nil || len(g.alternates) == maxClaims {
			continue
		}
		g.alternates = append(g.alternates, claim{url, to.String(), a.Lang})
		g.named[pairOf(url, to.String())] = true
		g.want(to.String())
		g.want(url)
	}
}

func pairOf(a, b string) uint64 { return xxhash.Sum64String(a + "\n" + b) }

// want asks for the outcome of a URL.
func (g *gathering) want(url string) {
	if g.wanted[url] == nil {
		g.wanted[url] = new(fact)
	}
}

// groups lists the documents that have several URLs.
func (g *gathering) groups(ctx context.Context) error {
	return g.from.Groups(ctx, gatecrawl.GroupQuery{}, func(group gatecrawl.Group) error {
		d := Duplicate{URL: group.URL, Degree: group.Degree, Copies: len(group.Copies), Members: group.Copies[:min(len(group.Copies), MaxMembers)]}
		g.Duplicates.add(d)
		g.titleOf[group.URL] = ""
		return nil
	})
}

// facts looks up the URLs that were asked for: ends of redirects, targets of canonical links and
// translations, titles.
func (g *gathering) facts(ctx context.Context) error {
	for _, to := range g.moved {
		g.want(to)
	}
	err := g.from.Pages(ctx, 1, func(p page.Record) error {
		if p.ReplacedBy != 0 {
			return nil
		}
		if n, ok := g.unread[p.URL]; ok {
			g.countLang(p.Lang, n)
			delete(g.unread, p.URL)
		}
		if _, ok := g.titleOf[p.URL]; ok {
			g.titleOf[p.URL] = p.Title
		}
		if f := g.wanted[p.URL]; f != nil {
			f.verdict, f.status, f.of, f.reason, f.to, f.lang = p.Verdict, p.Status, p.Of, p.Reason, p.Location, p.Lang
		}
		return nil
	})
	for _, n := range g.unread { // another partition has the page
		g.countLang("", n)
	}
	return err
}

// chains lists redirects that lead to another redirect, in a loop, or to no page.
func (g *gathering) chains(context.Context) error {
	led := make(map[string]bool, len(g.moved)) // URLs that a redirect leads to
	for _, to := range g.moved {
		led[to] = true
	}
	inLoop := make(map[string]bool)
	follow := func(start string) Chain {
		c := Chain{URLs: []string{start}, Links: []gatecrawl.Edge{}}
		seen := map[string]bool{start: true}
		for at := start; ; {
			to, ok := g.moved[at]
			if !ok {
				break
			}
			c.URLs = append(c.URLs, to)
			if seen[to] {
				c.Loop = true
				break
			}
			seen[to], at = true, to
		}
		return c
	}
	add := func(c Chain) {
		last := c.URLs[len(c.URLs)-1]
		if f := g.wanted[last]; f != nil {
			c.End, c.Reason = string(f.verdict), f.reason
		}
		if c.Loop || len(c.URLs) > 2 || c.End == string(page.VerdictFailed) {
			g.Redirects.add(c)
		}
	}
	for _, start := range slices.Sorted(maps.Keys(g.moved)) {
		if led[start] {
			continue
		}
		c := follow(start)
		if c.Loop {
			for _, u := range c.URLs {
				inLoop[u] = true
			}
		}
		add(c)
	}
	for _, start := range slices.Sorted(maps.Keys(g.moved)) { // loops that no other redirect leads into
		if !led[start] || inLoop[start] {
			continue
		}
		c := follow(start)
		if !c.Loop || c.URLs[len(c.URLs)-1] != start {
			continue
		}
		for _, u := range c.URLs {
			inLoop[u] = true
		}
		add(c)
	}
	return nil
}

// keptOf returns the kept page that stands for a URL.
func keptOf(url string, f *fact) string {
	if f.verdict == page.VerdictCopy {
		return f.of
	}
	return url
}

// conflicts compares what page heads say with what the crawl found.
func (g *gathering) conflicts(context.Context) error {
	for _, c := range g.canonicals {
		own, to := g.wanted[c.url], g.wanted[c.says]
		row := Conflict{URL: c.url, Says: c.says}
		switch {
		case to.verdict == "":
			continue // it was not fetched
		case to.to != "":
			row.Kind, row.Found = KindRedirect, "it redirects to "+to.to
		case to.verdict == page.VerdictFailed:
			row.Kind, row.Found = KindDead, to.reason
		case to.verdict == page.VerdictRefused:
			continue
		case keptOf(c.url, own) == keptOf(c.says, to):
			continue // the head is right: one document
		case own.verdict == page.VerdictCopy:
			row.Kind, row.Found = KindOther, "the page is a copy of "+own.of
		default:
			row.Kind, row.Found = KindDifferent, "the two are different documents"
		}
		g.Canonicals.add(row)
	}
	for _, c := range g.alternates {
		own, to := g.wanted[c.url], g.wanted[c.says]
		row := Conflict{URL: c.url, Says: c.says, Lang: c.lang}
		self := c.url == c.says
		switch {
		case to.verdict == "" || to.verdict == page.VerdictRefused && to.to == "":
			continue
		case to.to != "":
			row.Kind, row.Found = KindRedirect, "it redirects to "+to.to
		case to.verdict == page.VerdictFailed:
			row.Kind, row.Found = KindDead, to.reason
		case !self && !strings.EqualFold(c.lang, "x-default") && keptOf(c.url, own) == keptOf(c.says, to):
			row.Kind, row.Found = KindSame, "the gate found the same document"
		case !sameLanguage(c.lang, to.lang):
			row.Kind, row.Found = KindLanguage, "its language is "+to.lang
		case !self && to.verdict == page.VerdictNew && !g.named[pairOf(c.says, c.url)]:
			row.Kind, row.Found = KindOneWay, "it does not name this page in return"
		default:
			continue
		}
		g.Translations.add(row)
	}
	return nil
}

// sameLanguage reports whether a page may be called by a language: it is the one that was found,
// apart from the region, or one of the two is not known.
func sameLanguage(called, found string) bool {
	if found == "" || strings.EqualFold(called, "x-default") {
		return true
	}
	a, _, _ := strings.Cut(strings.ToLower(called), "-")
	b, _, _ := strings.Cut(strings.ToLower(found), "-")
	return a == b
}

// links finds the pages that link to broken URLs and to redirects to another redirect.
func (g *gathering) links(ctx context.Context) error {
	type place struct {
		n     *int64
		links *[]gatecrawl.Edge
	}
	places := make(map[string][]place)
	for i := range g.Broken.Rows {
		b := &g.Broken.Rows[i]
		places[b.URL] = append(places[b.URL], place{&b.Inlinks, &b.Links})
	}
	for i := range g.Redirects.Rows {
		c := &g.Redirects.Rows[i]
		places[c.URLs[0]] = append(places[c.URLs[0]], place{&c.Inlinks, &c.Links})
	}
	if len(places) == 0 {
		return nil
	}
	return g.from.LinksTo(ctx, slices.Collect(maps.Keys(places)), func(e gatecrawl.Edge) error {
		for _, p := range places[e.To] {
			*p.n++
			if len(*p.links) < MaxLinks {
				*p.links = append(*p.links, e)
			}
		}
		return nil
	})
}

// mirrors lists the groups of sites that have the same pages.
func (g *gathering) mirrors(ctx context.Context) error {
	pairs, err := g.from.Pairs(ctx)
	if err != nil {
		return err
	}
	g.Mirrors = []Mirror{}
	for _, group := range mirror.Gather(pairs).Groups {
		m := Mirror{Canonical: group.Canonical, Why: group.Why, Documents: group.Documents, Confidence: 1}
		for i := range group.Members {
			p := &group.Members[i]
			m.Members = append(m.Members, MirrorMember{
				Site: p.Other(), Class: string(p.Class), Mapping: p.Mapping(), Share: p.BA.Share, Low: p.BA.Low, Pages: p.PagesB, Avoided: p.Deferred,
			})
			m.Confidence = min(m.Confidence, p.BA.Low)
		}
		g.Mirrors = append(g.Mirrors, m)
	}
	return nil
}

// parked lists the hosts that are parked, and those that do not answer.
func (g *gathering) parked(ctx context.Context) error {
	g.Parked = []gatecrawl.HostState{}
	hosts, err := g.from.Hosts(ctx, gatecrawl.HostQuery{By: frontier.HostsByFailures, Limit: 1000})
	for _, h := range hosts {
		if h.Failures > 0 || h.Parked != nil || h.Held {
			g.Parked = append(g.Parked, h)
		}
	}
	return err
}

// finish sorts and cuts the lists.
func (g *gathering) finish() {
	byNumber := func(a, b Count) int {
		x, errX := strconv.Atoi(a.Name)
		y, errY := strconv.Atoi(b.Name)
		switch {
		case errX != nil && errY != nil:
			return cmp.Or(cmp.Compare(b.N, a.N), cmp.Compare(a.Name, b.Name))
		case errX != nil:
			return 1
		case errY != nil:
			return -1
		}
		return cmp.Compare(x, y)
	}
	byCount := func(a, b Count) int { return cmp.Or(cmp.Compare(b.N, a.N), cmp.Compare(a.Name, b.Name)) }
	for _, c := range []struct {
		what  string
		into  *[]Count
		order func(a, b Count) int
	}{
		{"verdict", &g.Verdicts, byCount}, {"status", &g.Statuses, byNumber}, {"type", &g.Types, byCount},
		{"lang", &g.Languages, byCount}, {"pagetype", &g.PageTypes, byCount}, {"depth", &g.Depths, byNumber},
	} {
		*c.into = []Count{}
		for name, n := range g.counts[c.what] {
			*c.into = append(*c.into, Count{name, n})
		}
		slices.SortFunc(*c.into, c.order)
	}
	g.Hosts = []Host{}
	for _, h := range g.hosts {
		if h.Answers > 0 {
			h.MeanMS = h.took / h.Answers
		}
		g.Hosts = append(g.Hosts, *h)
	}
	slices.SortFunc(g.Hosts, func(a, b Host) int { return cmp.Or(cmp.Compare(b.Pages, a.Pages), cmp.Compare(a.Name, b.Name)) })
	g.finishRefused()
	slices.SortStableFunc(g.Broken.Rows, func(a, b Broken) int { return cmp.Or(cmp.Compare(b.Inlinks, a.Inlinks), cmp.Compare(a.URL, b.URL)) })
	slices.SortStableFunc(g.Redirects.Rows, func(a, b Chain) int {
		return cmp.Or(cmp.Compare(len(b.URLs), len(a.URLs)), cmp.Compare(b.Inlinks, a.Inlinks))
	})
	for i := range g.Duplicates.Rows {
		g.Duplicates.Rows[i].Title = g.titleOf[g.Duplicates.Rows[i].URL]
	}
	slices.SortStableFunc(g.Duplicates.Rows, func(a, b Duplicate) int { return cmp.Compare(b.Copies, a.Copies) })
	g.Titles, g.Descriptions = g.titles.shared(), g.descriptions.shared()
	for _, empty := range []func(){
		func() { notNil(&g.Broken.Rows) }, func() { notNil(&g.Redirects.Rows) }, func() { notNil(&g.Duplicates.Rows) },
		func() { notNil(&g.Titles.Rows) }, func() { notNil(&g.Descriptions.Rows) }, func() { notNil(&g.Canonicals.Rows) },
		func() { notNil(&g.Translations.Rows) },
	} {
		empty()
	}
}

// notNil makes a nil list an empty one, so that JSON has [] for it.
func notNil[T any](rows *[]T) {
	if *rows == nil {
		*rows = []T{}
	}
}

// finishRefused lists the refusal rules. Links that a rule refuses have no records: they are only
// counted.
func (g *gathering) finishRefused() {
	for rule, n := range g.Status.Rules {
		r := g.refused[rule]
		if r == nil {
			r = &Refusal{Rule: rule}
			g.refused[rule] = r
		}
		r.URLs = max(r.URLs, n)
	}
	g.Refused = []Refusal{}
	for _, r := range g.refused {
		notNil(&r.Examples)
		g.Refused = append(g.Refused, *r)
	}
	slices.SortFunc(g.Refused, func(a, b Refusal) int { return cmp.Or(cmp.Compare(b.URLs, a.URLs), cmp.Compare(a.Rule, b.Rule)) })
}

// texts finds texts that several pages share.
type texts struct {
	first map[uint64]string // the URL of the first page with a text, by the text's hash
	many  map[uint64]*Shared
}

func newTexts() *texts { return &texts{make(map[uint64]string), make(map[uint64]*Shared)} }

func (t *texts) add(text, url string) {
	if text == "" {
		return
	}
	h := xxhash.Sum64String(text)
	if s := t.many[h]; s != nil {
		s.Pages++
		if len(s.URLs) < MaxMembers {
			s.URLs = append(s.URLs, url)
		}
		return
	}
	if other, ok := t.first[h]; ok {
		t.many[h] = &Shared{Text: text, Pages: 2, URLs: []string{other, url}}
		delete(t.first, h)
		return
	}
	t.first[h] = url
}

// shared returns these texts, the most frequent first.
func (t *texts) shared() (l List[Shared]) {
	all := make([]Shared, 0, len(t.many))
	for _, s := range t.many {
		all = append(all, *s)
	}
	slices.SortFunc(all, func(a, b Shared) int { return cmp.Or(cmp.Compare(b.Pages, a.Pages), cmp.Compare(a.Text, b.Text)) })
	for _, s := range all {
		l.add(s)
	}
	return l
}
