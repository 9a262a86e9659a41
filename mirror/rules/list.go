package rules

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

	"gatecrawl/frontier"
)

// maxList bounds a file of rules, in bytes.
const maxList = 16 << 20

// tracking are parameters that tell the owner of a page who sent its reader, and
// never what it shows, in lower case. Session ids are frontier's business.
var tracking = []string{
	"fbclid", "gclid", "gclsrc", "dclid", "gbraid", "wbraid", "msclkid", "yclid", "twclid", "ttclid", "igshid",
	"li_fat_id", "mc_cid", "mc_eid", "_hsenc", "_hsmi", "__hssc", "__hstc", "hsctatracking", "mkt_tok", "vero_id",
	"oly_anon_id", "oly_enc_id", "rb_clickid", "s_cid", "wickedid", "_openstat", "_ga", "_gl", "epik",
}

// A provider takes parameters out of the addresses that it is about.
type provider struct {
	name   string
	about  *regexp.Regexp   // the address; nil: every one
	hosts  []string         // or these hosts and what is below them; nil: all
	except []*regexp.Regexp // addresses that are left alone
	names  *regexp.Regexp   // of parameters, whole
	raw    []*regexp.Regexp // taken out of the address as they stand there
}

// Lists are rules that are known beforehand. The nil *Lists changes nothing.
type Lists struct {
	builtin   map[string]bool
	providers []provider
	any       *regexp.Regexp // names that some provider takes out
	raw       bool           // some provider looks at the whole address
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

// Strip returns an address without what the lists take out, and the name of the
// list's entry that took something out, "" where none did.
func (l *Lists) Strip(u frontier.URL) (frontier.URL, string) {
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
	if l.raw || l.any != nil && l.someName(kept) {
		for i := range l.providers {
			p := &l.providers[i]
			if !p.isAbout(u) {
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
	v, err := frontier.Parse(u.Origin() + path)
	if err != nil {
		return u, "" // a rule that makes an address none is not followed
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

func (l *Lists) someName(query string) bool {
	for pair := range strings.SplitSeq(query, "&") {
		if pair != "" && l.any.MatchString(nameOf(pair)) {
			return true
		}
	}
	return false
}

func (p *provider) isAbout(u frontier.URL) bool {
	if p.about != nil && !p.about.MatchString(u.String()) {
		return false
	}
	if p.hosts != nil && !slices.ContainsFunc(p.hosts, func(h string) bool {
		return u.Hostname() == h || strings.HasSuffix(u.Hostname(), "."+h)
	}) {
		return false
	}
	return !slices.ContainsFunc(p.except, func(re *regexp.Regexp) bool { return re.MatchString(u.String()) })
}

// Read adds a file of rules: the JSON of ClearURLs, or lines with $removeparam
// of AdGuard's filters. What an entry has beyond taking parameters out
// (redirections, whole providers that are blocked) is not for a crawler and is
// passed over. Entries that cannot be read are handed to bad, each with name and
// place; the error is of a file that is neither.
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
		return fmt.Errorf("url rules %s: no rule is in it: want the JSON of ClearURLs, or lines with $removeparam", name)
	}
	return l.join()
}

// join brings up to date what is asked before the providers are.
func (l *Lists) join() error {
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
			return fmt.Errorf("url rules: all together: %w", err)
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
		return fmt.Errorf("url rules %s:%d: not the JSON of ClearURLs: %w", name, FaultLine(text, err), err)
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
		if p.about = one("urlPattern", from.URLPattern); p.about == nil {
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

// FaultLine returns the line, from 1, at which a text is not the JSON that was wanted
// of it: the last, where the text ends too early.
func FaultLine(text []byte, err error) int {
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
		return p, fmt.Errorf("exceptions are not followed: %q", line)
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
					return p, fmt.Errorf("domain %s is not followed: %q", h, line)
				}
				p.hosts = append(p.hosts, strings.ToLower(h))
			}
		case "doc", "document", "subdocument", "xmlhttprequest", "xhr", "image", "script", "stylesheet", "media", "other",
			"1p", "first-party", "~third-party", "important", "match-case", "all":
		default:
			return p, fmt.Errorf("option %s is not followed: %q", key, line)
		}
	}
	if p.names == nil {
		return p, fmt.Errorf("no parameter is named: %q", line)
	}
	if pattern != "" && pattern != "*" {
		p.about, err = addressPattern(pattern)
	}
	return p, err
}

// splitOptions splits at the commas that stand outside of /.../.
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

// paramPattern reads what removeparam says: a name or /expression/.
func paramPattern(value string) (*regexp.Regexp, error) {
	switch {
	case value == "" || value[0] == '~':
		return nil, fmt.Errorf("removeparam of all parameters, or all but one, is not followed")
	case value[0] != '/':
		return regexp.Compile("^" + regexp.QuoteMeta(value) + "$") // fails on what is not UTF-8
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

// addressPattern reads a filter's pattern: || is the host's beginning, ^ what
// ends a host or a word, * anything, | the address's beginning or end.
func addressPattern(pattern string) (*regexp.Regexp, error) {
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
