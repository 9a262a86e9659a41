package weburl

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html/charset"
)

// EncodeQuery returns a link as browsers send it from a page in the given charset: the
// query in the charset of the page, and the path in UTF-8 (WHATWG URL, section 4.4,
// "encoding"). Characters that the charset does not have become character references. A
// link is returned unchanged if its query is ASCII, if it is too long for a URL, and for
// UTF-8, UTF-16, ISO-2022-JP and unknown charsets.
func EncodeQuery(ref, name string) string {
	path, rest, asked := strings.Cut(ref, "?")
	if !asked || len(ref) > MaxBytes {
		return ref // too long for Parse too
	}
	query, fragment, _ := strings.Cut(rest, "#")
	if IsASCII(query) || !utf8.ValidString(query) {
		return ref
	}
	enc, name := charset.Lookup(name)
	if enc == nil || strings.HasPrefix(name, "utf-") || name == "iso-2022-jp" || name == "replacement" {
		return ref
	}
	e := enc.NewEncoder()
	var b strings.Builder
	b.WriteString(path + "?")
	for _, r := range query {
		if r < utf8.RuneSelf {
			b.WriteByte(byte(r))
			continue
		}
		coded, err := e.String(string(r)) // &#20013; for a character that it does not have
		if err != nil {
			return ref
		}
		for _, c := range []byte(coded) {
			if c < utf8.RuneSelf && c != '&' && c != '#' && c != ';' {
				b.WriteByte(c) // of a number, or the second half of a character
			} else {
				fmt.Fprintf(&b, "%%%02X", c)
			}
		}
	}
	if fragment != "" {
		b.WriteString("#" + fragment)
	}
	return b.String()
}
