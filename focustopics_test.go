package gatecrawl_test

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"gatecrawl.example/gatecrawl/fetch"
	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/priority/focus"
	"gatecrawl.example/gatecrawl/testserver/env"
	"gatecrawl.example/gatecrawl/testserver/slow"
	"gatecrawl.example/gatecrawl/testserver/topics"
)

// subjectWeb serves a web of subjects until the test ends.
func subjectWeb(t *testing.T, o topics.Options) *topics.Web {
	t.Helper()
	w, err := topics.New(o)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := w.Close(); err != nil {
			t.Error(err)
		}
	})
	return w
}

// inWeb counts the pages of a web of subjects.
func inWeb(w *topics.Web) map[string]topics.Page {
	all := make(map[string]topics.Page)
	for _, p := range w.Pages() {
		all[p.URL] = p
	}
	return all
}

// From a portal of blogs a crawl finds more of a subject than with equal shares: half of the
// blogs are in another language, and each is mostly about two subjects.
//
//	GATECRAWL_SLOW=1 go test -run TestTopicsOfBlogs -v .
func TestTopicsOfBlogs(t *testing.T) {
	slow.Test(t, "crawls a web seventy times")
	t.Parallel()
	o := topics.Defaults()
	o.Seed, o.Blogs, o.Manuals, o.Articles, o.Pages, o.Traps = uint64(env.Number(t, "GATECRAWL_SEED", 3)), 8, 0, 0, 200, false
	web := subjectWeb(t, o)
	pages := inWeb(web)
	tenth := len(pages) / 10
	type marks struct{ r5, r10, h100 float64 }
	var mu sync.Mutex
	var sums [2]marks
	var differences []float64
	t.Run("subjects", func(t *testing.T) {
		for _, s := range web.Subjects() {
			if len(s.URLs) < 10 || os.Getenv("GATECRAWL_TOPIC") != "" && os.Getenv("GATECRAWL_TOPIC") != s.Name {
				continue
			}
			t.Run(s.Slug, func(t *testing.T) {
				t.Parallel()
				possible := float64(min(len(s.URLs), tenth))
				var got [2]marks
				for i, how := range []string{"chosen", "equal shares"} {
					n, on := 0, 0.
					for _, p := range crawlTopicInMemory(t, web, web.Portal(), s.Name, how, tenth+20) {
						if _, there := pages[p.URL]; !there {
							continue
						}
						if n++; slices.Contains(s.URLs, p.URL) {
							on++
						}
						switch n {
						case tenth / 2:
							got[i].r5 = on / possible
						case 100:
							got[i].h100 = on / 100
						case tenth:
							got[i].r10 = on / possible
						}
					}
				}
				t.Logf("%-24s %3d pages of %d: r5 %.2f r10 %.2f h100 %.2f · equal shares %.2f %.2f %.2f", s.Name, len(s.URLs), len(pages),
					got[0].r5, got[0].r10, got[0].h100, got[1].r5, got[1].r10, got[1].h100)
				mu.Lock()
				defer mu.Unlock()
				for i, g := range got {
					sums[i].r5 += g.r5
					sums[i].r10 += g.r10
					sums[i].h100 += g.h100
				}
				differences = append(differences, got[0].r10-got[1].r10)
			})
		}
	})
	n := float64(len(differences))
	for i, how := range []string{"chosen between hosts", "equal shares"} {
		t.Logf("mean of %d subjects, %-22s r5 %.3f r10 %.3f h100 %.3f", len(differences), how, sums[i].r5/n, sums[i].r10/n, sums[i].h100/n)
	}
	low, high := bootstrap(differences)
	gain := (sums[0].r10 - sums[1].r10) / n
	t.Logf("r10 against equal shares: %+.3f [%+.3f, %+.3f]", gain, low, high)
	if gain < .1 {
		t.Errorf("choosing between hosts gains %.3f at a tenth, want .1", gain)
	}
}

// A crawl that has most of its subject ends, though what is left has words in common with it.
func TestACrawlOfAWebOfSubjectsEndsAtTheTailOfItsSubject(t *testing.T) {
	t.Parallel()
	web := subjectWeb(t, topics.Defaults())
	pages := inWeb(web)
	half, tried, had, all := len(pages)/2, 0, 0, 0
	most := 1
	if slow.Wanted() {
		most = 2
	}
	for _, s := range web.Subjects() {
		if len(s.URLs) < 20 || s.Lang != "en" || tried == most {
			continue
		}
		tried++
		on := 0
		order := crawlTopic(t, web.Portal(), s.Name, "until the tail", half)
		for _, p := range order {
			if slices.Contains(s.URLs, p.URL) {
				on++
			}
		}
		t.Logf("%s: %d of %d pages in %d of %d", s.Name, on, len(s.URLs), len(order), len(pages))
		if len(order) >= half {
			t.Errorf("%s: half of the web was fetched, and no tail was seen", s.Name)
		}
		had, all = had+on, all+len(s.URLs)
	}
	if tried == 0 || 3*had < 2*all {
		t.Errorf("%d of the %d pages on %d subjects were had before the tail, want two thirds", had, all, tried)
	}
}

// webWithTraps starts a web of subjects with traps, and returns the subjects that have bait, in the order of the blogs that have it.
func webWithTraps(t *testing.T, seed uint64) (web *topics.Web, baited []topics.Subject) {
	t.Helper()
	o := topics.Defaults()
	o.Seed, o.Blogs, o.Manuals, o.Pages, o.Articles, o.Copied, o.Popular = seed, 4, 0, 60, 60, 2, true
	web = subjectWeb(t, o)
	subjects := make(map[string]topics.Subject)
	for _, s := range web.Subjects() {
		subjects[s.Name] = s
	}
	for _, p := range web.Pages() {
		if p.Lure != "" && !slices.ContainsFunc(baited, func(s topics.Subject) bool { return s.Name == p.Lure }) {
			baited = append(baited, subjects[p.Lure])
		}
	}
	return web, baited
}

// Subjects behind traps are found on other webs too: a third of each of eight webs has .8 of those in either language, although
// the blog that has most of a subject has its bait on its front page, and nothing there but the bait has a word of the subject.
//
//	GATECRAWL_SLOW=1 go test -run TestSubjectsAreFoundInEightWebsWithTraps -v .
func TestSubjectsAreFoundInEightWebsWithTraps(t *testing.T) {
	slow.Test(t, "crawls thirds of eight webs, each four times")
	t.Parallel()
	var mu sync.Mutex
	found, all := make(map[string]int), make(map[string]int)
	t.Run("webs", func(t *testing.T) {
		first := uint64(env.Number(t, "GATECRAWL_SEED", 1))
		for seed := first; seed < first+8; seed++ {
			web, baited := webWithTraps(t, seed)
			third := len(web.Pages()) / 3
			for _, s := range baited {
				t.Run(fmt.Sprintf("%d/%s", seed, s.Slug), func(t *testing.T) {
					t.Parallel()
					on := 0
					for _, p := range crawlTopicInMemory(t, web, web.Portal(), s.Name, "chosen", third) {
						if slices.Contains(s.URLs, p.URL) {
							on++
						}
					}
					t.Logf("%s: %d of %d pages in %d", s.Name, on, len(s.URLs), third)
					mu.Lock()
					defer mu.Unlock()
					found[s.Lang] += on
					all[s.Lang] += len(s.URLs)
				})
			}
		}
	})
	for _, lang := range []string{"en", "zh"} {
		t.Logf("%s: %d of %d pages", lang, found[lang], all[lang])
		if all[lang] == 0 || 5*found[lang] < 4*all[lang] { // which web a subject is crawled from first depends on the ports
			t.Errorf("%s: %d of the %d pages on the subjects were found, want .8 of them", lang, found[lang], all[lang])
		}
	}
}

// What leads crawls astray, on a web of subjects: of a subject's pages most are had when a third of the web
// is fetched, and little bait before them. The bait of a subject is on the front page of the blog that has most of it:
// a page stuffed with its words, which leads to a dozen pages of nothing, and a calendar that names it
// in each link and each title. Copies of two articles are on eight hosts.
//
//	GATECRAWL_SEED=4 GATECRAWL_SLOW=1 go test -run TestASubjectIsFoundInAWebWithTraps -v .
func TestASubjectIsFoundInAWebWithTraps(t *testing.T) {
	slow.Test(t, "crawls a web seven times")
	t.Parallel()
	web, baited := webWithTraps(t, uint64(env.Number(t, "GATECRAWL_SEED", int(topics.Defaults().Seed))))
	var english, chinese topics.Subject // that of the last blog in each language
	for _, s := range baited {
		if s.Lang == "zh" {
			chinese = s
		} else {
			english = s
		}
	}
	pages := inWeb(web)
	subjects := make(map[string]topics.Subject)
	for _, s := range web.Subjects() {
		subjects[s.Name] = s
	}
	word, _, _ := strings.Cut(english.Name, " ")
	copied := subjects[pages[web.Articles()[0]].Name]
	far := web.Articles()[len(web.Articles())-1]
	var near []string // of the same host as far
	for _, url := range copied.URLs {
		if pages[url].Host == pages[far].Host {
			near = append(near, url)
		}
	}
	nothing := func(url string) bool { return pages[url].Kind == "nothing" }
	calendar := func(url string) bool { return strings.Contains(url, "/calendar/") }
	for _, c := range []struct {
		name, topic, start string
		on                 []string
		least              int // of on, in a third of the web
		isBait             func(url string) bool
		most               int
	}{
		{"a stuffed page", english.Name, web.Portal(), english.URLs, len(english.URLs) * 9 / 10, nothing, 4},
		{"a calendar", english.Name, web.Portal(), english.URLs, len(english.URLs) * 9 / 10, calendar, 30},
		{"a Chinese calendar", chinese.Name, web.Portal(), chinese.URLs, len(chinese.URLs) * 9 / 10, calendar, 40},
		{"two languages", english.Name + " " + chinese.Name, web.Portal(), append(slices.Clone(english.URLs), chinese.URLs...), len(english.URLs) * 9 / 10, nothing, 4},
		{"one word", word, web.Portal(), english.URLs, len(english.URLs) * 3 / 4, nothing, 4},
		{"a seed off the topic", copied.Name, far, near, len(near) * 3 / 4, calendar, 0},
		{"copies of a page on the topic", copied.Name, web.Portal(), copied.URLs, len(copied.URLs) * 3 / 4, func(url string) bool { return pages[url].Kind == "copy" }, 16},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			on, bait, third := 0, 0, len(pages)/3
			for _, p := range crawlTopicInMemory(t, web, c.start, c.topic, "chosen", third) {
				if slices.Contains(c.on, p.URL) {
					on++
				}
				if on < c.least && c.isBait(p.URL) {
					bait++
				}
			}
			t.Logf("%s: %d of %d pages in %d of %d, and %d of bait before the %dth", c.topic, on, len(c.on), third, len(pages), bait, c.least)
			if len(c.on) == 0 || on < c.least || bait > c.most {
				t.Errorf("want %d on the topic, and at most %d of bait before them", c.least, c.most)
			}
		})
	}
}

// A page stuffed with a subject's words has 200 links in these words to pages about nothing, on a web that has a
// hundred pages on the subject: some of the links are followed, and then the subject is found.
//
//	GATECRAWL_SLOW=1 go test -run TestALinkFarmIsLeftAfterSomeOfItsLinks -v .
func TestALinkFarmIsLeftAfterSomeOfItsLinks(t *testing.T) {
	slow.Test(t, "crawls parts of three webs eighteen times")
	t.Parallel()
	const links, requests = 200, 300
	seed := env.Number(t, "GATECRAWL_SEED", 1)
	var mu sync.Mutex
	crawls, followed, found, all := 0, 0, 0, 0
	t.Run("webs", func(t *testing.T) {
		for i := range 3 {
			o := topics.Defaults()
			o.Blogs, o.Manuals, o.Pages, o.Articles, o.Traps, o.Farm, o.Seed = 6, 2, 200, 300, false, links, uint64(seed+i)
			web := subjectWeb(t, o)
			pages := inWeb(web)
			lures := make(map[string]bool)
			for _, p := range pages {
				lures[p.Lure] = p.Lure != ""
			}
			for _, s := range web.Subjects() {
				if !lures[s.Name] {
					continue
				}
				t.Run(fmt.Sprintf("%d/%s", o.Seed, s.Slug), func(t *testing.T) {
					t.Parallel()
					on, farmed := 0, 0
					for _, p := range crawlTopicInMemory(t, web, web.Portal(), s.Name, "chosen", requests) {
						if slices.Contains(s.URLs, p.URL) {
							on++
						}
						if pages[p.URL].Kind == "farmed" && strings.Contains(p.URL, "/"+s.Slug+"-") && 10*on < 9*len(s.URLs) {
							farmed++
						}
					}
					t.Logf("%s: %d of %d pages in %d requests, and %d of the farm's %d links before nine tenths of them", s.Name, on, len(s.URLs), requests, farmed, links)
					mu.Lock()
					defer mu.Unlock()
					crawls++
					followed += farmed
					found += on
					all += len(s.URLs)
				})
			}
		}
	})
	t.Logf("%d crawls followed %d links of farms, and found %d of the %d pages on their subjects in %d requests each", crawls, followed, found, all, requests)
	if crawls == 0 || followed > 30*crawls || 3*found < 2*all {
		t.Error("want 30 links of a farm on average at most, and two thirds of the pages")
	}
}

// One crawl for a topic in the words of two languages finds as much of both halves as two crawls of half as many
// pages each: on three webs together, since of one with few pages in one language a single subject decides. And it does
// not leave out a half: of those that a crawl of its own finds it has a fifth of as many pages at least, but for one at most.
//
//	GATECRAWL_SLOW=1 go test -run TestATopicInTwoLanguagesIsFoundInBoth -v .
func TestATopicInTwoLanguagesIsFoundInBoth(t *testing.T) {
	slow.Test(t, "crawls parts of three webs fifty-four times")
	t.Parallel()
	const webs, pairs, pages = 3, 6, 400
	var mu sync.Mutex
	var all, together, apart [2]int
	lost := 0
	seed := env.Number(t, "GATECRAWL_SEED", int(topics.Defaults().Seed))
	t.Run("webs", func(t *testing.T) {
		for i := range webs {
			o := topics.Defaults()
			o.Seed = uint64(seed + i)
			web := subjectWeb(t, o)
			for _, pair := range pairsOfLanguages(web, pairs) {
				t.Run(fmt.Sprintf("%d/%s", o.Seed, pair[0].Slug), func(t *testing.T) {
					t.Parallel()
					one := foundOf(crawlTopicInMemory(t, web, web.Portal(), pair[0].Name+" "+pair[1].Name, "chosen", pages), pair)
					var two [2]int
					for half, s := range pair {
						two[half] = foundOf(crawlTopicInMemory(t, web, web.Portal(), s.Name, "chosen", pages/2), pair)[half]
					}
					t.Logf("%s and %s: %d of %d and %d of %d in %d pages; apart %d and %d", pair[0].Name, pair[1].Name, one[0], len(pair[0].URLs), one[1], len(pair[1].URLs), pages, two[0], two[1])
					mu.Lock()
					defer mu.Unlock()
					for half, s := range pair {
						all[half] += len(s.URLs)
						together[half] += one[half]
						apart[half] += two[half]
						if 5*one[half] < two[half] {
							lost++
						}
					}
				})
			}
		}
	})
	t.Logf("together %d of the English pages and %d of the Chinese, apart %d and %d, of %d and %d; %d halves are left out", together[0], together[1], apart[0], apart[1], all[0], all[1], lost)
	for half, lang := range []string{"English", "Chinese"} {
		if all[half] == 0 || 10*together[half] < 9*apart[half] {
			t.Errorf("one crawl found %d of the %s pages, two crawls %d", together[half], lang, apart[half])
		}
	}
}

// pairsOfLanguages are the first subjects of web with ten pages or more in English, each with one in Chinese.
func pairsOfLanguages(web *topics.Web, most int) [][2]topics.Subject {
	var pairs [][2]topics.Subject
	var english, chinese []topics.Subject
	for _, s := range web.Subjects() {
		switch {
		case len(s.URLs) < 10:
		case s.Lang == "en":
			english = append(english, s)
		case s.Lang == "zh":
			chinese = append(chinese, s)
		}
	}
	for i := range min(len(english), len(chinese), most) {
		pairs = append(pairs, [2]topics.Subject{english[i], chinese[i]})
	}
	return pairs
}

// foundOf counts the pages of order that are on each subject of pair.
func foundOf(order []page.Record, pair [2]topics.Subject) (found [2]int) {
	for _, p := range order {
		for half, s := range pair {
			if slices.Contains(s.URLs, p.URL) {
				found[half]++
			}
		}
	}
	return found
}

// A focused crawl that is stopped twice takes the pages that it takes in one go: on one site, since of several that have
// nothing better the one whose turn was longest ago comes first, which a job does not keep.
func TestAFocusedCrawlThatWasStoppedGoesOnInItsOrder(t *testing.T) {
	t.Parallel()
	o := topics.Defaults()
	o.Blogs, o.Manuals, o.Traps = 0, 0, false
	web := subjectWeb(t, o)
	subjects := 1
	if slow.Wanted() {
		subjects = 2
	}
	for _, s := range web.Subjects()[:subjects] {
		whole, stopped := crawlInParts(t, web, s.Name, 150), crawlInParts(t, web, s.Name, 45, 100, 150)
		for i := range whole {
			if a, b := whole[i], stopped[i]; a.URL != b.URL || a.Score != b.Score {
				t.Errorf("%s: page %d is %s with score %v in one go, and %s with %v in a crawl that was stopped", s.Name, i+1, a.URL, a.Score, b.URL, b.Score)
				break
			}
		}
	}
}

// crawlInParts crawls a web for a topic from its portal, and closes and opens the job each time that it has so many pages.
func crawlInParts(t *testing.T, web *topics.Web, topic string, stops ...int) (order []page.Record) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		dir := slow.TempDir(t)
		judge, err := focus.New(topic, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, pages := range stops {
			var file bytes.Buffer
			if err := judge.Save(&file); err != nil {
				t.Fatal(err)
			}
			if judge, err = focus.Load(&file); err != nil {
				t.Fatal(err)
			}
			order = crawlOnTopic(t, dir, judge, fetch.Options{AllowLoopback: true, Dial: serveInMemory(t, web)}, web.Portal(), topic, "chosen", pages)
		}
	})
	return order
}

// Crawls that are stopped after sixty pages have found as much after two hundred as those in one go.
//
//	GATECRAWL_SLOW=1 go test -run TestStoppedCrawlsFindAsMuchOfTheirSubjects -v .
func TestStoppedCrawlsFindAsMuchOfTheirSubjects(t *testing.T) {
	slow.Test(t, "crawls parts of three webs a hundred and twenty times")
	t.Parallel()
	const webs, subjects, pages, first = 3, 20, 200, 60
	var mu sync.Mutex
	whole, stopped, same, all := 0, 0, 0, 0
	t.Run("webs", func(t *testing.T) {
		for i := range webs {
			o := topics.Defaults()
			o.Seed += uint64(i)
			web, n := subjectWeb(t, o), 0
			for _, s := range web.Subjects() {
				if len(s.URLs) < 15 || n == subjects {
					continue
				}
				n++
				t.Run(fmt.Sprintf("%d/%s", o.Seed, s.Slug), func(t *testing.T) {
					t.Parallel()
					a, b := crawlInParts(t, web, s.Name, pages), crawlInParts(t, web, s.Name, first, pages)
					mu.Lock()
					defer mu.Unlock()
					pair := [2]topics.Subject{s}
					whole += foundOf(a, pair)[0]
					stopped += foundOf(b, pair)[0]
					all++
					if slices.EqualFunc(a, b, func(a, b page.Record) bool { return a.URL == b.URL }) {
						same++
					}
				})
			}
		}
	})
	t.Logf("%d crawls in one go found %d pages of their subjects, stopped ones %d; %d have the same order", all, whole, stopped, same)
	if 100*stopped < 98*whole {
		t.Error("want 98 in 100 of them")
	}
}

// On a web with hubs a crawl without a topic takes pages that many link to no later than breadth first,
// and what popular pages with copies link to sooner than without votes; copies of any pages do it no harm.
//
//	go test -run TestOrderOfAWebWithHubs -v .
func TestOrderOfAWebWithHubs(t *testing.T) {
	slow.Test(t, "crawls a web of 800 articles twelve times")
	t.Parallel()
	const articles, copied = 800, 60
	draws := env.Number(t, "GATECRAWL_DRAWS", 2)
	o := topics.Defaults()
	o.Blogs, o.Manuals, o.Articles, o.Traps = 0, 0, articles, false
	o.Seed = uint64(env.Number(t, "GATECRAWL_SEED", int(o.Seed)))
	alone := newHubs(t, o)
	o.Copied, o.Popular = copied, true
	popular := newHubs(t, o)
	o.Popular = false
	any := newHubs(t, o)

	var cash, breadthFirst, popularWith, popularWithout, anyWith, anyWithout ordered
	t.Run("crawls", func(t *testing.T) {
		for _, c := range []struct {
			name, how string
			web       *hubs
			pages     int // 0: all
			mean      *ordered
		}{
			{"cash", "without a topic", alone, articles/10 + 20, &cash},
			{"breadth first", "breadth first", alone, articles/10 + 20, &breadthFirst},
			{"popular pages copied", "without a topic", popular, 0, &popularWith},
			{"popular pages copied, without votes", "without votes", popular, 0, &popularWithout},
			{"any pages copied", "without a topic", any, 0, &anyWith},
			{"any pages copied, without votes", "without votes", any, 0, &anyWithout},
		} {
			var mu sync.Mutex
			for draw := range draws {
				t.Run(fmt.Sprintf("%s/%d", c.name, draw), func(t *testing.T) {
					t.Parallel()
					got := c.web.crawl(t, draw, c.how, c.pages)
					mu.Lock()
					defer mu.Unlock()
					c.mean.rank += got.rank / float64(draws)
					c.mean.possible += got.possible / float64(draws)
					c.mean.soFar += got.soFar / float64(draws)
					c.mean.place += got.place / float64(draws)
				})
			}
		}
	})
	t.Logf("the first tenth of %d articles has %.3f of PageRank, breadth first %.3f: %+.3f; who knows it beforehand gets %.3f, who ranks by all links met so far %.3f", articles, cash.rank, breadthFirst.rank, cash.rank-breadthFirst.rank, cash.possible, cash.soFar)
	if cash.rank < breadthFirst.rank-.005 {
		t.Error("cash is worse than breadth first")
	}
	for _, c := range []struct {
		popular       bool
		with, without ordered
	}{{true, popularWith, popularWithout}, {false, anyWith, anyWithout}} {
		if c.with.rank == 0 {
			continue // -run named other crawls
		}
		t.Logf("%d articles copied, popular %v: the first tenth has %.3f of PageRank, without votes %.3f; what the copied link to stands at %.3f, without votes at %.3f",
			copied, c.popular, c.with.rank, c.without.rank, c.with.place, c.without.place)
		if c.with.rank < c.without.rank-.005 {
			t.Errorf("votes cost %.3f of PageRank", c.without.rank-c.with.rank)
		}
		if c.popular && c.with.place >= c.without.place {
			t.Error("what popular copied articles link to comes no earlier with votes")
		}
	}
}

// hubs is a web of articles that link by preference to those that many link to, some of them with
// copies on other hosts.
type hubs struct {
	web    *topics.Web
	links  map[string][]string
	ranks  map[string]float64
	all    []string          // the articles, and what else their host has
	first  map[string]string // the article of each page
	behind map[string]bool   // what copied articles link to
	others []string          // front pages of other hosts, which the copies are found on
}

func newHubs(t *testing.T, o topics.Options) *hubs {
	t.Helper()
	h := &hubs{web: subjectWeb(t, o), links: make(map[string][]string), first: make(map[string]string), behind: make(map[string]bool)}
	host := ""
	for _, p := range h.web.Pages() {
		if p.Kind == "article" {
			host = p.Host
		}
	}
	for _, p := range h.web.Pages() {
		if p.Host == host {
			h.links[p.URL] = p.Links
			h.all = append(h.all, p.URL)
			h.first[p.URL] = p.URL
		} else if p.CopyOf != "" {
			h.first[p.URL] = p.CopyOf
		} else if p.Kind == "front" {
			h.others = append(h.others, p.URL)
		}
	}
	for _, p := range h.web.Pages() {
		if p.CopyOf != "" {
			for _, to := range h.links[p.CopyOf] {
				h.behind[to] = true
			}
		}
	}
	h.ranks = pageRank(h.links, h.all)
	return h
}

// ordered says which PageRank the first tenth of the articles has in a crawl, how much it can have, how much by the
// PageRank of the links met so far,
// and where in a whole crawl those stand that the copied ones link to, 0 to 1.
type ordered struct{ rank, possible, soFar, place float64 }

// crawl crawls from a draw of five articles; 0 pages: all of the web.
func (h *hubs) crawl(t *testing.T, draw int, how string, pages int) (got ordered) {
	t.Helper()
	rng := rand.New(rand.NewPCG(uint64(draw), 15))
	var start []string
	for list := h.web.Articles(); len(start) < 5; {
		start = append(start, list[rng.IntN(len(list))])
	}
	start = append(start, h.others...)
	tenth := len(h.all) / 10
	got.possible, got.soFar = mostRank(h.links, h.ranks, start, tenth), rankSoFar(h.links, h.ranks, slices.Clone(start[:5]), tenth)
	seen := make(map[string]bool)
	sum, n := 0., 0.
	for _, p := range crawlTopicInMemory(t, h.web, strings.Join(start, "\n"), "", how, pages) {
		url := h.first[p.URL]
		if url == "" || seen[url] {
			continue
		}
		seen[url] = true
		if len(seen) <= tenth {
			got.rank += h.ranks[url]
		}
		if h.behind[url] {
			sum += float64(len(seen)) / float64(len(h.all))
			n++
		}
	}
	if len(seen) < tenth {
		t.Errorf("%d articles crawled, want a tenth of %d and more", len(seen), len(h.all))
	}
	got.place = sum / max(n, 1)
	return got
}

// From the front page of a web with hubs and a few of its articles, which is how a site is crawled, the first tenth has a
// tenth of all PageRank more than breadth first.
//
//	go test -run TestOrderOfAWebWithHubsFromItsFront -v .
func TestOrderOfAWebWithHubsFromItsFront(t *testing.T) {
	slow.Test(t, "crawls a tenth of a web of 2,000 articles twelve times")
	t.Parallel()
	o := topics.Defaults()
	o.Articles, o.Seed = 2000, 21
	gain := gainOfCash(t, o, true)
	if gain < .1 {
		t.Errorf("cash gains %.3f, want .1", gain)
	}
}

// From articles of a web with as many links as an encyclopaedia has, and without navigation, cash has nearly
// as much more: a tenth of its pages then is a small part of those at the depth that it ends at.
//
//	GATECRAWL_SLOW=1 go test -run TestOrderOfAWebOfManyLinks -v .
func TestOrderOfAWebOfManyLinks(t *testing.T) {
	slow.Test(t, "crawls a tenth of a web of 4,600 articles twelve times")
	t.Parallel()
	o := topics.Defaults()
	o.Articles, o.Links, o.Frameless, o.Seed = 4600, 28, true, 31 // some 26 different ones each
	gain := gainOfCash(t, o, false)
	if gain < .07 {
		t.Errorf("cash gains %.3f, want .07", gain)
	}
}

// gainOfCash crawls a tenth of each of three webs of nothing but articles, twice, from five of them or from the front
// page and four, and returns how much more of PageRank it has with cash than breadth first.
func gainOfCash(t *testing.T, o topics.Options, front bool) float64 {
	const webs = 3
	draws := env.Number(t, "GATECRAWL_DRAWS", 2)
	part := 1 / float64(draws*webs)
	var mu sync.Mutex
	var cash, breadthFirst, possible float64
	t.Run("crawls", func(t *testing.T) {
		for seed := range webs {
			o := o
			o.Blogs, o.Manuals, o.Traps, o.Seed = 0, 0, false, uint64(env.Number(t, "GATECRAWL_SEED", int(o.Seed))+seed)
			web := subjectWeb(t, o)
			links := make(map[string][]string)
			var all, fronts []string
			for _, p := range web.Pages() {
				if p.URL == web.Portal() {
					continue
				}
				links[p.URL] = p.Links
				all = append(all, p.URL)
				if p.Kind == "front" && front {
					fronts = append(fronts, p.URL)
				}
			}
			ranks, tenth := pageRank(links, all), len(all)/10
			for draw := range draws {
				rng := rand.New(rand.NewPCG(uint64(draw), 15))
				start := slices.Clone(fronts)
				for len(start) < 5 {
					start = append(start, web.Articles()[rng.IntN(len(web.Articles()))])
				}
				possible += part * mostRank(links, ranks, start, tenth)
				for how, mean := range map[string]*float64{"without a topic": &cash, "breadth first": &breadthFirst} {
					t.Run(fmt.Sprintf("%s/%d/%d", how, seed, draw), func(t *testing.T) {
						t.Parallel()
						sum, n := 0., 0
						for _, p := range crawlTopicInMemory(t, web, strings.Join(start, "\n"), "", how, tenth+20) {
							if rank, there := ranks[p.URL]; there && n < tenth {
								sum += rank
								n++
							}
						}
						mu.Lock()
						defer mu.Unlock()
						*mean += part * sum
					})
				}
			}
		}
	})
	t.Logf("the first tenth has %.3f of PageRank, breadth first %.3f: %+.3f; who knows it beforehand gets %.3f", cash, breadthFirst, cash-breadthFirst, possible)
	return cash - breadthFirst
}

// rankSoFar is mostRank for a crawl that takes the page of the highest PageRank by the links of the pages that it has
// fetched: what can be known then.
func rankSoFar(links map[string][]string, ranks map[string]float64, start []string, n int) (sum float64) {
	met := make(map[string]bool)
	known := make(map[string][]string) // links of the pages that are fetched
	for _, url := range start {
		met[url] = true
	}
	for range n {
		now := pageRank(known, slices.Sorted(maps.Keys(met)))
		best := ""
		for _, url := range slices.Sorted(maps.Keys(met)) {
			if _, fetched := known[url]; !fetched && (best == "" || now[url] > now[best]) {
				best = url
			}
		}
		if best == "" {
			break
		}
		sum += ranks[best]
		known[best] = links[best]
		for _, url := range links[best] {
			if _, there := ranks[url]; there {
				met[url] = true
			}
		}
	}
	return sum
}

// mostRank returns which PageRank the first n pages of a site have when of all that it has met a crawl takes
// the page of the highest.
func mostRank(links map[string][]string, ranks map[string]float64, start []string, n int) (sum float64) {
	met := make(map[string]bool)
	var waiting []string
	meet := func(urls []string) {
		for _, url := range urls {
			if _, there := ranks[url]; there && !met[url] {
				met[url] = true
				waiting = append(waiting, url)
			}
		}
	}
	meet(start)
	for range n {
		if len(waiting) == 0 {
			break
		}
		slices.SortFunc(waiting, func(a, b string) int { return cmp.Compare(ranks[a], ranks[b]) })
		best := waiting[len(waiting)-1]
		waiting = waiting[:len(waiting)-1]
		sum += ranks[best]
		meet(links[best])
	}
	return sum
}
