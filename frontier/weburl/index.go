package weburl

import (
	"slices"
	"strings"
)

// htmlEndings are the endings by which the name of a file says that it is a page.
var htmlEndings = []string{".html", ".htm", ".shtml", ".xhtml", ".php", ".asp", ".aspx", ".jsp", ".cfm"}

// HTMLEnding returns the ending by which the name of a file says that it is a page, such as .html,
// as it is written; "": it has no such ending, or is nothing else.
func HTMLEnding(name string) string {
	dot := strings.LastIndexByte(name, '.')
	if dot <= 0 || !slices.Contains(htmlEndings, strings.ToLower(name[dot:])) {
		return ""
	}
	return name[dot:]
}

// WithoutIndex returns a path without the name of its folder's index page, index and an ending of
// HTML: /a/ for /a/index.html. Servers answer for both with one page.
func WithoutIndex(path string) string {
	at := strings.LastIndexByte(path, '/') + 1
	const index = "index"
	if name := path[at:]; len(name) > len(index) && strings.EqualFold(name[:len(index)], index) && len(HTMLEnding(name)) == len(name)-len(index) {
		return path[:at]
	}
	return path
}

// IsIndex reports whether the name of a file is that of an index page in any language and of any
// type, such as index.en.html and index.xml. Every folder may have one, so it does not identify a
// page.
func IsIndex(name string) bool {
	return strings.HasPrefix(name, "index.") && !strings.Contains(name, "/")
}
