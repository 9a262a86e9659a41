package mainpart

import (
	"archive/tar"
	"bufio"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"gatecrawl.example/gatecrawl/testserver/slow"
)

// data is where others' pages lie, next to the repository.
const data = "../../../shared/data"

// TestAgreementWithSites prints how far the reader agrees with the main parts of
// ten sites, which a person chose by selectors for each theme:
//
//	go test -run AgreementWithSites -v ./dedup/mainpart
func TestAgreementWithSites(t *testing.T) {
	slow.Test(t, "reads thousands of real pages")
	names, err := filepath.Glob(filepath.Join(data, "sites", "*.truth.tsv.gz"))
	if err != nil || len(names) == 0 {
		t.Skip("needs the sites next to the repository:", data)
	}
	t.Logf("%-12s %5s %6s %7s %7s | %18s %18s %18s", "site", "pages", "doubt", "length", "median", "said >=.8 is >=.8", "is >=.9 said >=.8", "said >=.8 is <.5")
	var sum agreement
	for _, name := range names {
		name = strings.TrimSuffix(filepath.Base(name), ".truth.tsv.gz")
		a := agreementWith(t, name)
		t.Logf("%-12s %s", name, a)
		sum.add(a)
		if os.Getenv("GATECRAWL_WRONG") != "" {
			for _, l := range a.lines {
				t.Log(l)
			}
		}
	}
	t.Logf("%-12s %s", "all", sum)
	if p := ratio(sum.right, sum.said); p < .97 {
		t.Errorf("of the pairs that the reader says are copies %.3f are, want .97", p)
	}
	if r := ratio(sum.found, sum.near); r < .95 {
		t.Errorf("of the copies the reader says %.3f, want .95", r)
	}
}

type agreement struct {
	pages, doubts      int
	length             int // pages whose length is within a tenth of the truth's
	ratios             []float64
	said, right, wrong int // pairs that the reader says are at .8; of these by the truth at .8; below .5
	near, found        int // pairs of the truth at .9 whose pages have no doubt; of these said at .8
	lines              []string
}

func (a *agreement) add(b agreement) {
	a.pages += b.pages
	a.doubts += b.doubts
	a.length += b.length
	a.ratios = append(a.ratios, b.ratios...)
	a.said += b.said
	a.right += b.right
	a.wrong += b.wrong
	a.near += b.near
	a.found += b.found
}

func (a agreement) String() string {
	slices.Sort(a.ratios)
	median := math.NaN()
	if len(a.ratios) > 0 {
		median = a.ratios[len(a.ratios)/2]
	}
	return fmt.Sprintf("%5d %6d %6.1f%% %7.2f | %5d of %5d %.3f  %5d of %5d %.3f  %5d of %5d %.3f", a.pages, a.doubts, 100*ratio(a.length, a.pages-a.doubts), median,
		a.right, a.said, ratio(a.right, a.said), a.found, a.near, ratio(a.found, a.near), a.wrong, a.said, ratio(a.wrong, a.said))
}

func agreementWith(t *testing.T, name string) agreement {
	t.Helper()
	type known struct {
		kind, hash string
		units      int
	}
	truth := make(map[string]known)
	rows(t, filepath.Join(data, "sites", name+".truth.tsv.gz"), func(f []string) {
		units, err := strconv.Atoi(f[2])
		if err != nil {
			t.Fatal(err)
		}
		truth[f[0]] = known{f[1], f[3], units}
	})
	near := make(map[[2]string]float64)
	rows(t, filepath.Join(data, "sites", name+".pairs.tsv.gz"), func(f []string) {
		j, err := strconv.ParseFloat(f[2], 64)
		if err != nil {
			t.Fatal(err)
		}
		near[[2]string{min(f[0], f[1]), max(f[0], f[1])}] = j
	})
	site := NewSite()
	var paths []string
	eachFile(t, filepath.Join(data, "sites", name+".tar.zst"), func(path string, content []byte) {
		if _, ok := truth[path]; ok {
			paths = append(paths, path)
			site.Add(content, "text/html")
		}
	})
	var a agreement
	parts := site.Parts()
	at := make(map[string]int)
	for i, p := range parts {
		k := truth[paths[i]]
		at[paths[i]] = i
		if k.hash == "-" {
			parts[i].Doubt = "left out: no main part"
			continue
		}
		a.pages++
		if p.Doubt != "" {
			a.doubts++
			a.lines = append(a.lines, fmt.Sprintf("  doubt: %s (%s): %s", paths[i], k.kind, p.Doubt))
			continue
		}
		r := float64(Units(p.Text)) / float64(max(1, k.units))
		a.ratios = append(a.ratios, r)
		if r > .9 && r < 1.1 {
			a.length++
		}
	}
	said := make(map[[2]string]bool)
	for _, p := range Copies(parts, .8) {
		pair := [2]string{min(paths[p.A], paths[p.B]), max(paths[p.A], paths[p.B])}
		said[pair] = true
		a.said++
		switch j := near[pair]; {
		case j >= .8 || truth[pair[0]].hash == truth[pair[1]].hash:
			a.right++
		case j < .5:
			a.wrong++
			fallthrough
		default:
			a.lines = append(a.lines, fmt.Sprintf("  said %.2f is %.2f: %s %s (%s %s)", p.Resemblance, j, pair[0], pair[1], parts[p.A].By, truth[pair[0]].kind))
		}
	}
	for pair, j := range near {
		x, y := at[pair[0]], at[pair[1]]
		if j < .9 || parts[x].Doubt != "" || parts[y].Doubt != "" {
			continue
		}
		a.near++
		if said[pair] {
			a.found++
		} else {
			a.lines = append(a.lines, fmt.Sprintf("  is %.2f said %.2f: %s %s (%s %s)", j, Resemblance(parts[x], parts[y]), pair[0], pair[1], parts[x].By, truth[pair[0]].kind))
		}
	}
	slices.Sort(a.lines)
	return a
}

// TestAgreementWithLabels prints how near the reader comes to the bodies that
// people labelled. The pages come one by one, so there is no site to tell frame by.
//
//	go test -run AgreementWithLabels -v ./dedup/mainpart
func TestAgreementWithLabels(t *testing.T) {
	slow.Test(t, "reads thousands of real pages")
	for _, name := range []string{"web-content", "mixed-zh-en"} {
		f, err := os.Open(filepath.Join(data, "purify", name+".jsonl.zst"))
		if err != nil {
			t.Skip("needs the labelled pages next to the repository:", err)
		}
		defer f.Close()
		z, err := zstd.NewReader(f, zstd.WithDecoderMaxWindow(128<<20))
		if err != nil {
			t.Fatal(err)
		}
		defer z.Close()
		lines := bufio.NewReaderSize(z, 1<<20)
		type tally struct {
			n       int
			p, r, f float64
		}
		by := make(map[string]*tally)
		doubts, pages := 0, 0
		count := func(key string, p, r, f float64) {
			if by[key] == nil {
				by[key] = new(tally)
			}
			k := by[key]
			k.n, k.p, k.r, k.f = k.n+1, k.p+p, k.r+r, k.f+f
		}
		for {
			line, err := lines.ReadBytes('\n')
			if len(line) == 0 && err == io.EOF {
				break
			}
			var page struct{ HTML, Body, Type string }
			if err := json.Unmarshal(line, &page); err != nil {
				t.Fatal(err)
			}
			pages++
			site := NewSite()
			site.Add([]byte(page.HTML), "text/html; charset=utf-8")
			part := site.Parts()[0]
			if part.Doubt != "" {
				doubts++
				continue
			}
			p, r, f := overlap(part.Text, page.Body)
			count("all", p, r, f)
			count("by "+part.By, p, r, f)
			count("type "+page.Type, p, r, f)
		}
		t.Logf("%s: %d pages, of %d the reader cannot tell", name, pages, doubts)
		var keys []string
		for k := range by {
			keys = append(keys, k)
		}
		slices.Sort(keys)
		for _, k := range keys {
			n := float64(by[k].n)
			t.Logf("  %-32s %5d pages: words P %.3f R %.3f F1 %.3f", k, by[k].n, by[k].p/n, by[k].r/n, by[k].f/n)
		}
	}
}

// overlap returns precision, recall and F1 of words.
func overlap(got, want string) (p, r, f float64) {
	g, _ := wordsOf(got)
	w, _ := wordsOf(want)
	if len(g) == 0 || len(w) == 0 {
		return 0, 0, 0
	}
	count := make(map[string]int)
	for _, x := range w {
		count[x]++
	}
	hit := 0
	for _, x := range g {
		if count[x] > 0 {
			count[x]--
			hit++
		}
	}
	p, r = ratio(hit, len(g)), ratio(hit, len(w))
	if hit == 0 {
		return 0, 0, 0
	}
	return p, r, 2 * p * r / (p + r)
}

func ratio(n, of int) float64 {
	if of == 0 {
		return 1
	}
	return float64(n) / float64(of)
}

// rows reads a compressed table with a header.
func rows(t *testing.T, name string, row func(f []string)) {
	t.Helper()
	f, err := os.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(z)
	for first := true; lines.Scan(); first = false {
		if !first {
			row(strings.Split(lines.Text(), "\t"))
		}
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
}

// eachFile reads an archive.
func eachFile(t *testing.T, name string, do func(path string, content []byte)) {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := zstd.NewReader(f, zstd.WithDecoderMaxWindow(128<<20))
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if err == io.EOF {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		do(strings.TrimPrefix(h.Name, "./"), content)
	}
}
