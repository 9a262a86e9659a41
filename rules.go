package gatecrawl

import (
	"context"

	"gatecrawl/frontier"
	"gatecrawl/mirror/rules"
)

// RuleDust is the rule of URLs that are left out because they lead to a page that
// was fetched under another address (DUST: different URLs with similar text).
const RuleDust = "dust"

// A URLRule is a learned rule with what is known for and against it.
type URLRule struct {
	ID string `json:"id"`
	rules.Rule
	rules.Stats
	Tier   string    `json:"tier"`            // watch, defer or skip
	Lower  float64   `json:"lower"`           // of the share of addresses for which it is right: 95% Wilson
	Same   [2]string `json:"same,omitzero"`   // two addresses with one page
	Differ [2]string `json:"differ,omitzero"` // two with another page
	Words  string    `json:"means,omitempty"` // the rule in words
}

// An Explained says what the learned rules make of one address.
type Explained struct {
	URL      string    `json:"url"`
	Decision string    `json:"decision"`       // fetch, defer, skip, or explore: fetched to see whether the rule still holds
	Same     string    `json:"same,omitempty"` // the address with the same page
	Rules    []URLRule `json:"rules"`          // by which they are the same
	Template string    `json:"template"`       // the narrower scope
	Stripped string    `json:"stripped,omitempty"`
}

// URLRules are what a job has learned about its addresses.
type URLRules interface {
	// Rules calls fn for every rule, until it returns an error, which it returns.
	Rules(ctx context.Context, fn func(URLRule) error) error

	// Explain says what would become of an address that was found now.
	Explain(ctx context.Context, u frontier.URL) (Explained, error)

	// ImportRules takes over rules with their counts; a rule that the job has
	// stays as it is. It returns how many were new.
	ImportRules(ctx context.Context, rs []URLRule) (int, error)

	// RevokeRule ends a rule for good. What it left out is queued again.
	RevokeRule(ctx context.Context, id rules.ID) error
}

// aside takes a lease off the crawler's hands where rules say that its page is
// known already, or that others come first.
func (c *Crawler) aside(ctx context.Context, l frontier.Lease) (bool, error) {
	if l.Again {
		return false, nil // a page that is visited again is known by its record
	}
	return c.store.Aside(ctx, l)
}

// clean returns a found URL as it is to be checked and queued.
func (c *Crawler) clean(u frontier.URL) frontier.URL {
	u, _ = c.o.URLRules.Strip(c.scope.Clean(u))
	return u
}
