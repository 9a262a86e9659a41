package gatecrawl

import (
	"context"

	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/mirror/dust"
)

// RuleDust is the rule of URLs that are left out because they lead to a page that
// was fetched under another URL (DUST: different URLs with similar text).
const RuleDust = "dust"

// A URLRule is a learned rule with what is known for and against it.
type URLRule struct {
	ID string `json:"id"`
	dust.Rule
	dust.Stats
	Tier   string    `json:"tier"`            // watch, defer or skip
	Lower  float64   `json:"lower"`           // of the share of URLs for which it is right: 95% Wilson
	Same   [2]string `json:"same,omitzero"`   // two URLs with one page
	Differ [2]string `json:"differ,omitzero"` // two with another page
	Words  string    `json:"means,omitempty"` // the rule in words
}

// An Explained says what the learned rules make of one URL.
type Explained struct {
	URL      string    `json:"url"`
	Decision string    `json:"decision"`       // fetch, defer, skip, or explore: fetched to see whether the rule still holds
	Same     string    `json:"same,omitempty"` // the URL with the same page
	Rules    []URLRule `json:"rules"`          // by which they are the same
	Template string    `json:"template"`       // the narrower scope
	Stripped string    `json:"stripped,omitempty"`
}

// URLRules are what a job has learned about its URLs.
type URLRules interface {
	// Rules calls fn for every rule, until it returns an error, which it returns.
	Rules(ctx context.Context, fn func(URLRule) error) error

	// Explain says what would become of a URL that was found now.
	Explain(ctx context.Context, u weburl.URL) (Explained, error)

	// ImportRules takes over rules with their counts; a rule that the job has
	// stays as it is. It returns how many were new.
	ImportRules(ctx context.Context, rs []URLRule) (int, error)

	// RevokeRule ends a rule for good. What it left out is queued again.
	RevokeRule(ctx context.Context, id dust.ID) error
}

// clean returns a found URL as it is to be checked and queued.
func (c *Crawler) clean(u weburl.URL) weburl.URL {
	u, _ = c.o.URLRules.Strip(c.scope.Clean(u))
	return u
}
