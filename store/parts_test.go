package store

import (
	"crypto/sha256"
	"os"
	"testing"

	"gatecrawl.example/gatecrawl/cputime"
	"gatecrawl.example/gatecrawl/dedup/parts"
	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/store/kv"
)

// TestCostOfFindParts searches a copy of the job in GATECRAWL_PARTS_JOB again for pages that are parts of
// others, and prints the processor time that it took, and a hash of the rows that it found.
func TestCostOfFindParts(t *testing.T) {
	job := os.Getenv("GATECRAWL_PARTS_JOB")
	if job == "" {
		t.Skip("set GATECRAWL_PARTS_JOB to the folder of a job: it is copied")
	}
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(job)); err != nil {
		t.Fatal(err)
	}
	o := DefaultOptions()
	o.Parts = true
	s, err := Open(dir, o)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := parts.Repair(t.Context(), s.kv); err != nil {
		t.Fatal(err)
	}
	before := cputime.Used()
	pairs, err := s.FindParts(t.Context())
	took := cputime.Used() - before
	if err != nil {
		t.Fatal(err)
	}
	rows, sides := sha256.New(), 0
	err = s.kv.View(t.Context(), func(r kv.Reader) error {
		for e, err := range r.Scan(parts.TableParts, nil, nil) {
			if err != nil {
				return err
			}
			rows.Write(e.Key)
			rows.Write(e.Value)
			partOf, contains, err := parts.Of(r, page.Seq(e.Key), func(uint64) (string, error) { return "", nil })
			if err != nil {
				return err
			}
			sides += len(partOf) + len(contains)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("rows: %x; pages have %d others", rows.Sum(nil)[:8], sides)
	kept := s.Totals().New
	t.Logf("%d pairs among %d kept pages: %v of processor time, %.3f ms a kept page", pairs, kept, took, took.Seconds()*1000/float64(kept))
}
