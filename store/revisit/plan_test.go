package revisit

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"gatecrawl.example/gatecrawl/dedup"
	"gatecrawl.example/gatecrawl/dedup/group"
	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/priority"
	"gatecrawl.example/gatecrawl/store/kv"
	"gatecrawl.example/gatecrawl/store/kv/mem"
)

// A testJob has URLs in a map, and pages, groups and rates in tables in memory.
type testJob struct {
	t      *testing.T
	tables kv.Store
	groups *group.Groups
	keys   []weburl.Key // in the order in which they were met
	urls   map[weburl.Key]*URL
	asked  []string // in the order in which they were queued
	scores map[string]float32
	totals page.Totals
}

func newTestJob(t *testing.T) *testJob {
	t.Helper()
	tables, err := mem.Open(slices.Concat(page.Tables(), group.Tables(), Tables()))
	if err != nil {
		t.Fatal(err)
	}
	j := &testJob{t: t, tables: tables, urls: make(map[weburl.Key]*URL), scores: make(map[string]float32)}
	j.groups = group.New(dedup.DefaultOptions(), groupJob{j})
	t.Cleanup(func() {
		j.view(func(r kv.Reader) error {
			return Check(r, func(what string, err error) error {
				t.Errorf("breach: %s: %v", what, err)
				return nil
			})
		})
	})
	return j
}

func (j *testJob) view(fn func(kv.Reader) error) {
	j.t.Helper()
	if err := j.tables.View(j.t.Context(), fn); err != nil && j.t.Context().Err() == nil {
		j.t.Fatal(err)
	}
}

func (j *testJob) update(fn func(kv.Tx) error) {
	j.t.Helper()
	if err := j.tables.Update(j.t.Context(), fn); err != nil {
		j.t.Fatal(err)
	}
}

// URL implements Job.
func (j *testJob) URL(_ kv.Reader, k weburl.Key) (URL, bool, error) {
	if u := j.urls[k]; u != nil {
		return *u, true, nil
	}
	return URL{}, false, nil
}

// Ask implements Job.
func (j *testJob) Ask(_ kv.Tx, k weburl.Key, score *float32) (bool, error) {
	u := j.urls[k]
	if u == nil || !u.Settled {
		return false, nil
	}
	u.Settled = false
	j.asked = append(j.asked, u.Text)
	if score != nil {
		j.scores[u.Text] = *score
	}
	return true, nil
}

// Neighbours implements Job.
func (j *testJob) Neighbours(_ kv.Reader, h weburl.HostKey, from weburl.Key, most int) (keys []weburl.Key, _ error) {
	for _, k := range j.keys {
		if k.Host() == h && slices.Compare(k[:], from[:]) >= 0 {
			keys = append(keys, k)
		}
	}
	slices.SortFunc(keys, func(a, b weburl.Key) int { return slices.Compare(a[:], b[:]) })
	return keys[:min(len(keys), most)], nil
}

// A groupJob is a testJob as group.Job.
type groupJob struct{ j *testJob }

func (g groupJob) URL(r kv.Reader, k weburl.Key) (group.URL, bool, error) {
	u, ok, err := g.j.URL(r, k)
	return group.URL{Text: u.Text, Page: u.Page, Waits: ok && !u.Settled}, ok, err
}

func (g groupJob) Ask(tx kv.Tx, k weburl.Key) error {
	_, err := g.j.Ask(tx, k, nil)
	return err
}
func (g groupJob) Raise(kv.Tx, uint64, uint64) error                { return nil }
func (groupJob) Retire(kv.Tx, uint64, uint64) error                 { return nil }
func (groupJob) Resized(kv.Tx, uint64)                              {}
func (g groupJob) HandedOn(tx kv.Tx, of, to uint64) error           { return HandOn(tx, of, to) }
func (g groupJob) Diverged(tx kv.Tx, k weburl.Key, of uint64) error { return Diverged(tx, g.j, k, of) }
func (g groupJob) Totals(kv.Tx) *page.Totals                        { return &g.j.totals }

// visit settles a page that was visited some days ago; of is the number of the page that
// it is a copy of, 0: none. It returns its number.
func (j *testJob) visit(url string, days float64, of uint64) uint64 {
	j.t.Helper()
	u, err := weburl.Parse(url)
	if err != nil {
		j.t.Fatal(err)
	}
	k, seq := u.Key(), uint64(len(j.keys)+1)
	j.keys = append(j.keys, k)
	j.urls[k] = &URL{Text: url, Page: seq, Settled: true}
	p := page.Record{URL: url, Status: 200, Verdict: page.VerdictNew, Depth: 1, Fetched: time.Now().Add(-time.Duration(days * 24 * float64(time.Hour)))}
	var v dedup.Verdict
	if of != 0 {
		p.Verdict = page.VerdictCopy
		v = dedup.Verdict{Of: dedup.Ref(of), Level: dedup.LevelBytes, Class: dedup.FullLayout, Similarity: 1}
	}
	j.update(func(tx kv.Tx) error {
		page.Put(tx, seq, &p, v)
		if of != 0 {
			return j.groups.Vote(tx, of, k)
		}
		return nil
	})
	return seq
}

// recrawl makes a plan and brings it to its end.
func (j *testJob) recrawl(a Ask, turn uint64) (n Asked) {
	j.t.Helper()
	o := priority.DefaultOptions()
	p, put, err := NewPlan(j.t.Context(), j.tables, o, a, turn)
	if err != nil {
		j.t.Fatal(err)
	}
	n.Put = put
	for p != nil {
		j.update(func(tx kv.Tx) error {
			rest, more, err := p.Next(tx, o, j.groups, j)
			p = rest
			n.Asked += more.Asked
			n.Spared += more.Spared
			n.Rested += more.Rested
			return err
		})
	}
	return n
}

func TestOfManyPagesThoseAreAskedForThatPayMost(t *testing.T) {
	j := newTestJob(t)
	for i := range 12 {
		seq := j.visit(fmt.Sprintf("http://h%d.test/", i), 7, 0)
		changes := []uint64{7, 2, 0}[i%3] // each day, twice a week, never
		j.update(func(tx kv.Tx) error { Rate{Visits: 7, Changes: changes, Seconds: 7 * 86400}.Put(tx, seq); return nil })
	}
	if n := j.recrawl(Ask{Before: time.Now(), Pages: 4}, 0); n.Asked != 4 || n.Put != 8 {
		t.Errorf("a re-crawl of at most 4 of 12 pages came to %+v, want 4 asked and 8 put off", n)
	}
	slices.Sort(j.asked)
	want := []string{"http://h1.test/", "http://h10.test/", "http://h4.test/", "http://h7.test/"}
	if !slices.Equal(j.asked, want) {
		t.Errorf("%v are asked for, want %v: those that change and stay so for days", j.asked, want)
	}
}

func TestAKeptPageIsAskedForItsCopies(t *testing.T) {
	const copies = 100
	j := newTestJob(t)
	kept := j.visit("http://kept.test/", 7, 0)
	for i := range copies {
		j.visit(fmt.Sprintf("http://m%d.test/", i), 7, kept)
	}
	met := make(map[string]int)
	for turn := range uint64(10) {
		n := j.recrawl(Ask{Before: time.Now(), Copies: .1}, turn)
		if n.Asked != len(j.asked) || n.Asked+n.Spared != copies+1 || n.Asked > copies/4 {
			t.Errorf("re-crawl %d came to %+v with %d queued, want the kept page and about ten of %d copies", turn, n, len(j.asked), copies)
		}
		if !slices.Contains(j.asked, "http://kept.test/") {
			t.Errorf("re-crawl %d does not ask for the kept page", turn)
		}
		for _, u := range j.asked {
			met[u]++
		}
		j.asked = nil
		for _, u := range j.urls {
			u.Settled = true
		}
	}
	if len(met) != copies+1 {
		t.Errorf("%d of %d pages were asked for in ten re-crawls with a share of a tenth", len(met), copies+1)
	}
}

func TestPagesThatWereVisitedSinceAreNotAskedFor(t *testing.T) {
	j := newTestJob(t)
	j.visit("http://a.test/", 1, 0)
	j.visit("http://b.test/", 3, 0)
	j.recrawl(Ask{Before: time.Now().Add(-48 * time.Hour)}, 0)
	if !slices.Equal(j.asked, []string{"http://b.test/"}) {
		t.Errorf("%v are asked for, want what was visited more than two days ago", j.asked)
	}
}

// follow looks into all hints.
func (j *testJob) follow(recrawled time.Time) (listed int) {
	j.t.Helper()
	for more := true; more; {
		j.update(func(tx kv.Tx) (err error) {
			var keys []weburl.Key
			_, keys, more, err = FollowHints(tx, j, recrawled)
			listed += len(keys)
			return err
		})
	}
	j.view(func(r kv.Reader) error {
		if left, err := HasHints(r); err != nil || left {
			j.t.Errorf("HasHints = %v, %v when all were looked into", left, err)
		}
		return nil
	})
	return listed
}

func TestACopyIsAskedForWhereASitemapSaysThatItChanged(t *testing.T) {
	j := newTestJob(t)
	recrawled := time.Now().Add(-time.Hour)
	kept := j.visit("http://kept.test/", 7, 0)
	var urls []Listing
	for i := range 40 {
		url := fmt.Sprintf("http://m.test/%d", i)
		j.visit(url, 7, kept)
		l := Listing{URL: j.keys[len(j.keys)-1]}
		if i%10 == 0 {
			l.Modified = time.Now().Add(-24 * time.Hour)
		}
		urls = append(urls, l)
	}
	j.update(func(tx kv.Tx) error {
		return Listed(tx, j, urls, time.Now().Add(-48*time.Hour), recrawled, 1)
	})
	listed := j.follow(recrawled)
	slices.Sort(j.asked)
	want := []string{"http://m.test/0", "http://m.test/10", "http://m.test/20", "http://m.test/30"}
	if !slices.Equal(j.asked, want) || listed != len(want) {
		t.Errorf("%v are asked for, %d as listed; want %v", j.asked, listed, want)
	}
}

// Some servers say of all URLs that they changed, each time.
func TestASitemapThatSaysSoOfAllIsBelievedOfFew(t *testing.T) {
	j := newTestJob(t)
	recrawled := time.Now().Add(-time.Hour)
	kept := j.visit("http://kept.test/", 7, 0)
	var urls []Listing
	for i := range 400 {
		j.visit(fmt.Sprintf("http://m.test/%d", i), 7, kept)
		urls = append(urls, Listing{j.keys[len(j.keys)-1], time.Now()})
	}
	met := make(map[string]bool)
	for turn := range uint64(5) {
		j.update(func(tx kv.Tx) error { return Listed(tx, j, urls, time.Now().Add(-time.Hour), recrawled, turn) })
		j.follow(recrawled)
		if len(j.asked) != 400/listedShare {
			t.Errorf("reading %d: %d of 400 copies are asked for, want %d", turn, len(j.asked), 400/listedShare)
		}
		for _, u := range j.asked {
			met[u] = true
		}
		j.asked = nil
		for _, u := range j.urls {
			u.Settled = true
		}
	}
	if len(met) != 5*400/listedShare {
		t.Errorf("%d copies were asked for in five readings, want others each time: %d", len(met), 5*400/listedShare)
	}
}

func TestACopyThatChangedAloneLeadsToFiveOfItsHost(t *testing.T) {
	j := newTestJob(t)
	recrawled := time.Now().Add(-time.Hour)
	kept := j.visit("http://kept.test/", 7, 0)
	for i := range 30 {
		j.visit(fmt.Sprintf("http://m.test/%d", i), 7, kept)
		j.visit(fmt.Sprintf("http://other%d.test/", i), 7, kept)
	}
	j.update(func(tx kv.Tx) error { return Diverged(tx, j, j.keys[1], kept) })
	j.follow(recrawled)
	if len(j.asked) != neighbours {
		t.Errorf("%v are asked for, want %d copies", j.asked, neighbours)
	}
	for _, u := range j.asked {
		if u[:len("http://m.test/")] != "http://m.test/" {
			t.Errorf("%s is asked for, want copies of m.test alone", u)
		}
	}
}

func TestARepairForgetsHints(t *testing.T) {
	j := newTestJob(t)
	kept := j.visit("http://kept.test/", 7, 0)
	j.visit("http://m.test/", 7, kept)
	j.update(func(tx kv.Tx) error {
		tx.Put(tableHints, []byte("short"), nil)
		return Diverged(tx, j, j.keys[1], kept)
	})
	breaches := 0
	j.view(func(r kv.Reader) error {
		return Check(r, func(string, error) error { breaches++; return nil })
	})
	if breaches != 1 {
		t.Errorf("%d breaches are found, want 1", breaches)
	}
	if err := Repair(t.Context(), j.tables); err != nil {
		t.Fatal(err)
	}
	j.follow(time.Now())
	if len(j.asked) > 0 {
		t.Errorf("after a repair %v are asked for", j.asked)
	}
}
