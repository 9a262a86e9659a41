package twins_test

import (
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"
	"time"

	"gatecrawl.example/gatecrawl/dedup"
	"gatecrawl.example/gatecrawl/frontier"
	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/mirror"
	"gatecrawl.example/gatecrawl/mirror/twins"
	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/store/kv"
	"gatecrawl.example/gatecrawl/store/kv/mem"
)

// A crawl has URLs in a map, and pages and twins in tables in memory.
type crawl struct {
	t      *testing.T
	tables kv.Store
	twins  *twins.Learner

	pages    uint64
	first    map[int]uint64 // by document: the number of its kept page
	copies   map[uint64][]weburl.Key
	urls     map[weburl.Key]*twins.URL
	back     []string // URLs that were deferred and are queued
	ahead    []string // URLs that are to be fetched next
	presumed int      // copies that were counted for twins
	totals   page.Totals
	tokens   int // of each page that it brings

	near bool // copies are near copies of their kept pages
	same bool // and say the same as these do now
}

func newCrawl(t *testing.T, mode mirror.Mode) *crawl {
	t.Helper()
	tables, err := mem.Open(append(page.Tables(), twins.Tables()...))
	if err != nil {
		t.Fatal(err)
	}
	c := &crawl{t: t, tokens: 200, tables: tables, first: make(map[int]uint64), copies: make(map[uint64][]weburl.Key), urls: make(map[weburl.Key]*twins.URL)}
	c.totals.Mirrors = make(map[string]int64)
	t.Cleanup(func() {
		for _, b := range c.breaches() {
			t.Error("breach:", b)
		}
	})
	c.load(mode)
	return c
}

// load reads what is known of mirrors, as when a job is opened.
func (c *crawl) load(mode mirror.Mode) {
	c.t.Helper()
	c.view(func(r kv.Reader) (err error) {
		c.twins, err = twins.Load(r, mode, c, false)
		return err
	})
	for c.twins.Reopening() {
		c.update(func(kv.Tx) error { return nil })
	}
}

func (c *crawl) breaches() (all []string) {
	c.view(func(r kv.Reader) error {
		return c.twins.Check(r, func(what string, err error) error {
			all = append(all, fmt.Sprintf("%s: %v", what, err))
			return nil
		})
	})
	return all
}

func (c *crawl) view(fn func(kv.Reader) error) {
	c.t.Helper()
	if err := c.tables.View(c.t.Context(), fn); err != nil && c.t.Context().Err() == nil {
		c.t.Fatal(err)
	}
}

// update is a commit.
func (c *crawl) update(fn func(kv.Tx) error) {
	c.t.Helper()
	err := c.tables.Update(c.t.Context(), func(tx kv.Tx) error {
		if err := fn(tx); err != nil {
			return err
		}
		return c.twins.Finish(tx)
	})
	if err != nil {
		c.t.Fatal(err)
	}
}

// URL implements twins.Job.
func (c *crawl) URL(_ kv.Reader, k weburl.Key) (twins.URL, bool, error) {
	if u := c.urls[k]; u != nil {
		return *u, true, nil
	}
	return twins.URL{}, false, nil
}

// Copies implements twins.Job.
func (c *crawl) Copies(_ kv.Reader, kept uint64) iter.Seq2[weburl.Key, error] {
	return func(yield func(weburl.Key, error) bool) {
		for _, k := range c.copies[kept] {
			if !yield(k, nil) {
				return
			}
		}
	}
}

// Readmit implements twins.Job.
func (c *crawl) Readmit(_ kv.Tx, k weburl.Key, trial bool) error {
	u := c.urls[k]
	if !u.Deferred {
		return fmt.Errorf("%s was not deferred", u.Text)
	}
	u.Deferred, u.Waits, u.Trial = false, true, trial
	c.back = append(c.back, u.Text)
	return nil
}

// Presume implements twins.Job.
func (c *crawl) Presume(_ kv.Tx, _ uint64, copies iter.Seq2[weburl.URL, error]) error {
	for _, err := range copies {
		if err != nil {
			return err
		}
		c.presumed++
	}
	return nil
}

// Totals implements twins.Job.
func (c *crawl) Totals(kv.Tx) *page.Totals { return &c.totals }

func (c *crawl) parse(address string) weburl.URL {
	c.t.Helper()
	u, err := weburl.Parse(address)
	if err != nil {
		c.t.Fatal(err)
	}
	return u
}

// meets notes a URL that was found.
func (c *crawl) meets(u weburl.URL) *twins.URL {
	k := u.Key()
	if c.urls[k] == nil {
		c.urls[k] = &twins.URL{Text: u.String(), Waits: true, Place: uint64(len(c.urls) + 1)}
	}
	return c.urls[k]
}

// brings settles a URL with a document; 0: there is none.
func (c *crawl) brings(document int, address string) {
	c.t.Helper()
	u := c.parse(address)
	c.pages++
	rec := page.Record{URL: u.String(), Seq: c.pages, Status: 200, Fetched: time.Now(), Verdict: page.VerdictNew, BodyTokens: c.tokens, Depth: 1}
	v := &page.Visit{Lease: frontier.Lease{URL: u}}
	var verdict dedup.Verdict
	if document == 0 {
		rec.Status, rec.Verdict, rec.BodyTokens = 404, page.VerdictFailed, 0
	} else {
		sig := dedup.Signature{Bytes: dedup.DigestOf(fmt.Append(nil, document)), Body: dedup.DigestOf(fmt.Append(nil, "body", document)), Tokens: 200}
		sig.SimHash = uint64(document) * 0x9e3779b97f4a7c15
		if c.tokens == 0 {
			sig = dedup.Signature{Bytes: sig.Bytes}
		}
		rec.Digest, rec.SimHash = sig.Bytes.String(), fmt.Sprintf("%016x", sig.SimHash)
		v.Sign = &sig
		if of, ok := c.first[document]; ok {
			rec.Verdict = page.VerdictCopy
			verdict = dedup.Verdict{Of: dedup.Ref(of), Level: dedup.LevelBytes, Class: dedup.FullLayout, Similarity: 1}
			if c.near {
				verdict.Level, verdict.Similarity = dedup.LevelNear, .87
				rec.Digest = dedup.DigestOf([]byte(address)).String()
			}
			if c.same {
				v.Same = of
			}
		} else {
			c.first[document] = rec.Seq
		}
	}
	if verdict.Copy() {
		c.copies[uint64(verdict.Of)] = append(c.copies[uint64(verdict.Of)], u.Key())
	}
	known := c.meets(u)
	if known.Named {
		rec.Depth = 0
	}
	known.Page, known.Waits, known.Settled = rec.Seq, false, true
	c.update(func(tx kv.Tx) error {
		page.Put(tx, rec.Seq, &rec, verdict)
		if v.Sign != nil && !verdict.Copy() {
			tx.Put(page.TableSignatures, page.Key(rec.Seq), page.EncodeSignature(v.Sign))
		}
		return c.twins.Learn(tx, v, &rec, verdict)
	})
}

// asks decides about a URL as a crawl does, and reports whether it is asked for itself.
func (c *crawl) asks(address string) bool {
	c.t.Helper()
	u := c.parse(address)
	k := u.Key()
	known := c.meets(u)
	twin, ok := c.twins.TwinOf(u)
	if ok {
		c.view(func(r kv.Reader) (err error) {
			ok, err = c.twins.MayDefer(r, k, twin.Key())
			return err
		})
	}
	if !ok {
		return true
	}
	c.update(func(tx kv.Tx) error {
		refusal, err := c.twins.Defer(tx, u, twin)
		known.Deferred, known.Waits = !refusal.IsZero(), refusal.IsZero()
		return err
	})
	c.meets(twin)
	return !known.Deferred
}

func at(origin string, n int) string { return fmt.Sprintf("%s/d%d/page-%d.html", origin, n%3, n) }

const original, copied = "http://one.example", "http://two.test"

// mirrored is a crawl of two sites with the same documents, from 1 on.
func mirrored(t *testing.T, documents int) *crawl {
	t.Helper()
	c := newCrawl(t, mirror.ModeOn)
	for n := 1; n <= documents; n++ {
		c.brings(n, at(original, n))
		c.brings(n, at(copied, n))
	}
	if c.totals.Mirrors["found"] != 1 {
		t.Fatalf("mirrors are %v after %d equal documents of two sites, want one found", c.totals.Mirrors, documents)
	}
	return c
}

func TestATwinIsAskedForAndAnswersForBoth(t *testing.T) {
	c := mirrored(t, 60)
	if c.asks(at(copied, 61)) {
		t.Fatalf("%s is asked for, though its site is a copy", at(copied, 61))
	}
	if !c.asks(at(original, 62)) {
		t.Errorf("%s is not asked for", at(original, 62))
	}
	c.brings(61, at(original, 61))
	if len(c.back) > 0 || c.presumed != 1 {
		t.Errorf("after the twin brought a document %v are queued, and %d copies are counted for it; want none and 1", c.back, c.presumed)
	}
	if c.asks(at(copied, 63)) {
		t.Fatalf("%s is asked for", at(copied, 63))
	}
	c.brings(0, at(original, 63))
	if want := []string{at(copied, 63)}; !slices.Equal(c.back, want) {
		t.Errorf("after the twin brought nothing %v are queued, want %v", c.back, want)
	}
}

// Where several sites have altered copies, they may have come first with all pages that two equal sites share.
func TestAMirrorIsFoundThoughOthersCameFirstWithItsPages(t *testing.T) {
	c := newCrawl(t, mirror.ModeOn)
	altered := []string{"http://three.test", "http://four.test", "http://five.test"}
	for n := 1; n <= 90; n++ {
		for i := range altered {
			document := n
			if (n+i)%5 == 0 {
				document += 1000 * (i + 1)
			}
			c.brings(document, at(altered[(n+i)%len(altered)], n))
		}
		c.brings(n, at(original, n))
		c.brings(n, at(copied, n))
	}
	if c.asks(at(copied, 91)) {
		t.Errorf("%s is asked for, though %s has the same pages; mirrors are %v", at(copied, 91), original, c.totals.Mirrors)
	}
}

// Of a group of copies one site is fetched, the first seed, though others of them were compared with each other before. If
// one of them differs from that seed, it is not left out for it.
func TestAGroupOfCopiesHasOneSiteThatIsFetched(t *testing.T) {
	const late, later = "http://three.test", "http://four.test"
	for _, differs := range []bool{false, true} {
		c := newCrawl(t, mirror.ModeOn)
		for _, origin := range []string{original, copied, late, later} {
			c.meets(c.parse(origin + "/")).Named = true
			c.brings(1000, origin+"/")
		}
		if differs {
			c.brings(1061, at(late, 61))
			c.brings(61, at(original, 61))
		}
		for n := 1; n <= 60; n++ {
			for _, origin := range []string{copied, late, later} {
				c.brings(n, at(origin, n))
			}
		}
		for n := 1; n <= 120; n++ {
			c.brings(n, at(original, n))
		}
		first := original
		if differs {
			first = copied
		}
		for _, origin := range []string{original, copied, late, later} {
			u, want := c.parse(at(origin, 130)), c.parse(at(first, 130))
			if origin == original {
				want = u
			}
			if to, ok := c.twins.TwinOf(u); ok && to != want || !ok && u != want {
				t.Errorf("one differs: %t: %s is asked for in place of %s (%t), want %s; mirrors are %v", differs, to, u, ok, want, c.totals.Mirrors)
			}
		}
	}
}

// A group of copies whose site is itself found to be a copy of another one goes to that one. A member that differs there is compared with its own site,
// whose page is fetched next for that: it is given up, and holds the others back no longer. A near copy of both is as much like the one as the other.
func TestAGroupIsHandedOverThoughOneOfItsCopiesWasAltered(t *testing.T) {
	const late, later = "http://three.test", "http://four.test"
	for _, near := range []bool{false, true} {
		c := newCrawl(t, mirror.ModeOn)
		for _, origin := range []string{original, copied, late, later} {
			c.meets(c.parse(origin + "/")).Named = true
			c.brings(1000, origin+"/")
		}
		c.brings(61, at(original, 61))
		c.near = near
		if near {
			c.brings(61, at(late, 61))
		} else {
			c.brings(1061, at(late, 61))
		}
		c.near = false
		for n := 1; n <= 60; n++ {
			for _, origin := range []string{copied, late, later} {
				c.brings(n, at(origin, n))
			}
		}
		c.meets(c.parse(at(copied, 61)))
		for n := 1; n <= 60; n++ {
			c.brings(n, at(original, n))
		}
		if want := []string{at(copied, 61)}; !slices.Equal(c.ahead, want) {
			t.Fatalf("near copies: %t: %v are fetched next, want %v", near, c.ahead, want)
		}
		c.brings(61, at(copied, 61))
		for origin, left := range map[string]bool{copied: true, late: near, later: true} {
			to, ok := c.twins.TwinOf(c.parse(at(origin, 130)))
			if ok != left || ok && to != c.parse(at(original, 130)) {
				t.Errorf("near copies: %t: %s is asked for in place of %s: %t, want %s: %t; mirrors are %v", near, to, origin, ok, original, left, c.totals.Mirrors)
			}
		}
	}
}

// Two copies that are fetched in orders of their own soon have little in common. What is known to be on the other one is fetched next.
func TestPagesThatAnotherCopyHasComeNext(t *testing.T) {
	c := newCrawl(t, mirror.ModeOn)
	const all = 190
	for n := 1; n <= all; n++ {
		c.meets(c.parse(at(original, n)))
		c.meets(c.parse(at(copied, n)))
	}
	waits := func(u string) bool { return c.meets(c.parse(u)).Waits }
	theirs, mine := 0, all+1
	fetched := 0
	for fetched < all/2 && c.totals.Mirrors["found"] == 0 {
		theirs++
		c.brings(theirs, at(original, theirs))
		next := ""
		for len(c.ahead) > 0 && next == "" {
			if next = c.ahead[0]; !waits(next) {
				next = ""
			}
			c.ahead = c.ahead[1:]
		}
		n := 0
		for next == "" { // the last ones first, and some of those that the other has
			if mine--; mine%5 == 0 {
				next, n = at(copied, all+1-mine), all+1-mine
			} else {
				next, n = at(copied, mine), mine
			}
			if !waits(next) {
				next = ""
			}
		}
		if n == 0 {
			var k int
			origin := original
			if strings.HasPrefix(next, copied) {
				origin = copied
			}
			if _, err := fmt.Sscanf(next[len(origin):], "/d%d/page-%d.html", &k, &n); err != nil {
				t.Fatal(err)
			}
		}
		c.brings(n, next)
		fetched++
	}
	if c.totals.Mirrors["found"] != 1 || fetched > 70 {
		t.Errorf("mirrors are %v after %d of %d pages of a copy; want one found after at most 70", c.totals.Mirrors, fetched, all)
	}
}

// Where one copy of a group differs from the canonical site, all copies are compared there: if it is the canonical site that was altered, they
// differ as well.
func TestWhereOneCopyDiffersAllAreCompared(t *testing.T) {
	const late = "http://three.test"
	for i := range 4 {
		altered, waits := i%2 == 0, i > 1 // the canonical site was altered, or one copy; the page of another copy waits, or is left out
		c := mirrored(t, 60)
		for n := 1; n <= 60; n++ {
			c.brings(n, at(late, n))
		}
		for n := 70; n < 80; n++ {
			if n == 75 && waits {
				continue
			}
			if c.asks(at(copied, n)) || c.asks(at(late, n)) {
				t.Fatal("a copy is asked for")
			}
			c.brings(n, at(original, n))
		}
		if waits {
			c.brings(75, at(original, 75))
			c.meets(c.parse(at(late, 75)))
		}
		c.brings(1075, at(copied, 75)) // it is drawn as a check
		if slices.Contains(c.back, at(late, 75)) == waits || !slices.Contains(c.ahead, at(late, 75)) || !c.asks(at(late, 75)) {
			t.Fatalf("waits: %t: %v are queued and %v fetched next after %s differed; want %s to be fetched next", waits, c.back, c.ahead, at(copied, 75), at(late, 75))
		}
		theirs := 75
		if altered {
			theirs = 1075
		}
		c.brings(theirs, at(late, 75))
		given := int64(1)
		if altered {
			given = 2
		}
		if m := c.totals.Mirrors; m["given-up"] != given {
			t.Errorf("the canonical site was altered: %v; mirrors are %v, want %d given up", altered, m, given)
		}
	}
}

// A copy that was given up for a page that differs is left out for another site only if that one has the page. Two sites, each with an altered page of
// its own that the other one was not asked for, agree in all that was fetched of both.
func TestACopyThatWasGivenUpIsLeftOutOnlyForASiteWithThePageThatDiffered(t *testing.T) {
	const late = "http://three.test"
	for _, has := range []bool{false, true} {
		c := mirrored(t, 60)
		for n := 1; n <= 60; n++ {
			c.brings(n, at(late, n))
		}
		for n, origin := range map[int]string{70: copied, 71: late} {
			c.brings(n, at(original, n))
			c.brings(1000+n, at(origin, n))
		}
		if m := c.totals.Mirrors; m["found"] != 2 || m["given-up"] != 2 {
			t.Fatalf("mirrors are %v, of two copies with an altered page each; want two found and given up", m)
		}
		if has {
			c.brings(1070, at(late, 70))
			c.brings(1071, at(copied, 71))
		}
		for n := 72; n <= 130; n++ {
			c.brings(n, at(copied, n))
			c.brings(n, at(late, n))
		}
		if found := c.totals.Mirrors["found"] == 3; found != has {
			t.Errorf("both altered pages are on both copies: %t; one is left out for the other: %t", has, found)
		}
	}
}

// A near copy of a page that the other site has word for word differs from it, also where both are copies of a page of a third site. Two near
// copies of a third page say nothing.
func TestANearCopyOfAThirdPageCountsIfTheOtherSiteHasThatPage(t *testing.T) {
	const late = "http://three.test"
	for _, has := range []bool{true, false} {
		c := mirrored(t, 60)
		for n := 70; n < 73; n++ {
			c.brings(n, at(late, n))
			c.near = !has
			c.brings(n, at(original, n))
			c.near = true
			c.brings(n, at(copied, n))
			c.near = false
		}
		if given := c.totals.Mirrors["given-up"] == 1; given != has {
			t.Errorf("the other site has the third page word for word: %t; the copy was given up after three near copies of it: %t", has, given)
		}
	}
}

// A page without text says nothing about the rest of its site.
func TestAPageWithoutTextEndsNoMirror(t *testing.T) {
	for _, tokens := range []int{0, 100} {
		c := mirrored(t, 60)
		c.tokens = tokens
		c.brings(2001, at(original, 201))
		c.brings(2002, at(copied, 201)) // the same form, below a banner
		if given := c.totals.Mirrors["given-up"] != 0; given != (tokens > 0) {
			t.Errorf("after two pages of %d words with other bytes the mirror was given up: %v", tokens, given)
		}
	}
}

func TestAUserGetsWhatWasDeferred(t *testing.T) {
	c := mirrored(t, 60)
	u := at(copied, 70)
	if c.asks(u) {
		t.Fatalf("%s is asked for", u)
	}
	c.update(func(tx kv.Tx) error { return c.twins.TakeBack(tx, c.parse(u).Key()) })
	if !slices.Equal(c.back, []string{u}) {
		t.Errorf("%v are queued, want %s", c.back, u)
	}
}

// leaves has URLs of the copy deferred, whose twins have documents.
func (c *crawl) leaves(from, to int) {
	c.t.Helper()
	for n := from; n < to; n++ {
		if c.asks(at(copied, n)) {
			c.t.Fatalf("%s is asked for", at(copied, n))
		}
		c.brings(n, at(original, n))
	}
}

func (c *crawl) idle() (more bool) {
	c.t.Helper()
	c.update(func(tx kv.Tx) (err error) {
		more, err = c.twins.Idle(tx)
		return err
	})
	return more
}

// When nothing else is left some of what was deferred is asked for.
func TestWhatWasDeferredIsTriedInTheEnd(t *testing.T) {
	c := mirrored(t, 60)
	c.leaves(100, 300)
	tried := 0
	for c.idle() {
		for _, u := range c.back {
			var k, n int
			if _, err := fmt.Sscanf(u[len(copied):], "/d%d/page-%d.html", &k, &n); err != nil {
				t.Fatal(err)
			}
			if !c.asks(u) {
				t.Errorf("%s is to be tried, and deferred again", u)
			}
			c.brings(n, u)
			tried++
		}
		c.back = nil
	}
	if tried < 60 || tried > 80 { // half of 260 pages are compared, and 60 of these came before
		t.Errorf("%d of 200 deferred URLs were tried, want some 70", tried)
	}
	if m := c.totals.Mirrors; m["wrong"] != 0 || m["given-up"] != 0 {
		t.Errorf("mirrors are %v, want nothing wrong", m)
	}
}

// Where the site that others are left out for was altered, they are left out for one of them in the end. What was compared until then is not asked
// for again.
func TestAGroupWhoseSiteWasAlteredIsNotTriedTwice(t *testing.T) {
	const late = "http://three.test"
	c := mirrored(t, 60)
	for n := 1; n <= 60; n++ {
		c.brings(n, at(late, n))
	}
	for n := 100; n < 200; n++ {
		if c.asks(at(copied, n)) || c.asks(at(late, n)) {
			t.Fatal("a copy is asked for")
		}
		c.brings(n, at(original, n))
	}
	c.brings(1199, at(original, 199))
	tried := 0 // of the last site
	bring := func() {
		back := c.back
		c.back = nil
		for _, u := range back {
			var k, n int
			origin := copied
			if strings.HasPrefix(u, late) {
				origin = late
			}
			if _, err := fmt.Sscanf(u[len(origin):], "/d%d/page-%d.html", &k, &n); err != nil {
				t.Fatal(err)
			}
			if c.asks(u) && n != 199 {
				c.brings(n, u)
				if origin == late {
					tried++
				}
			}
		}
	}
	c.idle()
	bring()
	if tried < 15 {
		t.Fatalf("%d pages were tried, want some 20", tried)
	}
	for _, origin := range []string{copied, late} {
		c.brings(199, at(origin, 199))
	}
	if m := c.totals.Mirrors; m["given-up"] != 2 {
		t.Fatalf("mirrors are %v after a page of the site differed from those of two copies, want two given up", m)
	}
	c.brings(300, at(copied, 300))
	c.brings(301, at(late, 301))
	if m := c.totals.Mirrors; m["found"] != 3 {
		t.Fatalf("mirrors are %v, want one of the two copies left out for the other", m)
	}
	bring()
	left := 0
	for _, u := range c.urls {
		if u.Deferred {
			left++
		}
	}
	for range 200 { // each URL that was tried before has one call return early
		c.idle()
	}
	if left < 30 || len(c.back) > 0 {
		t.Errorf("%d of %d deferred URLs are tried again, want none; mirrors are %v", len(c.back), left, c.totals.Mirrors)
	}
}

// A site that turns out to be another has all asked for that was deferred.
func TestATwinThatIsAnotherSiteIsGivenUp(t *testing.T) {
	c := mirrored(t, 60)
	c.leaves(100, 200)
	c.idle()
	for _, u := range slices.Clone(c.back) {
		c.brings(100_000+len(c.urls), u) // other documents, each
	}
	if m := c.totals.Mirrors; m["given-up"] != 1 || len(c.back) != 100 {
		t.Errorf("%d of 100 deferred URLs are queued, mirrors are %v; want all, and one given up", len(c.back), m)
	}
	if !c.asks(at(copied, 300)) {
		t.Errorf("%s is not asked for, though its twin was given up", at(copied, 300))
	}
}

// A page that was fetched of both sites, but from one of them before this was left out for the other, is evidence, too: one
// that differs is found without a request.
func TestAPageThatCameBeforeItsTwinIsCompared(t *testing.T) {
	for _, differs := range []bool{true, false} {
		c := newCrawl(t, mirror.ModeOn)
		theirs := 500
		if differs {
			theirs = 5000
		}
		c.brings(499, at(original, 499))
		c.brings(theirs, at(copied, 500))
		for n := 1; n <= 60; n++ {
			c.brings(n, at(original, n))
			c.brings(n, at(copied, n))
		}
		c.leaves(100, 200)
		c.brings(500, at(original, 500))
		for c.idle() {
			if m := c.totals.Mirrors; (m["given-up"] == 1) != differs || m["found"] != 1 {
				t.Fatalf("mirrors are %v, of two sites whose pages at one URL differ: %t", m, differs)
			}
		}
		if all := len(c.back) == 100; all != differs {
			t.Errorf("%d of 100 deferred URLs are queued, of two sites whose pages at one URL differ: %t", len(c.back), differs)
		}
	}
}

// What was kept of a page may lack lines that its site's template had then and has no more. If the page says the same
// now, that is no other document.
func TestATwinWhosePagesSayTheSameNowIsKept(t *testing.T) {
	for _, same := range []bool{true, false} {
		c := mirrored(t, 60)
		c.leaves(100, 200)
		c.idle()
		c.near, c.same = true, same
		for _, u := range slices.Clone(c.back) {
			var k, n int
			if _, err := fmt.Sscanf(u[len(copied):], "/d%d/page-%d.html", &k, &n); err != nil {
				t.Fatal(err)
			}
			c.brings(n, u)
		}
		if m := c.totals.Mirrors; m["wrong"] != 0 != !same || m["given-up"] != 0 != !same {
			t.Errorf("says the same: %v: mirrors are %v", same, m)
		}
	}
}

func TestWhatWasDeferredIsQueuedInAnotherMode(t *testing.T) {
	c := mirrored(t, 60)
	c.leaves(100, 150)
	c.load(mirror.ModeOn)
	if len(c.back) > 0 || c.asks(at(copied, 200)) {
		t.Errorf("after the job was opened again %d URLs are queued, and twins are forgotten: %v", len(c.back), c.asks(at(copied, 201)))
	}
	c.load(mirror.ModeWatch)
	if len(c.back) != 51 {
		t.Errorf("with mode watch %d of 51 deferred URLs are queued, want all", len(c.back))
	}
}

func TestARepairMakesTwinsAndCountsWhatTheyAre(t *testing.T) {
	table := func(name string) *kv.Table {
		all := twins.Tables()
		return all[slices.IndexFunc(all, func(t *kv.Table) bool { return t.Name == name })]
	}
	for _, d := range []struct {
		what, table string
		damage      func(tx kv.Tx, table *kv.Table, k, v []byte)
		all         bool // nothing is deferred after it
	}{
		{"records of hosts that cannot be read", "mirrors", func(tx kv.Tx, t *kv.Table, k, _ []byte) { tx.Put(t, k, []byte{17}) }, true},
		{"hosts that count other than there are", "mirrors", func(tx kv.Tx, t *kv.Table, k, v []byte) {
			v = slices.Clone(v)
			v[3]++ // form, documents and samples are a byte each, and so are the deferred
			tx.Put(t, k, v)
		}, false},
		{"no list of twins", "twins", func(tx kv.Tx, t *kv.Table, k, _ []byte) { tx.Delete(t, k) }, false},
		{"twins that are others", "deferred", func(tx kv.Tx, t *kv.Table, k, v []byte) {
			v = slices.Clone(v)
			v[3]++
			tx.Put(t, k, v)
		}, false},
	} {
		t.Run(d.what, func(t *testing.T) {
			c := mirrored(t, 60)
			c.leaves(100, 150)
			if err := c.tables.Update(t.Context(), func(tx kv.Tx) error {
				return kv.Each(tx, table(d.table), func(k, v []byte) error { d.damage(tx, table(d.table), k, v); return nil })
			}); err != nil {
				t.Fatal(err)
			}
			if len(c.breaches()) == 0 {
				t.Error("the damage is not noticed")
			}
			if err := twins.Repair(t.Context(), c.tables, c); err != nil {
				t.Fatal(err)
			}
			if err := twins.Recount(t.Context(), c.tables); err != nil {
				t.Fatal(err)
			}
			c.view(func(r kv.Reader) error {
				n, _, err := twins.Count(r)
				if d.all != (n == 0) || !d.all && n != 50 {
					t.Errorf("%d URLs are deferred after the repair, want none: %v", n, d.all)
				}
				return err
			})
		})
	}
}

// A sitemap names the pages of a site whose front page, the seed, is missing. Its host is a seed's all the same, and comes in the order of
// seeds.
func TestASeedWithoutADocumentNamesItsHost(t *testing.T) {
	c := newCrawl(t, mirror.ModeOn)
	for _, seed := range []string{"http://a.test/", "http://b.test/"} {
		c.meets(c.parse(seed)).Named = true
	}
	for _, seed := range []string{"http://b.test/", "http://a.test/"} {
		c.brings(0, seed)
	}
	for _, listed := range []string{"http://b.test/1", "http://a.test/1"} {
		c.meets(c.parse(listed)).Named = true
		c.brings(1, listed)
	}
	a, b := weburl.HostKeyOf("a.test"), weburl.HostKeyOf("b.test")
	c.update(func(tx kv.Tx) error {
		before, err := c.twins.NamedBefore(tx, a, b)
		after, err2 := c.twins.NamedBefore(tx, b, a)
		if !before || after {
			t.Errorf("a before b: %t, b before a: %t", before, after)
		}
		return errors.Join(err, err2)
	})
}

// Advance implements twins.Job.
func (c *crawl) Advance(_ kv.Tx, k weburl.Key, trial bool) (bool, error) {
	c.urls[k].Trial = c.urls[k].Trial || trial
	if slices.Contains(c.ahead, c.urls[k].Text) {
		return false, nil
	}
	c.ahead = append(c.ahead, c.urls[k].Text)
	return true, nil
}

// SayTheSame implements twins.Job.
func (c *crawl) SayTheSame(_, _ uint64) (bool, error) { return c.same, nil }
