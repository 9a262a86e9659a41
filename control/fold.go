package control

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"gatecrawl.example/gatecrawl"
	"gatecrawl.example/gatecrawl/fold"
	"gatecrawl.example/gatecrawl/frontier/weburl"
)

// A FoldRequest is a list of search results that is to be rid of its repeats.
type FoldRequest struct {
	Results []fold.Result `json:"results"`
	fold.Options
}

// foldRequest reads what is asked: a list, or URLs, one a line.
func foldRequest(q Question) (r FoldRequest, err error) {
	if q.Page == "" {
		for line := range strings.Lines(q.URL) {
			if line = strings.TrimSpace(line); line != "" {
				r.Results = append(r.Results, fold.Result{URL: line})
			}
		}
		return r, nil
	}
	dec := json.NewDecoder(strings.NewReader(q.Page))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&r); err != nil {
		return r, fmt.Errorf("want one JSON object with results (each with url, title, snippet, score), threshold and weight: %w", err)
	}
	return r, nil
}

// How much of a job is remembered for lists.
const (
	mostDescribed  = 1 << 16     // URLs, of some 500 bytes
	describedAgain = time.Minute // a crawl that works on the job learns more of them
)

// A describer remembers for a while what a job knows of URLs, and folds lists of them.
type describer struct {
	folder *fold.Folder

	mu    sync.Mutex
	known map[asked]described
}

// An asked is a URL of which something is to be known.
type asked struct {
	url     string
	snippet bool // its abstract too
}

// A described is what a job knows of a URL.
type described struct {
	title, snippet, of string
	degree             int
	until              time.Time
}

func newDescriber() *describer {
	return &describer{folder: fold.New(), known: make(map[asked]described)}
}

// answerFold answers with the groups of a list. What the job knows of a result's URL is put
// in where the list does not say it: title, the abstract for a snippet, the page that it is a
// copy of, and on how many other domains there are copies.
func (d *describer) answerFold(ctx context.Context, in gatecrawl.RecordReader, q Question, enc *json.Encoder) error {
	r, err := foldRequest(q)
	if err != nil {
		return badRequest{err}
	}
	if len(r.Results) > fold.DefaultMaxResults {
		return badRequest{fmt.Errorf("%d results: want at most %d", len(r.Results), fold.DefaultMaxResults)}
	}
	for i := range r.Results {
		if err := d.describe(ctx, in, &r.Results[i]); err != nil {
			return err
		}
	}
	groups, err := d.folder.List(r.Results, r.Options)
	if err != nil {
		return badRequest{err}
	}
	for _, g := range groups {
		if err := enc.Encode(g); err != nil {
			return err
		}
	}
	return nil
}

// describe puts in what the job knows of a result.
func (d *describer) describe(ctx context.Context, in gatecrawl.RecordReader, r *fold.Result) error {
	k, now := asked{r.URL, r.Snippet == ""}, time.Now()
	d.mu.Lock()
	known, ok := d.known[k]
	d.mu.Unlock()
	if !ok || now.After(known.until) {
		var err error
		if known, err = look(ctx, in, k); err != nil {
			return err
		}
		known.until = now.Add(describedAgain)
		d.mu.Lock()
		if len(d.known) >= mostDescribed {
			clear(d.known)
		}
		d.known[k] = known
		d.mu.Unlock()
	}
	r.Title, r.Snippet, r.Of = cmp.Or(r.Title, known.title), cmp.Or(r.Snippet, known.snippet), cmp.Or(r.Of, known.of)
	r.Degree = max(r.Degree, known.degree)
	return nil
}

// look returns what the job knows of a URL; nothing, if it has not met it.
func look(ctx context.Context, in gatecrawl.RecordReader, k asked) (d described, err error) {
	why, err := in.Why(ctx, k.url)
	var noURL *weburl.ParseError
	if errors.Is(err, gatecrawl.ErrUnknown) || errors.As(err, &noURL) {
		return d, nil // it is folded by what the list says
	}
	if err != nil {
		return d, fmt.Errorf("%s: %w", k.url, err)
	}
	kept := k.url
	if d.degree = why.Degree; why.Kept != nil {
		kept = why.Kept.URL
		d.of = kept
		if of, err := in.Why(ctx, kept); err == nil {
			d.degree = of.Degree
		}
	}
	if why.Page != nil {
		d.title = why.Page.Title
	}
	if !k.snippet {
		return d, nil
	}
	view, err := in.View(ctx, kept)
	switch {
	case errors.Is(err, gatecrawl.ErrUnknown):
		return d, nil
	case err != nil:
		return d, fmt.Errorf("%s: %w", kept, err)
	}
	d.snippet = view.Abstract
	return d, nil
}
