package fetch

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zlib"
	"github.com/klauspost/compress/zstd"

	"gatecrawl.example/gatecrawl/testserver/slow"
)

// encodings by the name that Content-Encoding has for them; "raw deflate" is
// sent as deflate.
var encodings = map[string]func(w io.Writer) io.WriteCloser{
	"gzip":        func(w io.Writer) io.WriteCloser { return gzip.NewWriter(w) },
	"br":          func(w io.Writer) io.WriteCloser { return brotli.NewWriterLevel(w, 5) },
	"deflate":     func(w io.Writer) io.WriteCloser { return zlib.NewWriter(w) },
	"raw deflate": func(w io.Writer) io.WriteCloser { z, _ := flate.NewWriter(w, 5); return z },
	"zstd":        func(w io.Writer) io.WriteCloser { z, _ := zstd.NewWriter(w, zstd.WithEncoderConcurrency(1)); return z },
}

func encode(name string, body []byte) []byte {
	var b bytes.Buffer
	w := encodings[name](&b)
	w.Write(body)
	w.Close()
	return b.Bytes()
}

// serveCoded serves body under a Content-Encoding.
func serveCoded(t testing.TB, name string, body []byte) string {
	return serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Encoding", strings.TrimPrefix(name, "raw "))
		w.Write(body)
	})
}

func TestBodiesAreDecoded(t *testing.T) {
	f := newFetcher(t, Options{})
	for name := range encodings {
		for _, size := range []int{0, 1, 100, 30 << 10, 1 << 20} {
			want := text(size)
			coded := encode(name, want)
			r := mustFetch(t, f, serveCoded(t, name, coded)+"/")
			if !bytes.Equal(r.Body, want) || r.Truncated || r.Wire != int64(len(coded)) {
				t.Errorf("%s of %d bytes: got %d bytes, truncated %v, wire %d of %d",
					name, size, len(r.Body), r.Truncated, r.Wire, len(coded))
			}
		}
	}
}

// text returns n bytes that compress as pages do.
func text(n int) []byte {
	var b bytes.Buffer
	for i := 0; b.Len() < n; i++ {
		fmt.Fprintf(&b, "<p>line %d of %d, and %x more words</p>\n", i, n, i*i*2654435761)
	}
	return b.Bytes()[:n]
}

func TestEncodingsUponEachOther(t *testing.T) {
	want := text(5000)
	body := encode("br", encode("gzip", want))
	r := mustFetch(t, newFetcher(t, Options{}), serveCoded(t, "gzip, br", body)+"/")
	if !bytes.Equal(r.Body, want) {
		t.Errorf("got %d bytes, want %d", len(r.Body), len(want))
	}
	_, err := newFetcher(t, Options{}).Fetch(t.Context(), mustParse(t, serveCoded(t, "gzip, br, gzip", body)+"/"))
	wantError(t, err, PhaseBody, true, "3 encodings upon each other")
}

func TestWhatWasNeverEncodedIsPassedOn(t *testing.T) {
	for _, name := range []string{"gzip", "zstd", "identity", "utf-8", "none", ""} {
		r := mustFetch(t, newFetcher(t, Options{}), serveCoded(t, name, []byte("plain words"))+"/")
		if string(r.Body) != "plain words" || r.Truncated {
			t.Errorf("%s: got %q, truncated %v", name, r.Body, r.Truncated)
		}
	}
	for _, name := range []string{"br", "deflate", "gzip, br"} {
		for _, page := range []string{"<!DOCTYPE html><p>a", "<HTML><p>a", "<?xml version='1.0'?><p/>", "<!-- a --><p>"} {
			r := mustFetch(t, newFetcher(t, Options{}), serveCoded(t, name, []byte(page))+"/")
			if string(r.Body) != page || r.Truncated {
				t.Errorf("%s: got %q, truncated %v", name, r.Body, r.Truncated)
			}
		}
	}
}

func TestWhatStandsBehindAGzipMemberIsLeftOut(t *testing.T) {
	want := text(1 << 10)
	for _, behind := range []string{"\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00", "rubbish behind it", strings.Repeat("rubbish", 10<<10)} {
		body := append(encode("gzip", want), behind...)
		r := mustFetch(t, newFetcher(t, Options{}), serveCoded(t, "gzip", body)+"/")
		if !bytes.Equal(r.Body, want) || r.Truncated {
			t.Errorf("%d bytes behind: got %d bytes, truncated %v; want %d", len(behind), len(r.Body), r.Truncated, len(want))
		}
	}
}

func TestBrokenStreamsAreKeptAsFarAsTheyCame(t *testing.T) {
	want := text(1 << 20)
	for name := range encodings {
		coded := encode(name, want)
		for kind, body := range map[string][]byte{
			"cut":   coded[:len(coded)/2],
			"wrong": append(bytes.Clone(coded[:len(coded)/2]), bytes.Repeat([]byte{0xff, 0x00, 0xa5}, len(coded))...),
		} {
			r, err := newFetcher(t, Options{}).Fetch(t.Context(), mustParse(t, serveCoded(t, name, body)+"/"))
			if err != nil {
				t.Errorf("%s %s: %v", kind, name, err)
				continue
			}
			if !r.Truncated || len(r.Body) == 0 || kind == "cut" && !bytes.HasPrefix(want, r.Body) {
				t.Errorf("%s %s: %d bytes, truncated %v", kind, name, len(r.Body), r.Truncated)
			}
		}
		_, err := newFetcher(t, Options{}).Fetch(t.Context(), mustParse(t, serveCoded(t, name, coded[:4])+"/"))
		wantError(t, err, PhaseBody, true, "read body: ")
	}
}

// A bomb of 64 MiB must not cost more than a body of the largest size does:
// that, half of it while it grows, and the decoder's window.
func TestBombsCostAtMostTheLimit(t *testing.T) {
	slow.Test(t, "writes bombs of 64 MiB")
	const limit = 4 << 20
	bombs := make(map[string][]byte)
	for name := range encodings {
		bombs[name] = encode(name, make([]byte, 64<<20))
	}
	for _, pair := range []string{"gzip, gzip", "gzip, br", "br, zstd", "zstd, deflate"} { // a bomb within a bomb
		inner, outer, _ := strings.Cut(pair, ", ")
		bombs[pair] = encode(outer, bombs[inner])
	}
	for name, bomb := range bombs {
		f := newFetcher(t, Options{MaxBody: limit})
		u := mustParse(t, serveCoded(t, name, bomb)+"/")

		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		r, err := f.Fetch(t.Context(), u)
		runtime.ReadMemStats(&after)
		if err != nil || len(r.Body) != limit || !r.Truncated {
			t.Fatalf("%s: %v, %v", name, r, err)
		}
		// TotalAlloc counts every doubling on the way, the decoder's window,
		// and the server's side.
		spent := after.TotalAlloc - before.TotalAlloc
		t.Logf("%s: bomb of %d bytes, %d read, %d KiB allocated", name, len(bomb), r.Wire, spent>>10)
		if spent > 3*limit+16<<20 {
			t.Errorf("%s: allocated %d bytes for a limit of %d", name, spent, limit)
		}
	}
}

func TestASitemapMayBeLongerThanAPage(t *testing.T) {
	o := Options{MaxBody: 1 << 10, MaxSitemap: 2 << 10}
	for start, length := range map[string]int{
		"<urlset>":              2 << 10,
		"<?xml?><sitemapindex>": 2 << 10,
		"http://a.example/\n":   2 << 10,
		"<rss>":                 1 << 10,
		"<p>":                   1 << 10,
	} {
		body := []byte(start + strings.Repeat("http://a.example/\n", 1<<10))
		for name := range encodings {
			r, err := newFetcher(t, o).Fetch(t.Context(), mustParse(t, serveCoded(t, name, encode(name, body))+"/"))
			if err != nil || !r.Truncated || !bytes.Equal(r.Body, body[:length]) {
				t.Errorf("%s, %s...: %d bytes, %v; want %d", name, start, len(r.Body), err, length)
			}
		}
		file := newFetcher(t, Options{MaxRobots: 1 << 10}).Robots(t.Context(), serveCoded(t, "gzip", encode("gzip", body)))
		if len(file.Body) > 1<<10 {
			t.Errorf("robots.txt that starts %s has %d bytes, want 1,024 at most", start, len(file.Body))
		}
	}
}

func TestEndlessEmptyBlocksEnd(t *testing.T) {
	empty := map[string][]byte{
		"gzip": encode("gzip", nil),
		"zstd": {0x50, 0x2a, 0x4d, 0x18, 4, 0, 0, 0, 'j', 'u', 'n', 'k'},
	}
	for name, block := range empty {
		block = bytes.Repeat(block, 4096)
		origin := serve(t, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Encoding", name)
			for {
				if _, err := w.Write(block); err != nil {
					return
				}
			}
		})
		const limit = 1 << 20
		r, err := newFetcher(t, Options{MaxBody: limit}).Fetch(t.Context(), mustParse(t, origin+"/"))
		if err != nil || !r.Truncated || r.Wire > limit+wireSlack {
			t.Errorf("%s: %+v, %v", name, r, err)
		}
	}
}

func TestReadUpToNeverHoldsMore(t *testing.T) {
	for _, n := range []int64{1, 100, 64 << 10, 1 << 20, 3<<20 + 7} {
		asked := int64(0)
		b, err := readUpTo(endless{}, nil, n, func(n int64) error { asked = n; return nil })
		if err != nil || int64(len(b)) != n || int64(cap(b)) > n+n/4+4096 || int64(cap(b)) < asked || asked < n {
			t.Errorf("readUpTo(%d): len %d, cap %d, asked for %d, %v", n, len(b), cap(b), asked, err)
		}
	}
}

type endless struct{}

func (endless) Read(p []byte) (int, error) { return min(len(p), 1000), nil }

func FuzzBody(f *testing.F) {
	for name := range encodings {
		f.Add(name, encode(name, text(300)))
	}
	f.Fuzz(func(t *testing.T, name string, body []byte) {
		o := Defaults()
		j := newJob(&o, mustParse(t, "http://h/"), limits{1 << 16, 1 << 16})
		ctx := j.start(context.Background())
		defer j.stop()
		req, _ := http.NewRequestWithContext(ctx, "GET", "http://h/", nil)
		err := j.read(&http.Response{
			Header:        http.Header{"Content-Encoding": {name}},
			Body:          io.NopCloser(bytes.NewReader(body)),
			ContentLength: -1,
			Request:       req,
		})
		if err == nil && int64(len(j.answer.Body)) > j.limits.body {
			t.Errorf("read %d bytes, limit %d", len(j.answer.Body), j.limits.body)
		}
		if time.Now().After(j.end) {
			t.Error("took longer than a request may")
		}
	})
}

// A server, or a proxy before it, may send a part of a page that nobody asked for a part of.
func TestAPartThatNobodyAskedForIsCut(t *testing.T) {
	for is, cut := range map[string]bool{
		"bytes 0-10/11":  false,
		"bytes 0-10/400": true,
		"bytes 5-15/16":  true,
		"bytes 0-10/*":   true,
		"":               true,
	} {
		r := mustFetch(t, newFetcher(t, Options{}), serve(t, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Range", is)
			w.WriteHeader(http.StatusPartialContent)
			w.Write([]byte("plain words"))
		})+"/")
		if string(r.Body) != "plain words" || r.Truncated != cut {
			t.Errorf("%q: got %q, truncated %v, want %v", is, r.Body, r.Truncated, cut)
		}
	}
}
