package dedup

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// Claim uses what Check has looked up. Whatever happens to the gate in between, its verdict is that
// of a gate that was asked only once.
func TestClaimAfterCheckIsClaim(t *testing.T) {
	seeds := uint64(3)
	if testing.Short() {
		seeds = 1 // it is one goroutine, where the race detector finds nothing and takes ten times as long
	}
	for seed := range seeds {
		t.Run(fmt.Sprint(seed), func(t *testing.T) { claimAfterCheck(t, seed) })
	}
}

func claimAfterCheck(t *testing.T, seed uint64) {
	r := rand.New(rand.NewPCG(seed, 40))
	words := func(n, of int) []string {
		list := make([]string, n)
		for i := range list {
			list[i] = fmt.Sprintf("word%d", r.IntN(of))
		}
		return list
	}
	var families [][]string
	for range 6 {
		families = append(families, words(60+r.IntN(300), 5000))
	}
	made := 0
	draw := func() Text {
		made++
		if r.IntN(8) == 0 {
			families[1+r.IntN(len(families)-1)] = words(60+r.IntN(300), 5000) // the first one stays
		}
		host := fmt.Sprintf("h%d.example", r.IntN(4))
		body := slices.Clone(families[r.IntN(len(families))])
		title := "The harbour"
		edits := r.IntN(1 + len(body)/15)
		switch r.IntN(8) {
		case 0, 4: // more pages with one body and one band than are looked at
			body, title, edits = slices.Clone(families[0]), fmt.Sprintf("Release %d", made/8%60), r.IntN(2)
		case 5:
			body = words(10+r.IntN(100), 5000)
			title = strings.Join(words(3, 40), " ")
		case 1, 2: // of a series: it resembles the others and is none of them
			title = fmt.Sprintf("Release %d", made)
		case 3: // a brief one
			body = words(2+r.IntN(8), 6)
		}
		for range min(edits, len(body)) {
			body[r.IntN(len(body))] = words(1, 5000)[0]
		}
		return Text{Title: title, Body: strings.Join(body, " "), Host: host, Name: fmt.Sprintf("p%d", made%50), Links: uint32(made / 4), Lang: "en"}
	}

	open := func() (*Gate, *library) {
		o := DefaultOptions()
		o.Memory, o.Recent = 100, 50
		l := &library{texts: make(map[DocID]Text)}
		g, _, err := OpenGate(Folder{Dir: t.TempDir()}, o, l)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := g.Close(); err != nil {
				t.Error(err)
			}
		})
		return g, l
	}
	twice, its := open()
	once, others := open()
	both := func(do func(*Gate)) { do(twice); do(once) }

	type question struct {
		text Text
		sig  Signature
	}
	var waiting []*question
	var last DocID
	kept := make(map[DocID]Text)
	levels := make(map[Level]int)
	used, changed := 0, 0
	for range 8000 {
		switch n := r.IntN(100); {
		case n < 50 || len(waiting) == 0: // a page comes in
			q := &question{text: draw()}
			q.sig = q.text.Sign()
			if _, err := twice.Check(q.sig, &q.text); err != nil {
				t.Fatal(err)
			}
			waiting = append(waiting, q)
		case n < 94: // and is committed, sooner or later
			at := r.IntN(min(len(waiting), 40))
			q := waiting[at]
			waiting = slices.Delete(waiting, at, at+1)
			last++
			asked := q.text.memory().lookup
			if r.IntN(20) == 0 { // it is signed in another way now
				other := draw()
				bytes := q.sig.Bytes
				q.sig = other.Sign()
				q.sig.Bytes = bytes
			}
			got, err := twice.Claim(last, q.sig, &q.text)
			if err != nil {
				t.Fatal(err)
			}
			alone := Text{Title: q.text.Title, Body: q.text.Body, Host: q.text.Host, Name: q.text.Name, Links: q.text.Links, Lang: q.text.Lang}
			want, err := once.Claim(last, q.sig, &alone)
			if err != nil {
				t.Fatal(err)
			}
			if got != want {
				t.Fatalf("document %d, asked when there were %d: Claim = %+v, want %+v", last, asked.after, got, want)
			}
			if asked.gate != nil && asked.changes == twice.changes.Load() {
				used++
				if got.Copy() {
					changed++
				}
			}
			levels[got.Level]++
			if got.Copy() {
				continue
			}
			kept[last] = alone
			its.texts[last], others.texts[last] = alone, alone
			its.put(last, q.sig)
			others.put(last, q.sig)
		case n < 95:
			both(func(g *Gate) {
				if err := g.Commit(); err != nil {
					t.Fatal(err)
				}
			})
		case last/400%2 == 0: // for a while nothing else happens
		default:
			docs := slices.Sorted(maps.Keys(kept))
			doc := docs[max(0, len(docs)-1-r.IntN(60))]
			switch r.IntN(8) {
			case 0:
				text := draw()
				its.texts[doc], others.texts[doc] = text, text
				both(func(g *Gate) { g.ForgetTexts(func(host string) bool { return host == kept[doc].Host }) })
				kept[doc] = text
			case 1:
				text := draw()
				sig := text.Sign()
				sig.Bytes = its.m[doc].Bytes
				both(func(g *Gate) {
					if err := g.Revise(doc, sig); err != nil {
						t.Fatal(err)
					}
				})
				its.texts[doc], others.texts[doc] = text, text
				its.put(doc, sig)
				others.put(doc, sig)
				kept[doc] = text
			case 2:
				both(func(g *Gate) { g.Retire(doc) })
			}
		}
	}
	t.Logf("%d documents, %v by level, %d looked up once, %d of these copies of what came since; %d runs", last, levels, used, changed, twice.tables.Runs())
	for level, n := range map[Level]int{LevelBody: 20, LevelNear: 100} {
		if levels[level] < n {
			t.Errorf("%d copies were found at level %d: this tests hardly anything", levels[level], level)
		}
	}
	if used < 300 || changed < 30 {
		t.Errorf("%d were looked up once, %d of these are copies of what came since: this tests hardly anything", used, changed)
	}
}
