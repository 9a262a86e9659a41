package template

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"gatecrawl.example/gatecrawl/dedup"
	"gatecrawl.example/gatecrawl/frontier"
	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/purify"
	"gatecrawl.example/gatecrawl/store/kv"
	"gatecrawl.example/gatecrawl/store/kv/mem"
)

// A job is the tables of templates and pages, with one learner.
type job struct {
	copies int                        // of every kept page
	views  map[uint64]*purify.DocView // what is kept of the page at a place

	t       *testing.T
	kv      kv.Store
	learner *Learner
	hosts   map[weburl.HostKey]bool
	pages   uint64
}

// newJob opens a job in memory, which is checked when the test ends.
func newJob(t *testing.T) *job {
	t.Helper()
	s, err := mem.Open(append(Tables(), page.Tables()...))
	if err != nil {
		t.Fatal(err)
	}
	j := &job{t: t, kv: s, hosts: make(map[weburl.HostKey]bool)}
	j.open(Options{})
	t.Cleanup(func() {
		for _, b := range j.breaches() {
			t.Errorf("check: %s", b)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return j
}

// open gives the job a new learner, as when it is opened again.
func (j *job) open(o Options) {
	j.t.Helper()
	o.KnowsHost = func(_ kv.Reader, h weburl.HostKey) (bool, error) { return j.hosts[h], nil }
	o.Body = func(r kv.Reader, seq uint64) ([]byte, error) { return r.Get(page.TableBodies, page.Key(seq)) }
	o.Copies = func(kv.Reader, uint64) (int, error) { return j.copies, nil }
	o.View = func(_ kv.Reader, seq uint64) (*purify.DocView, error) { return j.views[seq], nil }
	j.learner = New(j.kv, o)
	if err := j.kv.View(context.Background(), j.learner.Load); err != nil {
		j.t.Fatal(err)
	}
}

func (j *job) update(fn func(tx kv.Tx) error) {
	j.t.Helper()
	if err := j.kv.Update(context.Background(), fn); err != nil {
		j.t.Fatal(err)
	}
}

// breaches returns what Check says.
func (j *job) breaches() (all []string) {
	j.t.Helper()
	err := j.kv.View(context.Background(), func(r kv.Reader) error {
		return j.learner.Check(r, func(what string, err error) error {
			all = append(all, fmt.Sprintf("%s: %v", what, err))
			return nil
		})
	})
	if err != nil {
		j.t.Fatal(err)
	}
	return all
}

// A copied visit is a copy of a page, of this class.
type copied struct {
	of    string
	class dedup.Class
}

// settle settles a page as a store does, as a document that is new or a copy.
func (j *job) settle(tx kv.Tx, v *page.Visit, of copied) {
	j.t.Helper()
	j.pages++
	j.hosts[v.Lease.URL.Key().Host()] = true
	r := &v.Page
	r.Seq, r.URL, r.Verdict = j.pages, v.Lease.URL.String(), page.VerdictNew
	verdict := dedup.Verdict{}
	if of.of != "" {
		r.Verdict, r.Of = page.VerdictCopy, of.of
		verdict = dedup.Verdict{Of: 1, Level: dedup.LevelNear, Class: of.class}
	}
	page.Put(tx, r.Seq, r, verdict)
	if r.Verdict == page.VerdictNew {
		tx.Put(page.TableSignatures, page.Key(r.Seq), page.EncodeSignature(&dedup.Signature{Bytes: dedup.Digest{byte(r.Seq)}}))
		tx.Put(page.TableBodies, page.Key(r.Seq), v.Body)
	}
	if err := j.learner.Learn(tx, v, r, verdict); err != nil {
		j.t.Fatal(err)
	}
}

// visit is a page of a host that has a block of its own next to two that all pages have.
func (j *job) visit(host string, n int) *page.Visit {
	j.t.Helper()
	u, err := weburl.Parse(fmt.Sprintf("http://%s/%d", host, n))
	if err != nil {
		j.t.Fatal(err)
	}
	return &page.Visit{
		Lease: frontier.Lease{URL: u}, Body: []byte(u.String()), Prints: []purify.Print{1, 2, purify.Print(1000 + n)},
		Template: j.of(host).Generation(),
	}
}

// visitNew settles new pages of a host with these numbers, each in a commit.
func (j *job) visitNew(host string, numbers ...int) {
	j.t.Helper()
	for _, n := range numbers {
		j.update(func(tx kv.Tx) error { j.settle(tx, j.visit(host, n), copied{}); return nil })
	}
}

func (j *job) of(host string) *purify.Template {
	j.t.Helper()
	made, err := j.learner.Of("http://" + host + "/")
	if err != nil {
		j.t.Fatal(err)
	}
	return made
}

// lent takes all pages that are to be purified again, and returns their places.
func (j *job) lent() (seqs []uint64) {
	j.t.Helper()
	for {
		l, ok, err := j.learner.Next(1)
		if err != nil {
			j.t.Fatal(err)
		}
		if !ok {
			return seqs
		}
		j.learner.Leave()
		var e page.Known
		if err := j.kv.View(j.t.Context(), func(r kv.Reader) (err error) { e, err = j.learner.Known(r, l); return err }); err != nil {
			j.t.Fatal(err)
		}
		if want := strings.TrimPrefix(e.Page.URL, "http://"); !strings.HasSuffix(string(e.Body), want) || e.Digest != (dedup.Digest{byte(e.Page.Seq)}) {
			j.t.Errorf("page %d is lent with the body %q and the digest %v", e.Page.Seq, e.Body, e.Digest)
		}
		seqs = append(seqs, e.Page.Seq)
	}
}

func (j *job) expectLent(want ...uint64) {
	j.t.Helper()
	if got := j.lent(); !slices.Equal(got, want) {
		j.t.Errorf("pages lent to be purified again: %v, want %v", got, want)
	}
}

func TestTheFifthPageOfAHostMakesItsTemplate(t *testing.T) {
	j := newJob(t)
	changed := 0
	j.open(Options{Changed: func([]weburl.HostKey) { changed++ }})
	j.visitNew("a.test", 1, 2, 3, 4)
	j.visitNew("b.test", 1)
	if made := j.of("a.test"); made != nil {
		t.Errorf("after four pages there is a template of %d blocks", made.Blocks())
	}
	j.update(func(tx kv.Tx) error {
		j.settle(tx, j.visit("a.test", 5), copied{})
		made, err := j.learner.In(tx, "http://a.test/1")
		if made.Blocks() != 2 {
			t.Errorf("in its transaction the template has %d blocks, want 2", made.Blocks())
		}
		if changed != 0 {
			t.Error("Changed is called before the commit")
		}
		return err
	})
	for _, when := range []string{"after the commit", "when the job is opened again"} {
		if made := j.of("a.test"); made.Blocks() != 2 || made.Generation() != 1 {
			t.Errorf("%s the template has %d blocks and generation %d, want 2 and 1", when, made.Blocks(), made.Generation())
		}
		j.open(Options{})
	}
	if changed != 1 {
		t.Errorf("Changed was called %d times, want once", changed)
	}
	if j.of("b.test") != nil {
		t.Error("a host with one page has a template")
	}
}

func TestHostsWhoseTemplateChangesAreStaleUntilTheirPagesAreCompared(t *testing.T) {
	j := newJob(t)
	j.open(Options{Stale: true})
	stale := func() (n int) {
		t.Helper()
		if err := j.kv.View(t.Context(), func(r kv.Reader) error {
			hosts, err := j.learner.Stale(r)
			n = len(hosts)
			return err
		}); err != nil {
			t.Fatal(err)
		}
		return n
	}
	j.visitNew("a.example", 1, 2, 3, 4)
	j.visitNew("b.example", 1, 2, 3, 4)
	if n := stale(); n != 0 {
		t.Errorf("%d hosts are stale, want none before there is a template", n)
	}
	j.visitNew("a.example", 5)
	j.open(Options{Stale: true}) // another run
	if n := stale(); n != 1 {
		t.Errorf("%d hosts are stale, want the one with a template", n)
	}
	j.update(func(tx kv.Tx) error {
		hosts, err := j.learner.Stale(tx)
		j.learner.Compared(tx, hosts)
		return err
	})
	j.visitNew("a.example", 6)
	if n := stale(); n != 0 {
		t.Errorf("%d hosts are stale, want none: the template is the one that pages were compared with", n)
	}
	j.visitNew("a.example", 7)
	if n := stale(); n != 1 {
		t.Errorf("%d hosts are stale, want the one with another template", n)
	}
}

func TestTheFirstPagesArePurifiedAgainOnce(t *testing.T) {
	j := newJob(t)
	j.visitNew("a.test", 1, 2, 3, 4)
	j.expectLent()
	j.visitNew("a.test", 5, 6)
	j.expectLent(1, 2, 3, 4, 5)
	j.expectLent()
	revise := func(n int) (wanted bool) {
		t.Helper()
		v := j.visit("a.test", n)
		v.Page.Seq = uint64(n)
		j.update(func(tx kv.Tx) (err error) { wanted, err = j.learner.Revise(tx, v); return err })
		return wanted
	}
	if !revise(2) || revise(2) {
		t.Error("a page that was lent is not to be revised once")
	}
	if revise(6) {
		t.Error("a page that was read with the template is to be revised")
	}
	j.open(Options{})
	j.expectLent(1, 3, 4, 5)
}

// The first pages of a host may have nothing in common. They are read again once there is a template that has anything.
func TestTheFirstPagesWaitForATemplateThatHasAnything(t *testing.T) {
	j := newJob(t)
	settle := func(n int, shared ...purify.Print) {
		v := j.visit("a.test", n)
		v.Prints = append(shared, purify.Print(1000+n))
		j.update(func(tx kv.Tx) error { j.settle(tx, v, copied{}); return nil })
	}
	for n := 1; n <= 5; n++ {
		settle(n)
	}
	if made := j.of("a.test"); made.Generation() != 1 || made.Blocks() != 0 {
		t.Fatalf("after five pages there is template %d of %d blocks, and the test needs one without any", made.Generation(), made.Blocks())
	}
	j.expectLent()
	for n := 6; n <= 10; n++ {
		settle(n, 1)
	}
	j.expectLent(1, 2, 3, 4, 5, 6, 7, 8, 9, 10)
	for n := 11; n <= 30; n++ {
		settle(n, 1)
	}
	j.expectLent()
}

func TestAPageThatWasReadBeforeTheTemplateIsPurifiedAgain(t *testing.T) {
	j := newJob(t)
	late := j.visit("a.test", 9)
	behind := j.visit("a.test", 10)
	j.visitNew("a.test", 1, 2, 3, 4, 5)
	j.lent()
	j.update(func(tx kv.Tx) error { j.settle(tx, late, copied{}); return nil })
	behind.Template, behind.Behind = 1, true // it was read again by the template, but for its body
	j.update(func(tx kv.Tx) error { j.settle(tx, behind, copied{}); return nil })
	j.expectLent(6, 7)
}

func TestAThinPageIsPurifiedAgainWhenATemplateHasItsBlocks(t *testing.T) {
	j := newJob(t)
	j.visitNew("a.test", 1, 2, 3, 4, 5)
	j.lent()
	for n := 6; n <= 10; n++ { // five pages with block 500, so that the template of the tenth has it
		v := j.visit("a.test", n)
		v.Prints = []purify.Print{1, 2, 500, purify.Print(1000 + n)}
		if n == 8 {
			v.Own = []purify.OwnBlock{{Print: 500, Bytes: 9}, {Print: 1008, Bytes: 9}}
		}
		j.update(func(tx kv.Tx) error { j.settle(tx, v, copied{}); return nil })
	}
	if g := j.of("a.test").Generation(); g != 3 {
		t.Fatalf("the template has generation %d, and the test needs the third", g)
	}
	j.expectLent(8)
}

// A banner of two sentences on a page that lists classes is one block of many.
func TestAThinPageIsPurifiedAgainForMuchOfItsText(t *testing.T) {
	j := newJob(t)
	j.visitNew("a.test", 1, 2, 3, 4, 5)
	j.lent()
	for n := 6; n <= 10; n++ {
		v := j.visit("a.test", n)
		v.Prints = []purify.Print{1, 2, 500, 600, purify.Print(1000 + n)}
		banner, small := purify.OwnBlock{Print: 500, Bytes: 120}, purify.OwnBlock{Print: 600, Bytes: 10}
		for i := range purify.Print(19) {
			v.Own = append(v.Own, purify.OwnBlock{Print: 2000 + i, Bytes: 10})
		}
		switch n {
		case 8:
			v.Own = append(v.Own, banner)
		case 9:
			v.Own = append(v.Own, small)
		default:
			v.Own = nil
		}
		j.update(func(tx kv.Tx) error { j.settle(tx, v, copied{}); return nil })
	}
	j.expectLent(8)
}

// A crawl comes to the second version of a manual when it has read thousands of pages of the first.
func TestAThinPageOfAPartThatIsMetLateIsPurifiedAgainToo(t *testing.T) {
	j := newJob(t)
	n := 0
	upTo := func(generation int, frame purify.Print, thin bool) (first int) {
		first = n + 1
		for j.of("a.test").Generation() < generation {
			n++
			v := j.visit("a.test", n)
			v.Prints = []purify.Print{1, 2, frame, purify.Print(1000 + n)}
			if thin && n == first {
				v.Own = []purify.OwnBlock{{Print: frame, Bytes: 9}, {Print: purify.Print(1000 + n), Bytes: 9}}
			}
			j.update(func(tx kv.Tx) error { j.settle(tx, v, copied{}); return nil })
		}
		return first
	}
	upTo(13, 400, false)
	j.lent()
	if n < 500 {
		t.Fatalf("the thirteenth template is made of %d pages, and the test needs it late", n)
	}
	j.expectLent(uint64(upTo(14, 500, true)))
}

func TestWhichCopiesCountForATemplate(t *testing.T) {
	for _, c := range []struct {
		name  string
		of    copied
		has   bool // the kept page has the copy's blocks
		again bool
		want  bool
	}{
		{"in its layout, of its own host's page", copied{"http://a.test/1", dedup.PartialLayout}, true, false, false},
		{"in another layout, of its own host's page, which lacks its frame", copied{"http://a.test/1", dedup.PartialContent}, false, false, true},
		{"in another layout, of its own host's page, which has all that it says", copied{"http://a.test/1", dedup.PartialContent}, true, false, false},
		{"in its layout, of another host's page", copied{"http://b.test/1", dedup.FullLayout}, true, false, true},
		{"that was visited before", copied{"http://b.test/1", dedup.FullLayout}, false, true, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			j := newJob(t)
			j.visitNew("a.test", 1, 2, 3, 4)
			v := j.visit("a.test", 5)
			v.Lease.Again = c.again
			kept := new(purify.DocView)
			for _, p := range v.Prints {
				if c.has {
					kept.Blocks = append(kept.Blocks, purify.Block{Print: p})
				}
			}
			j.views = map[uint64]*purify.DocView{1: kept}
			j.update(func(tx kv.Tx) error { j.settle(tx, v, c.of); return nil })
			if got := j.of("a.test") != nil; got != c.want {
				t.Errorf("four pages and the copy make a template: %t, want %t", got, c.want)
			}
		})
	}
}

func TestOfAFirstCopyCountsWhatItsKeptPageDoesNotHave(t *testing.T) {
	const footer, says = 77, 1001
	j := newJob(t)
	j.visitNew("a.test", 1)
	j.views = map[uint64]*purify.DocView{1: {Blocks: []purify.Block{{Print: says}}}}
	for n := 2; n <= 6; n++ {
		v := j.visit("a.test", n)
		v.Prints = []purify.Print{footer, says}
		j.update(func(tx kv.Tx) error {
			j.copies = 1
			if n == 6 { // the page has its copies by now, and none counts any more
				j.copies = 5
			}
			j.settle(tx, v, copied{"http://a.test/1", dedup.FullLayout})
			return nil
		})
	}
	made := j.of("a.test")
	if !made.Has(&purify.Block{Print: footer}) || made.Has(&purify.Block{Print: says}) || made.Generation() != 1 {
		t.Errorf("after a page and four first copies: template %d has the footer: %v, what the page says: %v; want 1, true, false",
			made.Generation(), made.Has(&purify.Block{Print: footer}), made.Has(&purify.Block{Print: says}))
	}
}

// A site whose server gives each visitor another session id has its pages at ever new URLs. What such a page says is not
// the site's frame, however often it is fetched.
func TestAPageAtManyURLsCountsOnce(t *testing.T) {
	j := newJob(t)
	for n := range 40 {
		j.update(func(tx kv.Tx) error {
			v := j.visit("a.test", n)
			if n >= 10 { // one of the ten pages before, under another session id
				v.Prints = j.visit("a.test", n%10).Prints
			}
			j.settle(tx, v, copied{})
			return nil
		})
	}
	made := j.of("a.test")
	if got := made.Has(&purify.Block{Print: 1000}); got || !made.Has(&purify.Block{Print: 1}) || made.Pages() > 10 {
		t.Errorf("a template of %d pages has what one of ten pages says: %v, and what all say: %v; want at most 10, false and true", made.Pages(), got, made.Has(&purify.Block{Print: 1}))
	}
}

// Pages whose menu makes them alike teach it although they are taken for copies, of which none is
// the first but one: each has its own title, and the menu is links.
func TestNearCopiesUnderOtherTitlesTeachTheirMenus(t *testing.T) {
	const menu, says = 77, 1001
	for _, c := range []struct {
		title string
		want  bool
	}{{"Another page", true}, {"Page", false}} {
		j := newJob(t)
		j.visitNew("a.test", 1)
		j.copies = 5
		j.views = map[uint64]*purify.DocView{1: {Title: "Page", Blocks: []purify.Block{{Print: menu, Linked: true, Chosen: true}, {Print: says}}}}
		for n := 2; n <= 6; n++ {
			v := j.visit("a.test", n)
			v.Page.Title, v.Prints = c.title, []purify.Print{menu, says}
			j.update(func(tx kv.Tx) error { j.settle(tx, v, copied{"http://a.test/1", dedup.FullLayout}); return nil })
		}
		made := j.of("a.test")
		if got := made != nil && made.Has(&purify.Block{Print: menu}); got != c.want || made != nil && made.Has(&purify.Block{Print: says}) {
			t.Errorf("copies under the title %q: the template has the menu: %v, want %v, and never what the kept page says", c.title, got, c.want)
		}
	}
}

// A shop has products of which it says nothing but their names, so that all of them are copies of one: what
// their pages say is the frame of a part of the shop.
func TestCopiesUnderOtherNamesTeachWhatTheySay(t *testing.T) {
	const says = 77
	cues := []string{"aurora", "ferrara", "galaxy", "olanda", "sultan"}
	for _, c := range []struct {
		kind  string
		named func(cue string) (url, title string)
		thin  bool
		want  bool
	}{
		{"products", func(cue string) (string, string) { return "http://a.test/" + cue, "Cue " + cue }, true, true},
		{"long pages", func(cue string) (string, string) { return "http://a.test/" + cue, "Cue " + cue }, false, false},
		{"headlines that the URLs do not name", func(cue string) (string, string) { return "http://a.test/" + cue[:1], "Cue " + cue }, true, false},
		{"episodes", func(cue string) (string, string) {
			return fmt.Sprintf("http://a.test/kites-%d", cue[0]), fmt.Sprintf("Kites %d", cue[0])
		}, true, true},
		{"pages next to one whose name has a digit", func(cue string) (string, string) {
			if cue == "thunder" {
				return "http://a.test/tn1", "tn1"
			}
			return "http://a.test/" + cue, "Cue " + cue
		}, true, true},
		{"URLs of one product", func(cue string) (string, string) { return "http://a.test/" + cue, "Cue thunder" }, true, false},
	} {
		j := newJob(t)
		j.visitNew("a.test", 1)
		j.copies = 5
		url, title := c.named("thunder")
		j.views = map[uint64]*purify.DocView{1: {URL: url, Title: title, Blocks: []purify.Block{{Print: says}}}}
		for n, cue := range cues {
			url, title := c.named(cue)
			v := j.visit("a.test", n+2)
			v.Lease.URL, _ = weburl.Parse(url)
			v.Page.Title, v.Prints = title, []purify.Print{says}
			if c.thin {
				v.Own = []purify.OwnBlock{{Print: says}}
			}
			j.update(func(tx kv.Tx) error { j.settle(tx, v, copied{"http://a.test/1", dedup.FullLayout}); return nil })
		}
		if got := j.of("a.test").Has(&purify.Block{Print: says}); got != c.want {
			t.Errorf("%s: the template has what the copies say: %v, want %v", c.kind, got, c.want)
		}
	}
}

func TestALearnerThatIsOffLearnsNothing(t *testing.T) {
	j := newJob(t)
	j.open(Options{Off: true})
	j.visitNew("a.test", 1, 2, 3, 4, 5, 6)
	j.open(Options{})
	if j.of("a.test") != nil {
		t.Error("there is a template")
	}
}

// TestTemplatesThatAreNotInMemoryAreRead has more hosts than the cache holds.
func TestTemplatesThatAreNotInMemoryAreRead(t *testing.T) {
	j := newJob(t)
	const hosts = maxCached + 3
	name := func(n int) string { return fmt.Sprintf("h%d.test", n) }
	j.update(func(tx kv.Tx) error {
		for n := range hosts {
			for p := range 5 {
				j.settle(tx, j.visit(name(n), p), copied{})
			}
		}
		return nil
	})
	for range 2 {
		for n := range hosts {
			if j.of(name(n)).Blocks() != 2 {
				t.Fatalf("%s has no template", name(n))
			}
		}
	}
	if n := len(j.learner.cache.of); n != maxCached {
		t.Errorf("%d templates are in memory, want %d", n, maxCached)
	}
}

// damage puts into a job's tables what is not so, and says what Check says of it.
var damage = []struct {
	name string
	do   func(tx kv.Tx)
	want string
}{
	{"a record is cut short", func(tx kv.Tx) {
		h := weburl.HostKeyOf("a.test")
		tx.Put(siteRows.Large, h[:], []byte{siteForm, 7})
	}, siteIsReadable},
	{"a record is of a form to come", func(tx kv.Tx) {
		h := weburl.HostKeyOf("a.test")
		tx.Put(siteRows.Large, h[:], []byte{siteForm + 1})
	}, siteIsReadable},
	{"a host learned from another's page", func(tx kv.Tx) {
		h := weburl.HostKeyOf("b.test")
		tx.Put(siteRows.Large, h[:], (&siteRecord{early: []uint64{2}}).encode())
	}, earlyIsKept},
	{"a template is lost", func(tx kv.Tx) {
		h := weburl.HostKeyOf("a.test")
		tx.Delete(TableTemplates, h[:])
	}, templateIsLast},
	{"a template cannot be read", func(tx kv.Tx) {
		h := weburl.HostKeyOf("a.test")
		tx.Put(TableTemplates, h[:], []byte{200})
	}, templateIsReadable},
	{"a template has no host", func(tx kv.Tx) { tx.Put(TableTemplates, make([]byte, 6), []byte{1, 1, 5}) }, templateHasSite},
	{"a record of a folder is cut short", func(tx kv.Tx) {
		p, _ := placesOf("http://a.test/folder/1")
		tx.Put(TableFolders, p[1].key(), []byte{siteForm, 7})
	}, siteIsReadable},
	{"a folder's template is lost", func(tx kv.Tx) {
		p, _ := placesOf("http://a.test/folder/1")
		tx.Put(TableFolderTemplates, p[1].key(), []byte{1, 1, 5})
	}, templateHasSite},
	{"a host is not known", func(tx kv.Tx) {
		h := weburl.HostKeyOf("c.test")
		tx.Put(siteRows.Large, h[:], (&siteRecord{}).encode())
	}, siteHasHost},
	{"a page to be purified again is not kept", func(tx kv.Tx) {
		k := keyOf(weburl.HostKeyOf("a.test"), 99)
		tx.Put(TableAgain, k[:], present)
	}, againIsKept},
	{"a page to be purified again is another host's", func(tx kv.Tx) {
		k := keyOf(weburl.HostKeyOf("b.test"), 1)
		tx.Put(TableAgain, k[:], present)
	}, againIsKept},
	{"a page of few words is not kept", func(tx kv.Tx) {
		putThin(tx, place{host: weburl.HostKeyOf("a.test")}, 99, []purify.OwnBlock{{Print: 7, Bytes: 20}}, nil)
	}, thinIsKept},
	{"a page of few words in a folder is not kept", func(tx kv.Tx) {
		p, _ := placesOf("http://a.test/folder/1")
		putThin(tx, p[1], 99, []purify.OwnBlock{{Print: 7, Bytes: 20}}, nil)
	}, thinIsKept},
}

func TestRepairForgetsWhatCheckFinds(t *testing.T) {
	for _, c := range damage {
		t.Run(c.name, func(t *testing.T) {
			j := newJob(t)
			j.visitNew("a.test", 1, 2, 3, 4, 5)
			j.visitNew("b.test", 1)
			j.update(func(tx kv.Tx) error { c.do(tx); return nil })
			found := j.breaches()
			if len(found) != 1 || !strings.HasPrefix(found[0], c.want) {
				t.Errorf("Check found %q, want one that starts with %q", found, c.want)
			}
			if err := j.learner.Repair(context.Background()); err != nil {
				t.Fatal(err)
			}
			if left := j.breaches(); len(left) > 0 {
				t.Errorf("after Repair Check found %q", left)
			}
		})
	}
}

func TestCheckEndsWithTheErrorOfItsCaller(t *testing.T) {
	j := newJob(t)
	j.visitNew("a.test", 1, 2, 3, 4, 5)
	enough := errors.New("enough")
	err := j.kv.View(context.Background(), func(r kv.Reader) error {
		j.hosts = nil // what is known of a.test is a breach
		return j.learner.Check(r, func(string, error) error { return enough })
	})
	if !errors.Is(err, enough) {
		t.Errorf("Check = %v, want %v", err, enough)
	}
	j.hosts = map[weburl.HostKey]bool{weburl.HostKeyOf("a.test"): true}
}

func FuzzSiteRecords(f *testing.F) {
	var r siteRecord
	r.early = []uint64{1, 300}
	r.site.Learn([]purify.Print{1, 2, 3})
	f.Add(r.encode())
	f.Add((&siteRecord{}).encode())
	f.Fuzz(func(t *testing.T, b []byte) {
		r, err := decodeSite(b)
		if err != nil {
			return
		}
		again, err := decodeSite(r.encode())
		if err != nil || !slices.Equal(again.early, r.early) || again.site.Generation() != r.site.Generation() {
			t.Errorf("site record %+v reads back as %+v, %v", r, again, err)
		}
	})
}

// folderPage is a page in a folder whose pages have three blocks that no others have, and of
// which the first is a page's own in other folders.
func (j *job) folderPage(folder string, frame purify.Print, n int) *page.Visit {
	j.t.Helper()
	u, err := weburl.Parse(fmt.Sprintf("http://a.test/%s/%d", folder, n))
	if err != nil {
		j.t.Fatal(err)
	}
	now, err := j.learner.Of(u.String())
	if err != nil {
		j.t.Fatal(err)
	}
	return &page.Visit{
		Lease: frontier.Lease{URL: u}, Body: []byte(u.String()),
		Prints:   []purify.Print{frame, frame + 1, frame + 2, purify.Print(1000 + 100*frame + purify.Print(n))},
		Template: now.Generation(),
	}
}

// visitFolder settles pages of a folder with these numbers, each in a commit.
func (j *job) visitFolder(folder string, frame purify.Print, numbers ...int) {
	j.t.Helper()
	for _, n := range numbers {
		j.update(func(tx kv.Tx) error { j.settle(tx, j.folderPage(folder, frame, n), copied{}); return nil })
	}
}

// TestTheFolderOfALargeHostHasATemplateOfItsOwn has a host of twelve sites, each in a folder: of
// none are as many pages as a frame takes.
func TestTheFolderOfALargeHostHasATemplateOfItsOwn(t *testing.T) {
	j := newJob(t)
	changed := 0
	j.open(Options{Changed: func(hosts []weburl.HostKey) { changed += len(hosts) }})
	for n := range 5 {
		for site := range purify.Print(12) {
			j.visitFolder(fmt.Sprint("s", site), 10*site+10, n)
		}
	}
	menu := &purify.Block{Print: 20, Linked: true}
	if j.of("a.test").Has(menu) {
		t.Fatal("the host's template has the menu of a folder, and the test needs it too rare for that")
	}
	j.lent()
	before := changed
	for n := 5; n < 10; n++ {
		j.visitFolder("s1", 20, n)
	}
	for _, when := range []string{"after the commit", "when the job is opened again"} {
		for url, want := range map[string]bool{"http://a.test/s1/77": true, "http://a.test/s1/deeper/77": true, "http://a.test/s2/77": false, "http://a.test/77": false} {
			made, err := j.learner.Of(url)
			if err != nil {
				t.Fatal(err)
			}
			if got := made.Has(menu); got != want {
				t.Errorf("%s the template of %s has the menu of /s1/: %v, want %v", when, url, got, want)
			}
		}
		if when == "after the commit" && changed == before {
			t.Error("Changed was not called for the folder's template")
		}
		j.open(Options{})
	}
	if lent := j.lent(); len(lent) < 5 {
		t.Errorf("pages of the folder that are to be purified again: %v, want five at least", lent)
	}

	thin := j.folderPage("s1", 20, 50)
	thin.Own = []purify.OwnBlock{{Print: 500, Bytes: 9}, {Print: 1, Bytes: 9}}
	thin.Prints = append(thin.Prints, 500)
	j.update(func(tx kv.Tx) error { j.settle(tx, thin, copied{}); return nil })
	seq := j.pages
	for n := 51; len(j.breaches()) == 0 && n < 70; n++ {
		v := j.folderPage("s1", 20, n)
		v.Prints = append(v.Prints, 500)
		slices.Sort(v.Prints)
		j.update(func(tx kv.Tx) error { j.settle(tx, v, copied{}); return nil })
	}
	if lent := j.lent(); !slices.Contains(lent, seq) {
		t.Errorf("pages to be purified again: %v, want the thin page %d whose line the folder repeats by now", lent, seq)
	}
	j.update(func(tx kv.Tx) error { return j.learner.Drop(tx, thin.Lease.URL.String(), seq) })
}

// TestTheFolderOfListsHasNoTemplate has a host whose frame its lists of tags have too.
func TestTheFolderOfListsHasNoTemplate(t *testing.T) {
	j := newJob(t)
	for n := range 60 {
		j.visitFolder([]string{"posts", "tags"}[n%2], 10, n)
	}
	host := j.of("a.test")
	for _, url := range []string{"http://a.test/tags/1", "http://a.test/posts/1"} {
		made, err := j.learner.Of(url)
		if err != nil {
			t.Fatal(err)
		}
		if made != host {
			t.Errorf("the template of %s is %d, want its host's, which is %d", url, made.Generation(), host.Generation())
		}
	}
}

// Pages of a new folder that lack the frame of their host are read without it, as they may be of
// another site, until the folder is known to be none.
func TestPagesOfAFolderThatTurnsOutToBeNoSiteAreReadAgain(t *testing.T) {
	j := newJob(t)
	for n := range 60 {
		j.visitFolder("posts", 10, n)
	}
	j.lent()
	var odd []uint64
	for n := range 5 {
		j.visitFolder("odd", purify.Print(5000+10*n), n) // nothing is on two of them
		odd = append(odd, j.pages)
	}
	if again := j.lent(); !slices.Equal(again, odd) {
		t.Errorf("pages to be purified again: %v, want %v", again, odd)
	}
	j.visitFolder("posts", 10, 60)
	j.expectLent()
}

// TestAFolderThatItsHostStopsToHaveIsReadAgain has a host of which half is one folder at first, whose
// frame its template has. When many other folders are known it has not, and no page of the first
// one comes to say so.
func TestAFolderThatItsHostStopsToHaveIsReadAgain(t *testing.T) {
	j := newJob(t)
	j.open(Options{})
	first := make(map[uint64]bool)
	for n := range 24 {
		j.visitFolder("first", 10, n)
		first[j.pages] = true
		j.visitFolder(fmt.Sprint("other", n), purify.Print(20+10*n), n)
	}
	thin := j.folderPage("first", 10, 50)
	thin.Own = []purify.OwnBlock{{Print: 10, Bytes: 9}, {Print: 9000, Bytes: 9}}
	j.update(func(tx kv.Tx) error { j.settle(tx, thin, copied{}); return nil })
	first[j.pages] = true
	isSite := func() bool {
		made, err := j.learner.Of("http://a.test/first/77")
		if err != nil {
			t.Fatal(err)
		}
		return made != j.of("a.test")
	}
	if isSite() {
		t.Fatal("the folder is a site of its own at first, and the test needs that it is none")
	}
	j.lent()
	for n := range 120 {
		j.visitFolder(fmt.Sprint("more", n), purify.Print(2000+10*n), n)
	}
	if !isSite() {
		t.Fatal("the folder is no site of its own in the end")
	}
	again := 0
	for _, seq := range j.lent() {
		if first[seq] {
			again++
		}
	}
	if want := 3; again < want {
		t.Errorf("%d pages of the folder are to be purified again, want its first ones and the thin one, %d at least", again, want)
	}
}

// The frame of a part of a site may be on a tenth of the first pages, and not of all.
func TestAThinPageIsPurifiedAgainWhenATemplateGivesItsBlocksBack(t *testing.T) {
	j := newJob(t)
	n := 0
	visit := func(own []purify.OwnBlock, frame ...purify.Print) {
		n++
		v := j.visit("a.test", n)
		v.Own, v.Prints = own, slices.Sorted(slices.Values(append(v.Prints, frame...)))
		j.update(func(tx kv.Tx) error { j.settle(tx, v, copied{}); return nil })
	}
	for range 5 {
		visit(nil, 500)
	}
	j.lent()
	own, shared := purify.OwnBlock{Print: 1006, Bytes: 90}, purify.OwnBlock{Print: 500, Bytes: 20, Shared: true}
	menu := purify.OwnBlock{Print: 700, Bytes: 90, Shared: true, Linked: true} // the template does not have it
	visit([]purify.OwnBlock{own, shared, menu})
	visit([]purify.OwnBlock{own, menu})
	for range 80 {
		visit(nil)
	}
	if made := j.of("a.test"); made.Has(shared.Block()) {
		t.Fatalf("the template of %d pages has the block, and the test needs that it does not", made.Pages())
	}
	j.expectLent(6)
}

// A small part of a page's text may decide whether the page is a copy.
func TestThePagesThatALastTemplateChangesAreAllPurifiedAgain(t *testing.T) {
	j := newJob(t)
	j.visitNew("a.test", 1, 2, 3, 4, 5, 6, 7)
	j.lent()
	for n := 8; n <= 14; n++ { // the template of the tenth page has block 500 of three pages only
		v := j.visit("a.test", n)
		v.Prints = []purify.Print{1, 2, 500, purify.Print(1000 + n)}
		if n == 8 || n == 9 {
			for i := range purify.Print(40) {
				v.Own = append(v.Own, purify.OwnBlock{Print: 2000 + i, Bytes: 20})
			}
			v.Own[8].Print = 500
		}
		if n == 9 {
			v.Own = v.Own[:8]
		}
		j.update(func(tx kv.Tx) error { j.settle(tx, v, copied{}); return nil })
	}
	j.expectLent()
	j.update(func(tx kv.Tx) error {
		found, err := j.learner.Idle(tx)
		if !found {
			t.Error("Idle found no page to be purified again")
		}
		return err
	})
	j.expectLent(8)
}
