package store

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.etcd.io/bbolt"

	"gatecrawl.example/gatecrawl/dedup"
	"gatecrawl.example/gatecrawl/frontier"
	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/page"
)

// A page whose bytes are lost leaves the job and is queued again; all others stay.
func TestALostOrAlteredSegmentIsNamedAndRepaired(t *testing.T) {
	whole := t.TempDir()
	smallJob(t, whole)
	for _, c := range []struct {
		name, says string
		damage     func(path string, size int64) error
	}{
		{"a byte is altered", "the record is altered", func(path string, size int64) error {
			f, err := os.OpenFile(path, os.O_WRONLY, 0)
			if err != nil {
				return err
			}
			_, err = f.WriteAt([]byte{0xff, 0xfe}, size-20)
			return errors.Join(err, f.Close())
		}},
		{"the tail is torn", "ends", func(path string, size int64) error { return os.Truncate(path, size-1) }},
		{"the segment is lost", "not there", func(path string, _ int64) error { return os.Remove(path) }},
	} {
		dir := t.TempDir()
		if err := os.CopyFS(dir, os.DirFS(whole)); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(dir, firstSegment)
		i, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := c.damage(path, i.Size()); err != nil {
			t.Fatal(err)
		}
		var warned error
		o := testOptions()
		o.Warn = func(err error) { warned = err }
		s, err := Open(dir, o)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		if cut := c.says != "the record is altered"; (warned != nil) != cut || cut && !strings.Contains(warned.Error(), "--repair") {
			t.Errorf("%s: opening it warns of %v", c.name, warned)
		}
		if got := found(t, dir); len(got) == 0 || !strings.Contains(strings.Join(got, "\n"), "page 1: its bytes") || !strings.Contains(strings.Join(got, "\n"), c.says) {
			t.Errorf("%s: check finds %q", c.name, got)
		}
		if told := repaired(t, dir); !strings.Contains(told, "page 1: ") || !strings.Contains(told, c.says) {
			t.Errorf("%s: repair tells %q", c.name, told)
		}
		if got := found(t, dir); len(got) > 0 {
			t.Errorf("%s: after the repair %q", c.name, got)
		}
		got := addresses(t, dir)
		for u, want := range map[string]string{"a.test/kept": "queued", "b.test/copy": "queued", "c.test/gone": "failed", "d.test/busy": "later"} {
			if got[u] != want {
				t.Errorf("%s: %s is %s, want %s", c.name, u, got[u], want)
			}
		}
	}
}

// A dictionary that is altered, in the job's file or in a segment, is written again or read
// from the other, and no page leaves.
func TestADictionaryIsInTheJobAndInItsSegments(t *testing.T) {
	dir := t.TempDir()
	o := testOptions()
	o.Archive.Train = 8
	s, err := Open(dir, o)
	if err != nil {
		t.Fatal(err)
	}
	settlePages(t, s, 20)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	alter := func() {
		err := inFile(dir, func(tx *bbolt.Tx) error {
			c := tx.Bucket([]byte("meta")).Cursor()
			name := []byte("dictionary ")
			k, v := c.Seek(name)
			if !bytes.HasPrefix(k, name) {
				t.Fatalf("there is no dictionary, but %q", k)
			}
			b := bytes.Clone(v)
			b[500]++
			return tx.Bucket([]byte("meta")).Put(bytes.Clone(k), b)
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	alter()
	if got := found(t, dir); len(got) != 1 || !strings.Contains(got[0], "dictionary") {
		t.Errorf("check finds %q", got)
	}
	repaired(t, dir)
	if got := found(t, dir); len(got) > 0 {
		t.Errorf("after the repair %q", got)
	}
	if documents, _ := whole(t, dir); len(documents) != 20 {
		t.Errorf("%d pages, want 20", len(documents))
	}
}

// settlePages settles pages of a host whose texts have little in common.
func settlePages(t *testing.T, s *Store, n int) {
	t.Helper()
	for i := range n {
		u, err := weburl.Parse(fmt.Sprintf("http://a.test/%d", i))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Add(t.Context(), []frontier.Candidate{{URL: u}}); err != nil {
			t.Fatal(err)
		}
		l, err := s.Next(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		var text strings.Builder
		for j := range 200 {
			fmt.Fprintf(&text, "<p>page%dword%d", i, j)
		}
		sig := dedup.SignText(text.String())
		sig.Bytes = dedup.DigestOf([]byte(text.String()))
		v := &page.Visit{Lease: l, Finished: time.Now(), Sign: &sig, Body: []byte(text.String()), Page: page.Record{
			URL: l.URL.String(), Status: 200, Digest: sig.Bytes.String(),
		}}
		if _, err := s.Settle(t.Context(), v); err != nil {
			t.Fatal(err)
		}
	}
}

// What a commit that failed left in a segment is cut off when the job is opened.
func TestWhatNoCommitNamesIsCutOff(t *testing.T) {
	dir := t.TempDir()
	smallJob(t, dir)
	path := filepath.Join(dir, firstSegment)
	before := read(t, path)
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString("a record that no row names"); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if got := breaches(t, dir); len(got) > 0 { // opens it to be written
		t.Errorf("breaches: %q", got)
	}
	if got := read(t, path); string(got) != string(before) {
		t.Errorf("the segment has %d bytes after the opening, want %d", len(got), len(before))
	}
}
