package gatecrawl_test

import (
	"context"
	"fmt"
	"html"
	"slices"
	"strings"
	"testing"

	"gatecrawl.example/gatecrawl"
	"gatecrawl.example/gatecrawl/dedup"
	"gatecrawl.example/gatecrawl/frontier"
	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/purify"
)

// frame is what the pages of a made site repeat in the middle of their text.
const frame = "This site is kept by its readers, who give ten crowns a month and get it by post, printed, every Sunday."

// framed serves pages 1 to n of a site below a path, each of which links to the
// next.
func (w *world) framed(path string, n int) {
	for i := 1; i <= n; i++ {
		w.page(fmt.Sprintf("%s/%d", path, i), fmt.Sprintf(`<div><h1>Story %d</h1><p>%s</p><p>%s</p><p>%s</p><p><a href="%s/%d">on</a></p></div>`,
			i, prose(50*len(path)+2*i), frame, prose(50*len(path)+2*i+1), path, i+1))
	}
}

// bodies returns the kept bodies of a site by path.
func (w *world) bodies(path string, n int) map[string]string {
	w.t.Helper()
	all := make(map[string]string)
	for i := 1; i <= n; i++ {
		p := fmt.Sprintf("%s/%d", path, i)
		v, err := w.store.View(w.t.Context(), w.srv.URL+p)
		if err != nil {
			w.t.Fatal(err)
		}
		all[p] = v.Body
	}
	return all
}

func TestWhatASiteRepeatsIsInNoBodyWhenTheCrawlEnds(t *testing.T) {
	t.Parallel()
	for _, mode := range []dedup.Mode{dedup.ModeOff, dedup.ModeMark, dedup.ModeDiscard} {
		t.Run(mode.String(), func(t *testing.T) {
			w := newWorld(t)
			w.o.Mode, w.so.Dedup.Mode = mode, mode
			w.framed("", 8)
			w.crawl(t.Context(), "/1")
			for path, body := range w.bodies("", 8) {
				if strings.Contains(body, "ten crowns") {
					t.Errorf("%s: the frame is in the body: %.300q", path, body)
				}
			}
		})
	}
}

func TestWithoutTemplatesABodyIsWhatOnePageShows(t *testing.T) {
	w := newWorld(t)
	w.so.Templates = false
	w.framed("", 8)
	w.crawl(t.Context(), "/1")
	for path, body := range w.bodies("", 8) {
		if !strings.Contains(body, "ten crowns") {
			t.Errorf("%s: the frame is not in the body: %.300q", path, body)
		}
	}
}

func TestASitesBodiesAreTheSameWhateverElseIsCrawled(t *testing.T) {
	t.Parallel()
	crawl := func(workers int, others bool) map[string]string {
		w := newWorld(t)
		w.o.Workers = workers
		w.framed("", 12)
		seeds := []string{"/1"}
		if others {
			// The same server under another name is another host.
			other := strings.Replace(w.srv.URL, "127.0.0.1", "localhost", 1)
			w.framed("/other", 12)
			w.page("/links", fmt.Sprintf(`<a href="%s/other/1">other</a>`, other))
			w.sco.Mode = frontier.ScopeAny
			seeds = append([]string{"/links"}, seeds...)
		}
		w.crawl(t.Context(), seeds...)
		return w.bodies("", 12)
	}
	alone := crawl(1, false)
	for _, workers := range []int{1, 8} {
		for path, body := range crawl(workers, true) {
			if body != alone[path] {
				t.Errorf("%d workers, %s: body %.300q, alone %.300q", workers, path, body, alone[path])
			}
		}
	}
}

func TestACopyInAnotherFrameIsFoundWhenTheFramesAreKnown(t *testing.T) {
	t.Parallel()
	const there = "Here every text is free, and whoever likes one may put a coin into the box beside the door of our office."
	for _, c := range []struct {
		templates   bool
		least, most int64 // copies of the twelve pages of the second host; its first five came before its template
	}{{true, 6, 12}, {false, 0, 2}} {
		w := newWorld(t)
		w.so.Templates = c.templates
		w.sco.Mode = frontier.ScopeAny
		w.o.Workers = 1
		other := strings.Replace(w.srv.URL, "127.0.0.1", "localhost", 1)
		for i := 1; i <= 12; i++ {
			page := func(frame, next string) string {
				return fmt.Sprintf(`<div><h1>Story %d</h1>%s<p>%s</p>%s<p><a href="%s/%d">on</a></p></div>`, i, prose(2*i), frame, prose(2*i+1), next, i+1)
			}
			w.page(fmt.Sprintf("/a/%d", i), page(frame+prose(101)+prose(102), "/a"))
			w.page(fmt.Sprintf("/b/%d", i), page(there+prose(103)+prose(104), other+"/b"))
		}
		w.page("/links", fmt.Sprintf(`<a href="/a/1">a</a> <a href="%s/b/1">b</a>`, other))
		w.crawl(t.Context(), "/links")
		if got := w.store.Totals().Copies; got < c.least || got > c.most {
			t.Errorf("templates %v: %d copies, want %d to %d", c.templates, got, c.least, c.most)
		}
	}
}

// A crawl that a limit ends reads its last pages with templates that know all of them, as a crawl does that
// finds nothing more, and may go on.
func TestWhatTheLastPagesRepeatIsInNoBodyWhenALimitEndsTheCrawl(t *testing.T) {
	t.Parallel()
	const note = "The office is closed in August."
	for _, limit := range []func(*gatecrawl.Options){
		func(o *gatecrawl.Options) { o.MaxPages = 9 },
		func(o *gatecrawl.Options) { o.MaxBytes = 2000 },
	} {
		w := newWorld(t)
		w.o.Workers = 1
		limit(&w.o)
		page := func(i int) string {
			text := fmt.Sprintf(`<h1>Story %d</h1><p>Of %s and %s one says only that %s came too late for it.</p>`, i, words(3*i), words(3*i+1), words(3*i+2))
			if i > 5 { // the first template, of seven pages, has it on two
				text += "<div>" + note + "</div>"
			}
			return fmt.Sprintf(`<div>%s<p><a href="/%d">on</a></p></div>`, text, i+1)
		}
		for i := 1; i <= 12; i++ {
			w.page(fmt.Sprintf("/%d", i), page(i))
		}
		records, ended := w.crawl(t.Context(), "/1")
		if ended == gatecrawl.Done || len(records) != 9 {
			t.Errorf("%q after %d pages, want a limit after 9", ended, len(records))
		}
		for path, body := range w.bodies("", 9) {
			if strings.Contains(body, note) {
				t.Errorf("%s: %s: what the last pages repeat is in the body: %.300q", ended, path, body)
			}
		}
		w.o.MaxPages, w.o.MaxBytes = 0, 0
		if records, ended = w.crawl(t.Context()); ended != gatecrawl.Done || len(records) != 13 { // and one that is not found
			t.Errorf("without a limit: %q after %d pages, want done after 13", ended, len(records))
		}
	}
}

// words returns three words that no other n has.
func words(n int) string {
	return fmt.Sprintf("red%c hill%c%c lane%c", 'a'+n%26, 'a'+n/5, 'b'+n%7, 'a'+n%23)
}

// Ten pages of the second edition of a manual are known before a template has its frame. They say too much
// to be read again, and are compared again.
func TestCopiesAreFoundThatAreCopiesOnlyByALaterTemplate(t *testing.T) {
	t.Parallel()
	for _, most := range []int64{0, 24} {
		w := newWorld(t)
		w.o.Workers, w.o.MaxPages = 1, most
		for i := 1; i <= 12; i++ {
			made := func(frame, next string) string {
				return fmt.Sprintf(`<div><h1>Story %d</h1>%s%s%s<p><a href="%s">on</a></p></div>`, i, prose(2*i), prose(2*i+1), frame, next)
			}
			next := fmt.Sprintf("/a/%d", i+1)
			if i == 12 {
				next = "/b/1"
			}
			w.page(fmt.Sprintf("/a/%d", i), made(prose(101)+prose(102), next))
			w.page(fmt.Sprintf("/b/%d", i), made(prose(103)+prose(104), fmt.Sprintf("/b/%d", i+1)))
		}
		w.crawl(t.Context(), "/a/1")
		if got := w.store.Totals().Copies; got != 12 {
			t.Errorf("at most %d pages: %d copies, want 12", most, got)
		}
	}
}

// Two examples in a folder lack the frame of their host, so they may be another site's. The gate keeps them
// apart; whoever asks for what is near a kept page gets the gate's answer.
func TestWhatIsNearAKeptPageIsWhatTheGateSays(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.o.Workers = 1
	w.framed("", 8)
	for i, name := range []string{"top", "side"} {
		w.text("/lab/"+name, "text/html; charset=utf-8", fmt.Sprintf(`<!DOCTYPE html><html><head><title>Menu example</title></head><body>
<div><h1>Menu example</h1><p>%s</p><p><a href="/lab/%d">%s</a></p></div></body></html>`, strings.Join(strings.Fields(prose(50))[1:70], " "), i, name))
	}
	w.page("/9", `<div><h1>Story 9</h1>`+prose(99)+`<p>`+frame+`</p><p><a href="/lab/top">top</a> <a href="/lab/side">side</a></p></div>`)
	records, _ := w.crawl(t.Context(), "/1")
	for _, path := range []string{"/lab/top", "/lab/side"} {
		if records[path].Verdict != page.VerdictNew {
			t.Fatalf("%s is %s, want new", path, records[path].Verdict)
		}
		near, err := w.store.NearPage(t.Context(), w.srv.URL+path, gatecrawl.NearQuery{})
		if err != nil || len(near) != 0 {
			t.Errorf("near %s: %+v, %v; want none", path, near, err)
		}
	}
}

// A host's first pages have copies, found by their bytes, before their frame is known.
func TestAPageThatProvesToBeACopyHandsItsCopiesOn(t *testing.T) {
	t.Parallel()
	const there = "Here every text is free, and whoever likes one may put a coin into the box beside the door of our office."
	w := newWorld(t)
	w.sco.Mode = frontier.ScopeAny
	w.o.Workers = 1
	other := strings.Replace(w.srv.URL, "127.0.0.1", "localhost", 1)
	const pages = 12
	for i := 1; i <= pages; i++ {
		made := func(frame, links string) string {
			return fmt.Sprintf(`<div><h1>Story %d</h1>%s<p>%s</p>%s<p>%s</p></div>`, i, prose(2*i), frame, prose(2*i+1), links)
		}
		framed := made(there+prose(103)+prose(104), fmt.Sprintf(`<a href="%s/c/%d">again</a> <a href="%s/b/%d">on</a>`, other, i, other, i+1))
		next := fmt.Sprintf("/a/%d", i+1)
		if i == pages { // the second host comes when the frame of the first is known
			next = other + "/b/1"
		}
		w.page(fmt.Sprintf("/a/%d", i), made(frame+prose(101)+prose(102), fmt.Sprintf(`<a href="/a/%d">again</a> <a href="%s">on</a>`, i, next)))
		w.page(fmt.Sprintf("/b/%d", i), framed)
		w.page(fmt.Sprintf("/c/%d", i), framed)
	}
	w.page("/links", `<a href="/a/1">a</a>`)
	records, _ := w.crawl(t.Context(), "/links")
	copies, stayed := 0, 0
	for _, p := range records {
		if p.Verdict != page.VerdictCopy {
			continue
		}
		copies++
		if strings.HasPrefix(p.Of, other) {
			stayed++
		}
	}
	if stayed > 1 { // four did before; one that is not quite equal when it is read again keeps its copies
		t.Errorf("%d pages are copies of one on their own host, want one at most: the others are handed on", stayed)
	}
	if copies < 20 {
		t.Errorf("%d copies, want most of the 24 pages of the second host", copies)
	}
}

// The pages of one user's site are not those of the host's own site, whose frame they lack. Until
// five of them are known nobody can say what they repeat.
func TestTheFirstPagesOfASiteInAFolderAreNotOneBecauseOfItsFrame(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.o.Workers = 1
	const posts = 40
	for i := 1; i <= posts; i++ {
		next := fmt.Sprintf("/posts/%d", i+1)
		if i == posts {
			next = "/~ann/1"
		}
		w.page(fmt.Sprintf("/posts/%d", i), fmt.Sprintf(`<div><h1>Story %d</h1><p>%s</p><p>%s</p><p>%s</p><p><a href="%s">on</a></p><p>Harbour office</p><p>Third quay</p></div>`, i, prose(2*i), frame, prose(2*i+1), next))
	}
	const own = 4
	var menu strings.Builder
	for i := range 40 {
		fmt.Fprintf(&menu, `<li><a href="/~ann/notes#%d">Note %d of June, by Ann</a></li>`, i, i)
	}
	w.text("/~ann/notes", "text/plain", "Notes.")
	for i := 1; i <= own; i++ {
		w.page(fmt.Sprintf("/~ann/%d", i), fmt.Sprintf(`<ul class=side>%s</ul><div><h1>Note</h1><p>%s</p><p><a href="/~ann/%d">on</a></p></div>`,
			menu.String(), []string{"", "Tea at four.", "The boat leaves at noon.", "No post on Sunday.", "Ring twice."}[i], i+1))
	}
	records, _ := w.crawl(t.Context(), "/posts/1")
	for _, p := range records {
		if p.Verdict == page.VerdictCopy {
			t.Errorf("%s is a copy of %s, class %v; want it kept", p.URL, p.Of, p.Class)
		}
	}
	if got := w.store.Totals().New; got != posts+own+1 { // and the notes
		t.Errorf("%d pages are kept, want %d", got, posts+own+1)
	}
}

// A settling is a store that shows each visit to a function before it is settled.
type settling struct {
	gatecrawl.Store
	before func(v *page.Visit)
}

func (s settling) Settle(ctx context.Context, v *page.Visit) (page.Record, error) {
	s.before(v)
	return s.Store.Settle(ctx, v)
}

// The templates that a host gets while a page of it is on its way mostly have the same blocks of
// it: then what the page is kept with is right as it is.
func TestAPageIsReadAgainOnlyWhereATemplateTakesOtherBlocksOfIt(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.o.Workers = 1
	const pages = 30
	w.framed("", pages)
	w.text(fmt.Sprintf("/%d", pages+1), "text/plain", "the end")
	var site purify.Site // learns what the job's does
	templates := []*purify.Template{nil}
	next, own := 0, 0
	w.settling = func(v *page.Visit) {
		if v.Reread == nil || v.Lease.Task == frontier.Reread {
			return
		}
		now := templates[v.Template]
		tried := func(as *purify.Template, want bool) int {
			t.Helper()
			v.Reread(as)
			if v.Behind != want {
				t.Errorf("%s, read with template %d and then with %d: it is to be read again: %v, want %v", v.Page.URL, now.Generation(), as.Generation(), v.Behind, want)
			}
			return 1
		}
		if made := site.Learn(v.Prints); made != nil {
			if templates = append(templates, made); now != nil {
				next += tried(made, false)
			}
		}
		if now != nil {
			var alone purify.Site // has this page, and it again
			made := alone.Learn(v.Prints)
			for made == nil {
				made = alone.Learn(v.Prints)
			}
			own += tried(made, true)
			tried(now, false)
		}
	}
	w.crawl(t.Context(), "/1")
	if next < 3 || own < 10 {
		t.Errorf("%d pages were tried with the next template of their site and %d with one of their own: the test wants more", next, own)
	}
}

// A shop has products of which it says nothing but their names, all next to the same other ones, in a frame
// that its other pages do not have.
func TestProductsThatAreOnlyNamedAreKept(t *testing.T) {
	names := strings.Fields("Amalia Armonia Artemide Aurora Cremona Eldorado Emozione Fantasia Ferrara Galaxy Ginevra Inspiration " +
		"Leppens Madeira Olanda Panarea Procida Ravenna Scandinavia Sensazione Sultan Thunder Toscana Verona")
	for kind, shop := range map[string]string{"a long frame": prose(301) + prose(302), "a short one": prose(301)[:400] + prose(302)[:300]} {
		w := newWorld(t)
		w.o.Workers = 1
		var related strings.Builder
		for _, name := range names[:3] {
			fmt.Fprintf(&related, `<li><a href="/products/%s">Cue Longini %s</a></li>`, strings.ToLower(name), name)
		}
		w.framed("", 40)
		seeds := []string{"/1"}
		for _, name := range names {
			path := "/products/" + strings.ToLower(name)
			w.page(path, fmt.Sprintf(`<title>Cue Longini %s</title><div><h1>Cue Longini %s</h1><p>0 euros</p></div><ul>%s</ul><div>%s</div>`,
				name, name, related.String(), shop))
			seeds = append(seeds, path)
		}
		w.crawl(t.Context(), seeds...)
		if got := w.store.Totals().Copies; got > 5 {
			t.Errorf("%s: %d of %d products are copies, want 5 at most, that came before the frame was known", kind, got, len(names))
		}
	}
}

// TestCopiesAreFoundThatATemplateTookTooMuchFrom crawls a site whose first pages have a text that its later ones lack. While
// that counts as its frame, two of the pages differ in half of what is left.
func TestCopiesAreFoundThatATemplateTookTooMuchFrom(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.o.Workers = 1
	words := func(n, from int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "%cord%d%c ", 'a'+(i+from)%26, from+i*7, 'a'+i%26)
		}
		return b.String()
	}
	const lamp, first, last = 12, 12, 60 // the pages that are alike are the last one with the text and the one before
	for i := 1; i <= last; i++ {
		path := func(i int) string { return fmt.Sprintf("/%c%cx", 'a'+i/26, 'a'+i%26) }
		title, own, early := "Story "+words(2, 100*i), "<p>"+words(60, 1000*i)+".</p>", ""
		if i <= first && i > first-8 {
			early = "<p>" + words(120, 90_000) + ".</p>"
		}
		if i == lamp || i == lamp-1 {
			title, own = "The lamp", "<p>"+words(30, 80_000)+".</p><p>"+words(12, 70_000+1000*i)+".</p>"
		}
		w.text(path(i), "text/html", fmt.Sprintf(`<title>%s</title><div><h1>%[1]s</h1>%s%s<p><a href="%s">on</a></p></div>`, title, own, early, path(i+1)))
	}
	pages, _ := w.crawl(t.Context(), "/abx")
	kept, copied := pages["/alx"], pages["/amx"]
	if kept.Verdict != page.VerdictNew || copied.Verdict != page.VerdictCopy {
		t.Errorf("the two pages are %s and %s (%.2f), want new and copy", kept.Verdict, copied.Verdict, copied.Similarity)
	}
	for p, r := range pages {
		if r.Verdict == page.VerdictCopy && p != "/amx" {
			t.Errorf("%s is a copy of %s", p, r.Of)
		}
	}
}

// TestTheFirstPostsOfABlogAreCompared crawls a blog from its categories, each with one post in full. The first of them
// come when little is known of what the blog repeats, so that the gate trusts no text of theirs then.
func TestTheFirstPostsOfABlogAreCompared(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.o.Workers = 1
	framed := func(path, title, says string) {
		w.text(path, "text/html", fmt.Sprintf(`<!DOCTYPE html><html lang="en"><title>%s – Notes</title><header><a href="/">Notes</a><nav><a href="/">Home</a> <a href="/about/">About</a></nav></header>
<main>%s</main><footer>Copyright of the notes, all rights reserved.</footer></html>`, title, says))
	}
	framed("/about/", "About", "<h1>About</h1>"+prose(901))
	const posts = 15
	links := "<h1>Home</h1>"
	for n := range posts {
		category, post := fmt.Sprintf("/category/c%d/", n), fmt.Sprintf("/2020/%02d/post/", n+1)
		title, says := fmt.Sprintf("Story %d of a kettle", n), prose(n)+prose(n+100)+prose(n+200)
		framed(category, fmt.Sprintf("Category c%d", n), fmt.Sprintf(`<h1>Category c%d</h1><article><h2><a href="%s">%s</a></h2>%s</article>`, n, post, title, says))
		framed(post, title, fmt.Sprintf(`<article><h1>%s</h1>%s<p>Filed under <a href="%s">c%d</a></p></article>`, title, says, category, n))
		links += fmt.Sprintf(`<li><a href="%s">Category c%d</a></li>`, category, n)
	}
	framed("/{$}", "Home", links)
	pages, _ := w.crawl(t.Context(), "/category/c0/", "/category/c1/")
	for n := range posts {
		category, post := fmt.Sprintf("/category/c%d/", n), fmt.Sprintf("/2020/%02d/post/", n+1)
		if p := pages[category]; p.Verdict != page.VerdictCopy || !strings.HasSuffix(p.Of, post) {
			t.Errorf("%s is %s of %q, want a copy of its post", category, p.Verdict, p.Of)
		}
		if p := pages[post]; p.Verdict != page.VerdictNew {
			t.Errorf("%s is %s of %q, want it kept", post, p.Verdict, p.Of)
		}
	}
}

// TestClassesThatInheritAllThatTheySayAreKept crawls pages of an API that differ in nothing but their names, in titles
// and URLs, or in the signs of operators, which are no words. The same class in a second version is a copy.
func TestClassesThatInheritAllThatTheySayAreKept(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.o.Workers = 1
	classes := []struct{ file, title string }{
		{"NavCrowd", "class NavCrowd"}, {"ArcBall", "class ArcBall"}, {"FollowCamera", "class FollowCamera"}, {"PhysicsBreak", "class PhysicsBreak"},
		{"operator-id5", "Function template operator<="}, {"operator-id7", "Function template operator=="},
	}
	inherits := "<h2>Inherited</h2>" + prose(5) + prose(6)
	w.framed("", 200)
	seeds := []string{"/1"}
	for _, version := range []string{"1.0", "1.1"} {
		for _, c := range classes {
			path := fmt.Sprintf("/api/%s/%s.html", version, c.file)
			w.text(path, "text/html", fmt.Sprintf("<title>%s</title><div>%s</div><!-- %s -->", html.EscapeString(c.title), inherits, version))
			seeds = append(seeds, path)
		}
	}
	pages, _ := w.crawl(t.Context(), seeds...)
	for _, c := range classes {
		name := c.file
		kept := 0
		for _, version := range []string{"1.0", "1.1"} {
			p := pages[fmt.Sprintf("/api/%s/%s.html", version, name)]
			if p.Verdict == page.VerdictNew {
				kept++
			} else if !strings.HasSuffix(p.Of, "/"+name+".html") {
				t.Errorf("%s of version %s is %s of %s", name, version, p.Verdict, p.Of)
			}
		}
		if kept != 1 {
			t.Errorf("%d versions of %s are kept, want one", kept, name)
		}
	}
}

// TestAListGetsItsEntriesBackThatCountedAsFrame crawls a manual from its index, whose pages name the module of each of 200 functions. While
// few other pages are known the names of the modules count as frame. The last pages are the same index in another folder.
func TestAListGetsItsEntriesBackThatCountedAsFrame(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.o.Workers = 1
	const letters, pages = 10, 150
	index := func(folder string, n int, next string) {
		var b strings.Builder
		title := ""
		if folder == "/m" {
			title = "kite "
		}
		for i := range 200 {
			module := []string{"Kite.Sail", "Kite.Rope.Knot", "Kite.Wind", "Kite.Mast.Top", "Kite.Keel"}[i*i%5%(n+1)]
			fmt.Fprintf(&b, `<tr><td class="src">%c%s%d</td><td><a href="/m/%s.html">%s</a></td></tr>`, 'a'+n, strings.ReplaceAll(words(200*n+i), " ", ""), i, module, module)
		}
		w.page(fmt.Sprintf("%s/index-%c", folder, 'a'+n), fmt.Sprintf(`<div><h1>%s(Index - %c)</h1><table>%s</table><p><a href="%s">on</a></p></div>`, title, 'A'+n, b.String(), next))
	}
	path := func(i int) string { return fmt.Sprintf("/m/%c%cx", 'a'+i/26, 'a'+i%26) }
	for n := range letters {
		after := [2]string{fmt.Sprintf("/index-%c", 'b'+n), fmt.Sprintf("/m/index-%c", 'b'+n)}
		if n == letters-1 {
			after = [2]string{path(0), "/end"}
		}
		index("", n, after[0])
		index("/m", n, after[1])
	}
	for i := range pages {
		next := path(i + 1)
		if i == pages-1 {
			next = "/m/index-a"
		}
		w.page(path(i), fmt.Sprintf(`<div><h1>Story %d</h1>%s%s<p><a href="%s">on</a></p></div>`, i, prose(2*i), prose(2*i+1), next))
	}
	records, _ := w.crawl(t.Context(), "/index-a")
	for n := range letters {
		if r := records[fmt.Sprintf("/m/index-%c", 'a'+n)]; r.Verdict != page.VerdictCopy || !strings.HasSuffix(r.Of, fmt.Sprintf("/index-%c", 'a'+n)) {
			t.Errorf("index %c is %s of %q, want a copy", 'A'+n, r.Verdict, r.Of)
		}
		if v, err := w.store.View(t.Context(), fmt.Sprintf("%s/index-%c", w.srv.URL, 'a'+n)); err != nil || strings.Count(v.Body, "Kite.") < 200 {
			t.Errorf("index %c names %d modules (%v), want 200", 'A'+n, strings.Count(v.Body, "Kite."), err)
		}
	}
}

// TestAPageSaysWhyItIsNoCopyOfOneThatTheGateDidNotCompare keeps pairs of pages that resemble each other by five ninths. Bands of sketches
// bring only some of the pairs together; the others are known by their parts.
func TestAPageSaysWhyItIsNoCopyOfOneThatTheGateDidNotCompare(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.o.Workers, w.so.Parts = 1, true
	const pairs = 24
	path := func(n int) string { return fmt.Sprintf("/%c%cx", 'a'+n/26, 'a'+n%26) }
	for i := range 2 * pairs {
		var both, own string
		for k := range 5 {
			both += prose(1000 + 5*(i/2) + k)
		}
		own = prose(2*i) + prose(2*i+1)
		w.page(path(i), fmt.Sprintf(`<div><h1>Story %s</h1>%s%s<p><a href="%s">on</a></p></div>`, words(i), both, own, path(i+1)))
	}
	w.crawl(t.Context(), path(0))
	if _, err := w.store.FindParts(t.Context()); err != nil {
		t.Fatal(err)
	}
	parts := 0
	for i := range 2 * pairs {
		url := w.srv.URL + path(i)
		y, err := w.store.Why(t.Context(), url)
		if err != nil {
			t.Fatal(err)
		}
		near, err := w.store.NearPage(t.Context(), url, gatecrawl.NearQuery{Apart: true})
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range y.Page.PartOf {
			parts++
			at := slices.IndexFunc(near, func(m gatecrawl.Member) bool { return m.URL == p.URL })
			if at < 0 || near[at].Apart != dedup.TextsDiffer || near[at].Similarity < .5 {
				t.Errorf("%s, which has %.2f of %s, is not among what resembles it: %+v", p.URL, p.Share, url, near)
			}
		}
	}
	if parts < pairs {
		t.Errorf("%d pages are known to have parts of others, want %d and more", parts, pairs)
	}
}
