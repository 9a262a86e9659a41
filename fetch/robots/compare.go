package robots

import (
	"bytes"
	"fmt"
	"net/http"
	"strings"

	"github.com/temoto/robotstxt"
)

// A Comparer compares our reading of a robots.txt with that of temoto/robotstxt, which many
// crawlers written in Go use, colly among them. It shows a site's owner how others read the file;
// what a crawl may fetch depends on Rules only.
type Comparer struct {
	token  string
	file   File
	ours   *Rules
	rules  []rule // of the groups that apply to the token
	theirs *robotstxt.RobotsData
	fault  error    // why temoto/robotstxt can't read the groups
	agents []string // of the file's user-agent lines, as they write them: lower case
}

// A Comparison has both verdicts on one path.
type Comparison struct {
	Ours    Verdict
	Theirs  Verdict // its rule is the one that probably decided
	Group   string  // the user-agent of the group that they chose, lower case; "": none applies
	Fault   string  // why they have no verdict; "": they have one
	Why     string  // the difference in words; "": the verdicts are the same
	Section string  // the section of RFC 9309 about it; "": none
}

// Differs reports whether the two verdicts are not the same.
func (c Comparison) Differs() bool { return c.Why != "" }

// NewComparer reads a robots.txt in both ways, for the crawler with a product token.
func NewComparer(file File, token string) *Comparer {
	c := &Comparer{token: token, file: file, ours: file.Rules()}
	c.rules = c.ours.rulesOf(c.ours.groupsOf(token))
	if file.Status == 0 {
		c.fault = fmt.Errorf("no answer: %s", file.Failure)
		return c
	}
	c.theirs, c.fault = robotstxt.FromStatusAndBytes(file.Status, file.Body)
	eachLine(trimMark(asUTF8(file.Body)), func(_ int, line []byte) {
		if key, value, ok := splitLine(line); ok && directiveOf(key) == dirAgent {
			c.agents = append(c.agents, strings.ToLower(strings.TrimSpace(value)))
		}
	})
	return c
}

// Paths returns paths that the rules for the token apply to: each pattern with "x" for "*", alone
// and with more after it.
func (c *Comparer) Paths() []string {
	paths := []string{"/", "/robots.txt"}
	seen := map[string]bool{"/": true, "/robots.txt": true}
	for i := range c.rules {
		p := strings.ReplaceAll(strings.TrimSuffix(c.rules[i].pattern, "$"), "*", "x")
		if !strings.HasPrefix(p, "/") {
			p = "/" + p
		}
		for _, path := range []string{p, p + "x"} {
			if !seen[path] {
				seen[path] = true
				paths = append(paths, path)
			}
		}
	}
	return paths
}

// Compare returns both verdicts on a path with its query.
func (c *Comparer) Compare(path string) Comparison {
	r := Comparison{Ours: c.ours.check(c.token, path)}
	if c.fault != nil {
		r.Fault = strings.Join(strings.Fields(c.fault.Error()), " ")
		r.Why, r.Section = c.whyUnread()
		return r
	}
	r.Theirs.Allowed = c.theirs.TestAgent(path, c.token)
	r.Group = c.group()
	r.Theirs.Line, r.Theirs.Rule = c.decided(path, r.Group, r.Theirs.Allowed)
	if r.Theirs.Allowed != r.Ours.Allowed {
		r.Why, r.Section = c.why(path, r)
	}
	return r
}

// group returns the name of the group that they chose, which their groups do not have.
func (c *Comparer) group() string {
	chosen := c.theirs.FindGroup(c.token)
	for _, a := range c.agents {
		if a != "" && c.theirs.FindGroup(a) == chosen {
			return a
		}
	}
	return ""
}

// judge returns their verdict on a path for a file of one group with these rules.
func (c *Comparer) judge(path string, rules ...*rule) bool {
	var b strings.Builder
	b.WriteString("User-agent: *\n")
	for _, r := range rules {
		b.WriteString(r.text + "\n")
	}
	data, err := robotstxt.FromString(b.String())
	return err != nil || data.TestAgent(path, "*")
}

// matches reports whether a rule matches a path according to them.
func (c *Comparer) matches(r *rule, path string) bool {
	return !c.judge(path, &rule{text: "Disallow: " + r.value})
}

// decided returns the rule that led to their verdict: the longest rule with that verdict, in the
// group that they chose, that matches according to them.
func (c *Comparer) decided(path, group string, allowed bool) (line int, text string) {
	groups := c.ours.star
	if group != "*" {
		groups = c.ours.named[productToken(group)]
	}
	rules := c.ours.rulesOf(groups)
	var best *rule
	for i := range rules {
		r := &rules[i]
		if r.allow != allowed || !c.matches(r, path) {
			continue
		}
		if best == nil || len(r.pattern) > len(best.pattern) {
			best = r
		}
	}
	if best == nil {
		return 0, ""
	}
	return best.line, best.text
}

// whyUnread explains why they have no verdict.
func (c *Comparer) whyUnread() (why, section string) {
	switch {
	case c.file.Status == 0:
		return "nothing answered: they read answers only, and the site is closed until it answers", "2.3.1.4"
	case c.file.Status >= 300 && c.file.Status < 400:
		return "the redirects lead nowhere: they take that for a fault, and it is a site without robots.txt", "2.3.1.2"
	case c.file.Status >= 200 && c.file.Status < 300:
		return "they give up the whole file for a line that they cannot read; the lines that can be read count", "2.3.1.5"
	}
	return "they do not know this status", "2.3.1"
}

// why explains how two verdicts differ.
func (c *Comparer) why(path string, r Comparison) (why, section string) {
	if c.ours.whole != nil {
		if c.file.Status == http.StatusTooManyRequests {
			return "429 is a 4xx by its number, which opens the site to them; the site is too busy to say what its rules are, so it is closed until it does", "2.3.1.3"
		}
		return fmt.Sprintf("the status %d means another thing to them", c.file.Status), "2.3.1"
	}
	if path == "/robots.txt" {
		return "the robots.txt itself is always allowed, whatever its rules say", "2.2.2"
	}
	if _, is := isUTF16(c.file.Body); is {
		return "the file is UTF-16 and has to be UTF-8: they read none of its lines", "2.3"
	}
	if why := c.whyGroup(r); why != "" {
		return why, "2.2.1"
	}
	ours := make([]*rule, len(c.rules))
	for i := range c.rules {
		ours[i] = &c.rules[i]
	}
	if c.judge(path, ours...) == r.Ours.Allowed {
		return c.whyOtherLines(r)
	}
	for i := range c.rules {
		rule := &c.rules[i]
		if is := rule.matches(path, unescape(path)); is != c.matches(rule, path) {
			return whyMatch(rule, path, is)
		}
	}
	return c.whyOrder(r)
}

// whyGroup explains why they chose a group that is not for the token; "" if they did not.
func (c *Comparer) whyGroup(r Comparison) string {
	token := strings.ToLower(c.token)
	_, named := c.ours.named[token]
	switch {
	case r.Group != token && productToken(r.Group) == r.Group && r.Group != "" && strings.HasPrefix(token, r.Group):
		return fmt.Sprintf("they take the group of %q, with which the name %s starts; a product token is compared whole", r.Group, c.token)
	case named && (r.Group == "*" || r.Group == ""):
		return fmt.Sprintf("a line names %s with a version or more words, and they compare the whole line; only the product token counts", c.token)
	}
	return ""
}

// whyOtherLines explains why they have other rules for the token than we do: with ours they would
// have our verdict.
func (c *Comparer) whyOtherLines(r Comparison) (why, section string) {
	if r.Ours.Line > 0 && c.isMisspelt(r.Ours.Line) {
		return fmt.Sprintf("line %d is misspelt: we read it as Google's parser does, and they pass over it", r.Ours.Line), ""
	}
	return "they divide the lines into groups in another way: with them a Crawl-delay ends the user-agent lines above it, and an empty rule does not", "2.2"
}

// isMisspelt reports whether a line of the file is not written as in the standard.
func (c *Comparer) isMisspelt(n int) bool {
	misspelt := false
	eachLine(trimMark(c.file.Body), func(at int, line []byte) {
		if at != n {
			return
		}
		key, _, _ := splitLine(line)
		key = strings.ToLower(key)
		misspelt = key != "allow" && key != "disallow" || !bytes.Contains(line, []byte(":"))
	})
	return misspelt
}

// whyMatch explains why a rule matches a path for only one of the two; ours says for which.
func whyMatch(r *rule, path string, ours bool) (why, section string) {
	value := r.value
	line := fmt.Sprintf("line %d, %s, ", r.line, r.text)
	inner := strings.TrimSuffix(value, "$")
	switch {
	case escapePattern(value) != r.pattern:
		return line + "opens the folder of the index page too, as with Google's parser; to them it is about the page alone", ""
	case !strings.HasPrefix(value, "/") && !strings.HasPrefix(value, "*") && !ours:
		return line + "has no slash in front, so it matches no path; they put one there", "2.2"
	case strings.Contains(inner, "$"):
		return line + "has a $ that is not its last character and is literal; to them it is the end of the URL wherever it is", "2.2.3"
	case strings.ContainsAny(value, "*$") && !ours:
		return line + "has a wildcard, and then they look for it anywhere in the path; it starts at the first octet", "2.2.2"
	case strings.Contains(value, "%") || strings.Contains(path, "%") || !isASCII(value):
		return line + "means the same escaped and not; they compare it as it is written", "2.2.2"
	case ours:
		return line + "matches, and not with them", "2.2.2"
	}
	return line + "does not match, but does with them", "2.2.2"
}

// patternAt returns the pattern of the rule on a line of the file, "" if there is none.
func (c *Comparer) patternAt(line int) string {
	for i := range c.rules {
		if c.rules[i].line == line {
			return c.rules[i].value
		}
	}
	return ""
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}

// whyOrder explains why another of the matching rules decides.
func (c *Comparer) whyOrder(r Comparison) (why, section string) {
	ours, theirs := c.patternAt(r.Ours.Line), c.patternAt(r.Theirs.Line)
	switch {
	case len(ours) == len(theirs):
		return fmt.Sprintf("lines %d and %d are equally long, and then an Allow counts; with them the first does", r.Ours.Line, r.Theirs.Line), "2.2.2"
	case strings.ContainsAny(ours+theirs, "*$"):
		return fmt.Sprintf("of lines %d and %d the longer pattern counts; they measure a wildcard by the regular expression that they make of it", r.Ours.Line, r.Theirs.Line), "2.2.2"
	}
	return "they put the rules that match in another order", "2.2.2"
}
