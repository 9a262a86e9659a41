package gatecrawl

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"gatecrawl.example/gatecrawl/frontier"
	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/priority/focus"
	"gatecrawl.example/gatecrawl/purify"
)

// DocOf returns the parts of a page that its relevance is judged by in a focused crawl.
func DocOf(url string, view *purify.DocView) focus.Doc {
	d := focus.Doc{URL: url, Title: view.Title, Body: view.Body, Lang: view.Lang, Keywords: make([]string, len(view.Keywords))}
	for i, k := range view.Keywords {
		d.Keywords[i] = k.Word
	}
	return d
}

// rate sets the relevance of a page.
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

// rateLink estimates how relevant the target of a link is. A page counts once for each URL, even if
// it links there more than once.
func (c *Crawler) rateLink(v *visit, cand *frontier.Candidate, l *purify.Link, rated map[weburl.URL]bool) {
	s := &cand.Signals
	if isMedia(cand.URL.Path()) {
		return // whatever its link says, no text will be read there
	}
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
			s.Links, s.Sum = 1, s.Relevance // count the page as evidence for the target
		}
	}
}

// mediaTypes are extensions of pictures, sounds and films.
var mediaTypes = []string{"jpg", "jpeg", "png", "gif", "svg", "webp", "avif", "bmp", "tif", "tiff", "ico", "mp3", "ogg", "oga", "wav", "flac", "mp4", "webm", "ogv", "avi", "mov", "mkv"}

// isMedia reports whether a path is that of a picture, a sound or a film, by its extension. "/wiki/File:Heron.jpg" is a wiki's page
// about a picture.
func isMedia(path string) bool {
	name := path[strings.LastIndexByte(path, '/')+1:]
	dot := strings.LastIndexByte(name, '.')
	return dot > 0 && !strings.Contains(name, ":") && slices.Contains(mediaTypes, strings.ToLower(name[dot+1:]))
}

// checkTopic refuses a page that is off the topic if Options.FocusKeep is on. Its links are
// followed.
func (c *Crawler) checkTopic(_ context.Context, v *visit) (next, error) {
	if !c.o.FocusKeep || v.rating == nil || v.rating.Relevance >= c.o.OnTopic {
		return goOn, nil
	}
	p := &v.Page
	p.Verdict, p.Rule = page.VerdictRefused, ruleTopic
	relevance, least := apart(v.rating.Relevance, c.o.OnTopic)
	p.Reason = fmt.Sprintf("off the topic: relevance %s, below %s (focus-threshold)", relevance, least)
	v.dropDocument()
	return decided, nil
}

// apart formats two different numbers with two digits after the point, or as many as tell them apart.
func apart(a, b float64) (string, string) {
	for digits := 2; ; digits++ {
		x, y := strconv.FormatFloat(a, 'f', digits, 64), strconv.FormatFloat(b, 'f', digits, 64)
		if x != y || digits == 17 {
			return x, y
		}
	}
}

// wasHeld reports whether the visit is of a page that was off the topic, and was asked for again because it is not by what is known now.
func (v *visit) wasHeld() bool { return v.Lease.Again && v.before == 0 }

// askHeld visits pages again that were refused as off the topic by what was known of it then, and are on the topic by what
// is known now. Options.MaxPages does not count these visits, nor are pages asked for a second time that are refused again.
func (c *Crawler) askHeld(running, work context.Context) error {
	if c.judge == nil || !c.o.FocusKeep {
		return nil
	}
	var urls []weburl.URL
	for _, name := range c.judge.Released(c.o.OnTopic) {
		u, err := weburl.Parse(name)
		if err != nil {
			return err
		}
		urls = append(urls, u)
	}
	n, err := c.store.AskAgain(work, urls)
	if err != nil || n == 0 {
		return err
	}
	c.tally.released(n)
	return c.visitAgain(running, work)
}

// rerate gives all kept pages the relevance that they have by what is known of the topic now. What ctx does not leave time
// for is left to the next run.
func (c *Crawler) rerate(ctx context.Context) error {
	if c.judge == nil {
		return nil
	}
	return c.store.Rerate(ctx, c.judge.Fingerprint(), c.o.FocusKeep, func(url string, view *purify.DocView) float32 {
		return float32(c.judge.Rate(DocOf(url, view)).Relevance)
	})
}

// learn updates the topic model with a settled visit, and ends the crawl when a topic limit is
// reached.
func (c *Crawler) learn(v *visit, rec *page.Record) {
	if c.judge == nil || v.Retry > 0 || rec.Seq == 0 || c.o.FocusKeep && v.wasHeld() { // the last was learned when it was refused
		return
	}
	if c.o.FocusKeep && v.rating != nil && rec.Rule == ruleTopic {
		c.judge.Hold(*v.rating)
	}
	host := v.Lease.URL.Host()
	decay := c.judge.Decay(host, v.Lease.Anchor)
	c.judge.Followed(host, v.Lease.Anchor, rec.Verdict == page.VerdictCopy)
	// Learn only from pages that were read and are not copies: a page with mirrors is one example.
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

// enoughRelevant reports whether Options.StopAfterRelevant is reached.
func (c *Crawler) enoughRelevant(h *page.Harvest) bool {
	return h != nil && c.o.StopAfterRelevant > 0 && h.OnTopic >= c.o.StopAfterRelevant
}

// ruleTopic is page.Record.Rule of pages off the topic.
const ruleTopic = "topic"

// Learned registers a function that is called with each page that the judge has learned, by
// the worker that visited it. Call it before Run.
func (c *Crawler) Learned(f func(focus.Doc)) { c.learned = f }
