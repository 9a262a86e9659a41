package main

import (
	"fmt"
	"strings"
	"testing"

	"gatecrawl.example/gatecrawl"
	"gatecrawl.example/gatecrawl/cmd/crawl/internal/console"
	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/priority/focus"
)

func TestTheSummaryTellsWhichNewPagesAreCopiesByNow(t *testing.T) {
	for _, c := range []struct {
		kept, copies int64
		want         string
	}{
		{22, 5, "done: 27 pages fetched in 0s: 22 new, 5 copies\n"},
		{14, 13, "done: 27 pages fetched in 0s: 22 new, 5 copies\nthe job has 27 pages: 14 kept, 13 copies; 8 of the new ones were seen to be copies later\n"},
		{21, 6, "done: 27 pages fetched in 0s: 22 new, 5 copies\nthe job has 27 pages: 21 kept, 6 copies; 1 of the new ones was seen to be a copy later\n"},
	} {
		var b strings.Builder
		r := result{Ended: gatecrawl.Done, Run: gatecrawl.Tally{Fetched: 27, New: 22, Copies: 5}}
		r.Pages, r.New, r.Copies = 27, c.kept, c.copies
		(&job{screen: console.NewScreen(&b)}).tellEnd(r)
		if b.String() != c.want {
			t.Errorf("tellEnd = %q, want %q", b.String(), c.want)
		}
	}
}

func TestTheSummaryTellsOfALaterRunWhichPagesAreCopiesByNow(t *testing.T) {
	for _, c := range []struct {
		kept, again int64
		want        string
	}{
		{32, 0, "the job has 40 pages: 32 kept, 8 copies\n"},
		{30, 0, "the job has 40 pages: 30 kept, 8 copies; 2 that were kept were seen to be copies later\n"},
		{30, 1, "the job has 40 pages: 30 kept, 8 copies\n"}, // what changed is kept in another way
	} {
		var b strings.Builder
		r := result{Ended: gatecrawl.Done, Run: gatecrawl.Tally{Fetched: 27, New: 22, Copies: 5, Changed: c.again}, before: 13, keptBefore: 10}
		r.Pages, r.New, r.Copies = 40, c.kept, 8
		(&job{screen: console.NewScreen(&b)}).tellEnd(r)
		if !strings.HasSuffix(b.String(), c.want) {
			t.Errorf("tellEnd = %q, want %q at its end", b.String(), c.want)
		}
	}
}

func TestTheSummarySaysIfNoPageIsOnTheTopic(t *testing.T) {
	for on, want := range map[int64]bool{0: true, 1: false} {
		var b strings.Builder
		r := result{Ended: gatecrawl.Done, Run: gatecrawl.Tally{Fetched: 20, New: 20}}
		r.Harvest = &page.Harvest{Answers: 20, OnTopic: on}
		(&job{screen: console.NewScreen(&b)}).tellEnd(r)
		if got := strings.Contains(b.String(), "no page is on the topic: other words for --topic"); got != want {
			t.Errorf("of %d pages on the topic tellEnd says %q", on, b.String())
		}
	}
}

func TestTheSummaryTellsOfPagesOffTheTopicAndRaisesTheLimitBeyondThem(t *testing.T) {
	var b strings.Builder
	r := result{Ended: gatecrawl.TopicLimit, Run: gatecrawl.Tally{Fetched: 23, New: 10, Errors: 1, Others: 12, OffTopic: 9, ErrorPages: 2}}
	r.Harvest = &page.Harvest{Answers: 21, OnTopic: 10, Last: .5, Low: .3, High: .7}
	j := &job{dir: "birds", screen: console.NewScreen(&b)}
	j.settings.StopAfterRelevant = 5
	j.tellEnd(r)
	for _, want := range []string{"10 new, 0 copies, 1 error, 9 off the topic, 2 error pages with status 200, 1 other\n", "go on with: crawl run --job birds --stop-after-relevant 15\n"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("tellEnd = %q, want %q in it", b.String(), want)
		}
	}
}

func TestTheLimitThatIsProposedIsAboveWhatTheJobHas(t *testing.T) {
	for _, c := range []struct{ limit, has, want int64 }{{400, 403, 800}, {2, 7, 9}, {0, 10, 20}} { // 0: crawl set has given it
		var b strings.Builder
		r := result{Ended: gatecrawl.PageLimit}
		r.Fetched = c.has
		j := &job{dir: "site", screen: console.NewScreen(&b)}
		j.settings.MaxPages = c.limit
		j.tellEnd(r)
		if want := fmt.Sprintf("go on with: crawl run --job site --max-pages %d\n", c.want); !strings.Contains(b.String(), want) {
			t.Errorf("tellEnd = %q, want %q in it", b.String(), want)
		}
	}
}

func TestTheSummaryTellsWhichPartOfATopicWasNotFound(t *testing.T) {
	var b strings.Builder
	r := result{Ended: gatecrawl.PageLimit}
	r.Harvest = &page.Harvest{Answers: 400, OnTopic: 26, Last: .04, Low: .02, High: .1}
	r.Topic = &gatecrawl.TopicState{Gaps: focus.Gaps{Words: []string{"烤箱", "香料"}, Languages: []focus.LanguageShare{{Language: "zh", Share: .124}}}}
	j := &job{dir: "ovens", screen: console.NewScreen(&b)}
	j.settings.MaxPages = 400
	j.tellEnd(r)
	want := "harvest: 26 of 400 answers on the topic (6.5%); of the last 100 4.0% [2, 10]\n" +
		"no page on the topic has \"烤箱\" or \"香料\": if these are words for something else, or in another language, a crawl with them alone looks for their pages first\n" +
		"12.4% of the pages, copies not counted, are in another language (zh), and hardly any of them is on the topic: words in that language, or pages for --like, would say which are\n" +
		"go on with: crawl run --job ovens --max-pages 800\n"
	if !strings.Contains(b.String(), want) {
		t.Errorf("tellEnd = %q, want %q in it", b.String(), want)
	}
}

func TestTheSummaryCountsNoURLsThatWaitWhereThereAreNone(t *testing.T) {
	for urls, want := range map[int64]string{
		0: "1 host does not answer or is too busy: tried again by crawl run --job lists\n",
		2: "2 URLs wait on 1 host that does not answer or is too busy: tried again by crawl run --job lists\n",
	} {
		var b strings.Builder
		r := result{Ended: gatecrawl.Done}
		r.Parked, r.ParkedHosts = urls, 1
		(&job{dir: "lists", screen: console.NewScreen(&b)}).tellEnd(r)
		if !strings.HasSuffix(b.String(), want) {
			t.Errorf("with %d URLs tellEnd = %q, want %q at its end", urls, b.String(), want)
		}
	}
}

func TestTheSummaryTellsWhichSettingReadsPagesThatTheirOwnersWantLeftOut(t *testing.T) {
	const robots = "robots.txt forbids a crawler named gatecrawl nearly all that the run came to, and no setting changes that: crawl why --job hidden URL shows the line that forbids a URL, and the site's owner can allow the name\n"
	for _, c := range []struct {
		run  gatecrawl.Tally
		want string
	}{
		{gatecrawl.Tally{Fetched: 20, Others: 20, NoIndex: 20}, "20 of 20 pages say noindex, so that no document is kept there: crawl run --job hidden --obey-meta=false asks for them again and keeps them\n"},
		{gatecrawl.Tally{Fetched: 1, New: 1, NoFollow: 1}, "1 of 1 page says nofollow, so that no link there is followed: crawl run --job hidden --obey-meta=false asks for them again and follows their links\n"},
		{gatecrawl.Tally{Fetched: 4, New: 1, Others: 3, NoIndex: 3, NoFollow: 3}, "3 of 4 pages say noindex, so that no document is kept there; 3 of 4 pages say nofollow, so that no link there is followed: crawl run --job hidden --obey-meta=false asks for them again and keeps them and follows their links\n"},
		{gatecrawl.Tally{Forbidden: 2}, robots},
		{gatecrawl.Tally{Fetched: 1, New: 1, Forbidden: 10}, robots},
		{gatecrawl.Tally{Fetched: 2, New: 2, Forbidden: 10}, ""},
		{gatecrawl.Tally{Fetched: 20, New: 10, Others: 10, NoIndex: 10, NoFollow: 10}, ""},
		{gatecrawl.Tally{Fetched: 3, Errors: 3}, ""},
	} {
		var b strings.Builder
		r := result{Ended: gatecrawl.Done, Run: c.run}
		r.New = c.run.New
		(&job{dir: "hidden", screen: console.NewScreen(&b)}).tellEnd(r)
		if _, got, _ := strings.Cut(b.String(), "\n"); got != c.want {
			t.Errorf("after %+v tellEnd adds %q, want %q", c.run, got, c.want)
		}
	}
}

func TestTheSummaryNamesTheCommandForCopiesOfOtherHosts(t *testing.T) {
	const says = "60 of the copies are those of pages on other hosts, and no site was left out as a mirror: crawl mirrors --job twice says why\n"
	for _, c := range []struct {
		copies, abroad, mirrors int64
		want                    string
	}{
		{80, 60, 0, says},
		{80, 60, 1, "1 site was found to mirror another: crawl mirrors --job twice\n"},
		{80, 19, 0, ""},
		{1000, 60, 0, ""},
	} {
		var b strings.Builder
		r := result{Ended: gatecrawl.Done, Run: gatecrawl.Tally{Fetched: 100 + c.copies, New: 100, Copies: c.copies, Abroad: c.abroad}}
		r.New, r.Mirrors = 100, map[string]int64{"found": c.mirrors}
		(&job{dir: "twice", screen: console.NewScreen(&b)}).tellEnd(r)
		if _, got, _ := strings.Cut(b.String(), "\n"); got != c.want {
			t.Errorf("with %d copies, %d of other hosts, and %d mirrors tellEnd adds %q, want %q", c.copies, c.abroad, c.mirrors, got, c.want)
		}
	}
}

func TestARecrawlTellsPagesFromFilesThatTheyNeed(t *testing.T) {
	for want, n := range map[string]gatecrawl.Requeued{
		"asking again for 3 pages and 1 file that pages need; 1 redirect or missing page is left for a later re-crawl\n": {Asked: 3, Files: 1, Rested: 1},
		"asking again for 3 pages\n": {Asked: 3},
		"":                           {Rested: 1},
	} {
		var b strings.Builder
		(&job{screen: console.NewScreen(&b)}).tellRequeued(n)
		if b.String() != want {
			t.Errorf("tellRequeued(%+v) = %q, want %q", n, b.String(), want)
		}
	}
}

func TestTheSummaryTellsOfPagesWhoseScriptsDidNotRunToTheirEnd(t *testing.T) {
	for count, want := range map[int64]string{
		1: "\nread as it was sent, since its scripts did not run to their end: render http://a.test/: not done within 30s\n",
		7: "\nread as they were sent, since their scripts did not run to their end: 7 pages, the first: render http://a.test/: not done within 30s\n",
	} {
		var b strings.Builder
		r := result{Ended: gatecrawl.Done, Run: gatecrawl.Tally{Fetched: 9, New: 9}}
		r.Pages, r.New = 9, 9
		r.Run.Unrendered = &gatecrawl.Failure{Count: count, URL: "http://a.test/", Reason: "render http://a.test/: not done within 30s"}
		(&job{screen: console.NewScreen(&b)}).tellEnd(r)
		if !strings.HasSuffix(b.String(), want) {
			t.Errorf("tellEnd = %q, want %q at its end", b.String(), want)
		}
	}
}

// A page that focus-keep kept for what was known when it came may be off the topic at the end, and one that it refused on it.
func TestTheEndSaysWhatWasLearnedTooLate(t *testing.T) {
	var b strings.Builder
	var r result
	r.Ended, r.New, r.Pages = gatecrawl.Done, 12, 20
	r.Run.Fetched, r.Run.New, r.Run.Released = 20, 12, 3
	r.Harvest = &page.Harvest{Answers: 20, OnTopic: 8, From: .5}
	j := &job{screen: console.NewScreen(&b)}
	j.tellEnd(r)
	if strings.Contains(b.String(), "--relevance") {
		t.Errorf("without focus-keep the end says what it keeps:\n%s", b.String())
	}
	b.Reset()
	j.settings.FocusKeep = true
	j.tellEnd(r)
	for _, want := range []string{
		"3 pages were asked for again at the end: off the topic when fetched first, and on it by what was learned later\n",
		"4 kept pages are off the topic by what was learned later: crawl export leaves such pages out, --relevance 0 writes them too\n",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("the end lacks %q:\n%s", want, b.String())
		}
	}
}

func TestTheSummaryNamesASitemapThatWasNotRead(t *testing.T) {
	for count, want := range map[int64]string{
		1: "not read in this run, since --sitemaps is off: 1 sitemap that robots.txt names: http://a.test/s.xml; crawl run --job lists -u http://a.test/s.xml reads it\n",
		3: "not read in this run, since --sitemaps is off: 3 sitemaps that robots.txt names, the first: http://a.test/s.xml; crawl run --job lists -u http://a.test/s.xml reads it\n",
	} {
		for _, depth := range []int{-1, 0} { // at depth 0 only the seeds are wanted
			var b strings.Builder
			r := result{Ended: gatecrawl.Done, Run: gatecrawl.Tally{Fetched: 1, New: 1, Sitemaps: &gatecrawl.Failure{Count: count, URL: "http://a.test/s.xml"}}}
			j := &job{dir: "lists", screen: console.NewScreen(&b)}
			j.settings.Depth = depth
			if j.tellEnd(r); strings.Contains(b.String(), want) == (depth == 0) {
				t.Errorf("at depth %d tellEnd = %q; want %q only where links are followed", depth, b.String(), want)
			}
		}
	}
}
