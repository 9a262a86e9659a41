package urls

import (
	"fmt"
	"io"
	"strings"

	"gatecrawl.example/gatecrawl/cmd/crawl/internal/console"
	"gatecrawl.example/gatecrawl/fetch/robots"
	"gatecrawl.example/gatecrawl/humanize"
)

// A robotsComparison prints the verdicts next to those of temoto/robotstxt.
type robotsComparison struct {
	comparer      *robots.Comparer
	out           io.Writer
	token         string
	asJSON        bool
	asked, differ int
}

// tell prints one URL.
func (c *robotsComparison) tell(a robotsAddress) error {
	r := c.comparer.Compare(a.url.RequestURI())
	c.asked++
	if r.Differs() {
		c.differ++
	}
	if c.asJSON {
		return c.tellJSON(a, r)
	}
	if !r.Differs() {
		_, err := fmt.Fprintf(c.out, "same\t%s\t%s\n", a.given, verdictInWords(r.Ours))
		return err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "differs\t%s\n", a.given)
	fmt.Fprintf(&b, "  ours:    %s\n", verdictInWords(r.Ours))
	switch {
	case r.Fault != "":
		fmt.Fprintf(&b, "  theirs:  none: %s\n", r.Fault)
	case r.Group == "":
		fmt.Fprintf(&b, "  theirs:  %s; no group applies\n", verdictInWords(r.Theirs))
	default:
		fmt.Fprintf(&b, "  theirs:  %s; the group is %s\n", verdictInWords(r.Theirs), r.Group)
	}
	fmt.Fprintf(&b, "  why:     %s (%s)\n", r.Why, sectionInWords(r.Section))
	_, err := io.WriteString(c.out, b.String())
	return err
}

func sectionInWords(section string) string {
	if section == "" {
		return "RFC 9309 does not say"
	}
	return "RFC 9309, section " + section
}

// verdictInWords returns a verdict with the rule that decided it.
func verdictInWords(v robots.Verdict) string {
	word := "disallowed"
	if v.Allowed {
		word = "allowed"
	}
	switch {
	case v.Line > 0:
		return fmt.Sprintf("%s, line %d: %s", word, v.Line, v.Rule)
	case v.Rule != "":
		return word + ", " + v.Rule
	}
	return word + ", no rule matches"
}

func (c *robotsComparison) tellJSON(a robotsAddress, r robots.Comparison) error {
	type verdict struct {
		Allowed bool   `json:"allowed"`
		Line    int    `json:"line"`
		Rule    string `json:"rule"`
	}
	line := struct {
		URL     string   `json:"url"`
		Agent   string   `json:"agent"`
		Differs bool     `json:"differs"`
		Ours    verdict  `json:"ours"`
		Theirs  *verdict `json:"theirs"` // null: it has none
		Group   string   `json:"group,omitempty"`
		Fault   string   `json:"fault,omitempty"`
		Why     string   `json:"why,omitempty"`
		Section string   `json:"section,omitempty"`
	}{URL: a.given, Agent: c.token, Differs: r.Differs(), Ours: verdict(r.Ours), Group: r.Group, Fault: r.Fault, Why: r.Why, Section: r.Section}
	if r.Fault == "" {
		theirs := verdict(r.Theirs)
		line.Theirs = &theirs
	}
	return console.EncodeLine(c.out, line)
}

// end prints how many verdicts differ.
func (c *robotsComparison) end() error {
	if c.asJSON || c.asked == 0 {
		return nil
	}
	_, err := fmt.Fprintf(c.out, "%d of %s\n", c.differ, humanize.Many(c.asked, "verdict differs", "verdicts differ"))
	return err
}
