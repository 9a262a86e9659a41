package dust

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strings"

	"gatecrawl.example/gatecrawl/frontier/weburl"
)

// maxList bounds a file of rules, in bytes.
const maxList = 16 << 20

// tracking are parameters, in lower case, that tell a site where its reader came from and never
// change the page. Session ids are removed by package weburl.
var tracking = []string{
	"fbclid", "gclid", "gclsrc", "dclid", "gbraid", "wbraid", "msclkid", "yclid", "twclid", "ttclid", "igshid",
	"li_fat_id", "mc_cid", "mc_eid", "_hsenc", "_hsmi", "__hssc", "__hstc", "hsctatracking", "mkt_tok", "vero_id",
	"oly_anon_id", "oly_enc_id", "rb_clickid", "s_cid", "wickedid", "_openstat", "_ga", "_gl", "epik",
}

// A provider removes parameters from the URLs that it matches.
type provider struct {
	name    string
	pattern *regexp.Regexp   // of the URL; nil: every URL
	hosts   []string         // these hosts and their subdomains; nil: all hosts
	except  []*regexp.Regexp // URLs that are not changed
	names   *regexp.Regexp   // of parameters, matching the whole name
	raw     []*regexp.Regexp // removed from the path as text
}

// Lists are rules that need no learning. The nil *Lists changes nothing.
type Lists struct {
	builtin   map[string]bool
	providers []provider
	any       *regexp.Regexp // names that any provider removes
	raw       bool           // a provider has expressions for the path
}

// NewLists returns the lists with or without the built-in names: utm_ and about
// thirty parameters of advertisers and newsletters.
func NewLists(builtin bool) *Lists {
	l := &Lists{builtin: make(map[string]bool)}
	if builtin {
		for _, n := range tracking {
			l.builtin[n] = true
		}
	}
	return l
}

// Strip returns a URL without what the lists remove, and the name of the entry that removed
// something, "" if none did.
func (l *Lists) Strip(u weburl.URL) (weburl.URL, string) {
	if l == nil || u.Query() == "" && !l.raw {
		return u, ""
	}
	by, kept := "", u.Query()
	drop := func(name func(string) bool, who string) {
		pairs := strings.Split(kept, "&")
		n := len(pairs)
		if pairs = slices.DeleteFunc(pairs, func(p string) bool { return name(nameOf(p)) }); len(pairs) < n {
			kept, by = strings.Join(pairs, "&"), who
		}
	}
	if kept != "" && len(l.builtin) > 0 {
		drop(l.isTracking, "tracking parameters")
	}
	path := u.Path()
	if l.raw || l.any != nil && l.mentionsListed(kept) {
		for i := range l.providers {
			p := &l.providers[i]
			if !p.matches(u) {
				continue
			}
			if kept != "" && p.names != nil {
				drop(p.names.MatchString, p.name)
			}
			for _, re := range p.raw {
				if s := re.ReplaceAllString(path, ""); s != path {
					path, by = s, p.name
				}
			}
		}
	}
	if by == "" {
		return u, ""
	}
	if kept != "" {
		path += "?" + kept
	}
	v, err := weburl.Parse(u.Origin() + path)
	if err != nil {
		return u, "" // the rule would make an invalid URL
	}
	return v, by
}

func (l *Lists) isTracking(name string) bool {
	if len(name) > 16 {
		return false
	}
	name = strings.ToLower(name)
	return l.builtin[name] || strings.HasPrefix(name, "utm_")
}

func (l *Lists) mentionsListed(query string) bool {
	for pair := range strings.SplitSeq(query, "&") {
		if pair != "" && l.any.MatchString(nameOf(pair)) {
			return true
		}
	}
	return false
}

func (p *provider) matches(u weburl.URL) bool {
	if p.pattern != nil && !p.pattern.MatchString(u.String()) {
		return false
	}
	if p.hosts != nil && !slices.ContainsFunc(p.hosts, func(h string) bool {
		return u.Hostname() == h || strings.HasSuffix(u.Hostname(), "."+h)
	}) {
		return false
	}
	return !slices.ContainsFunc(p.except, func(re *regexp.Regexp) bool { return re.MatchString(u.String()) })
}

// Read adds a file of rules: the JSON of ClearURLs, or the lines with $removeparam of AdGuard's
// filters. Other actions of an entry (redirections, blocked providers) are of no use to a crawler
// and are ignored. bad is called for each entry that cannot be read, with the file's name and the
// line; the error is for a file that has neither format.
func (l *Lists) Read(r io.Reader, name string, bad func(error)) error {
	text, err := io.ReadAll(io.LimitReader(r, maxList+1))
	if err != nil {
		return fmt.Errorf("url rules %s: %w", name, err)
	}
	if len(text) > maxList {
		return fmt.Errorf("url rules %s: more than %d bytes", name, maxList)
	}
	before := len(l.providers)
	if t := bytes.TrimSpace(text); len(t) > 0 && t[0] == '{' {
		err = l.clearURLs(text, name, bad)
	} else {
		l.removeParam(text, name, bad)
	}
	if err != nil {
		return err
	}
	if len(l.providers) == before {
		return fmt.Errorf("url rules %s: the file has no rule: want the JSON of ClearURLs, or lines with $removeparam", name)
	}
	return l.index()
}

// index updates the fields that are checked before any provider.
func (l *Lists) index() error {
	var names []string
	l.raw = false
	for _, p := range l.providers {
		if p.names != nil {
			names = append(names, p.names.String())
		}
		l.raw = l.raw || len(p.raw) > 0
	}
	var err error
	if l.any = nil; len(names) > 0 {
		if l.any, err = regexp.Compile(strings.Join(names, "|")); err != nil {
			return fmt.Errorf("url rules: joining all names: %w", err)
		}
	}
	return nil
}

// clearURLs reads the JSON of ClearURLs.
func (l *Lists) clearURLs(text []byte, name string, bad func(error)) error {
	var file struct {
		Providers map[string]struct {
			URLPattern        string
			Rules             []string
			RawRules          []string
			ReferralMarketing []string
			Exceptions        []string
		}
	}
	if err := json.Unmarshal(text, &file); err != nil {
		return fmt.Errorf("url rules %s:%d: not the JSON of ClearURLs: %w", name, errorLine(text, err), err)
	}
	for _, who := range slices.Sorted(maps.Keys(file.Providers)) {
		from := file.Providers[who]
		one := func(what, expr string) *regexp.Regexp {
			re, err := regexp.Compile("(?i)" + expr)
			if err != nil {
				bad(fmt.Errorf("url rules %s:%d: provider %s: %s: %w", name, lineOf(text, who), who, what, err))
				return nil
			}
			return re
		}
		p := provider{name: who}
		if p.pattern = one("urlPattern", from.URLPattern); p.pattern == nil {
			continue
		}
		var names []string
		for _, r := range append(from.Rules, from.ReferralMarketing...) {
			if one("rules", r) != nil {
				names = append(names, "(?:"+r+")")
			}
		}
		if len(names) > 0 {
			p.names = one("rules", "^(?:"+strings.Join(names, "|")+")$")
		}
		for _, r := range from.RawRules {
			if re := one("rawRules", r); re != nil {
				p.raw = append(p.raw, re)
			}
		}
		for _, r := range from.Exceptions {
			if re := one("exceptions", r); re != nil {
				p.except = append(p.except, re)
			}
		}
		if p.names != nil || p.raw != nil {
			l.providers = append(l.providers, p)
		}
	}
	return nil
}

// errorLine returns the line, from 1, at which decoding JSON failed: the last line if the text
// ends too early.
func errorLine(text []byte, err error) int {
	at := int64(len(text))
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		at = syntax.Offset
	case errors.As(err, &kind):
		at = kind.Offset
	}
	return 1 + bytes.Count(text[:min(at, int64(len(text)))], []byte("\n"))
}

// lineOf returns the line of a name in JSON, from 1.
func lineOf(text []byte, name string) int {
	quoted, err := json.Marshal(name)
	if err != nil {
		return 1
	}
	return 1 + bytes.Count(text[:max(0, bytes.Index(text, quoted))], []byte("\n"))
}

// removeParam reads lines of AdGuard's filters.
func (l *Lists) removeParam(text []byte, name string, bad func(error)) {
	lines := bufio.NewScanner(bytes.NewReader(text))
	lines.Buffer(nil, maxList)
	for n := 1; lines.Scan(); n++ {
		line := strings.TrimSpace(lines.Text())
		if line == "" || line[0] == '!' || line[0] == '#' || line[0] == '[' || !strings.Contains(line, "removeparam") {
			continue
		}
		p, err := parseRemoveParam(line)
		if err != nil {
			bad(fmt.Errorf("url rules %s:%d: %w", name, n, err))
			continue
		}
		p.name = line
		l.providers = append(l.providers, p)
	}
}

// parseRemoveParam reads one line: ||host/path^$removeparam=name, and so on.
func parseRemoveParam(line string) (p provider, err error) {
	if strings.HasPrefix(line, "@@") {
		return p, fmt.Errorf("exceptions are not supported: %q", line)
	}
	pattern, options, ok := strings.Cut(line, "$")
	if !ok {
		return p, fmt.Errorf("no $ before removeparam: %q", line)
	}
	for _, o := range splitOptions(options) {
		key, value, _ := strings.Cut(o, "=")
		switch key {
		case "removeparam":
			if p.names, err = paramPattern(value); err != nil {
				return p, fmt.Errorf("%w: %q", err, line)
			}
		case "domain":
			for _, h := range strings.Split(value, "|") {
				if strings.HasPrefix(h, "~") || strings.ContainsAny(h, "*/") {
					return p, fmt.Errorf("domain %s is not supported: %q", h, line)
				}
				p.hosts = append(p.hosts, strings.ToLower(h))
			}
		case "doc", "document", "subdocument", "xmlhttprequest", "xhr", "image", "script", "stylesheet", "media", "other",
			"1p", "first-party", "~third-party", "important", "match-case", "all":
		default:
			return p, fmt.Errorf("option %s is not supported: %q", key, line)
		}
	}
	if p.names == nil {
		return p, fmt.Errorf("removeparam is missing: %q", line)
	}
	if pattern != "" && pattern != "*" {
		p.pattern, err = urlPattern(pattern)
	}
	return p, err
}

// splitOptions splits at the commas outside of /.../.
func splitOptions(s string) (os []string) {
	from, inside := 0, false
	for i := range len(s) {
		switch {
		case s[i] == '/' && (i == 0 || s[i-1] != '\\'):
			inside = !inside
		case s[i] == ',' && !inside:
			os, from = append(os, s[from:i]), i+1
		}
	}
	return append(os, s[from:])
}

// paramPattern reads the value of removeparam: a name or /expression/.
func paramPattern(value string) (*regexp.Regexp, error) {
	switch {
	case value == "" || value[0] == '~':
		return nil, fmt.Errorf("removeparam of all parameters, or of all but one, is not supported")
	case value[0] != '/':
		return regexp.Compile("^" + regexp.QuoteMeta(value) + "$") // fails if it is not UTF-8
	}
	end := strings.LastIndexByte(value, '/')
	if end == 0 {
		return nil, fmt.Errorf("the expression has no end")
	}
	flags := ""
	if value[end+1:] == "i" {
		flags = "(?i)"
	}
	re, err := regexp.Compile(flags + value[1:end])
	if err != nil {
		return nil, err
	}
	return re, nil
}

// urlPattern reads a filter's pattern: || is the start of the host, ^ a
// separator, * anything, and | the start or end of the URL.
func urlPattern(pattern string) (*regexp.Regexp, error) {
	var b strings.Builder
	b.WriteString("(?i)")
	if rest, ok := strings.CutPrefix(pattern, "||"); ok {
		b.WriteString(`^https?://([^/?#]*\.)?`)
		pattern = rest
	} else if rest, ok := strings.CutPrefix(pattern, "|"); ok {
		b.WriteString("^")
		pattern = rest
	}
	pattern, end := strings.CutSuffix(pattern, "|")
	for _, c := range pattern {
		switch c {
		case '*':
			b.WriteString(".*")
		case '^':
			b.WriteString(`([^\w.%-]|$)`)
		default:
			b.WriteString(regexp.QuoteMeta(string(c)))
		}
	}
	if end {
		b.WriteString("$")
	}
	re, err := regexp.Compile(b.String())
	if err != nil {
		return nil, fmt.Errorf("pattern %q: %w", pattern, err)
	}
	return re, nil
}
