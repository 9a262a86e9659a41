package render

import (
	"context"
	"sync"
	"time"

	"gatecrawl.example/gatecrawl/fetch"
)

// A pace lets one script's request at a time to a host, and has the host rest
// between them.
type pace struct {
	mu    sync.Mutex
	hosts map[string]*turn
}

// A turn is whose turn it is at one host.
type turn struct {
	taken chan struct{} // one in it while a request is under way or waits for next
	users int           // requests that hold or want the turn; under pace's lock
	next  time.Time     // when the host may be asked again, for the holder of the turn
}

func newPace() *pace { return &pace{hosts: make(map[string]*turn)} }

// maxPaced bounds how many hosts are remembered before those without a waiting request are
// forgotten.
const maxPaced = 10_000

// enter waits until a host may be asked. When the request is over leave lets it
// rest for the pause.
func (p *pace) enter(ctx context.Context, host string, pause time.Duration) (leave func(), err error) {
	t := p.at(host)
	done := func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		t.users--
	}
	select {
	case t.taken <- struct{}{}:
	case <-ctx.Done():
		done()
		return nil, ctx.Err()
	}
	timer := time.NewTimer(time.Until(t.next))
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
		<-t.taken
		done()
		return nil, ctx.Err()
	}
	return func() {
		t.next = time.Now().Add(pause)
		<-t.taken
		done()
	}, nil
}

// at returns the turn of a host, for one more caller.
func (p *pace) at(host string) *turn {
	p.mu.Lock()
	defer p.mu.Unlock()
	t := p.hosts[host]
	if t == nil {
		if len(p.hosts) >= maxPaced {
			for h, t := range p.hosts {
				if t.users == 0 {
					delete(p.hosts, h)
				}
			}
		}
		t = &turn{taken: make(chan struct{}, 1)}
		p.hosts[host] = t
	}
	t.users++
	return t
}

// A cache keeps scripts for the pages to come.
type cache struct {
	limit int64 // bytes

	mu   sync.Mutex
	size int64
	kept map[string]*fetch.Response
}

func newCache(limit int64) *cache {
	return &cache{limit: limit, kept: make(map[string]*fetch.Response)}
}

func (c *cache) get(url string) *fetch.Response {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.kept[url]
}

// put keeps a script. If there is no room everything else goes: what is still in use is soon
// back.
func (c *cache) put(url string, r *fetch.Response) {
	n := int64(len(r.Body))
	c.mu.Lock()
	defer c.mu.Unlock()
	if old := c.kept[url]; old != nil {
		c.size -= int64(len(old.Body))
		delete(c.kept, url)
	}
	if n > c.limit {
		return
	}
	if c.size+n > c.limit {
		clear(c.kept)
		c.size = 0
	}
	c.kept[url] = r
	c.size += n
}
