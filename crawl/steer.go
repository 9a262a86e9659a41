package crawl

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"time"

	"gatecrawl.example/gatecrawl"
	"gatecrawl.example/gatecrawl/configs"
)

var _ gatecrawl.Steering = (*Crawl)(nil)

// Pause starts no page until Resume; see gatecrawl.Steering.
func (c *Crawl) Pause() { c.crawler.Pause() }

// Resume is the end of Pause.
func (c *Crawl) Resume() { c.crawler.Resume() }

// Stop ends Run as the end of its context does. Before Run it does nothing.
func (c *Crawl) Stop() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.cancel != nil {
		c.cancel()
	}
}

// Controls returns how the crawl is set now.
func (c *Crawl) Controls() gatecrawl.Controls {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.controls()
}

func (c *Crawl) controls() gatecrawl.Controls {
	now := ControlsOf(&c.settings)
	now.Paused = c.crawler.Paused()
	return now
}

// ControlsOf returns what a Change can change of settings.
func ControlsOf(s *configs.Settings) gatecrawl.Controls {
	return gatecrawl.Controls{
		Delay: time.Duration(s.Delay), HostDelay: hostDelays(s),
		Workers: s.Workers, MaxPages: s.MaxPages, MaxBytes: int64(s.MaxBytes),
		Include: slices.Clone(s.Include), Exclude: slices.Clone(s.Exclude),
	}
}

// Changed returns settings after a change, which is to be validated before, and an error if they are
// not valid.
func Changed(s configs.Settings, ch gatecrawl.Change) (configs.Settings, error) {
	if ch.Delay != nil {
		s.Delay = configs.Duration(*ch.Delay)
	}
	if ch.Workers != nil {
		s.Workers = *ch.Workers
	}
	if ch.MaxPages != nil {
		s.MaxPages = *ch.MaxPages
	}
	if ch.MaxBytes != nil {
		s.MaxBytes = configs.Size(*ch.MaxBytes)
	}
	if len(ch.HostDelay) > 0 {
		delays := hostDelays(&s)
		for host, d := range ch.HostDelay {
			if delete(delays, host); d > 0 {
				delays[host] = d
			}
		}
		s.HostDelay = nil
		for _, host := range slices.Sorted(maps.Keys(delays)) {
			s.HostDelay = append(s.HostDelay, fmt.Sprintf("%s=%v", host, delays[host]))
		}
	}
	s.Exclude = append(slices.Clone(s.Exclude), news(s.Exclude, ch.Exclude)...)
	s.Include = append(slices.Clone(s.Include), news(s.Include, ch.Include)...)
	return s, s.Validate()
}

// Apply changes how the crawl is set, and saves it with the job's settings. A change of nothing saves
// nothing: crawl stop has to work on a full disk.
func (c *Crawl) Apply(ch gatecrawl.Change) (gatecrawl.Controls, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if reflect.ValueOf(ch).IsZero() {
		return c.controls(), nil
	}
	if err := ch.Validate(c.opened); err != nil {
		return c.controls(), err
	}
	more, wanted := news(c.settings.Exclude, ch.Exclude), news(c.settings.Include, ch.Include)
	s, err := Changed(c.settings, ch)
	if err != nil {
		return c.controls(), err
	}
	if err := c.save(s); err != nil {
		return c.controls(), err
	}
	c.settings = s
	c.store.SetDelay(time.Duration(s.Delay))
	c.crawler.SetWorkers(s.Workers)
	c.crawler.SetLimits(s.MaxPages, int64(s.MaxBytes))
	c.crawler.SetHostDelays(c.allDelays(&s))
	if err := errors.Join(c.scope.AddExclude(more...), c.scope.AddInclude(wanted...)); err != nil {
		return c.controls(), fmt.Errorf("after it was checked: %w", err)
	}
	return c.controls(), nil
}

// news returns the patterns that are not there yet, each once.
func news(have, patterns []string) (more []string) {
	for _, p := range patterns {
		if !slices.Contains(have, p) && !slices.Contains(more, p) {
			more = append(more, p)
		}
	}
	return more
}

// Park leaves a host alone for a time; see gatecrawl.Steering.
func (c *Crawl) Park(ctx context.Context, host string, d time.Duration) error {
	if d < 0 || d > longestPark {
		return fmt.Errorf("park %s for %v: want 0 (ask it again) to %v", host, d, longestPark)
	}
	till := time.Time{}
	if d > 0 {
		till = time.Now().Add(d)
	}
	return c.store.Park(ctx, host, till)
}

// longestPark bounds how long a host is parked. To leave it out for good, exclude it.
const longestPark = 365 * 24 * time.Hour

// save writes settings into the job. Until the seeds are in, they name them.
func (c *Crawl) save(s configs.Settings) error {
	if c.seeded {
		s.URL, s.Seeds = nil, nil
	}
	return save(c.dir, s, c.store)
}

// hostDelays reads the setting host-delay, which was checked.
func hostDelays(s *configs.Settings) map[string]time.Duration {
	m := make(map[string]time.Duration, len(s.HostDelay))
	for _, text := range s.HostDelay {
		if host, d, err := configs.ParseHostDelay(text); err == nil {
			m[host] = d
		}
	}
	return m
}

// A watched is a job as the crawl that works on it tells of it.
type watched struct {
	Job
	crawl *Crawl
}

// Status implements gatecrawl.Inspector.
func (w watched) Status(ctx context.Context) (gatecrawl.Status, error) {
	s, err := w.Job.Status(ctx)
	if c := w.crawl.crawler; c != nil && s.Running {
		s.Paused, s.QuietUntil = c.Paused(), c.QuietUntil()
	}
	if w.crawl.judge != nil {
		set := w.crawl.Settings()
		s.Topic = topicState(w.crawl.judge, &set, s.Harvest)
	}
	return s, err
}

// Hosts implements gatecrawl.HostLister.
func (w watched) Hosts(ctx context.Context, q gatecrawl.HostQuery) ([]gatecrawl.HostState, error) {
	hosts, err := w.Job.Hosts(ctx, q)
	if c := w.crawl.crawler; c != nil {
		c.TellAsked(hosts)
	}
	return hosts, err
}

// until returns a context that Stop ends too.
func (c *Crawl) until(ctx context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancel(ctx)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.cancel = cancel
	return ctx, cancel
}
