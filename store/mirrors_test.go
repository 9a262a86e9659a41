package store

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"gatecrawl.example/gatecrawl/dedup"
	"gatecrawl.example/gatecrawl/frontier"
	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/limit"
	"gatecrawl.example/gatecrawl/mirror"
	"gatecrawl.example/gatecrawl/mirror/dust"
	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/store/kv"
	"gatecrawl.example/gatecrawl/store/suite"
)

// A smallWeb says what an address brings: a text, which may end in " => " and a link,
// or "-> " and where it redirects to; it has no document at others.
type smallWeb map[string]string

// site adds so many documents of one origin; text makes the words of each.
func (w smallWeb) site(origin string, pages int, text func(i int) string) {
	for i := range pages {
		w[fmt.Sprintf("%s/d%d/page-%d.html", origin, i%3, i)] = text(i)
	}
}

// longText is a text of its own for each number.
func longText(n int) string {
	var b strings.Builder
	for i := range 80 {
		fmt.Fprintf(&b, "word%dof%d ", (i*7919+n*104729)%100_003, n)
	}
	return b.String()
}

// crawlSmall fetches all of a web from a job that knows its URLs as links of
// http://start.test/, as a crawler does with one worker. It returns how often each
// URL was asked for.
func crawlSmall(t *testing.T, s *Store, w smallWeb) map[string]int {
	t.Helper()
	asked := make(map[string]int)
	start, err := weburl.Parse("http://start.test/")
	if err != nil {
		t.Fatal(err)
	}
	var cs []frontier.Candidate
	for address := range w {
		u, err := weburl.Parse(address)
		if err != nil {
			t.Fatal(err)
		}
		cs = append(cs, frontier.Candidate{URL: u, From: start.Key()})
	}
	slices.SortFunc(cs, func(a, b frontier.Candidate) int { // sites are found in one order
		x, y := a.URL.RequestURI(), b.URL.RequestURI()
		return cmp.Or(len(x)-len(y), cmp.Compare(x[strings.LastIndexByte(x, '-')+1:], y[strings.LastIndexByte(y, '-')+1:]), cmp.Compare(a.URL.Origin(), b.URL.Origin()))
	})
	if _, err := s.Add(t.Context(), cs); err != nil {
		t.Fatal(err)
	}
	for {
		l, err := s.leaseURL(t.Context())
		if errors.Is(err, frontier.ErrEmpty) {
			more, err := s.audit(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if more {
				continue
			}
			return asked
		}
		if err != nil {
			t.Fatal(err)
		}
		left, err := s.applyRules(l)
		if err != nil {
			t.Fatal(err)
		}
		if left {
			continue
		}
		if to, ok := s.Twin(l.URL); ok {
			deferred, err := s.putOff(l, frontier.Candidate{URL: to, From: start.Key()})
			if err != nil {
				t.Fatal(err)
			}
			if deferred {
				continue
			}
		}
		asked[l.URL.String()]++
		if _, err := s.Settle(t.Context(), w.visit(l)); err != nil {
			t.Fatal(err)
		}
	}
}

func (w smallWeb) visit(l frontier.Lease) *page.Visit {
	v := &page.Visit{Lease: l, Finished: time.Now(), Page: page.Record{URL: l.URL.String(), Depth: 1, Status: 200, Fetched: time.Now()}}
	text, ok := w[l.URL.String()]
	to, redirects := strings.CutPrefix(text, "-> ")
	switch {
	case !ok:
		v.Page.Status, v.Page.Verdict, v.Page.Failure, v.Page.Reason = 404, page.VerdictFailed, "http 404", "http 404"
	case redirects:
		v.Page.Status, v.Page.Verdict, v.Page.Rule, v.Page.Location = 301, page.VerdictRefused, "redirect", to
	default:
		text, link, _ := strings.Cut(text, " => ")
		if u, err := weburl.Parse(link); err == nil {
			v.Links = []frontier.Candidate{{URL: u, From: l.URL.Key()}}
		}
		sig := dedup.SignText(text)
		sig.Bytes = dedup.DigestOf([]byte(text))
		v.Sign, v.Body = &sig, []byte(text)
		v.Page.Digest, v.Page.BodyTokens, v.Page.SimHash = sig.Bytes.String(), int(sig.Tokens), fmt.Sprintf("%016x", sig.SimHash)
	}
	return v
}

// openMirroring opens a job that leaves mirrors out, and verifies it at the end.
func openMirroring(t *testing.T, dir string) *Store {
	t.Helper()
	return openMirrored(t, dir, mirror.ModeOn)
}

func openMirrored(t *testing.T, dir string, mode mirror.Mode) *Store {
	t.Helper()
	o := testOptions()
	o.Mirrors, o.PerIP, o.Templates = mode, 0, false
	o.Rules.Learn = dust.LearnOff
	return openOptions(t, dir, o)
}

// openOptions opens a job, and verifies it at the end.
func openOptions(t *testing.T, dir string, o Options) *Store {
	t.Helper()
	s, err := Open(dir, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { closeChecked(t, s) })
	return s
}

func closeChecked(t *testing.T, s *Store) {
	t.Helper()
	if errors.Is(s.write(func(*txn) error { return nil }), kv.ErrClosed) {
		return // closed before
	}
	suite.Verify(t, s)
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

// askedAt counts the URLs of an origin that were asked for.
func askedAt(asked map[string]int, origin string) int {
	n := 0
	for u := range asked {
		if strings.HasPrefix(u, origin+"/") {
			n++
		}
	}
	return n
}

func TestOneSiteUnderTwoNamesIsAskedForOnce(t *testing.T) {
	t.Parallel()
	for _, names := range [][2]string{
		{"http://a.test", "https://a.test"},
		{"https://www.a.test", "https://a.test"},
		{"http://www.a.test", "http://a.test"},
	} {
		other, main := names[0], names[1]
		t.Run(other+" "+main, func(t *testing.T) {
			w := smallWeb{}
			w.site(main, 100, longText)
			w.site(other, 100, longText)
			delete(w, main+"/d1/page-70.html") // what only the other name has
			s := openMirroring(t, t.TempDir())
			asked := crawlSmall(t, s, w)
			if n := askedAt(asked, main); n != 99 && n != 100 {
				t.Errorf("%d addresses of %s were asked for, want all 99 that it has, and one that it has not", n, main)
			}
			if n := askedAt(asked, other); n > 65 {
				t.Errorf("%d of 100 addresses of %s were asked for, want few more than 50: to know it, and to be sure", n, other)
			}
			if asked[other+"/d1/page-70.html"] != 1 {
				t.Errorf("what only %s has was not asked for", other)
			}
			if n := s.Totals().Mirrors["found"]; n != 1 {
				t.Errorf("%d mirrors were found, want 1", n)
			}
		})
	}
}

// What a name of the site has is not known where nothing was asked for that may lead to it.
func TestANameThatIsNotAskedIsNoPartOfTheSite(t *testing.T) {
	t.Parallel()
	for _, other := range []string{"http://www.a.test", "http://b.test"} { // left out by a rule, put off as a mirror's
		t.Run(other, func(t *testing.T) {
			w := smallWeb{}
			w.site("http://a.test", 200, longText)
			w.site(other, 120, longText)
			o := testOptions()
			o.Mirrors, o.PerIP, o.Templates = mirror.ModeOn, 0, false
			s := openOptions(t, t.TempDir(), o)
			n := askedAt(crawlSmall(t, s, w), other)
			if n > 100 {
				t.Fatalf("%d addresses of %s were asked for, want few", n, other)
			}
			pair, err := s.Pair(t.Context(), "a.test", weburl.HostOf(other))
			if err != nil {
				t.Fatal(err)
			}
			if pair.Class == mirror.Partial || !pair.Class.Rewrites() || pair.Deferred != 120-n {
				t.Errorf("%s is %s of the site, and %d addresses were not asked for, want all of the site, and %d", other, pair.Class, pair.Deferred, 120-n)
			}
		})
	}
}

func TestHTTPAndHTTPSWithOtherPagesAreTwoSites(t *testing.T) {
	w := smallWeb{}
	w.site("https://a.test", 60, longText)
	w.site("http://a.test", 60, func(i int) string {
		if i%4 == 0 {
			return longText(1000 + i)
		}
		return longText(i)
	})
	s := openMirroring(t, t.TempDir())
	if asked := crawlSmall(t, s, w); len(asked) != len(w) {
		t.Errorf("%d of %d addresses were asked for, want all", len(asked), len(w))
	}
}

func TestASiteThatOnlyRedirectsIsAskedLittle(t *testing.T) {
	w := smallWeb{}
	w.site("https://a.test", 100, longText)
	for _, u := range slices.Collect(maps.Keys(w)) {
		w["http"+strings.TrimPrefix(u, "https")] = "-> " + u
	}
	w["http://a.test/legacy.html"] = "-> https://a.test/new.html"
	s := openMirroring(t, t.TempDir())
	asked := crawlSmall(t, s, w)
	if n := askedAt(asked, "https://a.test"); n != 100 && n != 101 {
		t.Errorf("%d addresses over https were asked for, want 100, and perhaps one that is not there", n)
	}
	if n := askedAt(asked, "http://a.test"); n > 60 {
		t.Errorf("%d of 101 addresses over http were asked for, want few", n)
	}
}

// What both lead to elsewhere speaks neither for nor against two sites being one.
func TestMirrorsMayRedirectToAThirdSite(t *testing.T) {
	t.Parallel()
	w := smallWeb{}
	for _, origin := range []string{"http://one.test", "http://two.test"} {
		w.site(origin, 200, func(i int) string {
			if i%5 == 0 {
				return fmt.Sprintf("-> http://third.test/%d", i)
			}
			return longText(i)
		})
	}
	s := openMirroring(t, t.TempDir())
	asked := crawlSmall(t, s, w)
	one, two := askedAt(asked, "http://one.test"), askedAt(asked, "http://two.test")
	if most, least := max(one, two), min(one, two); most != 200 || least > 150 {
		t.Errorf("%d and %d of 200 addresses were asked for, want all of one site and few more than half of the other", one, two)
	}
	if m := s.Totals().Mirrors; m["found"] != 1 || m["given-up"] != 0 || m["wrong"] != 0 {
		t.Errorf("mirrors are %v, want one found, none given up and nothing wrong", m)
	}
}

// At the end of a crawl some of what was put off is looked at, and all of a site
// that turns out to go its own way.
func TestAMirrorThatWentItsOwnWayIsAskedInTheEnd(t *testing.T) {
	t.Parallel()
	w := smallWeb{}
	w.site("http://one.test", 200, longText)
	w.site("http://two.test", 200, longText)
	own := make(map[string]bool)
	for i := 100; i < 200; i += 4 { // when it is known to be a copy
		u := fmt.Sprintf("http://two.test/d%d/page-%d.html", i%3, i)
		w[u], own[u] = longText(5000+i), true
	}
	early, late := smallWeb{}, smallWeb{}
	for u, text := range w {
		if name := u[strings.LastIndexByte(u, '-'):]; len(name) < len("-100.html") {
			early[u] = text
		} else {
			late[u] = text
		}
	}
	s := openMirroring(t, t.TempDir())
	crawlSmall(t, s, early)
	if s.Totals().Mirrors["found"] != 1 {
		t.Fatalf("mirrors %v, want 1 found", s.Totals().Mirrors)
	}
	asked := crawlSmall(t, s, late)
	for u := range own {
		if asked[u] == 0 {
			t.Errorf("%s, a text that only the copy has, was not asked for; mirrors %v", u, s.Totals().Mirrors)
		}
	}
}

// After thirty days twins have to stand the test anew.
func TestAnOldTwinIsPutToANewTest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := smallWeb{}
		w.site("http://one.test", 120, longText)
		w.site("http://two.test", 120, longText)
		dir := t.TempDir()
		s := openMirroring(t, dir)
		crawlSmall(t, s, w)
		if again := crawlSmall(t, s, smallWeb{}); len(again) != 0 {
			t.Errorf("%d addresses were asked for at once again, want none", len(again))
		}
		time.Sleep(31 * 24 * time.Hour)
		if again := crawlSmall(t, s, smallWeb{}); len(again) < 12 || len(again) > 60 { // a fifth of the half that was left out, and no more than that half
			t.Errorf("%d addresses were asked for after thirty days, want 12 to 60", len(again))
		}
		closeChecked(t, s)
	})
}

// A copy that was not asked for raises what the page links to all the same.
func TestWhatIsPutOffForATwinRaisesWhatThatLinksTo(t *testing.T) {
	t.Parallel()
	w := smallWeb{}
	w.site("http://one.test", 120, longText)
	w.site("http://two.example", 120, longText)
	for _, n := range []int{60, 61, 62, 63} {
		w[fmt.Sprintf("http://one.test/d%d/page-%d.html", n%3, n)] += fmt.Sprintf(" => http://one.test/late-%d.html", n)
	}
	s := openMirroring(t, t.TempDir())
	asked := crawlSmall(t, s, w)
	putOff := 0
	for _, n := range []int{60, 61, 62, 63} {
		why, err := s.Why(t.Context(), fmt.Sprintf("http://one.test/late-%d.html", n))
		if err != nil {
			t.Fatal(err)
		}
		u, err := weburl.Parse(why.URL)
		if err != nil {
			t.Fatal(err)
		}
		err = s.look(func(in snapshot) error {
			if rec, _, err := in.URL(u.Key()); err != nil || rec.Signals.Degree == 0 {
				t.Errorf("late-%d was not paid for a vote: %+v", n, why.Terms)
				return err
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if asked[fmt.Sprintf("http://two.example/d%d/page-%d.html", n%3, n)] == 0 {
			putOff++
		}
	}
	if putOff == 0 {
		t.Error("all four copies were asked for: the test says nothing of those that are not")
	}
}

// In jobs of earlier versions a site could be put off for a stranger's whose pages were
// nearly the same.
func TestWhatWasPutOffForAStrangersNearCopyIsAskedForAgain(t *testing.T) {
	t.Parallel()
	w := smallWeb{}
	w.site("http://one.test", 120, longText)
	w.site("http://two.example", 120, longText)
	dir := t.TempDir()
	s := openMirroring(t, dir)
	asked := crawlSmall(t, s, w)
	left := 240 - len(asked)
	if left < 20 {
		t.Fatalf("%d addresses were put off, want some", left)
	}
	if err := s.write(func(t *txn) error {
		mirrors := tableNamed("mirrors")
		return each(t.tx, mirrors, func(k, v []byte) error {
			t.tx.Put(mirrors, k, bytes.ReplaceAll(v, []byte(`"by":"equal",`), nil))
			return nil
		})
	}); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s = openMirroring(t, dir)
	if n := s.Totals().Queued; n != int64(left) {
		t.Errorf("%d addresses wait, want the %d that were put off", n, left)
	}
}

// A reader that has a pace rests while it compares sites: here until its context ends.
func TestComparingSitesKeepsToAPace(t *testing.T) {
	t.Parallel()
	s, err := Open(t.TempDir(), testOptions())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for what, read := range map[string]func(context.Context) error{
		"Pairs":   func(ctx context.Context) error { _, err := s.Pairs(ctx); return err },
		"Outline": func(ctx context.Context) error { _, err := s.Outline(ctx); return err },
	} {
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		if err := read(limit.WithPace(ctx, limit.NewPace(1e-12, 0))); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%s without rests: %v", what, err)
		}
		cancel()
	}
}

// What a sitemap lists has the depth of the sitemap, but is not what a user named: only the user's hosts come before others.
func TestASitemapNamesNoHostForTheUser(t *testing.T) {
	s, err := Open(t.TempDir(), DefaultOptions())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	parse := func(address string) weburl.URL {
		u, err := weburl.Parse(address)
		if err != nil {
			t.Fatal(err)
		}
		return u
	}
	seed := parse("http://a.test/sitemap.xml")
	add := func(c frontier.Candidate) {
		if _, err := s.Add(t.Context(), []frontier.Candidate{c}); err != nil {
			t.Fatal(err)
		}
	}
	add(frontier.Candidate{URL: seed})
	listed, target := parse("http://b.test/p"), parse("http://www.a.test/sitemap.xml")
	add(frontier.Candidate{URL: listed, From: seed.Key(), Kind: frontier.EntryLink})
	add(frontier.Candidate{URL: target, From: seed.Key(), Root: "http://www.a.test/"})
	for u, want := range map[weburl.URL]bool{seed: true, listed: false, target: true} {
		err := s.look(func(in snapshot) error {
			got, ok, err := mirroredJob{s}.URL(in, u.Key())
			if !ok || got.Named != want {
				t.Errorf("%s: known %t, named by the user %t, want %t", u, ok, got.Named, want)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}
