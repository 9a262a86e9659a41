package dedup

import (
	"slices"
	"strings"

	"github.com/cespare/xxhash/v2"

	"gatecrawl.example/gatecrawl/dedup/internal/hashset"
	"gatecrawl.example/gatecrawl/dedup/internal/naming"
	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/purify"
)

// leadApart reports whether two pages lead elsewhere under words that do not tell them apart: pages of two hosts whose words name nothing, or
// pages of one host and under one title that say hardly anything but the words of links, or less than
// briefBody, and their links lead elsewhere: to the archives of two releases, each named "Part 1" and so on. Below
// briefBody the one picture that each shows may be all that differs. Two versions of a page may link by other names and show other
// pictures, so pages of one name in two folders are left to the other rules.
func leadApart(a, b *reading) bool {
	x, y := a.text, b.text
	if x.Host != "" && y.Host != "" && x.Host != y.Host {
		return a.namesNothing() && b.namesNothing() && haveFewInCommon(x.whereTo().destinations, y.whereTo().destinations)
	}
	if x.Host == "" || x.Host != y.Host || !x.Thin || !y.Thin || !slices.Equal(a.title, b.title) || sameName(x, y) && !x.asksElse(y) {
		return false
	}
	brief := max(x.plain, y.plain) < briefBody
	if !brief && (x.listed < x.plain || y.listed < y.plain) {
		return false
	}
	return haveFewInCommon(x.whereTo().destinations, y.whereTo().destinations) || brief && showOthers(x, y)
}

// haveFewInCommon reports whether two sets have less than half of the smaller one in common.
func haveFewInCommon(a, b []uint32) bool { return 2*hashset.Common(a, b) < min(len(a), len(b)) }

// namesNothing reports whether a page says hardly anything but the words of links, and these are few: "Read more" ten times, or
// "Chapter 1" to "Chapter 20". The pages of two hosts that say so are of one document only if they lead to the same pages.
func (a *reading) namesNothing() bool {
	return a.text.Thin && a.text.plain <= a.text.listed && len(a.words)-len(a.numbers) < fewSaid
}

// asksElse reports whether the URLs of two pages end in one name, with other parameters.
func (t *Text) asksElse(other *Text) bool {
	return t.Name == other.Name && len(t.ends) > 0 && len(other.ends) > 0 && t.ends[0] != other.ends[0]
}

// showOthers reports whether each of two pages shows pictures that its site does not repeat, and none of them is the other's.
func showOthers(x, y *Text) bool {
	mine, both, theirs := inTwo(x, y, purify.FirstFormula-1)
	return mine > 0 && both == 0 && theirs > 0
}

// destinationsOf returns a hash for each page that a page links to from its body or by a line that is compared, of the last
// segment of the link's path and of its parameters, as a sorted set. Links to the page itself, which sort or print it, have none.
// Versions, path parameters, endings of HTML, a parameter that all links have with one value, and those that say where to go next
// are left out, since they belong to the page that the link is on.
func (t *Text) destinationsOf(view *purify.DocView) (of []uint32) {
	if len(view.Links) > maxLists {
		return nil
	}
	own := make(map[string]bool)
	for i := range t.blocks {
		if b := &t.blocks[i]; b.Linked && !t.isExcluded(i) {
			own[b.Text] = true
		}
	}
	everywhere := parameterOfAll(view.Links)
	for i := range view.Links {
		if l := &view.Links[i]; l.Body || own[l.Text] {
			if end := destination(l.URL, t.Name, everywhere); end != "" {
				of = append(of, destinationHash(end))
			}
		}
	}
	slices.Sort(of)
	return slices.Compact(of)
}

func destinationHash(end string) uint32 { return uint32(xxhash.Sum64String(end)) }

// destination returns the last segment of a link's path and its parameters, in alphabetical order; "" for the page with the given name itself.
// A parameter without a value may be all that names a page: spip.php?article12 on spip.php?rubrique3.
func destination(url, name, everywhere string) string {
	url, _, _ = strings.Cut(url, "#")
	path, query, _ := strings.Cut(url, "?")
	if _, rest, ok := strings.Cut(path, "://"); ok {
		_, path, _ = strings.Cut(rest, "/")
	}
	_, segment := cutLast(strings.TrimRight(weburl.WithoutIndex(path), "/"))
	segment, _, _ = strings.Cut(segment, ";")
	isBare := func(pair string) bool { return pair != "" && !strings.Contains(pair, "=") }
	var pairs []string
	if query != "" {
		pairs = strings.Split(query, "&")
		slices.Sort(pairs)
	}
	if segment == "" || segment == "." || segment == ".." || pageName(segment) == pageName(name) {
		if !slices.ContainsFunc(pairs, isBare) {
			return ""
		}
		segment = ""
	}
	var end strings.Builder
	for part := range strings.FieldsFuncSeq(strings.TrimSuffix(segment, weburl.HTMLEnding(segment)), func(r rune) bool { return r == '-' || r == '_' }) {
		if !naming.IsVersion(part) {
			end.WriteString(part)
		}
		end.WriteByte('-')
	}
	for _, pair := range pairs {
		if _, value, _ := strings.Cut(pair, "="); pair != "" && pair != everywhere && !leadsOn(value, name) {
			end.WriteString("&" + pair)
		}
	}
	return end.String()
}

// leadsOn reports whether a parameter's value is a path, an address or the page itself: where a form leads when it is filled in.
func leadsOn(value, name string) bool {
	return strings.ContainsAny(value, "/:") || name != "" && strings.Contains(value, name) || strings.Contains(strings.ToLower(value), "%2f")
}

// parameterOfAll returns the parameter that all links with parameters have with one value, if they are two or more.
func parameterOfAll(links []purify.Link) string {
	var common []string
	n := 0
	for i := range links {
		_, query, ok := strings.Cut(links[i].URL, "?")
		if !ok {
			continue
		}
		query, _, _ = strings.Cut(query, "#")
		pairs := strings.Split(query, "&")
		if n++; n == 1 {
			common = pairs
		}
		common = slices.DeleteFunc(common, func(pair string) bool { return !slices.Contains(pairs, pair) })
	}
	if n < 2 || len(common) == 0 {
		return ""
	}
	return common[0]
}
