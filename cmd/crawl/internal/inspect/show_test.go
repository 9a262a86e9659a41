package inspect

import (
	"strings"
	"testing"
	"time"

	"gatecrawl.example/gatecrawl"
	"gatecrawl.example/gatecrawl/dedup"
	"gatecrawl.example/gatecrawl/humanize"
	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/priority"
)

func TestTheStatusOfAPausedCrawlSaysSo(t *testing.T) {
	until := time.Now().Add(time.Hour)
	for want, s := range map[string]gatecrawl.Status{
		"news, running, 3 pages/s now": {Job: "news", Running: true, NowPerSec: 3},
		"news, paused: crawl resume":   {Job: "news", Running: true, Paused: true, NowPerSec: 3},
		"news, stopped: done":          {Job: "news", Stopped: "done"},
		"news, running, but fetches nothing in its quiet hours, until " + humanize.Moment(until): {Job: "news", Running: true, QuietUntil: &until},
	} {
		var b strings.Builder
		if err := showStatus(&b, s, nil); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(b.String(), want) {
			t.Errorf("%+v is shown without %q:\n%s", s, want, b.String())
		}
	}
}

func TestWhySaysHowManyCopiesItDoesNotShow(t *testing.T) {
	for more, want := range map[int]string{0: "votes: 2 copies, on 1 other domain;", 48: "votes: 50 copies, of which 2 are shown (crawl dups lists all), on 1 other domain;"} {
		var b strings.Builder
		whyVotes(&b, gatecrawl.Why{Page: &page.Record{Verdict: page.VerdictNew}, Copies: make([]gatecrawl.Member, 2), More: more, Degree: 1})
		if !strings.Contains(b.String(), want) {
			t.Errorf("with %d more: %q, want %q", more, b.String(), want)
		}
	}
}

// The copies of a page become those of another one when the two turn out to be one.
func TestWhySaysWhichPageWasKeptWhenACopyWasFound(t *testing.T) {
	var b strings.Builder
	copied := page.Record{URL: "http://a.test/2", Of: "http://a.test/3", Verdict: page.VerdictCopy, Level: 3, Reason: "same bytes as the kept page", Compared: 1}
	if err := showWhy(&b, gatecrawl.Why{Page: &copied, With: "http://a.test/1"}); err != nil {
		t.Fatal(err)
	}
	if want := "same bytes as the kept page\n       the kept page was http://a.test/1 then\n"; !strings.Contains(b.String(), want) {
		t.Errorf("why says\n%s\nwant in it\n%s", b.String(), want)
	}
}

func TestAnAnswerWithoutATypeIsShownWithoutOne(t *testing.T) {
	var b strings.Builder
	whyPage(&b, page.Record{Seq: 3, Fetched: time.Now(), Status: 301})
	if got, want := b.String(), "took 0 ms, http 301, 0 bytes\n"; !strings.Contains(got, want) {
		t.Errorf("whyPage wrote %q; want %q in it", got, want)
	}
}

func TestAPageThatWasNotReadIsNotShownAsEmpty(t *testing.T) {
	kept := page.Record{Title: "Bees", BodyTokens: 90, SimHash: "0f", Lang: "en", Digest: "aa", Bytes: 700}
	for want, p := range map[string]page.Record{
		"title     Wasps": {Title: "Wasps", Digest: "bb"},
		"not read: it has the bytes of the kept one":      {Digest: "aa", Bytes: 700},
		"not read: a copy that came before it has the sa": {Digest: "bb", Bytes: 701},
	} {
		var b strings.Builder
		whySides(&b, p, kept)
		if got := b.String(); !strings.Contains(got, want) || p.Title == "" && strings.Contains(got, "words") {
			t.Errorf("%+v is shown as\n%s\nwant %q", p, got, want)
		}
	}
}

func TestAShareAboveWhatTheWordsAllowIsExplained(t *testing.T) {
	const (
		all    = "       compared were the texts as they are, without what the other page's site repeats, and the bodies alone: the share is of the pair most alike\n"
		part   = "       compared was a part of each page, its body alone or its text without what the other page's site repeats: "
		few    = "of all 1,334 and 1,178 words at most 88% can be the same"
		rest   = "the rest is not the same, see below"
		header = "       in the rest of the pages, which did not count:\n"
	)
	differs := &dedup.Difference{Here: []dedup.Passage{{Text: "A kettle"}}}
	for _, c := range []struct {
		name               string
		level, words, kept int
		similarity         float64
		differs            *dedup.Difference
		with               string
		want               string
		outside            bool
	}{
		{"a share of the bodies", 5, 1334, 1178, .97, differs, "", part + few + "\n", false},
		{"all of the bodies", 5, 1334, 1178, 1, differs, "", part + few + ", and " + rest + "\n", true},
		{"all of bodies of one length", 5, 1334, 1334, 1, differs, "", part + rest + "\n", true},
		{"all of texts that do not differ", 5, 1334, 1334, 1, &dedup.Difference{}, "", all, false},
		{"a share of these words", 5, 1334, 1178, .8, differs, "", all, false},
		{"the same body", 4, 1334, 1178, 1, nil, "", "", false},
		{"an unknown number of words", 5, 0, 1178, .9, differs, "", all, false},
		{"another kept page than it was compared with", 5, 1334, 1178, .97, differs, "http://a.test/", all, false},
	} {
		var b, sides strings.Builder
		p := page.Record{Verdict: page.VerdictCopy, Level: c.level, BodyTokens: c.words, Similarity: c.similarity, Differs: c.differs}
		kept := page.Record{BodyTokens: c.kept}
		whyCompared(&b, gatecrawl.Why{Page: &p, Kept: &kept, With: c.with})
		if b.String() != c.want {
			t.Errorf("%s: %q, want %q", c.name, b.String(), c.want)
		}
		if whySides(&sides, p, kept); strings.Contains(sides.String(), header+"       only here: [A kettle]") != c.outside {
			t.Errorf("%s: the sides are\n%s", c.name, sides.String())
		}
	}
}

// TestAPageWithoutItsScriptsIsShownAsOne: only the JSON of its record said so.
func TestAPageWithoutItsScriptsIsShownAsOne(t *testing.T) {
	const want = "read as it was sent, since its scripts did not run to their end: its tab crashed\n"
	for render, shown := range map[string]bool{"failed: its tab crashed": true, "done": false, "": false} {
		var b strings.Builder
		whyPage(&b, page.Record{Verdict: page.VerdictNew, Render: render})
		if strings.Contains(b.String(), want) != shown || strings.Contains(b.String(), "scripts") != shown {
			t.Errorf("render %q is shown as\n%s", render, b.String())
		}
	}
	for n, shown := range map[int64]bool{0: false, 3: true} {
		var b strings.Builder
		s := gatecrawl.Status{Job: "news"}
		s.Unrendered = n
		if err := showStatus(&b, s, nil); err != nil {
			t.Fatal(err)
		}
		if strings.Contains(b.String(), "3 pages whose scripts did not run to their end") != shown {
			t.Errorf("%d such pages are shown as\n%s", n, b.String())
		}
	}
}

// TestTermsThatDoNotMakeTheScoreAreExplained: a URL keeps its score while what its links pay grows, and the terms
// that were shown below the score did not add up to it.
func TestTermsThatDoNotMakeTheScoreAreExplained(t *testing.T) {
	terms := []priority.Term{{Name: "depth", Value: -1, Why: "1 link from the nearest seed"}, {Name: "cash", Value: .48, Why: "paid"}}
	for _, c := range []struct {
		score float32
		state string
		page  *page.Record
		want  string
	}{
		{-.83, "queued", nil, "       these are the terms by now, -0.52 in all: +0.31 since it got its place in the queue\n"},
		{-.83, "done", &page.Record{}, "       these are the terms by now, -0.52 in all: +0.31 since it was fetched\n"},
		{-.83, "done", &page.Record{Replaces: 3}, ""}, // its score is what another visit was worth
		{-.52, "queued", nil, ""},
		{0, "refused", nil, ""},
	} {
		var b strings.Builder
		whyScore(&b, gatecrawl.Why{Score: c.score, State: c.state, Page: c.page, Terms: terms})
		if _, after, _ := strings.Cut(b.String(), "cash: paid\n"); after != c.want {
			t.Errorf("score %.2f, %s: the terms are followed by %q, want %q", c.score, c.state, after, c.want)
		}
	}
}

func TestWhySaysThatAPartIsOfAnotherVersionOfThePage(t *testing.T) {
	var b strings.Builder
	ShowParts(&b, "", page.Record{URL: "http://a.test/1", Contains: []page.Part{{URL: "http://a.test/1", Share: 0.43}, {URL: "http://a.test/2", Share: 0.5}}})
	if got, want := b.String(), "holds 43.0% of another version of this page\nholds 50.0% of http://a.test/2\n"; got != want {
		t.Errorf("ShowParts wrote %q, want %q", got, want)
	}
}

func TestAHostIsNotSlowForRestingMilliseconds(t *testing.T) {
	for rest, want := range map[float64]bool{0: false, 0.003: false, 0.5: true, 120: true} {
		if got := isSlow(gatecrawl.HostState{Queued: 1, Rest: rest}); got != want {
			t.Errorf("a host that rests for %g s is slow: %v, want %v", rest, got, want)
		}
	}
}

func TestARateIsSaidIfItIsOneOfDays(t *testing.T) {
	for want, r := range map[string]gatecrawl.ChangeRate{
		"visited 5 more times, changed 1 time":                            {Visits: 5, Changes: 1, PerDay: 1200},
		"visited 5 more times, changed 3 times, more than once an hour":   {Visits: 5, Changes: 3, PerDay: 1200},
		"visited 5 more times, changed 3 times, about 0.25 changes a day": {Visits: 5, Changes: 3, PerDay: 0.25},
		"visited 5 more times, changed 0 times":                           {Visits: 5},
	} {
		if got := changes(&r); got != want {
			t.Errorf("%+v: %q, want %q", r, got, want)
		}
	}
}
