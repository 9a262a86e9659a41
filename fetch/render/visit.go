package render

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync"
	"time"

	cdpfetch "github.com/chromedp/cdproto/fetch"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"

	"gatecrawl.example/gatecrawl/fetch"
	"gatecrawl.example/gatecrawl/frontier/weburl"
)

// settleTime is how often a page is looked at while it is busy.
const settleTime = 20 * time.Millisecond

// maxHops is how many redirects of a script's request are followed.
const maxHops = 5

// A visit is one page in a tab, and what it asks for.
type visit struct {
	b *Browser
	r *fetch.Response
	m fetch.Manners

	mu      sync.Mutex
	started bool      // the document was handed over
	asked   int       // requests that were made for it
	open    int       // requests without an answer
	last    time.Time // when the last one was answered
}

func newVisit(b *Browser, r *fetch.Response, m fetch.Manners) *visit {
	return &visit{b: b, r: r, m: m, last: time.Now()}
}

// quiet waits until the page has sent no request for some time.
func (v *visit) quiet(ctx context.Context, for_ time.Duration) error {
	tick := time.NewTicker(settleTime)
	defer tick.Stop()
	for {
		v.mu.Lock()
		done := v.open == 0 && time.Since(v.last) >= for_
		v.mu.Unlock()
		if done {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
	}
}

// answer gives a tab what it asked for: the page itself at first, then scripts
// and data. A tab that is gone needs no answer.
func (v *visit) answer(tab context.Context, e *cdpfetch.EventRequestPaused) {
	v.count(1)
	defer v.count(-1)
	if e.ResourceType == network.ResourceTypeDocument && v.start() {
		_, _ = chromedp.Call(tab, cdpfetch.FulfillRequest, fulfil(e.RequestID, v.r, pageHeaders))
		return
	}
	if e.ResourceType == network.ResourceTypeStylesheet {
		// Scripts that wait for the style sheet get an empty one.
		_, _ = chromedp.Call(tab, cdpfetch.FulfillRequest, cdpfetch.FulfillRequestParams{
			RequestID: e.RequestID, ResponseCode: http.StatusOK,
			ResponseHeaders: []*cdpfetch.HeaderEntry{{Name: "Content-Type", Value: "text/css"}},
		})
		return
	}
	r, err := v.get(tab, e)
	if err != nil {
		// With "Aborted" a page that tries to go to another URL stays where it is.
		_, _ = chromedp.Call(tab, cdpfetch.FailRequest, cdpfetch.FailRequestParams{RequestID: e.RequestID, ErrorReason: network.ErrorReasonAborted})
		return
	}
	_, _ = chromedp.Call(tab, cdpfetch.FulfillRequest, fulfil(e.RequestID, r, dataHeaders))
}

func (v *visit) count(n int) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.open += n
	v.last = time.Now()
}

// start reports true once.
func (v *visit) start() bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	first := !v.started
	v.started = true
	return first
}

var (
	errRefused = errors.New("not asked for while rendering")
	errTooMany = errors.New("the page asks for too much")
)

// get makes a request of a script.
func (v *visit) get(ctx context.Context, e *cdpfetch.EventRequestPaused) (*fetch.Response, error) {
	switch e.ResourceType {
	case network.ResourceTypeScript, network.ResourceTypeXHR, network.ResourceTypeFetch:
	default:
		return nil, errRefused // pictures, fonts, frames, sockets; and the page going elsewhere
	}
	if accept, _ := e.Request.Headers["Accept"].(string); e.Request.Method != http.MethodGet || accept == "text/event-stream" {
		return nil, errRefused
	}
	u, err := weburl.Parse(e.Request.URL)
	if err != nil {
		return nil, err
	}
	for hop := 0; ; hop++ {
		r, err := v.fetch(ctx, u, e.ResourceType == network.ResourceTypeScript)
		if err != nil || r.Location() == "" || hop == maxHops {
			return r, err
		}
		if u, err = u.Parse(r.Location()); err != nil {
			return nil, err
		}
	}
}

// fetch makes one request, when its host has rested; a script may be known.
func (v *visit) fetch(ctx context.Context, u weburl.URL, script bool) (*fetch.Response, error) {
	if u.Origin() == v.r.URL.Origin() && v.m.May != nil && !v.m.May(u) {
		return nil, errRefused
	}
	// What a page may read of another site is what anybody may: that site's answer to a
	// request without credentials. A script that was fetched with them is its own site's.
	name := u.String()
	if u.Origin() == v.r.URL.Origin() {
		name = "own " + name
	} else {
		ctx = fetch.Bare(ctx)
	}
	if r := v.b.kept.get(name); script && r != nil {
		return r, nil
	}
	v.mu.Lock()
	v.asked++
	over := v.asked > v.b.o.MaxRequests
	v.mu.Unlock()
	if over {
		return nil, errTooMany
	}
	leave, err := v.b.pace.enter(ctx, u.Host(), v.m.Pause)
	if err != nil {
		return nil, err
	}
	r, err := v.b.o.Fetch(ctx, u)
	leave()
	if err != nil {
		return nil, err
	}
	if script && r.Status == http.StatusOK && !r.Truncated {
		v.b.kept.put(name, r)
	}
	return r, nil
}

// pageHeaders reports whether a tab is shown this header of the page itself: its type, its
// language, and which scripts it allows.
func pageHeaders(name string) bool {
	return name == "Content-Type" || name == "Content-Security-Policy" || name == "Content-Language"
}

// dataHeaders reports whether a tab is shown this header of a script or of data: all but cookies,
// who may read it (see fulfil), and the encoding and length of the body on the wire.
func dataHeaders(name string) bool {
	return name != "Content-Encoding" && name != "Content-Length" && name != "Transfer-Encoding" &&
		name != "Set-Cookie" && !strings.HasPrefix(name, "Access-Control-")
}

// fulfil is the answer to a request. Any origin may read it: the tab has no cookies and no
// secrets that another site could learn.
func fulfil(id cdpfetch.RequestID, r *fetch.Response, shown func(name string) bool) cdpfetch.FulfillRequestParams {
	h := []*cdpfetch.HeaderEntry{{Name: "Access-Control-Allow-Origin", Value: "*"}}
	for name, values := range r.Header {
		for _, value := range values {
			if shown(name) {
				h = append(h, &cdpfetch.HeaderEntry{Name: name, Value: value})
			}
		}
	}
	if r.Header.Get("Content-Type") == "" && r.ContentType != "" {
		h = append(h, &cdpfetch.HeaderEntry{Name: "Content-Type", Value: r.ContentType})
	}
	return cdpfetch.FulfillRequestParams{RequestID: id, ResponseCode: int64(r.Status), ResponseHeaders: h, Body: r.Body}
}
