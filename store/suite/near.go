package suite

import (
	"errors"
	"strings"
	"testing"

	"gatecrawl.example/gatecrawl"
	"gatecrawl.example/gatecrawl/dedup"
)

// nearPages asks for neighbours of what the job has and of what it has not.
func nearPages(t *testing.T, open Opener) {
	b, reopen := open(t, options())
	seed(t, b, 0, "http://a.test/1", "http://b.test/1", "http://c.test/1", "http://d.test/1", "http://e.test/1")
	kept := settle(t, b, visit(next(t, b), essay(1)))
	copied := settle(t, b, visit(next(t, b), essay(1)))
	settle(t, b, visit(next(t, b), essay(2)))
	gone := settle(t, b, failed(next(t, b)))
	waits := next(t, b)
	if err := b.Release(waits, 0); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		names := func(what string, m []gatecrawl.Member, err error, want ...string) {
			t.Helper()
			var got []string
			for _, n := range m {
				got = append(got, n.URL)
			}
			if err != nil || len(got) != len(want) || len(got) > 0 && got[0] != want[0] {
				t.Errorf("%s is near %v, %v; want %v", what, got, err, want)
			}
		}
		edited := dedup.Text{Body: essay(1) + "more"}
		m, err := b.Near(t.Context(), edited.Sign(), &edited, gatecrawl.NearQuery{})
		names("an edited page", m, err, kept.URL)
		if len(m) > 0 && (m[0].Level != 5 || m[0].Seq != kept.Seq || m[0].Class != "partial-layout") {
			t.Errorf("an edited page is near %+v, want level 5 and partial-layout", m[0])
		}
		apart := dedup.Text{Body: strings.Join(strings.Fields(essay(1))[:95], " ")}
		m, err = b.Near(t.Context(), apart.Sign(), &apart, gatecrawl.NearQuery{Limit: 1, Apart: true})
		names("three quarters of a page", m, err, kept.URL)
		if len(m) > 0 && (m[0].Apart != dedup.TextsDiffer || m[0].Similarity < .7 || m[0].Similarity > .8) {
			t.Errorf("three quarters of a page are near %+v, want apart, since their texts differ", m[0])
		}
		m, err = b.Near(t.Context(), apart.Sign(), &apart, gatecrawl.NearQuery{})
		names("three quarters of a page, of which they are no copy,", m, err)
		m, err = b.Near(t.Context(), dedup.SignText(essay(7)), nil, gatecrawl.NearQuery{})
		names("a page of its own", m, err)
		m, err = b.NearPage(t.Context(), kept.URL, gatecrawl.NearQuery{Limit: 1})
		names("a kept page", m, err)
		m, err = b.NearPage(t.Context(), copied.URL, gatecrawl.NearQuery{})
		names("a copy", m, err, kept.URL)
		for _, u := range []string{gone.URL, waits.URL.String(), "http://never.test/"} {
			if _, err := b.NearPage(t.Context(), u, gatecrawl.NearQuery{}); !errors.Is(err, gatecrawl.ErrUnknown) {
				t.Errorf("NearPage(%s) = %v, want %v", u, err, gatecrawl.ErrUnknown)
			}
		}
		b = reopen()
	}
}
