package access

import (
	"errors"
	"fmt"
	"strings"

	"gatecrawl.example/gatecrawl/frontier/weburl"
)

// A Site is a host and port that something is granted for.
type Site struct {
	host  string // as weburl.URL.Host writes it
	plain bool   // grants are also sent without TLS
}

// ParseSite reads HOST, HOST:PORT, or either after https:// or http://. With http://, what is
// granted for the site is also sent without TLS.
func ParseSite(text string) (Site, error) {
	if strings.Contains(text, "@") { // there may be a password before it
		return Site{}, errors.New("a host has no @: want one such as example.org, and user name and password in a file of credentials")
	}
	name, plain := text, false
	if rest, ok := strings.CutPrefix(text, "http://"); ok {
		name, plain = rest, true
	} else if rest, ok := strings.CutPrefix(text, "https://"); ok {
		name = rest
	}
	scheme := "https://"
	if plain {
		scheme = "http://"
	}
	u, err := weburl.Parse(scheme + strings.TrimSuffix(name, "/") + "/")
	if err != nil || name == "" || u.Path() != "/" || u.Query() != "" || strings.ContainsAny(name, "?#* ") {
		return Site{}, fmt.Errorf("%q is not a host: want one such as example.org, example.org:8443 or http://example.org", weburl.Shorten(text))
	}
	return Site{host: u.Host(), plain: plain}, nil
}

// Covers reports whether what is granted for the site may be sent with a request for u.
func (s Site) Covers(u weburl.URL) bool {
	return s.Names(u) && (s.plain || u.Scheme() == "https" || u.Loopback())
}

// Names reports whether u is on the site, over TLS or not.
func (s Site) Names(u weburl.URL) bool { return s.host != "" && u.Host() == s.host }

// String returns the site as ParseSite reads it.
func (s Site) String() string {
	if s.plain {
		return "http://" + s.host
	}
	return s.host
}

// Host returns the host, with its port if that is not the default.
func (s Site) Host() string { return s.host }
