package configs

import (
	"crypto/x509"
	"errors"
	"fmt"
	"net/url"
	"os"
	"slices"

	"gatecrawl.example/gatecrawl/fetch/access"
	"gatecrawl.example/gatecrawl/frontier/weburl"
)

// LoadGrants returns the headers, credentials and cookies that a crawl sends: the headers given,
// those of the setting hosts, and those of the settings credentials, cookie-file and cookies. It is
// nil if there are none. No error contains a secret.
func (s Settings) LoadGrants(headers []string) (*access.Grants, error) {
	g := &access.Grants{KeepCookies: s.Cookies}
	var faults []error
	for _, text := range headers {
		h, err := access.ParseHeader(text)
		if err != nil {
			faults = append(faults, fmt.Errorf("header: %w", err))
		}
		g.Headers = append(g.Headers, h)
	}
	hosts, err := s.LoadHosts()
	faults = append(faults, err)
	for _, h := range hosts {
		g.Headers = append(g.Headers, h.Headers...)
	}
	if s.Credentials != "" {
		faults = append(faults, loadCredentials(s.Credentials, g))
	}
	if s.CookieFile != "" || s.Cookies || len(g.Logins) > 0 {
		g.Jar = access.NewJar()
	}
	if s.CookieFile != "" {
		if err := g.Jar.ReadCookies(s.CookieFile); err != nil {
			faults = append(faults, fmt.Errorf("cookie-file: %w", err))
		}
	}
	if err := errors.Join(faults...); err != nil {
		return nil, err
	}
	if len(g.Headers) == 0 && g.Jar == nil {
		return nil, nil
	}
	return g, nil
}

// loadCredentials reads a file of credentials into g.
func loadCredentials(path string, g *access.Grants) error {
	data, err := access.ReadSecret(path)
	if err != nil {
		return fmt.Errorf("credentials: %w", err)
	}
	r := newReading(path)
	r.hosts(data, func(host keyed, rest []keyed) {
		site, err := access.ParseSite(host.of.text)
		if err != nil {
			r.fault(host.line, "host", "%v", err)
			return
		}
		for _, k := range rest {
			switch k.name {
			case "basic":
				f := r.fields(k, "user", "password")
				h, err := access.Basic(site, f["user"], f["password"])
				r.add(g, k, h, err)
			case "bearer":
				h, err := access.Bearer(site, r.text(k))
				r.add(g, k, h, err)
			case "login":
				r.login(g, site, k)
			default:
				r.unknown(k, "basic", "bearer", "login")
			}
		}
	})
	return r.err()
}

// add adds a header, or reports what is wrong with it.
func (r reading) add(g *access.Grants, k keyed, h access.Header, err error) {
	if err != nil {
		r.fault(k.line, k.name, "%v", err)
		return
	}
	g.Headers = append(g.Headers, h)
}

// fields returns plain values by their keys, all of which must be present.
func (r reading) fields(k keyed, want ...string) map[string]string {
	m := make(map[string]string)
	for _, f := range k.of.keys {
		if !slices.Contains(want, f.name) {
			r.unknown(f, want...)
		}
		m[f.name] = r.text(f)
	}
	for _, name := range want {
		if _, ok := m[name]; !ok {
			r.fault(k.line, k.name, "%s is missing", name)
		}
	}
	return m
}

// login reads the form of a login.
func (r reading) login(g *access.Grants, site access.Site, k keyed) {
	l := access.Login{Site: site, Fields: make(url.Values)}
	for _, f := range k.of.keys {
		switch f.name {
		case "page":
			u, err := weburl.Parse(r.text(f))
			switch {
			case err != nil:
				r.fault(f.line, "page", "not a URL: want the page that has the form, such as https://%s/login", site)
			case !site.Covers(u):
				r.fault(f.line, "page", "%s is not on %s, or not over TLS: for a site without TLS write host: http://%s", u, site, u.Host())
			}
			l.Page = u
		case "form":
			for _, v := range f.of.keys {
				l.Fields.Set(v.name, r.text(v))
			}
		case "expect":
			l.Expect = r.text(f)
		default:
			r.unknown(f, "page", "form", "expect")
		}
	}
	if l.Page.IsZero() || len(l.Fields) == 0 {
		r.fault(k.line, "login", "want page: URL, and form: with the names of its fields and what is filled in")
		return
	}
	g.Logins = append(g.Logins, l)
}

// LoadRoots returns the certificates to trust: those of the system and of the setting ca-file, or
// nil for those of the system alone.
func (s Settings) LoadRoots() (*x509.CertPool, error) {
	if s.CAFile == "" {
		return nil, nil
	}
	pem, err := os.ReadFile(s.CAFile)
	if err != nil {
		return nil, fmt.Errorf("ca-file: %w", err)
	}
	pool, err := x509.SystemCertPool()
	if err != nil {
		pool = x509.NewCertPool()
	}
	if !pool.AppendCertsFromPEM(pem) {
		return nil, fmt.Errorf("ca-file: %s has no certificate in PEM form (-----BEGIN CERTIFICATE-----)", s.CAFile)
	}
	return pool, nil
}
