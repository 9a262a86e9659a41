package control

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

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
		return r, fmt.Errorf("the results: %w", err)
	}
	return r, nil
}

// answerFold answers with the groups of a list. What the job knows of a result's URL is put
// in where the list does not say it: title, the abstract for a snippet, the page that it is a
// copy of, and on how many other domains there are copies.
func answerFold(ctx context.Context, in gatecrawl.Inspector, folder *fold.Folder, q Question, enc *json.Encoder) error {
	r, err := foldRequest(q)
	if err != nil {
		return badRequest{err}
	}
	if len(r.Results) > fold.DefaultMaxResults {
		return badRequest{fmt.Errorf("%d results: want at most %d", len(r.Results), fold.DefaultMaxResults)}
	}
	for i := range r.Results {
		if err := describe(ctx, in, &r.Results[i]); err != nil {
			return err
		}
	}
	groups, err := folder.List(r.Results, r.Options)
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
func describe(ctx context.Context, in gatecrawl.Inspector, r *fold.Result) error {
	why, err := in.Why(ctx, r.URL)
	var noURL *weburl.ParseError
	if errors.Is(err, gatecrawl.ErrUnknown) || errors.As(err, &noURL) {
		return nil // it is folded by what the list says
	}
	if err != nil {
		return fmt.Errorf("%s: %w", r.URL, err)
	}
	kept := r.URL
	if why.Kept != nil {
		kept = why.Kept.URL
		if r.Of == "" {
			r.Of = kept
		}
		if of, err := in.Why(ctx, kept); err == nil {
			why.Degree = of.Degree
		}
	}
	r.Degree = max(r.Degree, why.Degree)
	if why.Page != nil && r.Title == "" {
		r.Title = why.Page.Title
	}
	if r.Snippet == "" {
		view, err := in.View(ctx, kept)
		switch {
		case errors.Is(err, gatecrawl.ErrUnknown):
		case err != nil:
			return fmt.Errorf("%s: %w", kept, err)
		default:
			r.Snippet = view.Abstract
		}
	}
	return nil
}
