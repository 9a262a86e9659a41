// Command bench runs purify and the extraction libraries of Go on the same pages and prints the
// quality and the speed of each in one table.
//
//	cd bench && GOMAXPROCS=1 go run . [-held FILE] CORPUS...
//
// It is a module of its own, so that nothing of the product depends on these libraries. A corpus
// has the format that cmd/train-purify reads. If purify's model was trained on the same pages, as
// on the corpora of this project, the quality shown is too good. With the FILE that
// cmd/train-purify -held wrote there is one more line: the bodies chosen by models that saw no page
// of the same host. The libraries were not trained on any of these pages.
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/bits"
	"math/rand/v2"
	nurl "net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	readeck "codeberg.org/readeck/go-readability"
	shiori "github.com/go-shiori/go-readability"
	"github.com/markusmobius/go-domdistiller"
	"github.com/markusmobius/go-trafilatura"
	"golang.org/x/net/html"

	"gatecrawl.example/gatecrawl/dedup"
	"gatecrawl.example/gatecrawl/purify"
	"gatecrawl.example/gatecrawl/purify/truth"
)

// maxTime is the time limit of a library for one page.
const maxTime = 20 * time.Second

// A contender extracts the main text of a page.
type contender struct {
	name   string
	body   func(p *truth.Page, url *nurl.URL) (string, error)
	noTime bool // its bodies are read from a file
}

var contenders = []contender{
	{name: "html.Parse alone", body: func(p *truth.Page, _ *nurl.URL) (string, error) {
		_, err := html.Parse(strings.NewReader(p.HTML))
		return "", err
	}},
	{name: "purify", body: func(p *truth.Page, _ *nurl.URL) (string, error) {
		return purify.Purify([]byte(p.HTML), "text/html; charset=utf-8").Body, nil
	}},
	{name: "go-trafilatura", body: func(p *truth.Page, url *nurl.URL) (string, error) {
		return trafilaturaBody(p, url, false)
	}},
	{name: "go-trafilatura, fallback", body: func(p *truth.Page, url *nurl.URL) (string, error) {
		return trafilaturaBody(p, url, true)
	}},
	{name: "go-shiori readability", body: func(p *truth.Page, url *nurl.URL) (string, error) {
		a, err := shiori.FromReader(strings.NewReader(p.HTML), url)
		if err != nil || a.Node == nil {
			return "", err
		}
		return textOf(a.Node), nil
	}},
	{name: "readeck readability", body: func(p *truth.Page, url *nurl.URL) (string, error) {
		a, err := readeck.FromReader(strings.NewReader(p.HTML), url)
		if err != nil || a.Node == nil {
			return "", err
		}
		return textOf(a.Node), nil
	}},
	{name: "go-domdistiller", body: func(p *truth.Page, url *nurl.URL) (string, error) {
		r, err := distiller.ApplyForReader(strings.NewReader(p.HTML), &distiller.Options{OriginalURL: url, SkipPagination: true})
		if err != nil || r.Node == nil {
			return "", err
		}
		return textOf(r.Node), nil
	}},
}

func trafilaturaBody(p *truth.Page, url *nurl.URL, fallback bool) (string, error) {
	r, err := trafilatura.Extract(strings.NewReader(p.HTML), trafilatura.Options{OriginalURL: url, EnableFallback: fallback, ExcludeComments: false})
	if err != nil {
		return "", err
	}
	return r.ContentText + "\n" + r.CommentsText, nil
}

// textOf returns the text of a tree with a space between its text nodes: the libraries' own text
// joins the words of neighbouring blocks.
func textOf(n *html.Node) string {
	var b strings.Builder
	for d := range n.Descendants() {
		if d.Type == html.TextNode {
			b.WriteString(d.Data)
			b.WriteByte(' ')
		}
	}
	return b.String()
}

func main() {
	held := flag.String("held", "", "judge purify by the bodies in this file of train-purify -held, too")
	flag.Parse()
	if flag.NArg() == 0 {
		fmt.Fprintln(os.Stderr, "usage: bench [-held FILE] CORPUS...")
		os.Exit(2)
	}
	if err := run(flag.Args(), *held); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(corpora []string, held string) error {
	bodies, err := readHeld(held)
	if err != nil {
		return err
	}
	for _, name := range corpora {
		pages, err := read(name)
		if err != nil {
			return err
		}
		entrants := contenders
		if c, ok := bodies[filepath.Base(name)]; ok {
			entrants = slices.Insert(slices.Clone(contenders), 2, contender{name: "purify, held out by host", body: c.body, noTime: true})
		}
		table(os.Stdout, name, pages, entrants)
	}
	return nil
}

// heldBodies are the bodies that purify chose, by page id, with models that saw no page of the same
// host.
type heldBodies map[string]string

func (h heldBodies) body(p *truth.Page, _ *nurl.URL) (string, error) {
	body, ok := h[p.ID]
	if !ok {
		return "", fmt.Errorf("page %s is not in the file of held out bodies", p.ID)
	}
	return body, nil
}

// readHeld reads what train-purify -held wrote, by corpus; without a name it returns nothing.
func readHeld(name string) (map[string]heldBodies, error) {
	if name == "" {
		return nil, nil
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	all := map[string]heldBodies{}
	for in := json.NewDecoder(f); ; {
		var line struct{ Corpus, ID, Body string }
		if err := in.Decode(&line); errors.Is(err, io.EOF) {
			return all, nil
		} else if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		if all[line.Corpus] == nil {
			all[line.Corpus] = heldBodies{}
		}
		all[line.Corpus][line.ID] = line.Body
	}
}

func read(name string) ([]*truth.Page, error) {
	var pages []*truth.Page
	err := truth.EachPage(name, func(p *truth.Page) { pages = append(pages, p) })
	return pages, err
}

// A result is the result of a contender for one page.
type result struct {
	f1, precision, recall float64
	near                  bool // the SimHash is within 3 bits of the known body's
	failed                bool
}

func table(w io.Writer, name string, pages []*truth.Page, entrants []contender) {
	fmt.Fprintf(w, "%s, %d pages\n%-26s %21s %7s %7s %8s %9s %8s %7s\n", name, len(pages), "", "word F1 (95%)", "prec", "recall", "<=3 bits", "pages/s", "x parse", "failed")
	var parse time.Duration
	byType := make([]map[string][]float64, len(entrants))
	for i, c := range entrants {
		results, took := runAll(c, pages)
		if i == 0 {
			parse = took
		}
		var p, r float64
		var all []float64
		near, failed := 0, 0
		byType[i] = map[string][]float64{}
		for n, x := range results {
			p, r, all = p+x.precision, r+x.recall, append(all, x.f1)
			byType[i][pages[n].Type] = append(byType[i][pages[n].Type], x.f1)
			if x.near {
				near++
			}
			if x.failed {
				failed++
			}
		}
		n := float64(len(pages))
		low, high := bootstrap(all)
		rate, times := fmt.Sprintf("%.0f", n/took.Seconds()), fmt.Sprintf("%.2f", took.Seconds()/parse.Seconds())
		if c.noTime {
			rate, times = "-", "-"
		}
		fmt.Fprintf(w, "%-26s %.3f (%.3f to %.3f) %7.3f %7.3f %8.3f %9s %8s %7d\n", c.name, mean(all), low, high, p/n, r/n, float64(near)/n, rate, times, failed)
	}
	var types []string
	for t := range byType[0] {
		types = append(types, t)
	}
	slices.Sort(types)
	fmt.Fprintf(w, "word F1 by type")
	for _, t := range types {
		fmt.Fprintf(w, ", %s %d", t, len(byType[0][t]))
	}
	fmt.Fprintln(w)
	for i, c := range entrants {
		fmt.Fprintf(w, "%-26s", c.name)
		for _, t := range types {
			low, high := bootstrap(byType[i][t])
			fmt.Fprintf(w, " %.3f (%.3f to %.3f)", mean(byType[i][t]), low, high)
		}
		fmt.Fprintln(w)
	}
}

// runAll runs a contender on all pages. It runs the first pages once more before that, so that no
// time includes a cold start.
func runAll(c contender, pages []*truth.Page) (results []result, took time.Duration) {
	for _, page := range pages[:min(len(pages), warm)] {
		try(c, page, address(page))
	}
	for _, page := range pages {
		start := time.Now()
		body, err := try(c, page, address(page))
		took += time.Since(start)
		x := result{failed: err != nil}
		x.precision, x.recall, x.f1 = truth.Score(truth.Words(body), truth.Words(page.Body))
		x.near = bits.OnesCount64(dedup.SignText(body).SimHash^dedup.SignText(page.Body).SimHash) <= 3
		results = append(results, x)
	}
	return results, took
}

// warm is the number of pages that are run before the clock starts.
const warm = 20

func address(p *truth.Page) *nurl.URL {
	url, err := nurl.Parse(p.URL)
	if err != nil || url.Host == "" {
		return &nurl.URL{Scheme: "http", Host: "example.com"}
	}
	return url
}

func mean(all []float64) float64 {
	var sum float64
	for _, x := range all {
		sum += x
	}
	return sum / float64(max(len(all), 1))
}

// bootstrap returns a 95% confidence interval of the mean: the bounds of the means of 95 in 100
// samples drawn with replacement (bootstrap, Efron 1979).
func bootstrap(all []float64) (low, high float64) {
	const samples = 1000
	rng := rand.New(rand.NewPCG(1, 2))
	means := make([]float64, samples)
	drawn := make([]float64, len(all))
	for i := range means {
		for j := range drawn {
			drawn[j] = all[rng.IntN(len(all))]
		}
		means[i] = mean(drawn)
	}
	slices.Sort(means)
	return means[samples/40], means[samples-samples/40-1]
}

// try runs a contender. A panic or a page that takes longer than maxTime is a failure. Such a page
// goes on in the background until it is done: the libraries cannot be stopped.
func try(c contender, p *truth.Page, url *nurl.URL) (string, error) {
	type answer struct {
		body string
		err  error
	}
	done := make(chan answer, 1)
	go func() {
		defer func() {
			if x := recover(); x != nil {
				done <- answer{"", fmt.Errorf("panic: %v", x)}
			}
		}()
		body, err := c.body(p, url)
		done <- answer{body, err}
	}()
	select {
	case a := <-done:
		return a.body, a.err
	case <-time.After(maxTime):
		return "", fmt.Errorf("still at work after %v", maxTime)
	}
}
