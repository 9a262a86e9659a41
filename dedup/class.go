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
