package main

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
)

var bg = context.Background()

func decodeLine(r io.Reader, v any) error { return json.NewDecoder(r).Decode(v) }

// newSite serves a front page that links to eight pages of their own, a copy of
// the third, a redirect, a dead link and a page that robots.txt forbids; next to
// it /chain/1, which links to /chain/2 and so on, /app/1 and so on, which
// scripts fill and link to /page/1, /edited, which is the third page with more
// words, /framed/1 and so on, of which most is on all of them, /framed-again, which is the
// ninth with more words, /noindex/1 to /noindex/6, which say noindex, /nofollow, which says nofollow, /digest, which holds all of the third page, /inward, which redirects into a private
// network, and /hang, which never answers.
func newSite() *httptest.Server {
	mux := http.NewServeMux()
	html := func(w http.ResponseWriter, title, body string) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprintf(w, "<!doctype html><html lang=en><head><title>%s</title></head><body><main><h1>%s</h1>\n%s</main></body></html>\n", title, title, body)
	}
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) {
		var b strings.Builder
		for i := range 8 {
			fmt.Fprintf(&b, "<p><a href='/page/%d'>the page number %d</a> %s</p>\n", i+1, i+1, words(uint64(100+i), 20))
		}
		b.WriteString("<p><a href=/copy>copy</a> <a href=/old>old</a> <a href=/missing>missing</a> <a href=/private>private</a></p>")
		html(w, "Front", b.String())
	})
	page := func(w http.ResponseWriter, n string) {
		seed := uint64(0)
		fmt.Sscan(n, &seed)
		html(w, "Page "+n, "<p>"+words(seed, 200)+"</p>")
	}
	mux.HandleFunc("GET /page/{n}", func(w http.ResponseWriter, r *http.Request) { page(w, r.PathValue("n")) })
	mux.HandleFunc("GET /copy", func(w http.ResponseWriter, _ *http.Request) { page(w, "3") })
	var once atomic.Bool
	mux.HandleFunc("GET /once", func(w http.ResponseWriter, r *http.Request) { // what page 3 was, and is gone
		if once.Swap(true) {
			http.NotFound(w, r)
			return
		}
		page(w, "3")
	})
	mux.HandleFunc("GET /edited", func(w http.ResponseWriter, _ *http.Request) {
		html(w, "Page 3", "<p>"+words(3, 200)+" And a last line that was put there later.</p>")
	})
	mux.HandleFunc("GET /digest", func(w http.ResponseWriter, _ *http.Request) {
		html(w, "Digest", "<p>"+words(70, 150)+"</p><p>"+words(3, 200)+"</p><p>"+words(71, 150)+"</p>")
	})
	framed := func(w http.ResponseWriter, n uint64, more string) {
		html(w, fmt.Sprintf("Framed %d", n), fmt.Sprintf("<p>%s</p><p>%s %s</p><p><a href=/framed/%d>next</a></p>", words(900, 150), words(800+n, 80), more, n+1))
	}
	mux.HandleFunc("GET /framed/{n}", func(w http.ResponseWriter, r *http.Request) {
		n := uint64(0)
		fmt.Sscan(r.PathValue("n"), &n)
		framed(w, n, "")
	})
	mux.HandleFunc("GET /framed-again", func(w http.ResponseWriter, _ *http.Request) { framed(w, 9, "a word more") })
	mux.HandleFunc("GET /noindex/{n}", func(w http.ResponseWriter, r *http.Request) {
		n := uint64(0)
		fmt.Sscan(r.PathValue("n"), &n)
		w.Header().Set("X-Robots-Tag", "noindex")
		html(w, fmt.Sprintf("Hidden %d", n), fmt.Sprintf("<p>%s</p><p><a href=/noindex/%d>next</a></p>", words(1200+n, 200), n%6+1))
	})
	mux.HandleFunc("GET /nofollow", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Robots-Tag", "nofollow")
		html(w, "List", "<p>"+words(1300, 200)+"</p><p><a href=/page/1>one</a> <a href=/page/2>two</a></p>")
	})
	mux.HandleFunc("GET /chatty", func(w http.ResponseWriter, _ *http.Request) { // more than it says that it sends
		conn, rw, err := w.(http.Hijacker).Hijack()
		if err != nil {
			panic(err)
		}
		defer conn.Close()
		text := words(7, 60)
		fmt.Fprintf(rw, "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: %d\r\n\r\n%s", len(text), text+text)
		rw.Flush()
	})
	mux.HandleFunc("GET /private", func(w http.ResponseWriter, _ *http.Request) { page(w, "99") })
	mux.Handle("GET /old", http.RedirectHandler("/page/2", http.StatusMovedPermanently))
	mux.HandleFunc("GET /robots.txt", func(w http.ResponseWriter, _ *http.Request) {
		io.WriteString(w, "User-agent: *\nDisallow: /private\n")
	})
	mux.HandleFunc("GET /chain/{n}", func(w http.ResponseWriter, r *http.Request) {
		n := uint64(0)
		fmt.Sscan(r.PathValue("n"), &n)
		html(w, "Chain", fmt.Sprintf("<p>%s</p><p><a href=/chain/%d>next</a></p>", words(1000+n, 100), n+1))
	})
	mux.HandleFunc("GET /app/{n}", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		io.WriteString(w, "<!doctype html><div id=app></div><script src=/app.js></script>")
	})
	mux.HandleFunc("GET /app.js", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/javascript")
		io.WriteString(w, `fetch("/data" + location.pathname).then(r => r.text()).then(s => { document.title = "App"; app.innerHTML = s })`)
	})
	mux.HandleFunc("GET /data/app/{n}", func(w http.ResponseWriter, r *http.Request) {
		n := uint64(0)
		fmt.Sscan(r.PathValue("n"), &n)
		fmt.Fprintf(w, "<p>%s</p><a href='/page/%d'>page</a>", words(500+n, 100), n)
	})
	documents(mux)
	mux.Handle("GET /inward", http.RedirectHandler("http://169.254.169.254/latest/meta-data", http.StatusFound))
	mux.HandleFunc("GET /hang", func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	return httptest.NewServer(mux)
}

// documents serves files whose text cannot be read, and one whose text can.
func documents(mux *http.ServeMux) {
	const docx = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
	wordFile := func(xml string) []byte {
		var b bytes.Buffer
		z := zip.NewWriter(&b)
		f, err := z.Create("word/document.xml")
		if err == nil {
			_, err = io.WriteString(f, xml)
		}
		if err = errors.Join(err, z.Close()); err != nil {
			panic(err) // a buffer takes all
		}
		return b.Bytes()
	}
	whole := wordFile("<document><p><t>" + words(700, 100) + "</t></p></document>")
	key := strings.Repeat("41", 32)
	for name, d := range map[string]struct {
		kind    string
		content []byte
	}{
		"whole.docx":  {docx, whole},
		"cut.docx":    {docx, whole[:len(whole)/2]},
		"broken.pdf":  {"application/pdf", []byte("%PDF-1.7\n1 0 obj\n<< /Type /Catalog\n")},
		"asks.pdf":    {"application/pdf", []byte("%PDF-1.4\nxref\n0 1\n0000000000 65535 f \ntrailer\n<< /Size 1 /ID [<" + key + "> <" + key + ">] /Encrypt << /Filter /Standard /V 1 /R 2 /O <" + key + "> /U <" + key + "> /P -4 >> >>\nstartxref\n9\n%%EOF\n")},
		"picture.png": {"image/png", []byte("\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR")},
	} {
		mux.HandleFunc("GET /documents/"+name, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", d.kind)
			w.Write(d.content)
		})
	}
	mux.HandleFunc("GET /documents/bomb.docx", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", docx)
		w.Write(wordFile("<document>" + strings.Repeat(" ", 16<<20))) // made when asked for: it takes a tenth of a second
	})
	mux.HandleFunc("GET /documents/{$}", func(w http.ResponseWriter, _ *http.Request) {
		io.WriteString(w, "<p>"+words(701, 100)+"</p><a href=whole.docx>a</a> <a href=cut.docx>b</a> <a href=bomb.docx>c</a> <a href=broken.pdf>d</a> <a href=asks.pdf>e</a> <a href=picture.png>f</a>")
	})
}

// words returns a text that is the same for equal seeds and shares nothing with
// others.
func words(seed uint64, n int) string {
	r := rand.New(rand.NewPCG(seed, 1))
	out := make([]string, n)
	for i := range out {
		word := make([]byte, 3+r.IntN(7))
		for j := range word {
			word[j] = byte('a' + r.IntN(26))
		}
		out[i] = string(word)
	}
	return strings.Join(out, " ") + "."
}
