package blocks

// A Stamp is the datetime of a time element, or the content of another that is marked
// as the day of publication.
type Stamp struct {
	Text  string
	Block int32
}

const maxStamps = 64

// stamp adds the time that an attribute gives to a list.
func (o *Outline) stamp(list []Stamp, at []byte) []Stamp {
	if len(list) >= maxStamps {
		return list
	}
	return append(list, Stamp{string(at[:min(len(at), 40)]), int32(len(o.Blocks))})
}

const maxSigned = 8

// sign notes that the element which begins here names an author, if its itemprop
// or rel says so, and returns its place in signed, from 1, or 0.
func (o *Outline) sign(as []byte) uint8 {
	if string(as) != "author" || len(o.Authors) == maxSigned {
		return 0
	}
	o.Authors = append(o.Authors, Span{From: int32(len(o.Text)), To: -1})
	return uint8(len(o.Authors))
}
