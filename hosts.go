package gatecrawl

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"gatecrawl.example/gatecrawl/frontier"
)

// A HostQuery asks for hosts.
type HostQuery struct {
	Names []string           // only these, in this order, without those that the job has never met; nil: all
	By    frontier.HostOrder // of all
	Skip  int                // without the first ones of all
	Limit int                // at most so many; 0: all
}

// HostLister lists what is known of hosts.
type HostLister interface {
	// Hosts returns hosts of the job. It looks at each host in memory, some 10 ns each, and
	// never stops the crawl for longer than a thousand of them take.
	Hosts(ctx context.Context, q HostQuery) ([]HostState, error)

	// Waiting samples the queue: it reads all of it if it has no more URLs than the sample, and
	// otherwise the best URLs of as many hosts, spread over all.
	Waiting(ctx context.Context, q WaitingQuery) (Waiting, error)
}

// A WaitingQuery asks for what waits in the queue.
type WaitingQuery struct {
	Sample int  // URLs that are read at most
	List   bool // with these URLs
}

// Waiting is what waits in the queue, as far as it was read.
type Waiting struct {
	Queued int64      `json:"queued"` // URLs of the queue
	Looked int64      `json:"looked"` // at so many of them
	Depths []DepthRow `json:"depths"` // by rising depth
	Scores []ScoreRow `json:"scores"` // by falling score

	URLs []WaitingURL `json:"urls,omitempty"` // those that were looked at, the best first, if they were asked for
}

// A WaitingURL is a URL of the queue.
type WaitingURL struct {
	URL   string  `json:"url"`
	Depth int     `json:"depth"`
	Score float32 `json:"score"`
}

// SortWaiting puts the best URLs first.
func SortWaiting(urls []WaitingURL) {
	slices.SortFunc(urls, func(a, b WaitingURL) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.Depth, b.Depth), strings.Compare(a.URL, b.URL))
	})
}

// A DepthRow counts URLs that are so many links from a seed.
type DepthRow struct {
	Depth int   `json:"depth"`
	URLs  int64 `json:"urls"`
}

// A ScoreRow counts URLs whose score is at least From and below From+1.
type ScoreRow struct {
	From int   `json:"from"`
	URLs int64 `json:"urls"`
}
