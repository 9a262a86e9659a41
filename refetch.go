package gatecrawl

import (
	"context"
	"fmt"
	"time"

	"gatecrawl/fetch"
	"gatecrawl/frontier"
)

// Refetch queues again what was last visited before the given time; of copies,
// for which their kept pages are asked, only Options.RecrawlCopies. Run then asks
// for them as it asks for others, with the version that is known of each: a page
// that did not change costs a request and no body where its server tells versions
// apart.
func (c *Crawler) Refetch(ctx context.Context, before time.Time) (Requeued, error) {
	return c.store.Requeue(ctx, before, c.o.RecrawlCopies)
}

// knownVersion returns the version of a page that the job has.
func (c *Crawler) knownVersion(l frontier.Lease) (fetch.Validators, error) {
	if !l.Again {
		return fetch.Validators{}, nil
	}
	v, err := c.store.Validators(l.URL)
	if err != nil {
		return v, fmt.Errorf("visit %s: %w", l.URL, err)
	}
	return v, nil
}
