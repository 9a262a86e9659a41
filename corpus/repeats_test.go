package corpus

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"gatecrawl.example/gatecrawl/dedup"
	"gatecrawl.example/gatecrawl/purify"
)

func TestAPageWithTheContentsOfAnEarlierOneIsNotRead(t *testing.T) {
	b, err := NewBatch(Options{})
	if err != nil {
		t.Fatal(err)
	}
	b.repeats = newRepeats()
	defer b.repeats.close()
	html := []byte("<html lang=en><title>Owls</title><p>" + words(1, 60))
	first := b.read(Page{URL: "http://a.test/1", Body: html, Type: "text/html"})
	if err := b.repeats.meet(&first); err != nil || first.view == nil || first.repeat {
		t.Fatalf("the first page has the view %v and repeats one: %v; %v", first.view, first.repeat, err)
	}
	for _, c := range []struct {
		what string
		page Page
		read bool
	}{
		{"of the same contents", Page{Body: html, Type: "text/html"}, false},
		{"of another type", Page{Body: html, Type: "text/plain"}, true},
		{"in another charset", Page{Body: html, Type: "text/html; charset=big5"}, true},
		{"with a title of its own", Page{Body: html, Type: "text/html", Title: "Kites"}, true},
		{"of other bytes", Page{Body: html[:len(html)-1], Type: "text/html"}, true},
	} {
		c.page.URL = "http://b.test/2"
		if r := b.read(c.page); (r.view != nil) != c.read || r.digest.IsZero() {
			t.Errorf("a page %s is read: %v, want %v; its digest is %s", c.what, r.view != nil, c.read, r.digest)
		}
	}
}

// repeating writes a folder of articles, of pages that differ from one in a word, and of pages with
// the bytes of any of these.
func repeating(t *testing.T, seed uint64) string {
	t.Helper()
	random, dir := rand.New(rand.NewPCG(seed, 1)), t.TempDir()
	var bodies [][]byte
	for n := range 120 {
		var body []byte
		switch k := random.IntN(4); {
		case k > 1 && len(bodies) > 0:
			body = bodies[random.IntN(len(bodies))]
		case k == 1:
			body = fmt.Appendf(nil, "<html lang=en><title>Page %d</title><a href=/a>a</a><p>%s changed%d %s", n%3, words(uint64(n%3), 150), n, words(uint64(n%3)+50, 150))
		default:
			body = fmt.Appendf(nil, "<html lang=en><title>Page %d</title><p>%s", n, words(uint64(n)+900, 40+n))
		}
		bodies = append(bodies, body)
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("p%03d.html", n)), body, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestTheVerdictsAreThoseOfABatchThatReadsEveryPage(t *testing.T) {
	for seed := range uint64(4) {
		dir, levels := repeating(t, seed), make(map[dedup.Level]int)
		lines := func(workers int, all bool) (list []string) {
			b, err := NewBatch(Options{Dedup: dedup.DefaultOptions(), Workers: workers})
			if err != nil {
				t.Fatal(err)
			}
			if all {
				b.Signed = func(Result, dedup.Signature, *dedup.Text, *purify.DocView) error { return nil }
			}
			b.Judged = func(r Result) error {
				levels[r.Verdict.Level]++
				list = append(list, fmt.Sprintf("%+v", r.JudgedLine()))
				return nil
			}
			if _, err := b.Run(&Source{Names: []string{dir}}); err != nil {
				t.Fatal(err)
			}
			return list
		}
		want := lines(1, true)
		if levels[dedup.LevelBytes] < 20 || levels[dedup.LevelNear] < 10 {
			t.Fatalf("seed %d: %d copies by bytes and %d near ones: want more", seed, levels[dedup.LevelBytes], levels[dedup.LevelNear])
		}
		for _, workers := range []int{1, 2, 7} {
			got := lines(workers, false)
			for i := range want {
				if i >= len(got) || got[i] != want[i] {
					t.Errorf("seed %d, %d workers: page %d is\n%v, want\n%v", seed, workers, i+1, got[min(i, len(got)-1)], want[i])
					break
				}
			}
			if !slices.Equal(got, want) {
				break
			}
		}
	}
}
