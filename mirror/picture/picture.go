package picture

import (
	"cmp"
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"math"
	"slices"
	"strings"
	"sync"

	"gatecrawl.example/gatecrawl/humanize"
	"gatecrawl.example/gatecrawl/mirror"
)

const (
	// maxGraph is up to how many hosts are drawn as a graph. More make a knot.
	maxGraph = 30

	// maxMap is how many hosts a map has room for: those with most copies.
	maxMap = 200
)

// colours of the classes, distinguishable for colour-blind readers too: the Okabe-Ito palette.
var colours = map[mirror.Class]string{
	mirror.Alias: "#0072b2", mirror.Mirror: "#009e73", mirror.Partial: "#e69f00", mirror.SharedFolders: "#56b4e9",
	mirror.NearVersion: "#cc79a7", mirror.SameShape: "#999999",
}

// DOT writes a report as a graph for Graphviz.
func DOT(w io.Writer, r mirror.Report) error {
	p := pictureOf(r)
	var b strings.Builder
	b.WriteString("digraph mirrors {\n  node [shape=circle, style=filled, fillcolor=\"#eef3f7\"];\n")
	for _, n := range p.nodes {
		fmt.Fprintf(&b, "  %q [label=%q];\n", n.name, fmt.Sprintf("%s\n%d pages", n.name, n.pages))
	}
	for _, e := range p.edges {
		style := "solid"
		if e.oneWay {
			style = "dashed"
		}
		dir := "forward"
		if e.rel.Canonical == "" {
			dir = "none"
		}
		fmt.Fprintf(&b, "  %q -> %q [label=%q, color=%q, style=%s, dir=%s, penwidth=%.1f];\n", p.nodes[e.from].name, p.nodes[e.to].name,
			fmt.Sprintf("%s %s", e.rel.Class, humanize.Percent(e.share)), colours[e.rel.Class], style, dir, 1+4*e.share)
	}
	b.WriteString("}\n")
	_, err := io.WriteString(w, b.String())
	return err
}

// SVG draws a report.
func SVG(w io.Writer, r mirror.Report) error {
	p := pictureOf(r)
	_, err := io.WriteString(w, p.svg())
	return err
}

// A picture is the sites that are something to each other.
type picture struct {
	nodes []node
	edges []edge
	names map[string]int
}

// A node is a site.
type node struct {
	name  string // the host, or the origin where one host has two
	pages int
	group int // the connected part that it is in
	hub   int // edges that lead to it
	x, y  float64

	column int // -1: its name stands to the left of it, 1: to the right, 0: below
}

// An edge leads from a site to the canonical one, or connects two of which neither is.
type edge struct {
	from, to int
	share    float64 // of the first that is on the second
	back     float64
	oneWay   bool // only the first is on the second
	rel      *mirror.Relation
}

func pictureOf(report mirror.Report) *picture {
	ps := slices.Clone(report.Pairs)
	for _, g := range report.Groups {
		ps = append(ps, g.Members...)
	}
	p := &picture{names: make(map[string]int)}
	for i := range ps {
		r := ps[i].Relation
		if r == nil || r.Class == mirror.None {
			continue
		}
		a, b := ps[i].A, ps[i].B
		if a == b { // one host over http and over https
			a, b = r.A, r.B
		}
		e := edge{from: p.node(b, ps[i].PagesB), to: p.node(a, ps[i].PagesA), share: r.BA.Share, back: r.AB.Share, rel: r}
		if r.Canonical == r.B {
			e.from, e.to, e.share, e.back = e.to, e.from, e.back, e.share
		}
		e.oneWay = r.Class == mirror.Partial
		p.edges = append(p.edges, e)
		if r.Canonical != "" {
			p.nodes[e.to].hub++
		}
	}
	p.gather()
	return p
}

func (p *picture) node(name string, pages int) int {
	i, ok := p.names[name]
	if !ok {
		i = len(p.nodes)
		p.names[name] = i
		p.nodes = append(p.nodes, node{name: name, pages: pages, group: i})
	}
	return i
}

// gather numbers the connected parts.
func (p *picture) gather() {
	for changed := true; changed; {
		changed = false
		for _, e := range p.edges {
			g := min(p.nodes[e.from].group, p.nodes[e.to].group)
			if p.nodes[e.from].group != g || p.nodes[e.to].group != g {
				p.nodes[e.from].group, p.nodes[e.to].group, changed = g, g, true
			}
		}
	}
}

// groups returns the nodes of each connected part, the largest first; in a part
// the one that most point at comes first.
func (p *picture) groups() [][]int {
	by := make(map[int][]int)
	for i := range p.nodes {
		by[p.nodes[i].group] = append(by[p.nodes[i].group], i)
	}
	var gs [][]int
	for _, g := range by {
		slices.SortFunc(g, func(a, b int) int {
			x, y := p.nodes[a], p.nodes[b]
			return cmp.Or(cmp.Compare(y.hub, x.hub), cmp.Compare(y.pages, x.pages), cmp.Compare(x.name, y.name))
		})
		gs = append(gs, g)
	}
	slices.SortFunc(gs, func(a, b []int) int {
		return cmp.Or(cmp.Compare(len(b), len(a)), cmp.Compare(p.nodes[a[0]].name, p.nodes[b[0]].name))
	})
	return gs
}

func (p *picture) svg() string {
	if len(p.nodes) == 0 {
		return svgOf(420, 60, `<text x="20" y="36">no site of this job is a mirror of another</text>`)
	}
	if len(p.nodes) <= maxGraph {
		return p.graph()
	}
	return p.heat()
}

func svgOf(width, height float64, body string) string {
	return fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" width="%.0f" height="%.0f" viewBox="0 0 %.0f %.0f" font-family="system-ui,sans-serif" font-size="12" fill="#222">`+
		"\n<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n%s</svg>\n", width, height, width, height, body)
}

const (
	// mostAround is how many members of a star are drawn in a circle; more would hide each
	// other's names, and are drawn in two columns.
	mostAround = 8

	// rowWidth is how wide a row of stars is, unless one is wider: what a page shows
	// without making it smaller.
	rowWidth = 1200

	// maxLabel is how many characters of a name there is room for between two of a
	// circle, and maxColumn next to a column.
	maxLabel, maxColumn = 20, 36

	letter = 6.6 // the width of one, about
)

// star places a connected part, the first in the middle, with its upper left corner at
// 0, 0. It returns the room that it takes.
func (p *picture) star(g []int) (wide, high float64) {
	hub, members := &p.nodes[g[0]], g[1:]
	switch {
	case len(members) == 1: // next to each other
		hub.x, hub.y = 95, 50
		other := &p.nodes[members[0]]
		other.x, other.y = 275, 50
		return 370, 110
	case len(members) <= mostAround:
		const arm = 150.0
		wide, high = 2*arm+letter*maxLabel+20, 2*arm+110
		hub.x, hub.y = wide/2, high/2
		for k, n := range members {
			at := 2 * math.Pi * float64(k) / float64(len(members))
			if len(members) == 2 { // not in one line, where an edge would hide another
				at = math.Pi / 3 * float64(2*k-1)
			}
			p.nodes[n].x, p.nodes[n].y = hub.x+arm*math.Cos(at), hub.y+arm*math.Sin(at)
		}
		return wide, high
	}
	const arm = 140.0
	line, side := 38.0, letter*maxColumn+50
	for _, n := range members {
		line = max(line, 2*radius(p.nodes[n].pages)+6)
	}
	wide, high = 2*(arm+side), line*float64((len(members)+1)/2)+60
	hub.x, hub.y = wide/2, high/2
	for k, n := range members {
		p.nodes[n].x, p.nodes[n].column = hub.x-arm, -1
		if k%2 == 1 {
			p.nodes[n].x, p.nodes[n].column = hub.x+arm, 1
		}
		p.nodes[n].y = 40 + line*float64(k/2)
	}
	return wide, high
}

// graph draws each connected part as a star around the site that most point at.
func (p *picture) graph() string {
	const margin = 24.0
	var b strings.Builder
	x, y, row, width := margin, margin, 0.0, 0.0
	for _, g := range p.groups() {
		wide, high := p.star(g)
		if x > margin && x+wide > rowWidth {
			x, y, row = margin, y+row, 0
		}
		for _, n := range g {
			p.nodes[n].x += x
			p.nodes[n].y += y
		}
		x += wide
		row, width = max(row, high), max(width, x)
	}
	for class, colour := range colours {
		fmt.Fprintf(&b, `<marker id="%s" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="10" markerHeight="10" markerUnits="userSpaceOnUse" orient="auto"><path d="M0 0L10 5L0 10z" fill="%s"/></marker>`+"\n", class, colour)
	}
	markers := strings.SplitAfter(b.String(), "\n")
	slices.Sort(markers)
	b.Reset()
	b.WriteString("<defs>\n" + strings.Join(markers, "") + "</defs>\n")
	for _, e := range p.edges {
		p.line(&b, e)
	}
	for _, n := range p.nodes {
		fmt.Fprintf(&b, `<g><title>%s: %d pages</title><circle cx="%.1f" cy="%.1f" r="%.1f" fill="#eef3f7" stroke="#456" stroke-width="1.2"/>`,
			template.HTMLEscapeString(n.name), n.pages, n.x, n.y, radius(n.pages))
		label, lx, ly, anchor := brief(n.name, maxLabel), n.x, n.y+radius(n.pages)+13, "middle"
		switch n.column {
		case -1:
			label, lx, ly, anchor = brief(n.name, maxColumn), n.x-radius(n.pages)-6, n.y+4, "end"
		case 1:
			label, lx, ly, anchor = brief(n.name, maxColumn), n.x+radius(n.pages)+6, n.y+4, "start"
		}
		fmt.Fprintf(&b, `<text x="%.1f" y="%.1f" text-anchor="%s" stroke="#fff" stroke-width="3" paint-order="stroke">%s</text>`, lx, ly, anchor, template.HTMLEscapeString(label))
		fmt.Fprintf(&b, `<text x="%.1f" y="%.1f" text-anchor="middle" font-size="10">%d</text></g>`+"\n", n.x, n.y+4, n.pages)
	}
	said := []string{"numbers: pages", "thicker: more in common"}
	if slices.ContainsFunc(p.edges, func(e edge) bool { return e.rel.Canonical != "" }) {
		said = append(said, "arrow: to the site to ask")
	}
	if slices.ContainsFunc(p.edges, func(e edge) bool { return e.oneWay }) {
		said = append(said, "dashed: one way only")
	}
	end := p.legend(&b, margin, y+row+10, said...)
	return svgOf(max(width, end)+margin, y+row+34, b.String())
}

// radius makes a node's area follow its pages, within what can be seen.
func radius(pages int) float64 { return min(30, 9+math.Sqrt(float64(pages))*0.8) }

func (p *picture) line(b *strings.Builder, e edge) {
	from, to := p.nodes[e.from], p.nodes[e.to]
	dx, dy := to.x-from.x, to.y-from.y
	long := math.Hypot(dx, dy)
	if long == 0 {
		return
	}
	dx, dy = dx/long, dy/long
	r1, r2 := radius(from.pages), radius(to.pages)+2
	end, dash := "", ""
	if e.rel.Canonical != "" {
		end = fmt.Sprintf(` marker-end="url(#%s)"`, e.rel.Class)
	}
	if e.oneWay {
		dash = ` stroke-dasharray="7 4"`
	}
	fmt.Fprintf(b, `<g><title>%s</title><line x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f" stroke="%s" stroke-width="%.1f" stroke-opacity="0.75"%s%s/></g>`+"\n",
		template.HTMLEscapeString(fmt.Sprintf("%s: %s of %s is on %s; %s of it is on the first. %s", e.rel.Class, humanize.Percent(e.share), from.name, to.name, humanize.Percent(e.back), e.rel.Mapping())),
		from.x+dx*r1, from.y+dy*r1, to.x-dx*r2, to.y-dy*r2, colours[e.rel.Class], 1+4*max(e.share, e.back), dash, end)
}

// legend names the classes that are in the picture, and explains the rest. It returns where it
// ends.
func (p *picture) legend(b *strings.Builder, x, y float64, said ...string) float64 {
	for _, c := range []mirror.Class{mirror.Alias, mirror.Mirror, mirror.Partial, mirror.SharedFolders, mirror.NearVersion, mirror.SameShape} {
		if !slices.ContainsFunc(p.edges, func(e edge) bool { return e.rel.Class == c }) {
			continue
		}
		fmt.Fprintf(b, `<line x1="%.0f" y1="%.0f" x2="%.0f" y2="%.0f" stroke="%s" stroke-width="4"/><text x="%.0f" y="%.0f">%s</text>`+"\n", x, y, x+24, y, colours[c], x+30, y+4, c)
		x += 42 + 7.2*float64(len(c))
	}
	text := strings.Join(said, "; ")
	fmt.Fprintf(b, `<text x="%.0f" y="%.0f" fill="#555">%s</text>`+"\n", x+8, y+4, text)
	return x + 8 + letter*float64(len(text))
}

// maxName is how many characters of a host a map has room for.
const maxName = 48

// brief leaves the middle of a long name out. Names are ASCII.
func brief(name string, most int) string {
	if len(name) <= most {
		return name
	}
	return name[:most/2] + "…" + name[len(name)-most/2:]
}

// heat draws how much of the site of each row is on that of each column.
func (p *picture) heat() string {
	var order []int
	for _, g := range p.groups() {
		order = append(order, g...)
	}
	left := len(order)
	order = order[:min(left, maxMap)]
	place := make(map[int]int, len(order))
	longest := 0
	for i, n := range order {
		place[n] = i
		longest = max(longest, len(p.nodes[n].name))
	}
	const cell, top = 14.0, 62.0
	x0 := 30 + letter*float64(min(longest, maxName))
	var b strings.Builder
	fmt.Fprintf(&b, `<text x="12" y="22" font-size="14">How much of the site of each row is on the site of each column</text>`+"\n")
	fmt.Fprintf(&b, `<text x="12" y="40" fill="#555">columns have the numbers of the rows</text>`+"\n")
	for i, n := range order {
		y := top + cell*float64(i)
		fmt.Fprintf(&b, `<text x="%.1f" y="%.1f" text-anchor="end" font-size="10">%s %d</text>`, x0-6, y+11, template.HTMLEscapeString(brief(p.nodes[n].name, maxName)), i+1)
		fmt.Fprintf(&b, `<rect x="%.1f" y="%.1f" width="%.0f" height="%.0f" fill="#dde3e8"/>`+"\n", x0+cell*float64(i), y, cell-1, cell-1)
		if i%5 == 4 {
			fmt.Fprintf(&b, `<text x="%.1f" y="%.1f" text-anchor="middle" font-size="8" fill="#555">%d</text>`+"\n", x0+cell*(float64(i)+.5), top-3, i+1)
		}
	}
	for _, e := range p.edges {
		i, ok := place[e.from]
		j, also := place[e.to]
		if !ok || !also {
			continue
		}
		for _, c := range []struct {
			i, j  int
			share float64
		}{{i, j, e.share}, {j, i, e.back}} {
			fmt.Fprintf(&b, `<rect x="%.1f" y="%.1f" width="%.0f" height="%.0f" fill="%s" fill-opacity="%.2f"><title>%s</title></rect>`+"\n",
				x0+cell*float64(c.j), top+cell*float64(c.i), cell-1, cell-1, colours[e.rel.Class], 0.08+0.92*c.share,
				template.HTMLEscapeString(fmt.Sprintf("%s: %s of %s is on %s", e.rel.Class, humanize.Percent(c.share), p.nodes[order[c.i]].name, p.nodes[order[c.j]].name)))
		}
	}
	height := top + cell*float64(len(order)) + 16
	end := p.legend(&b, 12, height, "darker: more of it", "grey diagonal: the site itself")
	if left > len(order) {
		fmt.Fprintf(&b, `<text x="12" y="%.0f" fill="#555">%d more sites are in the table</text>`+"\n", height+24, left-len(order))
	}
	return svgOf(max(x0+cell*float64(len(order)), end)+24, height+40, b.String())
}

//go:embed page.html
var pageText string

// pageTemplate is read when the first page is written: each start of the command would pay for it.
var pageTemplate = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("mirrors").Funcs(template.FuncMap{
		"percent": humanize.Percent, "mapping": (*mirror.Relation).Mapping, "many": humanize.Many[int], "count": humanize.Count[int],
		"colour": func(c mirror.Class) template.CSS { return template.CSS(colours[c]) },
	}).Parse(pageText))
})

// HTML writes a report as a page with its picture, which needs nothing else.
func HTML(w io.Writer, r mirror.Report) error {
	page := struct {
		Picture        template.HTML
		Groups         []mirror.Group
		Related, Other []mirror.Pair
		Hosts          int
	}{Groups: r.Groups}
	p := pictureOf(r)
	page.Picture, page.Hosts = template.HTML(p.svg()), len(p.nodes)
	for _, pair := range r.Pairs {
		if pair.Relation != nil && pair.Class != mirror.None {
			page.Related = append(page.Related, pair)
		} else {
			page.Other = append(page.Other, pair)
		}
	}
	return pageTemplate().Execute(w, page)
}
