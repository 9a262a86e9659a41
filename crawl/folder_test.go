package crawl_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gatecrawl.example/gatecrawl"
	"gatecrawl.example/gatecrawl/configs"
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

// TestDamagedSettingsWithoutAJobAreRefusedWithAdvice: the error was that crawl.db does not exist.
func TestDamagedSettingsWithoutAJobAreRefusedWithAdvice(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, crawl.SettingsFile), []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := crawl.SettingsOf(dir)
	if err == nil || !strings.Contains(err.Error(), "crawl.db, which had a copy of them, is gone: delete the former to start a new job") {
		t.Errorf("SettingsOf = %v, want what to do", err)
	}
	if err := os.MkdirAll(filepath.Join(dir, "archive"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "archive", "crawl-00001.warc.zst"), []byte("pages"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := crawl.SettingsOf(dir); err == nil || strings.Contains(err.Error(), "delete the former") {
		t.Errorf("SettingsOf a folder with pages = %v, want nothing of starting anew there", err)
	}
}

// TestExamplesThatAreURLsAreSaidNotToCountYet: whoever gave five URLs of each kind was told to give five of each.
func TestExamplesThatAreURLsAreSaidNotToCountYet(t *testing.T) {
	s := configs.Default()
	for i := range 5 {
		s.Like = append(s.Like, fmt.Sprintf("http://a.test/%d", i))
		s.Unlike = append(s.Unlike, fmt.Sprintf("http://b.test/%d", i))
	}
	_, err := crawl.NewJudge(s)
	if err == nil || !strings.HasSuffix(err.Error(), "of those given 10 are URLs, and a URL is an example only once the crawl has fetched its page") {
		t.Errorf("NewJudge = %v, want why URLs do not count", err)
	}
}
