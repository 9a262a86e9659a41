package page_test

import (
	"math/rand/v2"
	"testing"

	"gatecrawl.example/gatecrawl/page"
)

// Pages off a topic have some of its words. A crawl is past its topic when it meets them alone, and not before,
// however high they rate.
func TestTheTailOfATopicIsToldFromPagesOffIt(t *testing.T) {
	rng := rand.New(rand.NewPCG(15, 4))
	for _, off := range []float64{0, .12, .25} { // mean relevance of what is off the topic
		var h page.Harvest
		var r page.Recent
		add := func(n int, share float64) {
			for range n {
				x := off * (.5 + rng.Float64())
				if rng.Float64() < share {
					x = .7 + .3*rng.Float64()
				}
				h.Add(&r, x, .5)
			}
		}
		add(300, .3)
		if h.Tail(.2) {
			t.Errorf("off the topic %.2f: the tail while three pages in ten are on it: %+v", off, h)
		}
		add(150, .01)
		if !h.Tail(.2) {
			t.Errorf("off the topic %.2f: no tail where one page in a hundred is on it, after three in ten: %+v", off, h)
		}
	}
}

// A crawl that has met nothing of its topic yet is not past it.
func TestATopicThatWasNeverMetHasNoTail(t *testing.T) {
	var h page.Harvest
	var r page.Recent
	for range 400 {
		h.Add(&r, .25, .5)
	}
	if h.Tail(.2) {
		t.Errorf("the tail of a topic that was not met: %+v", h)
	}
}

// The ring has relevances in steps of 1/255. Among the first hundred answers as many are on the topic as in all.
func TestAnAnswerIsOnTheTopicInTheLastHundredIfItIsInAll(t *testing.T) {
	for _, onTopic := range []float64{.001, .3, .5, .7, 1} {
		var h page.Harvest
		var r page.Recent
		for i := range 100 {
			h.Add(&r, max(0, onTopic+float64(i-50)/10000), onTopic)
		}
		if got, want := h.Last, h.Share(); got != want {
			t.Errorf("threshold %g: %g of the last 100 answers on the topic, %g of all 100", onTopic, got, want)
		}
	}
}
