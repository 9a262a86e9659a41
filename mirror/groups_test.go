package mirror_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/mirror"
)

// 34 mirrors of one site have 561 pairs, which are one group.
func TestMirrorsOfOneSiteAreOneGroup(t *testing.T) {
	const sites = 34
	v, err := mirror.NewSurvey(mirror.DefaultOptions())
	if err != nil {
		t.Fatal(err)
	}
	host := func(origin string) string { return origin[len("http://"):] }
	for i := range sites {
		origin := fmt.Sprintf("http://m%02d.test", i)
		v.Site(origin).Met = uint64(1 + (i+20)%sites) // the 15th was there first
		for k := range uint64(60) {
			v.Add(v.Site(origin), mirror.Document{Path: fmt.Sprintf("/p/%d.html", k), Group: k + 1, SimHash: k * 0x9e3779b97f4a7c15, Tokens: 100})
		}
	}
	shared := v.Hosts()
	for range 60 {
		var hosts []string
		for i := range sites {
			hosts = append(hosts, fmt.Sprintf("m%02d.test", i))
		}
		shared.Group(hosts)
	}
	rels, err := v.Relations(t.Context(), &shelf{docs: map[string]mirror.Document{}, known: func(string) bool { return false }})
	if err != nil {
		t.Fatal(err)
	}
	r := mirror.Gather(shared.Relate(shared.Pairs(), rels, host))
	if len(r.Groups) != 1 || len(r.Pairs) != 0 {
		t.Fatalf("%d groups and %d pairs, want one group", len(r.Groups), len(r.Pairs))
	}
	g := r.Groups[0]
	if g.Canonical != "http://m14.test" || g.Why != "it answered before the other" || len(g.Members) != sites-1 {
		t.Errorf("the canonical site is %s (%s) of %d members, want http://m14.test, because it answered first, of %d", g.Canonical, g.Why, len(g.Members), sites-1)
	}
	for _, m := range g.Members {
		if m.A != "m14.test" || m.Overlap != 1 || m.By != mirror.ByLookUps {
			t.Errorf("member %s: of %s, overlap %v by %s; want all of it, by look-ups", m.B, m.A, m.Overlap, m.By)
		}
	}
}

// Below each site of a group that the crawl asks in place of others are these, though another one was named first, from which they differ or with
// which they were not compared.
func TestASiteIsCanonicalForThoseThatTheCrawlLeavesOutForIt(t *testing.T) {
	origin := func(i int) string { return fmt.Sprintf("http://m%d.test", i) }
	for _, c := range []struct {
		name   string
		twins  map[int]int // left out, and for which
		groups []string    // the canonical site and the members of each
	}{
		{"none is left out", nil, []string{"0: 1 2 3 4"}},
		{"one is asked for two", map[int]int{3: 2, 4: 2}, []string{"2: 0 1 3 4"}},
		{"the first is asked for one, another for two", map[int]int{1: 0, 3: 2, 4: 2}, []string{"2: 3 4", "0: 1"}},
		{"one of those is asked for another", map[int]int{1: 2, 3: 4, 4: 2}, []string{"2: 0 1 3 4"}},
	} {
		v, err := mirror.NewSurvey(mirror.DefaultOptions())
		if err != nil {
			t.Fatal(err)
		}
		for i := range 5 {
			s := v.Site(origin(i))
			s.Named = uint64(1 + i)
			if to, ok := c.twins[i]; ok {
				s.SetTwin(&mirror.Twin{Origin: origin(i), To: origin(to), By: "equal", Why: "it was a seed of the crawl before the other"})
			}
			for k := range uint64(60) {
				v.Add(s, mirror.Document{Path: fmt.Sprintf("/p/%d.html", k), Group: k + 1, SimHash: k * 0x9e3779b97f4a7c15, Tokens: 100})
			}
		}
		rels, err := v.Relations(t.Context(), &shelf{docs: map[string]mirror.Document{}, known: func(string) bool { return false }})
		if err != nil {
			t.Fatal(err)
		}
		number := func(origin string) string { return strings.TrimSuffix(strings.TrimPrefix(origin, "http://m"), ".test") }
		var got []string
		for _, g := range mirror.Gather(v.Hosts().Relate(nil, rels, weburl.HostOf)).Groups {
			var members []string
			for _, m := range g.Members {
				members = append(members, number(m.Other()))
			}
			slices.Sort(members)
			got = append(got, number(g.Canonical)+": "+strings.Join(members, " "))
			first := g.Why == "it was a seed of the crawl before the other"
			if seed := g.Canonical == origin(0) || len(members) == 2; first != seed {
				t.Errorf("%s: %s is canonical (%s)", c.name, g.Canonical, g.Why)
			}
		}
		if !slices.Equal(got, c.groups) {
			t.Errorf("%s: groups %q, want %q", c.name, got, c.groups)
		}
	}
}

// A member that was left out for another member, and never for the canonical site, has that in what the crawl decided.
func TestAMemberHasWhatTheCrawlDecidedOfItAndAnother(t *testing.T) {
	given := &mirror.Twin{Origin: "http://c.test", To: "http://b.test", GivenUp: true}
	member := func(b string) mirror.Pair {
		return mirror.Pair{A: "a.test", B: b, Relation: &mirror.Relation{A: "http://a.test", B: "http://" + b, Class: mirror.Mirror, Canonical: "http://a.test"}}
	}
	r := mirror.Gather([]mirror.Pair{member("b.test"), member("c.test"), {A: "b.test", B: "c.test", Twins: []*mirror.Twin{given}}})
	if len(r.Groups) != 1 || len(r.Pairs) != 0 {
		t.Fatalf("got %+v, want one group", r)
	}
	for _, m := range r.Groups[0].Members {
		if has := slices.Contains(m.Twins, given); has != (m.B == "c.test") {
			t.Errorf("%s: the twin of c.test is shown: %t", m.B, has)
		}
	}
}

func TestSitesThatShareAFolderAreNoMirrors(t *testing.T) {
	v, err := mirror.NewSurvey(mirror.DefaultOptions())
	if err != nil {
		t.Fatal(err)
	}
	for i, origin := range []string{"http://one.test", "http://two.test"} {
		for k := range uint64(60) {
			v.Add(v.Site(origin), mirror.Document{Path: fmt.Sprintf("/shared/p-%d.html", k), Group: k + 1, SimHash: k * 0x9e3779b97f4a7c15, Tokens: 100})
			own := 1000*uint64(i+1) + k
			v.Add(v.Site(origin), mirror.Document{Path: fmt.Sprintf("/own%d/p-%d.html", i, own), Group: own, SimHash: own * 0x9e3779b97f4a7c15, Tokens: 100})
		}
	}
	rels, err := v.Relations(t.Context(), &shelf{docs: map[string]mirror.Document{}, known: func(string) bool { return true }})
	if err != nil {
		t.Fatal(err)
	}
	if len(rels) != 1 || rels[0].Class != mirror.SharedFolders || rels[0].Canonical != "" {
		t.Errorf("got %+v, want shared folders, and neither site canonical", rels)
	}
}

func TestPagesAreMappedToTheOtherExtensionWhereMostFilesAreNoPages(t *testing.T) {
	v, err := mirror.NewSurvey(mirror.DefaultOptions())
	if err != nil {
		t.Fatal(err)
	}
	for i, origin := range []string{"http://one.test", "http://two.test"} {
		for k := range uint64(80) {
			path := fmt.Sprintf("/f%d/d-%d/", k%3, k)
			if k%8 == 0 {
				path = fmt.Sprintf("/f%d/d-%d%s", k%3, k, []string{".html", ".htm"}[i])
			}
			v.Add(v.Site(origin), mirror.Document{Path: path, Group: k + 1, SimHash: k * 0x9e3779b97f4a7c15, Tokens: 100})
		}
	}
	rel, err := v.Compare(t.Context(), &shelf{docs: map[string]mirror.Document{}, known: func(string) bool { return true }}, "http://one.test", "http://two.test")
	if err != nil {
		t.Fatal(err)
	}
	if len(rel.Maps) != 1 || rel.Maps[0].String() != "/*.html -> /*.htm" || rel.Class != mirror.Mirror {
		t.Errorf("%s by %v, want a mirror by /*.html -> /*.htm", rel.Class, rel.Maps)
	}
}

// A site that answers at /a and /a.html was fetched at either. The copy of it has each document at the same path, too.
func TestAMirrorIsWholeWhereEachDocumentHasTwoAddresses(t *testing.T) {
	v, err := mirror.NewSurvey(mirror.DefaultOptions())
	if err != nil {
		t.Fatal(err)
	}
	docs := map[string]mirror.Document{}
	add := func(origin, path string, k uint64) {
		d := mirror.Document{Path: path, Group: k + 1, SimHash: k * 0x9e3779b97f4a7c15, Tokens: 100}
		v.Add(v.Site(origin), d)
		docs[origin+path] = d
	}
	for k := range uint64(80) {
		add("http://one.test", fmt.Sprintf("/f%d/d-%d", k%3, k), k)
		if k%3 == 0 {
			add("http://one.test", fmt.Sprintf("/f%d/d-%d.html", k%3, k), k)
		}
		if k%2 == 0 {
			add("http://two.test", fmt.Sprintf("/f%d/d-%d", k%3, k), k)
		}
	}
	known := func(url string) bool { // the first site was crawled to its end
		_, ok := docs[url]
		return ok || strings.HasPrefix(url, "http://one.test/")
	}
	rel, err := v.Compare(t.Context(), &shelf{docs: docs, known: known}, "http://one.test", "http://two.test")
	if err != nil {
		t.Fatal(err)
	}
	if len(rel.Maps) != 1 || rel.Maps[0].String() != "/* -> /*" || rel.Class != mirror.Mirror {
		t.Errorf("%s by %v, %v and %v, want a mirror by /* -> /*", rel.Class, rel.Maps, rel.AB, rel.BA)
	}
}
