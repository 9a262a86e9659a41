package gatecrawl_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"

	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/testserver/slow"
)

// changeKinds are what becomes of a page and its copies between two crawls, and how
// often of a hundred.
var changeKinds = []struct {
	name  string
	share int
}{
	{"all", 3}, {"kept", 2}, {"split", 1}, {"merged", 1}, {"deleted", 1}, {"kept deleted", 1}, {"moved", 1}, {"a copy", 2},
}

// A changing is a set of copied hosts whose pages change, and what is so.
type changing struct {
	*copiedHosts
	rng   *rand.Rand
	pages int
	next  int               // the next text that no page ever had
	text  []map[string]int  // by host: the text at a path; 0 is none
	kind  map[string]string // by the URL of a kept page: what became of it last
	alone []string          // URLs of copies that changed alone last
}

func newChanging(t *testing.T, seed uint64, hosts, pages int, sitemaps bool) *changing {
	c := &changing{copiedHosts: newCopiedHosts(t, hosts, pages), rng: rand.New(rand.NewPCG(seed, 0)), pages: pages, next: 10_000}
	for range hosts {
		text := make(map[string]int)
		for p := range pages {
			text[pathOf(p)] = p + 1
		}
		c.text = append(c.text, text)
	}
	if sitemaps {
		c.tell()
	}
	return c
}

// put gives a host's path a text, 0 takes it away.
func (c *changing) put(host int, path string, text int) {
	c.text[host][path] = text
	words := ""
	if text != 0 {
		words = prose(text)
	}
	c.sites[host].set(path, words)
}

// keptOn returns the host on which a path's page is kept; false: the page is gone,
// or was merged with another.
func (c *changing) keptOn(path string, records map[string]page.Record) (host int, ok bool) {
	for h := range c.hosts {
		p := records[c.hosts[h]+path]
		if p.Verdict == page.VerdictNew && c.text[h][path] != 0 && c.copiesOf(p.URL) > 0 {
			return h, true
		}
	}
	return 0, false
}

// change lets some pages change.
func (c *changing) change(round int, records map[string]page.Record) {
	c.kind, c.alone = make(map[string]string), nil
	for p := range c.pages {
		path := pathOf(p)
		draw, kind := c.rng.IntN(100), ""
		for _, k := range changeKinds {
			if draw -= k.share; draw < 0 {
				kind = k.name
				break
			}
		}
		kept, ok := c.keptOn(path, records)
		if kind == "" || !ok {
			continue
		}
		c.kind[c.hosts[kept]+path] = kind
		c.next++
		hosts := len(c.sites)
		switch kind {
		case "all":
			c.each(kept, hosts, path, c.next)
		case "kept":
			c.put(kept, path, c.next)
		case "split":
			c.each(kept, hosts/2, path, c.next)
		case "merged":
			c.each(kept, hosts, path, c.text[kept][pathOf((p+1)%c.pages)])
		case "deleted":
			c.each(kept, hosts, path, 0)
		case "kept deleted":
			c.put(kept, path, 0)
		case "moved":
			c.move(path, fmt.Sprintf("/moved/%d%s", round, path))
		case "a copy":
			host := (kept + 1 + c.rng.IntN(hosts-1)) % hosts
			c.put(host, path, c.next)
			c.alone = append(c.alone, c.hosts[host]+path)
		}
	}
}

// move lets a path redirect to another one, on all hosts.
func (c *changing) move(path, to string) {
	for h, s := range c.sites {
		c.put(h, to, c.text[h][path])
		c.put(h, path, 0)
		s.mu.Lock()
		if s.moved == nil {
			s.moved = make(map[string]string)
		}
		s.moved[path] = to
		s.mu.Unlock()
	}
}

// each gives the path a text on so many hosts from one on.
func (c *changing) each(from, hosts int, path string, text int) {
	for h := range hosts {
		c.put((from+h)%len(c.sites), path, text)
	}
}

// noticed counts the copies that changed alone and were seen to.
func (c *changing) noticed(before, after map[string]page.Record) (n int) {
	for _, url := range c.alone {
		if before[url].Digest != after[url].Digest {
			n++
		}
	}
	return n
}

// check compares the records with the web: whether each change of a kept page was
// noticed, and how many URLs of such a page are taken for what they are not.
func (c *changing) check(before, after map[string]page.Record) (changed, wrong int) {
	textAt := func(url string) int {
		for h, host := range c.hosts {
			if path, ok := strings.CutPrefix(url, host); ok {
				return c.text[h][path]
			}
		}
		return -1
	}
	for url, kind := range c.kind {
		if kind == "a copy" {
			continue
		}
		changed++
		was, is := before[url], after[url]
		if is.Digest == was.Digest && is.RevisitStatus/100 != 3 && is.RevisitStatus != 404 {
			c.t.Errorf("%s: %s, and the record is as it was: %+v", url, kind, is)
		}
		path := url[strings.Index(url, "/p/"):]
		for h, host := range c.hosts {
			p, ok := after[host+path]
			if !ok || c.text[h][path] == 0 {
				continue
			}
			of := p.URL
			if p.Verdict == page.VerdictCopy {
				of = p.Of
			}
			if textAt(of) != c.text[h][path] {
				wrong++
			}
		}
	}
	return changed, wrong
}

// GATECRAWL_RECRAWL=SEED,PAGES takes another seed, and as many pages of each of 24
// hosts.
func TestNoChangeOfAKeptPageEscapesARecrawl(t *testing.T) {
	slow.Test(t, "crawls copied hosts again and again")
	t.Parallel()
	t.Run("without sitemaps", func(t *testing.T) { t.Parallel(); recrawlChanges(t, false) })
	t.Run("nor one of a copy where sitemaps tell of it", func(t *testing.T) { t.Parallel(); recrawlChanges(t, true) })
}

func recrawlChanges(t *testing.T, sitemaps bool) {
	seed, pages := uint64(2), 16
	if asked := os.Getenv("GATECRAWL_RECRAWL"); asked != "" {
		a, b, _ := strings.Cut(asked, ",")
		var err, fault error
		seed, err = strconv.ParseUint(a, 10, 64)
		if pages, fault = strconv.Atoi(b); err != nil || fault != nil {
			t.Fatalf("GATECRAWL_RECRAWL is %q: want a seed and the pages of a host, such as 1,100", asked)
		}
	}
	const hosts = 24
	c := newChanging(t, seed, hosts, pages, sitemaps)
	c.first()
	before := c.again(0.02)
	c.requests()
	fetches, all, changed, wrong, addresses, alone, noticed := 0, 0, 0, 0, 0, 0, 0
	for round := range 3 {
		c.change(round, before)
		after := c.again(0.02)
		n, bad := c.check(before, after)
		seen := c.noticed(before, after)
		got := c.requests()
		t.Logf("round %d: %d requests for %d mirrored pages (-%.1f%%); %d kept pages changed; %d of their addresses wrong; %d copies changed alone, %d noticed",
			round, got, hosts*pages, 100-100*float64(got)/float64(hosts*pages), n, bad, len(c.alone), seen)
		fetches, all, changed, wrong, addresses = fetches+got, all+hosts*pages, changed+n, wrong+bad, addresses+n*hosts
		alone, noticed = alone+len(c.alone), noticed+seen
		before = after
	}
	t.Logf("%d requests where each page would have taken %d (-%.1f%%); %d changes of kept pages noticed; %d of their %d addresses wrong; %d of %d copies that changed alone noticed",
		fetches, all, 100-100*float64(fetches)/float64(all), changed, wrong, addresses, noticed, alone)
	if 10*fetches > all {
		t.Errorf("%d requests for %d mirrored pages, want a tenth at most", fetches, all)
	}
	if changed == 0 || alone == 0 {
		t.Error("nothing changed: the test says nothing")
	}
	if sitemaps && noticed < alone {
		t.Errorf("%d of %d copies that changed alone were noticed, want all: sitemaps told of them", noticed, alone)
	}
}
