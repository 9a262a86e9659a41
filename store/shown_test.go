package store

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"gatecrawl.example/gatecrawl"
	"gatecrawl.example/gatecrawl/dedup"
	"gatecrawl.example/gatecrawl/frontier"
	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/purify"
	"gatecrawl.example/gatecrawl/store/job"
)

// reads settles a page of HTML as a crawl does that reads it with the template of its host.
func (l toldJob) reads(address, title, says string) page.Record {
	l.t.Helper()
	return l.readsAt(l.lease(address), title, says)
}

// readsAt is reads for a URL that is leased. What head has is in the head of the page, too.
func (l toldJob) readsAt(lease frontier.Lease, title, says string, head ...string) page.Record {
	l.t.Helper()
	address := lease.URL.String()
	html := fmt.Appendf(nil, `<html lang="en"><head><title>%s</title>%s</head><body><header><a href="/">Notes of a gardener who reads</a></header>
<main>%s</main><footer><p>Written in the evening hours with a pencil, typed later. Some rights are reserved by those who wrote.</p></footer></body></html>`, title, strings.Join(head, ""), says)
	site, err := l.Template(address)
	if err != nil {
		l.t.Fatal(err)
	}
	view, prints := purify.PurifyOn(site, address, html, "text/html")
	view.URL = address
	text := dedup.TextOf(view, site)
	sig := dedup.SignPage(dedup.DigestOf(html), view, &text)
	v := &page.Visit{
		Lease: lease, Finished: time.Now(), Sign: &sig, Text: &text, Body: html, View: page.PackViewOn(view, html), Prints: prints, Template: view.Template,
		Page: page.Record{URL: address, Status: 200, Type: "text/html", Title: view.Title, PageType: view.Type, Lang: view.Lang, Digest: sig.Bytes.String(), BodyTokens: int(sig.Tokens), Fetched: time.Now()},
	}
	if v.Checked, err = l.Check(sig, &text); err != nil {
		l.t.Fatal(err)
	}
	if near, ok := text.Compared(v.Checked.Of); ok {
		if d := dedup.Differ(text, near); !d.IsZero() {
			v.Page.Differs = &d
		}
	}
	p, err := l.Settle(l.t.Context(), v)
	if err != nil {
		l.t.Fatal(err)
	}
	return p
}

// gardenPost is a post, below its headline.
func gardenPost(headline, name string) string {
	var b strings.Builder
	for i := range 6 {
		fmt.Fprintf(&b, "<p>In week %[1]d the %[2]s of the %[2]sgarden sang whenever the %[2]swind%[1]d came from the river, and nobody in %[2]shouse%[1]d could say why, although the %[2]ssmith%[1]d had come twice. "+
			"So we took %[2]s%[1]d to the town%[1]d of %[2]s, where the people of %[2]stown laughed at our %[2]slid%[1]d and gave us %[1]d%[1]d crowns.</p>\n", i, name)
	}
	return "<article><h2>" + headline + "</h2>" + b.String() + "</article>"
}

const (
	gardenKettle = "http://blog.test/2019/kettle/"
	gardenIron   = "http://blog.test/tags/iron/"
	kettleLink   = `<a href="/2019/kettle/">The kettle that sang</a>`
)

// gardenJob opens a job with posts of a blog, whose template is known by then.
func gardenJob(t *testing.T, dir string) toldJob {
	t.Helper()
	s, err := Open(dir, testOptions())
	if err != nil {
		t.Fatal(err)
	}
	l := toldJob{s, t}
	for n := range 30 {
		name := fmt.Sprintf("pot%d", n)
		l.reads(fmt.Sprintf("http://blog.test/2018/%s/", name), "The "+name, gardenPost("The "+name, name))
	}
	if site, err := s.Template(gardenKettle); err != nil || site.Generation() == 0 {
		t.Fatalf("the blog has no template, %v", err)
	}
	return l
}

// closed closes a job and fails if it has breaches.
func (l toldJob) closed(dir string) {
	l.t.Helper()
	if err := l.Close(); err != nil {
		l.t.Fatal(err)
	}
	for _, b := range breaches(l.t, dir) {
		l.t.Error(b)
	}
}

func (l toldJob) page(address string) page.Record {
	l.t.Helper()
	w, err := l.Why(l.t.Context(), address)
	if err != nil || w.Page == nil {
		l.t.Fatalf("Why(%s) = %+v, %v", address, w, err)
	}
	return *w.Page
}

// A list comes before the post that it shows.
func TestAPostIsKeptInPlaceOfTheListThatShowsIt(t *testing.T) {
	dir := t.TempDir()
	l := gardenJob(t, dir)
	shown := gardenPost(kettleLink, "kettle")
	list := l.reads(gardenIron, "iron", "<h1>iron</h1>"+shown)
	if list.Verdict != page.VerdictNew {
		t.Fatalf("the list is %+v, want it kept", list)
	}
	before := l.Totals()
	post := l.reads(gardenKettle, "The kettle that sang", gardenPost("The kettle that sang", "kettle")+"<p>Written by the gardener.</p>")
	want := func(when string) {
		t.Helper()
		if p := l.page(gardenKettle); p.Verdict != page.VerdictNew || p.Of != "" || p.Differs != nil {
			t.Errorf("%s: the post is %s of %q, differing in %+v; want it kept", when, p.Verdict, p.Of, p.Differs)
		}
		p := l.page(gardenIron)
		if p.Verdict != page.VerdictCopy || p.Of != gardenKettle || p.Level < 4 || p.Similarity < .8 || p.Compared != post.Seq {
			t.Errorf("%s: the list is %+v, want a copy of the post", when, p)
		}
		if p.Differs == nil || len(p.Differs.There) == 0 || !strings.Contains(p.Differs.There[len(p.Differs.There)-1].Text, "Written by the gardener") {
			t.Errorf("%s: the list differs in %+v, want what only the post has", when, p.Differs)
		}
		var copies []string
		if err := l.Groups(t.Context(), gatecrawl.GroupQuery{}, func(g gatecrawl.Group) error {
			for _, m := range g.Copies {
				copies = append(copies, m.URL+" OF "+g.URL)
			}
			return nil
		}); err != nil || !slices.Contains(copies, gardenIron+" OF "+gardenKettle) {
			t.Errorf("%s: the copies are %q, %v; want the list among the post's", when, copies, err)
		}
		copied := l.reads(fmt.Sprintf("http://%s.test/iron/", strings.ReplaceAll(when, " ", "-")), "iron", "<h1>iron</h1>"+shown)
		if copied.Of != gardenKettle {
			t.Errorf("%s: a copy of the list is %s of %q, want of the post", when, copied.Verdict, copied.Of)
		}
	}
	if n := l.Totals(); n.New != before.New || n.Copies != before.Copies+1 || n.Votes != before.Votes+1 {
		t.Errorf("totals %d new, %d copies, %d votes, before the post %d, %d, %d", n.New, n.Copies, n.Votes, before.New, before.Copies, before.Votes)
	}
	if post.Verdict != page.VerdictNew {
		t.Errorf("Settle returns that the post is %s", post.Verdict)
	}
	killed := t.TempDir() // as a process that is killed now leaves it
	if err := os.CopyFS(killed, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	want("at once")
	l.closed(dir)
	for _, c := range [][2]string{{"after a kill", killed}, {"after a reopen", dir}, {"with a new index", dir}} {
		when, dir := c[0], c[1]
		s, err := Open(dir, testOptions())
		if err != nil {
			t.Fatal(err)
		}
		l = toldJob{s, t}
		want(when)
		l.closed(dir)
		if err := os.RemoveAll(filepath.Join(dir, job.DirIndex)); err != nil {
			t.Fatal(err)
		}
	}
}

// A list has a copy, another list of the same post, and less in common with the post than the post could stand for.
func TestAPostIsKeptNextToAListWithCopies(t *testing.T) {
	for _, near := range []bool{false, true} { // the two turn out to be near when the template is known
		dir := t.TempDir()
		l := gardenJob(t, dir)
		shown := gardenPost(kettleLink, "kettle")
		list := l.reads(gardenIron, "iron", "<h1>iron</h1>"+shown)
		if p := l.reads("http://blog.test/tags/wind/", "wind", "<h1>wind</h1>"+shown); p.Of != gardenIron {
			t.Fatalf("the second list is %s of %q, want a copy of the first", p.Verdict, p.Of)
		}
		more := "<p>Of the kettle nobody has heard since then, though three neighbours asked for it in spring, and again in autumn, when the wind had turned and the river stood high.</p>"
		if near {
			more = gardenPost("More", "lid")
		}
		post := l.reads(gardenKettle, "The kettle that sang", gardenPost("The kettle that sang", "kettle")+more)
		if near {
			if err := l.write(func(tx *txn) error {
				return tx.join(post.Seq, []dedup.Verdict{{Of: dedup.Ref(list.Seq), Level: dedup.LevelNear, Class: dedup.PartialLayout, Similarity: .85}})
			}); err != nil {
				t.Fatal(err)
			}
		}
		for address, of := range map[string]string{gardenKettle: "", gardenIron: "", "http://blog.test/tags/wind/": gardenIron} {
			if p := l.page(address); p.Of != of {
				t.Errorf("near %v: %s is %s of %q, want of %q", near, address, p.Verdict, p.Of, of)
			}
		}
		if again := l.reads("http://blog.test/print/kettle/", "The kettle that sang", gardenPost("The kettle that sang", "kettle")+more); again.Of != gardenKettle {
			t.Errorf("near %v: a copy of the post is %s of %q, want of the post", near, again.Verdict, again.Of)
		}
		l.closed(dir)
	}
}

// A page for telephones names the article as the canonical page, and comes before it; a page to print comes after it.
func TestAPageIsKeptInPlaceOfOneThatNamesItAsCanonical(t *testing.T) {
	const amp, print = gardenKettle + "amp/", gardenKettle + "print/"
	dir := t.TempDir()
	l := gardenJob(t, dir)
	says := func(note string) string {
		return gardenPost("The kettle that sang", "kettle") + "<p>" + note + "</p>"
	}
	const head = `<link rel="canonical" href="` + gardenKettle + `">`
	first := l.readsAt(l.lease(amp), "The kettle that sang", says("For small screens."), head)
	if first.Verdict != page.VerdictNew {
		t.Fatalf("the page for telephones is %s of %q, want it kept", first.Verdict, first.Of)
	}
	before := l.Totals()
	if p := l.readsAt(l.lease(gardenKettle), "The kettle that sang", says("With pictures."), head); p.Verdict != page.VerdictNew {
		t.Errorf("the article is %s of %q, want it kept", p.Verdict, p.Of)
	}
	if n := l.Totals(); n.New != before.New || n.Copies != before.Copies+1 || n.Votes != before.Votes+1 {
		t.Errorf("totals %d new, %d copies, %d votes, before the article %d, %d, %d", n.New, n.Copies, n.Votes, before.New, before.Copies, before.Votes)
	}
	killed := t.TempDir() // as a process that is killed now leaves it
	if err := os.CopyFS(killed, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	l.closed(dir)
	for _, dir := range []string{killed, dir} {
		s, err := Open(dir, testOptions())
		if err != nil {
			t.Fatal(err)
		}
		l = toldJob{s, t}
		l.readsAt(l.lease(print), "The kettle that sang", says("For paper."), head)
		for _, address := range []string{amp, print} {
			if p := l.page(address); p.Of != gardenKettle {
				t.Errorf("%s is %s of %q, want a copy of the article", address, p.Verdict, p.Of)
			}
		}
		l.closed(dir)
	}
}

// A page that nobody has translated comes before the original, and another such page after it.
func TestAPageIsKeptInPlaceOfOneInTheFolderOfAnotherLanguage(t *testing.T) {
	dir := t.TempDir()
	l := gardenJob(t, dir)
	says := func(folder string) string {
		return gardenPost("The kettle that sang", "kettle") + "<p>Written by the gardener for /" + folder + ".</p>"
	}
	const original, german = "http://blog.test/en-US/kettle/", "http://blog.test/de/kettle/"
	first := l.reads(german, "The kettle that sang", says("de"))
	other := l.reads("http://blog.test/fr/kettle/", "The kettle that sang", says("fr"))
	if first.Verdict != page.VerdictNew || other.Of != german {
		t.Fatalf("the first page is %s, and another such page %s of %q; want a kept page and its copy", first.Verdict, other.Verdict, other.Of)
	}
	if p := l.reads(original, "The kettle that sang", says("en-US")); p.Verdict != page.VerdictNew {
		t.Errorf("the original is %s of %q, want it kept", p.Verdict, p.Of)
	}
	last := l.reads("http://blog.test/it/kettle/", "The kettle that sang", says("it"))
	for _, address := range []string{german, other.URL, last.URL} {
		if p := l.page(address); p.Of != original {
			t.Errorf("%s is %s of %q, want a copy of the original", address, p.Verdict, p.Of)
		}
	}
	for address, with := range map[string]string{original: "", german: "", other.URL: german, last.URL: ""} {
		if w, err := l.Why(t.Context(), address); err != nil || w.With != with {
			t.Errorf("%s was compared with %q, %v; want %q", address, w.With, err, with)
		}
	}
	l.closed(dir)
}

// Two pages that counted as two documents may turn out to be one when the templates are known. The younger
// is the post here, or the list.
func TestAPostIsKeptInPlaceOfAListThatItIsFoundNear(t *testing.T) {
	for _, listFirst := range []bool{true, false} {
		dir := t.TempDir()
		l := gardenJob(t, dir)
		list := func() uint64 {
			return l.reads(gardenIron, "iron", "<h1>iron</h1>"+gardenPost(kettleLink, "kettle")).Seq
		}
		var seq uint64
		if listFirst {
			seq = list()
		}
		post := l.reads(gardenKettle, "The kettle that sang", gardenPost("The kettle that sang", "kettle")+gardenPost("More", "lid"))
		if !listFirst {
			seq = list()
		}
		if n := l.Totals(); n.Copies != 0 {
			t.Fatalf("%d copies, want two pages that differ", n.Copies)
		}
		near := []dedup.Verdict{{Of: dedup.Ref(seq), Level: dedup.LevelNear, Class: dedup.PartialLayout, Similarity: .8}}
		for range 2 { // again changes nothing
			if err := l.write(func(t *txn) error { return t.join(post.Seq, near) }); err != nil {
				t.Fatal(err)
			}
		}
		if p := l.page(gardenKettle); p.Verdict != page.VerdictNew {
			t.Errorf("list first %v: the post is %s of %q, want it kept", listFirst, p.Verdict, p.Of)
		}
		if p := l.page(gardenIron); p.Of != gardenKettle {
			t.Errorf("list first %v: the list is %s of %q, want a copy of the post", listFirst, p.Verdict, p.Of)
		}
		l.closed(dir)
	}
}

// A re-crawl finds the post and its list as they were, or the post gone: then the list is what is left of them.
func TestAListStandsForItsPostAgainWhenThatIsGone(t *testing.T) {
	for _, gone := range []bool{false, true} {
		dir := t.TempDir()
		l := gardenJob(t, dir)
		shown := "<h1>iron</h1>" + gardenPost(kettleLink, "kettle")
		post := gardenPost("The kettle that sang", "kettle")
		l.reads(gardenIron, "iron", shown)
		l.reads(gardenKettle, "The kettle that sang", post)
		if p := l.page(gardenIron); p.Of != gardenKettle {
			t.Fatalf("the list is %s of %q, want a copy of the post", p.Verdict, p.Of)
		}
		if _, err := l.Requeue(t.Context(), gatecrawl.Again{Before: time.Now().Add(time.Hour), Copies: 1}); err != nil {
			t.Fatal(err)
		}
		for {
			lease, err := l.leaseURL(t.Context())
			if errors.Is(err, frontier.ErrEmpty) {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			name := strings.Split(strings.Trim(lease.URL.Path(), "/"), "/")[1]
			switch {
			case name == "iron":
				l.readsAt(lease, "iron", shown)
			case name == "kettle" && gone:
				v := &page.Visit{Lease: lease, Finished: time.Now(), Page: page.Record{URL: gardenKettle, Status: 404, Verdict: page.VerdictFailed, Failure: "http 404", Reason: "http 404", Fetched: time.Now()}}
				if _, err := l.Settle(t.Context(), v); err != nil {
					t.Fatal(err)
				}
			case name == "kettle":
				l.readsAt(lease, "The kettle that sang", post)
			default:
				l.readsAt(lease, "The "+name, gardenPost("The "+name, name))
			}
		}
		list := l.page(gardenIron)
		if gone && list.Verdict != page.VerdictNew || !gone && list.Of != gardenKettle {
			t.Errorf("post gone: %v; the list is %s of %q", gone, list.Verdict, list.Of)
		}
		l.closed(dir)
	}
}

// What decides the class when a group gets another kept page is in the records of its copies, also of those that were not read.
func TestTheRecordOfACopyHasItsLayout(t *testing.T) {
	dir := t.TempDir()
	l := gardenJob(t, dir)
	says := gardenPost("The kettle that sang", "kettle")
	l.reads(gardenKettle, "The kettle that sang", says)
	near := l.reads("http://blog.test/a/kettle/", "The kettle that sang", says+"<p>Written by the gardener.</p>")
	equal := l.reads("http://blog.test/b/kettle/", "The kettle that sang", says+"<!-- of the same words -->")
	again := func(address string, as page.Record) page.Record {
		lease := l.lease(address)
		d, err := dedup.ParseDigest(as.Digest)
		if err != nil {
			t.Fatal(err)
		}
		v := &page.Visit{Lease: lease, Finished: time.Now(), Sign: &dedup.Signature{Bytes: d}, Page: page.Record{URL: address, Status: 200, Type: "text/html", Digest: as.Digest, Fetched: time.Now()}}
		if v.Checked, err = l.CheckBytes(d); err != nil {
			t.Fatal(err)
		}
		p, err := l.Settle(t.Context(), v)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	want := map[string]uint64{near.URL: near.Layout, equal.URL: equal.Layout}
	for address, as := range map[string]page.Record{"http://blog.test/c/kettle/": near, "http://blog.test/d/kettle/": equal} {
		if p := again(address, as); p.Of != gardenKettle || p.Level != as.Level {
			t.Fatalf("%s is %s of %q by level %d, want a copy like the one with its bytes", address, p.Verdict, p.Of, p.Level)
		}
		want[address] = as.Layout
	}
	l.closed(dir)
	s, err := Open(dir, testOptions())
	if err != nil {
		t.Fatal(err)
	}
	l = toldJob{s, t}
	for address, layout := range want {
		if p := l.page(address); p.Of != gardenKettle || p.Layout != layout || layout == 0 {
			t.Errorf("%s is %s of %q, level %d, with layout %x, want %x", address, p.Verdict, p.Of, p.Level, p.Layout, layout)
		}
	}
	l.closed(dir)
}
