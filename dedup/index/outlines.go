package index

// OutlineSize is the length of an Outline, in bytes.
const OutlineSize = 36

// An Outline is what the owner of the tables needs to know of a document without reading its store.
// The tables do not interpret it.
type Outline [OutlineSize]byte

// outlines holds the outlines of documents in pages of 4,096: gaps in the
// numbers cost little.
type outlines struct {
	pages []*outlinePage
}

type outlinePage struct {
	of  [1 << outlinePageBits]Outline
	set [1 << outlinePageBits / 64]uint64 // a bit each
}

const outlinePageBits = 12

func (o *outlines) set(doc DocID, to Outline) {
	p := int(doc >> outlinePageBits)
	if p >= len(o.pages) {
		o.pages = append(o.pages, make([]*outlinePage, p+1-len(o.pages))...)
	}
	if o.pages[p] == nil {
		o.pages[p] = new(outlinePage)
	}
	i := doc % (1 << outlinePageBits)
	o.pages[p].of[i] = to
	o.pages[p].set[i/64] |= 1 << (i % 64)
}

// at returns the outline of a document, and whether it was set.
func (o *outlines) at(doc DocID) (Outline, bool) {
	p := int(doc >> outlinePageBits)
	if p >= len(o.pages) || o.pages[p] == nil {
		return Outline{}, false
	}
	i := doc % (1 << outlinePageBits)
	return o.pages[p].of[i], o.pages[p].set[i/64]>>(i%64)&1 != 0
}

// all calls yield for every outline in the order of the documents.
func (o *outlines) all(yield func(doc DocID, to Outline)) {
	for p, page := range o.pages {
		if page == nil {
			continue
		}
		for i := range page.of {
			if page.set[i/64]>>(i%64)&1 != 0 {
				yield(DocID(p<<outlinePageBits|i), page.of[i])
			}
		}
	}
}
