package control

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"gatecrawl.example/gatecrawl"
	"gatecrawl.example/gatecrawl/control/board"
)

// A wheel is a steering that remembers what it was told.
type wheel struct {
	told     []string
	controls gatecrawl.Controls
}

func (w *wheel) Pause()                       { w.told, w.controls.Paused = append(w.told, "pause"), true }
func (w *wheel) Resume()                      { w.told, w.controls.Paused = append(w.told, "resume"), false }
func (w *wheel) Stop()                        { w.told = append(w.told, "stop") }
func (w *wheel) Controls() gatecrawl.Controls { return w.controls }
func (w *wheel) Park(_ context.Context, host string, d time.Duration) error {
	if host == "unheard.example" {
		return gatecrawl.ErrUnknown
	}
	w.told = append(w.told, "park "+host+" "+d.String())
	return nil
}

func (w *wheel) Apply(c gatecrawl.Change) (gatecrawl.Controls, error) {
	if slices.Contains(c.Exclude, "(") {
		return w.controls, errors.New("exclude: missing )")
	}
	if slices.Contains(c.Exclude, "full") {
		return w.controls, fmt.Errorf("saving the settings: %w", &fs.PathError{Op: "write", Path: "settings.yaml", Err: syscall.ENOSPC})
	}
	if c.Delay != nil {
		w.controls.Delay = *c.Delay
	}
	w.controls.Exclude = append(w.controls.Exclude, c.Exclude...)
	if c.HostDelay != nil {
		w.controls.HostDelay = maps.Clone(c.HostDelay)
	}
	return w.controls, nil
}

func TestARunningCrawlIsSteeredThroughItsSocket(t *testing.T) {
	dir := t.TempDir()
	w := &wheel{}
	shut, err := Serve(dir, &Running{Crawl: idle{openJob(t, dir), w}, Seeds: noSeeds, Board: board.New()})
	if err != nil {
		t.Fatal(err)
	}
	defer shut()
	yes, no, delay := true, false, "1500ms"
	nobody := func() (Settings, error) { return Settings{}, ErrNotRunning }
	now, err := asking(dir).Steer(t.Context(), Change{
		Pause: &yes, Delay: &delay, HostDelay: map[string]string{"b.example": "5s"}, Exclude: []string{"/x"}, Park: map[string]string{"a.example": "1h"},
	}, nobody)
	if err != nil || !now.Paused || now.Delay != "1.5s" || now.HostDelay["b.example"] != "5s" || !slices.Equal(now.Exclude, []string{"/x"}) {
		t.Errorf("Steer = %+v, %v", now, err)
	}
	if now, err = asking(dir).Steer(t.Context(), Change{Pause: &no, Stop: true}, nobody); err != nil || now.Paused {
		t.Errorf("Steer = %+v, %v, want it to go on", now, err)
	}
	if want := []string{"park a.example 1h0m0s", "pause", "resume", "stop"}; !slices.Equal(w.told, want) {
		t.Errorf("the crawl was told %q, want %q", w.told, want)
	}
	bad := "fast"
	for want, c := range map[string]Change{
		`delay: "fast" is not a time`:        {Delay: &bad},
		`host_delay of h: "x" is not a time`: {HostDelay: map[string]string{"h": "x"}},
		`park h: "soon" is not a time`:       {Park: map[string]string{"h": "soon"}},
		"exclude: missing )":                 {Exclude: []string{"("}},
		gatecrawl.ErrUnknown.Error():         {Park: map[string]string{"unheard.example": "1h"}},
	} {
		if _, err := asking(dir).Steer(t.Context(), c, nobody); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Steer(%+v) = %v, want %q", c, err, want)
		}
	}
	if _, err := asking(t.TempDir()).Steer(t.Context(), Change{}, nobody); !errors.Is(err, ErrNotRunning) {
		t.Errorf("Steer where no crawl runs = %v, want ErrNotRunning", err)
	}
}

// TestAChangeThatFindsTheDiskFullSaysSo: the exit code and the advice of crawl set depend on it,
// whether a crawl runs or not.
func TestAChangeThatFindsTheDiskFullSaysSo(t *testing.T) {
	dir := t.TempDir()
	running := &Running{Crawl: idle{openJob(t, dir), &wheel{}}, Board: board.New(), Seeds: func(context.Context, io.Reader, string) (AddedSeeds, error) {
		return AddedSeeds{}, fmt.Errorf("commit: %w", syscall.ENOSPC)
	}}
	change := Change{Exclude: []string{"full"}}
	if _, err := running.Apply(t.Context(), change); !errors.Is(err, syscall.ENOSPC) || errors.Is(err, errBad) {
		t.Errorf("Apply with a full disk = %v", err)
	}
	shut, err := Serve(dir, running)
	if err != nil {
		t.Fatal(err)
	}
	defer shut()
	if _, err := asking(dir).Steer(t.Context(), change, nil); !errors.Is(err, syscall.ENOSPC) || !strings.Contains(err.Error(), "saving the settings: write settings.yaml") {
		t.Errorf("Steer with a full disk = %v", err)
	}
	if _, err := asking(dir).AddSeeds(t.Context(), strings.NewReader("http://a.example/"), "list", nil); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("AddSeeds with a full disk = %v", err)
	}
}

func TestProgressIsOfTheLimitThatIsReachedFirst(t *testing.T) {
	r := &Running{TimeLimit: 1000 * time.Second, List: true}
	var l Live
	l.Tally.Seconds, l.Lately.Pages, l.Lately.Bytes = 100, 200, 1e6
	l.Totals.Fetched, l.Totals.Pages, l.Totals.Queued, l.Totals.Wire = 200, 200, 600, 1e6
	l.Settings.MaxBytes = 100e6
	if p := r.progress(&l); p == nil || p.Of != "the list" || p.Share != .25 || p.Left != 300 {
		t.Errorf("progress = %+v, want a quarter of the list, 300 s left", p)
	}
	l.Settings.MaxPages = 400
	if p := r.progress(&l); p == nil || p.Of != "max-pages" || p.Share != .5 || p.Left != 100 {
		t.Errorf("progress = %+v, want half of max-pages, 100 s left", p)
	}
	if p := new(Running).progress(&Live{}); p != nil {
		t.Errorf("progress of a crawl without an end = %+v", p)
	}
}
