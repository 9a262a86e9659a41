package control

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"gatecrawl.example/gatecrawl"
	"gatecrawl.example/gatecrawl/fold"
	"gatecrawl.example/gatecrawl/limit"
)

// A FoldRequest is a list of search results to fold, see package fold.
type FoldRequest struct {
	Results  []fold.Result `json:"results"`
	Snippets bool          `json:"snippets,omitempty"` // use the abstracts of the job's pages where the list has no snippet
	fold.Options
}

// foldRequest decodes the list of a question, which is a FoldRequest or URLs, one a line.
func foldRequest(q Question) (r FoldRequest, err error) {
	if q.Page == "" && strings.TrimSpace(q.URL) != "" {
		for line := range strings.Lines(q.URL) {
			if line = strings.TrimSpace(line); line != "" {
				r.Results = append(r.Results, fold.Result{URL: line})
			}
		}
		return r, nil
	}
	const want = "each with url, title, snippet and score"
	if err := ReadJSON(strings.NewReader(q.Page), &r); err != nil {
		return r, fmt.Errorf("want one JSON object with results (%s), threshold, weight and snippets: %w", want, err)
	}
	if r.Results == nil { // an empty list is one without repeats
		return r, fmt.Errorf("results is missing: want the list of results, %s", want)
	}
	return r, nil
}

// The sizes of a describer's caches, and how long they are good.
const (
	mostDescribed  = 1 << 16     // URLs, and also snippets, of some 500 bytes each
	describedAgain = time.Minute // after this a crawl that works on the job may know more about a URL
)

// A describer caches for a while what a job knows about URLs, and folds lists of them.
type describer struct {
	groups func([]fold.Result, fold.Options) ([]fold.Group, error)
	still  bool // no crawl works on the job

	mu       sync.Mutex
	briefs   map[string]brief  // by URL; nil if only a single list is folded, see newOnce
	snippets map[uint64]string // abstracts by the place of the kept page, whose text does not change
}

// A brief is what a job knows about a URL.
type brief struct {
	gatecrawl.Brief
	until expiry
}

// An expiry is the time until which something is valid; zero: for ever.
type expiry time.Time

func (e expiry) past() bool { return !time.Time(e).IsZero() && time.Now().After(time.Time(e)) }

// until returns how long an answer of the job is valid from now on: for ever if no crawl works on
// it.
func (d *describer) until() expiry {
	if d.still {
		return expiry{}
	}
	return expiry(time.Now().Add(describedAgain))
}

func newDescriber(still bool) *describer {
	d := newOnce(still)
	d.groups, d.briefs = fold.New().List, make(map[string]brief)
	return d
}

// newOnce returns a describer for a single list, which does not need the cache of URLs.
func newOnce(still bool) *describer {
	return &describer{groups: fold.List, still: still, snippets: make(map[uint64]string)}
}

// answerFold answers with the groups of a list. Where the list does not say it, the job adds to
// each result its title, the page that it is a copy of, on how many other domains there are copies,
// the sketch of its text, and, if the request asks for it, the abstract as a snippet.
func (d *describer) answerFold(ctx context.Context, in gatecrawl.RecordReader, q Question, enc *json.Encoder) error {
	r, err := foldRequest(q)
	if err != nil {
		return badRequest{err}
	}
	return d.fold(ctx, in, r, func(g fold.Group) error { return enc.Encode(g) })
}

// fold calls show with the groups of a list.
func (d *describer) fold(ctx context.Context, in gatecrawl.RecordReader, r FoldRequest, show func(fold.Group) error) error {
	if err := d.describe(ctx, in, &r); err != nil {
		return err
	}
	return d.list(r, show)
}

// list calls show with the groups of a list that describe has completed.
func (d *describer) list(r FoldRequest, show func(fold.Group) error) error {
	groups, err := d.groups(r.Results, r.Options)
	if err != nil {
		return badRequest{err}
	}
	for _, g := range groups {
		if r.Snippets {
			g.Result = summed(g.Result)
			g.Folded = slices.Clone(g.Folded) // the folder caches them
			for i := range g.Folded {
				g.Folded[i].Result = summed(g.Folded[i].Result)
			}
		}
		if err := show(g); err != nil {
			return err
		}
	}
	return nil
}

// summed returns a result with its page's abstract if the list has no snippet.
func summed(r fold.Result) fold.Result {
	if r.Text != nil {
		r.Snippet = cmp.Or(r.Snippet, r.Text.Abstract)
	}
	return r
}

// leastTokens is how many words a body must have for its sketch to be compared. With fewer words,
// the 128 values come from only a few of them, and pages that have only a heading would be taken
// for one.
const leastTokens = 20

// describe adds what the job knows about the results. Pages of the job are compared with each other
// by their sketches from the index. Abstracts are made from the texts, which costs many times as
// much, and are used only if the reader asks for them, or to compare pages of the job with other
// results.
func (d *describer) describe(ctx context.Context, in gatecrawl.RecordReader, list *FoldRequest) error {
	if len(list.Results) > fold.DefaultMaxResults {
		return badRequest{fmt.Errorf("%d results: want at most %d", len(list.Results), fold.DefaultMaxResults)}
	}
	briefs, err := d.know(ctx, in, list.Results)
	if err != nil {
		return err
	}
	sum := list.Snippets
	for i := range list.Results {
		r, b := &list.Results[i], &briefs[i]
		r.Title, r.Of, r.Degree = cmp.Or(r.Title, b.Title), cmp.Or(r.Of, b.Of), max(r.Degree, b.Degree)
		if b.Kept == 0 {
			sum = sum || r.Snippet != ""
			continue
		}
		r.Text = new(fold.Text)
		if b.Tokens >= leastTokens {
			r.Text.Sketch = b.Sketch
		}
	}
	if !sum {
		return nil
	}
	var g errgroup.Group
	g.SetLimit(runtime.GOMAXPROCS(0))
	for i := range list.Results {
		r, b := &list.Results[i], &briefs[i]
		if r.Snippet != "" || r.Text == nil {
			continue
		}
		if text, ok := d.remembered(b.Kept); ok {
			r.Text.Abstract = text
			continue
		}
		g.Go(func() (err error) {
			r.Text.Abstract, err = d.abstract(ctx, in, cmp.Or(b.Of, r.URL), b.Kept)
			return err
		})
	}
	return g.Wait()
}

// know returns what the job knows about the results. Of those that it has not met it returns
// nothing; they are folded by what the list says.
func (d *describer) know(ctx context.Context, in gatecrawl.RecordReader, results []fold.Result) ([]gatecrawl.Brief, error) {
	briefs := make([]gatecrawl.Brief, len(results))
	var urls []string
	var places []int
	d.mu.Lock()
	for i := range results {
		url := results[i].URL
		if b, ok := d.briefs[url]; ok && !b.until.past() {
			briefs[i] = b.Brief
			continue
		}
		urls, places = append(urls, url), append(places, i)
	}
	d.mu.Unlock()
	if len(urls) == 0 {
		return briefs, nil
	}
	found, err := in.Briefs(ctx, urls)
	if err != nil {
		return nil, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	for n, b := range found {
		briefs[places[n]] = b
		if d.briefs == nil {
			continue
		}
		limit.Put(d.briefs, mostDescribed, urls[n], brief{b, d.until()})
	}
	return briefs, nil
}

func (d *describer) remembered(kept uint64) (text string, ok bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	text, ok = d.snippets[kept]
	return text, ok
}

func (d *describer) remember(kept uint64, text string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	limit.Put(d.snippets, mostDescribed, kept, text)
}

// abstract returns the abstract of a kept page, from the cache if possible; "" if its text is not
// kept.
func (d *describer) abstract(ctx context.Context, in gatecrawl.RecordReader, url string, kept uint64) (string, error) {
	text := ""
	switch view, err := in.View(ctx, url); {
	case err == nil:
		text = view.Abstract
	case !errors.Is(err, gatecrawl.ErrUnknown):
		return "", fmt.Errorf("%s: %w", url, err)
	}
	d.remember(kept, text)
	return text, nil
}
