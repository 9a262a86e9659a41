package gatecrawl_test

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"gatecrawl.example/gatecrawl/dedup/mainpart"
	"gatecrawl.example/gatecrawl/mirror"
	"gatecrawl.example/gatecrawl/testserver/env"
)

// TestDebianDocs crawls the manuals that bench/debiandocs.sh has unpacked, each as
// a site of its own, and judges the gate by an independent reader of main parts:
//
//	bench/debiandocs.sh ../debiandocs
//	GATECRAWL_DEBIANDOCS=../debiandocs go test -run TestDebianDocs -v .
//
// Any folder of folders with HTML files will do: published sites, such as the strangers of
// docs/measurements-gate.md.
//
// Pages whose file names differ in their numbers alone are two, however alike their
// words are, unless their main parts are equal: notes of two releases, mostly.
// GATECRAWL_WRONG=all lists everything that is wrong by that truth, and the near
// copies that are right by it.
func TestDebianDocs(t *testing.T) {
	dir := os.Getenv("GATECRAWL_DEBIANDOCS")
	if dir == "" {
		t.Skip("GATECRAWL_DEBIANDOCS names no folder; bench/debiandocs.sh makes one")
	}
	folders, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var rows []siteScore
	for _, d := range folders {
		if !d.IsDir() {
			continue
		}
		t.Run(d.Name(), func(t *testing.T) {
			s, doubts := siteOfFolder(t, filepath.Join(dir, d.Name()))
			start := time.Now()
			records := crawlHandlers(t, crawlOrder{seed: uint64(env.Number(t, "GATECRAWL_SEED", 1)), mirrors: mirror.ModeOn, templates: true}, s.at(""))
			sc := s.score(d.Name(), records, nil)
			sc.took = time.Since(start)
			rows = append(rows, sc)
			all := envIs("GATECRAWL_WRONG", "all")
			t.Logf("%d pages are left out, whose main part the reader cannot tell\n%s%s", doubts, sitesTable(sc), sc.details(all))
			if bad := sc.doubt + sc.wrong; 1000*bad > 3*sc.decided {
				t.Errorf("%d of %d pages are discarded wrongly, want three in a thousand at most", bad, sc.decided)
			}
			for _, p := range records {
				if p.Level == 5 && all {
					a, okA := s.find(p.URL)
					b, okB := s.find(p.Of)
					if okA && okB && s.resemblance(a, b) >= .8 {
						t.Logf("near: J %.3f, similarity %.2f: %s of %s", s.resemblance(a, b), p.Similarity, a, b)
					}
				}
			}
		})
	}
	t.Logf("truth: the main parts that an independent reader finds\n%s", sitesTable(rows...))
}

// numbersDiffer reports whether two file names differ in their numbers alone.
func numbersDiffer(a, b string) bool {
	a, b = path.Base(a), path.Base(b)
	bare := func(name string) string {
		return regexp.MustCompile(`[0-9]+([._-][0-9]+)*`).ReplaceAllString(name, "#")
	}
	return a != b && bare(a) == bare(b)
}

// siteOfFolder reads a folder as a site, with the truth of dedup/mainpart, and says
// of how many pages it cannot tell the main part.
func siteOfFolder(t *testing.T, dir string) (s *realSite, doubts int) {
	t.Helper()
	s = &realSite{name: filepath.Base(dir), base: "/", files: make(map[string][]byte)}
	s.pageTruth = pageTruth{main: make(map[string]mainPart), near: make(map[[2]string]float64), nameOf: s.pathOf}
	site := mainpart.NewSite()
	var names []string
	err := filepath.WalkDir(dir, func(file string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		name, err := filepath.Rel(dir, file)
		if err != nil {
			return err
		}
		name = filepath.ToSlash(name)
		content, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		s.files[name] = content
		if strings.HasSuffix(name, ".html") {
			names = append(names, name)
			site.Add(content, "text/html")
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	parts := site.Parts()
	for i, p := range parts {
		m := mainPart{kind: p.By, units: mainpart.Units(p.Text), hash: fmt.Sprintf("%q", p.Key())}
		if p.Doubt != "" {
			m.hash = "-"
			doubts++
		}
		s.main[names[i]] = m
	}
	for _, p := range mainpart.Copies(parts, .5) {
		if p.Resemblance < 1 && numbersDiffer(names[p.A], names[p.B]) {
			p.Resemblance = -p.Resemblance
		}
		s.near[pairOf(names[p.A], names[p.B])] = p.Resemblance
	}
	return s, doubts
}
