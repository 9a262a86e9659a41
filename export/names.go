package export

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/cespare/xxhash/v2"

	"gatecrawl.example/gatecrawl/frontier/weburl"
)

// pageNames are the file names in use, by hash. No two pages have the same file, also where upper
// and lower case are the same.
type pageNames map[uint64]bool

// maxName bounds a part of a name, in bytes; file systems allow 255.
const maxName = 150

// nameFor returns the path of a page's file: its host, and below it the URL's path. If another page
// has that file a number is appended.
func (p pageNames) nameFor(u weburl.URL, end string) string {
	_, rest, _ := strings.Cut(u.String(), "://")
	rest, query, asked := strings.Cut(rest, "?")
	host, path, _ := strings.Cut(rest, "/")
	parts := []string{safe(host)}
	for part := range strings.SplitSeq(path, "/") {
		if part != "" {
			parts = append(parts, safe(part))
		}
	}
	if strings.HasSuffix(rest, "/") || len(parts) == 1 {
		parts = append(parts, "index")
	}
	last := &parts[len(parts)-1]
	for _, e := range []string{".html", ".htm", ".xhtml"} {
		*last = strings.TrimSuffix(*last, e)
	}
	if asked {
		*last += "@" + safe(query)
	}
	if len(parts) > maxParts {
		parts = append(parts[:maxParts-1:maxParts-1], fmt.Sprintf("%016x", xxhash.Sum64String(path)))
	}
	stem := strings.Join(parts, "/")
	for n := 1; ; n++ {
		name := stem + end
		if n > 1 {
			name = fmt.Sprintf("%s-%d%s", stem, n, end)
		}
		if sum := xxhash.Sum64String(strings.ToLower(name)); !p[sum] {
			p[sum] = true
			return name
		}
	}
}

// maxParts bounds the folders of a name: paths may have 4,096 bytes.
const maxParts = 20

// safe returns a part of a URL as a name that every file system accepts, and that leads to no other
// folder.
func safe(part string) string {
	name := strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r == utf8.RuneError || strings.ContainsRune(`<>:"/\|?*`, r) {
			return '_'
		}
		return r
	}, part)
	if strings.HasPrefix(name, ".") {
		name = "_" + name[1:]
	}
	name = strings.TrimRight(name, ". ")
	if len(name) > maxName {
		cut := maxName - 17
		for !utf8.RuneStart(name[cut]) {
			cut--
		}
		name = fmt.Sprintf("%s-%016x", name[:cut], xxhash.Sum64String(part))
	}
	if name == "" {
		return "_"
	}
	return name
}
