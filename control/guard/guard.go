// Package guard decides who may see and change a crawl over HTTP.
//
// A Guard checks every request before it is answered: the Host header, the origin of a request that
// changes something, the access token if one is set, and the token of forms. It also sets the
// headers that keep a browser from interpreting the text of pages as anything but text.
// docs/security.md lists the threats, and for each the test that covers it.
package guard

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"mime"
	"net"
	"net/http"
	"net/netip"
	"os"
	"slices"
	"strings"
)

// LeastToken is the least length of an access token, in bytes.
const LeastToken = 16

// A Guard checks requests. Make one with New.
type Guard struct {
	token  string // "": everyone on this machine may ask
	secret []byte // of this process: sessions and forms are no longer valid when it ends
	cross  *http.CrossOriginProtection

	// Login shows the form that asks for the token; failed says that the last one was wrong. Set it
	// before the guard is used. Nil: there is no form.
	Login func(w http.ResponseWriter, r *http.Request, failed bool)
}

// New returns a guard for a server at addr, HOST:PORT. Without a token the host has to be this
// machine; the error says what to do.
func New(addr, token string) (*Guard, error) {
	host, port, err := net.SplitHostPort(addr)
	if err != nil || port == "" {
		return nil, fmt.Errorf("%q is not an address to listen at: want 127.0.0.1:8900", addr)
	}
	switch {
	case token == "" && !loopback(host):
		return nil, fmt.Errorf("%s can be reached from other machines: make a token with "+
			"(umask 077; head -c 24 /dev/urandom | base64 > token) and give it by --serve-token-file token, or listen at 127.0.0.1:%s", addr, port)
	case token != "" && len(token) < LeastToken:
		return nil, fmt.Errorf("the token has %d bytes: want %d or more", len(token), LeastToken)
	}
	g := &Guard{token: token, secret: make([]byte, 32), cross: http.NewCrossOriginProtection()}
	rand.Read(g.secret) // never fails: see crypto/rand
	return g, nil
}

// loopback reports whether a host name always means this machine.
func loopback(host string) bool {
	if host == "localhost" {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.Unmap().IsLoopback()
}

// ReadToken reads a token from the first line of a file, which other users must not be able to
// read.
func ReadToken(path string) (string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return "", err
	}
	if info.Mode().Perm()&0o077 != 0 {
		return "", fmt.Errorf("%s can be read by others (mode %v): chmod 600 %s", path, info.Mode().Perm(), path)
	}
	if info.IsDir() || info.Size() > 1<<16 {
		return "", &fs.PathError{Op: "read token", Path: path, Err: errors.New("not a file with a token")}
	}
	b, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	line, _, _ := strings.Cut(string(b), "\n")
	if line = strings.TrimSpace(line); len(line) < LeastToken {
		return "", fmt.Errorf("%s: the token has %d bytes: want %d or more", path, len(line), LeastToken)
	}
	return line, nil
}

// open are the paths that need no token: they only show that the server is running, and its style.
var open = []string{"/healthz", "/readyz", "/login", "/static/style.css"}

// policy lets a browser load only what this server has, and run only its one script.
const policy = "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self'; " +
	"form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

// maxForm bounds the body of a form, in bytes. The longest is a list of seeds.
const maxForm = 4 << 20

// Wrap returns a handler that checks each request before h answers it.
func (g *Guard) Wrap(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for name, value := range map[string]string{
			"Content-Security-Policy":      policy,
			"X-Content-Type-Options":       "nosniff",
			"X-Frame-Options":              "DENY",
			"Referrer-Policy":              "no-referrer",
			"Cross-Origin-Opener-Policy":   "same-origin",
			"Cross-Origin-Resource-Policy": "same-origin",
			"Cache-Control":                "no-store",
		} {
			w.Header().Set(name, value)
		}
		if !g.hostAllowed(r.Host) {
			http.Error(w, "this server is not "+safe(r.Host)+": ask for it as localhost or 127.0.0.1", http.StatusMisdirectedRequest)
			return
		}
		if r.Method != http.MethodGet && r.Method != http.MethodHead && r.Method != http.MethodPost {
			w.Header().Set("Allow", "GET, HEAD, POST")
			http.Error(w, "want GET or POST", http.StatusMethodNotAllowed)
			return
		}
		if err := g.cross.Check(r); err != nil {
			http.Error(w, "a page of another site sent this: "+err.Error(), http.StatusForbidden)
			return
		}
		if r.URL.Path == "/login" && g.token != "" && g.Login != nil {
			g.login(w, r)
			return
		}
		if g.token != "" && !slices.Contains(open, r.URL.Path) && !g.known(r) {
			w.Header().Set("WWW-Authenticate", `Bearer realm="crawl"`)
			if g.Login != nil && r.Method != http.MethodPost && strings.Contains(r.Header.Get("Accept"), "text/html") {
				http.Redirect(w, r, "/login", http.StatusSeeOther)
				return
			}
			http.Error(w, "want the token: Authorization: Bearer TOKEN", http.StatusUnauthorized)
			return
		}
		if r.Method == http.MethodPost && !g.meant(w, r) {
			return
		}
		h.ServeHTTP(w, r)
	})
}

// hostAllowed checks the Host header. Without a token, another site could otherwise let its own
// name resolve to this machine, and its pages could read this server.
func (g *Guard) hostAllowed(host string) bool {
	if g.token != "" {
		return host != ""
	}
	if h, _, err := net.SplitHostPort(host); err == nil {
		host = h
	}
	return loopback(strings.Trim(host, "[]"))
}

// known reports whether a request has the token, or a session that was started with it.
func (g *Guard) known(r *http.Request) bool {
	if got, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer "); ok {
		return same(got, g.token)
	}
	c, err := r.Cookie(cookie)
	return err == nil && same(c.Value, g.sign("session"))
}

const cookie = "crawl_session"

// login answers GET and POST /login.
func (g *Guard) login(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost {
		g.Login(w, r, false)
		return
	}
	r.Body = http.MaxBytesReader(w, r.Body, 1<<16)
	if !same(r.PostFormValue("token"), g.token) {
		g.Login(w, r, true)
		return
	}
	http.SetCookie(w, &http.Cookie{
		Name: cookie, Value: g.sign("session"), Path: "/", HttpOnly: true, SameSite: http.SameSiteStrictMode, Secure: r.TLS != nil,
	})
	http.Redirect(w, r, "/", http.StatusSeeOther)
}

// meant reports whether a POST cannot come from a form of another site: it has the token of this
// server's forms, or a type that no form can send. Otherwise it answers the request.
func (g *Guard) meant(w http.ResponseWriter, r *http.Request) bool {
	kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	switch kind {
	case "application/json", "text/uri-list":
		return true
	case "application/x-www-form-urlencoded":
		r.Body = http.MaxBytesReader(w, r.Body, maxForm)
		if same(r.PostFormValue(FormField), g.FormToken()) {
			return true
		}
		why := "this form is from before the crawl was started: load its page again"
		if r.PostFormValue(FormField) == "" {
			why = "this form is not of this server's page; a program wants Content-Type: application/json, or text/uri-list for seeds"
		}
		http.Error(w, why, http.StatusForbidden)
		return false
	}
	http.Error(w, "want Content-Type: application/json, or text/uri-list for seeds", http.StatusUnsupportedMediaType)
	return false
}

// FormField is the name of the field that has FormToken.
const FormField = "form"

// FormToken returns the token that every form has to send.
func (g *Guard) FormToken() string { return g.sign("form") }

func (g *Guard) sign(what string) string {
	m := hmac.New(sha256.New, g.secret)
	m.Write([]byte(what))
	return hex.EncodeToString(m.Sum(nil))
}

// same compares two texts in constant time.
func same(a, b string) bool {
	x, y := sha256.Sum256([]byte(a)), sha256.Sum256([]byte(b))
	return subtle.ConstantTimeCompare(x[:], y[:]) == 1
}

// safe quotes and shortens a header to show it.
func safe(s string) string { return fmt.Sprintf("%.100q", s) }
