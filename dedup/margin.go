package dedup

import (
	"slices"
	"strings"

	"gatecrawl.example/gatecrawl/purify"
)

// mostMargin is how many tokens the margin of a page may have, apart from dates: see withoutMargin.
const mostMargin = 32

// withoutMargin returns a page without the lines that the page of this name and title on another host lacks, if these may be its
// margin; nil otherwise. Of two mirrors in two layouts one may say when each page was changed, or have a heading above a list that
// needs none. No template has a line that is on one page, and of a brief page it is much. The page must have all lines of the
// other. Its margin is brief lines that name a day and, less than what both have in common, lines that the models do not take for
// the body, headings, and what other pages of its site have too.
func (t *Text) withoutMargin(other *Text) *Text {
	if t.Host == "" || other.Host == "" || t.Host == other.Host || areEditions(t, other) || t.Title == "" || t.Thin != other.Thin || pageName(t.Name) != pageName(other.Name) {
		return nil
	}
	mine, theirs := lineSet(t.Body), lineSet(other.Body)
	if len(theirs) >= len(mine) {
		return nil
	}
	for line := range theirs {
		if !mine[line] {
			return nil
		}
	}
	w := signers.Get().(*signer)
	defer w.release()
	margin, common := 0, 0
	undated := make(map[string]bool)
	for line := range mine {
		w.tokens.Read(line)
		switch n := len(w.tokens.Hashes); {
		case theirs[line]:
			common += n
		case n > mostMargin:
			return nil
		case purify.DayIn(line, t.Lang) == "":
			margin += n
			undated[line] = true
		}
	}
	if margin > mostMargin || margin > 0 && margin >= common || common == 0 {
		return nil
	}
	for i := range t.blocks {
		if b := &t.blocks[i]; b.Chosen && !b.Heads && undated[b.Text] && !slices.ContainsFunc(t.site, func(site *purify.Template) bool { return site.Counts(b) }) {
			return nil
		}
	}
	return t.of(func(b *purify.Block) bool { return !mine[b.Text] || theirs[b.Text] }, t.Thin)
}

// lineSet returns the lines of a text.
func lineSet(s string) map[string]bool {
	lines := make(map[string]bool)
	for line := range strings.SplitSeq(s, "\n") {
		lines[line] = true
	}
	return lines
}
