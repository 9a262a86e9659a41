package soft404

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"gatecrawl.example/gatecrawl/dedup"
	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/mirror"
	"gatecrawl.example/gatecrawl/mirror/linkrot"
)

// ProbeURL returns a URL next to the given one at which there is no document: the same folder
// and extension, and a name that no site uses. All pages of a folder with one extension have
// the same probe.
//
// The name is of letters alone. A name of digits is an ID to some sites, which have a
// page under any number, and to more the digits that a name starts with are one.
func ProbeURL(u weburl.URL) (weburl.URL, error) {
	path := u.Path()
	dir, file := path[:strings.LastIndexByte(path, '/')+1], path[strings.LastIndexByte(path, '/')+1:]
	_, ext := mirror.SplitExt(file)
	name := sha256.Sum256([]byte("nowhere on " + u.Origin() + dir + ext))
	return u.Parse(dir + strings.Map(letter, hex.EncodeToString(name[:8])) + ext)
}

// letter turns a hexadecimal digit into one of 16 letters.
func letter(digit rune) rune {
	if '0' <= digit && digit <= '9' {
		return digit - '0' + 'g'
	}
	return digit
}

// An ErrorPage is what a site says of pages that it does not have.
type ErrorPage struct {
	Served bool // with status 200 and words; else the site answers with a proper error
	Print  linkrot.BodyPrint
	Body   dedup.Digest
	Text   Text // 0: it is long, or does not say the URL that was asked for
}

// ErrorPageOf returns the error page that a signature is of, and what it says apart from its URL.
func ErrorPageOf(sig *dedup.Signature, t Text) ErrorPage {
	return ErrorPage{Served: sig.Tokens > 0, Print: linkrot.PrintOf(sig, ""), Body: sig.Body, Text: t}
}

// The bounds within which a page is its site's error page. Such a page often repeats
// the URL that was asked for.
const (
	mostBits   = 6   // in which the SimHashes differ
	resembling = 0.8 // resemblance of the bodies
)

// Matches reports whether a page with this signature, and with this text apart from its URL, is the error page.
func (e ErrorPage) Matches(sig *dedup.Signature, t Text) bool {
	if !e.Served {
		return false
	}
	if e.Body == sig.Body || t != 0 && e.Text == t {
		return true
	}
	q := linkrot.PrintOf(sig, "")
	if e.Print.Tokens == 0 || q.Tokens == 0 {
		return false // a page without words says nothing
	}
	bits, resemblance := e.Print.Distance(q)
	return bits <= mostBits && resemblance >= resembling
}
