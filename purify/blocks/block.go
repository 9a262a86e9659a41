package blocks

import (
	"html"

	"gatecrawl.example/gatecrawl/purify/hint"
	"gatecrawl.example/gatecrawl/purify/markup"
)

// minProse is the number of bytes outside links from which a block is prose.
const minProse = 80

func (b *Block) Size() int { return int(b.To - b.From) }

// IsProse reports whether a block is long and has mostly text outside links.
func (b *Block) IsProse() bool {
	return b.Size()-int(b.Linked) >= minProse && int(b.Linked)*3 < b.Size()
}

// MostlyLinks reports whether most of a block is links.
func (b *Block) MostlyLinks() bool { return int(b.Linked)*2 > b.Size() }

// NoScript reports whether a block is shown only where no scripts run.
func (b *Block) NoScript() bool { return b.Hints&hint.InNoscript != 0 }

// IsBreadcrumb reports whether a block is in an element whose class or id calls it a breadcrumb.
func (b *Block) IsBreadcrumb() bool { return b.Hints&hint.SaysCrumb != 0 }

// BlockText returns the text of the i-th block.
func (o *Outline) BlockText(i int) []byte { return o.Text[o.Blocks[i].From:o.Blocks[i].To] }

// FirstH1 returns the first h1 block, or -1.
func (o *Outline) FirstH1() int {
	for i := range o.Blocks {
		if o.Blocks[i].Tag == markup.TagH1 {
			return i
		}
	}
	return -1
}

// A Stamp is the datetime of a time element, or the content of another element that is marked as
// the date of publication.
type Stamp struct {
	Text  string
	Block int32
}

const maxStamps = 64

// stamp adds the time in an attribute to a list.
func (o *Outline) stamp(list []Stamp, at []byte) []Stamp {
	if len(list) >= maxStamps {
		return list
	}
	return append(list, Stamp{string(at[:min(len(at), 40)]), int32(len(o.Blocks))})
}

const maxSigned = 8

// sign notes that the element that starts here names an author, if its itemprop or rel says so. It
// returns its place in signed, from 1; 0 if it names none.
func (o *Outline) sign(as []byte) uint8 {
	if string(as) != "author" || len(o.Authors) == maxSigned {
		return 0
	}
	o.Authors = append(o.Authors, Span{From: int32(len(o.Text)), To: -1})
	return uint8(len(o.Authors))
}

// say notes the content of an element that its itemprop says is the day of publication or the author.
func (o *Outline) say(prop string, content []byte) {
	switch prop {
	case "datePublished", "datePosted", "dateCreated":
		o.Published = o.stamp(o.Published, content)
	case "author":
		if len(o.Named) < maxSigned {
			o.Named = append(o.Named, html.UnescapeString(string(content[:min(len(content), maxName)])))
		}
	}
}

const maxName = 200 // bytes of an author's name in an attribute
