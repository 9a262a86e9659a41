package main

import (
	"hash/fnv"
	"io"
	"strings"

	"gatecrawl.example/gatecrawl/purify/truth"
)

// folds is the number of parts for cross-validation.
const folds = 5

// foldOf returns the fold of a page: all pages of a host are in the same one.
func foldOf(p *truth.Page) int {
	h := fnv.New32a()
	io.WriteString(h, hostOf(p))
	return int(h.Sum32() >> 7 % folds)
}

// hostOf returns the page's host without www.
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
