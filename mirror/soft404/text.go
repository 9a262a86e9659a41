package soft404

import (
	"hash/fnv"
	"net/url"
	"slices"
	"strings"

	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/mirror"
)

// A Text is a hash of what a short page says apart from the URL that was asked for. An error page of a few words
// that repeats the URL has another body for each URL, and one Text for all. 0 is that of a page that is long, or
// does not say its URL.
type Text uint64

const (
	maxText = 1000 // bytes of title and body together: some 150 words
	minName = 3    // bytes of a part of a path that is looked for
)

// TextOf returns the Text of a page with a title and a body. The URL may be there as a whole, as its path, or as the
// last part of that, with or without its extension, and with spaces for hyphens and underscores. Letters of both
// cases are the same.
func TextOf(u weburl.URL, title, body string) Text {
	if len(title)+len(body) > maxText {
		return 0
	}
	text := strings.ToLower(title + "\n" + body)
	said := false
	for _, name := range namesOf(u) {
		if strings.Contains(text, name) {
			said = true
			text = strings.ReplaceAll(text, name, "\x00")
		}
	}
	if !said {
		return 0
	}
	h := fnv.New64a()
	h.Write([]byte(text))
	return Text(h.Sum64())
}

// namesOf returns the ways in which a page may say its URL, in lower case, the longest first.
func namesOf(u weburl.URL) []string {
	whole := strings.ToLower(u.String())
	path := strings.ToLower(u.Path())
	names := []string{whole, path}
	if decoded, err := url.PathUnescape(path); err == nil {
		path = strings.ToLower(decoded)
		names = append(names, path)
	}
	last := strings.TrimSuffix(path, "/")
	last = last[strings.LastIndexByte(last, '/')+1:]
	stem, _ := mirror.SplitExt(last)
	words := strings.Join(strings.FieldsFunc(stem, func(r rune) bool { return r == '-' || r == '_' || r == '+' || r == ' ' }), " ")
	names = append(names, last, stem, words)
	names = slices.DeleteFunc(names, func(n string) bool { return len(n) < minName })
	slices.SortStableFunc(names, func(a, b string) int { return len(b) - len(a) })
	return names
}

// notFound is what common servers say of a path that they do not have, in lower case: Apache and Google's frontend,
// Express, and Jetty.
var notFound = [...]string{
	"the requested url \x00 was not found on this server",
	"cannot get \x00",
	"problem accessing \x00. reason: not found",
}

// SaysNotFound reports whether a short page says, as a common server does, that the server does not have the page's
// own path. Such a page may be a file: a program that saved a site has saved its errors, too. The site then
// answers properly for what it does not have.
func SaysNotFound(u weburl.URL, title, body string) bool {
	if len(title)+len(body) > maxText {
		return false
	}
	text := strings.ToLower(strings.Join(strings.Fields(title+"\n"+body), " ")) + " "
	path := strings.ToLower(u.Path())
	decoded, err := url.PathUnescape(path)
	if err != nil {
		decoded = path
	}
	decoded = strings.ToLower(decoded)
	for _, p := range [...]string{path, decoded, strings.TrimSuffix(path, "/"), strings.TrimSuffix(decoded, "/")} { // a file of the page that was saved may be in a folder of its name
		if len(p) < minName {
			continue
		}
		for _, s := range notFound {
			s = strings.ReplaceAll(s, "\x00", p)
			if at := strings.Index(text, s); at >= 0 && strings.IndexByte(" .,;", text[at+len(s)]) >= 0 {
				return true
			}
		}
	}
	return false
}
