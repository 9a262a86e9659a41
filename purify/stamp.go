package purify

// A stamp is the datetime of a time element, or the content of another that is marked
// as the day of publication.
type stamp struct {
	text  string
	block int32
}

const maxStamps = 64

// stamp adds the time that an attribute gives to a list.
func (o *outline) stamp(list []stamp, at []byte) []stamp {
	if len(list) >= maxStamps {
		return list
	}
	return append(list, stamp{string(at[:min(len(at), 40)]), int32(len(o.blocks))})
}

const maxSigned = 8

// sign notes that the element which begins here names an author, if its itemprop
// or rel says so, and returns its place in signed, from 1, or 0.
func (o *outline) sign(as []byte) uint8 {
	if string(as) != "author" || len(o.signed) == maxSigned {
		return 0
	}
	o.signed = append(o.signed, span32{from: int32(len(o.text)), to: -1})
	return uint8(len(o.signed))
}
