package dust_test

import (
	"fmt"
	"testing"

	"gatecrawl.example/gatecrawl/mirror/dust"
	"gatecrawl.example/gatecrawl/store/kv"
)

// Most pages of two versions of a manual are the same, and a few are not. A rule between their folders needs more
// pages than one between two names of one folder, and is tried on as many as tell a small share.
func TestARuleBetweenVersionsNeedsMoreEvidence(t *testing.T) {
	for _, c := range []struct {
		one, other string
		versions   bool
	}{
		{"1.5", "1.6", true},
		{"latest", "v2.0.1", true},
		{"manual/release-3", "manual/3.x", true},
		{"guide", "handbook", false},
		{"en", "de", false},
		{"1.5/api", "api", false},
	} {
		t.Run(c.one+" "+c.other, func(t *testing.T) {
			j := newJob(t, nil)
			at := func(folder string, n int) string { return fmt.Sprintf("http://a.test/%s/p%d", folder, n) }
			const pages = 200
			for n := range pages {
				j.has(n, at(c.one, n))
			}
			for n := range 20 {
				j.has(n, at(c.other, n))
			}
			want := "skip"
			if c.versions {
				want = "defer"
			}
			if e := j.explain(at(c.other, 100)); e.Decision != want && (e.Decision != "explore" || c.versions) {
				t.Errorf("after 20 pages: %s, want %s", e.Decision, want)
			}
			tried := 20
			for ; c.versions && tried < 80; tried++ {
				j.has(tried, at(c.other, tried))
			}
			if e := j.explain(at(c.other, 100)); e.Decision != "skip" && e.Decision != "explore" {
				t.Errorf("after %d pages: %s, want skip", tried, e.Decision)
			}
			for n := tried; n < pages; n++ {
				if j.asks(at(c.other, n)) {
					j.has(n, at(c.other, n))
					tried++
				}
			}
			for more := true; more; {
				j.update(func(tx kv.Tx) (err error) {
					more, err = j.rules.Idle(tx)
					return err
				})
				for _, u := range j.queue {
					var n int
					if _, err := fmt.Sscanf(u.Path(), "/"+c.other+"/p%d", &n); err != nil {
						t.Fatal(err)
					}
					j.has(n, u.String())
					tried++
				}
				j.queue = nil
			}
			if all := dust.DefaultOptions().Wanted(pages); (tried >= all) != c.versions {
				t.Errorf("%d of %d pages were fetched from both folders; want %d and more: %v", tried, pages, all, c.versions)
			}
		})
	}
}
