package weburl_test

import (
	"testing"

	"gatecrawl.example/gatecrawl/frontier/weburl"
)

func TestAnIndexPageIsItsFolder(t *testing.T) {
	for path, want := range map[string]string{
		"/":                 "/",
		"/index.html":       "/",
		"/a/index.htm":      "/a/",
		"/a/Index.PHP":      "/a/",
		"index.html":        "",
		"/a/index":          "/a/index",
		"/a/index.":         "/a/index.",
		"/a/index.xml":      "/a/index.xml",
		"/a/index.de.html":  "/a/index.de.html", // one of the languages in which the folder has it
		"/a/myindex.html":   "/a/myindex.html",
		"/index.html/b":     "/index.html/b",
		"/a/index_2.html":   "/a/index_2.html",
		"/a/index.html/":    "/a/index.html/",
		"/a/index.shtml":    "/a/",
		"/a/.html":          "/a/.html",
		"/a/b.index.html":   "/a/b.index.html",
		"":                  "",
		"/a/index.phphtml":  "/a/index.phphtml",
		"/a/index.html.bak": "/a/index.html.bak",
	} {
		if got := weburl.WithoutIndex(path); got != want {
			t.Errorf("WithoutIndex(%q) = %q, want %q", path, got, want)
		}
	}
	for name, want := range map[string]bool{"index.html": true, "index.de.html": true, "index.xml": true, "index": false, "indexes.html": false, "a/index.html": false, "index.d/page": false} {
		if got := weburl.IsIndex(name); got != want {
			t.Errorf("IsIndex(%q) = %v, want %v", name, got, want)
		}
	}
}
