package access

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/net/publicsuffix"

	"gatecrawl.example/gatecrawl/durable"
	"gatecrawl.example/gatecrawl/frontier/weburl"
)

// The limits of a Jar. Browsers keep at least 180 cookies of a domain (RFC 6265, section 6.1, asks
// for 50); no sensible server relies on more.
const (
	maxCookies     = 50     // of a host
	maxCookieBytes = 4096   // name and value
	maxCookieHosts = 10_000 // hosts with cookies; cookies of further hosts are not kept
	maxSentBytes   = 16_384 // in one request
)

// A cookie is a cookie that a server has set or a cookie file has.
type cookie struct {
	Host    string    `json:"host"`             // as weburl.URL.Host writes it; for a cookie file the domain
	Below   bool      `json:"below,omitempty"`  // also for subdomains of Host, at any port; only in cookie files
	Given   bool      `json:"-"`                // from a cookie file, which is read again in each run
	Secure  bool      `json:"secure,omitempty"` // only over TLS
	Path    string    `json:"path"`
	Name    string    `json:"name"`
	Value   string    `json:"value"`
	Expires time.Time `json:"expires,omitzero"` // zero: at the end of the job
}

// A Jar stores the cookies of each host separately: a cookie is sent only to the host and port that
// has set it. Cookies of cookie files are sent where the file says. It may be used from many
// goroutines.
type Jar struct {
	mu    sync.Mutex
	hosts map[string][]cookie // by host
	given map[string][]cookie // of cookie files, by domain
}

// NewJar returns an empty jar.
func NewJar() *Jar {
	return &Jar{hosts: make(map[string][]cookie), given: make(map[string][]cookie)}
}

// Cookies returns the value of the Cookie header for a request; "": none. Cookies with longer paths
// come first (RFC 6265, section 5.4).
func (j *Jar) Cookies(u weburl.URL) string {
	if j == nil {
		return ""
	}
	now := time.Now()
	var fit []cookie
	j.mu.Lock()
	add := func(all []cookie, below bool) {
		for _, c := range all {
			if (!below || c.Below) && c.fits(u, now) && !slices.ContainsFunc(fit, func(f cookie) bool { return f.Name == c.Name && f.Path == c.Path }) {
				fit = append(fit, c)
			}
		}
	}
	add(j.hosts[u.Host()], false)
	if len(j.given) > 0 {
		name := u.Hostname()
		add(j.given[name], false)
		for rest := name; ; {
			_, up, ok := strings.Cut(rest, ".")
			if !ok {
				break
			}
			rest = up
			add(j.given[rest], true)
		}
	}
	j.mu.Unlock()
	slices.SortStableFunc(fit, func(a, b cookie) int { return len(b.Path) - len(a.Path) })
	var b strings.Builder
	for _, c := range fit {
		if b.Len()+len(c.Name)+len(c.Value) > maxSentBytes {
			break
		}
		if b.Len() > 0 {
			b.WriteString("; ")
		}
		b.WriteString(c.Name + "=" + c.Value)
	}
	return b.String()
}

// fits reports whether a cookie is sent with a request to its host.
func (c *cookie) fits(u weburl.URL, now time.Time) bool {
	if c.Secure && u.Scheme() != "https" && !(c.Given && u.Loopback()) || !c.Expires.IsZero() && !now.Before(c.Expires) {
		return false
	}
	path := u.Path()
	return path == c.Path || strings.HasPrefix(path, c.Path) && (strings.HasSuffix(c.Path, "/") || path[len(c.Path)] == '/')
}

// Set stores the cookies of the Set-Cookie lines of an answer, except those that browsers must
// refuse by RFC 6265.
func (j *Jar) Set(u weburl.URL, lines []string) {
	now := time.Now()
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, line := range lines {
		set, err := http.ParseSetCookie(line)
		if err != nil || len(set.Name)+len(set.Value) > maxCookieBytes || !mayName(u, set.Domain) {
			continue
		}
		c := cookie{Host: u.Host(), Secure: set.Secure || u.Scheme() == "https", Path: set.Path, Name: set.Name, Value: set.Value, Expires: set.Expires}
		if set.Secure && u.Scheme() != "https" {
			continue // it would never be sent
		}
		if set.Quoted {
			c.Value = `"` + c.Value + `"`
		}
		if !strings.HasPrefix(c.Path, "/") {
			c.Path = defaultPath(u.Path())
		}
		if set.MaxAge != 0 {
			c.Expires = now.Add(time.Duration(set.MaxAge) * time.Second)
		}
		j.put(c, now)
	}
}

// put replaces the cookie of the same host, name and path, or removes it if c has expired.
func (j *Jar) put(c cookie, now time.Time) {
	all, known := j.hosts[c.Host]
	if !known && len(j.hosts) >= maxCookieHosts {
		return
	}
	all = slices.DeleteFunc(slices.Clone(all), func(o cookie) bool {
		return o.Name == c.Name && o.Path == c.Path || !o.Expires.IsZero() && !now.Before(o.Expires)
	})
	if c.Expires.IsZero() || now.Before(c.Expires) {
		all = append(all, c)
	}
	if len(all) > maxCookies {
		all = all[len(all)-maxCookies:]
	}
	if len(all) == 0 {
		delete(j.hosts, c.Host)
		return
	}
	j.hosts[c.Host] = all
}

// mayName reports whether a host may set a cookie with this Domain: its own name or a parent domain
// that is not a public suffix. In any case the cookie is sent back only to the host.
func mayName(u weburl.URL, domain string) bool {
	domain = strings.ToLower(strings.TrimPrefix(domain, "."))
	name := u.Hostname()
	if domain == "" || domain == name {
		return true
	}
	return strings.HasSuffix(name, "."+domain) && !isPublicSuffix(domain)
}

// isPublicSuffix reports whether names directly below a domain belong to different owners.
func isPublicSuffix(domain string) bool {
	suffix, _ := publicsuffix.PublicSuffix(domain)
	return suffix == domain
}

// defaultPath returns the path of a cookie that has none (RFC 6265, section 5.1.4).
func defaultPath(path string) string {
	if i := strings.LastIndexByte(path, '/'); i > 0 {
		return path[:i]
	}
	return "/"
}

// Len returns how many cookies there are.
func (j *Jar) Len() (n int) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, all := range j.hosts {
		n += len(all)
	}
	for _, all := range j.given {
		n += len(all)
	}
	return n
}

// Load adds the cookies of a file that Save wrote; none if there is no file.
func (j *Jar) Load(path string) error {
	f, err := os.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("cookies of the job: %w", err)
	}
	defer f.Close()
	now := time.Now()
	j.mu.Lock()
	defer j.mu.Unlock()
	for d := json.NewDecoder(bufio.NewReader(f)); ; {
		var c cookie
		switch err := d.Decode(&c); {
		case err == io.EOF:
			return nil
		case err != nil:
			return fmt.Errorf("cookies of the job: %s cannot be read (%w): remove it, and servers set new ones", path, err)
		}
		c.Below = false
		j.put(c, now)
	}
}

// Save writes the cookies that servers have set to a file that only its owner can read. It does not
// write those of cookie files.
func (j *Jar) Save(path string) error {
	err := durable.WriteFile(path, 0o600, func(f *os.File) (err error) {
		w := bufio.NewWriter(f)
		e := json.NewEncoder(w)
		j.mu.Lock()
		defer j.mu.Unlock()
		for _, all := range j.hosts {
			for i := range all {
				err = errors.Join(err, e.Encode(&all[i]))
			}
		}
		return errors.Join(err, w.Flush())
	})
	if err != nil {
		return fmt.Errorf("cookies of the job: %w", err)
	}
	return nil
}
