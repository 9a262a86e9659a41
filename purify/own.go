package purify

import (
	"cmp"
	"iter"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/cespare/xxhash/v2"

	"gatecrawl.example/gatecrawl/purify/internal/reuse"
	"gatecrawl.example/gatecrawl/purify/markup"
	"gatecrawl.example/gatecrawl/purify/metadata"
	"gatecrawl.example/gatecrawl/purify/words"
)

// maxAside is how many bytes of text outside the body DocView.Blocks has; it is kept with every
// page. The last block is cut: a listing of source code can be one longer block, and two pages may
// differ only in such listings.
const maxAside = 64 << 10

// IsCut reports whether text outside the body may be missing from blocks, because there is more
// than maxAside.
func IsCut(blocks []Block) bool {
	aside := 0
	for i := range blocks {
		if b := &blocks[i]; !b.Chosen {
			aside += len(b.Text)
		}
	}
	return aside >= maxAside-utf8.UTFMax
}

// Reframe sets for each block whether a template has it, as reading the page with that template
// would, and the title if the template shows that it is only the site's. The rest of the view does not change.
func (v *DocView) Reframe(t *Template) {
	v.Template = t.Generation()
	for i := range v.Blocks {
		v.Blocks[i].Shared = t.Has(&v.Blocks[i])
	}
	t.shareMenus(v.Blocks)
	if v.Title != "" && !metadata.Home(v.URL) && (metadata.IsRepeated(v.Title, t.inTitles) || v.isHeadingOfSite(v.Title)) {
		if heading := v.ownHeading(); metadata.MayTitle(heading, v.URL) {
			v.Title = cmp.Or(heading, v.Title)
		}
	}
}

// isHeadingOfSite reports whether a title is a heading that the site repeats.
func (v *DocView) isHeadingOfSite(title string) bool {
	return slices.ContainsFunc(v.Blocks, func(b Block) bool { return b.Shared && b.Heads && metadata.HeadingOf(b.Text) == title })
}

// ownHeading is metadata.OwnHeading for the blocks of a view.
func (v *DocView) ownHeading() string {
	above := ""
	for i := range v.Blocks {
		switch b := &v.Blocks[i]; {
		case b.Shared:
		case b.Heads:
			if heading := metadata.HeadingOf(b.Text); metadata.IsBelow(heading, above) {
				return heading
			}
			return ""
		case b.Linked:
		case above != "" || b.Prose:
			return ""
		case metadata.HasLetter(b.Text) || i == 0 || !v.Blocks[i-1].Heads:
			above = b.Text
		}
	}
	return ""
}

// Names returns the names of a view's blocks; for a view that was read without a template these are
// all blocks of the page.
func (v *DocView) Names() []Print {
	names := make([]Print, len(v.Blocks))
	for i := range v.Blocks {
		names[i] = v.Blocks[i].Print
	}
	return names
}

// An OwnBlock is a block that the page's site does not repeat, or one that it repeats and may turn out
// not to when more of its pages are known.
type OwnBlock struct {
	Print  Print
	Bytes  int  // of its text
	Shared bool // the site repeats it
	Prose  bool
	Linked bool // most of its text is links
}

// Block returns what a template must know of the block.
func (o OwnBlock) Block() *Block { return &Block{Print: o.Print, Prose: o.Prose, Linked: o.Linked} }

// Own returns the blocks that the site does not repeat, and after them those that it repeats: first those that would be in the
// body if it did not, then those among the page's names that the view does not have. These are taken for links, as most of what a site
// repeats is.
func (v *DocView) Own(names []Print) []OwnBlock {
	var own []OwnBlock
	for _, shared := range [...]bool{false, true} {
		for i := range v.Blocks {
			if b := &v.Blocks[i]; b.Shared == shared {
				own = append(own, OwnBlock{b.Print, len(b.Text), b.Shared, b.Prose, b.Linked})
			}
		}
	}
	if len(names) == 0 || v.Template == 0 {
		return own
	}
	has := make(map[Print]bool, len(v.Blocks))
	for i := range v.Blocks {
		has[v.Blocks[i].Print] = true
	}
	for _, p := range names {
		if p.OfBlock() && !has[p] {
			own = append(own, OwnBlock{Print: p, Shared: true, Linked: true})
		}
	}
	return own
}

// blocksOf returns the blocks of a view: those that the site does not repeat, and those that were
// chosen for the body.
func (w *workspace) blocksOf(chosen []bool) []Block {
	w.formBlocks()
	n := 0
	for i := range w.Blocks {
		if chosen[i] || !w.pinned && !w.framed(i) {
			n++
		}
	}
	list := slices.Grow([]Block(nil), n)
	w.site.listed = w.site.listed[:0]
	w.anchors = reuse.Slice(w.anchors, len(w.Blocks))
	for i := range w.Links {
		if at := int(w.Links[i].Block); at < len(w.anchors) {
			w.anchors[at]++
		}
	}
	w.site.text = string(w.Text) // one string, which the blocks' texts are cut from
	aside := 0
	for i := range w.Blocks {
		b := &w.Blocks[i]
		shared := w.framed(i) && !w.pinned
		own := w.site.text[b.From:b.To]
		if !chosen[i] {
			own = words.Cut(own, maxAside-aside)
			if w.pinned || shared || own == "" {
				continue
			}
			aside += len(own)
		}
		w.site.listed = append(w.site.listed, int32(i))
		one := w.block(i, chosen[i])
		one.Text, one.Shared = own, shared
		list = append(list, one)
	}
	for _, i := range w.site.template.shareMenus(list) {
		w.site.menu[w.site.listed[i]] = true
	}
	return list
}

// Places are where in a page, once it is UTF-8, the blocks of its view start. In the bytes of the page they are a guess.
type Places struct{ at []int32 }

// Of returns the place of a block, or of white space before it; 0 if it is not known.
func (p *Places) Of(block int) int {
	if p == nil || block >= len(p.at) {
		return 0
	}
	return int(p.at[block])
}

// placesOfListed returns the places of the listed blocks.
func (w *workspace) placesOfListed() *Places {
	at := make([]int32, len(w.site.listed))
	for k, i := range w.site.listed {
		at[k] = w.Blocks[i].Place()
	}
	return &Places{at}
}

// block returns a block of the page for a view, without its text. The anchors must have been counted.
func (w *workspace) block(i int, chosen bool) Block {
	b := &w.Blocks[i]
	linked, prose := b.MostlyLinks(), b.IsProse()
	return Block{
		Print: w.site.prints[i], Chosen: chosen, Linked: linked, Cloud: linked && w.anchors[i] >= leastChosen, Prose: prose,
		Pinned: w.pinned, Heads: !prose && metadata.Heads(&w.Outline, i), Form: w.site.forms[i],
	}
}

// targetsOf hashes the targets of a page's links, without hosts: a copy on another host links to itself. A version in the
// page's own path does not count in a link to another host: each version of a manual links to its own source there. A parameter
// that nearly all links have, with one value as of a session, does not count either: it has another value in each answer.
func targetsOf(url string, links []Link) []uint32 {
	if len(links) == 0 {
		return nil
	}
	host, versions := versionsIn(url)
	session := sessionIn(host, links)
	sums := make([]uint32, len(links))
	for i := range links {
		to := without(links[i].URL, session)
		for _, v := range versions {
			if at, path, ok := hostAndPath(to); ok && at != host {
				to = strings.Replace(to, path, strings.Replace(path, v, "/*/", 1), 1)
			}
		}
		sums[i] = TargetOf(to)
	}
	return sums
}

// sessionIn returns the parameter and value that nearly all links with parameters to the page's own host have, if the value may be that of
// a session, a time or a chance: "sid=0f3a99c1". "" if there is none.
func sessionIn(host string, links []Link) string {
	const (
		least  = 5 // links that have it
		nearly = 8 // tenths of the links with parameters
		tried  = 4 // links that are looked at for one
	)
	var candidates []string
	seen := 0
	for pairs := range queriesTo(host, links) {
		if seen++; seen > tried {
			break
		}
		for _, pair := range pairs {
			if isOfSession(pair) && !slices.Contains(candidates, pair) {
				candidates = append(candidates, pair)
			}
		}
	}
	for _, pair := range candidates {
		have, all := 0, 0
		for pairs := range queriesTo(host, links) {
			if all++; slices.Contains(pairs, pair) {
				have++
			}
		}
		if have >= least && 10*have >= nearly*all {
			return pair
		}
	}
	return ""
}

// queriesTo goes through the parameters of the links to a host that have any.
func queriesTo(host string, links []Link) iter.Seq[[]string] {
	return func(yield func([]string) bool) {
		for i := range links {
			path, query, ok := strings.Cut(links[i].URL, "?")
			if at, _, absolute := hostAndPath(path); !ok || absolute && at != host {
				continue
			}
			query, _, _ = strings.Cut(query, "#")
			if !yield(strings.Split(query, "&")) {
				return
			}
		}
	}
}

// isOfSession reports whether a parameter has a value of eight or more characters, digits among them, as programs draw them.
func isOfSession(pair string) bool {
	name, value, _ := strings.Cut(pair, "=")
	if name == "" || len(value) < 8 || strings.IndexFunc(value, func(r rune) bool { return r >= '0' && r <= '9' }) < 0 {
		return false
	}
	return strings.IndexFunc(value, func(r rune) bool { return r > 'z' || !markup.LetterOrDigit(byte(r)) && r != '.' }) < 0
}

// without returns a URL without a parameter and, if it had any, without its fragment, which TargetOf leaves out.
func without(url, pair string) string {
	path, query, ok := strings.Cut(url, "?")
	if pair == "" || !ok {
		return url
	}
	query, _, _ = strings.Cut(query, "#")
	rest := slices.DeleteFunc(strings.Split(query, "&"), func(p string) bool { return p == pair })
	if len(rest) == 0 {
		return path
	}
	return path + "?" + strings.Join(rest, "&")
}

// versionsIn returns the host of a URL, and the folders of its path that are versions, with both slashes: /v1.14.1/, /2.x/.
func versionsIn(url string) (host string, versions []string) {
	host, path, _ := hostAndPath(url)
	folders := strings.Split(path, "/")
	for _, folder := range folders[:len(folders)-1] {
		number := strings.TrimPrefix(folder, "v")
		if strings.Contains(number, ".") && markup.Digit(number[0]) {
			versions = append(versions, "/"+folder+"/")
		}
	}
	return host, versions
}

// hostAndPath cuts an absolute URL. The path has its first slash, and the query.
func hostAndPath(url string) (host, path string, ok bool) {
	_, rest, ok := strings.Cut(url, "://")
	if i := strings.IndexByte(rest, '/'); ok && i >= 0 {
		return rest[:i], rest[i:], true
	}
	return rest, "", ok
}

// TargetOf returns the hash that DocView.Targets has for a URL. A slash at the end is ignored,
// since servers add it, and so is the order of parameters: the links to other pages of a list have that of the page which they are on.
func TargetOf(url string) uint32 {
	path, _, _ := strings.Cut(url, "#")
	if _, below, ok := hostAndPath(path); ok {
		path = below
	}
	for path != "" && (path[0] == '.' || path[0] == '/') {
		path = path[1:]
	}
	for path != "" && path[len(path)-1] == '/' {
		path = path[:len(path)-1]
	}
	if path == "" {
		return 0
	}
	if strings.Contains(path, "%") {
		path = decoded(path)
	}
	if at, query, _ := strings.Cut(path, "?"); strings.Contains(query, "&") {
		pairs := strings.Split(query, "&")
		slices.Sort(pairs)
		path = at + "?" + strings.Join(pairs, "&")
	}
	return max(1, uint32(xxhash.Sum64String(path)))
}

// decoded undoes the percent-encoding of spaces, letters, digits and all bytes beyond ASCII: pages
// write letters of other scripts as they are, while URLs have them encoded. Other characters have
// another meaning if they are encoded.
func decoded(path string) string {
	var b strings.Builder
	b.Grow(len(path))
	for i := 0; i < len(path); i++ {
		c := path[i]
		if c == '%' && i+2 < len(path) {
			if n, err := strconv.ParseUint(path[i+1:i+3], 16, 8); err == nil && (n == ' ' || n >= utf8.RuneSelf || markup.LetterOrDigit(byte(n))) {
				c = byte(n)
				i += 2
			}
		}
		b.WriteByte(c)
	}
	return b.String()
}
