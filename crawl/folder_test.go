package crawl_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gatecrawl.example/gatecrawl"
	"gatecrawl.example/gatecrawl/crawl"
)

// TestACrawlWhoseFolderIsGoneSaysSo: its files stay open, so that it would end as if all was well. It
// can still be stopped, although no setting can be saved.
func TestACrawlWhoseFolderIsGoneSaysSo(t *testing.T) {
	t.Parallel()
	site, asked, answer := chain(t, 2)
	dir := filepath.Join(t.TempDir(), "job")
	c := open(t, dir, quick(site.URL+"/"), crawl.Options{})
	end := running(t, c)
	<-asked
	if err := os.Rename(dir, dir+"-moved"); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Apply(gatecrawl.Change{}); err != nil {
		t.Errorf("a change of nothing: %v", err)
	}
	workers := 2
	if _, err := c.Apply(gatecrawl.Change{Workers: &workers}); err == nil {
		t.Error("a setting was changed that cannot be saved")
	}
	answer <- struct{}{}
	<-asked
	answer <- struct{}{}
	if e := <-end; e.err == nil || !strings.Contains(e.err.Error(), "it was moved, deleted or unmounted") {
		t.Errorf("Run = %q, %v", e.how, e.err)
	}
	if err := os.Rename(dir+"-moved", dir); err != nil { // for the check at the end
		t.Fatal(err)
	}
}
