package judge

import (
	"bytes"
	"context"
	"embed"
	"fmt"
	"html/template"
	"net/http"
	"strconv"
	"strings"

	"gatecrawl.example/gatecrawl/control/style"
	"gatecrawl.example/gatecrawl/dedup"
	"gatecrawl.example/gatecrawl/dedup/exam"
	"gatecrawl.example/gatecrawl/dedup/passage"
)

//go:embed static/*
var static embed.FS

//go:embed pages.html
var pagesText string

// A Server is the web page on which a person judges. It is rendered on the server, works without
// scripts, and escapes the text of pages; guard.Guard decides who may see it.
type Server struct {
	sample *Sample
	sheet  *Sheet
	form   string
	whole  func(ctx context.Context, url string) (string, error)
	pages  *template.Template
}

// NewServer returns the page for a sample; its forms have a guard's token. whole returns the whole
// text of a page with its frame, for a person who wants to see more than its body; nil: it is not
// available.
func NewServer(s *Sample, sh *Sheet, formToken string, whole func(ctx context.Context, url string) (string, error)) *Server {
	d := &Server{sample: s, sheet: sh, form: formToken, whole: whole}
	d.pages = template.Must(template.New("").Funcs(functions).Parse(pagesText)) // the template is embedded: it cannot fail at run time
	return d
}

var functions = template.FuncMap{
	"plain": plainLines, "num": style.Number,
	"share": func(i exam.Interval) string { return fmt.Sprintf("%.3f (%.3f to %.3f)", i.Value, i.Low, i.High) },
}

// plainLines is style.Plain for text of several lines: style.Plain takes line ends for control
// characters.
func plainLines(v any) string {
	lines := strings.Split(fmt.Sprint(v), "\n")
	for i, l := range lines {
		lines[i] = style.Plain(strings.ReplaceAll(l, "\t", " "))
	}
	return strings.Join(lines, "\n")
}

// Handler serves the page.
func (d *Server) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", d.next)
	mux.HandleFunc("GET /pair", d.pair)
	mux.HandleFunc("GET /whole", d.wholeText)
	mux.HandleFunc("GET /result", d.result)
	mux.HandleFunc("POST /answer", d.answer)
	mux.Handle("GET /static/", http.FileServerFS(static))
	mux.HandleFunc("GET /static/style.css", style.Serve)
	return mux
}

// A part of a text is in both texts, or in one of them.
type part struct {
	Text  string
	Only  bool
	Grain string
	Long  bool // a shared part that is collapsed
}

// foldFrom is the length in bytes from which a shared part is collapsed, so that differences are
// close together.
const foldFrom = 1200

// parts cuts a text into the passages that it shares with the other text and those that it has
// alone.
func parts(text string, side passage.Side) (list []part) {
	at := 0
	shared := func(to int) {
		if to > at {
			list = append(list, part{Text: text[at:to], Long: to-at > foldFrom})
		}
	}
	for _, s := range side.Only {
		shared(s.From)
		list = append(list, part{Text: text[s.From:s.To], Only: true, Grain: s.Grain.String()})
		at = s.To
	}
	shared(len(text))
	return list
}

// A sheetView is the data of the page's template.
type sheetView struct {
	Title    string
	Form     string
	Answered int
	Of       int
	Data     any
	Error    string
	Last     *answeredPair // the pair that was answered before this page
}

// An answeredPair is what the gate said of a pair that has an answer.
type answeredPair struct {
	N      int
	Gate   string
	Answer Answer
}

// A pairView is a pair as it is shown.
type pairView struct {
	N       int // from 1
	Pair    *Pair
	A, B    []part
	Before  int // the previous pair; 0: there is none
	After   int
	Answer  Answer
	Differs *dedup.Difference
	Whole   bool
}

func (d *Server) render(w http.ResponseWriter, status int, name string, v sheetView) {
	v.Form, v.Of = d.form, len(d.sample.Pairs)
	for i := range d.sample.Pairs {
		if d.sheet.Of(&d.sample.Pairs[i]) != "" {
			v.Answered++
		}
	}
	var b bytes.Buffer
	if err := d.pages.ExecuteTemplate(&b, name, v); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	w.Write(b.Bytes()) // a client that stopped reading gets no error
}

func (d *Server) fail(w http.ResponseWriter, status int, what string) {
	d.render(w, status, "fault", sheetView{Title: "This did not work", Error: what})
}

// next redirects to the first pair without an answer after the one that was asked.
func (d *Server) next(w http.ResponseWriter, r *http.Request) {
	from, _ := strconv.Atoi(r.URL.Query().Get("after")) // 0 if it is not a number
	n := len(d.sample.Pairs)
	after := ""
	if from > 0 {
		after = fmt.Sprintf("&after=%d", from)
	}
	for i := range n {
		at := (max(from, 0) + i) % n
		if d.sheet.Of(&d.sample.Pairs[at]) == "" {
			http.Redirect(w, r, fmt.Sprintf("/pair?n=%d%s", at+1, after), http.StatusSeeOther)
			return
		}
	}
	http.Redirect(w, r, "/result"+strings.Replace(after, "&", "?", 1), http.StatusSeeOther)
}

// last returns the pair that was answered before the page that is asked for; nil: none was.
func (d *Server) last(r *http.Request) *answeredPair {
	n, err := strconv.Atoi(r.URL.Query().Get("after"))
	if err != nil || n < 1 || n > len(d.sample.Pairs) {
		return nil
	}
	p := &d.sample.Pairs[n-1]
	if answer := d.sheet.Of(p); answer != "" {
		return &answeredPair{n, p.Gate, answer}
	}
	return nil
}

// asked returns the pair with a number.
func (d *Server) asked(w http.ResponseWriter, text string) (int, bool) {
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > len(d.sample.Pairs) {
		d.fail(w, http.StatusNotFound, fmt.Sprintf("there is no such pair: want 1 to %d", len(d.sample.Pairs)))
		return 0, false
	}
	return n, true
}

func (d *Server) pair(w http.ResponseWriter, r *http.Request) {
	n, ok := d.asked(w, r.URL.Query().Get("n"))
	if !ok {
		return
	}
	p := &d.sample.Pairs[n-1]
	v := pairView{N: n, Pair: p, Answer: d.sheet.Of(p), Before: n - 1, Differs: p.Differs, Whole: d.whole != nil}
	if n < len(d.sample.Pairs) {
		v.After = n + 1
	}
	var c passage.Comparison
	if !p.Lost() { // else all that the other side has would be marked as what it has alone
		c = passage.CompareByGrain(p.A.Text, p.B.Text)
	}
	v.A, v.B = parts(p.A.Text, c.Here), parts(p.B.Text, c.There)
	d.render(w, http.StatusOK, "pair", sheetView{Title: fmt.Sprintf("Pair %d", n), Data: v, Last: d.last(r)})
}

// wholeText shows all text of a page.
func (d *Server) wholeText(w http.ResponseWriter, r *http.Request) {
	n, ok := d.asked(w, r.URL.Query().Get("n"))
	if !ok {
		return
	}
	side := d.sample.Pairs[n-1].A
	if r.URL.Query().Get("side") == "b" {
		side = d.sample.Pairs[n-1].B
	}
	if d.whole == nil {
		d.fail(w, http.StatusNotFound, "the bytes of pages are not there")
		return
	}
	text, err := d.whole(r.Context(), side.URL)
	if err != nil {
		d.fail(w, http.StatusNotFound, fmt.Sprintf("the bytes of %s: %v", side.URL, err))
		return
	}
	d.render(w, http.StatusOK, "whole", sheetView{Title: "The whole page", Data: map[string]any{"N": n, "URL": side.URL, "Text": text}})
}

func (d *Server) answer(w http.ResponseWriter, r *http.Request) {
	n, ok := d.asked(w, r.PostFormValue("n"))
	if !ok {
		return
	}
	if err := d.sheet.Answer(&d.sample.Pairs[n-1], Answer(r.PostFormValue("answer"))); err != nil {
		d.fail(w, http.StatusBadRequest, err.Error())
		return
	}
	http.Redirect(w, r, fmt.Sprintf("/?after=%d", n), http.StatusSeeOther)
}

func (d *Server) result(w http.ResponseWriter, r *http.Request) {
	d.render(w, http.StatusOK, "result", sheetView{Title: "What the answers say", Data: d.sheet.Estimate(), Last: d.last(r)})
}
