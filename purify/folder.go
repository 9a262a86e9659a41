package purify

import (
	"cmp"
	"slices"
	"strings"
)

// A host may have many sites: an organization's manuals, each in a folder, the blogs of its users,
// or one site in twenty languages. What the pages of such a folder repeat is on too few pages of
// the host to be in the host's template. So folders have a Site and a Template of their own, and
// With joins the templates that apply to a page.

// maxFolders is how many folders of a page's URL are learned, the widest first.
const maxFolders = 2

// FoldersFrom is how many pages of a host, and then of a folder, must have counted before the
// folders below it are learned. With fewer pages, the host's own template has what they repeat.
const FoldersFrom = 33

// FoldersOf returns the folders in a URL that may be sites of their own, the widest first: a/ and
// a/b/ for https://example.org/a/b/c/page. For https://example.org/a/b/ the last one is the page
// itself, and itself is true: the URL does not tell whether it is the first page of a site or one
// of many pages in a/, so it counts for a/b/ only if other pages have counted there.
func FoldersOf(url string) (folders []string, itself bool) {
	if _, rest, ok := strings.Cut(url, "://"); ok {
		_, url, _ = strings.Cut(rest, "/")
	}
	if end := strings.IndexAny(url, "?#"); end >= 0 {
		url = url[:end]
	}
	end := 0
	for len(folders) < maxFolders {
		n := strings.IndexByte(url[end:], '/')
		if n < 0 {
			break
		}
		end += n + 1
		folders = append(folders, url[:end])
	}
	return folders, end > 0 && end == len(url)
}

// Pages returns how many pages count. On a host with many pages only some count, and older ones
// count less.
func (s *Site) Pages() int { return s.fed }

// Pages returns how many of its site's pages counted when the template was made.
func (t *Template) Pages() int {
	if t == nil {
		return 0
	}
	return t.fed
}

// IsSiteIn reports whether the folder of this template is a site of its own: the template around it
// lacks most of the blocks that half of the folder's pages have. If it is not, the template around
// it already has what the pages repeat, and the links that they list are their own content.
func (t *Template) IsSiteIn(around *Template) bool {
	return isOwn(t.frameIn(around))
}

func isOwn(frame, known int) bool { return 2*known < frame }

// frameIn returns how many blocks half of the folder's pages have, and how many of these the template around it
// has as links of its frame.
func (t *Template) frameIn(around *Template) (frame, known int) {
	for _, r := range t.blocks() {
		if t.isOnMost(r) {
			frame++
			if around.frames(around.pages(r.print), false, true) {
				known++
			}
		}
	}
	return frame, known
}

// isOnMost reports whether half of the pages have a block.
func (t *Template) isOnMost(r row) bool {
	return int(r.pages) >= minPages && 2*int(r.pages) >= t.fed && r.print.OfBlock()
}

func (t *Template) blocks() []row {
	if t == nil {
		return nil
	}
	return t.rows
}

// With returns the template for the pages of a folder. It has what the host's template has, and
// adds something of each folder around the pages, the widest first: all of the folder's template if
// the folder is a site of its own; otherwise what andFrameOf adds, if the folder is large and the
// template around it lacks part of what half of the folder's pages have. The generation is the sum
// of the generations.
//
// A nil folder is one of which nothing is known yet. Its pages may have an unknown frame, so the
// host's template is used only for pages that have most of what most pages of the host have: see
// For.
func (t *Template) With(folders ...*Template) *Template {
	if len(folders) > 0 && folders[0] == nil {
		return t.asked()
	}
	w := t
	for _, f := range folders {
		switch frame, known := f.frameIn(w); {
		case isOwn(frame, known):
			w = w.and(f)
		case known < frame && f.fed >= forgotten:
			w = w.andFrameOf(f)
		}
	}
	return w
}

// andFrameOf returns a template that also has the blocks that are on as many pages of a folder as a
// link of a frame must be. Two versions of a manual share most of their frame, so that neither is a
// site of its own; while pages of the second are crawled, the host's template has less and less of
// the first.
func (t *Template) andFrameOf(folder *Template) *Template {
	var rows, more []row
	for _, r := range folder.rows {
		if !r.print.OfBlock() || !folder.frames(r.pages, false, true) || t.frames(t.pages(r.print), false, true) {
			continue
		}
		if rows == nil {
			rows = slices.Clone(t.rows)
		}
		r.pages = uint16(min(int(r.pages)*t.fed/folder.fed, t.fed))
		at, known := slices.BinarySearchFunc(rows, r, func(a, b row) int { return cmp.Compare(a.print, b.print) })
		if known {
			rows[at] = r
		} else {
			more = append(more, r)
		}
	}
	if rows == nil {
		return t
	}
	return &Template{generation: t.generation + folder.generation, fed: t.fed, rows: bounded(merge(rows, more))}
}

// forgotten is how many pages of a folder must have counted before it adds to its host's template.
// A host halves its counts each time that as many more pages have counted.
const forgotten = maxFed / 2

// asked returns a host's template for the pages of an unknown folder, which is used through For;
// nil if no block is on most of the host's pages and its titles have no part in common. If only the titles have,
// For returns nil for every page: the template tells the name of the host and nothing of its frame.
func (t *Template) asked() *Template {
	most, named := 0, 0
	for _, r := range t.blocks() {
		switch {
		case t.isOnMost(r):
			most++
		case !r.print.OfBlock() && t.frames(r.pages, false, true):
			named = 1
		}
	}
	if most = max(most, named); most == 0 {
		return nil
	}
	return &Template{generation: t.generation, fed: t.fed, rows: t.rows, most: most}
}

// For returns the template for a page whose blocks have these names: t, or nil if the page's folder
// is not known and the page lacks most of what most pages of the host have, so that it may belong
// to another site.
func (t *Template) For(page []Print) *Template {
	if !t.Asks() {
		return t
	}
	has := 0
	for _, p := range page {
		if t.isOnMost(row{p, t.pages(p)}) {
			has++
		}
	}
	if 2*has < t.most {
		return nil
	}
	return t
}

// Asks reports whether For may return something other than the template itself.
func (t *Template) Asks() bool { return t != nil && t.most > 0 }

// and returns a template that also has the rows of a folder's. Its counts are those of the folder's
// pages: a block of the host's template is assumed to be on the same share of them as of the host's
// pages.
func (t *Template) and(folder *Template) *Template {
	if t.Blocks() == 0 {
		return &Template{generation: t.Generation() + folder.generation, fed: folder.fed, rows: folder.rows}
	}
	rows := make([]row, 0, len(t.rows)+len(folder.rows))
	own := folder.rows
	for _, r := range t.rows {
		for len(own) > 0 && own[0].print < r.print {
			rows, own = append(rows, own[0]), own[1:]
		}
		r.pages = uint16(min(max(1, int(r.pages)*folder.fed/t.fed), folder.fed))
		if len(own) > 0 && own[0].print == r.print {
			r.pages, own = max(r.pages, own[0].pages), own[1:]
		}
		rows = append(rows, r)
	}
	return &Template{generation: t.generation + folder.generation, fed: folder.fed, rows: bounded(append(rows, own...))}
}
