package access

import (
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"golang.org/x/net/http/httpguts"

	"gatecrawl.example/gatecrawl/frontier/weburl"
)

// A Header is a field that goes with each request to a site.
type Header struct {
	Site  Site
	Name  string
	Value string
}

// ours are the header fields that a request has of the crawler, or of the connection.
var ours = []string{
	"Accept-Encoding", "Connection", "Content-Length", "Content-Type", "Expect", "Host", "If-Modified-Since",
	"If-None-Match", "Keep-Alive", "Proxy-Authorization", "Proxy-Connection", "Range", "Te", "Trailer",
	"Transfer-Encoding", "Upgrade", "User-Agent",
}

// ParseHeader reads HOST:Name=Value. The error does not repeat the value.
func ParseHeader(text string) (Header, error) {
	left, value, ok := strings.Cut(text, "=")
	at := strings.LastIndexByte(left, ':')
	if !ok || at < 0 {
		return Header{}, errors.New("want HOST:Name=Value, such as example.org:Accept-Language=de")
	}
	site, err := ParseSite(left[:at])
	if err != nil {
		return Header{}, err
	}
	return NewHeader(site, left[at+1:], value)
}

// NewHeader checks a header field. The error does not repeat the value.
func NewHeader(site Site, name, value string) (Header, error) {
	name = strings.TrimSpace(name)
	if !httpguts.ValidHeaderFieldName(name) {
		return Header{}, fmt.Errorf("%s: %q is not the name of a header", site, name)
	}
	name = http.CanonicalHeaderKey(name)
	if name == "User-Agent" {
		return Header{}, fmt.Errorf("%s: the User-Agent is the same for all hosts: use the setting user-agent", site)
	}
	if slices.Contains(ours, name) {
		return Header{}, fmt.Errorf("%s: the header %s is the crawler's own", site, name)
	}
	value = strings.TrimSpace(value)
	if !httpguts.ValidHeaderFieldValue(value) {
		return Header{}, fmt.Errorf("%s: the value of %s has a character that no header may have", site, name)
	}
	return Header{site, name, value}, nil
}

// Basic returns the header of a user name and a password (RFC 7617).
func Basic(site Site, user, password string) (Header, error) {
	if strings.Contains(user, ":") {
		return Header{}, fmt.Errorf("%s: a user name for basic may not have a colon", site)
	}
	return NewHeader(site, "Authorization", "Basic "+base64.StdEncoding.EncodeToString([]byte(user+":"+password)))
}

// Bearer returns the header of a token (RFC 6750).
func Bearer(site Site, token string) (Header, error) {
	if token == "" || strings.ContainsAny(token, " \t") {
		return Header{}, fmt.Errorf("%s: a bearer token is one word", site)
	}
	return NewHeader(site, "Authorization", "Bearer "+token)
}

// A Login is a form that is sent once before a crawl.
type Login struct {
	Site   Site
	Page   weburl.URL // the page that has the form
	Fields url.Values // what is filled in; the form's other fields are sent as the page has them
	Expect string     // a text that the page after the login has; "": no text is looked for
}

// Grants are what the requests of a crawl carry. They may be used from many goroutines; the
// zero Grants carry nothing.
type Grants struct {
	Headers []Header
	Logins  []Login

	// Jar keeps the cookies. nil: none are sent.
	Jar *Jar

	// KeepCookies makes Jar accept the cookies of all hosts; without it Jar accepts those of
	// the sites of Logins, and sends what it has.
	KeepCookies bool
}

// Apply adds to the header of a request for u what is given for its site, and reports
// whether that is anything.
func (g *Grants) Apply(h http.Header, u weburl.URL) bool {
	if g == nil {
		return false
	}
	carries := false
	for _, f := range g.Headers {
		if f.Site.Covers(u) {
			h[f.Name] = []string{f.Value} // one that names it again replaces it
			carries = true
		}
	}
	if cookies := g.Jar.Cookies(u); cookies != "" {
		if given := h.Get("Cookie"); given != "" {
			cookies = given + "; " + cookies
		}
		h["Cookie"] = []string{cookies}
		carries = true
	}
	return carries
}

// Answered takes the cookies of an answer to a request for u, which carried something or
// not. A session that a server opens for us is as good as a password: the values of its
// cookies are taken out of the header, which is kept with the page.
func (g *Grants) Answered(h http.Header, u weburl.URL, carried bool) {
	if g == nil || len(h["Set-Cookie"]) == 0 {
		return
	}
	keep := g.Jar != nil && (g.KeepCookies || g.logsInto(u))
	if keep {
		g.Jar.Set(u, h["Set-Cookie"])
	}
	if !keep && !carried {
		return
	}
	names := make([]string, 0, len(h["Set-Cookie"]))
	for _, line := range h["Set-Cookie"] {
		name, _, _ := strings.Cut(line, "=")
		names = append(names, strings.TrimSpace(name)+"=not-kept")
	}
	h["Set-Cookie"] = names
}

func (g *Grants) logsInto(u weburl.URL) bool {
	return slices.ContainsFunc(g.Logins, func(l Login) bool { return l.Site.Covers(u) })
}

// Withheld returns the site whose grants are for the host of u, and are not sent to u because
// it would go without TLS; "" if there is none.
func (g *Grants) Withheld(u weburl.URL) string {
	if g == nil {
		return ""
	}
	for _, f := range g.Headers {
		if f.Site.Names(u) && !f.Site.Covers(u) {
			return f.Site.String()
		}
	}
	for _, l := range g.Logins {
		if l.Site.Names(u) && !l.Site.Covers(u) {
			return l.Site.String()
		}
	}
	return ""
}
