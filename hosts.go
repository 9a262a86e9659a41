package gatecrawl

import (
	"context"

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

	// Waiting samples the queue. It reads the whole queue if that has no more URLs than sample,
	// and otherwise the best URLs of as many hosts, spread over all.
	Waiting(ctx context.Context, sample int) (Waiting, error)
}

// Waiting is what waits in the queue, as far as it was read.
type Waiting struct {
	Queued int64      `json:"queued"` // URLs of the queue
	Looked int64      `json:"looked"` // at so many of them
	Depths []DepthRow `json:"depths"` // by rising depth
	Scores []ScoreRow `json:"scores"` // by falling score
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
