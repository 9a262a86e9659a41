package gatecrawl

import (
	"context"

	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/mirror/dust"
)

// RuleDust is the rule of URLs that are left out because they lead to a page that
// was fetched under another URL (DUST: different URLs with similar text).
const RuleDust = dust.RefusalRule

// URLRules are what a job has learned about its URLs.
type URLRules interface {
	// Rules calls fn for every rule, until it returns an error, which it returns.
	Rules(ctx context.Context, fn func(dust.Learned) error) error

	// Explain says what would become of a URL that was found now.
	Explain(ctx context.Context, u weburl.URL) (dust.Explained, error)

	// ImportRules takes over rules with their counts; a rule that the job has
	// stays as it is. It returns how many were new.
	ImportRules(ctx context.Context, rs []dust.Learned) (int, error)

	// RevokeRule ends a rule for good. What it left out is queued again.
	RevokeRule(ctx context.Context, id dust.ID) error
}

// clean returns a found URL as it is to be checked and queued.
func (c *Crawler) clean(u weburl.URL) weburl.URL {
	u, _ = c.o.URLRules.Strip(c.scope.Clean(u))
	return u
}
