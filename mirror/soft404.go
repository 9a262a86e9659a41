package mirror

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"gatecrawl/frontier"
)

// Nowhere returns an address beside the given one at which nothing is: the same
// folder and extension, and a name that nobody gives. What a site answers there it
// answers for pages that it does not have (Bar-Yossef, Broder, Kumar, Tomkins, Sic
// transit gloria telae, WWW 2004). All pages of a folder with one extension have
// the same such address.
func Nowhere(u frontier.URL) (frontier.URL, error) {
	path := u.Path()
	dir, file := path[:strings.LastIndexByte(path, '/')+1], path[strings.LastIndexByte(path, '/')+1:]
	_, ext := cutExt(file)
	name := sha256.Sum256([]byte("nowhere on " + u.Origin() + dir + ext))
	return u.Parse(dir + hex.EncodeToString(name[:8]) + ext)
}

// The bounds within which a page is what its site says of pages that it does not
// have. Such a page often repeats the address that was asked for.
const (
	wordless     = 6   // bits
	wordlessText = 0.8 // resemblance
)

// Says reports whether q says the same as p, which its site says of pages that it
// does not have.
func (p Print) Says(q Print) bool {
	if p.Tokens == 0 || q.Tokens == 0 {
		return false // without words nothing is said
	}
	d, similarity := p.Distance(q)
	return d <= wordless && similarity >= wordlessText
}
