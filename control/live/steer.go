package live

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"gatecrawl.example/gatecrawl/control"
	"gatecrawl.example/gatecrawl/humanize"
)

// said are the texts that the page shows after a button. The URL has only the key of the text, so
// that nobody can make the page show another text by a link.
var said = map[string]string{
	"pause":   "The crawl is paused. Pages being fetched are finished, and no other is started.",
	"resume":  "The crawl goes on.",
	"stop":    "The crawl stops once the pages being fetched are finished.",
	"delay":   "The delay is changed, and saved with the job. A host that is waiting now keeps its old delay once more.",
	"slower":  "The crawl is slower now: the delay is twice as long.",
	"faster":  "The crawl is faster now: the delay is half as long.",
	"workers": "The number of workers is changed, and saved with the job.",
	"park":    "The host is parked. Its URLs stay queued.",
	"unpark":  "The host is crawled again.",
	"seeds":   "The URLs are queued.",
	"exclude": "URLs that match are excluded from now on, queued ones too.",
	"include": "URLs that match no include pattern are excluded from now on, queued ones too.",
}

// steer answers the requests of the buttons.
func (s *Site) steer(w http.ResponseWriter, r *http.Request) {
	do := r.PostFormValue("do")
	if s.running == nil {
		s.refuse(w, r, "This job is not running: crawl run resumes it.")
		return
	}
	var err error
	switch do {
	case "seeds":
		var problem string
		if problem, err = s.addSeeds(r); problem != "" {
			s.refuse(w, r, problem)
			return
		}
	default:
		var c control.Change
		if c, err = s.change(do, r.PostForm); err == nil {
			_, err = s.running.Apply(r.Context(), c)
		}
	}
	if err != nil {
		s.refuse(w, r, err.Error())
		return
	}
	s.front.forget() // whoever pressed the button sees the effect
	back := "/"
	if r.PostFormValue("back") == "hosts" {
		back = "/hosts"
	}
	http.Redirect(w, r, back+"?said="+url.QueryEscape(do), http.StatusSeeOther)
}

// refuse answers that something is wrong with the request.
func (s *Site) refuse(w http.ResponseWriter, r *http.Request, why string) {
	s.render(w, r, http.StatusBadRequest, "fault", view{Title: "This did not work", Error: why})
}

// leastSlow is the delay that "slower" sets if there is none; if the delay is at most that,
// "faster" sets none.
const leastSlow = 50 * time.Millisecond

// change returns the change that a button stands for.
func (s *Site) change(do string, form url.Values) (c control.Change, err error) {
	yes, no := true, false
	field := func(name string) string { return strings.TrimSpace(form.Get(name)) }
	delay := func(d time.Duration) *string {
		text := d.String()
		return &text
	}
	now := s.running.Controls().Delay
	switch do {
	case "pause":
		c.Pause = &yes
	case "resume":
		c.Pause = &no
	case "stop":
		c.Stop = true
	case "slower":
		c.Delay = delay(max(2*now, leastSlow))
	case "faster":
		if now == 0 {
			return c, errors.New("there is no delay that could be shorter; more workers, or --per-host of the next run, make a crawl faster")
		}
		if now /= 2; now < leastSlow {
			now = 0
		}
		c.Delay = delay(now)
	case "delay":
		text := field("delay")
		c.Delay = &text
	case "workers":
		n, err := strconv.Atoi(field("workers"))
		if err != nil {
			return c, fmt.Errorf("workers: %q is not a number", field("workers"))
		}
		c.Workers = &n
	case "exclude":
		c.Exclude = []string{field("pattern")}
	case "include":
		c.Include = []string{field("only")}
	case "park":
		c.Park = map[string]string{hostOf(field("host")): field("for")}
	case "unpark":
		c.Park = map[string]string{hostOf(field("host")): "0s"}
	default:
		return c, fmt.Errorf("there is no button %q", do)
	}
	return c, nil
}

// hostOf returns the host of an origin. The user may also have pasted a URL of the host.
func hostOf(text string) string {
	if u, err := url.Parse(text); err == nil && strings.Contains(text, "://") && u.Host != "" {
		return u.Host
	}
	return text
}

// addSeeds adds URLs, one a line. problem says what is wrong with some of them.
func (s *Site) addSeeds(r *http.Request) (problem string, err error) {
	came, err := s.running.Seeds(r.Context(), strings.NewReader(r.PostFormValue("urls")), "the form")
	switch {
	case err != nil:
		return "", err
	case came.Bad > 0:
		bad := humanize.Many(came.Bad, "line is not a URL", "lines are not URLs")
		return fmt.Sprintf("%d added; %s to fetch: %s", came.Added, bad, strings.Join(came.Faults, "; ")), nil
	case strings.TrimSpace(r.PostFormValue("urls")) == "":
		return "Enter a URL: none was given.", nil
	case came.Added == 0:
		return "No new URL: this job has them all already.", nil
	}
	return "", nil
}
