package store

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"go.etcd.io/bbolt"

	"gatecrawl.example/gatecrawl/dedup"
	"gatecrawl.example/gatecrawl/frontier"
	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/purify"
)

const linkedPages = 40

// linkedJob makes a job of pages that link to pages which wait, and of which hosts,
// urls and queue lie in files.
func linkedJob(t *testing.T, dir string) {
	t.Helper()
	linkedJobOf(t, dir, linkedPages)
	inFiles(t, dir)
}

// linkedJobOf makes a job of n such pages; hosts, urls and queue are in its log.
func linkedJobOf(t *testing.T, dir string, n int) {
	t.Helper()
	o := testOptions()
	s, err := Open(dir, o)
	if err != nil {
		t.Fatal(err)
	}
	var cs []frontier.Candidate
	for i := range n {
		u, err := weburl.Parse(fmt.Sprintf("http://h%d.test/%d/", i%7, i))
		if err != nil {
			t.Fatal(err)
		}
		c := frontier.Candidate{URL: u}
		c.Signals.Seed = 10 // before all that it links to
		cs = append(cs, c)
	}
	if _, err := s.Add(t.Context(), cs); err != nil {
		t.Fatal(err)
	}
	for range n {
		l, err := s.leaseURL(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Settle(t.Context(), linkedPage(t, l)); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

// linkedPage is a kept page with its own document and eight links.
func linkedPage(t *testing.T, l frontier.Lease) *page.Visit {
	v := claimed(l)
	words := rand.New(rand.NewPCG(uint64(len(l.URL.String())), dedup.SignText(l.URL.String()).SimHash))
	view := purify.DocView{URL: l.URL.String(), Title: "A page"}
	var body strings.Builder
	for range 300 {
		fmt.Fprintf(&body, "word%d ", words.IntN(10_000))
	}
	view.Body = body.String()
	for i := range 8 {
		ref := fmt.Sprintf("waiting-%d", i)
		to, err := l.URL.Parse(ref)
		if err != nil {
			t.Fatal(err)
		}
		view.Links = append(view.Links, purify.Link{URL: ref})
		v.Links = append(v.Links, frontier.Candidate{URL: to, From: l.URL.Key()})
	}
	packed := page.PackView(&view)
	v.View = packed
	*v.Sign = dedup.SignView(dedup.DigestOf([]byte(l.URL.String())), &view)
	v.Page.Digest, v.Page.SimHash = v.Sign.Bytes.String(), fmt.Sprintf("%016x", v.Sign.SimHash)
	return v
}

// whole is what of a job must outlive the loss of its queue.
func whole(t *testing.T, dir string) (documents []string, totals page.Totals) {
	t.Helper()
	s := openToRead(t, dir)
	defer s.Close()
	err := s.Pages(t.Context(), 1, func(p page.Record) error {
		documents = append(documents, fmt.Sprintf("%d %s %s", p.Seq, p.URL, p.Digest))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return documents, s.Totals()
}

func TestADamagedTableIsNamedAndMended(t *testing.T) {
	t.Parallel()
	parent := t.TempDir()
	linkedJob(t, parent)
	documents, before := whole(t, parent)
	if len(documents) != linkedPages || before.Queued != 8*linkedPages {
		t.Fatalf("%d documents and %d urls in the queue, want %d and %d", len(documents), before.Queued, linkedPages, 8*linkedPages)
	}
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	flip := func(at func(size int) int) func([]byte) []byte {
		return func(b []byte) []byte { b[at(len(b))] ^= 1 << r.IntN(8); return b }
	}
	for _, c := range []struct {
		name   string
		damage func([]byte) []byte // nil: the file goes
	}{
		{"a byte at the start", flip(func(int) int { return 3 })},
		{"a byte somewhere", flip(r.IntN)},
		{"a byte of the index", flip(func(n int) int { return n - 40 })},
		{"a byte of the tail", flip(func(n int) int { return n - 20 })},
		{"cut short", func(b []byte) []byte { return b[:len(b)/2] }},
		{"nothing left", func(b []byte) []byte { return nil }},
		{"no file", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			if err := os.CopyFS(dir, os.DirFS(parent)); err != nil {
				t.Fatal(err)
			}
			files, err := filepath.Glob(filepath.Join(dir, "runs", "*.run"))
			if err != nil || len(files) == 0 {
				t.Fatalf("files %v, %v; want some", files, err)
			}
			for _, path := range files {
				b, err := os.ReadFile(path)
				if err != nil {
					t.Fatal(err)
				}
				if c.damage == nil {
					err = os.Remove(path)
				} else {
					err = os.WriteFile(path, c.damage(bytes.Clone(b)), 0o644)
				}
				if err != nil {
					t.Fatal(err)
				}
			}
			if !damaged(t, dir) {
				t.Error("nothing is found to be wrong")
			}
			told := repaired(t, dir)
			if !strings.Contains(told, filepath.Base(files[0])) || !strings.Contains(told, "are known") {
				t.Errorf("told %q, want the file and how many addresses there are", told)
			}
			got, after := whole(t, dir)
			if !slices.Equal(got, documents) {
				t.Errorf("%d documents are there, want %d", len(got), len(documents))
			}
			if after.Seen != before.Seen || after.Queued != before.Queued {
				t.Errorf("%d urls are known and %d queued, want %d and %d as before; told %q", after.Seen, after.Queued, before.Seen, before.Queued, told)
			}
		})
	}
}

func TestATableWhoseListOfFilesIsGoneIsFoundAgain(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	linkedJob(t, dir)
	documents, before := whole(t, dir)
	err := inFile(dir, func(tx *bbolt.Tx) error { return tx.Bucket([]byte("kv.own")).Put([]byte("runs"), []byte("{")) })
	if err != nil {
		t.Fatal(err)
	}
	if told := repaired(t, dir); !strings.Contains(told, "the list of them is gone") {
		t.Errorf("told %q, want the list", told)
	}
	got, after := whole(t, dir)
	if !slices.Equal(got, documents) || after.Seen != before.Seen || after.Queued != before.Queued {
		t.Errorf("%d documents, %d urls, %d queued; want %d, %d and %d", len(got), after.Seen, after.Queued, len(documents), before.Seen, before.Queued)
	}
}
