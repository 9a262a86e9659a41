package purify

import "slices"

// A menu that only a part of a site's pages have, such as its lists of months and tags, is not part
// of what they say.
const (
	leastMenu      = 5   // consecutive links of a menu
	longMenu       = 160 // or this many bytes of them, such as a cloud of tags in one block
	leastMenuPages = 8   // pages that have all of the links, each link on about the same number
	leastChosen    = 15  // links of a menu that the models took for body, or of a Block.Cloud; a shorter one may be a list that several pages have
)

// WithoutMenus removes menus from a page's own blocks: runs of links of which each is on about the
// same number of the site's pages; only long runs if the models took them for body. (A single link
// counts as frame only if it is on a quarter of the pages, since the title of a post is on many
// lists.) own has the indexes of the page's own blocks, in rising order; the result uses its
// memory. The templates are those that apply to the page.
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

// linksIn returns the least number of links that a block has.
func linksIn(b *Block) int {
	if b.Cloud {
		return leastChosen
	}
	return 1
}

// onPages returns how many pages of the site have a link, 0 for any other block.
func onPages(b *Block, templates []*Template) (pages int) {
	if !b.Linked || b.Pinned {
		return 0
	}
	for _, t := range templates {
		pages = max(pages, int(t.pages(b.Print)))
	}
	return pages
}

// shareMenus marks the blocks of menus as Shared, and returns the indexes of those that the
// template does not have otherwise.
func (t *Template) shareMenus(blocks []Block) (menus []int32) {
	if t.Blocks() == 0 || !slices.ContainsFunc(blocks, func(b Block) bool { return b.Linked }) {
		return nil
	}
	own := make([]int32, 0, len(blocks))
	for i := range blocks {
		if !blocks[i].Shared {
			own = append(own, int32(i))
		}
	}
	menus = slices.Clone(own)
	left := WithoutMenus(blocks, own, []*Template{t})
	menus = slices.DeleteFunc(menus, func(i int32) bool {
		_, is := slices.BinarySearch(left, i)
		return is
	})
	for _, i := range menus {
		blocks[i].Shared = true
	}
	return menus
}
