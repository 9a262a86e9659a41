package body

import (
	"bytes"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"gatecrawl.example/gatecrawl/purify/blocks"
	"gatecrawl.example/gatecrawl/purify/hint"
	"gatecrawl.example/gatecrawl/purify/markup"
	"gatecrawl.example/gatecrawl/purify/words"
)

// Two rules about what belongs to an article, for which the forests' labels are of two minds: some
// sites' labels have the lead and the references to other articles, others have not. By 990 pages of
// another project with snippets that do and do not belong to the text, the lead does and the references do
// not (docs/measurements-purify.md).

// keepLead adds the lead of an article to the body: the first block between the page's headline and its
// text that starts like the description in the page's head, or whose element is named as a lead.
func (ch *Chooser) keepLead(kept []bool, description string) {
	from, to := ch.aboveText(kept)
	if from == to {
		return
	}
	told := letters([]byte(description), toldLetters)
	for i := from; i < to; i++ {
		b := &ch.Blocks[i]
		if b.MostlyLinks() || b.Size() < leastLead {
			continue
		}
		own := letters(ch.BlockText(i), toldLetters)
		if n := min(len(own), len(told)); b.Hints&hint.SaysLead != 0 || n >= leastLead && bytes.Equal(own[:n], told[:n]) {
			kept[i] = true
			return
		}
	}
}

const (
	leastLead   = 50 // bytes
	toldLetters = 80 // bytes of letters and digits by which a block is compared with the description
)

// aboveText returns the blocks between the page's headline and the first block of its body: the
// headline is the last h1 above that, or a heading with which the body starts.
func (ch *Chooser) aboveText(kept []bool) (from, to int) {
	to = slices.Index(kept, true)
	if to < 0 {
		return 0, 0
	}
	if ch.Blocks[to].Tag.Heading() {
		if gap := slices.Index(kept[to+1:], true); gap > 0 {
			return to + 1, to + 1 + gap
		}
	}
	for from = to; from > 0; from-- {
		if ch.Blocks[from-1].Tag == markup.TagH1 {
			return from, to
		}
	}
	return to, to
}

// letters returns the first letters and digits of a text in lower case, at most n bytes of them.
func letters(text []byte, n int) []byte {
	var out []byte
	for len(text) > 0 && len(out) < n {
		r, size := utf8.DecodeRune(text)
		if text = text[size:]; unicode.IsLetter(r) || unicode.IsDigit(r) {
			out = utf8.AppendRune(out, unicode.ToLower(r))
		}
	}
	return out[:min(len(out), n)]
}

// leaveReferences removes from the body paragraphs that only lead to another article: a short label
// with a colon and the title of that article as a link, such as "Read more: Bees in winter". A body that has
// much of them is a list.
func (ch *Chooser) leaveReferences(kept []bool) {
	var references []int
	size, all := 0, 0
	for l := 0; l < len(ch.Links); {
		at := int(ch.Links[l].Block)
		end := l + 1
		for end < len(ch.Links) && int(ch.Links[end].Block) == at {
			end++
		}
		if at < len(kept) && kept[at] && end == l+1 && ch.isReference(at, &ch.Links[l]) {
			references = append(references, at)
			size += ch.Blocks[at].Size()
		}
		l = end
	}
	for i, k := range kept {
		if k && len(references) > 0 {
			all += ch.Blocks[i].Size()
		}
	}
	if manyReferences*size >= all {
		return
	}
	for _, at := range references {
		kept[at] = false
	}
}

func (ch *Chooser) isReference(block int, a *blocks.Anchor) bool {
	b := &ch.Blocks[block]
	if b.Tag.Heading() || b.Tag == markup.TagLi || a.From < b.From || a.To > b.To || b.To-a.To > 1 {
		return false // or a link of a block that was left out before this one
	}
	label := strings.TrimSpace(string(ch.Text[b.From:a.From]))
	title := string(ch.Text[a.From:a.To])
	return len(label) > 1 && len(label) <= maxLabel && strings.HasSuffix(strings.ReplaceAll(label, "：", ":"), ":") &&
		!strings.ContainsFunc(label, unicode.IsDigit) && len(title) >= len(label) && words.Set(title).Len() >= leastTitle
}

const (
	maxLabel       = 40 // bytes
	leastTitle     = 3  // words; the name of a site or a product has fewer
	manyReferences = 4  // one part in so many of a body
)
