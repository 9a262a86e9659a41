package crawl_test

import (
	"context"
	"net/http"
	"path/filepath"
	"syscall"
	"testing"

	"gatecrawl.example/gatecrawl"
	"gatecrawl.example/gatecrawl/configs"
	"gatecrawl.example/gatecrawl/crawl"
)

// TestTheStatusSaysWhichErrorEndedARun: a disk that is full for one file may have room for the few
// bytes of a commit.
func TestTheStatusSaysWhichErrorEndedARun(t *testing.T) {
	t.Parallel()
	shut, proxy := proxyAt(t, "127.0.0.1:0", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(http.StatusProxyAuthRequired) }))
	defer shut()
	root := t.TempDir()
	full := crawl.Options{Rows: func(context.Context, string, func(*gatecrawl.Row) error) error { return syscall.ENOSPC }}
	open(t, filepath.Join(root, "old"), quick("http://127.0.0.1:1/"), full)
	for want, change := range map[gatecrawl.Ended]func(*configs.Settings){
		gatecrawl.DiskFull: func(s *configs.Settings) { s.Known = []string{filepath.Join(root, "old")} },
		gatecrawl.Failed:   func(s *configs.Settings) { s.Proxy = "http://" + proxy },
	} {
		s, dir := quick("http://site.test/"), filepath.Join(root, string(want))
		s.Contact = "me@example.org"
		change(&s)
		c, err := crawl.OpenWith(dir, s, full)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.Run(t.Context()); err == nil {
			t.Errorf("%s: the run has ended without an error", want)
		}
		if err := c.Close(); err != nil {
			t.Fatal(err)
		}
		o := s.StoreOptions()
		o.ReadOnly = true
		job, err := crawl.OpenJob(dir, s, o)
		if err != nil {
			t.Fatal(err)
		}
		if st, err := job.Status(t.Context()); err != nil || st.Stopped != string(want) {
			t.Errorf("the job is stopped by %q, %v; want %q", st.Stopped, err, want)
		}
		job.Close()
	}
}
