package control

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	"gatecrawl.example/gatecrawl"
	"gatecrawl.example/gatecrawl/page"
)

// A Listed says what became of a URL that a user has given.
type Listed struct {
	URL     string       `json:"url"`               // canonical
	Verdict page.Verdict `json:"verdict,omitempty"` // of the final URL; "": there is none yet
	State   string       `json:"state"`             // done, queued, leased, later, refused; unknown: the job never met it
	Status  int          `json:"status,omitempty"`  // HTTP status of the final URL
	Final   string       `json:"final,omitempty"`   // where redirects end; "": there were none
	Reason  string       `json:"reason,omitempty"`  // of a verdict other than new
	Of      string       `json:"of,omitempty"`      // for a copy: the kept page
}

// maxFollowed bounds the redirects that are followed for a Listed.
const maxFollowed = 20

// answerList answers for URLs, one a line, in the order of the question.
func answerList(ctx context.Context, in gatecrawl.RecordReader, q Question, enc *json.Encoder) error {
	for url := range strings.Lines(q.URL) {
		l, err := listed(ctx, in, strings.TrimSuffix(url, "\n"))
		if err := put(enc, l, err); err != nil {
			return err
		}
	}
	return nil
}

func listed(ctx context.Context, in gatecrawl.RecordReader, url string) (Listed, error) {
	l := Listed{URL: url}
	at := url
	for range maxFollowed {
		w, err := in.Why(ctx, at)
		switch {
		case errors.Is(err, gatecrawl.ErrUnknown) && at == url:
			l.State, l.Reason = "unknown", err.Error()
			return l, nil
		case errors.Is(err, gatecrawl.ErrUnknown):
			return l, nil // a redirect that the crawl did not follow
		case err != nil:
			return l, err
		}
		if at != url {
			l.Final = at
		}
		l.State, l.Verdict, l.Status, l.Reason, l.Of = w.State, "", 0, "", ""
		if w.State == "refused" {
			l.Verdict, l.Reason = page.VerdictRefused, w.Rule+": "+w.Detail
		}
		p := w.Page
		if p == nil {
			return l, nil
		}
		l.Verdict, l.Status, l.Reason, l.Of = p.Verdict, p.Status, p.Reason, p.Of
		if p.Location == "" || p.Location == at {
			return l, nil
		}
		at = p.Location
	}
	return l, nil
}
