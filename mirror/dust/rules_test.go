package dust_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"gatecrawl.example/gatecrawl/dedup"
	"gatecrawl.example/gatecrawl/frontier"
	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/mirror/dust"
	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/store/kv"
	"gatecrawl.example/gatecrawl/store/kv/mem"
)

// A job has URLs in a map, and records and rules in tables in memory.
type job struct {
	t      *testing.T
	tables kv.Store
	rules  *dust.Rules

	pages  uint64
	first  map[int]uint64 // by document: the number of its kept page
	urls   map[weburl.Key]*dust.URL
	queue  []weburl.URL
	totals page.Totals
}

func newJob(t *testing.T, change func(*dust.Options)) *job {
	t.Helper()
	o := dust.DefaultOptions()
	if change != nil {
		change(&o)
	}
	tables, err := mem.Open(append(page.Tables(), dust.Tables()...))
	if err != nil {
		t.Fatal(err)
	}
	j := &job{t: t, tables: tables, first: make(map[int]uint64), urls: make(map[weburl.Key]*dust.URL)}
	j.totals.Avoided = make(map[string]int64)
	t.Cleanup(func() {
		for _, b := range j.breaches() {
			t.Error("breach:", b)
		}
	})
	j.view(func(r kv.Reader) (err error) {
		j.rules, err = dust.Load(r, o, j)
		return err
	})
	return j
}

// breaches returns what Check reports.
func (j *job) breaches() (all []string) {
	j.view(func(r kv.Reader) error {
		left, err := dust.CountLeftOut(r)
		if err != nil {
			all = append(all, err.Error())
		}
		for kind, n := range left {
			if n != j.totals.Avoided[string(kind)] {
				all = append(all, fmt.Sprintf("%d URLs are left out by rules of kind %s, and %d are counted", n, kind, j.totals.Avoided[string(kind)]))
			}
		}
		return j.rules.Check(r, func(what string, err error) error {
			all = append(all, fmt.Sprintf("%s: %v", what, err))
			return nil
		})
	})
	return all
}

func (j *job) view(fn func(kv.Reader) error) {
	j.t.Helper()
	if err := j.tables.View(j.t.Context(), fn); err != nil && j.t.Context().Err() == nil {
		j.t.Fatal(err)
	}
}

// update is a commit.
func (j *job) update(fn func(kv.Tx) error) {
	j.t.Helper()
	err := j.tables.Update(j.t.Context(), func(tx kv.Tx) error {
		if err := fn(tx); err != nil {
			return err
		}
		return j.rules.Finish(tx)
	})
	if err != nil {
		j.t.Fatal(err)
	}
}

// URL implements dust.Job.
func (j *job) URL(_ kv.Reader, k weburl.Key) (dust.URL, bool, error) {
	if u := j.urls[k]; u != nil {
		return *u, true, nil
	}
	return dust.URL{}, false, nil
}

// Readmit implements dust.Job.
func (j *job) Readmit(_ kv.Tx, k weburl.Key, trial bool) error {
	u := j.urls[k]
	if !u.LeftOut {
		return fmt.Errorf("%s was not left out", u.Text)
	}
	u.LeftOut, u.Trial = false, trial
	j.queue = append(j.queue, j.parse(u.Text))
	return nil
}

// Totals implements dust.Job.
func (j *job) Totals(kv.Tx) *page.Totals { return &j.totals }

func (j *job) parse(address string) weburl.URL {
	j.t.Helper()
	u, err := weburl.Parse(address)
	if err != nil {
		j.t.Fatal(err)
	}
	return u
}

// meets adds a URL that was found.
func (j *job) meets(u weburl.URL) *dust.URL {
	k := u.Key()
	if j.urls[k] == nil {
		j.urls[k] = &dust.URL{Text: u.String()}
	}
	return j.urls[k]
}

// has tells the rules that a document is at a URL.
func (j *job) has(document int, address string) {
	j.t.Helper()
	u := j.parse(address)
	j.pages++
	rec := page.Record{URL: u.String(), Seq: j.pages, Status: 200, Verdict: page.VerdictNew, BodyTokens: 120}
	var verdict dedup.Verdict
	if of, ok := j.first[document]; ok {
		rec.Verdict = page.VerdictCopy
		verdict = dedup.Verdict{Of: dedup.Ref(of), Level: dedup.LevelBytes, Class: dedup.FullLayout, Similarity: 1}
	} else {
		j.first[document] = rec.Seq
	}
	j.totals.Pages++
	j.meets(u).Page = rec.Seq
	j.update(func(tx kv.Tx) error {
		page.Put(tx, rec.Seq, &rec, verdict)
		return j.rules.Learn(tx, &page.Visit{Lease: frontier.Lease{URL: u}}, &rec, verdict)
	})
}

// asks decides about a URL as a crawl does, and reports whether it is fetched now.
func (j *job) asks(address string) bool {
	j.t.Helper()
	u := j.parse(address)
	j.meets(u)
	var d dust.Decision
	j.view(func(r kv.Reader) (err error) {
		d, err = j.rules.Skip(r, frontier.Lease{URL: u})
		return err
	})
	if d.Tier == dust.Skip {
		j.update(func(tx kv.Tx) error {
			refusal, err := j.rules.LeaveOut(tx, u.Key(), d)
			j.urls[u.Key()].LeftOut = !refusal.IsZero()
			return err
		})
	}
	return !j.urls[u.Key()].LeftOut
}

func (j *job) explain(address string) (e dust.Explained) {
	j.t.Helper()
	j.view(func(r kv.Reader) (err error) {
		e, err = j.rules.Explain(r, j.parse(address))
		return err
	})
	return e
}

// leftOut returns how many URLs are left out.
func (j *job) leftOut() (n int64) {
	for _, c := range j.totals.Avoided {
		n += c
	}
	return n
}

// kindsOfURLs are two URL patterns of page N, for each kind of rule.
var kindsOfURLs = []struct {
	kind dust.Kind
	a, b string
}{
	{dust.Param, "http://a.test/n/N?tok=xN", "http://a.test/n/N"},
	{dust.Value, "http://a.test/n/N?part=1", "http://a.test/n/N"},
	{dust.Order, "http://a.test/n?a=N&b=1", "http://a.test/n?b=1&a=N"},
	{dust.Index, "http://a.test/n/pN/index.html", "http://a.test/n/pN/"},
	{dust.Slash, "http://a.test/n/pN/", "http://a.test/n/pN"},
	{dust.Case, "http://a.test/n/PageN", "http://a.test/n/pageN"},
	{dust.Extension, "http://a.test/n/pN.htm", "http://a.test/n/pN.html"},
	{dust.Segment, "http://a.test/s0123456789abcN/pN", "http://a.test/sfedcba987654N/pN"},
	{dust.Segment, "http://a.test/s0123456789abcN/pN", "http://a.test/pN"},
	{dust.Prefix, "http://a.test/~ann/pN", "http://a.test/people/ann/pN"},
	{dust.Prefix, "http://a.test/docs/pN", "http://a.test/pN"},
	{dust.View, "http://a.test/print/n/pN", "http://a.test/n/pN"},
	{dust.Scheme, "http://a.test/n/pN", "https://a.test/n/pN"},
	{dust.WWW, "http://www.a.test/n/pN", "http://a.test/n/pN"},
}

func TestEveryKindOfRuleIsLearnedAndTakenBack(t *testing.T) {
	for _, c := range kindsOfURLs {
		t.Run(fmt.Sprintf("%s of %s", c.kind, c.b), func(t *testing.T) {
			j := newJob(t, nil)
			at := func(form string, n int) string { return strings.ReplaceAll(form, "N", fmt.Sprint(n+10)) }
			pages := 17
			if c.kind == dust.Value {
				pages = 80 // of a parameter that matters on other pages, more must agree
			}
			for n := range pages {
				j.has(n, at(c.b, n))
				j.has(n, at(c.a, n))
				if c.kind == dust.Value {
					j.has(1000+n, at(c.b, n)+"?part=2")
				}
			}
			j.has(pages, at(c.b, pages))
			e := j.explain(at(c.a, pages))
			if e.Decision != "skip" && e.Decision != "explore" || e.Same != at(c.b, pages) || len(e.Rules) == 0 || e.Rules[0].Kind != c.kind {
				t.Fatalf("after %d pages %s is %+v, want it taken for %s by a rule of kind %s", pages, e.URL, e, at(c.b, pages), c.kind)
			}
			j.has(5000, at(c.a, pages)) // a different document
			if e = j.explain(at(c.a, pages)); e.Decision == "skip" || e.Decision == "explore" {
				t.Errorf("after a miss %s is left out still: %+v", e.URL, e)
			}
		})
	}
}

// manyTokens offers each page at four more URLs that differ in a parameter, so that the rules learn
// to leave them out. It returns how often each page was fetched by one of these.
func manyTokens(j *job, pages int) map[int]int {
	plain := func(n int) string { return fmt.Sprintf("http://a.test/n/%d", n) }
	for n := range pages {
		j.has(n, plain(n))
	}
	tried := make(map[int]int)
	for way := range 4 {
		for n := range pages {
			if address := fmt.Sprintf("%s?tok=x%d", plain(n), way); j.asks(address) {
				tried[n]++
				j.has(n, address)
			}
		}
	}
	return tried
}

// When the queue is empty one URL of each untested page is tried, until as many agree as are
// wanted.
func TestTrialsOfARuleAreSpreadOverPages(t *testing.T) {
	const pages = 60
	j := newJob(t, nil)
	tried := manyTokens(j, pages)
	left, before := j.leftOut(), len(tried)
	for more := true; more; {
		j.update(func(tx kv.Tx) (err error) {
			more, err = j.rules.Idle(tx)
			return err
		})
		for _, u := range j.queue {
			var n, way int
			if _, err := fmt.Sscanf(u.String(), "http://a.test/n/%d?tok=x%d", &n, &way); err != nil {
				t.Fatal(err)
			}
			if tried[n]++; tried[n] > 1 {
				t.Errorf("page %d was tried before, and is again", n)
			}
			if !j.asks(u.String()) {
				t.Errorf("%s is a trial, and is left out", u)
			}
			j.has(n, u.String())
		}
		j.queue = nil
	}
	if want := j.rules.Options().Wanted(pages); before >= want || len(tried) != want {
		t.Errorf("%d pages were tried, and %d when nothing was left; want %d of %d", before, len(tried), want, pages)
	}
	if now := j.leftOut(); now != left-int64(len(tried)-before) || now == 0 {
		t.Errorf("%d URLs were left out, and %d after %d trials", left, now, len(tried)-before)
	}
}

// Two URLs of a page may be asked for before either is settled. That confirms a rule, and is no trial of it.
func TestAPageThatWasAskedForTwiceAtOnceIsNoTrial(t *testing.T) {
	j := newJob(t, nil)
	for n := range 40 {
		j.has(n, fmt.Sprintf("http://a.test/n/%d", n))
		j.has(n, fmt.Sprintf("http://a.test/n/%d?tok=x%d", n, n))
	}
	if j.asks("http://a.test/n/1?tok=other1") && j.asks("http://a.test/n/2?tok=other2") {
		t.Fatal("no rule leaves URLs out")
	}
	if j.totals.Explored != 0 || j.totals.Wrong != 0 {
		t.Errorf("%d pages count as trials, %d of them as wrong, and nothing was tried", j.totals.Explored, j.totals.Wrong)
	}
	j.has(5000, "http://a.test/n/3?tok=other3")
	if j.totals.Explored != 1 || j.totals.Wrong != 1 {
		t.Errorf("after a page that is another one %d count as trials, %d of them as wrong, want one", j.totals.Explored, j.totals.Wrong)
	}
}

// The URLs that a rule left out are queued again when there is evidence against it, and when a user
// revokes it.
func TestWhatAWrongRuleLeftOutIsQueued(t *testing.T) {
	for _, c := range []struct {
		what string
		end  func(*job)
	}{
		{"another page", func(j *job) { j.has(999, "http://a.test/n/7?tok=other") }},
		{"revoked", func(j *job) {
			var ids []dust.ID
			j.view(func(r kv.Reader) error {
				return j.rules.Each(t.Context(), r, func(l dust.Learned) error {
					ids = append(ids, l.Rule.ID())
					return nil
				})
			})
			j.update(func(tx kv.Tx) error {
				for _, id := range ids {
					if found, err := j.rules.Revoke(tx, id); err != nil || !found {
						t.Errorf("Revoke(%s) = %v, %v; want true", id, found, err)
					}
				}
				return nil
			})
		}},
	} {
		t.Run(c.what, func(t *testing.T) {
			j := newJob(t, nil)
			manyTokens(j, 60)
			left := j.leftOut()
			if left < 100 {
				t.Fatalf("%d URLs are left out, want 100 and more", left)
			}
			c.end(j)
			if now := j.leftOut(); now != 0 || int64(len(j.queue)) != left || j.totals.Reopened != left {
				t.Errorf("%d URLs are left out still, %d are queued and %d are counted; want 0 and twice %d", now, len(j.queue), j.totals.Reopened, left)
			}
		})
	}
}

// A repair removes incomplete records; the caller queues what is no longer left out.
func TestARepairForgetsWhatIsNotWhole(t *testing.T) {
	table := func(name string) *kv.Table {
		all := dust.Tables()
		return all[slices.IndexFunc(all, func(t *kv.Table) bool { return t.Name == name })]
	}
	for _, c := range []struct {
		what   string
		damage func(tx kv.Tx, key, value []byte)
		table  string
		all    bool // nothing is left out after the repair
	}{
		{"rules that are not there", func(tx kv.Tx, k, _ []byte) { tx.Delete(table("rules"), k) }, "rules", true},
		{"rules that cannot be read", func(tx kv.Tx, k, _ []byte) { tx.Put(table("rules"), k, []byte{99}) }, "rules", true},
		{"URLs that their rule does not name", func(tx kv.Tx, k, _ []byte) { tx.Delete(table("left"), k) }, "left", true},
		{"URLs that name no rule", func(tx kv.Tx, k, _ []byte) { tx.Put(table("leftout"), k, []byte{1}) }, "leftout", true},
		{"URLs that a rule names and nobody knows", func(tx kv.Tx, k, v []byte) {
			tx.Put(table("left"), append(slices.Clone(k[:8]), make([]byte, 16)...), v)
		}, "left", false},
	} {
		t.Run(c.what, func(t *testing.T) {
			j := newJob(t, nil)
			manyTokens(j, 60)
			left := j.leftOut()
			j.update(func(tx kv.Tx) error {
				return kv.Each(tx, table(c.table), func(k, v []byte) error { c.damage(tx, k, v); return nil })
			})
			if c.table != "rules" && len(j.breaches()) == 0 {
				t.Error("the damage is not noticed")
			}
			if err := dust.Repair(t.Context(), j.tables, j); err != nil {
				t.Fatal(err)
			}
			clear(j.totals.Avoided)
			j.view(func(r kv.Reader) error {
				n, err := dust.CountLeftOut(r)
				for kind, c := range n {
					j.totals.Avoided[string(kind)] = c
				}
				return err
			})
			if now := j.leftOut(); c.all != (now == 0) || !c.all && now != left {
				t.Errorf("%d URLs are left out, and %d were; want none: %v", now, left, c.all)
			}
		})
	}
}

func TestWhatIsKnownOfURLsIsBounded(t *testing.T) {
	const most = 40
	j := newJob(t, func(o *dust.Options) { o.MaxRules = most })
	for n := range 60 { // each page has its own parameter and template
		j.has(n, fmt.Sprintf("http://a.test/f%d/p", n))
		j.has(n, fmt.Sprintf("http://a.test/f%d/p?v%d=1", n, n))
	}
	n := 0
	j.view(func(r kv.Reader) error {
		return j.rules.Each(t.Context(), r, func(dust.Learned) error { n++; return nil })
	})
	if n != most {
		t.Errorf("%d rules are kept, want the %d that are allowed", n, most)
	}
	for n := range 50 { // the form of all these without the parameter is the same
		j.has(1000+n, fmt.Sprintf("http://b.test/p?id=%d", n))
	}
	j.view(func(r kv.Reader) error {
		for _, table := range dust.Tables() {
			err := kv.Each(r, table, func(_, v []byte) error {
				if table.Name == "forms" && len(v) > 1+4*7 {
					t.Errorf("a form names pages in %d bytes, want %d at most", len(v), 1+4*7)
				}
				return nil
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// Learned rules are there when the job is opened again.
func TestRulesAreReadAgain(t *testing.T) {
	j := newJob(t, nil)
	manyTokens(j, 60)
	const asked = "http://a.test/n/5?tok=another"
	before := j.explain(asked)
	j.view(func(r kv.Reader) (err error) {
		j.rules, err = dust.Load(r, j.rules.Options(), j)
		return err
	})
	if after := j.explain(asked); fmt.Sprint(after) != fmt.Sprint(before) || len(after.Rules) == 0 {
		t.Errorf("%s is %+v, and was %+v before the rules were read again", asked, after, before)
	}
}
