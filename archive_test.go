package gatecrawl_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gatecrawl.example/gatecrawl/warc"
)

// answersIn reads the answers of an archive: type, path, status and body of each, in
// the order of the files.
func answersIn(t *testing.T, dir, site string) (got []string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.warc.gz"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		f, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		r, err := warc.NewReader(f, name, warc.DefaultOptions())
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		for {
			rec, err := r.Next()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			if (rec.Type == warc.Request || rec.Type == warc.Response || rec.Type == warc.Revisit) && rec.Fields.Get("WARC-Protocol") != "http/1.1" {
				t.Errorf("the %s of %s came by %q", rec.Type, rec.URL(), rec.Fields.Get("WARC-Protocol"))
			}
			if rec.Type == warc.Info || rec.Type == warc.Request {
				continue
			}
			if rec.Type == warc.Metadata {
				why, err := io.ReadAll(rec)
				if err != nil {
					t.Fatal(err)
				}
				got = append(got, fmt.Sprintf("%s %s %q", rec.Type, strings.TrimPrefix(rec.URL(), site), why))
				continue
			}
			p, err := rec.Payload(1 << 20)
			if err != nil {
				t.Fatal(err)
			}
			if rec.Fields.Get("WARC-IP-Address") != "127.0.0.1" {
				t.Errorf("%s was sent by %q", rec.URL(), rec.Fields.Get("WARC-IP-Address"))
			}
			got = append(got, fmt.Sprintf("%s %s %d %q", rec.Type, strings.TrimPrefix(rec.URL(), site), p.Status, p.Body))
		}
	}
	return got
}

func TestTheArchiveHasEveryAnswerOnce(t *testing.T) {
	w := newWorld(t)
	w.o.Workers = 1 // the order of the seeds
	dir := t.TempDir()
	var err error
	if w.archive, err = warc.OpenArchive(dir, warc.DefaultArchiveOptions()); err != nil {
		t.Fatal(err)
	}
	w.text("/robots.txt", "text/plain", "User-agent: *\nDisallow: /closed\n")
	w.text("/1", "text/plain", "a text")
	w.text("/2", "text/plain", "a text")
	w.mux.HandleFunc("GET /moved", func(rw http.ResponseWriter, r *http.Request) { rw.Header().Set("Location", "/1"); rw.WriteHeader(302) })
	tries := 0
	w.mux.HandleFunc("GET /busy", func(rw http.ResponseWriter, r *http.Request) {
		if tries++; tries < 3 {
			rw.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		fmt.Fprint(rw, "at last")
	})
	newVersioned(w, map[string]string{"/v/1": "a version"})
	w.crawl(t.Context(), "/1", "/2", "/gone", "/closed", "/moved", "/v/1", "/busy")
	w.refetch()
	if err := w.archive.Close(); err != nil {
		t.Fatal(err)
	}
	got := answersIn(t, dir, w.srv.URL)
	want := []string{
		`response /robots.txt 200 "User-agent: *\nDisallow: /closed\n"`,
		`response /1 200 "a text"`,
		`revisit /2 200 ""`,
		`response /gone 404 "404 page not found\n"`,
		`response /moved 302 ""`,
		`response /v/1 200 "<!DOCTYPE html><html><head><title>/v/1</title></head><body>a version</body></html>"`,
		`response /busy 200 "at last"`,
		// and once more
		`revisit /1 200 ""`,
		`revisit /2 200 ""`,
		`revisit /gone 404 ""`,
		`response /moved 302 ""`,
		`revisit /v/1 304 ""`,
		`revisit /busy 200 ""`,
	}
	slices.Sort(got[7:])
	slices.Sort(want[7:])
	if !slices.Equal(got, want) {
		t.Errorf("the archive has\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}
