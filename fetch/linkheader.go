package fetch

import (
	"net/http"
	"slices"
	"strings"
)

// maxHeaderLinks bounds how many links are read from the Link fields of one
// answer.
const maxHeaderLinks = 100

// A HeaderLink is one link of a Link field (RFC 8288).
type HeaderLink struct {
	Target   string   // as written; relative to the page's URL
	Rel      []string // relation types, lower case
	HrefLang string   // of an alternate: its language
}

// Is reports whether the link has a relation type.
func (l HeaderLink) Is(rel string) bool { return slices.Contains(l.Rel, rel) }

// HeaderLinks returns the links of an answer's Link fields, at most 100. Invalid ones are
// skipped. Links that have another anchor than the page are about something else and are left
// out.
func HeaderLinks(h http.Header) []HeaderLink {
	var all []HeaderLink
	for _, field := range h["Link"] {
		for field != "" && len(all) < maxHeaderLinks {
			var l HeaderLink
			var ok bool
			if l, field, ok = nextLink(field); ok {
				all = append(all, l)
			}
		}
	}
	return all
}

// nextLink reads the link that a field starts with and returns what follows.
func nextLink(s string) (l HeaderLink, rest string, ok bool) {
	start := strings.IndexByte(s, '<')
	if start < 0 {
		return l, "", false
	}
	target, rest, ok := strings.Cut(s[start+1:], ">")
	if !ok {
		return l, "", false
	}
	l.Target = strings.TrimSpace(target)
	ok = l.Target != ""
	seen := map[string]bool{} // of a parameter the first counts
	for {
		rest = strings.TrimLeft(rest, " \t")
		if !strings.HasPrefix(rest, ";") {
			break
		}
		var name, value string
		name, value, rest = parameter(rest[1:])
		if seen[name] {
			continue
		}
		seen[name] = true
		switch name {
		case "rel":
			l.Rel = strings.Fields(strings.ToLower(value))
		case "hreflang":
			l.HrefLang = value
		case "anchor":
			ok = ok && value == ""
		}
	}
	if _, after, found := strings.Cut(rest, ","); found {
		return l, after, ok
	}
	return l, "", ok
}

// parameter reads a name, and behind "=" a token or a quoted string, and
// returns what follows.
func parameter(s string) (name, value, rest string) {
	end := strings.IndexAny(s, "=;,")
	if end < 0 {
		return strings.ToLower(strings.TrimSpace(s)), "", ""
	}
	name, rest = strings.ToLower(strings.TrimSpace(s[:end])), s[end:]
	if rest[0] != '=' {
		return name, "", rest
	}
	rest = strings.TrimLeft(rest[1:], " \t")
	if !strings.HasPrefix(rest, `"`) {
		end := strings.IndexAny(rest, ";,")
		if end < 0 {
			end = len(rest)
		}
		return name, strings.TrimSpace(rest[:end]), rest[end:]
	}
	var b strings.Builder
	for i := 1; i < len(rest); i++ {
		switch rest[i] {
		case '"':
			return name, b.String(), rest[i+1:]
		case '\\':
			if i++; i == len(rest) {
				return name, b.String(), ""
			}
		}
		b.WriteByte(rest[i])
	}
	return name, b.String(), "" // the quote is never closed
}
