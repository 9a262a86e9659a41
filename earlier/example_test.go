package earlier_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"gatecrawl.example/gatecrawl"
	"gatecrawl.example/gatecrawl/dedup"
	"gatecrawl.example/gatecrawl/earlier"
)

// noJobs are for sources among which there is no job.
type noJobs struct{}

func (noJobs) IsJob(string) bool                                              { return false }
func (noJobs) Rows(context.Context, string, func(*gatecrawl.Row) error) error { return nil }

// An index of an earlier crawl says what that has, by digests alone.
func Example() {
	dir, err := os.MkdirTemp("", "known")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	index := filepath.Join(dir, "2024.cdxj")
	line := `org,example)/ 20240501120000 {"url": "https://example.org/", "status": "200", "digest": "sha1:W7RD5QU26IVQWTSB3IY6Q2GVOITBEHEE"}`
	if err := os.WriteFile(index, []byte(line+"\n"), 0o600); err != nil {
		panic(err)
	}
	known, err := earlier.Open(filepath.Join(dir, "known"), earlier.Options{Dedup: dedup.DefaultOptions()})
	if err != nil {
		panic(err)
	}
	defer known.Close()
	if _, _, err := known.Add(context.Background(), index, noJobs{}, func(err error) { fmt.Println(err) }); err != nil {
		panic(err)
	}
	body := []byte("hello, world")
	was, ok, err := known.CheckBytes(body, dedup.DigestOf(body))
	fmt.Println(ok, was.URL, was.Fetched.Format("2006-01-02"), filepath.Base(was.Archive), err)
	// Output:
	// true https://example.org/ 2024-05-01 2024.cdxj <nil>
}
