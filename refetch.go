package gatecrawl

import (
	"context"
	"time"
)

// Refetch queues again what was last visited before the given time, the zero time
// being never: Options.RecrawlPages of it, and of copies, for which their kept
// pages are asked, Options.RecrawlCopies. Run then asks for them as it asks for
// others, with the version that is known of each: a page that did not change costs
// a request and no body where its server tells versions apart. What an earlier
// Refetch was kept from queuing is queued in any case.
func (c *Crawler) Refetch(ctx context.Context, before time.Time) (Requeued, error) {
	return c.store.Requeue(ctx, Again{Before: before, Copies: c.o.RecrawlCopies, Pages: c.o.RecrawlPages})
}
