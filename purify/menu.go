package purify

import "slices"

// A menu on a part of a site's pages, such as its lists of months and tags, is not part of what
// they say.
const (
	leastMenu      = 5   // links, one behind the other
	longMenu       = 160 // or as many bytes of them, as a cloud of tags has in one block
	leastMenuPages = 8   // that have all of them, about as many pages the one as the other
	leastChosen    = 15  // links of one in a body, or of a Block.Cloud: a list of fewer may be what several pages list
)

// WithoutMenus takes runs of links out of a page's own blocks that the site has on about the same
// number of pages, each of them; long ones if its models take them for body. A link that stands
// alone takes a quarter of the pages to be of the frame, since the title of a post is on many
// lists. Own are the places of the page's own blocks, in rising order; what is returned is cut
// from it. The templates are the site's, or those of several.
func WithoutMenus(blocks []Block, own []int32, templates []*Template) []int32 {
	if len(templates) == 0 {
		return own
	}
	kept := own[:0]
	for from := 0; from < len(own); {
		least := onPages(&blocks[own[from]], templates)
		most, to, bytes, links := least, from+1, len(blocks[own[from]].Text), linksIn(&blocks[own[from]])
		chosen := blocks[own[from]].Chosen
		for ; to < len(own) && least >= leastMenuPages && blocks[own[to]].Chosen == chosen; to++ {
			n := onPages(&blocks[own[to]], templates)
			if 5*min(least, n) < 4*max(most, n) {
				break
			}
			least, most = min(least, n), max(most, n)
			bytes += len(blocks[own[to]].Text)
			links += linksIn(&blocks[own[to]])
		}
		if least < leastMenuPages || chosen && links < leastChosen || links < leastMenu && bytes < longMenu {
			kept = append(kept, own[from:to]...)
		}
		from = to
	}
	return kept
}

// linksIn returns how many links a block has at least.
func linksIn(b *Block) int {
	if b.Cloud {
		return leastChosen
	}
	return 1
}

// onPages returns on how many of its site's pages a link stands, 0 for any other block.
func onPages(b *Block, templates []*Template) (pages int) {
	if !b.Linked || b.Pinned {
		return 0
	}
	for _, t := range templates {
		pages = max(pages, int(t.pages(b.Print)))
	}
	return pages
}

// shareMenus notes of the blocks of menus that the template has them, and returns the places of those that
// it does not have otherwise.
func (t *Template) shareMenus(blocks []Block) (menus []int32) {
	menus = t.menusAmong(blocks, func(b *Block) bool { return !b.Shared })
	for _, i := range menus {
		blocks[i].Shared = true
	}
	return menus
}

// menusIn returns the places of blocks that are of menus, and that the template does not have otherwise.
func (t *Template) menusIn(blocks []Block) []int32 {
	return t.menusAmong(blocks, func(b *Block) bool { return !t.Has(b) })
}

// menusAmong returns the places of the page's own blocks that are of menus.
func (t *Template) menusAmong(blocks []Block, isOwn func(*Block) bool) []int32 {
	if t.Blocks() == 0 || !slices.ContainsFunc(blocks, func(b Block) bool { return b.Linked }) {
		return nil
	}
	own := make([]int32, 0, len(blocks))
	for i := range blocks {
		if isOwn(&blocks[i]) {
			own = append(own, int32(i))
		}
	}
	menus := slices.Clone(own)
	left := WithoutMenus(blocks, own, []*Template{t})
	return slices.DeleteFunc(menus, func(i int32) bool {
		_, is := slices.BinarySearch(left, i)
		return is
	})
}
