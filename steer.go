package gatecrawl

import (
	"context"
	"fmt"
	"maps"
	"regexp"
	"sync"
	"sync/atomic"
	"time"

	"gatecrawl.example/gatecrawl/limit"
)

// Steering changes a crawl while it runs. All methods may be called from many goroutines.
type Steering interface {
	// Pause starts no pages until Resume; those under way are finished. It applies to this run
	// only: a job that is opened again is not paused. TimeLimit goes on.
	Pause()
	Resume()

	// Stop ends the run as an interrupt does: the pages under way are finished.
	Stop()

	// Controls returns the current settings of the crawl. Apply changes them for this run and for
	// later ones, in one step: if anything is invalid the error says what, and nothing changes.
	Controls() Controls
	Apply(Change) (Controls, error)

	// Park asks a host for nothing for a time, which may last beyond the end of the run; 0 ends it.
	// The host's URLs stay queued. The error is ErrUnknown for a host that the job has never met.
	Park(ctx context.Context, host string, d time.Duration) error
}

// Controls are what can be changed in a running crawl.
type Controls struct {
	Paused    bool                     // see Steering.Pause
	Delay     time.Duration            // see Pace
	HostDelay map[string]time.Duration // longer delays of some hosts
	Workers   int                      // see Options
	MaxPages  int64                    // see Options
	MaxBytes  int64                    // see Options
	Include   []string                 // see frontier.ScopeOptions
	Exclude   []string                 // see frontier.ScopeOptions
}

// A Change has the settings that are to be changed; nil: unchanged.
type Change struct {
	Delay     *time.Duration
	HostDelay map[string]time.Duration // added to the existing ones; 0 removes a host's
	Workers   *int
	MaxPages  *int64
	MaxBytes  *int64
	Include   []string // regular expressions that are added; once there is one, URLs that match none are refused
	Exclude   []string // regular expressions that are added
}

// LongestDelay is the longest delay that a Change may set. Use Steering.Park for a longer rest.
const LongestDelay = 24 * time.Hour

// Validate says what is wrong with a change to a crawl that was started with the options o.
func (c *Change) Validate(o Options) error {
	delay := func(d time.Duration) error {
		if d < 0 || d > LongestDelay {
			return fmt.Errorf("delay is %v: want 0 to %v", d, LongestDelay)
		}
		return nil
	}
	if c.Delay != nil {
		if err := delay(*c.Delay); err != nil {
			return err
		}
	}
	for host, d := range c.HostDelay {
		if err := delay(d); err != nil {
			return fmt.Errorf("%s: %w", host, err)
		}
	}
	if n := c.Workers; n != nil && (*n < 1 || *n > o.Workers+o.Spare) {
		return fmt.Errorf("workers are %d: want 1 to %d while the crawl runs", *n, o.Workers+o.Spare)
	}
	if n := c.MaxPages; n != nil && *n < 0 {
		return fmt.Errorf("max-pages is %d: want 0 (no limit) or more", *n)
	}
	if n := c.MaxBytes; n != nil && *n < 0 {
		return fmt.Errorf("max-bytes is %d: want 0 (no limit) or more", *n)
	}
	for _, p := range c.Exclude {
		if p == "" {
			return fmt.Errorf("exclude: an empty pattern would leave everything out")
		}
		if _, err := regexp.Compile(p); err != nil {
			return fmt.Errorf("exclude %q: %w", p, err)
		}
	}
	for _, p := range c.Include {
		if _, err := regexp.Compile(p); err != nil || p == "" {
			return fmt.Errorf("include %q is not a regular expression: %v", p, err)
		}
	}
	return nil
}

// controls are the settings that Steering can change.
type controls struct {
	pause      *gate
	quiet      *gate // shut in quiet hours, independently of pause
	quietUntil atomic.Pointer[time.Time]
	hosts      atomic.Pointer[map[string]time.Duration]

	mu                 sync.Mutex
	quota              *limit.Quota // of the run; nil: it has not started
	again              bool         // quota is of visits that maxPages does not count
	maxPages, maxBytes int64
}

func newControls(o Options) *controls {
	return &controls{pause: newGate(), quiet: newGate(), maxPages: o.MaxPages, maxBytes: o.MaxBytes}
}

// start makes the quota of a run, or of its visits that maxPages does not count.
func (d *controls) start(again bool, make func(pages, bytes int64) *limit.Quota) *limit.Quota {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.again = again
	d.quota = make(d.limits())
	return d.quota
}

// limits returns the limits of the quota; the mutex is held.
func (d *controls) limits() (pages, bytes int64) {
	if d.again {
		return 0, d.maxBytes
	}
	return d.maxPages, d.maxBytes
}

// Pause starts no pages until Resume: see Steering.
func (c *Crawler) Pause() { c.controls.pause.shut() }

// Resume ends a Pause.
func (c *Crawler) Resume() { c.controls.pause.open() }

// Paused reports whether the crawl is paused.
func (c *Crawler) Paused() bool { return !c.controls.pause.isOpen() }

// Quiet starts no pages until it is called again with the zero time; it is independent of Pause and
// Resume. QuietUntil returns the time that was given, when the caller expects to end it.
func (c *Crawler) Quiet(until time.Time) {
	c.controls.quietUntil.Store(&until)
	if until.IsZero() {
		c.controls.quiet.open()
	} else {
		c.controls.quiet.shut()
	}
}

// QuietUntil returns until when no pages are started because of Quiet; nil: pages are started.
func (c *Crawler) QuietUntil() *time.Time {
	if t := c.controls.quietUntil.Load(); t != nil && !t.IsZero() {
		return t
	}
	return nil
}

// SetWorkers changes how many pages are visited at once; see Change.Validate.
func (c *Crawler) SetWorkers(n int) { c.slots.Resize(n) }

// SetLimits changes Options.MaxPages and MaxBytes.
func (c *Crawler) SetLimits(pages, bytes int64) {
	d := c.controls
	d.mu.Lock()
	defer d.mu.Unlock()
	d.maxPages, d.maxBytes = pages, bytes
	if d.quota != nil {
		d.quota.SetLimits(d.limits())
	}
}

// SetHostDelays sets the hosts that have longer delays than the others.
func (c *Crawler) SetHostDelays(delays map[string]time.Duration) {
	delays = maps.Clone(delays)
	c.controls.hosts.Store(&delays)
}

// hostDelay returns the delay of a host that has its own, else 0.
func (c *Crawler) hostDelay(host string) time.Duration {
	if m := c.controls.hosts.Load(); m != nil {
		return (*m)[host]
	}
	return 0
}

// A gate holds callers back while it is shut.
type gate struct {
	mu   sync.Mutex
	hold chan struct{} // closed when the gate is opened; nil: it is open
}

func newGate() *gate { return new(gate) }

func (g *gate) shut() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.hold == nil {
		g.hold = make(chan struct{})
	}
}

func (g *gate) open() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.hold != nil {
		close(g.hold)
		g.hold = nil
	}
}

func (g *gate) isOpen() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.hold == nil
}

// wait waits until the gate is open, or ctx ends.
func (g *gate) wait(ctx context.Context) {
	g.mu.Lock()
	hold := g.hold
	g.mu.Unlock()
	if hold == nil {
		return
	}
	select {
	case <-hold:
	case <-ctx.Done():
	}
}
