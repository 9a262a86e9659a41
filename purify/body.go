package purify

import (
	"math"
	"sort"
	"strings"

	"gatecrawl.example/gatecrawl/purify/internal/reuse"
	"gatecrawl.example/gatecrawl/purify/markup"
)

// The body is chosen in two steps. A first forest scores every block by its own
// columns. A second one sees them beside the scores of the blocks around it and
// of the containers it stands in. Both were trained on pages with known bodies
// by cmd/train-purify. Blocks of one place vote, then they agree with what is
// around them, and those above the page's threshold are the body.
// Nothing but the page's bytes is asked, so that two URLs of one page have
// one body. Products are rounded to float32 before they are summed: some
// machines would fuse the two, and a body must not depend on the machine.

// The second forest's columns, behind the first one's.
const (
	lookOwn  = blockColumns + iota // the first forest's score
	lookPrev                       // of its neighbours
	lookPrev2
	lookPrev3
	lookNext
	lookNext2
	lookNext3
	lookWindow  // mean of the eight blocks on each side, by size
	lookFar     // and of forty
	lookParent  // means by size in the containers
	lookGrand   //
	lookGreat   //
	lookGreater //
	lookLikes   // mean of the blocks in places like it
	lookPage    // mean of the page
	lookBefore  // share of the expected body that comes before
	lookSection // mean of the blocks below a heading, down to the next
	lookUnder   // the score of the heading above
	lookEnd
)

const lookColumns = lookEnd - blockColumns

// A chooser chooses the body of a page and tells its type. It is kept from page to page.
type chooser struct {
	*outline
	census  census
	room    rooms
	scratch []byte
}

// sum returns a hash of a block's text.
func (ch *chooser) sum(block int) uint64 { return ch.census.sums[block] }

// first returns the first block with the text of a block.
func (ch *chooser) first(block int) int { return int(ch.census.firsts[block]) }

// probability returns how likely a block is body.
func (ch *chooser) probability(block int) float32 { return ch.room.sure[block] }

// release lets go of the page, and reports whether the memory is small enough to be kept
// for the next one.
func (ch *chooser) release() bool {
	ch.outline = nil
	return ch.room.table.capacity() <= 4<<20
}

// rooms are the choice's work space, kept from page to page.
type rooms struct {
	table        table
	alone, score []int32
	sure         []float32 // by block, the probability that it is body
	sum, size    []float32 // by node
	mass, bulk   []float32 // by block, summed from the first
	likes        []share   // by group
	kept         []bool
	page         []uint8 // the page's row
	chosen       []int32 // by node, bytes of the blocks that were chosen
	named        []bool  // by node, it holds the heading that names the page
	below        []bool  // by node, it is in a manual's main container
	inside       []bool  // by node, and in no frame there
	poll         poll
	council      council
	holds        []bool // by node, the page's main part is in it
	beside       []bool // by node, it is in a sidebar
}

// A share is the expected body in some text, and the text, both in bytes.
type share struct{ mass, bulk float32 }

// choose reports for each block whether it is body. The answer is valid until
// the outline is done.
func (ch *chooser) choose(m *metadata) []bool {
	if len(ch.blocks) == 0 {
		return nil
	}
	ch.binding.javadoc = ch.binding.javadoc || strings.HasPrefix(m.generator, "javadoc")
	c := ch.count(m)
	hunch := ch.hunch(m)
	t := ch.columns(c, m, hunch)
	ch.room.alone = reuse.Slice(ch.room.alone, len(ch.blocks))
	blockForest.scoreAll(t, ch.room.alone)
	ch.look(t, ch.room.alone)
	ch.room.score = reuse.Slice(ch.room.score, len(ch.blocks))
	placeForest.scoreAll(t, ch.room.score)
	kept := ch.decide(ch.room.score, hunch)
	return kept
}

// hunch says how sure each of Kinds is before a body is known, in units of
// 1/Logit.
func (ch *chooser) hunch(m *metadata) *[kinds]int32 {
	row := ch.kindRow(m, "", nil)
	var h [kinds]int32
	for i := range h {
		h[i] = hunchForests[i].Score(row)
	}
	return &h
}

// decide lets the blocks vote, finds a threshold to their scores, and has them
// agree with what is around them.
func (ch *chooser) decide(score []int32, hunch *[kinds]int32) []bool {
	score = ch.vote(score)
	ch.room.sure = reuse.Slice(ch.room.sure, len(score))
	p := ch.room.sure
	for i, s := range score {
		p[i] = chance(s)
	}
	from := scoreOf(ch.threshold(p))
	agreed := ch.agree(score, from, hunch)
	ch.room.kept = reuse.Slice(ch.room.kept, len(score))
	kept := ch.room.kept
	name := ch.nameBlock()
	size := 0
	for i, s := range agreed {
		if i == name {
			continue
		}
		if kept[i] = s >= 0; kept[i] {
			size += ch.blocks[i].size()
		}
	}
	if ch.trace {
		for i, s := range agreed {
			p[i] = chance(s + from)
		}
	}
	if size == 0 {
		ch.keepBest(kept, score)
	}
	if name >= 0 {
		kept[name] = size < shortBody && surest(hunch) != kindArticle
	}
	ch.fill(kept, name)
	ch.dropComments(kept, hunch)
	ch.leaveSidebar(kept)
	return kept
}

// leaveSidebar takes what a page's main or article element holds beside its frame for the
// body where the forests chose a sidebar: on lists of a tag or a month, which are a few
// links, the site's description, its categories and months are more like a text. What has
// prose is left as it is.
func (ch *chooser) leaveSidebar(kept []bool) {
	beside := ch.sidebars()
	side, all, own, prose := 0, 0, 0, 0
	for i := range ch.blocks {
		b := &ch.blocks[i]
		if !beside[b.node] && b.inMainPart() {
			own += b.size()
		}
		if !kept[i] {
			continue
		}
		all += b.size()
		if beside[b.node] {
			side += b.size()
		}
		if b.prose() && b.hints&inAside == 0 {
			prose++
		}
	}
	if prose > mostProse || side*2 <= all || own < leastOwn {
		return
	}
	for i := range ch.blocks {
		b := &ch.blocks[i]
		kept[i] = !beside[b.node] && b.inMainPart()
	}
}

const (
	mostProse = 2 // blocks of prose in what a class alone calls a sidebar
	leastOwn  = 8 // bytes of a main part that is a body: the name of one page
)

// sidebars reports of each node whether it is in a sidebar: an aside, or what a class
// calls one, unless it holds the page's main part.
func (ch *chooser) sidebars() []bool {
	r := &ch.room
	r.holds, r.beside = reuse.Slice(r.holds, len(ch.nodes)), reuse.Slice(r.beside, len(ch.nodes))
	if h1 := ch.census.h1; h1 >= 0 {
		r.holds[ch.blocks[h1].node] = true
	}
	for i := len(ch.nodes) - 1; i > 0; i-- {
		n := &ch.nodes[i]
		r.holds[i] = r.holds[i] || n.tag == markup.TagMain || n.tag == markup.TagArticle
		r.holds[n.parent] = r.holds[n.parent] || r.holds[i]
	}
	for i := 1; i < len(ch.nodes); i++ {
		n := &ch.nodes[i]
		r.beside[i] = r.beside[n.parent] || n.own&inAside != 0 || n.own&saysSide != 0 && !r.holds[i]
	}
	return r.beside
}

// inMainPart reports whether a block stands in the page's main or an article element, and
// in no frame there but perhaps a sidebar.
func (b *block) inMainPart() bool {
	const beside = inNav | inFooter | inButton | inHidden | inSilence | inNoscript | saysMenu | saysFooter | saysPager | saysCrumb | saysComment | saysShare | saysPopup
	return b.hints&(inMain|inArticle) != 0 && b.hints&beside == 0
}

// dropComments takes what names around it say to be comments out of the body of what is
// surely an article, where enough of an article stands before them. Readers' comments
// look like a story to the forests, and on forums they are one.
func (ch *chooser) dropComments(kept []bool, hunch *[kinds]int32) {
	if certainty(hunch, kindArticle) < surelyArticle {
		return
	}
	first, before := 0, 0
	for ; first < len(kept) && (!kept[first] || ch.blocks[first].hints&saysComment == 0); first++ {
		if kept[first] {
			before += ch.blocks[first].size()
		}
	}
	if before < leastArticle {
		return
	}
	for i := first; i < len(kept); i++ {
		kept[i] = kept[i] && ch.blocks[i].hints&saysComment == 0
	}
}

const (
	surelyArticle = 0.6 // the share of an article's chance in that of all types
	leastArticle  = 200 // bytes of an article before its comments
)

// shortBody is the size in bytes below which a body has the page's title as its
// first line: pages of a manual differ by little else. What looks like an article
// does without, since people put it into 4% of such bodies, short or long.
const shortBody = 1000

// nameBlock returns the heading that is the page's title, or -1. It is the
// view's Title and not of a longer body: a fingerprint must not depend on how a
// template marks it.
func (ch *chooser) nameBlock() int {
	c := &ch.census
	named := ch.room.table.column(colInTitle)
	if c.h1 >= 0 && named[c.h1] != 0 {
		return c.h1
	}
	longest := 0
	for i := range c.titles {
		longest = max(longest, c.titles[i].bytes)
	}
	for i := range ch.blocks {
		if b := &ch.blocks[i]; b.tag.Heading() && named[i] != 0 && b.size()*2 >= longest {
			return i
		}
	}
	return -1
}

// threshold returns the probability from which a block is body: the one whose
// choice has the best F1 to be expected, which is half of that F1 (Lipton,
// Elkan, Narayanaswamy 2014). So it is near a half on a clear page and lower
// where nothing is sure, as on shops and listings. A choice and its F1 are
// found in turn.
func (ch *chooser) threshold(p []float32) float32 {
	var expected float32
	for i := range p {
		expected += float32(p[i] * float32(ch.blocks[i].size()))
	}
	t := float32(0.25)
	for range 6 {
		var hit, kept float32
		for i := range p {
			if p[i] >= t {
				n := float32(ch.blocks[i].size())
				kept += n
				hit += float32(p[i] * n)
			}
		}
		t = max(hit/(kept+expected), 0.1)
	}
	return t
}

// chances are the probabilities of scores from -8 to 8 logits, in steps of a
// 64th: a table is quicker than the exponential.
var chances = func() (table [16*64 + 1]float32) {
	for i := range table {
		table[i] = float32(1 / (1 + math.Exp(8-float64(i)/64)))
	}
	return table
}()

// chance returns the probability that a score stands for.
func chance(score int32) float32 {
	return chances[min(max((score+8*Logit)/(Logit/64), 0), 16*64)]
}

// scoreOf returns the lowest score that stands for a probability, or the highest
// of chances.
func scoreOf(p float32) int32 {
	step := sort.Search(len(chances)-1, func(i int) bool { return chances[i] >= p })
	return int32(step)*(Logit/64) - 8*Logit
}

// coarse puts a score from -6 to 6 logits into one of 64 steps.
func coarse(score int32) int { return int(min(max((score+6*Logit)/(Logit*12/63), 0), 63)) }

// look sets the second forest's columns.
func (ch *chooser) look(t *table, alone []int32) {
	ch.weigh(alone)
	r := &ch.room
	n := len(alone)
	own := t.column(lookOwn)
	for i, s := range alone {
		own[i] = uint8(coarse(s))
	}
	for _, s := range [...]struct{ col, away int }{
		{lookPrev, -1}, {lookPrev2, -2}, {lookPrev3, -3}, {lookNext, 1}, {lookNext2, 2}, {lookNext3, 3},
	} {
		to := t.column(s.col)
		for i := max(0, -s.away); i < n && i+s.away < n; i++ {
			to[i] = own[i+s.away] + 1 // 0 is the end of the page
		}
	}
	between := func(from, to int) int { return share{r.mass[to] - r.mass[from], r.bulk[to] - r.bulk[from]}.in64ths() }
	in := func(node int32) int { return share{r.sum[node], r.size[node]}.in64ths() }
	heading := -1
	for i := range n {
		b := &ch.blocks[i]
		parent := ch.nodes[b.node].parent
		grand := ch.nodes[parent].parent
		great := ch.nodes[grand].parent
		t.set(lookWindow, i, between(max(i-8, 0), min(i+9, n)))
		t.set(lookFar, i, between(max(i-40, 0), min(i+41, n)))
		t.set(lookParent, i, in(parent))
		t.set(lookGrand, i, in(grand))
		t.set(lookGreat, i, in(great))
		t.set(lookGreater, i, in(ch.nodes[great].parent))
		t.set(lookLikes, i, r.likes[ch.census.likeness[i]].in64ths())
		t.set(lookPage, i, between(0, n))
		t.set(lookBefore, i, share{r.mass[i], r.mass[n]}.in64ths())
		if heading >= 0 {
			t.set(lookUnder, i, 1+int(own[heading]))
		}
		if b.tag.Heading() {
			heading = i
		}
	}
	next := n // the next heading
	for i := n - 1; i >= 0; i-- {
		if ch.blocks[i].tag.Heading() {
			t.set(lookSection, i, 1+between(i+1, next))
			next = i
		}
	}
}

// weigh sums the expected body by node, by group and along the page.
func (ch *chooser) weigh(alone []int32) {
	r := &ch.room
	n := len(alone)
	r.sum, r.size = reuse.Slice(r.sum, len(ch.nodes)), reuse.Slice(r.size, len(ch.nodes))
	r.mass, r.bulk = reuse.Slice(r.mass, n+1), reuse.Slice(r.bulk, n+1)
	r.likes = reuse.Slice(r.likes, len(ch.census.groups))
	for i, s := range alone {
		b := &ch.blocks[i]
		size := float32(min(b.size(), 600)) + 10
		mass := float32(size * chance(s))
		r.sum[b.node] += mass
		r.size[b.node] += size
		r.mass[i+1] = r.mass[i] + mass
		r.bulk[i+1] = r.bulk[i] + size
		g := &r.likes[ch.census.likeness[i]]
		g.mass += mass
		g.bulk += size
	}
	for i := len(ch.nodes) - 1; i > 0; i-- {
		p := ch.nodes[i].parent
		r.sum[p] += r.sum[i]
		r.size[p] += r.size[i]
	}
}

func (s share) in64ths() int {
	if s.bulk <= 0 {
		return 0
	}
	return int(s.mass * 64 / s.bulk)
}

// keepBest keeps the container with the best text where no block was sure:
// a page that shows text has a body.
func (ch *chooser) keepBest(kept []bool, score []int32) {
	best, at := math.Inf(-1), -1
	for i := range score {
		b := &ch.blocks[i]
		if s := float64(score[i])/Logit + math.Log(float64(b.size())); s > best && int(b.linked) < b.size() {
			best, at = s, i
		}
	}
	if at < 0 {
		return
	}
	parent := ch.nodes[ch.blocks[at].node].parent
	for i := range kept {
		b := &ch.blocks[i]
		n := b.node
		same := n == ch.blocks[at].node || ch.nodes[n].parent == parent && parent != 0
		kept[i] = i == at || same && int(b.linked)*2 < b.size() && float64(score[i])/Logit > best-4
	}
}

// join returns the text of the kept blocks, a line each.
func (ch *chooser) join(kept []bool) string {
	n := 0
	for i, k := range kept {
		if k {
			n += ch.blocks[i].size() + 1
		}
	}
	if n == 0 {
		return ""
	}
	var out strings.Builder
	out.Grow(n - 1)
	for i, k := range kept {
		if !k {
			continue
		}
		if out.Len() > 0 {
			out.WriteByte('\n')
		}
		out.Write(ch.text[ch.blocks[i].from:ch.blocks[i].to])
	}
	return out.String()
}
