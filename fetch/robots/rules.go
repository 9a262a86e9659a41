package robots

import (
	"bytes"
	"encoding/binary"
	"strings"
	"time"
	"unicode/utf16"

	"gatecrawl.example/gatecrawl/frontier/weburl"
)

const (
	// MaxSize is how many bytes of a robots.txt are read: the least that RFC 9309, section 2.5,
	// requires, and as many as Google reads.
	MaxSize = 500 << 10

	// maxLine is how many bytes of a line are read, as in Google's parser: eight times the longest
	// URL of an old browser, minus one.
	maxLine = 8*2083 - 1
)

// Rules are the rules of one robots.txt. They are read according to RFC 9309 and, where it leaves
// room, like Google's published parser, which site owners test against. Rules are immutable.
type Rules struct {
	whole  *Verdict           // for every URL, if there is no file
	groups []group            // in the order of the file
	named  map[string][]int   // indexes of the groups of a product token, lower case
	star   []int              // indexes of the groups for all other crawlers
	delays map[string]float64 // seconds, by product token, lower case, and for "*"
	sites  []string           // URLs of sitemaps
}

// A group is the rules below one run of user-agent lines.
type group struct{ rules []rule }

// A Verdict says whether a URL may be requested, and by which line.
type Verdict struct {
	Allowed bool
	Line    int    // of the rule that decided, from 1; 0 if none did
	Rule    string // that line as it was read, such as "Disallow: /private", or why there is none
}

// Parse reads a robots.txt. It can't fail: lines that are not rules are skipped, so an HTML page
// has no rules. Beyond 500 KiB nothing is read, and a line that is cut there does not count. A file
// in UTF-16, which some editors save, is read as its owner wrote it.
func Parse(body []byte) *Rules {
	body = asUTF8(body)
	if len(body) > MaxSize {
		body = body[:MaxSize]
		body = body[:bytes.LastIndexAny(body, "\r\n")+1]
	}
	p := parser{r: &Rules{named: map[string][]int{}}}
	eachLine(trimMark(body), p.line)
	p.r.delays, p.r.sites = delaysOf(p.runs), p.sitemaps
	return p.r
}

// forAll returns rules that give every URL the same verdict.
func forAll(allowed bool, why string) *Rules {
	return &Rules{whole: &Verdict{Allowed: allowed, Rule: why}}
}

// Check says whether the crawler with this product token may request u. The longest matching rule
// decides; of equally long ones, an Allow. The token is compared as a whole and without regard to
// case; groups for "*" count only if no group names the token.
func (r *Rules) Check(token string, u weburl.URL) Verdict {
	return r.check(token, u.RequestURI())
}

// check is Check for a path and query that need not be canonical.
func (r *Rules) check(token, path string) Verdict {
	if r.whole != nil {
		return *r.whole
	}
	if path == "/robots.txt" { // RFC 9309, section 2.2.2
		return Verdict{Allowed: true}
	}
	plain := unescape(path)
	var best *rule
	for _, g := range r.groupsOf(token) {
		rules := r.groups[g].rules
		for i := range rules {
			rule := &rules[i]
			if rule.beats(best) && rule.matches(path, plain) {
				best = rule
			}
		}
	}
	if best == nil {
		return Verdict{Allowed: true}
	}
	return Verdict{Allowed: best.allow, Line: best.line, Rule: best.text}
}

// groupsOf returns the groups that apply to a product token.
func (r *Rules) groupsOf(token string) []int {
	if groups, named := r.named[strings.ToLower(token)]; named {
		return groups
	}
	return r.star
}

// rulesOf returns the rules of some groups.
func (r *Rules) rulesOf(groups []int) []rule {
	var rules []rule
	for _, g := range groups {
		rules = append(rules, r.groups[g].rules...)
	}
	return rules
}

// Delay returns the Crawl-delay for a product token, at most a day; 0 if there is none. No standard
// defines it; if several apply, the longest counts.
func (r *Rules) Delay(token string) time.Duration {
	token = strings.ToLower(token)
	if _, named := r.named[token]; !named {
		token = "*"
	}
	return time.Duration(r.delays[token] * float64(time.Second))
}

// Sitemaps returns the URLs of sitemaps as the file has them.
func (r *Rules) Sitemaps() []string { return r.sites }

// A parser has the state between two lines.
type parser struct {
	r        *Rules
	open     bool       // there is a group, and the last one is being read
	closed   bool       // the group has a rule: the next user-agent line starts another group
	runs     []delayRun // the last one is being read
	settled  bool       // the run has a delay or a rule: the next user-agent line starts another run
	sitemaps []string
}

// A delayRun is a run of user-agent lines and the delay that follows them. It is not a group,
// since a delay does not close one: "User-agent: a", "Crawl-delay: 9", "User-agent: *",
// "Disallow: /x" slows a and forbids /x to both.
type delayRun struct {
	tokens  []string
	seconds float64
}

// line parses line n, counted from 1.
func (p *parser) line(n int, line []byte) {
	key, value, ok := splitLine(line)
	if !ok {
		return
	}
	switch directiveOf(key) {
	case dirAgent:
		p.agent(value)
	case dirAllow:
		p.rule(n, true, value)
	case dirDisallow:
		p.rule(n, false, value)
	case dirDelay:
		p.delay(value)
	case dirSitemap:
		if s := sitemapAddress(value); s != "" {
			p.sitemaps = append(p.sitemaps, s)
		}
	}
}

// agent starts a group, or adds to the one that has no rule yet.
func (p *parser) agent(value string) {
	if p.closed || !p.open {
		p.r.groups = append(p.r.groups, group{})
		p.closed, p.open = false, true
	}
	if p.settled || len(p.runs) == 0 {
		p.runs = append(p.runs, delayRun{})
		p.settled = false
	}
	group, run := len(p.r.groups)-1, &p.runs[len(p.runs)-1]
	if isStar(value) {
		p.r.star = append(p.r.star, group)
		run.tokens = append(run.tokens, "*")
		return
	}
	// "FooBot/2.0 (all versions)" names FooBot.
	token := strings.ToLower(productToken(value))
	if token == "" {
		return
	}
	p.r.named[token] = append(p.r.named[token], group)
	run.tokens = append(run.tokens, token)
}

// rule adds a rule to the current group; before the first group it applies to no crawler.
func (p *parser) rule(n int, allow bool, value string) {
	if !p.open {
		return
	}
	p.closed, p.settled = true, true
	pattern := escapePattern(value)
	if pattern == "" {
		return // "Disallow:" forbids nothing
	}
	g := &p.r.groups[len(p.r.groups)-1]
	g.rules = append(g.rules, newRule(n, allow, pattern, value))
	if !allow {
		return
	}
	// Allowing the index page means the folder, too.
	slash := strings.LastIndexByte(pattern, '/')
	if slash >= 0 && strings.HasPrefix(pattern[slash:], "/index.htm") {
		g.rules = append(g.rules, newRule(n, allow, pattern[:slash+1]+"$", value))
	}
}

// delay sets the delay of the crawlers of the current run.
func (p *parser) delay(value string) {
	seconds, ok := parseDelay(value)
	if !ok || len(p.runs) == 0 {
		return
	}
	p.settled = true
	run := &p.runs[len(p.runs)-1]
	run.seconds = max(run.seconds, seconds)
}

// isStar reports whether a user-agent line applies to all crawlers: "*", or "*" and more words.
func isStar(value string) bool {
	return value == "*" || len(value) > 1 && value[0] == '*' && isSpace(value[1])
}

// productToken returns the letters, "-" and "_" that s starts with.
func productToken(s string) string {
	for i := range len(s) {
		c := s[i]
		if c|0x20 < 'a' || c|0x20 > 'z' {
			if c != '-' && c != '_' {
				return s[:i]
			}
		}
	}
	return s
}

// A directive is the kind of a line of robots.txt.
type directive int

const (
	dirUnknown directive = iota
	dirAgent
	dirAllow
	dirDisallow
	dirSitemap
	dirDelay
)

// directives are the keys and their common misspellings. A key is recognised by its start, as in
// Google's parser ("Disallowed:", "User-agents:").
var directives = []struct {
	prefix string
	is     directive
}{
	{"user-agent", dirAgent},
	{"useragent", dirAgent},
	{"user agent", dirAgent},
	{"allow", dirAllow},
	{"disallow", dirDisallow},
	{"dissallow", dirDisallow},
	{"dissalow", dirDisallow},
	{"disalow", dirDisallow},
	{"diasllow", dirDisallow},
	{"disallaw", dirDisallow},
	{"sitemap", dirSitemap},
	{"site-map", dirSitemap},
	{"crawl-delay", dirDelay},
	{"crawldelay", dirDelay},
	{"crawl delay", dirDelay},
}

func directiveOf(key string) directive {
	for _, d := range directives {
		if len(key) >= len(d.prefix) && strings.EqualFold(key[:len(d.prefix)], d.prefix) {
			return d.is
		}
	}
	return dirUnknown
}

// splitLine returns the key and the value of a line without its comment. If the colon is missing, a
// space separates them, provided that the line has two words.
func splitLine(line []byte) (key, value string, ok bool) {
	if i := bytes.IndexByte(line, 0); i >= 0 {
		line = line[:i]
	}
	if i := bytes.IndexByte(line, '#'); i >= 0 {
		line = line[:i]
	}
	s := strings.TrimFunc(string(line), func(r rune) bool { return r < 0x80 && isSpace(byte(r)) })
	key, value, ok = strings.Cut(s, ":")
	if !ok {
		words := strings.FieldsFunc(s, func(r rune) bool { return r == ' ' || r == '\t' })
		if len(words) != 2 {
			return "", "", false
		}
		key, value = words[0], words[1]
	}
	key = strings.TrimRight(key, " \t\v\f")
	value = strings.TrimLeft(value, " \t\v\f")
	return key, value, key != ""
}

func isSpace(c byte) bool { return c == ' ' || '\t' <= c && c <= '\r' }

// eachLine calls f with every line of body, at most maxLine bytes of it.
// Lines end with LF, CR LF, or CR.
func eachLine(body []byte, f func(n int, line []byte)) {
	for n := 1; len(body) > 0; n++ {
		end := bytes.IndexAny(body, "\r\n")
		line := body
		switch {
		case end < 0:
			body = nil
		case bytes.HasPrefix(body[end:], []byte("\r\n")):
			line, body = body[:end], body[end+2:]
		default:
			line, body = body[:end], body[end+1:]
		}
		f(n, line[:min(len(line), maxLine)])
	}
}

// isUTF16 reports whether a file starts with the byte order mark of UTF-16 and an ASCII letter in
// UTF-16, and returns the byte order. A mark before other bytes is skipped as an invalid line.
func isUTF16(body []byte) (order binary.ByteOrder, is bool) {
	switch {
	case len(body) < 4:
		return nil, false
	case body[0] == 0xff && body[1] == 0xfe && body[3] == 0:
		return binary.LittleEndian, true
	case body[0] == 0xfe && body[1] == 0xff && body[2] == 0:
		return binary.BigEndian, true
	}
	return nil, false
}

// asUTF8 converts a file in UTF-16 to UTF-8, without its mark, and returns any other unchanged.
func asUTF8(body []byte) []byte {
	order, is := isUTF16(body)
	if !is {
		return body
	}
	units := make([]uint16, 0, len(body)/2)
	for b := body[2:]; len(b) >= 2; b = b[2:] {
		units = append(units, order.Uint16(b))
	}
	return []byte(string(utf16.Decode(units)))
}

// trimMark removes a UTF-8 byte order mark, or the half of one.
func trimMark(body []byte) []byte {
	for _, c := range []byte("\xef\xbb\xbf") {
		if len(body) == 0 || body[0] != c {
			break
		}
		body = body[1:]
	}
	return body
}
