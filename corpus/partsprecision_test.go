package corpus_test

import (
	"archive/tar"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gatecrawl.example/gatecrawl/corpus"
	"gatecrawl.example/gatecrawl/dedup"
	"gatecrawl.example/gatecrawl/dedup/mainpart"
	"gatecrawl.example/gatecrawl/testserver/slow"
)

// TestPrecisionOfPartsOnRealTrees judges the parts that are found in folders of real pages by
// exact containment of runs of four words of their main parts, which a reader of its own finds.
// With GATECRAWL_PARTS_DIR it is another folder, as one of /usr/share/doc. The log has the figures of
// docs/measurements-gate.md:
//
//	GATECRAWL_SLOW=1 go test ./corpus -run PrecisionOfParts -v
func TestPrecisionOfPartsOnRealTrees(t *testing.T) {
	slow.Test(t, "reads 6,000 pages twice")
	trees := []string{os.Getenv("GATECRAWL_PARTS_DIR")}
	if trees[0] == "" {
		trees = nil
		for _, name := range []string{"project", "manual", "guide-zh"} {
			trees = append(trees, unpacked(t, filepath.Join("..", "..", "shared", "data", "pages", name+".tar.gz")))
		}
	}
	all, wrong := 0, 0
	for _, dir := range trees {
		found, right, doubt := judgeParts(t, dir)
		t.Logf("%s: %d pairs of a part and a whole; %d of %d have .4 and more by the main parts, of %d those are not known", filepath.Base(dir), found, right, found-doubt, doubt)
		all, wrong = all+found-doubt, wrong+found-doubt-right
	}
	if all == 0 || float64(wrong) > .05*float64(all) {
		t.Errorf("%d of %d pairs are wrong, want 5%% of some at the most", wrong, all)
	}
}

// judgeParts finds the parts in a folder, and counts the pairs, those that exact containment
// bears out, and those of which a main part is not known.
func judgeParts(t *testing.T, dir string) (found, right, doubt int) {
	t.Helper()
	b, err := corpus.NewBatch(corpus.Options{Dedup: dedup.DefaultOptions(), Parts: true})
	if err != nil {
		t.Fatal(err)
	}
	var lines []corpus.PartsLine
	b.Judged = func(corpus.Result) error { return nil }
	b.InPart = func(l corpus.PartsLine) error {
		lines = append(lines, l)
		return nil
	}
	if _, err := b.Run(&corpus.Source{Names: []string{dir}}); err != nil {
		t.Fatal(err)
	}
	main := mainParts(t, dir)
	for _, l := range lines {
		for _, whole := range l.PartOf {
			part, other := main[l.URL], main[whole.URL]
			found++
			switch {
			case len(part) == 0 || len(other) == 0:
				doubt++
			case contained(part, other) >= .4:
				right++
			default:
				t.Logf("%.2f by the texts, %.2f by the main parts: %s in %s", whole.Share, contained(part, other), l.URL, whole.URL)
			}
		}
	}
	return found, right, doubt
}

// mainParts returns the runs of four words of the main part of each page in a folder, in CJK
// scripts of four characters; none where the reader cannot tell it.
func mainParts(t *testing.T, dir string) map[string]map[string]bool {
	t.Helper()
	site := mainpart.NewSite()
	var names []string
	corpus.Walk(dir, func(name string) {
		name = filepath.Join(dir, filepath.FromSlash(name))
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		site.Add(b, "text/html")
		names = append(names, filepath.ToSlash(name))
	}, func(err error) { t.Fatal(err) })
	runs := make(map[string]map[string]bool, len(names))
	for i, p := range site.Parts() {
		if p.Doubt == "" {
			runs[names[i]] = runsOfFour(p.Text)
		}
	}
	return runs
}

func runsOfFour(text string) map[string]bool {
	var words []string
	for w := range dedup.Words(text) {
		words = append(words, string(w))
	}
	runs := make(map[string]bool)
	for i := 0; i+4 <= len(words); i++ {
		runs[strings.Join(words[i:i+4], " ")] = true
	}
	return runs
}

// contained is the share of the runs of a part that the whole has.
func contained(part, whole map[string]bool) float64 {
	both := 0
	for r := range part {
		if whole[r] {
			both++
		}
	}
	return float64(both) / float64(len(part))
}

// unpacked returns a folder with the files of an archive.
func unpacked(t *testing.T, name string) string {
	t.Helper()
	f, err := os.Open(name)
	if errors.Is(err, os.ErrNotExist) {
		t.Skipf("%s is not here", name)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), strings.TrimSuffix(filepath.Base(name), ".tar.gz"))
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if err == io.EOF {
			return dir
		}
		if err != nil {
			t.Fatal(err)
		}
		if h.Typeflag != tar.TypeReg {
			continue
		}
		to := filepath.Join(dir, filepath.FromSlash(filepath.Clean("/"+h.Name)))
		b, err := io.ReadAll(r)
		if err == nil {
			err = os.MkdirAll(filepath.Dir(to), 0o700)
		}
		if err == nil {
			err = os.WriteFile(to, b, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}
