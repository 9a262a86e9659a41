package weburl

import (
	"slices"
	"strings"
)

// sessionNames are parameters that always have a session id, whatever their value: the
// names that platforms use, in lower case.
var sessionNames = []string{
	"jsessionid",      // Java servlets, also after a semicolon in the path
	"phpsessid",       // PHP
	"cfid", "cftoken", // ColdFusion
	"oscsid", "zenid", // osCommerce, Zen Cart
	"sessionid", "session_id", "session-id",
}

// maybeSession are parameters that many sites use for a session id and others for something
// else: only a value that looks like an id counts as one.
var maybeSession = []string{"sid", "s", "sessid", "session", "phpsess", "viewsession"}

// WithoutSession returns the URL without session ids, and whether it had any: the
// parameters of sessionNames in the query or, after a semicolon, at the end of a path;
// those named sid, s, session and so on with a value of at least 24 letters and digits, some
// of them digits; PHP's and ASP's names that end in a random part; and the segment (S(...))
// of ASP.NET.
func (u URL) WithoutSession() (URL, bool) {
	path, query := u.Path(), u.Query()
	stripped := withoutSegment(withoutPathParameter(path))
	kept := query
	if hasSession(query) {
		pairs := strings.Split(query, "&")
		kept = strings.Join(slices.DeleteFunc(pairs, isSession), "&")
	}
	if stripped == path && kept == query {
		return u, false
	}
	if kept != "" {
		stripped += "?" + kept
	}
	v, err := Parse(u.Origin() + stripped)
	if err != nil {
		return u, false // shorter than a URL that was parsed, so this does not happen
	}
	return v, true
}

func hasSession(query string) bool {
	for pair := range strings.SplitSeq(query, "&") {
		if isSession(pair) {
			return true
		}
	}
	return false
}

// isSession reports whether a parameter is a session's id.
func isSession(pair string) bool {
	name, value, _ := strings.Cut(pair, "=")
	if len(name) > 32 || value == "" {
		return false
	}
	name = strings.ToLower(name)
	if slices.Contains(sessionNames, name) || strings.HasPrefix(name, "aspsessionid") {
		return true
	}
	return slices.Contains(maybeSession, name) && looksLikeID(value)
}

// looksLikeID reports whether a value looks generated: 24 letters and digits or more, with
// digits among them and no long run of letters without one.
func looksLikeID(v string) bool {
	const least = 24
	if len(v) < least {
		return false
	}
	digits, run := 0, 0
	for i := range len(v) {
		c := v[i]
		switch {
		case '0' <= c && c <= '9':
			digits, run = digits+1, 0
		case 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z':
			if run++; run > 16 {
				return false
			}
		default:
			return false
		}
	}
	return digits > 2
}

// withoutPathParameter drops ;jsessionid=... and similar parameters at the end of a path.
func withoutPathParameter(path string) string {
	i := strings.LastIndexByte(path, ';')
	if i < 0 || strings.IndexByte(path[i:], '/') >= 0 || !isSession(path[i+1:]) {
		return path
	}
	return path[:i]
}

// withoutSegment drops ASP.NET's segment (S(24 letters and digits)), with everything else in
// its outer brackets.
func withoutSegment(path string) string {
	i := strings.Index(path, "/(S(")
	if i < 0 {
		return path
	}
	rest := path[i+1:]
	end := strings.IndexByte(rest, '/')
	if end < 0 || !strings.HasSuffix(rest[:end], "))") || end < len("(S())")+20 {
		return path
	}
	return path[:i] + rest[end:]
}
