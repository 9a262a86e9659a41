package store

import (
	"context"
	"runtime/metrics"
	"slices"
	"sync"
	"time"

	"gatecrawl.example/gatecrawl"
	"gatecrawl.example/gatecrawl/frontier"
	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/store/folder"
	"gatecrawl.example/gatecrawl/store/job"
)

// A rate counts the visits of the last ten seconds.
type rate struct {
	mu      sync.Mutex
	seconds [10]struct {
		unix int64
		n    int64
	}
}

func (r *rate) count(now time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	s := &r.seconds[now.Unix()%10]
	if s.unix != now.Unix() {
		s.unix, s.n = now.Unix(), 0
	}
	s.n++
}

// perSecond is the rate over the last nine full seconds, or since the start.
func (r *rate) perSecond(now, start time.Time) float64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	var n int64
	for _, s := range r.seconds {
		if s.unix < now.Unix() && s.unix >= now.Unix()-9 {
			n += s.n
		}
	}
	return float64(n) / float64(max(1, min(9, now.Unix()-start.Unix())))
}

// bestHosts is how many of the best hosts of a topic Status has.
const bestHosts = 5

// mostSites is of how many sites of seeds Status reads the robots.txt.
const mostSites = 5

// unreadSitemaps returns the sitemaps that the robots.txt of the first sites of seeds name, and that
// the job does not know. Those on another host may be known to another partition.
func (s *Store) unreadSitemaps(ctx context.Context, in snapshot) (unread []string, err error) {
	sites := 0
	for k, err := range job.Roots.All(in) {
		if sites++; err != nil || sites > mostSites {
			return unread, err
		}
		site, err := weburl.Parse(string(k.Key))
		if err != nil {
			continue
		}
		file, known, err := s.robots.Get(ctx, site.Origin())
		if err != nil {
			return nil, err
		}
		if !known {
			continue
		}
		for _, ref := range file.Rules().Sitemaps() {
			u, err := site.Parse(ref)
			if err != nil || u.Host() != site.Host() || slices.Contains(unread, u.String()) {
				continue
			}
			rec, err := s.urlIn(in, u.Key())
			if err != nil {
				return nil, err
			}
			if rec == nil {
				unread = append(unread, u.String())
			}
		}
	}
	return unread, nil
}

// Status implements gatecrawl.Inspector.
func (s *Store) Status(ctx context.Context) (st gatecrawl.Status, err error) {
	s.stateMu.Lock()
	active, stopped := s.state.Active, s.state.Stopped
	s.stateMu.Unlock()
	st = gatecrawl.Status{
		Totals: s.Totals(), Job: s.dir, Running: !s.readOnly,
		Created: s.job.Created, Active: active, Stopped: stopped,
	}
	if active > 0 {
		st.PagesPerSec = float64(st.Pages) / active
	}
	if st.Running {
		st.Stopped = ""
		st.NowPerSec = s.rate.perSecond(time.Now(), s.opened)
		m := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
		metrics.Read(m)
		st.MemoryBytes = int64(m[0].Value.Uint64())
	}
	if st.Harvest != nil {
		if st.BestHosts, err = s.Hosts(ctx, gatecrawl.HostQuery{By: frontier.HostsByHarvest, Limit: bestHosts}); err != nil {
			return st, err
		}
		if score, known := s.queue.Head(); known && st.Running {
			st.Head = &score
		}
	}
	err = s.look(func(in snapshot) error {
		all, err := s.rates.All(in)
		if all.Visits > 0 {
			st.Changes = &gatecrawl.ChangeRate{Visits: all.Visits, Changes: all.Changes, Seconds: all.Seconds, PerDay: all.PerDay}
		}
		if err == nil {
			st.Unread, err = s.unreadSitemaps(ctx, in)
		}
		return err
	})
	if err != nil {
		return st, err
	}
	st.DiskBytes, err = folder.Bytes(s.dir)
	return st, err
}
