package linkrot

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"gatecrawl.example/gatecrawl/dedup"
	"gatecrawl.example/gatecrawl/fetch"
	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/purify"
)

// maxTried bounds how many candidates are asked for one lost page, besides its own URL and
// the targets of its redirects.
const maxTried = 10

// A Found is the answer on one lost page.
type Found struct {
	URL        string  `json:"url"`
	Alive      string  `json:"alive"`         // the URL of a living copy; "": there is none
	How        string  `json:"how,omitempty"` // one of HowItself and the like
	Why        string  `json:"why,omitempty"` // in words
	Distance   int     `json:"distance"`      // bits in which the SimHashes differ, 0 to 64; -1: not known
	Similarity float64 `json:"similarity"`    // estimated, 0 to 1

	// ComparedWith is the URL of the kept page whose text was compared, if the lost page was a near copy of it, and Resembled how much
	// of their texts was the same, 0 to 1. "": the lost page itself was compared.
	ComparedWith string  `json:"compared_with,omitempty"`
	Resembled    float64 `json:"resembled,omitempty"`

	// Altered is the share of the lost page's own lines that an altered page still has, 0 to 1: it has the place and the title of the lost
	// page, but no more than this of its text. 0: the answer is no such page.
	Altered float64 `json:"altered,omitempty"`

	Tried []string `json:"tried,omitempty"` // what was asked for without success, and why it is not the answer
}

// Search looks for a live copy of a lost page: at its own URL, where that redirects to, and at
// up to ten of its candidates in their order. The answer is the first one whose page is what is
// known of the lost one, or that with edits. Only the context's error is returned.
func Search(ctx context.Context, c *fetch.Client, lost *Lost) (Found, error) {
	s := search{client: c, lost: lost, tried: make(map[string]bool), found: Found{URL: lost.URL}}
	moved, ok := s.try(ctx, Candidate{URL: lost.URL, How: HowItself, Why: "it is at its URL", Digest: lost.Digest})
	for hops := 0; moved != "" && !ok && !s.tried[moved] && hops < maxTried; hops++ {
		moved, ok = s.try(ctx, Candidate{URL: moved, How: HowRedirect, Why: "its URL redirects there"})
	}
	for n, i := 0, 0; !ok && i < len(lost.Candidates) && n < maxTried && ctx.Err() == nil; i++ {
		c := lost.Candidates[i]
		if s.tried[c.URL] {
			continue
		}
		n++
		if moved, ok = s.try(ctx, c); !ok && moved != "" && !s.tried[moved] {
			_, ok = s.try(ctx, Candidate{URL: moved, How: c.How, Why: c.Why + ", and redirects"})
		}
	}
	if !ok && s.altered.Alive != "" {
		tried := slices.DeleteFunc(s.found.Tried, func(t string) bool { return t == s.altered.Tried[0] })
		s.found, s.found.Tried = s.altered, tried
		return s.found, ctx.Err()
	}
	if !ok {
		s.found.Distance, s.found.Similarity, s.found.ComparedWith, s.found.Resembled = -1, 0, "", 0
	}
	return s.found, ctx.Err()
}

// A search is one Search.
type search struct {
	client *fetch.Client
	lost   *Lost
	tried  map[string]bool // by URL
	found  Found

	altered Found // the best altered page that was met, and in Tried why it is not the page itself
}

// try asks for a candidate, and reports whether it is the answer. If it is not it returns where
// it redirects to, if it does.
func (s *search) try(ctx context.Context, c Candidate) (moved string, ok bool) {
	s.tried[c.URL] = true
	r, moved, why := s.get(ctx, c.URL)
	var view *purify.DocView
	if r != nil {
		view = purify.PurifyAt(r.URL.String(), r.Body, r.MediaType())
		moved = refreshedTo(r, view)
		if why = s.check(c, r, view); why == "" && (moved == "" || s.lost.Sign != nil) {
			s.found.Alive, s.found.How, s.found.Why = c.URL, c.How, c.Why
			return "", true
		}
		if moved != "" {
			why = "redirects to " + moved + " by a meta refresh"
		}
	}
	s.found.Tried = append(s.found.Tried, c.URL+": "+why)
	if r != nil && moved == "" {
		s.weigh(c, view)
	}
	return moved, false
}

// get fetches a page, or says why there is none and where its URL redirects to.
func (s *search) get(ctx context.Context, url string) (page *fetch.Response, moved, why string) {
	u, err := weburl.Parse(url)
	if err != nil {
		return nil, "", err.Error()
	}
	r, err := s.client.Get(ctx, u)
	var refused *fetch.RefusedError
	switch {
	case errors.As(err, &refused):
		return nil, "", refused.Reason()
	case err != nil:
		return nil, "", err.Error()
	case r.Location() != "":
		to, err := u.Parse(r.Location())
		if err != nil {
			return nil, "", fmt.Sprintf("redirects to %q, which is not a URL", r.Location())
		}
		return nil, to.String(), "redirects to " + to.String()
	case r.Status < 200 || r.Status > 299:
		return nil, "", fmt.Sprintf("http status %d", r.Status)
	}
	return r, "", ""
}

// refreshedTo returns where a page leads that is nothing but a redirect by a meta refresh; "" for other
// pages.
func refreshedTo(r *fetch.Response, view *purify.DocView) string {
	if !view.Moved {
		return ""
	}
	base, err := r.URL.Parse(view.Base)
	if err != nil {
		return ""
	}
	to, err := base.Parse(view.Refresh)
	if err != nil || to == r.URL {
		return ""
	}
	return to.String()
}

// check says why a page is not the answer; "": it is, and how far it is apart is noted.
func (s *search) check(c Candidate, r *fetch.Response, view *purify.DocView) string {
	digest := dedup.DigestOf(r.Body).String()
	s.found.ComparedWith, s.found.Resembled = "", 0
	if c.Digest != "" && c.Digest == digest && c.Digest == s.lost.Digest {
		s.found.Distance, s.found.Similarity = 0, 1
		return ""
	}
	if s.lost.Sign == nil {
		s.found.Distance = -1
		if c.How == HowRedirect {
			return ""
		}
		return "nothing is kept of the lost page to compare it with"
	}
	sign := dedup.Sign(r.Body, view)
	was, is := PrintOf(s.lost.Sign, s.lost.Title), PrintOf(&sign, view.Title)
	s.found.Distance, s.found.Similarity = was.Distance(is)
	if was.Survives(is, leads[c.How]) && (s.found.Similarity >= nearlyAll || !s.lost.hasNone(view)) {
		s.recall(c, digest)
		return ""
	}
	if was.resembles(is) && was.tooBrief(is, leads[c.How]) {
		return fmt.Sprintf("its text is nearly the same, but too short to tell it from another page: %d words and signs", min(was.Tokens, is.Tokens))
	}
	what := "another page"
	if view.Title != s.lost.Title {
		what += fmt.Sprintf(", %q", view.Title)
	}
	return fmt.Sprintf("%s: %d of 64 bits differ, %s", what, s.found.Distance, dedup.SameShare(s.found.Similarity))
}

// weigh keeps a page that is not the lost one as the answer in case of need, if it is that page with much of its text altered.
func (s *search) weigh(c Candidate, view *purify.DocView) {
	if lead := leads[c.How]; lead < SureLead && c.How != HowItself || !sameTitle(s.lost.Title, view.Title) {
		return
	}
	share := s.lost.shareOn(view)
	if of := s.lost.CopyOf; of != nil {
		share *= of.Similarity
	}
	if share < altered || share <= s.altered.Altered {
		return
	}
	last := s.found.Tried[len(s.found.Tried)-1]
	s.altered = s.found
	s.altered.Alive, s.altered.How, s.altered.Why = c.URL, c.How, c.Why
	s.altered.Altered, s.altered.Tried = share, []string{last}
	if of := s.lost.CopyOf; of != nil {
		s.altered.ComparedWith, s.altered.Resembled = of.URL, of.Similarity
	}
}

// recall notes what an answer was compared with, if the lost page was a near copy. If the answer is the page that the lost one
// was a copy of, with the bytes of that time, the figures of that time are those of the lost page itself.
func (s *search) recall(c Candidate, digest string) {
	switch of := s.lost.CopyOf; {
	case of == nil:
	case c.URL == of.URL && digest == of.Digest:
		s.found.Distance, s.found.Similarity = of.Distance, of.Similarity
	default:
		s.found.ComparedWith, s.found.Resembled = of.URL, of.Similarity
	}
}

// leads are what the ways are worth in which candidates were found.
var leads = map[string]Lead{
	HowGroup: CopyLead, HowMirror: CopyLead, HowRedirect: SureLead, HowMove: SureLead, HowName: SureLead,
	HowRelative: RelatedLead,
}
