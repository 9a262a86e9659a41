package group

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"gatecrawl.example/gatecrawl/dedup"
	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/store/kv"
	"gatecrawl.example/gatecrawl/store/kv/mem"
)

// A job is the tables of groups and pages in memory, and all that Groups ask of a job.
type job struct {
	t      *testing.T
	kv     kv.Store
	groups *Groups
	urls   map[weburl.Key]URL
	pages  uint64
	now    time.Time // of the last visit
	totals page.Totals

	asked    []string // URLs, in the order in which they were queued again
	raised   []string // "of degree"
	retired  []uint64
	handed   []string // "of to"
	diverged []string // URLs
}

// newJob opens a job, which is checked when the test ends.
func newJob(t *testing.T) *job {
	t.Helper()
	s, err := mem.Open(append(Tables(), page.Tables()...))
	if err != nil {
		t.Fatal(err)
	}
	j := &job{
		t: t, kv: s, urls: make(map[weburl.Key]URL), now: time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC),
		totals: page.Totals{Levels: make(map[string]int64), Classes: make(map[string]int64)},
	}
	j.groups = New(dedup.DefaultOptions(), j)
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

func (j *job) URL(_ kv.Reader, k weburl.Key) (URL, bool, error) {
	u, ok := j.urls[k]
	return u, ok, nil
}

func (j *job) Ask(_ kv.Tx, k weburl.Key) error {
	u := j.urls[k]
	if !u.Waits {
		j.asked = append(j.asked, u.Text)
		u.Waits = true
		j.urls[k] = u
	}
	return nil
}

func (j *job) Raise(_ kv.Tx, of, degree uint64) error {
	j.raised = append(j.raised, fmt.Sprint(of, " ", degree))
	return nil
}

func (j *job) Retire(_ kv.Tx, seq, _ uint64) error {
	j.retired = append(j.retired, seq)
	return nil
}

func (j *job) Resized(kv.Tx, uint64) {}

func (j *job) HandedOn(_ kv.Tx, of, to uint64) error {
	j.handed = append(j.handed, fmt.Sprint(of, " ", to))
	return nil
}

func (j *job) Diverged(_ kv.Tx, k weburl.Key, _ uint64) error {
	j.diverged = append(j.diverged, j.urls[k].Text)
	return nil
}

func (j *job) Totals(kv.Tx) *page.Totals { return &j.totals }

func (j *job) update(fn func(tx kv.Tx) error) {
	j.t.Helper()
	if err := j.kv.Update(context.Background(), fn); err != nil {
		j.t.Fatal(err)
	}
}

func (j *job) view(fn func(r kv.Reader) error) {
	j.t.Helper()
	if err := j.kv.View(context.Background(), fn); err != nil {
		j.t.Fatal(err)
	}
}

// breaches returns what Check and CheckPage say.
func (j *job) breaches() (all []string) {
	j.t.Helper()
	breach := func(what string, err error) error {
		all = append(all, fmt.Sprintf("%s: %v", what, err))
		return nil
	}
	j.view(func(r kv.Reader) error {
		err := kv.Each(r, page.TableRecords, func(k, _ []byte) error {
			p, v, err := page.Get(r, page.Seq(k))
			if err != nil {
				return err
			}
			return CheckPage(r, &p, v, j.parse(p.URL).Key(), breach)
		})
		if err != nil {
			return err
		}
		return j.groups.Check(r, breach)
	})
	return all
}

func (j *job) parse(url string) weburl.URL {
	j.t.Helper()
	u, err := weburl.Parse(url)
	if err != nil {
		j.t.Fatal(err)
	}
	return u
}

// signed is the signature of a document that has a name.
func signed(name string) dedup.Signature {
	words := make([]string, 80)
	for i := range words {
		words[i] = fmt.Sprint(name, i*i)
	}
	sig := dedup.SignText(strings.Join(words, " "))
	sig.Bytes = dedup.DigestOf([]byte(name))
	return sig
}

// visit settles a URL as a store does: as the named document, a copy of the given kept
// page, or a new one where that is 0. It returns the place of its record.
func (j *job) visit(url, document string, of uint64) (seq uint64) {
	j.t.Helper()
	u := j.parse(url)
	k := u.Key()
	j.pages++
	j.now = j.now.Add(time.Hour)
	seq = j.pages
	sig := signed(document)
	sig.Bytes = dedup.DigestOf([]byte(document))
	rec := page.Record{Seq: seq, URL: u.String(), Status: 200, Verdict: page.VerdictNew, Digest: sig.Bytes.String(), Fetched: j.now}
	var is dedup.Verdict
	if of != 0 {
		rec.Verdict = page.VerdictCopy
		is = dedup.Verdict{Of: dedup.Ref(of), Level: dedup.LevelBody, Class: dedup.FullLayout, Similarity: 1}
	}
	j.update(func(tx kv.Tx) error {
		before := j.urls[k]
		var old page.Record
		var was dedup.Verdict
		if before.Page != 0 {
			var err error
			if old, was, err = page.Get(tx, before.Page); err != nil {
				return err
			}
			if err := j.groups.Replace(tx, k, before.Page, seq); err != nil {
				return err
			}
		}
		j.urls[k] = URL{Text: u.String(), Page: seq}
		page.Put(tx, seq, &rec, is)
		if is.Copy() {
			if err := j.groups.Vote(tx, of, k); err != nil {
				return err
			}
		} else {
			tx.Put(page.TableSignatures, page.Key(seq), page.EncodeSignature(&sig))
		}
		if before.Page == 0 {
			return nil
		}
		return j.groups.Changed(tx, k, &old, was, &rec, is, &sig)
	})
	return seq
}

func (j *job) size(of uint64) (s Size) {
	j.t.Helper()
	j.view(func(r kv.Reader) (err error) {
		s, _, err = SizeOf(r, of)
		return err
	})
	return s
}

// keptOf returns the place of the page that a URL's record is a copy of; 0: of none.
func (j *job) keptOf(url string) uint64 {
	j.t.Helper()
	return uint64(j.verdictOf(url).Of)
}

func (j *job) verdictOf(url string) (v dedup.Verdict) {
	j.t.Helper()
	j.view(func(r kv.Reader) (err error) {
		_, v, err = page.Get(r, j.urls[j.parse(url).Key()].Page)
		return err
	})
	return v
}

func TestADomainCountsOnceAndTheKeptPagesOwnDoesNot(t *testing.T) {
	j := newJob(t)
	kept := j.visit("http://www.kept.com/", "a", 0)
	for _, url := range []string{"http://m.kept.com/", "http://one.com/1", "http://one.com/2", "http://www.one.com/", "http://two.com/"} {
		j.visit(url, "a", kept)
	}
	if got, want := j.size(kept), (Size{Degree: 2, Copies: 5}); got != want {
		t.Errorf("the group counts %+v, want %+v", got, want)
	}
	if want := []string{"1 1", "1 2"}; !slices.Equal(j.raised, want) {
		t.Errorf("raised %q, want %q: once for each new domain", j.raised, want)
	}
	if j.totals.Votes != 5 {
		t.Errorf("the totals count %d votes, want 5", j.totals.Votes)
	}
}

// TestVotesAreSets votes and takes back at random, the same vote often, and compares with
// maps. The seed is printed when it fails.
func TestVotesAreSets(t *testing.T) {
	j := newJob(t)
	kept := j.visit("http://kept.com/", "a", 0)
	var keys []weburl.Key
	for d := range 4 {
		for h := range 3 {
			u := j.parse(fmt.Sprintf("http://h%d.owner%d.com/", h, d))
			j.visit(u.String(), "a", kept)
			keys = append(keys, u.Key())
		}
	}
	seed := rand.Uint64()
	rng := rand.New(rand.NewPCG(seed, 1))
	votes := make(map[weburl.Key]bool)
	for _, k := range keys {
		votes[k] = true
	}
	for step := range 500 {
		n := rng.IntN(len(keys))
		j.update(func(tx kv.Tx) error {
			if rng.IntN(2) == 0 {
				votes[keys[n]] = true
				return j.groups.Vote(tx, kept, keys[n])
			}
			delete(votes, keys[n])
			return j.groups.Unvote(tx, kept, keys[n])
		})
		domains := make(map[int]bool)
		for i, k := range keys {
			if votes[k] {
				domains[i/3] = true
			}
		}
		if got, want := j.size(kept), (Size{uint64(len(domains)), uint64(len(votes))}); got != want || j.totals.Votes != int64(len(votes)) {
			t.Fatalf("seed %d, step %d: the group counts %+v and the totals %d votes, want %+v", seed, step, got, j.totals.Votes, want)
		}
	}
	for _, k := range keys { // so that every copy is a vote again
		j.update(func(tx kv.Tx) error { return j.groups.Vote(tx, kept, k) })
	}
}

func TestPresumedCopiesCountByDomainsThatHaveNotVoted(t *testing.T) {
	j := newJob(t)
	kept := j.visit("http://kept.com/", "a", 0)
	j.visit("http://one.com/", "a", kept)
	j.raised = nil
	presume := func(urls ...string) {
		t.Helper()
		j.update(func(tx kv.Tx) error {
			return j.groups.Presume(tx, kept, func(yield func(weburl.URL, error) bool) {
				for _, u := range urls {
					if !yield(j.parse(u), nil) {
						return
					}
				}
			})
		})
	}
	presume("http://www.one.com/x", "http://m.kept.com/")
	if len(j.raised) > 0 {
		t.Errorf("raised %q by domains that count already", j.raised)
	}
	presume("http://two.com/", "http://three.com/", "http://www.two.com/")
	if want := []string{"1 3"}; !slices.Equal(j.raised, want) {
		t.Errorf("raised %q, want %q", j.raised, want)
	}
	if got := j.size(kept); got.Copies != 1 {
		t.Errorf("the group counts %+v: presumed copies are no votes", got)
	}
}

// newGroup makes a group of a kept page and copies on five other sites.
func newGroup(t *testing.T) (j *job, kept uint64) {
	t.Helper()
	j = newJob(t)
	kept = j.visit("http://kept.com/", "a", 0)
	for _, c := range "bcdef" {
		j.visit(fmt.Sprintf("http://%c.com/", c), "a", kept)
	}
	return j, kept
}

// next returns the URL that is asked now, which has to be one alone.
func (j *job) next() string {
	j.t.Helper()
	if len(j.asked) != 1 {
		j.t.Fatalf("asked %q, want one copy", j.asked)
	}
	u := j.asked[0]
	j.asked = nil
	return u
}

func TestCopiesThatStayedGetAKeptPageOfTheirOwn(t *testing.T) {
	j, kept := newGroup(t)
	j.visit("http://kept.com/", "changed", 0)
	if !slices.Equal(j.retired, []uint64{kept}) {
		t.Errorf("retired %v, want %d", j.retired, kept)
	}
	successor := j.visit(j.next(), "a", 0) // the gate does not know it any more
	for range samples - 1 {
		j.visit(j.next(), "a", successor)
	}
	if len(j.asked) > 0 {
		t.Errorf("asked %q after %d copies agreed", j.asked, samples)
	}
	if got, want := j.size(successor), (Size{4, 4}); got != want || j.size(kept) != (Size{}) {
		t.Errorf("the new group counts %+v and the old one %+v, want %+v and none", got, j.size(kept), want)
	}
	j.view(func(r kv.Reader) error {
		for k, err := range Voters(r, successor) {
			if err != nil {
				return err
			}
			p, err := j.groups.Member(r, successor, k)
			if err != nil {
				return err
			}
			if asked := p.Compared == 0; asked != (p.Seq > successor) {
				t.Errorf("%s says that it was compared with page %d", p.URL, p.Compared)
			}
		}
		return nil
	})
	if want := []string{fmt.Sprint(kept, " ", successor)}; !slices.Equal(j.handed, want) {
		t.Errorf("handed on %q, want %q", j.handed, want)
	}
}

func TestCopiesThatChangedAsTheirKeptPageFollowIt(t *testing.T) {
	j, kept := newGroup(t)
	now := j.visit("http://kept.com/", "changed", 0)
	for range samples {
		j.visit(j.next(), "changed", now)
	}
	for _, c := range "bcdef" {
		if got := j.keptOf(fmt.Sprintf("http://%c.com/", c)); got != now {
			t.Errorf("%c.com is a copy of page %d, want %d", c, got, now)
		}
	}
	j.view(func(r kv.Reader) error {
		by, err := Successor(r, kept)
		if by != now {
			t.Errorf("the successor of page %d is %d, want %d", kept, by, now)
		}
		return err
	})
}

func TestACopyThatChangedAloneIsNotedAndNobodyIsAsked(t *testing.T) {
	j, kept := newGroup(t)
	j.visit("http://b.com/", "other", 0)
	if len(j.asked) > 0 || !slices.Equal(j.diverged, []string{"http://b.com/"}) {
		t.Errorf("asked %q and noted %q, want b.com to be noted alone", j.asked, j.diverged)
	}
	if got, want := j.size(kept), (Size{4, 4}); got != want {
		t.Errorf("the group counts %+v, want %+v", got, want)
	}
}

func TestWhereCopiesDisagreeAllAreAsked(t *testing.T) {
	j, _ := newGroup(t)
	now := j.visit("http://kept.com/", "changed", 0)
	successor := j.visit(j.next(), "a", 0)
	j.visit(j.next(), "changed", now)
	j.visit(j.next(), "a", successor)
	if len(j.asked) != 2 {
		t.Errorf("asked %q, want the two that are left", j.asked)
	}
	for _, u := range j.asked {
		j.visit(u, "a", successor)
	}
}

func TestAfterFiveCopiesThatAreGoneNoSixthIsAsked(t *testing.T) {
	j, kept := newGroup(t)
	for _, c := range "ghi" {
		j.visit(fmt.Sprintf("http://%c.com/", c), "a", kept)
	}
	j.update(func(tx kv.Tx) error { return j.groups.Gone(tx, kept) })
	for n := range maxLost {
		url := j.next()
		k := j.parse(url).Key()
		j.update(func(tx kv.Tx) error {
			p, v, err := page.Get(tx, j.urls[k].Page)
			if err != nil {
				return err
			}
			j.now = j.now.Add(time.Hour)
			p.Revisited, p.RevisitStatus = j.now, http.StatusGone
			page.Put(tx, p.Seq, &p, v)
			j.urls[k] = URL{Text: url, Page: p.Seq}
			again, err := j.groups.NoBytes(tx, k, kept, http.StatusGone, 0)
			if again {
				t.Errorf("copy %d is asked again for its bytes, and it is gone", n)
			}
			return err
		})
	}
	if len(j.asked) > 0 {
		t.Errorf("asked %q after %d copies were gone", j.asked, maxLost)
	}
}

func TestACopyThatDidNotChangeIsAskedForItsBytes(t *testing.T) {
	j, kept := newGroup(t)
	j.visit("http://kept.com/", "changed", 0)
	first := j.next()
	j.urls[j.parse(first).Key()] = URL{Text: first, Page: j.urls[j.parse(first).Key()].Page}
	for attempt := range maxUnasked + 1 {
		j.update(func(tx kv.Tx) error {
			again, err := j.groups.NoBytes(tx, j.parse(first).Key(), kept, http.StatusNotModified, attempt)
			if want := attempt < maxUnasked; again != want {
				t.Errorf("attempt %d: again is %t, want %t", attempt, again, want)
			}
			return err
		})
	}
	if second := j.next(); second == first {
		t.Errorf("%s is asked again, which sends no bytes", second)
	}
}

func TestAPageThatJoinsAnotherHandsItsCopiesOn(t *testing.T) {
	j := newJob(t)
	older, younger := j.visit("http://a.com/", "a", 0), j.visit("http://b.com/", "a with a frame", 0)
	j.visit("http://c.com/", "a with a frame", younger)
	near := dedup.Verdict{Of: dedup.Ref(older), Level: dedup.LevelNear, Class: dedup.PartialLayout, Similarity: .96}
	j.update(func(tx kv.Tx) error { return j.groups.Join(tx, younger, older, near) })
	before := maps.Clone(j.totals.Classes)
	if got := j.keptOf("http://b.com/"); got != 0 {
		t.Errorf("b.com is a copy of page %d: it has copies itself, and the two are not equal", got)
	}
	j.totals.New = 2
	equal := dedup.Verdict{Of: dedup.Ref(older), Level: dedup.LevelBody, Class: dedup.FullContent, Similarity: 1}
	j.update(func(tx kv.Tx) error { return j.groups.Join(tx, younger, older, equal) })
	for _, url := range []string{"http://b.com/", "http://c.com/"} {
		if got := j.keptOf(url); got != older {
			t.Errorf("%s is a copy of page %d, want %d", url, got, older)
		}
	}
	if got := j.verdictOf("http://c.com/").Class; got != dedup.FullContent { // c.com has the layout of b.com, which a.com has not
		t.Errorf("c.com is a %s copy of a.com", got)
	}
	if is := j.totals.Classes; is["full-layout"] != before["full-layout"]-1 || is["full-content"] != before["full-content"]+2 {
		t.Errorf("classes were %v, are %v", before, is)
	}
	if j.totals.New != 1 || j.totals.Copies != 1 || j.totals.Levels["4"] != 1 {
		t.Errorf("totals: %d new, %d copies, levels %v; want one of each", j.totals.New, j.totals.Copies, j.totals.Levels)
	}
	j.view(func(r kv.Reader) error {
		rec, _, err := page.Get(r, younger)
		if want := "same body as the kept page; seen after it had been kept"; rec.Reason != want {
			t.Errorf("the reason is %q, want %q", rec.Reason, want)
		}
		if err != nil {
			return err
		}
		sig, err := page.Signature(r, younger)
		if err != nil {
			return err
		}
		if v, err := VerdictOn(r, sig.Bytes); err != nil || uint64(v.Of) != older {
			t.Errorf("a page with the bytes of the one that joined is a copy of page %d, %v; want %d", v.Of, err, older)
		}
		return nil
	})
}

// Of each copy the class is said anew towards the new kept page, as often as that changes.
func TestACopysLayoutIsComparedWithThatOfItsNewKeptPage(t *testing.T) {
	const one, another = 0x00ff00ff00ff00ff, 0xff00ff00ff00ff00
	j := newJob(t)
	oldest, older, younger := j.visit("http://z.com/", "a in a frame", 0), j.visit("http://a.com/", "a", 0), j.visit("http://b.com/", "a with a frame", 0)
	j.totals.New = 3
	for seq, layout := range map[uint64]uint64{oldest: another, older: one, younger: another} {
		j.update(func(tx kv.Tx) error {
			sig, err := page.Signature(tx, seq)
			sig.Layout = layout
			tx.Put(page.TableSignatures, page.Key(seq), page.EncodeSignature(&sig))
			return err
		})
	}
	copied := func(url string, level dedup.Level, class dedup.Class, layout uint64) {
		seq := j.visit(url, url, younger)
		j.totals.Classes[class.String()]++
		j.update(func(tx kv.Tx) error {
			p, v, err := page.Get(tx, seq)
			v.Level, v.Class, p.Layout = level, class, layout
			page.Put(tx, seq, &p, v)
			return err
		})
	}
	copied("http://c.com/", dedup.LevelBody, dedup.FullContent, one)
	copied("http://d.com/", dedup.LevelNear, dedup.PartialLayout, another)
	copied("http://e.com/", dedup.LevelBytes, dedup.FullLayout, 0) // of its bytes nothing is read
	copied("http://f.com/", dedup.LevelBody, dedup.FullContent, 0) // written before records had layouts
	for _, c := range []struct {
		seq, to uint64
		class   dedup.Class
		want    map[string]dedup.Class
	}{
		{younger, older, dedup.FullContent, map[string]dedup.Class{
			"b": dedup.FullContent, "c": dedup.FullLayout, "d": dedup.PartialContent, "e": dedup.FullContent, "f": dedup.FullContent,
		}},
		{older, oldest, dedup.FullContent, map[string]dedup.Class{
			"a": dedup.FullContent, "b": dedup.FullLayout, "c": dedup.FullContent, "d": dedup.PartialLayout, "e": dedup.FullLayout, "f": dedup.FullContent,
		}},
	} {
		j.update(func(tx kv.Tx) error {
			return j.groups.Join(tx, c.seq, c.to, dedup.Verdict{Of: dedup.Ref(c.to), Level: dedup.LevelBody, Class: c.class, Similarity: 1})
		})
		count := make(map[string]int64)
		for host, want := range c.want {
			url := "http://" + host + ".com/"
			if got := j.verdictOf(url); got.Class != want || uint64(got.Of) != c.to {
				t.Errorf("%s is a %s copy of page %d, want %s of %d", url, got.Class, got.Of, want, c.to)
			}
			count[want.String()]++
		}
		maps.DeleteFunc(j.totals.Classes, func(_ string, n int64) bool { return n == 0 })
		if !maps.Equal(j.totals.Classes, count) {
			t.Errorf("classes are counted as %v, want %v", j.totals.Classes, count)
		}
	}
}

// The younger of two pages may be the better one. The older becomes its copy then, unless it has copies that may
// be much further from the younger.
func TestAPageMayJoinAYoungerOne(t *testing.T) {
	for _, c := range []struct {
		similarity float64
		copies     bool
		better     bool
		joins      bool // the older joins the younger
		apart      bool // both stay kept
	}{
		{.9, false, true, true, false},
		{.9, false, false, false, false},
		{.9, true, true, false, true},
		{.9, true, false, false, false},
		{.96, true, true, true, false},
		{1, true, true, true, false},
	} {
		j := newJob(t)
		older, younger := j.visit("http://a.com/", "a", 0), j.visit("http://b.com/", "b", 0)
		if c.copies {
			j.visit("http://c.com/", "a", older)
		}
		near := []dedup.Verdict{{Of: dedup.Ref(older), Level: dedup.LevelNear, Class: dedup.PartialLayout, Similarity: c.similarity}}
		j.update(func(tx kv.Tx) error {
			_, err := j.groups.JoinNeighbour(tx, younger, near, func(x, y uint64, may bool) (bool, error) {
				if x != younger || y != older || may != (!c.copies || c.similarity > .9) {
					t.Errorf("%+v: asked whether %d is better than %d, which may join it: %v", c, x, y, may)
				}
				return c.better, nil
			})
			return err
		})
		a, b := j.keptOf("http://a.com/"), j.keptOf("http://b.com/")
		if c.apart && (a != 0 || b != 0) || c.joins && (a != younger || b != 0) || !c.apart && !c.joins && (a != 0 || b != older) {
			t.Errorf("%+v: the older is a copy of %d, the younger of %d", c, a, b)
		}
		if c.copies && c.joins && j.keptOf("http://c.com/") != younger {
			t.Errorf("%+v: the older's copy is not handed on", c)
		}
	}
}

func TestTheBytesOfACopyLeadToItsVerdict(t *testing.T) {
	j := newJob(t)
	kept := j.visit("http://a.com/", "a", 0)
	first, second := j.visit("http://b.com/", "b", kept), j.visit("http://c.com/", "b", kept)
	d := dedup.DigestOf([]byte("b"))
	v := dedup.Verdict{Of: dedup.Ref(kept), Level: dedup.LevelBody, Class: dedup.FullLayout}
	j.update(func(tx kv.Tx) error {
		if err := RememberBytes(tx, first, d, v); err != nil {
			return err
		}
		if err := RememberBytes(tx, second, d, v); err != nil {
			return err
		}
		v.Level = dedup.LevelBytes
		return RememberBytes(tx, second, dedup.DigestOf([]byte("a")), v)
	})
	j.view(func(r kv.Reader) error {
		got, err := VerdictOn(r, d)
		if uint64(got.Of) != kept || got.Level != dedup.LevelBody {
			t.Errorf("verdict on the bytes of a copy: %+v, want a copy of page %d by its body", got, kept)
		}
		seq, _ := r.Get(TableAliases, d[:])
		if page.Seq(seq) != first {
			t.Errorf("the bytes lead to page %d, want the first, %d", page.Seq(seq), first)
		}
		none, err2 := VerdictOn(r, dedup.DigestOf([]byte("a")))
		if none.Copy() || err2 != nil {
			t.Errorf("verdict on the kept page's bytes: %+v, %v; the gate knows them", none, err2)
		}
		return err
	})
}

// damage puts into a job's tables what is not so, and says what Check says of it.
var damage = []struct {
	name string
	do   func(j *job, tx kv.Tx)
	want string
}{
	{"a vote is lost", func(j *job, tx kv.Tx) { tx.Delete(TableVotes, voteKey(1, j.parse("http://c.com/").Key())) }, copyVotes},
	{"a vote is for nothing", func(j *job, tx kv.Tx) {
		tx.Put(TableVotes, voteKey(99, j.parse("http://c.com/").Key()), present)
	}, voteIsForPage},
	{"a vote is of nothing", func(_ *job, tx kv.Tx) { tx.Put(TableVotes, voteKey(1, weburl.Key{9}), present) }, voteIsOfPage},
	{"a group miscounts", func(_ *job, tx kv.Tx) { tx.Put(TableGroups, page.Key(1), Size{9, 9}.encode()) }, sizeCounts},
	{"a group is lost", func(_ *job, tx kv.Tx) { tx.Delete(TableGroups, page.Key(1)) }, sizeCounts},
	{"bytes lead to a kept page", func(_ *job, tx kv.Tx) {
		tx.Put(TableAliases, make([]byte, len(dedup.Digest{})), page.Key(1))
	}, aliasIsCopy},
	{"bytes lead nowhere", func(_ *job, tx kv.Tx) { tx.Put(TableAliases, make([]byte, len(dedup.Digest{})), []byte{1}) }, aliasIsCopy},
	{"a page that was replaced is not retired", func(j *job, tx kv.Tx) {
		p, v, err := page.Get(tx, 1)
		if err != nil {
			j.t.Fatal(err)
		}
		p.ReplacedBy = 2
		page.Put(tx, 1, &p, v)
	}, replacedRetired},
	{"an election asks nobody", func(j *job, tx kv.Tx) {
		tx.Put(TableElections, page.Key(1), election{asked: j.parse("http://c.com/").Key()}.encode())
	}, electionAsks},
	{"an election cannot be read", func(_ *job, tx kv.Tx) { tx.Put(TableElections, page.Key(1), []byte{1}) }, electionAsks},
}

func TestRepairMakesGroupsWhatTheCopiesSay(t *testing.T) {
	for _, c := range damage {
		t.Run(c.name, func(t *testing.T) {
			j, kept := newGroup(t)
			j.update(func(tx kv.Tx) error { c.do(j, tx); return nil })
			found := j.breaches()
			if !slices.ContainsFunc(found, func(b string) bool { return strings.HasPrefix(b, c.want) }) {
				t.Errorf("Check found %q, want one that starts with %q", found, c.want)
			}
			for _, step := range []func(context.Context, kv.Store) error{j.groups.RepairPages, j.groups.RepairVotes} {
				if err := step(context.Background(), j.kv); err != nil {
					t.Fatal(err)
				}
			}
			if left := j.breaches(); len(left) > 0 {
				t.Errorf("after the repair Check found %q", left)
			}
			if got, want := j.size(kept), (Size{5, 5}); got != want {
				t.Errorf("after the repair the group counts %+v, want %+v", got, want)
			}
		})
	}
}

func FuzzElections(f *testing.F) {
	f.Add(election{asked: weburl.Key{1, 2}, started: time.UnixMicro(1_700_000_000_000_001).UTC(), stayed: 1, followed: 2, to: 300, lost: 4}.encode())
	f.Fuzz(func(t *testing.T, b []byte) {
		c, err := decodeElection(b)
		if err != nil {
			return
		}
		if again, err := decodeElection(c.encode()); err != nil || again != c {
			t.Errorf("election %+v reads back as %+v, %v", c, again, err)
		}
	})
}
