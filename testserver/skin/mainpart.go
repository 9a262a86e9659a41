package skin

import (
	"bytes"
	"strings"

	"golang.org/x/net/html"
)

// pageParts are the parts of a page that are needed to put it into another layout.
type pageParts struct {
	from, to int // the main content
	title    []byte
	charset  string // as declared in a meta element, lower case; "" when not
}

// findParts finds the main content of a page by its markup: main, then role=main, then an id
// or class that means it, then article, and the body if there is none of these.
func findParts(page []byte) pageParts {
	found := pageParts{to: len(page)}
	const unranked = 6
	best := unranked
	type candidate struct {
		tag        string
		rank, from int
		open       int // elements of that tag inside it, itself included
	}
	var open []candidate
	z := html.NewTokenizer(bytes.NewReader(page))
	inTitle := false
	for at := 0; ; {
		kind := z.Next()
		if kind == html.ErrorToken {
			break
		}
		start := at
		at += len(z.Raw())
		if kind == html.TextToken && inTitle && found.title == nil {
			found.title = page[start:at]
		}
		if kind != html.StartTagToken && kind != html.EndTagToken && kind != html.SelfClosingTagToken {
			continue
		}
		name, more := z.TagName()
		tag := string(name)
		inTitle = tag == "title" && kind == html.StartTagToken
		if kind == html.EndTagToken {
			for i := len(open) - 1; i >= 0; i-- {
				c := &open[i]
				if c.tag != tag {
					continue
				}
				if c.open--; c.open == 0 {
					if c.rank < best {
						best, found.from, found.to = c.rank, c.from, start
					}
					open = append(open[:i], open[i+1:]...)
				}
			}
			continue
		}
		attr := map[string]string{}
		for more {
			var k, v []byte
			k, v, more = z.TagAttr()
			attr[string(k)] = string(v)
		}
		if tag == "meta" && found.charset == "" {
			found.charset = declaredCharset(attr)
		}
		if kind == html.SelfClosingTagToken {
			continue
		}
		for i := range open {
			if open[i].tag == tag {
				open[i].open++
			}
		}
		if rank := mainRank(tag, attr); rank < best {
			open = append(open, candidate{tag: tag, rank: rank, from: at, open: 1})
		}
	}
	// An element that was never closed ends with the page.
	for _, c := range open {
		if c.rank < best {
			best, found.from, found.to = c.rank, c.from, len(page)
		}
	}
	return found
}

// mainRank returns how likely an element is the main content; 0 is the most likely.
func mainRank(tag string, attr map[string]string) int {
	if tag == "main" {
		return 0
	}
	if attr["role"] == "main" {
		return 1
	}
	for _, name := range append(strings.Fields(attr["class"]), attr["id"]) {
		switch strings.ToLower(name) {
		case "main-content", "article-content", "markdown-body", "post-content", "entry-content", "td-content", "document":
			return 2
		}
	}
	switch {
	case tag == "article":
		return 3
	case attr["id"] == "content" || attr["id"] == "main":
		return 4
	case tag == "body":
		return 5
	}
	return 6
}

// declaredCharset returns the charset of a meta element.
func declaredCharset(attr map[string]string) string {
	charset := attr["charset"]
	if charset == "" && strings.EqualFold(attr["http-equiv"], "content-type") {
		_, charset, _ = strings.Cut(strings.ToLower(attr["content"]), "charset=")
	}
	charset = strings.ToLower(strings.Trim(charset, " \t\n'\""))
	if strings.IndexFunc(charset, func(r rune) bool {
		return !(r == '-' || r == '_' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z')
	}) >= 0 {
		return "" // not a name that can be written into another page
	}
	return charset
}

// Wrap puts the main content of a page into the skin, in the skin's own markup. The page's
// title, charset and links do not change, since its path does not.
func (s *Skin) Wrap(original []byte) []byte {
	in := findParts(original)
	var b bytes.Buffer
	b.WriteString(s.Open)
	b.Write(in.title)
	b.WriteString(s.Described[0] + s.Described[1])
	if in.charset != "" {
		b.WriteString("<meta charset=\"" + in.charset + "\">\n")
	}
	b.WriteString(s.Style + s.Top[0] + s.Main[0])
	b.Write(rewrite(original[in.from:in.to], &s.Marks))
	b.WriteString(s.Main[1] + s.Side[0] + s.Side[1] + s.Bottom[0])
	return b.Bytes()
}
