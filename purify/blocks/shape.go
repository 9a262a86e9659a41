package blocks

import (
	"bytes"

	"gatecrawl.example/gatecrawl/purify/internal/reuse"
	"gatecrawl.example/gatecrawl/purify/markup"
	"gatecrawl.example/gatecrawl/splitmix"
)

// maxPaths bounds the distinct paths of a layout.
const maxPaths = 4096

// A place is hashes of where a container is.
type place struct {
	path uint32 // of its tag, its classes without digits, and half of its parent's path
	tags uint32 // of its tag and those of all containers around it
	full uint32 // of its own, all of its parent's path and the tags around it
	id   uint32 // of the id that it has instead of classes; 0: none
	look uint32 // of its attributes of presentation, if it has neither classes nor that id, or every page has it; 0: none
}

// placeOf returns the place of the node of a container.
func placeOf(l *markup.Lexer, parent *Node) place {
	own, name, look := fnv32([]byte{byte(l.Tag)}), uint32(0), uint32(0)
	own = (own ^ nameHash(l)) * 16777619
	if class, ok := l.Attr("class"); ok && !onEveryPage(l.Tag) {
		own = hashLetters(own, class)
	} else if id, ok := l.Attr("id"); ok && l.Tag == markup.TagDiv {
		name = hashLetters(2166136261, id)
	} else {
		look = lookOf(l)
	}
	return place{
		// Half of the parent's bits are its own, half its parent's.
		path: own&0xffff | (parent.Path&0xffff)<<16,
		tags: (parent.tags ^ uint32(l.Tag)) * 16777619,
		full: ((own^parent.Path*2654435761)*16777619 ^ parent.tags) * 2654435761,
		id:   name,
		look: look,
	}
}

// lookOf returns a hash of the attributes that say how an element looks, which pages without style sheets have (HTML
// 4.01, 15: alignment, font styles, and rules); 0 if it has none. Of a picture its name counts. The value of a length
// does not: it follows what is in the element.
func lookOf(l *markup.Lexer) (look uint32) {
	for i := range l.Attrs {
		a := &l.Attrs[i]
		h := fnv32(a.Key)
		switch string(a.Key) {
		case "align", "alink", "background", "bgcolor", "border", "bordercolor", "cellpadding", "cellspacing", "link", "text", "valign", "vlink":
			for _, c := range a.Val[bytes.LastIndexByte(a.Val, '/')+1:] {
				if c != '#' {
					h = (h ^ uint32(c|' ')) * 16777619 // A is a
				}
			}
		case "bottommargin", "height", "leftmargin", "marginheight", "marginwidth", "rightmargin", "topmargin", "width":
		default:
			continue
		}
		look ^= uint32(splitmix.Mix(uint64(h)))
	}
	return look
}

// hashLetters hashes a name without its digits, which differ from page to page of a template:
// post-4711 counts as post-.
func hashLetters(h uint32, name []byte) uint32 {
	for _, c := range name {
		if c < '0' || c > '9' {
			h = (h ^ uint32(c)) * 16777619
		}
	}
	return h
}

// mostBody is the share of the body that a container must have to be the one that holds it, and
// mostlyBody the share of that container's text that must be body.
const (
	mostBody   = 0.9
	mostlyBody = 2. / 3
)

// A nodeText is the text in a container, in bytes.
type nodeText struct {
	body, all int32
	around    bool // it is, or contains, the container that holds the body
	inside    bool // it is part of the body
	depth     int32
}

// weightOf returns what the path of a container counts in a layout. The outermost containers are the template's, and
// there are few; further inside pages of one template differ.
func weightOf(depth int32) int32 { return max(1, 4-depth) }

// ofList reports whether an element is a list or one of its items.
func ofList(t markup.Tag) bool {
	switch t {
	case markup.TagUl, markup.TagOl, markup.TagLi, markup.TagDl, markup.TagDt, markup.TagDd:
		return true
	}
	return false
}

// weightOfPage is what the look of the page itself counts: as much as two of the outermost containers. Of a page
// with few of them it decides, since a part of these may be taken for body on one page and not on the next.
const weightOfPage = 6

// onEveryPage reports whether all pages have an element: its path tells a template from another only by its look.
func onEveryPage(t markup.Tag) bool {
	return t == markup.TagHtml || t == markup.TagHead || t == markup.TagBody
}

// Layout returns a hash of the tag skeleton of the page's frame; body says which blocks are the
// page's body. Similar layouts differ in few bits. It is the SimHash (Charikar 2002) of the
// distinct paths of containers: the classes of three, the ids that two have if they are divisions without a class, the attributes of presentation of those
// with neither, and the tags of all that are around them. So
// the markup that an article has of its own (a head, a list of labels) is in another layout in
// another site's template, and one class at the top that differs does not change all paths. Each bit
// has the value that it has in most hashes of paths by weightOf, and where as many have either, that of the first. A template
// gives the same paths to all its pages, however long their texts are,
// so the paths are a set, without counts. Whatever is in the container that holds the body does not
// count, and neither do containers whose only text is the body's: an article has its own markup.
// The layout of a page without containers is 0, and no other page's is.
func (o *Outline) Layout(body []bool) uint64 {
	o.below = append(o.below[:0], make([]nodeText, len(o.Nodes))...)
	below := o.below
	for i := range o.Blocks {
		n := &below[o.Blocks[i].Node]
		size := int32(o.Blocks[i].Size())
		n.all += size
		if body[i] {
			n.body += size
		}
	}
	for i := len(o.Nodes) - 1; i > 0; i-- {
		n := &below[o.Nodes[i].Parent]
		n.body, n.all = n.body+below[i].body, n.all+below[i].all
	}
	holder := 0
	for i := 1; i < len(o.Nodes); i++ { // parents come first
		if float64(below[i].body) >= mostBody*float64(below[0].body) && below[0].body > 0 {
			holder = i
		}
	}
	for holder > 0 && ofList(o.Nodes[holder].Tag) { // the article's own
		holder = int(o.Nodes[holder].Parent)
	}
	if float64(below[holder].body) < mostlyBody*float64(below[holder].all) || onEveryPage(o.Nodes[holder].Tag) {
		holder = 0 // the frame is in it too
	}
	for i := holder; i > 0; i = int(o.Nodes[i].Parent) {
		below[i].around = true
	}
	o.seen = reuse.Map(o.seen)
	var ones [64]int32
	count, first := int32(0), uint64(0)
	for i := 1; i < len(o.Nodes); i++ {
		n := &o.Nodes[i]
		b := &below[i]
		all := onEveryPage(n.Tag)
		weight := int32(weightOfPage)
		if !all {
			b.depth = below[n.Parent].depth + 1
			weight = weightOf(b.depth)
		}
		b.inside = holder > 0 && int(n.Parent) == holder || below[n.Parent].inside || b.all > 0 && b.body == b.all && !b.around
		if all && n.look == 0 || !all && b.inside {
			continue
		}
		above := &o.Nodes[n.Parent]
		path := n.full ^ (n.id^n.look)*2654435761 ^ (above.id^above.look)*2246822519
		if _, ok := o.seen[path]; ok || len(o.seen) >= maxPaths {
			continue
		}
		o.seen[path] = struct{}{}
		h := splitmix.Mix(uint64(path))
		if count == 0 {
			first = h
		}
		for i := range ones {
			ones[i] += weight * int32(h>>i&1)
		}
		count += weight
	}
	var sum uint64
	for i, n := range ones {
		if 2*n > count || 2*n == count && first>>i&1 == 1 {
			sum |= 1 << i
		}
	}
	if len(o.Nodes) > 1 {
		return max(1, sum)
	}
	return 0
}
