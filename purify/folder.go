package purify

import "strings"

// A host may hold many sites: the manuals of an organization, each in a folder, the blogs of
// its users, one site in twenty languages. What the pages of such a folder repeat is on too few
// pages of the host to be in its template, so that folders are learned too: each has a Site and
// a Template of its own, and With puts the templates of a page together.

// maxFolders is how many folders of a page are learned, the widest first.
const maxFolders = 2

// FoldersFrom is how many pages of a host, and then of a folder, count before the folders below
// are learned. What a host of fewer pages repeats, its own template has.
const FoldersFrom = 33

// FoldersOf returns the folders in a URL that may be sites of their own, the widest first: of
// https://example.org/a/b/c/page they are a/ and a/b/. Of https://example.org/a/b/ the last one is
// the page itself: whether that is the first page of a site or one of many in a/ its URL does not
// tell, so that it counts for a/b/ only if other pages have.
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

// Pages returns how many pages count. Of a host of many pages only some do, and old ones
// count for less.
func (s *Site) Pages() int { return s.fed }

// Pages returns how many of its site's pages counted when the template was made.
func (t *Template) Pages() int {
	if t == nil {
		return 0
	}
	return t.fed
}

// IsSiteIn reports whether a folder of this template is a site of its own: most blocks that half of
// its pages have are not of the frame by the template of what is around it, whether they are links
// or not. While it is none, that has what its pages repeat, and what its pages list is theirs.
func (t *Template) IsSiteIn(around *Template) bool {
	frame, known := 0, 0
	for _, r := range t.blocks() {
		if t.isOnMost(r) {
			frame++
			if around.frames(around.pages(r.print), false, true) {
				known++
			}
		}
	}
	return 2*known < frame
}

// isOnMost reports whether half of the pages have a block.
func (t *Template) isOnMost(r row) bool { return int(r.pages) >= minPages && 2*int(r.pages) >= t.fed }

func (t *Template) blocks() []row {
	if t == nil {
		return nil
	}
	return t.rows
}

// With returns the template by which the pages of a folder are read: what the host repeats, and what
// the folders do in which they are, the widest first, as far as these are sites of their own. Its
// generation is the sum of theirs. A folder of which nothing is known yet has nil: then its pages
// may have a frame that is not known either, and are read by the host's template if they have what
// is on most of its pages: see For.
func (t *Template) With(folders ...*Template) *Template {
	if len(folders) > 0 && folders[0] == nil {
		return t.asked()
	}
	w := t
	for _, f := range folders {
		if f.IsSiteIn(w) {
			w = w.and(f)
		}
	}
	return w
}

// asked returns a template of a host for the pages of a folder of which nothing is known, nil if
// nothing is on most of the host's pages.
func (t *Template) asked() *Template {
	most := 0
	for _, r := range t.blocks() {
		if t.isOnMost(r) {
			most++
		}
	}
	if most == 0 {
		return nil
	}
	return &Template{generation: t.generation, fed: t.fed, rows: t.rows, most: most}
}

// For returns the template by which a page with these names is read: this one, or nil where the
// page's folder is not known and the page lacks most of what most pages of its host have, so that it
// may be of another site.
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

// Asks reports whether For may have another answer than the template itself.
func (t *Template) Asks() bool { return t != nil && t.most > 0 }

// and returns a template with the rows of a folder's besides. What counts is on how many of
// the folder's pages a block is, so that the others are taken to be on as large a share of these
// as they are of the host's.
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
