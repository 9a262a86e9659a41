package store

import (
	"os"
	"testing"

	"gatecrawl.example/gatecrawl/cputime"
	"gatecrawl.example/gatecrawl/dedup/parts"
)

// TestCostOfFindParts searches a copy of the job in GATECRAWL_PARTS_JOB again for pages that are parts of
// others, and prints the processor time that it took.
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
	kept := s.Totals().New
	t.Logf("%d pairs among %d kept pages: %v of processor time, %.3f ms a kept page", pairs, kept, took, took.Seconds()*1000/float64(kept))
}
