package main

import (
	"hash/fnv"
	"io"
	"strings"

	"gatecrawl.example/gatecrawl/purify/truth"
)

// folds is how many parts the pages are put into.
const folds = 5

// foldOf puts all pages of a host into the same one of the folds.
func foldOf(p *truth.Page) int {
	h := fnv.New32a()
	io.WriteString(h, hostOf(p))
	return int(h.Sum32() >> 7 % folds)
}

// hostOf is the page's site without www.
func hostOf(p *truth.Page) string {
	host := p.Host
	if host == "" {
		_, rest, _ := strings.Cut(p.URL, "//")
		host, _, _ = strings.Cut(rest, "/")
	}
	if host == "" {
		host = p.ID
	}
	return strings.TrimPrefix(strings.ToLower(host), "www.")
}
