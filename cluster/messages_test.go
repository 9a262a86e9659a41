package cluster

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"gatecrawl.example/gatecrawl"
	"gatecrawl.example/gatecrawl/dedup"
	"gatecrawl.example/gatecrawl/fetch/robots"
	"gatecrawl.example/gatecrawl/frontier"
	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/mirror"
	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/purify"
	"gatecrawl.example/gatecrawl/store"
	"gatecrawl.example/gatecrawl/testserver/slow"
)

// options are those of a job whose hosts may be asked at any time.
func options(partitions int) Options {
	o := Options{Store: store.DefaultOptions(), Partitions: partitions}
	o.Store.Delay, o.Store.PerHost, o.Store.PerIP, o.Store.MaxProbes = 0, 1000, 0, 0
	o.Store.Mirrors = mirror.ModeOff // it would leave URLs out
	return o
}

// An anyJob is what the tests ask of one store and of many.
type anyJob interface {
	gatecrawl.Store
	gatecrawl.Inspector
}

// lend returns the next URL, with every robots.txt missing.
func lend(t *testing.T, b gatecrawl.Store) (frontier.Lease, bool) {
	t.Helper()
	for {
		l, err := b.Next(t.Context())
		if errors.Is(err, frontier.ErrEmpty) {
			return l, false
		}
		if err != nil {
			t.Fatalf("Next: %v", err)
		}
		if l.Task != frontier.Robots {
			return l, true
		}
		v := page.Visit{Lease: l, Robots: &robots.File{Origin: l.URL.Origin(), Status: 404, Fetched: time.Now()}}
		if _, err := b.Settle(t.Context(), &v); err != nil {
			t.Fatalf("Settle of a robots.txt: %v", err)
		}
	}
}

func parse(t *testing.T, s string) weburl.URL {
	t.Helper()
	u, err := weburl.Parse(s)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// text is a document; those of one family are near each other.
func text(family, edition int) string {
	r := rand.New(rand.NewPCG(uint64(family), 7))
	words := make([]string, 150)
	for i := range words {
		words[i] = fmt.Sprintf("word%d", r.IntN(20_000))
	}
	e := rand.New(rand.NewPCG(uint64(edition), uint64(family)))
	for range edition * 5 {
		words[e.IntN(len(words))] = fmt.Sprintf("other%d", e.IntN(20_000))
	}
	return strings.Join(words, " ")
}

// visitOf makes the visit of a document.
func visitOf(l frontier.Lease, body string, links ...frontier.Candidate) *page.Visit {
	view := purify.DocView{URL: l.URL.String(), Body: body}
	whole := dedup.TextOf(&view)
	sig := dedup.SignText(body)
	sig.Bytes = dedup.DigestOf([]byte(body))
	for i := range links {
		links[i].From = l.URL.Key()
		links[i].Signals.Depth = l.Signals.Depth + 1
	}
	return &page.Visit{
		Lease: l, Sign: &sig, Text: &whole, View: page.PackView(&view), Body: []byte(body), Links: links, Finished: time.Now(),
		Page: page.Record{URL: l.URL.String(), Status: 200, Digest: sig.Bytes.String(), SimHash: fmt.Sprintf("%016x", sig.SimHash), BodyTokens: int(sig.Tokens)},
	}
}

// A result is what does not depend on how a job is stored.
type result struct {
	Verdict    page.Verdict
	Of, Class  string
	Level      int
	Distance   int
	Similarity float64
	Degree     int
	Brief      gatecrawl.Brief // without its place in crawl order
}

// results returns what became of every page.
func results(t *testing.T, b anyJob) map[string]result {
	t.Helper()
	all := make(map[string]result)
	err := b.Pages(t.Context(), 1, func(p page.Record) error {
		if _, twice := all[p.URL]; twice {
			t.Errorf("%s has two records", p.URL)
		}
		all[p.URL] = result{Verdict: p.Verdict, Of: p.Of, Class: p.Class, Level: p.Level, Distance: p.Distance, Similarity: p.Similarity, Degree: p.Degree}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// briefed is results with what a list of search results is told of each page.
func briefed(t *testing.T, b anyJob) map[string]result {
	t.Helper()
	all := results(t, b)
	urls := append(slices.Collect(maps.Keys(all)), "no URL", "http://nowhere.example/")
	list, err := b.Briefs(t.Context(), urls)
	if err != nil || len(list) != len(urls) {
		t.Fatalf("Briefs of %d URLs: %d, %v", len(urls), len(list), err)
	}
	briefs := make(map[string]gatecrawl.Brief, len(urls))
	for i, u := range urls {
		briefs[u] = list[i]
	}
	for _, u := range urls[len(all):] {
		if briefs[u] != (gatecrawl.Brief{}) {
			t.Errorf("the brief of %s is %+v, want nothing", u, briefs[u])
		}
	}
	for u, r := range all {
		r.Brief = briefs[u]
		if r.Brief.Kept == 0 || r.Brief.Sketch == [16]byte{} {
			t.Errorf("the brief of %s is %+v, want the sketch of a text", u, r.Brief)
		}
		r.Brief.Kept = 0
		all[u] = r
	}
	return all
}

// settleInOrder settles made pages of many domains in an order that a seed decides, whatever
// the order in which they are lent.
func settleInOrder(t *testing.T, b anyJob, seed uint64) map[string]result {
	t.Helper()
	const pages = 240
	r := rand.New(rand.NewPCG(seed, 1))
	var cs []frontier.Candidate
	bodies := make(map[string]string)
	var order []string
	for i := range pages {
		u := fmt.Sprintf("http://www.d%d.example/%d", r.IntN(40), i)
		bodies[u] = text(r.IntN(60), r.IntN(4))
		order = append(order, u)
		cs = append(cs, frontier.Candidate{URL: parse(t, u)})
	}
	if n, err := b.Add(t.Context(), cs); err != nil || n != pages {
		t.Fatalf("Add = %d, %v", n, err)
	}
	leases := make(map[string]frontier.Lease)
	for range pages {
		l, ok := lend(t, b)
		if !ok {
			t.Fatalf("%d URLs were lent of %d", len(leases), pages)
		}
		leases[l.URL.String()] = l
	}
	for _, u := range order {
		if _, err := b.Settle(t.Context(), visitOf(leases[u], bodies[u])); err != nil {
			t.Fatal(err)
		}
	}
	return briefed(t, b)
}

// verdictsOfOneStore draws a seed, and returns what a store without partitions says of the
// pages that it gives, in their order: copies and others.
func verdictsOfOneStore(t *testing.T) (seed uint64, want map[string]result) {
	t.Helper()
	seed = rand.Uint64()
	t.Logf("seed %d", seed)
	one, err := store.Open(t.TempDir(), options(1).Store)
	if err != nil {
		t.Fatal(err)
	}
	defer one.Close()
	want = settleInOrder(t, one, seed)
	copies := 0
	for _, r := range want {
		if r.Verdict == page.VerdictCopy {
			copies++
		}
	}
	if copies < 50 || copies > 220 {
		t.Fatalf("%d of %d pages are copies: the test wants both", copies, len(want))
	}
	return seed, want
}

// wantVerdicts compares verdicts with those of one store.
func wantVerdicts(t *testing.T, of string, got, want map[string]result) {
	t.Helper()
	for u, w := range want {
		if got[u] != w {
			t.Errorf("%s: %s is %+v, and %+v in one store", of, u, got[u], w)
		}
	}
}

// TestVerdictsAreThoseOfOneStore: where pages come in one order, partitions and a gate of their
// own change no verdict and no vote.
func TestVerdictsAreThoseOfOneStore(t *testing.T) {
	t.Parallel()
	seed, want := verdictsOfOneStore(t)
	partitions := []int{3}
	if slow.Wanted() {
		partitions = []int{1, 3, 16}
	}
	for _, n := range partitions {
		c, err := Open(t.TempDir(), options(n))
		if err != nil {
			t.Fatal(err)
		}
		wantVerdicts(t, fmt.Sprint(n, " partitions"), settleInOrder(t, c, seed), want)
		closeVerified(t, c)
	}
}

// A post loses, repeats and delays messages by a seed.
type post struct {
	r       *rand.Rand
	earlier map[[2]uint32][]message
	counts  [4]int // lost, repeated, cut, unanswered
	lock    chan struct{}
}

func newPost(seed uint64) *post {
	return &post{r: rand.New(rand.NewPCG(seed, 2)), earlier: make(map[[2]uint32][]message), lock: make(chan struct{}, 1)}
}

func (p *post) carry(from, to uint32, ms []message) (carried []message, answered bool) {
	p.lock <- struct{}{}
	defer func() { <-p.lock }()
	pair := [2]uint32{from, to}
	old := p.earlier[pair]
	p.earlier[pair] = append([]message(nil), ms...)
	switch answered = true; p.r.IntN(5) {
	case 0:
		p.counts[0]++
		return nil, true
	case 1:
		p.counts[1]++
		return append(append(append([]message(nil), old...), ms...), ms...), true
	case 2: // some come late, and the last before the first
		p.counts[2]++
		cut := ms[:1+p.r.IntN(len(ms))]
		return append([]message{ms[len(ms)-1]}, cut...), true
	case 3:
		p.counts[3]++
		return ms, false
	}
	return ms, true
}

// crawlAll visits a made web whose pages link to other domains, until nothing is left.
func crawlAll(t *testing.T, b anyJob) map[string]result {
	t.Helper()
	seeds := []frontier.Candidate{{URL: parse(t, "http://d0.example/0")}}
	if _, err := b.Add(t.Context(), seeds); err != nil {
		t.Fatal(err)
	}
	visitAll(t, b)
	return results(t, b)
}

// visitAll visits until nothing is left.
func visitAll(t *testing.T, b gatecrawl.Store) {
	t.Helper()
	for {
		l, ok := lend(t, b)
		if !ok {
			return
		}
		var n int
		if _, err := fmt.Sscanf(l.URL.Path(), "/%d", &n); err != nil {
			t.Error(err)
			return
		}
		r := rand.New(rand.NewPCG(uint64(n), 3))
		var links []frontier.Candidate
		for range 6 {
			to := r.IntN(300)
			links = append(links, frontier.Candidate{URL: parse(t, fmt.Sprintf("http://d%d.example/%d", to%23, to)), Kind: frontier.PageLink})
		}
		if _, err := b.Settle(t.Context(), visitOf(l, text(n/2, 0), links...)); err != nil && !errors.Is(err, frontier.ErrLeaseLost) {
			t.Errorf("Settle: %v", err)
			return
		}
	}
}

// TestLostDoubledAndLateMessagesChangeNothing: every page that is linked is visited once, and
// each pair of equal pages is one kept page with one copy, whatever happens to the messages.
func TestLostDoubledAndLateMessagesChangeNothing(t *testing.T) {
	t.Parallel()
	one, err := store.Open(t.TempDir(), options(1).Store)
	if err != nil {
		t.Fatal(err)
	}
	defer one.Close()
	want := crawlAll(t, one)
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	for _, n := range []int{3, 16} {
		o := options(n)
		p := newPost(seed)
		o.carry = p.carry
		c, err := Open(t.TempDir(), o)
		if err != nil {
			t.Fatal(err)
		}
		got := crawlAll(t, c)
		t.Logf("%d partitions: of the batches %d were lost, %d repeated, %d cut, %d not answered", n, p.counts[0], p.counts[1], p.counts[2], p.counts[3])
		if len(got) != len(want) {
			t.Errorf("%d partitions: %d pages, want %d", n, len(got), len(want))
		}
		copies, wanted := 0, 0
		for u, w := range want {
			if _, ok := got[u]; !ok {
				t.Errorf("%d partitions: %s was not visited", n, u)
			}
			if w.Verdict == page.VerdictCopy {
				wanted++
			}
			if got[u].Verdict == page.VerdictCopy {
				copies++
			}
		}
		if a, b := c.Totals(), one.Totals(); copies != wanted || a.Seen != b.Seen || a.Votes != b.Votes {
			t.Errorf("%d partitions: %d copies, %d URLs, %d votes; want %d, %d, %d", n, copies, a.Seen, a.Votes, wanted, b.Seen, b.Votes)
		}
		closeVerified(t, c)
	}
}

// TestAPageThatTurnsOutToBeACopyIsDemoted: two partitions settle one document before the gate
// has heard of either.
func TestAPageThatTurnsOutToBeACopyIsDemoted(t *testing.T) {
	dir := t.TempDir()
	c, err := Open(dir, options(3))
	if err != nil {
		t.Fatal(err)
	}
	var urls []string // of two partitions
	for i := 0; len(urls) < 2; i++ {
		u := fmt.Sprintf("http://d%d.example/", i)
		if c.places.Of(parse(t, u)) == uint32(len(urls)) {
			urls = append(urls, u)
		}
	}
	var cs []frontier.Candidate
	for _, u := range urls {
		cs = append(cs, frontier.Candidate{URL: parse(t, u)})
	}
	if _, err := c.Add(t.Context(), cs); err != nil {
		t.Fatal(err)
	}
	for range urls {
		l, ok := lend(t, c)
		if !ok {
			t.Fatal("nothing is lent")
		}
		out := frontier.Candidate{URL: parse(t, "http://linked.example/"), Kind: frontier.PageLink}
		v := visitOf(l, text(1, 0), out)
		p, inner := c.held(l)
		v.Lease = inner
		rec, err := p.Settle(t.Context(), v) // nobody asks the gate
		if err != nil || rec.Verdict != page.VerdictNew {
			t.Fatalf("Settle = %s, %v; want new", rec.Verdict, err)
		}
	}
	closeVerified(t, c)
	if c, err = Open(dir, options(3)); err != nil {
		t.Fatal(err)
	}
	defer closeVerified(t, c)
	all := results(t, c)
	first, second := urls[0], urls[1]
	if all[first].Verdict != page.VerdictNew {
		first, second = second, first
	}
	want := result{Verdict: page.VerdictCopy, Of: first, Class: "full-layout", Level: 3, Similarity: 1}
	if all[first].Verdict != page.VerdictNew || all[first].Degree != 1 || !reflect.DeepEqual(all[second], want) {
		t.Errorf("results %+v; want one kept page with a vote, and %+v", all, want)
	}
	if n := c.Totals(); n.New != 1 || n.Copies != 1 || n.Votes != 1 || n.Queued != 1 {
		t.Errorf("Totals = %+v", n)
	}
	if _, err := c.Body(t.Context(), second); !errors.Is(err, gatecrawl.ErrUnknown) {
		t.Errorf("Body of the copy: %v, want that nothing is kept", err)
	}
	if _, err := c.View(t.Context(), first); err != nil {
		t.Errorf("View of the kept page: %v", err)
	}
}

// A worker may do something else while the gate is asked, and a kill costs no page that waits.
func TestAVisitIsDurableBeforeItsWorkerIsSetFree(t *testing.T) {
	c, err := Open(t.TempDir(), options(3))
	if err != nil {
		t.Fatal(err)
	}
	defer closeVerified(t, c)
	if _, err := c.Add(t.Context(), []frontier.Candidate{{URL: parse(t, "http://one.example/")}}); err != nil {
		t.Fatal(err)
	}
	l, ok := lend(t, c)
	if !ok {
		t.Fatal("nothing is lent")
	}
	v := visitOf(l, text(1, 0))
	p, _ := c.held(l)
	awaited := 0
	v.Await = func(wait func()) {
		awaited++
		if n := p.Totals().New; n != 1 {
			t.Errorf("the partition has %d pages before the gate is asked; want 1", n)
		}
		if n := p.Unsent(); len(n) == 0 {
			t.Error("the claim is not in the outbox before the gate is asked")
		}
		wait()
	}
	if rec, err := c.Settle(t.Context(), v); err != nil || rec.Verdict != page.VerdictNew {
		t.Errorf("Settle = %s, %v; want new", rec.Verdict, err)
	}
	if awaited != 1 {
		t.Errorf("Await was called %d times, want once", awaited)
	}
}
