package dedup

// SignatureVersion identifies the rules by which Sign makes a signature. It is stored with a job:
// signatures of two versions can't be compared.
const SignatureVersion = 3

// String returns the class as records write it; "" for none.
func (c Class) String() string {
	switch c {
	case FullLayout:
		return "full-layout"
	case FullContent:
		return "full-content"
	case PartialLayout:
		return "partial-layout"
	case PartialContent:
		return "partial-content"
	}
	return ""
}

// classOf names the class of a copy.
func classOf(full, layout bool) Class {
	switch {
	case full && layout:
		return FullLayout
	case full:
		return FullContent
	case layout:
		return PartialLayout
	}
	return PartialContent
}

// Through returns the class of a copy, of class c, of a page that is itself a copy of the other class: what one of the two
// changes is changed.
func (c Class) Through(other Class) Class {
	return classOf(c.full() && other.full(), c.sameLayout() && other.sameLayout())
}

// WithContent returns the class of a copy whose layout is as the class says, and whose content is the same.
func (c Class) WithContent() Class { return classOf(true, c.sameLayout()) }

// WithLayouts returns the class of a copy whose content is as the class says, by the layout hashes of both pages.
func (c Class) WithLayouts(a, b uint64) Class { return classOf(c.full(), sameLayout(a, b)) }

func (c Class) full() bool       { return c == FullLayout || c == FullContent }
func (c Class) sameLayout() bool { return c == FullLayout || c == PartialLayout }
