package control

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"time"

	"gatecrawl.example/gatecrawl"
	"gatecrawl.example/gatecrawl/control/board"
	"gatecrawl.example/gatecrawl/frontier"
	"gatecrawl.example/gatecrawl/page"
)

// A Crawl is a running crawl; *crawl.Crawl implements it.
type Crawl interface {
	gatecrawl.Steering
	Job() gatecrawl.Inspector
	Totals() page.Totals
	Tally() gatecrawl.Tally
}

// A Running is a running crawl, with what is needed to describe and change it.
type Running struct {
	Crawl
	Seeds AddSeeds
	Board *board.Board

	TimeLimit time.Duration // of the run; 0: no limit
	List      bool          // links are not followed: nothing is added to the queue
}

// A Live says what a running crawl does now.
type Live struct {
	board.Snapshot
	Job      string          `json:"job"` // the job's folder
	Tally    gatecrawl.Tally `json:"tally"`
	Totals   page.Totals     `json:"totals"`
	Settings Settings        `json:"settings"`
	Progress *Progress       `json:"progress,omitempty"` // nil: not known, or without an end

	QuietUntil *time.Time `json:"quiet_until,omitempty"` // end of the quiet hours, in which no page is started; nil: there are none now

	InHand []gatecrawl.HostState `json:"in_hand"` // hosts with a request under way, the longest first
	Failed []gatecrawl.HostState `json:"failed"`  // hosts that do not answer, those with most failures first

	// In a focused crawl, see gatecrawl.Status:
	Best  []gatecrawl.HostState `json:"best_hosts,omitempty"`
	Head  *float32              `json:"queue_head,omitempty"`
	Topic *gatecrawl.TopicState `json:"topic,omitempty"`
}

// Progress says how far a run with an end has come.
type Progress struct {
	Of    string  `json:"of"`    // what ends it: max-pages, max-bytes, time-limit, or the list of seeds
	Share float64 `json:"share"` // 0 to 1
	Left  float64 `json:"left"`  // seconds left at the speed of the last ten minutes; 0: not known
}

// Live returns what the crawl does now, with at most limit lines and hosts of each kind.
func (r *Running) Live(ctx context.Context, limit int) (Live, error) {
	s, err := r.Job().Status(ctx)
	if err != nil {
		return Live{}, err
	}
	return r.LiveAt(ctx, s, limit)
}

// LiveAt is Live for a status that the caller has already read.
func (r *Running) LiveAt(ctx context.Context, s gatecrawl.Status, limit int) (l Live, err error) {
	l = Live{
		Snapshot: r.Board.Now(limit), Job: s.Job, Tally: r.Tally(), Totals: r.Totals(), Settings: SettingsOf(r.Controls()),
		Best: s.BestHosts, Head: s.Head, Topic: s.Topic, QuietUntil: s.QuietUntil,
	}
	if l.InHand, err = r.Job().Hosts(ctx, gatecrawl.HostQuery{By: frontier.HostsInHand, Limit: limit}); err != nil {
		return l, err
	}
	if l.Failed, err = r.Job().Hosts(ctx, gatecrawl.HostQuery{By: frontier.HostsByFailures, Limit: limit}); err != nil {
		return l, err
	}
	l.Progress = r.progress(&l)
	return l, nil
}

// progress compares the run with each of its limits. The limit that will be reached first counts.
func (r *Running) progress(l *Live) (best *Progress) {
	over := min(l.Tally.Seconds, 600)
	left := func(n int64, lately int64) float64 {
		if lately <= 0 || over <= 0 {
			return 0
		}
		return float64(max(n, 0)) / (float64(lately) / over)
	}
	offer := func(p Progress) {
		if p.Share = min(max(p.Share, 0), 1); best == nil || p.Share > best.Share {
			best = &p
		}
	}
	if n := l.Settings.MaxPages; n > 0 {
		offer(Progress{"max-pages", float64(l.Totals.Answered()) / float64(n), left(n-l.Totals.Answered(), l.Lately.Pages)})
	}
	if n := l.Settings.MaxBytes; n > 0 {
		offer(Progress{"max-bytes", float64(l.Totals.Wire) / float64(n), left(n-l.Totals.Wire, l.Lately.Bytes)})
	}
	if r.TimeLimit > 0 {
		offer(Progress{"time-limit", l.Tally.Seconds / r.TimeLimit.Seconds(), max(0, r.TimeLimit.Seconds()-l.Tally.Seconds)})
	}
	if n := l.Totals.Queued + l.Totals.Later + l.Totals.Leased; r.List && n+l.Totals.Pages > 0 {
		offer(Progress{"the list", float64(l.Totals.Pages) / float64(n+l.Totals.Pages), left(n, l.Lately.Pages)})
	}
	return best
}

// Settings are gatecrawl.Controls as they are written in JSON.
type Settings struct {
	Paused    bool              `json:"paused"`
	Delay     string            `json:"delay"`
	HostDelay map[string]string `json:"host_delay"`
	Workers   int               `json:"workers"`
	MaxPages  int64             `json:"max_pages"`
	MaxBytes  int64             `json:"max_bytes"`
	Include   []string          `json:"include"`
	Exclude   []string          `json:"exclude"`
}

// SettingsOf converts d for JSON.
func SettingsOf(d gatecrawl.Controls) Settings {
	s := Settings{
		Paused: d.Paused, Delay: d.Delay.String(), HostDelay: make(map[string]string, len(d.HostDelay)),
		Workers: d.Workers, MaxPages: d.MaxPages, MaxBytes: d.MaxBytes,
		Include: append([]string{}, d.Include...), Exclude: append([]string{}, d.Exclude...),
	}
	for host, t := range d.HostDelay {
		s.HostDelay[host] = t.String()
	}
	return s
}

// A Change says what a running crawl is to do, as it is written in JSON. Fields that are not set
// change nothing.
type Change struct {
	Pause     *bool             `json:"pause,omitempty"` // false: resume
	Stop      bool              `json:"stop,omitempty"`  // end the run, after the other changes
	Delay     *string           `json:"delay,omitempty"` // such as 2s or 500ms
	HostDelay map[string]string `json:"host_delay,omitempty"`
	Workers   *int              `json:"workers,omitempty"`
	MaxPages  *int64            `json:"max_pages,omitempty"`
	MaxBytes  *int64            `json:"max_bytes,omitempty"`
	Include   []string          `json:"include,omitempty"` // patterns to add; with the first of them, URLs that match none are left out
	Exclude   []string          `json:"exclude,omitempty"` // patterns to add
	Park      map[string]string `json:"park,omitempty"`    // by host: how long it is not visited; 0s: visit it again
}

// errBad marks an error that is the client's fault.
var errBad = errors.New("bad request")

// A badRequest is an error that is the client's fault.
type badRequest struct{ error }

func (badRequest) Is(target error) bool { return target == errBad }

func (b badRequest) Unwrap() error { return b.error }

// Apply changes the crawl, and returns its settings afterwards. If a part of the change is not
// valid, the parts before it, in the order of the fields but with Pause and Stop last, remain in
// effect.
func (r *Running) Apply(ctx context.Context, c Change) (Settings, error) {
	parks := make(map[string]time.Duration, len(c.Park))
	for host, text := range c.Park {
		d, err := time.ParseDuration(text)
		if err != nil {
			return Settings{}, badRequest{fmt.Errorf("park %s: %q is not a time: want 30m, 24h, or 0s to ask it again", host, text)}
		}
		parks[host] = d
	}
	controls, err := c.Controls()
	if err != nil {
		return Settings{}, badRequest{err}
	}
	now, err := r.Crawl.Apply(controls)
	if errors.As(err, new(*fs.PathError)) { // the change is valid, and cannot be saved
		return SettingsOf(now), err
	}
	if err != nil {
		return SettingsOf(now), badRequest{err}
	}
	for host, d := range parks {
		if err := r.Park(ctx, host, d); err != nil {
			return SettingsOf(r.Controls()), err
		}
	}
	switch {
	case c.Pause == nil:
	case *c.Pause:
		r.Pause()
	default:
		r.Resume()
	}
	if c.Stop {
		r.Stop()
	}
	return SettingsOf(r.Controls()), nil
}

// Controls converts a Change for Crawl.Apply. Pause, Stop and Park are no part of it.
func (c *Change) Controls() (d gatecrawl.Change, err error) {
	d = gatecrawl.Change{Workers: c.Workers, MaxPages: c.MaxPages, MaxBytes: c.MaxBytes, Include: c.Include, Exclude: c.Exclude}
	if c.Delay != nil {
		t, err := time.ParseDuration(*c.Delay)
		if err != nil {
			return d, fmt.Errorf("delay: %q is not a time: want 2s or 500ms", *c.Delay)
		}
		d.Delay = &t
	}
	for host, text := range c.HostDelay {
		t, err := time.ParseDuration(text)
		if err != nil {
			return d, fmt.Errorf("host_delay of %s: %q is not a time: want 5s, or 0s to take it away", host, text)
		}
		if d.HostDelay == nil {
			d.HostDelay = make(map[string]time.Duration)
		}
		d.HostDelay[host] = t
	}
	return d, nil
}

// answerLive answers the verb live. Only a running crawl can.
func answerLive(ctx context.Context, r *Running, q Question, w io.Writer) error {
	limit := q.Limit
	if limit <= 0 {
		limit = 10
	}
	l, err := r.Live(ctx, limit)
	if err != nil {
		return err
	}
	return put(encoder(w), l, nil)
}
