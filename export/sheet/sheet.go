// Package sheet writes texts into tables that a spreadsheet opens.
package sheet

import "strings"

// Text returns a text with an apostrophe before it where a spreadsheet would run it as a formula
// (OWASP, CSV injection).
func Text(s string) string {
	if s != "" && strings.IndexByte("=+-@\t\r", s[0]) >= 0 || strings.HasPrefix(s, "\uff1d") || strings.HasPrefix(s, "\uff0b") || strings.HasPrefix(s, "\uff0d") || strings.HasPrefix(s, "\uff20") {
		return "'" + s
	}
	return s
}
