// Package sheet writes texts into tables for spreadsheets.
package sheet

import "strings"

// Text returns a text, with an apostrophe before it if a spreadsheet would run it as a formula
// (OWASP, CSV injection).
func Text(s string) string {
	if s != "" && strings.IndexByte("=+-@\t\r", s[0]) >= 0 || strings.HasPrefix(s, "\uff1d") || strings.HasPrefix(s, "\uff0b") || strings.HasPrefix(s, "\uff0d") || strings.HasPrefix(s, "\uff20") {
		return "'" + s
	}
	return s
}
