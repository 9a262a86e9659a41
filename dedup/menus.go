package dedup

import "gatecrawl.example/gatecrawl/purify"

// belowMenu returns a page that is compared with its links without those above its first line outside links; nil if it has none there, or nothing
// else. Generators of manuals put the menu of a part above its pages, such as all letters of an index, and another version has another one. What
// a page lists is below its heading.
func (t *Text) belowMenu() *Text {
	first, above := -1, false
	for i := range t.blocks {
		if t.isExcluded(i) {
			continue
		}
		if !t.blocks[i].Linked {
			first = i
			break
		}
		above = true
	}
	if first < 0 || !above || !t.Thin {
		return nil
	}
	i := -1
	return t.of(func(*purify.Block) bool { i++; return i >= first }, true)
}

// isBelowOtherMenu reports whether two pages have no link in common above their first lines outside links: they stand among other things. below
// and other are what is below these links.
func (t *Text) isBelowOtherMenu(o, below, other *Text) bool {
	theirs := make(map[string]bool)
	for i := range o.blocks[:len(o.blocks)-len(other.blocks)] {
		theirs[o.blocks[i].Text] = !o.isExcluded(i)
	}
	for i := range t.blocks[:len(t.blocks)-len(below.blocks)] {
		if !t.isExcluded(i) && theirs[t.blocks[i].Text] {
			return false
		}
	}
	return true
}
