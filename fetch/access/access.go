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

// A Header is a header field that is sent with each request to a site.
type Header struct {
	Site  Site
	Name  string
	Value string
}

// ours are the header fields that the crawler or the connection sets.
var ours = []string{
	"Accept-Encoding", "Connection", "Content-Length", "Content-Type", "Expect", "Host", "If-Modified-Since",
	"If-None-Match", "Keep-Alive", "Proxy-Authorization", "Proxy-Connection", "Range", "Te", "Trailer",
	"Transfer-Encoding", "Upgrade", "User-Agent",
}

// ParseHeader reads HOST:Name=Value. Its errors do not repeat the value.
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

// NewHeader checks a header field. Its errors do not repeat the value.
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
	Fields url.Values // values of fields that are filled in; the form's other fields are sent as the page has them
	Expect string     // a text that must be in the page after the login; "": any page will do
}

// Grants are the headers, logins and cookies of a crawl's requests. They may be used from many
// goroutines; the zero Grants have none.
type Grants struct {
	Headers []Header
	Logins  []Login

	// Jar stores the cookies; nil: none are sent.
	Jar *Jar

	// KeepCookies makes Jar accept the cookies of all hosts. Without it, Jar accepts only those of
	// the sites of Logins. It sends the cookies that it has in any case.
	KeepCookies bool
}

// Apply adds what is granted for the site of u to the header of a request, and reports whether that
// is anything.
func (g *Grants) Apply(h http.Header, u weburl.URL) bool {
	if g == nil {
		return false
	}
	carries := false
	for _, f := range g.Headers {
		if f.Site.Covers(u) {
			h[f.Name] = []string{f.Value} // a later header of the same name replaces it
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

// Answered stores the cookies of an answer to a request for u; carried says whether Apply added
// anything to the request. It reports whether another request for u would have other cookies now. A
// session that a server opens for us is as good as a password, so the values of its cookies are
// removed from the header h, which is kept with the page.
func (g *Grants) Answered(h http.Header, u weburl.URL, carried bool) (others bool) {
	if g == nil || len(h["Set-Cookie"]) == 0 {
		return false
	}
	keep := g.keeps(u)
	if keep {
		before := g.Jar.Cookies(u)
		g.Jar.Set(u, h["Set-Cookie"])
		others = g.Jar.Cookies(u) != before
	}
	if !keep && !carried {
		return false
	}
	names := make([]string, 0, len(h["Set-Cookie"]))
	for _, line := range h["Set-Cookie"] {
		name, _, _ := strings.Cut(line, "=")
		names = append(names, strings.TrimSpace(name)+"=not-kept")
	}
	h["Set-Cookie"] = names
	return others
}

// HasCookies reports whether cookies that answers have set, and are kept, go with a request for u.
func (g *Grants) HasCookies(u weburl.URL) bool {
	return g != nil && g.keeps(u) && g.Jar.Cookies(u) != ""
}

// keeps reports whether the cookies that u sets are kept.
func (g *Grants) keeps(u weburl.URL) bool { return g.Jar != nil && (g.KeepCookies || g.logsInto(u)) }

func (g *Grants) logsInto(u weburl.URL) bool {
	return slices.ContainsFunc(g.Logins, func(l Login) bool { return l.Site.Covers(u) })
}

// Withheld returns the site whose grants are for the host of u but are not sent because the request
// goes without TLS; "" if there is none.
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
