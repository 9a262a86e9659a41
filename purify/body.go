package purify

import (
	"math"
	"strings"
)

// The body is chosen in two steps. First every block is scored alone, as the
// sum of the weights of what holds for it. Then the score is seen beside those
// of its neighbours and of the containers around it, and the blocks above the
// threshold are the body. The weights were fitted on pages with known bodies;
// see fit_test.go.

// The second step's inputs.
const (
	lookOwn = iota
	lookBias
	lookPrev
	lookNext
	lookPrev2
	lookNext2
	lookParent
	lookGrand
	lookGreat
	lookPage
	lookHeading
	lookCount
)

// rooms are the choice's work space, kept from page to page.
type rooms struct {
	alone, sure, sum, size []float32
	looks                  [][lookCount]float32
	list                   []feature
	kept                   []bool
	page                   []uint8 // the page's row
}

// choose reports for each block whether it is body. The answer is valid until
// the outline is done.
func (o *outline) choose() []bool {
	if len(o.blocks) == 0 {
		return nil
	}
	c := o.count()
	o.room.alone = zeroed(o.room.alone, len(o.blocks))
	alone := o.room.alone
	list := o.room.list
	for i := range o.blocks {
		list = o.features(list[:0], c, i)
		var sum float32
		for _, f := range list {
			sum += weights[f]
		}
		alone[i] = sum
	}
	o.room.list = list
	return o.decide(alone, &lookWeights)
}

// decide takes the second step.
func (o *outline) decide(alone []float32, second *[lookCount]float32) []bool {
	looks := o.looks(alone)
	o.room.sure = zeroed(o.room.sure, len(looks))
	p := o.room.sure
	for i := range looks {
		var sum float32
		for j, x := range looks[i] {
			sum += second[j] * x
		}
		p[i] = sigmoid(sum)
	}
	t := o.threshold(p)
	o.room.kept = zeroed(o.room.kept, len(p))
	kept := o.room.kept
	some := false
	for i := range p {
		kept[i] = p[i] >= t && (p[i] >= sureBlock || t < clearPage || !o.frame(&o.blocks[i]))
		some = some || kept[i]
	}
	if !some {
		o.keepBest(kept, alone)
	}
	return kept
}

// On a page with a threshold of clearPage or more, what looks like the frame of
// an article is not kept below sureBlock. The known bodies hold 22% of the short
// blocks in an article that speak of dates and authors, and the weights alone
// give a byline 0.8; a fingerprint must not depend on it.
const (
	clearPage = 0.44
	sureBlock = 0.9
)

// frame reports whether a block is a byline or the like, or mostly links.
func (o *outline) frame(b *block) bool {
	if b.tag.heading() {
		return false
	}
	if int(b.linked)*2 > b.size() {
		return true
	}
	n := &o.nodes[b.node]
	near := n.own | o.nodes[n.parent].own
	return b.size() < 120 && near&(saysMeta|saysBio|saysShare|saysCrumb|saysPager|saysAction) != 0
}

// threshold returns the probability from which a block is body: the one whose
// choice has the best F1 to be expected, which is half of that F1 (Lipton,
// Elkan, Narayanaswamy 2014). So it is near a half on a clear page and lower
// where nothing is sure. A choice and its F1 are found in turn.
func (o *outline) threshold(p []float32) float32 {
	var expected float32
	for i := range p {
		expected += p[i] * float32(o.blocks[i].size())
	}
	t := float32(0.25)
	for range 6 {
		var hit, kept float32
		for i := range p {
			if p[i] >= t {
				n := float32(o.blocks[i].size())
				kept += n
				hit += p[i] * n
			}
		}
		t = max(hit/(kept+expected), 0.1)
	}
	return t
}

func sigmoid(x float32) float32 { return float32(1 / (1 + math.Exp(-float64(x)))) }

// looks returns the inputs of the second step.
func (o *outline) looks(alone []float32) [][lookCount]float32 {
	o.room.sum = zeroed(o.room.sum, len(o.nodes))
	o.room.size = zeroed(o.room.size, len(o.nodes))
	o.room.sure = zeroed(o.room.sure, len(alone))
	sum, size, p := o.room.sum, o.room.size, o.room.sure
	for i, s := range alone {
		p[i] = sigmoid(s)
		b := &o.blocks[i]
		n := float32(min(b.size(), 600)) + 10
		sum[b.node] += n * p[i]
		size[b.node] += n
	}
	for i := len(o.nodes) - 1; i > 0; i-- {
		sum[o.nodes[i].parent] += sum[i]
		size[o.nodes[i].parent] += size[i]
	}
	at := func(i int) float32 {
		if i < 0 || i >= len(p) {
			return 0
		}
		return p[i]
	}
	o.room.looks = zeroed(o.room.looks, len(alone))
	looks := o.room.looks
	for i := range looks {
		b := &o.blocks[i]
		parent := o.nodes[b.node].parent
		grand := o.nodes[parent].parent
		great := o.nodes[grand].parent
		l := &looks[i]
		l[lookOwn] = alone[i]
		l[lookBias] = 1
		l[lookPrev], l[lookNext] = at(i-1), at(i+1)
		l[lookPrev2], l[lookNext2] = at(i-2), at(i+2)
		l[lookParent] = sum[parent] / size[parent]
		l[lookGrand] = sum[grand] / size[grand]
		l[lookGreat] = sum[great] / size[great]
		l[lookPage] = sum[0] / size[0]
		if b.tag.heading() {
			l[lookHeading] = at(i + 1)
		}
	}
	return looks
}

// keepBest keeps the container with the best text where no block was sure:
// a page that shows text has a body.
func (o *outline) keepBest(kept []bool, alone []float32) {
	best, at := float32(math.Inf(-1)), -1
	for i := range alone {
		b := &o.blocks[i]
		if s := alone[i] + float32(math.Log(float64(b.size()))); s > best && int(b.linked) < b.size() {
			best, at = s, i
		}
	}
	if at < 0 {
		return
	}
	parent := o.nodes[o.blocks[at].node].parent
	for i := range kept {
		b := &o.blocks[i]
		n := b.node
		same := n == o.blocks[at].node || o.nodes[n].parent == parent && parent != 0
		kept[i] = i == at || same && int(b.linked)*2 < b.size() && alone[i] > best-4
	}
}

// join returns the text of the kept blocks, a line each.
func (o *outline) join(kept []bool) string {
	n := 0
	for i, k := range kept {
		if k {
			n += o.blocks[i].size() + 1
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
		out.Write(o.text[o.blocks[i].from:o.blocks[i].to])
	}
	return out.String()
}
