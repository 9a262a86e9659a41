package fetch

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"golang.org/x/net/html"

	"gatecrawl.example/gatecrawl/fetch/access"
	"gatecrawl.example/gatecrawl/frontier/weburl"
)

// maxLoginPage and loginHops bound what a login reads, in bytes, and which redirects it
// follows.
const (
	maxLoginPage = 1 << 20
	loginHops    = 5
)

// Login fills in a form and sends it, once, and leaves the cookies that the site sets in
// Options.Grants.Jar. It asks for the page of the form, sends the form to where the page
// says, and follows redirects; a form or a redirect that leads off the site is an error. So is
// an answer of 400 and above, one without the text that the login expects, and a login that
// sets no cookie. It reads no robots.txt: the user has asked for it.
//
// No error contains anything that was filled in.
func (f *Fetcher) Login(ctx context.Context, l access.Login) error {
	ctx, cancel := context.WithTimeout(ctx, f.o.Timeout)
	defer cancel()
	jar := f.o.Grants.Jar
	page, at, err := f.ask(ctx, l.Site, l.Page, nil)
	if err != nil {
		return fmt.Errorf("login at %s: %w", l.Page, err)
	}
	action, fields, missing, err := loginForm(page, at, l.Fields)
	if err != nil {
		return fmt.Errorf("login at %s: %w", at, err)
	}
	if !l.Site.Covers(action) {
		return fmt.Errorf("login at %s: its form is sent to %s, and the user name and password are for %s alone", at, action.Origin(), l.Site)
	}
	asks := "are user name, password and the names of the fields right?"
	if len(missing) > 0 {
		asks = fmt.Sprintf("the form has no field %s: look for name= in its source", strings.Join(missing, ", "))
	}
	before := jar.Cookies(action)
	after, at, err := f.ask(ctx, l.Site, action, fields)
	switch {
	case err != nil:
		return fmt.Errorf("login at %s: %w", l.Page, err)
	case l.Expect != "" && !bytes.Contains(after, []byte(l.Expect)):
		return fmt.Errorf("login at %s: the page after it, %s, does not have the text %q: %s", l.Page, at, l.Expect, asks)
	case l.Expect == "" && jar.Cookies(action) == before:
		return fmt.Errorf("login at %s: the site sets no cookie after it: %s", l.Page, asks)
	}
	return nil
}

// ask requests a URL of a site, with a form if there is one, and follows redirects on it.
func (f *Fetcher) ask(ctx context.Context, site access.Site, u weburl.URL, form url.Values) (body []byte, at weburl.URL, err error) {
	for range loginHops + 1 {
		if !site.Covers(u) {
			return nil, u, fmt.Errorf("it leads to %s, and the login is for %s alone", u.Origin(), site)
		}
		res, err := f.send(ctx, u, form)
		if err != nil {
			return nil, u, err
		}
		body, err := io.ReadAll(io.LimitReader(res.Body, maxLoginPage))
		res.Body.Close()
		to := ""
		if res.StatusCode >= 300 && res.StatusCode < 400 {
			to = res.Header.Get("Location")
		}
		switch {
		case err != nil:
			return nil, u, f.o.explain(ctx, u, err)
		case res.StatusCode >= 400:
			return nil, u, fmt.Errorf("%s answers %s", u, res.Status)
		case to == "":
			return body, u, nil
		}
		if u, err = u.Parse(to); err != nil {
			return nil, u, err
		}
		if res.StatusCode != http.StatusTemporaryRedirect && res.StatusCode != http.StatusPermanentRedirect {
			form = nil
		}
	}
	return nil, u, fmt.Errorf("more than %d redirects", loginHops)
}

// send sends one request of a login.
func (f *Fetcher) send(ctx context.Context, u weburl.URL, form url.Values) (*http.Response, error) {
	if f.o.Proxy != "" {
		if err := f.o.allowTarget(u); err != nil {
			return nil, f.o.explain(ctx, u, err)
		}
	}
	method, body := http.MethodGet, io.Reader(nil)
	if form != nil {
		method, body = http.MethodPost, strings.NewReader(form.Encode())
	}
	req, err := http.NewRequestWithContext(ctx, method, u.String(), body)
	if err != nil {
		return nil, err
	}
	req.Header.Set("User-Agent", f.o.Agent)
	req.Header.Set("Accept", "text/html,application/xhtml+xml")
	if form != nil {
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		req.Header.Set("Origin", u.Origin())
	}
	res, _, err := f.wire.send(req, u)
	if err != nil {
		return nil, f.o.explain(ctx, u, err)
	}
	return res, nil
}

// loginForm finds the form of a page that has the fields to fill in, and returns where it is
// sent and with what, and which of the fields it does not have: they are sent too, since scripts may add them.
func loginForm(page []byte, at weburl.URL, fill url.Values) (action weburl.URL, fields url.Values, missing []string, err error) {
	doc, err := html.Parse(bytes.NewReader(page))
	if err != nil {
		return action, nil, nil, err
	}
	var best *html.Node
	most, base := 0, at
	for n := range doc.Descendants() {
		switch {
		case n.Type != html.ElementNode:
		case n.Data == "base" && attr(n, "href") != "":
			if u, err := at.Parse(attr(n, "href")); err == nil {
				base = u
			}
		case n.Data == "form":
			has := 0
			for name := range formFields(n) {
				if fill.Has(name) {
					has++
				}
			}
			if has > most {
				best, most = n, has
			}
		}
	}
	if best == nil {
		return action, nil, nil, errors.New("no form of the page has a field with one of the names given: look for name= in its source")
	}
	if !strings.EqualFold(attr(best, "method"), "post") {
		return action, nil, nil, errors.New("its form is sent by GET, which would write the password into a URL")
	}
	action = at
	if to := attr(best, "action"); to != "" {
		if action, err = base.Parse(to); err != nil {
			return action, nil, nil, err
		}
	}
	fields = formFields(best)
	for _, name := range slices.Sorted(maps.Keys(fill)) {
		if !fields.Has(name) {
			missing = append(missing, name)
		}
		fields[name] = fill[name]
	}
	return action, fields, missing, nil
}

// formFields are the fields of a form as a browser sends them when nothing is filled in:
// without buttons, and without boxes that are not ticked.
func formFields(form *html.Node) url.Values {
	fields := make(url.Values)
	for n := range form.Descendants() {
		name := attr(n, "name")
		if n.Type != html.ElementNode || name == "" {
			continue
		}
		switch n.Data {
		case "select":
			if value, ok := chosen(n); ok {
				fields.Add(name, value)
			}
			continue
		case "textarea":
			fields.Add(name, textOf(n))
			continue
		case "input":
		default:
			continue
		}
		switch strings.ToLower(attr(n, "type")) {
		case "submit", "button", "image", "reset", "file":
			continue
		case "checkbox", "radio":
			if !hasAttr(n, "checked") {
				continue
			}
		}
		fields.Add(name, attr(n, "value"))
	}
	return fields
}

// chosen is the value of a list to choose from: that of the option that is selected, or of the first.
func chosen(list *html.Node) (value string, ok bool) {
	for n := range list.Descendants() {
		if n.Type != html.ElementNode || n.Data != "option" {
			continue
		}
		if selected := hasAttr(n, "selected"); selected || !ok {
			value, ok = attr(n, "value"), true
			if !hasAttr(n, "value") {
				value = strings.TrimSpace(textOf(n))
			}
			if selected {
				return value, true
			}
		}
	}
	return value, ok
}

func textOf(n *html.Node) string {
	var b strings.Builder
	for t := range n.Descendants() {
		if t.Type == html.TextNode {
			b.WriteString(t.Data)
		}
	}
	return b.String()
}

func attr(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

func hasAttr(n *html.Node, name string) bool {
	for _, a := range n.Attr {
		if a.Key == name {
			return true
		}
	}
	return false
}
