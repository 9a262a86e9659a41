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
	// Pause starts no page until Resume; those under way are finished. It holds for this run: a
	// job that is opened again is not paused. TimeLimit goes on.
	Pause()
	Resume()

	// Stop ends the run as an interrupt does: the pages under way are finished.
	Stop()

	// Controls returns the current settings of the crawl. Apply changes them for this run and for
	// later ones, in one step: if anything is invalid the error says what, and nothing changes.
	Controls() Controls
	Apply(Change) (Controls, error)

	// Park leaves a host alone for a time, beyond the end of the run too; 0 lets it be asked
	// again. Its URLs stay queued. ErrUnknown for a host that the job has never met.
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

// A Change is what is to be set otherwise; nil: as it is.
type Change struct {
	Delay     *time.Duration
	HostDelay map[string]time.Duration // is added; 0 takes a host's away
	Workers   *int
	MaxPages  *int64
	MaxBytes  *int64
	Include   []string // regular expressions that are added; the first leaves out what does not match it
	Exclude   []string // regular expressions that are added
}

// LongestDelay bounds the delays of a Change. A crawl that rests longer is better parked.
const LongestDelay = 24 * time.Hour

// Validate says what is wrong with a change to a crawl that was started with so many workers.
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

// controls are what Steering has changed of a crawler.
type controls struct {
	pause      *gate
	quiet      *gate // in the quiet hours; a pause by hand is another
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

// start makes the quota of a run.
func (d *controls) start(make func(pages, bytes int64) *limit.Quota) *limit.Quota {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.quota, d.again = make(d.maxPages, d.maxBytes), false
	return d.quota
}

// startAgain makes the quota of Crawler.visitAgain.
func (d *controls) startAgain(make func(bytes int64) *limit.Quota) *limit.Quota {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.quota, d.again = make(d.maxBytes), true
	return d.quota
}

// Pause and Resume are Steering's.
func (c *Crawler) Pause() { c.controls.pause.shut() }

// Resume is the end of Pause.
func (c *Crawler) Resume() { c.controls.pause.open() }

// Paused reports whether the crawl is paused.
func (c *Crawler) Paused() bool { return !c.controls.pause.isOpen() }

// Quiet starts no page until it is called with the zero time; it is independent of Pause and
// Resume. The time is when that is expected, which QuietUntil tells.
func (c *Crawler) Quiet(until time.Time) {
	c.controls.quietUntil.Store(&until)
	if until.IsZero() {
		c.controls.quiet.open()
	} else {
		c.controls.quiet.shut()
	}
}

// QuietUntil returns until when no page is started for Quiet; nil: pages are.
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
	if d.again {
		pages = 0
	}
	if d.quota != nil {
		d.quota.SetLimits(pages, bytes)
	}
}

// SetHostDelays gives hosts longer delays than the others.
func (c *Crawler) SetHostDelays(delays map[string]time.Duration) {
	delays = maps.Clone(delays)
	c.controls.hosts.Store(&delays)
}

// hostDelay is the delay of a host that has its own, else 0.
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
