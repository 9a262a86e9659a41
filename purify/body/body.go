package body

import (
	"bytes"
	"math"
	"sort"
	"strings"

	"gatecrawl.example/gatecrawl/purify/blocks"
	"gatecrawl.example/gatecrawl/purify/forest"
	"gatecrawl.example/gatecrawl/purify/hint"
	"gatecrawl.example/gatecrawl/purify/internal/reuse"
	"gatecrawl.example/gatecrawl/purify/markup"
	"gatecrawl.example/gatecrawl/purify/metadata"
)

// The body is chosen in two steps. A first forest scores every block by its own columns. A second
// one gets these columns together with the scores of the blocks around it and of the containers
// that it is in. cmd/train-purify has trained both on pages with known bodies. Then blocks at the
// same place of a template vote, labels are brought into agreement with their neighbours, and the
// blocks above the page's threshold are the body. The choice depends only on the page's bytes, so
// that two URLs of one page have one body. Products are rounded to float32 before they are summed:
// some machines would fuse the two operations, and a body must not depend on the machine.

// The second forest's columns. They come after those of the first.
const (
	lookOwn  = blockColumns + iota // the first forest's score
	lookPrev                       // of its neighbours
	lookPrev2
	lookPrev3
	lookNext
	lookNext2
	lookNext3
	lookWindow  // mean of the eight blocks on each side, weighted by size
	lookFar     // the same for forty
	lookParent  // means of the containers, weighted by size
	lookGrand   //
	lookGreat   //
	lookGreater //
	lookLikes   // mean of the blocks at places like its own
	lookPage    // mean of the page
	lookBefore  // share of the expected body that comes before
	lookSection // mean of the blocks below a heading, down to the next
	lookUnder   // the score of the heading above
	lookEnd
)

const lookColumns = lookEnd - blockColumns

// A Chooser chooses the body of a page and determines its type. It is reused from page to page.
type Chooser struct {
	*blocks.Outline
	census  census
	buf     buffers
	scratch []byte
}

// Hash returns a hash of a block's text.
func (ch *Chooser) Hash(block int) uint64 { return ch.census.sums[block] }

// FirstAlike returns the first block with the text of a block.
func (ch *Chooser) FirstAlike(block int) int { return int(ch.census.firsts[block]) }

// Probability returns how likely a block is body.
func (ch *Chooser) Probability(block int) float32 { return ch.buf.sure[block] }

// Release drops the page, and reports whether the memory is small enough to be reused for the next
// page.
func (ch *Chooser) Release() bool {
	ch.Outline = nil
	return ch.buf.table.Capacity() <= 4<<20
}

// buffers are the memory that the choice works in, reused from page to page.
type buffers struct {
	table        forest.Table
	alone, score []int32
	sure         []float32 // by block, the probability that it is body
	sum, size    []float32 // by node
	mass, bulk   []float32 // by block, summed from the first
	likes        []share   // by group
	kept         []bool
	page         []uint8 // the page's row
	chosen       []int32 // by node, bytes of the blocks that were chosen
	named        []bool  // by node, it holds the heading that names the page
	below        []bool  // by node: it is in a manual's main container
	inside       []bool  // by node: it is there and not in a frame
	within       []bool  // by node: it is in the element of the body, for keepBetween, in a list, for neighbours, or at a place, for keepAroundCode
	alike        []group // by group: of the blocks in the body
	voting       voting
	agreement    agreement
	labels       map[labelKey]int32
	places       []labelPlace // by group
	shown        map[shownKey]bool
	sells        bool            // the page may be of a product
	article      bool            // it is certainly an article
	thread       bool            // it is likely a thread
	doubtful     []bool          // by block, it was chosen, but is in a frame and not likely enough for that
	weak         []bool          // by block, it is not likely enough for a frame
	bare         []uint64        // by node: the path of its elements without classes
	again        []bool          // by block, the body has it already
	holds        []bool          // by node, the page's main part is in it
	beside       []bool          // by node: it is in a sidebar
	own          []int32         // by node: bytes in no frame
	near         []bool          // by block: it is in a list of neighbours
	lists        []neighbourList // by group
	topics       []topicList     // by group
	pane         []int32         // by node: the tab that it is in, from 1; 0: none
	kinds        []childKind     // by node: of its children
	items        []int32         // by node: the item of a list that it is in; 0: none
	spots        []uint64        // by node: its place in that item
	full         []int32         // the nodes with blocks
	listed       []uint8         // by node of a list: see listIn
	parts        []itemPart      // from 1
	partAt       map[itemPlace]int32
	partOf       []int32 // by block; 0: none
}

// A share is the expected size of the body in some text, and the size of the text, both in bytes.
type share struct{ mass, bulk float32 }

// Choose reports for each block whether it is in the body. The result is valid until the outline is
// reset.
func (ch *Chooser) Choose(m *metadata.Declared) []bool {
	ch.buf.items = ch.buf.items[:0]
	if len(ch.Blocks) == 0 {
		return nil
	}
	ch.Binding.Javadoc = ch.Binding.Javadoc || strings.HasPrefix(m.Generator, "javadoc")
	ch.Binding.API = ch.Binding.API || m.Generator == "rustdoc"
	ch.Binding.Gramps = strings.HasPrefix(m.Generator, "gramps")
	c := ch.count(m)
	hunch := ch.prior(m)
	t := ch.columns(c, m, hunch)
	ch.buf.alone = reuse.Slice(ch.buf.alone, len(ch.Blocks))
	forest.Blocks.ScoreAll(t, ch.buf.alone)
	ch.look(t, ch.buf.alone)
	ch.buf.score = reuse.Slice(ch.buf.score, len(ch.Blocks))
	forest.Places.ScoreAll(t, ch.buf.score)
	kept := ch.decide(ch.buf.score, hunch)
	return kept
}

// prior returns the score of each of Kinds before a body is known, in units of 1/Logit.
func (ch *Chooser) prior(m *metadata.Declared) *[typeCount]int32 {
	row := ch.pageRow(m, "", nil)
	var h [typeCount]int32
	for i := range h {
		h[i] = forest.Priors[i].Score(row)
	}
	return &h
}

// decide lets the blocks vote, determines the threshold of their scores, and brings them into
// agreement with their neighbours.
func (ch *Chooser) decide(score []int32, hunch *[typeCount]int32) []bool {
	ch.buf.sells = certainty(hunch, typeProduct) >= mayBeProduct
	ch.buf.article = certainty(hunch, typeArticle) >= surelyArticle
	ch.buf.thread = certainty(hunch, typeForum) >= likelyForum
	score = ch.vote(score)
	ch.buf.sure = reuse.Slice(ch.buf.sure, len(score))
	p := ch.buf.sure
	for i, s := range score {
		p[i] = chance(s)
	}
	from := scoreOf(ch.threshold(p))
	agreed := ch.agree(score, from, hunch)
	ch.buf.kept = reuse.Slice(ch.buf.kept, len(score))
	kept := ch.buf.kept
	name := ch.nameBlock()
	size := 0
	for i, s := range agreed {
		if i == name {
			continue
		}
		if kept[i] = s >= 0; kept[i] {
			size += ch.Blocks[i].Size()
		}
	}
	ch.markDoubtful(agreed, p)
	if ch.KeepRuns {
		for i, s := range agreed {
			p[i] = chance(s + from)
		}
	}
	if name < 0 && !ch.Binding.API && ch.saysNothing(p) { // a program that writes references fills no frame by a script
		clear(kept)
		return kept
	}
	if size == 0 {
		ch.keepBest(kept, score)
	}
	if name >= 0 {
		kept[name] = size < shortBody && certainty(hunch, typeArticle) <= likelyArticle
	}
	ch.fill(kept, name)
	ch.fillScala(kept)
	ch.dropByline(kept, name)
	ch.dropComments(kept)
	ch.dropLabels(kept)
	ch.dropPrinted(kept)
	ch.leaveSidebar(kept)
	return kept
}

// saysNothing reports whether no block is likely to be in the body, and the page has much more text than may be: then it is a
// frame that a script fills. All pages of a site may say the same there.
func (ch *Chooser) saysNothing(p []float32) bool {
	var expected float32
	for i := range p {
		if p[i] >= unlikely {
			return false
		}
		expected += float32(p[i] * float32(ch.Blocks[i].Size()))
	}
	return expected < leastExpected && expected*framePart < float32(len(ch.Text))
}

const (
	unlikely      = 0.35
	leastExpected = 200 // bytes
	framePart     = 16
)

// dropAround removes from the description of a product what others ask and answer about it, if some of the description
// precedes that, and what opens above the page. A part that has most of the body stays.
func (ch *Chooser) dropAround(kept []bool) {
	if !ch.buf.sells {
		return
	}
	ch.dropPart(kept, hint.SaysPopup, 0)
	ch.dropPart(kept, hint.SaysComment|hint.SaysForum|hint.SaysReply, leastArticle)
}

// dropPart removes the blocks with any of some hints from the body, if so many bytes of others precede them and they are
// not most of it.
func (ch *Chooser) dropPart(kept []bool, part hint.Set, before int) {
	all, in := 0, 0
	for i, k := range kept {
		if !k {
			continue
		}
		all += ch.Blocks[i].Size()
		if ch.Blocks[i].Hints&part != 0 {
			in += ch.Blocks[i].Size()
		}
	}
	if 2*in > all {
		return
	}
	seen := 0
	for i, k := range kept {
		switch b := &ch.Blocks[i]; {
		case k && b.Hints&part == 0:
			seen += b.Size()
		case k:
			kept[i] = seen < before
		}
	}
}

const (
	typeProduct  = 5
	mayBeProduct = 0.25 // the share of a product's chance in that of all types
)

// dropLabels removes from a thread what each of its posts repeats around its text: "Posts: 12", "Joined: 3 May", "Back to top".
// These are short texts that stand at one place in several posts, where no long text stands, and most of them start
// with one word or differ in numbers alone.
func (ch *Chooser) dropLabels(kept []bool) {
	if !ch.buf.thread {
		return
	}
	c := &ch.census
	labels := ch.buf.labels
	if labels == nil {
		labels = map[labelKey]int32{}
		ch.buf.labels = labels
	}
	clear(labels)
	places := reuse.Slice(ch.buf.places, len(c.groups))
	ch.buf.places = places
	for i := range ch.Blocks {
		p := &places[c.likeness[i]]
		p.long = p.long || ch.Blocks[i].Size() > longestLabel || ch.Blocks[i].IsProse()
	}
	for i := range kept {
		if place := c.likeness[i]; kept[i] && !places[place].long {
			key := labelKey{place, labelOf(ch.BlockText(i))}
			places[place].texts++
			if labels[key]++; key.label != 0 && labels[key] == leastLabels {
				places[place].labels += leastLabels
			} else if key.label != 0 && labels[key] > leastLabels {
				places[place].labels++
			}
		}
	}
	for i := range kept {
		if p := &places[c.likeness[i]]; kept[i] && !p.long && 4*p.labels >= 3*p.texts {
			key := labelKey{c.likeness[i], labelOf(ch.BlockText(i))}
			kept[i] = key.label == 0 || labels[key] < leastLabels
		}
	}
}

// A labelPlace counts the texts at places that look alike.
type labelPlace struct {
	texts, labels int32
	long          bool // a long text stands there
}

// A labelKey is a place of a page and the hash of a label there.
type labelKey struct {
	place int32
	label uint32
}

// labelOf returns a hash of the word before the first colon of a text that a space follows, or of all its letters if it has
// none. It is 0 if there are none, if the text may be source code, or if it has the number of a year and no such colon: that is
// who wrote a post when.
func labelOf(text []byte) uint32 {
	if bytes.ContainsAny(text, "(){}<>;=") {
		return 0
	}
	all, word, digits, year := uint32(keyBasis), uint32(0), 0, false
	for i, c := range text {
		switch {
		case markup.Letter(c) || c >= 0x80:
			if word == 0 {
				word = keyBasis
			}
			all, word = (all^uint32(c|0x20))*keyPrime, (word^uint32(c|0x20))*keyPrime
		case c == ':' && word != 0 && i+1 < len(text) && text[i+1] == ' ':
			return word
		default:
			word = 0
		}
		if digits++; !markup.Digit(c) {
			digits = 0
		}
		year = year || digits == 4
	}
	if all == keyBasis || year {
		return 0
	}
	return all
}

const (
	typeForum    = 3
	likelyForum  = 0.5
	longestLabel = 80 // bytes
	leastLabels  = 3
)

// dropPrinted removes from the body what is a footer on paper alone.
func (ch *Chooser) dropPrinted(kept []bool) {
	for i, k := range kept {
		kept[i] = k && !ch.IsPrinted(i)
	}
}

// IsPrinted reports whether a block is in a footer that is shown on paper alone: wikis have the page's URL in it.
func (ch *Chooser) IsPrinted(block int) bool {
	const printed = hint.SaysFooter | hint.SaysUnseen
	b := &ch.Blocks[block]
	if b.Hints&printed != printed {
		return false
	}
	n := &ch.Nodes[b.Node]
	return n.Own&printed == printed || ch.Nodes[n.Parent].Own&printed == printed
}

// dropStamp removes the line from the body that says when the page was made.
func (ch *Chooser) dropStamp(kept []bool) {
	if i := ch.stamp(); i >= 0 {
		kept[i] = false
	}
}

// IsMade reports whether a block is a line at the end of the page that says when the page was made, as generators of manuals
// write it. It is another line in each version of a manual, so that no template has it.
func (ch *Chooser) IsMade(block int) bool {
	return block >= len(ch.Blocks)-mostBelow && block == ch.stamp()
}

// stamp returns the only stamp among the last blocks of the page that is in a footer or a menu by the names around it, -1 if there is
// none or several: those may be a list of what happened.
func (ch *Chooser) stamp() int {
	const below = hint.InFooter | hint.SaysFooter | hint.InNav | hint.SaysMenu | hint.SaysCrumb
	found := -1
	for i := max(0, len(ch.Blocks)-mostBelow); i < len(ch.Blocks); i++ {
		if b := &ch.Blocks[i]; b.Hints&below == 0 || b.MostlyLinks() || !markup.IsStamp(ch.BlockText(i)) {
			continue
		}
		if found >= 0 {
			return -1
		}
		found = i
	}
	return found
}

// mostBelow is how many of the last blocks may be a stamp.
const mostBelow = 5

// leaveSidebar replaces a body that is a sidebar by all blocks of the page's main or article
// elements that are not in a frame. The forests sometimes choose a sidebar on lists of a tag or a
// month: their few links look less like a text than the site's description, its categories and its
// months. A page with prose stays as it is.
func (ch *Chooser) leaveSidebar(kept []bool) {
	beside := ch.sidebars()
	side, all, own, prose := 0, 0, 0, 0
	for i := range ch.Blocks {
		b := &ch.Blocks[i]
		if !beside[b.Node] && inMainPart(b) {
			own += b.Size()
		}
		if !kept[i] {
			continue
		}
		all += b.Size()
		if beside[b.Node] {
			side += b.Size()
		}
		if b.IsProse() && b.Hints&hint.InAside == 0 {
			prose++
		}
	}
	if prose > mostProse || side*2 <= all || own < leastOwn {
		return
	}
	for i := range ch.Blocks {
		b := &ch.Blocks[i]
		kept[i] = !beside[b.Node] && inMainPart(b)
	}
}

const (
	mostProse = 2 // blocks of prose, at most, in an element that is a sidebar only by its class
	leastOwn  = 8 // bytes, at least, of a main part that becomes the body: the name of one page
)

// sidebars reports for each node whether it is in a sidebar: an aside element, or one whose class
// says so, unless it contains the page's main part.
func (ch *Chooser) sidebars() []bool {
	r := &ch.buf
	r.holds, r.beside = reuse.Slice(r.holds, len(ch.Nodes)), reuse.Slice(r.beside, len(ch.Nodes))
	if h1 := ch.census.h1; h1 >= 0 {
		r.holds[ch.Blocks[h1].Node] = true
	}
	for i := len(ch.Nodes) - 1; i > 0; i-- {
		n := &ch.Nodes[i]
		r.holds[i] = r.holds[i] || n.Tag == markup.TagMain || n.Tag == markup.TagArticle
		r.holds[n.Parent] = r.holds[n.Parent] || r.holds[i]
	}
	for i := 1; i < len(ch.Nodes); i++ {
		n := &ch.Nodes[i]
		r.beside[i] = r.beside[n.Parent] || n.Own&hint.InAside != 0 || n.Own&hint.SaysSide != 0 && !r.holds[i]
	}
	return r.beside
}

// inMainPart reports whether a block is in the page's main or an article element, and there not in
// a frame, except perhaps a sidebar.
func inMainPart(b *blocks.Block) bool {
	const beside = hint.InNav | hint.InFooter | hint.InButton | hint.InHidden | hint.InSilence | hint.InNoscript | hint.SaysMenu | hint.SaysFooter | hint.SaysPager | hint.SaysCrumb | hint.SaysComment | hint.SaysShare | hint.SaysPopup
	return b.Hints&(hint.InMain|hint.InArticle) != 0 && b.Hints&beside == 0
}

// dropByline removes the byline below the page's heading from the body, unless the body has only
// that and the title. The view has it as Author and Date.
func (ch *Chooser) dropByline(kept []bool, name int) {
	byline := metadata.Byline(ch.Outline)
	if byline < 0 || !kept[byline] {
		return
	}
	for i, k := range kept {
		if k && i != byline && i != name {
			kept[byline] = false
			return
		}
	}
}

// dropComments removes readers' comments, which are recognized by class and id, from the body of a
// page that is certainly an article, if enough of the article precedes them. To the forests
// comments look like an article, and on forums they are the content.
func (ch *Chooser) dropComments(kept []bool) {
	if !ch.buf.article {
		return
	}
	first, before := 0, 0
	for ; first < len(kept) && (!kept[first] || ch.Blocks[first].Hints&hint.SaysComment == 0); first++ {
		if kept[first] {
			before += ch.Blocks[first].Size()
		}
	}
	if before < leastArticle {
		return
	}
	for i := first; i < len(kept); i++ {
		kept[i] = kept[i] && ch.Blocks[i].Hints&hint.SaysComment == 0
	}
}

const (
	surelyArticle = 0.6 // the share of an article's chance in that of all types
	likelyArticle = 0.5 // a page is an article rather than anything else
	leastArticle  = 200 // bytes of an article before its comments
)

// shortBody is the size in bytes below which a body has the page's title as its first line: short
// pages of a manual differ in little else. The body of an article does not get it, since people put
// the title into only 4% of such bodies.
const shortBody = 1000

// nameBlock returns the heading that is the page's title, or -1. It becomes the view's Title, and
// is not in a long body, since a fingerprint must not depend on how a template marks it up.
func (ch *Chooser) nameBlock() int {
	c := &ch.census
	named := ch.buf.table.Column(colInTitle)
	if c.h1 >= 0 && named[c.h1] != 0 {
		return c.h1
	}
	longest := 0
	for i := range c.titles {
		longest = max(longest, c.titles[i].bytes)
	}
	for i := range ch.Blocks {
		if b := &ch.Blocks[i]; b.Tag.Heading() && named[i] != 0 && b.Size()*2 >= longest {
			return i
		}
	}
	return -1
}

// threshold returns the probability from which a block is in the body: the one with the best
// expected F1, which is half of that F1 (Lipton, Elkan, Narayanaswamy 2014). So it is near .5 on a
// page with a clear body, and lower on pages without one, such as shops and listings. A choice and
// its F1 are computed in turn, six times.
func (ch *Chooser) threshold(p []float32) float32 {
	var expected float32
	for i := range p {
		expected += float32(p[i] * float32(ch.Blocks[i].Size()))
	}
	t := float32(0.25)
	for range 6 {
		var hit, kept float32
		for i := range p {
			if p[i] >= t {
				n := float32(ch.Blocks[i].Size())
				kept += n
				hit += float32(p[i] * n)
			}
		}
		t = max(hit/(kept+expected), 0.1)
	}
	return t
}

// chances are the probabilities of scores from -8 to 8 logits, in steps of a 64th. A table is
// faster than the exponential function.
var chances = func() (table [16*64 + 1]float32) {
	for i := range table {
		table[i] = float32(1 / (1 + math.Exp(8-float64(i)/64)))
	}
	return table
}()

// chance returns the probability of a score.
func chance(score int32) float32 {
	return chances[min(max((score+8*forest.Logit)/(forest.Logit/64), 0), 16*64)]
}

// scoreOf returns the lowest score with this probability, or the highest score of chances.
func scoreOf(p float32) int32 {
	step := sort.Search(len(chances)-1, func(i int) bool { return chances[i] >= p })
	return int32(step)*(forest.Logit/64) - 8*forest.Logit
}

// coarse puts a score from -6 to 6 logits into one of 64 steps.
func coarse(score int32) int {
	return int(min(max((score+6*forest.Logit)/(forest.Logit*12/63), 0), 63))
}

// look computes the columns of the second forest.
func (ch *Chooser) look(t *forest.Table, alone []int32) {
	ch.weigh(alone)
	r := &ch.buf
	n := len(alone)
	own := t.Column(lookOwn)
	for i, s := range alone {
		own[i] = uint8(coarse(s))
	}
	for _, s := range [...]struct{ col, away int }{
		{lookPrev, -1}, {lookPrev2, -2}, {lookPrev3, -3}, {lookNext, 1}, {lookNext2, 2}, {lookNext3, 3},
	} {
		to := t.Column(s.col)
		for i := max(0, -s.away); i < n && i+s.away < n; i++ {
			to[i] = own[i+s.away] + 1 // 0 stands for the end of the page
		}
	}
	between := func(from, to int) int { return share{r.mass[to] - r.mass[from], r.bulk[to] - r.bulk[from]}.in64ths() }
	in := func(node int32) int { return share{r.sum[node], r.size[node]}.in64ths() }
	heading := -1
	for i := range n {
		b := &ch.Blocks[i]
		parent := ch.Nodes[b.Node].Parent
		grand := ch.Nodes[parent].Parent
		great := ch.Nodes[grand].Parent
		t.Set(lookWindow, i, between(max(i-8, 0), min(i+9, n)))
		t.Set(lookFar, i, between(max(i-40, 0), min(i+41, n)))
		t.Set(lookParent, i, in(parent))
		t.Set(lookGrand, i, in(grand))
		t.Set(lookGreat, i, in(great))
		t.Set(lookGreater, i, in(ch.Nodes[great].Parent))
		t.Set(lookLikes, i, r.likes[ch.census.likeness[i]].in64ths())
		t.Set(lookPage, i, between(0, n))
		t.Set(lookBefore, i, share{r.mass[i], r.mass[n]}.in64ths())
		if heading >= 0 {
			t.Set(lookUnder, i, 1+int(own[heading]))
		}
		if b.Tag.Heading() {
			heading = i
		}
	}
	next := n // the next heading
	for i := n - 1; i >= 0; i-- {
		if ch.Blocks[i].Tag.Heading() {
			t.Set(lookSection, i, 1+between(i+1, next))
			next = i
		}
	}
}

// weigh sums the expected body by node, by group and along the page.
func (ch *Chooser) weigh(alone []int32) {
	r := &ch.buf
	n := len(alone)
	r.sum, r.size = reuse.Slice(r.sum, len(ch.Nodes)), reuse.Slice(r.size, len(ch.Nodes))
	r.mass, r.bulk = reuse.Slice(r.mass, n+1), reuse.Slice(r.bulk, n+1)
	r.likes = reuse.Slice(r.likes, len(ch.census.groups))
	for i, s := range alone {
		b := &ch.Blocks[i]
		size := float32(min(b.Size(), 600)) + 10
		mass := float32(size * chance(s))
		r.sum[b.Node] += mass
		r.size[b.Node] += size
		r.mass[i+1] = r.mass[i] + mass
		r.bulk[i+1] = r.bulk[i] + size
		g := &r.likes[ch.census.likeness[i]]
		g.mass += mass
		g.bulk += size
	}
	for i := len(ch.Nodes) - 1; i > 0; i-- {
		p := ch.Nodes[i].Parent
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

// keepBest keeps the container with the best text if no block reached the threshold: a page that
// has text has a body.
func (ch *Chooser) keepBest(kept []bool, score []int32) {
	best, at := math.Inf(-1), -1
	for i := range score {
		b := &ch.Blocks[i]
		if s := float64(score[i])/forest.Logit + math.Log(float64(b.Size())); s > best && int(b.Linked) < b.Size() {
			best, at = s, i
		}
	}
	if at < 0 {
		return
	}
	parent := ch.Nodes[ch.Blocks[at].Node].Parent
	for i := range kept {
		b := &ch.Blocks[i]
		n := b.Node
		same := n == ch.Blocks[at].Node || ch.Nodes[n].Parent == parent && parent != 0
		kept[i] = i == at || same && int(b.Linked)*2 < b.Size() && float64(score[i])/forest.Logit > best-4
	}
}

// Join returns the text of the kept blocks, one a line.
func (ch *Chooser) Join(kept []bool) string {
	n := 0
	for i, k := range kept {
		if k {
			n += ch.Blocks[i].Size() + 1
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
		out.Write(ch.Text[ch.Blocks[i].From:ch.Blocks[i].To])
	}
	return out.String()
}
