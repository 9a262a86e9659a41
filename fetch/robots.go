package fetch

import (
	"bytes"
	"context"
	"errors"
	"time"

	"gatecrawl.example/gatecrawl/fetch/robots"
	"gatecrawl.example/gatecrawl/frontier/weburl"
)

// robotsHops is how many redirects of a robots.txt are followed (RFC 9309, section 2.3.1.2).
const robotsHops = 5

// Robots fetches the robots.txt of a site (scheme://host) and follows up to five redirects, to
// other hosts too. A failure is an answer as well, see robots.File.Rules, with one exception: when
// ctx ends, the zero robots.File is returned, which says nothing.
func (f *Fetcher) Robots(ctx context.Context, origin string) robots.File {
	return f.RobotsBy(ctx, origin, func(*Response) {})
}

// RobotsBy is Robots, and calls answered with every answer on the way, redirects too.
func (f *Fetcher) RobotsBy(ctx context.Context, origin string, answered func(*Response)) robots.File {
	file := robots.File{Origin: origin, Fetched: time.Now()} // not UTC, which has no monotonic reading
	u, err := weburl.Parse(origin + "/robots.txt")
	if err != nil {
		file.Failure = err.Error()
		return file
	}
	for hop := 0; ; hop++ {
		j, err := f.fetch(ctx, u, limits{f.o.MaxRobots, f.o.MaxRobots}, Validators{})
		if ctx.Err() != nil {
			return robots.File{}
		}
		if err == nil && j.broken {
			// The missing part may have the rule that matters.
			err = errors.New("robots.txt broke off")
		}
		if err != nil {
			robotsFailed(&file, err)
			return file
		}
		r := j.answer
		answered(r)
		file.Status = r.Status
		if hop == 0 {
			file.Addr = r.Addr
		}
		to := r.Location()
		if to == "" || hop == robotsHops {
			robotsAnswered(&file, r, j.cut)
			return file
		}
		if u, err = u.Parse(to); err != nil {
			robotsAnswered(&file, r, j.cut)
			return file
		}
	}
}

// robotsFailed records why there is no answer.
func robotsFailed(f *robots.File, err error) {
	f.Status, f.Failure = 0, err.Error()
	var fault *Error
	if errors.As(err, &fault) {
		f.Phase, f.Failure, f.Final = string(fault.Op), fault.Reason(), !fault.Retry
	}
}

// robotsAnswered records the last answer. If the limit cut the body, its last line is dropped,
// since the start of a line may mean something else.
func robotsAnswered(f *robots.File, r *Response, cut bool) {
	if f.Failed() {
		f.Wait, _ = RetryAfter(r.Header, f.Fetched)
	}
	if f.Status < 200 || f.Status > 299 {
		return
	}
	f.Body = r.Body
	if cut {
		f.Body = f.Body[:bytes.LastIndexAny(f.Body, "\r\n")+1]
	}
}
