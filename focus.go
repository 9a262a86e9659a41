package gatecrawl

import (
	"context"
	"fmt"

	"gatecrawl.example/gatecrawl/frontier"
	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/priority/focus"
	"gatecrawl.example/gatecrawl/purify"
)

// DocOf returns what a page is judged by in a focused crawl.
func DocOf(url string, view *purify.DocView) focus.Doc {
	d := focus.Doc{URL: url, Title: view.Title, Body: view.Body, Lang: view.Lang, Keywords: make([]string, len(view.Keywords))}
	for i, k := range view.Keywords {
		d.Keywords[i] = k.Word
	}
	return d
}

// rate says how relevant a page is.
func (c *Crawler) rate(v *visit, view *purify.DocView) {
	if c.judge == nil {
		return
	}
	r := c.judge.Rate(DocOf(v.Page.URL, view))
	v.rating, v.Page.Relevance = &r, float32(r.Relevance)
}

// leastDecay is the share of its worth (focus.Judge.Decay) below which a link is no longer used
// as evidence, neither about the page that has it nor about the page that it leads to.
const leastDecay = .25

// rateLink says how relevant what a link leads to may be. A page counts once for each URL, however
// often it links there.
func (c *Crawler) rateLink(v *visit, cand *frontier.Candidate, l *purify.Link, rated map[weburl.URL]bool) {
	s := &cand.Signals
	text := ""
	if l != nil {
		text = l.Text
	}
	decay := float32(c.judge.Decay(cand.URL.Host(), cand.Anchor))
	s.Anchor = decay * float32(c.judge.Link(text, cand.URL.Path()))
	if !rated[cand.URL] {
		rated[cand.URL] = true
		s.Relevance = decay * v.Page.Relevance
		if decay >= leastDecay {
			s.Links, s.Sum = 1, s.Relevance // and what else the page led to counts
		}
	}
}

// checkTopic keeps a page off the topic out, where only what is on it is kept. Its links are
// followed.
func (c *Crawler) checkTopic(_ context.Context, v *visit) (next, error) {
	if !c.o.FocusKeep || v.rating == nil || v.rating.Relevance >= c.o.OnTopic {
		return goOn, nil
	}
	p := &v.Page
	p.Verdict, p.Rule = page.VerdictRefused, ruleTopic
	p.Reason = fmt.Sprintf("off the topic: relevance %.2f, below %.2f (focus-threshold)", v.rating.Relevance, c.o.OnTopic)
	v.Sign, v.Text, v.Prints, v.Own = nil, nil, nil, nil
	return decided, nil
}

// learn takes in what a settled visit says of the topic, and ends the crawl where enough of it
// was met.
func (c *Crawler) learn(v *visit, rec *page.Record) {
	if c.judge == nil || v.Retry > 0 || rec.Seq == 0 {
		return
	}
	host := v.Lease.URL.Host()
	decay := c.judge.Decay(host, v.Lease.Anchor)
	c.judge.Followed(host, v.Lease.Anchor)
	// Only pages that were read and are not copies: a page with mirrors is one example, and a
	// calendar's days are a few.
	if v.rating != nil && decay >= leastDecay && rec.Replaces == 0 && (rec.Verdict == page.VerdictNew || rec.Rule == ruleTopic) {
		if c.judge.Learn(*v.rating, rec.Seq, rec.Depth == 0) {
			if a := c.judge.About(); a.TooFew {
				c.log.Info("too few examples of the topic for a model", "tried again at pages", a.Next)
			} else {
				c.log.Info("topic model fitted", "model", a.Model, "examples", a.For, "against", a.Against, "next", a.Next)
			}
		}
		if c.learned != nil {
			c.learned(v.rating.Doc())
		}
	}
	if c.o.StopTail == 0 && c.o.StopAfterRelevant == 0 {
		return
	}
	h := c.store.Totals().Harvest
	switch {
	case h == nil || c.topicEnds == nil:
	case c.enoughRelevant(h):
		c.topicEnds(TopicLimit)
	case c.o.StopTail > 0 && h.Tail(c.o.StopTail):
		c.topicEnds(TopicTail)
	}
}

// enoughRelevant reports whether the job has as many pages on the topic as it may.
func (c *Crawler) enoughRelevant(h *page.Harvest) bool {
	return h != nil && c.o.StopAfterRelevant > 0 && h.OnTopic >= c.o.StopAfterRelevant
}

// ruleTopic is page.Record.Rule of pages off the topic.
const ruleTopic = "topic"

// Learned registers a function that is called with each page that the judge has learned, by
// the worker that visited it. Call it before Run.
func (c *Crawler) Learned(f func(focus.Doc)) { c.learned = f }
