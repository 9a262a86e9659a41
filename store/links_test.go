package store

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"gatecrawl.example/gatecrawl"
	"gatecrawl.example/gatecrawl/dedup"
	"gatecrawl.example/gatecrawl/frontier"
	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/priority"
	"gatecrawl.example/gatecrawl/purify"
	"gatecrawl.example/gatecrawl/store/job"
)

// pagesThatLink makes a job of two pages: a links to b, to gone and to later, b to a and
// twice to later, which is not fetched.
func pagesThatLink(t *testing.T, dir string, o Options) {
	t.Helper()
	s, err := Open(dir, o)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	a, err := weburl.Parse("http://a.test/a")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Add(t.Context(), []frontier.Candidate{{URL: a}}); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		l, err := s.leaseURL(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		name := strings.TrimPrefix(l.URL.Path(), "/")
		text := strings.Repeat("page "+name+" has words that only "+name+" has, as "+name+name+name+" shows ", 20)
		sig := dedup.SignText(text)
		sig.Bytes = dedup.DigestOf([]byte(text))
		v := &page.Visit{Lease: l, Finished: time.Now(), Page: page.Record{URL: l.URL.String(), Status: 200, Digest: sig.Bytes.String()}, Sign: &sig, Body: []byte(text)}
		view := &purify.DocView{Body: text}
		for _, ref := range map[string][]string{"a": {"b", "gone", "later"}, "b": {"a", "later", "later"}}[name] {
			to, err := l.URL.Parse(ref)
			if err != nil {
				t.Fatal(err)
			}
			c := frontier.Candidate{URL: to, From: l.URL.Key(), Anchor: "to " + ref, Kind: frontier.PageLink | frontier.BodyLink}
			if ref == "gone" {
				c.Refused = frontier.Refusal{Rule: "exclude", Detail: "gone"}
				c.Kind = frontier.PageLink | frontier.NoFollowLink
			}
			v.Links = append(v.Links, c)
			view.Links = append(view.Links, purify.Link{URL: to.String(), Text: c.Anchor, Body: ref != "gone", NoFollow: ref == "gone"})
		}
		other, err := l.URL.Parse("/machine") // as rel=canonical: no reader follows it
		if err != nil {
			t.Fatal(err)
		}
		v.Links = append(v.Links, frontier.Candidate{URL: other, From: l.URL.Key(), Refused: frontier.Refusal{Rule: "exclude", Detail: "no link"}})
		v.View = page.PackView(view)
		if _, err := s.Settle(t.Context(), v); err != nil {
			t.Fatal(err)
		}
	}
}

// linksTold returns what a job says of its links.
func linksTold(t *testing.T, dir string) []string {
	t.Helper()
	s := openToRead(t, dir)
	defer s.Close()
	var all []string
	tell := func(what string) func(gatecrawl.Edge) error {
		return func(e gatecrawl.Edge) error {
			all = append(all, fmt.Sprintf("%s: %s %s %q %t %t", what, e.From, e.To, e.Text, e.NoFollow, e.Body))
			return nil
		}
	}
	if err := s.LinksTo(t.Context(), []string{"http://a.test/gone", "http://a.test/a", "http://a.test/machine"}, tell("to")); err != nil {
		t.Fatal(err)
	}
	if err := s.LinksFrom(t.Context(), "http://a.test/a", tell("from")); err != nil {
		t.Fatal(err)
	}
	err := s.Rows(t.Context(), gatecrawl.Wanted{Inlinks: true, Links: true}, func(r *gatecrawl.Row) error {
		all = append(all, fmt.Sprintf("row: %s %d %d", r.Page.URL, r.Inlinks, len(r.Links)))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestAJobTellsWhoLinksWhereAndARepairMakesItAgain(t *testing.T) {
	dir := t.TempDir()
	pagesThatLink(t, dir, testOptions())
	want := []string{
		`to: http://a.test/a http://a.test/gone "to gone" true false`,
		`to: http://a.test/b http://a.test/a "to a" false true`,
		`from: http://a.test/a http://a.test/b "to b" false true`,
		`from: http://a.test/a http://a.test/gone "to gone" true false`,
		`from: http://a.test/a http://a.test/later "to later" false true`,
		`row: http://a.test/a 1 3`,
		`row: http://a.test/b 1 2`,
	}
	if got := linksTold(t, dir); !slices.Equal(got, want) {
		t.Errorf("the job says\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if err := os.RemoveAll(filepath.Join(dir, job.DirLinks)); err != nil {
		t.Fatal(err)
	}
	if got := found(t, dir); len(got) == 0 {
		t.Error("the check finds nothing wrong with a job whose links are gone")
	}
	what := repaired(t, dir)
	if !strings.Contains(what, "the links of 2 pages were added again") {
		t.Errorf("the repair says %q", what)
	}
	if got := linksTold(t, dir); !slices.Equal(got, want) {
		t.Errorf("after a repair the job says\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestLinksAreCountedWhereTheyAreASignal(t *testing.T) {
	dir, o := t.TempDir(), testOptions()
	o.Priority.Inlinks = 1
	pagesThatLink(t, dir, o)
	o.ReadOnly = true
	s, err := Open(dir, o)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	w, err := s.Why(t.Context(), "http://a.test/later")
	if err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc(w.Terms, func(term priority.Term) bool { return term.Why == "2 kept pages link here" }) {
		t.Errorf("the score of a URL to which two pages link has the terms %+v", w.Terms)
	}
}

// TestRowsOfSomeURLsAreThoseOfTheScan compares what is looked up with what is read from end to end.
func TestRowsOfSomeURLsAreThoseOfTheScan(t *testing.T) {
	dir := t.TempDir()
	pagesThatLink(t, dir, testOptions())
	s := openToRead(t, dir)
	defer s.Close()
	rows := func(urls []string) (all []gatecrawl.Row) {
		err := s.Rows(t.Context(), gatecrawl.Wanted{Views: true, URLs: urls}, func(r *gatecrawl.Row) error {
			all = append(all, *r)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		return all
	}
	all := rows(nil)
	if len(all) < 2 {
		t.Fatalf("the job has %d rows", len(all))
	}
	if got := rows([]string{"http://a.test/b", "http://a.test/never", "http://a.test/a", "http://a.test/b"}); !reflect.DeepEqual(got, all) {
		t.Errorf("rows of both URLs: %+v, want %+v", got, all)
	}
	if got := rows([]string{"http://a.test/b"}); !reflect.DeepEqual(got, all[1:]) {
		t.Errorf("rows of the second URL: %+v, want %+v", got, all[1:])
	}
	if got := rows([]string{}); len(got) != 0 {
		t.Errorf("rows of no URL: %+v", got)
	}
}

// A URL that is not to be visited as a link may be added by hand, and counts as added once.
func TestARefusedLinkThatIsAddedCounts(t *testing.T) {
	dir := t.TempDir()
	pagesThatLink(t, dir, DefaultOptions())
	s, err := Open(dir, DefaultOptions())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	gone, err := weburl.Parse("http://a.test/gone")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []int{1, 0} {
		if added, err := s.Add(t.Context(), []frontier.Candidate{{URL: gone}}); added != want || err != nil {
			t.Errorf("Add = %d, %v; want %d", added, err, want)
		}
	}
}
