package judge

import (
	"context"
	"fmt"
	"html"
	"math"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gatecrawl.example/gatecrawl"
	"gatecrawl.example/gatecrawl/control/guard"
	"gatecrawl.example/gatecrawl/corpus/labelled"
	"gatecrawl.example/gatecrawl/dedup/exam"
	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/purify"
)

// A made job has rows that a test made.
type made []gatecrawl.Row

func (m made) Rows(_ context.Context, _ gatecrawl.Wanted, fn func(*gatecrawl.Row) error) error {
	for i := range m {
		r := m[i]
		if err := fn(&r); err != nil {
			return err
		}
	}
	return nil
}

func (m *made) add(r page.Record, body string) {
	r.Seq = uint64(len(*m) + 1)
	row := gatecrawl.Row{Page: r}
	if body != "" {
		row.View = page.PackView(&purify.DocView{Title: "title of " + r.URL, Body: body})
	}
	*m = append(*m, row)
}

func text(seed uint64, words int) []string {
	r := rand.New(rand.NewPCG(seed, 1))
	list := make([]string, words)
	for i := range list {
		list[i] = fmt.Sprintf("w%d", r.IntN(5000))
	}
	return list
}

// madeJob has 900 documents, 300 copies of them, some of which are not copies, and 60 documents
// that are the same as an earlier one and were kept. "same" in a URL says which pages are the same.
func madeJob() (m made, wrong, missed int) {
	for i := range 900 {
		m.add(page.Record{URL: fmt.Sprintf("http://a.example/%d", i), Verdict: page.VerdictNew}, strings.Join(text(uint64(i), 120), " "))
	}
	for i := range 300 {
		p := page.Record{Verdict: page.VerdictCopy, Of: m[i].Page.URL, Level: 3 + i%3, Similarity: 1}
		body := text(uint64(i), 120)
		truth := "same"
		if p.Level == 5 {
			p.Similarity = .8 + .0002*float64(i)*3
			copy(body[60:], text(uint64(5000+i), 10))
			if i%6 == 5 && p.Similarity < .9 {
				truth, wrong = "other", wrong+1
			}
		}
		p.URL = fmt.Sprintf("http://b.example/%s/%d", truth, i)
		m.add(p, strings.Join(body, " "))
	}
	for i := 300; i < 360; i++ {
		body := text(uint64(i), 120)
		copy(body, text(uint64(9000+i), 30))
		truth := "other"
		if i%2 == 0 {
			truth, missed = "same", missed+1
		}
		m.add(page.Record{URL: fmt.Sprintf("http://c.example/%s/%d", truth, i), Verdict: page.VerdictNew}, strings.Join(body, " "))
	}
	m.add(page.Record{URL: "http://a.example/image", Verdict: page.VerdictNew}, "...")
	return m, wrong, missed
}

func draw(t *testing.T, m made, n int) *Sample {
	t.Helper()
	s, err := Draw(context.Background(), m, n, 1, nil)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestAnEstimateHasTheTruthInItsBounds(t *testing.T) {
	m, wrong, missed := madeJob()
	for _, n := range []int{40, 150, 5000} {
		s := draw(t, m, n)
		sheet := &Sheet{at: make(map[[2]string]int), head: head{Strata: s.Strata, Alone: s.Alone, Bare: s.Bare}}
		for i := range s.Pairs {
			a := Not
			if strings.Contains(s.Pairs[i].A.URL, "/same/") {
				a = Same
			}
			sheet.put(line{A: s.Pairs[i].A, B: s.Pairs[i].B, Answer: a, Stratum: s.Pairs[i].Stratum})
		}
		e := sheet.Estimate()
		precision := 1 - float64(wrong)/300
		recall := float64(300-wrong) / float64(300-wrong+missed)
		if p := e.Precision; p.Low > precision || p.High < precision || n == 5000 && p.High-p.Low > 1e-9 {
			t.Errorf("of %d pairs: precision %+v, it is %.3f", len(s.Pairs), p, precision)
		}
		if r := e.Recall; r.Low > recall || r.High < recall || n == 5000 && r.High-r.Low > 1e-9 {
			t.Errorf("of %d pairs: recall %+v, it is %.3f", len(s.Pairs), r, recall)
		}
		pages := float64(len(m)) // of which most are like no other
		for _, of := range []struct {
			name string
			got  exam.Interval
			want float64
		}{{"lost", e.Lost, float64(wrong) / pages}, {"missed", e.Missed, float64(missed) / pages}} {
			if of.got.Low > of.want+1e-9 || of.got.High < of.want-1e-9 || n == 5000 && math.Abs(of.got.Value-of.want) > 1e-9 {
				t.Errorf("of %d pairs: %s %+v, it is %.4f", len(s.Pairs), of.name, of.got, of.want)
			}
		}
		if e.Copies != 300 || s.Bare != 1 {
			t.Errorf("%d copies, %d pages without a word, want 300 and 1", e.Copies, s.Bare)
		}
		if n < 5000 && len(s.Pairs) != n {
			t.Errorf("%d pairs drawn, want %d", len(s.Pairs), n)
		}
	}
}

// The text of a document of an earlier crawl is not in the job, and a page of the job with its URL is
// another one.
func TestACopyOfADocumentOfAnEarlierCrawlIsNotAskedAbout(t *testing.T) {
	var m made
	m.add(page.Record{URL: "http://a.example/1", Verdict: page.VerdictNew}, strings.Join(text(1, 50), " "))
	m.add(page.Record{URL: "http://a.example/2", Verdict: page.VerdictCopy, Level: 3, Of: "http://a.example/1", Archive: "earlier"}, "")
	m.add(page.Record{URL: "http://a.example/3", Verdict: page.VerdictCopy, Level: 3, Of: "http://a.example/1"}, "")
	s := draw(t, m, 10)
	if len(s.Pairs) != 1 || s.Pairs[0].A.URL != "http://a.example/3" || s.Known != 1 {
		t.Errorf("asked about %+v, left out %d; want the copy of the job's own page, and 1 left out", s.Pairs, s.Known)
	}
}

func TestALargerSampleHasTheSmallerOne(t *testing.T) {
	m, _, _ := madeJob()
	small, large := draw(t, m, 40), draw(t, m, 400)
	have := make(map[[2]string]bool)
	for _, p := range large.Pairs {
		have[key(p.A.URL, p.B.URL)] = true
	}
	for _, p := range small.Pairs {
		if !have[key(p.A.URL, p.B.URL)] {
			t.Errorf("the sample of 400 lacks %s beside %s of the sample of 40", p.A.URL, p.B.URL)
		}
	}
	again := draw(t, m, 40)
	if !slices.EqualFunc(small.Pairs, again.Pairs, func(a, b Pair) bool { return a.A == b.A && a.B == b.B }) {
		t.Error("the same job gave other pairs")
	}
}

func TestUnsureAndMissingAnswersWidenTheBounds(t *testing.T) {
	s := Stratum{Copy: true, Pages: 100}
	sure := Estimated([]Tally{{Stratum: s, Same: 9, Not: 1}}, 0)
	unsure := Estimated([]Tally{{Stratum: s, Same: 9, Not: 1, Unsure: 5}}, 0)
	if unsure.Precision.Value != sure.Precision.Value || unsure.Precision.Low >= sure.Precision.Low || unsure.Precision.High < sure.Precision.High {
		t.Errorf("with unsure answers precision is %+v, without %+v: want the same value in wider bounds", unsure.Precision, sure.Precision)
	}
	open := Estimated([]Tally{{Stratum: s, Same: 9, Not: 1}, {Stratum: Stratum{Copy: true, Pages: 300}}}, 0)
	if p := open.Precision; p.Low > .25 || p.High < .75 || p.Value != .9 {
		t.Errorf("with 300 of 400 pages not asked about precision is %+v", p)
	}
}

func TestAnswersStayAndEvalReadsThem(t *testing.T) {
	m, _, _ := madeJob()
	s := draw(t, m, 20)
	name := filepath.Join(t.TempDir(), "judged.jsonl")
	sheet, err := OpenSheet(name, s)
	if err != nil {
		t.Fatal(err)
	}
	s.Pairs[3].A.Text = ""
	for i, a := range []Answer{Same, Not, Unsure, Same, Not, Same} {
		if err := sheet.Answer(&s.Pairs[i], a); err != nil {
			t.Fatal(err)
		}
	}
	if err := sheet.Answer(&s.Pairs[0], Not); err != nil { // a changed answer
		t.Fatal(err)
	}
	if err := sheet.Answer(&s.Pairs[0], "maybe"); err == nil {
		t.Error("an answer that is none was taken")
	}
	again, err := OpenSheet(name, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := again.Of(&s.Pairs[0]); got != Not || again.Of(&s.Pairs[2]) != Unsure || again.Of(&s.Pairs[6]) != "" {
		t.Errorf("the file says %q of the first pair, want not", got)
	}
	if a, b := sheet.Estimate(), again.Estimate(); a.Precision != b.Precision || a.Answered != 6 || b.Unsure != 1 {
		t.Errorf("the estimate of the file is %+v, want %+v", b, a)
	}
	set, err := labelled.Read(labelled.Options{Label: 1, Sample: 100, Truth: labelled.Reader, Fault: func(err error) { t.Error(err) }}, []string{name}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(set.Test.Asked) != 4 || len(set.Test.Copies) != 1 || set.LeftOut != 3 {
		t.Errorf("eval reads %d pairs, %d copies, leaves out %d lines, want 4, 1 and 3: the head, an unsure one and one without a text",
			len(set.Test.Asked), len(set.Test.Copies), set.LeftOut)
	}
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, b[:len(b)-10], 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := OpenSheet(name, s); err == nil || !strings.Contains(err.Error(), "line 7") {
		t.Errorf("a file that was cut: %v, want its line named", err)
	}
}

// TestTwoJudgesShareAFile: each replaces the whole file with each answer, and would lose the other's.
func TestTwoJudgesShareAFile(t *testing.T) {
	m, _, _ := madeJob()
	s := draw(t, m, 20)
	name := filepath.Join(t.TempDir(), "judged.jsonl")
	var sheets [2]*Sheet
	for i := range sheets {
		var err error
		if sheets[i], err = OpenSheet(name, s); err != nil {
			t.Fatal(err)
		}
	}
	for n, a := range []Answer{Same, Not, Unsure, Same} {
		if err := sheets[n%2].Answer(&s.Pairs[n], a); err != nil {
			t.Fatal(err)
		}
	}
	if err := sheets[0].Answer(&s.Pairs[1], Same); err != nil { // of a pair that the other has answered
		t.Fatal(err)
	}
	again, err := OpenSheet(name, nil)
	if err != nil {
		t.Fatal(err)
	}
	for n, want := range []Answer{Same, Same, Unsure, Same} {
		if got := again.Of(&s.Pairs[n]); got != want {
			t.Errorf("pair %d: the file says %q, want %q", n, got, want)
		}
	}
	if err := os.WriteFile(name, []byte("{}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := sheets[0].Answer(&s.Pairs[5], Same); err == nil || !strings.Contains(err.Error(), "was changed meanwhile") {
		t.Errorf("an answer into a file that is another one now: %v", err)
	}
}

func TestAnswersAboutAnotherJobAreRefused(t *testing.T) {
	m, _, _ := madeJob()
	s := draw(t, m, 20)
	s.Job = "one"
	name := filepath.Join(t.TempDir(), "judged.jsonl")
	sheet, err := OpenSheet(name, s)
	if err != nil {
		t.Fatal(err)
	}
	if err := sheet.Answer(&s.Pairs[0], Same); err != nil {
		t.Fatal(err)
	}
	if _, err := OpenSheet(name, s); err != nil {
		t.Errorf("answers about the same job: %v", err)
	}
	if _, err := OpenSheet(name, &Sample{Job: "another"}); err == nil || !strings.Contains(err.Error(), "another job") {
		t.Errorf("answers about another job: %v, want a refusal", err)
	}
}

func TestAStratumWithoutAnAnswerHasNoShare(t *testing.T) {
	m, _, _ := madeJob()
	s := draw(t, m, 20)
	h, sheet, _ := atDesk(t, s)
	if err := sheet.Answer(&s.Pairs[0], Same); err != nil {
		t.Fatal(err)
	}
	if shown := ask(h, "GET", "/result", "").Body.String(); strings.Contains(shown, "0.500 (0.000 to 1.000)") || !strings.Contains(shown, `<td class="n">-</td>`) {
		t.Errorf("the result page names shares of strata without an answer: %s", shown)
	}
}

// atDesk serves a sample behind a guard, as the command does.
func atDesk(t *testing.T, s *Sample) (http.Handler, *Sheet, string) {
	t.Helper()
	g, err := guard.New("127.0.0.1:8901", "")
	if err != nil {
		t.Fatal(err)
	}
	sheet, err := OpenSheet(filepath.Join(t.TempDir(), "judged.jsonl"), s)
	if err != nil {
		t.Fatal(err)
	}
	whole := func(context.Context, string) (string, error) { return "<script>whole()</script>", nil }
	return g.Wrap(NewServer(s, sheet, g.FormToken(), whole).Handler()), sheet, g.FormToken()
}

func ask(h http.Handler, method, path, form string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, "http://127.0.0.1:8901"+path, strings.NewReader(form))
	if form != "" {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

func TestAPersonAnswersPairByPair(t *testing.T) {
	m, _, _ := madeJob()
	s := draw(t, m, 12)
	h, sheet, token := atDesk(t, s)
	if w := ask(h, "GET", "/result", ""); strings.Contains(w.Body.String(), "Precision") || !strings.Contains(w.Body.String(), "Nothing is answered yet") {
		t.Errorf("the result before the first answer: %d %s", w.Code, w.Body)
	}
	at := ask(h, "GET", "/", "").Header().Get("Location")
	for n := 1; !strings.HasPrefix(at, "/result"); n++ {
		want := fmt.Sprintf("/pair?n=%d", n)
		if n > 1 {
			want += fmt.Sprintf("&after=%d", n-1)
		}
		if at != want || n > 12 {
			t.Fatalf("the next pair is at %s, want %s", at, want)
		}
		shown := ask(h, "GET", at, "").Body.String()
		if n > 1 {
			if last := fmt.Sprintf("Pair %d: the gate: %s. Answered: same.", n-1, html.EscapeString(s.Pairs[n-2].Gate)); !strings.Contains(shown, last) {
				t.Errorf("pair %d does not show %q, of the pair before", n, last)
			}
			_, shown, _ = strings.Cut(shown, "</form>")
		}
		if gate := html.EscapeString(s.Pairs[n-1].Gate); strings.Contains(shown, gate) {
			t.Errorf("pair %d shows what the gate said before the answer: %s", n, gate)
		}
		if w := ask(h, "POST", "/answer", url.Values{"form": {token}, "n": {fmt.Sprint(n)}, "answer": {"same"}}.Encode()); w.Code != http.StatusSeeOther {
			t.Fatalf("an answer: %d %s", w.Code, w.Body)
		}
		if shown := ask(h, "GET", at, "").Body.String(); !strings.Contains(shown, html.EscapeString(s.Pairs[n-1].Gate)) {
			t.Errorf("pair %d does not show what the gate said after the answer", n)
		}
		at = ask(h, "GET", fmt.Sprintf("/?after=%d", n), "").Header().Get("Location")
	}
	if e := sheet.Estimate(); e.Answered != 12 || e.Precision.Value != 1 {
		t.Errorf("%d answers, precision %+v, want 12 and 1", e.Answered, e.Precision)
	}
	if w := ask(h, "GET", at, ""); !strings.Contains(w.Body.String(), "Precision") || !strings.Contains(w.Body.String(), "Pair 12: the gate: ") {
		t.Errorf("the result: %d %s", w.Code, w.Body)
	}
	for _, path := range []string{"/pair?n=13", "/pair?n=0", "/pair?n=x", "/pair"} {
		if w := ask(h, "GET", path, ""); w.Code != http.StatusNotFound {
			t.Errorf("GET %s = %d, want 404", path, w.Code)
		}
	}
}

func TestWhatPagesSaidIsTextOnTheDesk(t *testing.T) {
	evil := "</mark><script>alert(1)</script> \u202e\x07 \"onload=x "
	pair := Pair{
		A: Side{URL: "javascript:alert(1)", Title: evil, Text: evil + "\nshared words stand here"}, B: Side{URL: "http://b.example/", Title: evil, Text: "shared words stand here\n" + evil + evil},
		Stratum: "kept, 0.10 to 0.30",
	}
	h, _, token := atDesk(t, &Sample{Strata: strata(), Pairs: []Pair{pair}})
	for _, path := range []string{"/pair?n=1", "/whole?n=1&side=a", "/result"} {
		w := ask(h, "GET", path, "")
		body := w.Body.String()
		if w.Code != http.StatusOK || strings.Contains(body, "<script>") || strings.Contains(body, `href="javascript:`) || strings.ContainsAny(body, "\u202e\x07") {
			t.Errorf("GET %s = %d, with what the page said as it said it:\n%s", path, w.Code, body)
		}
		if csp := w.Header().Get("Content-Security-Policy"); !strings.Contains(csp, "default-src 'none'") {
			t.Errorf("GET %s has the policy %q", path, csp)
		}
	}
	good := url.Values{"form": {token}, "n": {"1"}, "answer": {"same"}}
	for what, w := range map[string]*httptest.ResponseRecorder{
		"without the token": ask(h, "POST", "/answer", url.Values{"n": {"1"}, "answer": {"same"}}.Encode()),
		"by GET":            ask(h, "GET", "/answer?"+good.Encode(), ""),
	} {
		if w.Code < 400 {
			t.Errorf("an answer %s = %d, want a refusal", what, w.Code)
		}
	}
	r := httptest.NewRequest("GET", "http://evil.example/pair?n=1", nil)
	w := httptest.NewRecorder()
	if h.ServeHTTP(w, r); w.Code != http.StatusMisdirectedRequest {
		t.Errorf("under another name the server answers %d, want 421", w.Code)
	}
}

// A text has nothing alone that could be marked where the other one was not kept.
func TestASideWithoutItsTextMarksNothing(t *testing.T) {
	pair := Pair{A: Side{URL: "http://a.example/", Title: "A"}, B: Side{URL: "http://b.example/", Title: "B", Text: "words that\nboth may have"}, Stratum: "copy"}
	whole := pair
	whole.A.Text = whole.B.Text
	s := &Sample{Strata: strata(), Pairs: []Pair{pair, whole}}
	if n := s.Lost(); n != 1 {
		t.Errorf("%d pairs lack a text, want 1", n)
	}
	h, _, _ := atDesk(t, s)
	body := ask(h, "GET", "/pair?n=1", "").Body.String()
	if !strings.Contains(body, "--dedup mark") {
		t.Errorf("the pair does not say which setting keeps the text of a copy:\n%s", body)
	}
	if body := ask(h, "GET", "/pair?n=2", "").Body.String(); strings.Contains(body, "--dedup mark") {
		t.Errorf("a pair with both texts says how to keep them:\n%s", body)
	}
	if strings.Contains(body, "<mark") || strings.Contains(body, "Marked is") || strings.Contains(body, "side=a") || !strings.Contains(body, "side=b") {
		t.Errorf("the pair marks what nothing was compared with, or leads to the text that was not kept:\n%s", body)
	}
}

// A file that cannot be written is told before somebody has judged a pair.
func TestAFileOfAnswersThatCannotBeIsToldFirst(t *testing.T) {
	if _, err := OpenSheet(filepath.Join(t.TempDir(), "nowhere", "judged.jsonl"), &Sample{}); err == nil {
		t.Error("a sheet in a folder that is not there opens")
	}
}
