package testserver

import (
	"maps"
	"sync"
	"time"
)

// A Request is one request that a site received.
type Request struct {
	Time   time.Time `json:"time"`   // when its header was read
	Site   string    `json:"site"`   // the Site's name
	Path   string    `json:"path"`   // with query, escaped as in the truth
	Status int       `json:"status"` // of the response; 0 if the client left before
	Agent  string    `json:"agent"`  // User-Agent
}

// Traffic counts what one site received since Start or the last Reset.
type Traffic struct {
	Site       string         `json:"site"`
	Requests   int            `json:"requests"`
	MinGap     time.Duration  `json:"min_gap"`    // shortest time between the starts of two requests; 0 with fewer than two
	Concurrent int            `json:"concurrent"` // largest number of requests at the same time
	Paths      map[string]int `json:"paths"`      // requests per path with query, for at most MaxPaths paths
}

// MaxPaths bounds the paths that are counted individually on a site, since a trap has
// endless ones.
const MaxPaths = 200_000

// traffic counts one site's requests.
type traffic struct {
	mu       sync.Mutex
	requests int
	last     time.Time
	minGap   time.Duration
	inFlight int
	most     int
	paths    map[string]int
}

func (t *traffic) start(path string, now time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.requests++
	if gap := now.Sub(t.last); t.requests == 2 || t.requests > 2 && gap < t.minGap {
		t.minGap = gap
	}
	t.last = now
	t.inFlight++
	t.most = max(t.most, t.inFlight)
	if t.paths == nil {
		t.paths = map[string]int{}
	}
	if len(t.paths) < MaxPaths || t.paths[path] > 0 {
		t.paths[path]++
	}
}

func (t *traffic) end() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.inFlight--
}

func (t *traffic) reset() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.requests, t.last, t.minGap, t.most, t.paths = 0, time.Time{}, 0, t.inFlight, nil
}

func (t *traffic) count(path string) int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.paths[path]
}

func (t *traffic) report(site string) Traffic {
	t.mu.Lock()
	defer t.mu.Unlock()
	return Traffic{Site: site, Requests: t.requests, MinGap: t.minGap, Concurrent: t.most, Paths: maps.Clone(t.paths)}
}

// A requestLog has the latest requests, in a ring buffer.
type requestLog struct {
	mu      sync.Mutex
	size    int
	entries []Request
	next    int // index of the oldest, once the buffer is full
}

func (d *requestLog) add(r Request) {
	if d.size == 0 {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.entries) < d.size {
		d.entries = append(d.entries, r)
		return
	}
	d.entries[d.next] = r
	d.next = (d.next + 1) % d.size
}

func (d *requestLog) all() []Request {
	d.mu.Lock()
	defer d.mu.Unlock()
	return append(append([]Request(nil), d.entries[d.next:]...), d.entries[:d.next]...)
}

func (d *requestLog) reset() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.entries, d.next = nil, 0
}
