package store

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gatecrawl.example/gatecrawl"
	"gatecrawl.example/gatecrawl/frontier"
	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/store/job"
	"gatecrawl.example/gatecrawl/testserver/slow"
)

// salvaged repairs a job, wants it sound afterwards, and returns what came of it.
func salvaged(t *testing.T, dir string) (done Repaired, told string) {
	t.Helper()
	var all []string
	done, err := Repair(t.Context(), dir, testOptions(), func(b gatecrawl.Breach) error {
		all = append(all, b.Invariant+": "+b.Detail)
		return nil
	})
	told = strings.Join(all, "\n")
	if err != nil {
		t.Fatalf("Repair: %v; told %s", err, told)
	}
	if got := append(found(t, dir), breaches(t, dir)...); len(got) > 0 {
		t.Fatalf("after a repair that told %s the breaches are %q", told, got)
	}
	return done, told
}

// A bbolt file that is cut short has lost its roots and many branches. The documents
// before the cut are in leaves that are whole.
func TestOfAFileThatIsCutShortTheDocumentsBeforeTheCutAreSaved(t *testing.T) {
	slow.Test(t, "salvages ten jobs of 400 documents")
	const documents = 400
	for _, place := range []string{"in the log", "in files"} {
		whole := t.TempDir()
		linkedJobOf(t, whole, documents)
		if place == "in files" {
			inFiles(t, whole)
		}
		size := used(t, filepath.Join(whole, job.FileTables))
		for _, percent := range []int64{60, 70, 80, 85, 95} {
			t.Run(fmt.Sprintf("%d%%, the queue %s", percent, place), func(t *testing.T) {
				dir := t.TempDir()
				if err := os.CopyFS(dir, os.DirFS(whole)); err != nil {
					t.Fatal(err)
				}
				if err := os.Truncate(filepath.Join(dir, job.FileTables), size*percent/100); err != nil {
					t.Fatal(err)
				}
				done, told := salvaged(t, dir)
				t.Logf("%+v", done)
				// Which leaves lie behind the cut differs from run to run: bbolt writes
				// buckets in random order.
				if least := documents * (percent - 40) / 100; done.Documents < least {
					t.Errorf("%d documents are saved, want at least %d of %d; told %s", done.Documents, least, documents, told)
				}
				if done.Documents < documents && done.Lost == 0 && !done.Uncertain {
					t.Errorf("%+v: of %d documents some are lost, and nothing says so", done, documents)
				}
				if place == "in files" && done.Documents+done.Lost != documents {
					t.Errorf("%d saved and %d lost: want %d together, since all URLs are known", done.Documents, done.Lost, documents)
				}
				s := openToRead(t, dir)
				defer s.Close()
				if n := s.Totals(); n.Queued < done.Lost {
					t.Errorf("%d URLs are queued, want at least the %d whose documents are lost", n.Queued, done.Lost)
				}
			})
		}
	}
}

func TestOfAFileWithoutMetaPagesEverythingIsSaved(t *testing.T) {
	t.Parallel()
	for _, place := range []string{"in the log", "in files"} {
		t.Run("the queue "+place, func(t *testing.T) {
			const documents = 100
			dir := t.TempDir()
			linkedJobOf(t, dir, documents)
			if place == "in files" {
				inFiles(t, dir)
			}
			before, totals := whole(t, dir)
			path := filepath.Join(dir, job.FileTables)
			b := read(t, path)
			clear(b[:2*os.Getpagesize()])
			if err := os.WriteFile(path, b, 0o644); err != nil {
				t.Fatal(err)
			}
			done, told := salvaged(t, dir)
			after, now := whole(t, dir)
			if strings.Join(after, "\n") != strings.Join(before, "\n") {
				t.Errorf("%d of %d documents are as they were; told %s", len(after), len(before), told)
			}
			if !done.Uncertain || now.Queued != totals.Queued || now.Seen != totals.Seen {
				t.Errorf("%+v with %d of %d URLs, %d of %d in the queue; want all, and that nobody knows it",
					done, now.Seen, totals.Seen, now.Queued, totals.Queued)
			}
		})
	}
}

// Without its roots a crawl would refuse whatever its pages link to.
func TestTheRootsOfTheScopeAreSavedOrTakenFromTheSeeds(t *testing.T) {
	for _, kept := range []bool{true, false} {
		dir := t.TempDir()
		s, err := Open(dir, testOptions())
		if err != nil {
			t.Fatal(err)
		}
		if kept {
			u, err := weburl.Parse("http://a.test/")
			if err != nil {
				t.Fatal(err)
			}
			if _, err := s.Add(t.Context(), []frontier.Candidate{{URL: u, Root: u.String()}}); err != nil {
				t.Fatal(err)
			}
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		smallJob(t, dir)
		path := filepath.Join(dir, job.FileTables)
		b := read(t, path)
		clear(b[:2*os.Getpagesize()])
		if err := os.WriteFile(path, b, 0o644); err != nil {
			t.Fatal(err)
		}
		_, told := salvaged(t, dir)
		s = openToRead(t, dir)
		got, err := s.Roots()
		if err != nil {
			t.Fatal(err)
		}
		if !slices.ContainsFunc(got, func(u weburl.URL) bool { return u.Host() == "a.test" }) {
			t.Errorf("roots kept: %v: the roots are %q, want a.test's among them; told %s", kept, got, told)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
