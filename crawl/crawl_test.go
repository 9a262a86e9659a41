package crawl_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"gatecrawl.example/gatecrawl"
	"gatecrawl.example/gatecrawl/configs"
	"gatecrawl.example/gatecrawl/corpus/category"
	"gatecrawl.example/gatecrawl/crawl"
	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/store"
	"gatecrawl.example/gatecrawl/store/suite"
)

// open opens a crawl of a site on this machine, and checks the job when the test ends.
func open(t *testing.T, dir string, s configs.Settings, o crawl.Options) *crawl.Crawl {
	t.Helper()
	c, err := crawl.OpenWith(dir, s, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { check(t, c) })
	return c
}

// check verifies the job of a crawl and closes it.
func check(t *testing.T, c *crawl.Crawl) {
	t.Helper()
	suite.Verify(t, c.Job())
	if err := c.Close(); err != nil {
		t.Error(err)
	}
}

// saved returns the settings to go on with a job.
func saved(t *testing.T, dir string) configs.Settings {
	t.Helper()
	s, err := crawl.SettingsOf(dir)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// quick returns settings for a site on this machine.
func quick(urls ...string) configs.Settings {
	s := configs.Default()
	s.URL, s.Delay = urls, 0
	return s
}

func TestACrawlThatWasStoppedGoesOnInItsFolder(t *testing.T) {
	t.Parallel()
	site := smallSite()
	defer site.Close()
	dir := t.TempDir()
	s := quick(site.URL + "/")
	s.MaxPages = 2
	c, err := crawl.Open(dir, s)
	if err != nil {
		t.Fatal(err)
	}
	if ended, err := c.Run(t.Context()); ended != gatecrawl.PageLimit || err != nil {
		t.Errorf("the first run ended with %q, %v, want %q", ended, err, gatecrawl.PageLimit)
	}
	if _, err := c.Run(t.Context()); err == nil || !strings.Contains(err.Error(), "open the job again") {
		t.Errorf("a second Run returns %v, want advice to open the job again", err)
	}
	check(t, c)

	if s = saved(t, dir); s.MaxPages != 2 || len(s.URL) != 0 {
		t.Errorf("SettingsOf = %v pages and the URLs %v; want 2 and none, since the seeds are in", s.MaxPages, s.URL)
	}
	s.MaxPages = 0
	c = open(t, dir, s, crawl.Options{})
	if ended, err := c.Run(t.Context()); ended != gatecrawl.Done || err != nil {
		t.Errorf("the second run ended with %q, %v, want %q", ended, err, gatecrawl.Done)
	}
	if n := c.Totals().Pages; n != 5 {
		t.Errorf("the job has %d pages, want 5", n)
	}
}

func TestSeedsThatARunWasKeptFromAddingAreAddedByTheNext(t *testing.T) {
	t.Parallel()
	site := smallSite()
	defer site.Close()
	dir := t.TempDir()
	c, err := crawl.Open(dir, quick(site.URL+"/clocks"))
	if err != nil {
		t.Fatal(err)
	}
	check(t, c) // without a run

	c = open(t, dir, quick(site.URL+"/bees"), crawl.Options{})
	if _, err := c.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	var paths []string
	for p, err := range c.Pages(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		paths = append(paths, strings.TrimPrefix(p.URL, site.URL))
	}
	if slices.Sort(paths); !slices.Equal(paths, []string{"/bees", "/clocks"}) {
		t.Errorf("the job has %v, want the seeds of both", paths)
	}
}

func TestWhatKeepsACrawlFromStartingSaysWhatToDo(t *testing.T) {
	t.Parallel()
	site := smallSite()
	defer site.Close()
	list := filepath.Join(t.TempDir(), "list.txt")
	if err := os.WriteFile(list, []byte("# nothing\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for what, c := range map[string]struct {
		change func(*configs.Settings)
		as     any
		want   string
	}{
		"nothing to fetch":      {func(s *configs.Settings) { s.URL = nil }, new(*crawl.NoSeedsError), "set url to the URLs to start from"},
		"an empty list":         {func(s *configs.Settings) { s.URL, s.Seeds = nil, []string{list} }, new(*crawl.NoSeedsError), "there is no URL in " + list},
		"no contact":            {func(s *configs.Settings) { s.URL = []string{"http://10.0.0.1/"} }, new(*crawl.ContactError), "set contact to"},
		"no URL":                {func(s *configs.Settings) { s.URL = []string{"mailto:a@example.org"} }, new(*crawl.SettingError), "url: "},
		"no list":               {func(s *configs.Settings) { s.Seeds = []string{"none.txt"} }, new(*crawl.SettingError), "seeds: stat none.txt"},
		"a folder for a list":   {func(s *configs.Settings) { s.Seeds = []string{"."} }, new(*crawl.SettingError), "is a folder, not a list"},
		"no standard input":     {func(s *configs.Settings) { s.Seeds = []string{"-"} }, new(*crawl.SettingError), "set Options.Stdin"},
		"no file of words":      {func(s *configs.Settings) { s.IDF = "none.idf" }, new(*crawl.SettingError), "idf: open"},
		"no file of a scope":    {func(s *configs.Settings) { s.ExcludeFile = "none.txt" }, new(*crawl.SettingError), "exclude-file: open"},
		"no file of rules":      {func(s *configs.Settings) { s.URLRules = []string{"none.json"} }, new(*crawl.SettingError), "url-rules: open"},
		"settings out of range": {func(s *configs.Settings) { s.Workers, s.DedupDistance = 0, 9 }, new(*configs.Faults), "want 1 to 10000"},
	} {
		dir := filepath.Join(t.TempDir(), "job")
		s := quick(site.URL + "/")
		c.change(&s)
		_, err := crawl.Open(dir, s)
		if err == nil || !errors.As(err, c.as) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: Open returns %T %v, want a %T with %q", what, err, err, c.as, c.want)
		}
	}

	c := open(t, t.TempDir(), quick(site.URL+"/"), crawl.Options{})
	_, err := crawl.Open(filepath.Dir(folderOf(t, c)), quick(site.URL+"/"))
	var locked *store.LockedError
	if !errors.As(err, &locked) {
		t.Errorf("a job that is open: %v, want a *store.LockedError", err)
	}
}

// folderOf returns the name of a file in a crawl's folder.
func folderOf(t *testing.T, c *crawl.Crawl) string {
	t.Helper()
	status, err := c.Job().Status(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Join(status.Job, crawl.SettingsFile)
}

func TestNothingIsWrittenWhereTheSettingsAreAtFault(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "job")
	s := quick("http://127.0.0.1:1/")
	s.URLRules, s.ExcludeFile = nil, "none.txt"
	if _, err := crawl.Open(dir, s); err == nil {
		t.Fatal("Open succeeds without a file of the scope")
	}
	if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("there is a folder of the job: %v", err)
	}
}

func TestASeedOffThisMachineIsRefusedBeforeAnyIsQueued(t *testing.T) {
	t.Parallel()
	site := smallSite()
	defer site.Close()
	lines := "none\n" + site.URL + "/clocks\nhttp://10.0.0.1/\n" + site.URL + "/bees\n"
	list := filepath.Join(t.TempDir(), "list.txt")
	if err := os.WriteFile(list, []byte(lines), 0o600); err != nil {
		t.Fatal(err)
	}
	for what, change := range map[string]func(*configs.Settings){
		"URLs":           func(s *configs.Settings) { s.URL = append(s.URL, "http://10.0.0.1/") },
		"a list":         func(s *configs.Settings) { s.Seeds = []string{list} },
		"standard input": func(s *configs.Settings) { s.Seeds = []string{"-"} },
	} {
		dir := filepath.Join(t.TempDir(), "job")
		s := quick(site.URL + "/")
		change(&s)
		_, err := crawl.OpenWith(dir, s, crawl.Options{Stdin: strings.NewReader(lines)})
		if as := new(crawl.ContactError); !errors.As(err, &as) || as.URL.String() != "http://10.0.0.1/" {
			t.Errorf("%s: OpenWith returns %v, want a *crawl.ContactError of http://10.0.0.1/", what, err)
		}
		if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s: there is a folder of the job: %v", what, err)
		}
	}
}

func TestAListOnStandardInputIsReadWholeWithoutAContact(t *testing.T) {
	t.Parallel()
	site := smallSite()
	defer site.Close()
	s := quick()
	s.Seeds, s.Depth = []string{"-"}, 0
	c := open(t, t.TempDir(), s, crawl.Options{Stdin: strings.NewReader(site.URL + "/bees\n" + site.URL + "/clocks\n")})
	if _, err := c.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n := c.Totals().Pages; n != 2 {
		t.Errorf("%d pages, want those of both lines", n)
	}
}

func TestAProxyThatDoesNotAnswerEndsTheRun(t *testing.T) {
	t.Parallel()
	s := quick("http://127.0.0.1:1/")
	s.Proxy = "http://127.0.0.1:1"
	c := open(t, t.TempDir(), s, crawl.Options{})
	_, err := c.Run(t.Context())
	var proxy *crawl.ProxyError
	if !errors.As(err, &proxy) || !strings.Contains(err.Error(), "set proxy to another one") {
		t.Errorf("Run returns %v, want a *crawl.ProxyError with advice", err)
	}
}

func TestSeedsAreAddedToACrawlThatRunsAndToOneThatDoesNot(t *testing.T) {
	t.Parallel()
	site := smallSite()
	defer site.Close()
	dir := t.TempDir()
	c, err := crawl.Open(dir, quick(site.URL+"/bees"))
	if err != nil {
		t.Fatal(err)
	}
	var faults []error
	var added int
	c.OnPage(func(p gatecrawl.Settled) {
		if strings.HasSuffix(p.URL, "/bees") {
			list := site.URL + "/clocks\nhttp://10.0.0.1/\n"
			n, err := c.AddSeeds(t.Context(), strings.NewReader(list), "hook", func(err error) { faults = append(faults, err) })
			if added = n; err != nil {
				t.Error(err)
			}
		}
	})
	if _, err := c.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if added != 1 || len(faults) != 1 || !strings.HasPrefix(faults[0].Error(), "hook:2: http://10.0.0.1/ is not on this machine") {
		t.Errorf("AddSeeds adds %d and finds %v at fault, want 1 and the one without a contact", added, faults)
	}
	if n := c.Totals().New; n != 2 {
		t.Errorf("%d documents, want 2", n)
	}
	check(t, c)

	n, err := crawl.AddSeeds(t.Context(), dir, strings.NewReader(site.URL+"/more/clocks"), "list", func(err error) { t.Error(err) })
	if n != 1 || err != nil {
		t.Errorf("AddSeeds to a job = %d, %v, want 1", n, err)
	}
	c = open(t, dir, saved(t, dir), crawl.Options{})
	if _, err := c.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n := c.Totals().New; n != 3 {
		t.Errorf("%d documents, want 3", n)
	}
}

func TestListsOfSeedsAreReadFromStdinAndTheirFaultsTold(t *testing.T) {
	t.Parallel()
	site := smallSite()
	defer site.Close()
	s := quick()
	s.Seeds = []string{"-"}
	var log strings.Builder
	added := -1
	c := open(t, t.TempDir(), s, crawl.Options{
		Stdin: strings.NewReader(site.URL + "/bees\nno url\n"), Seeded: func(n int) { added = n },
		Log: slog.New(slog.NewTextHandler(&log, nil)),
	})
	if _, err := c.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if added != 1 || !strings.Contains(log.String(), "seed is left out") {
		t.Errorf("%d seeds are added, and the log has %q; want 1 and a warning", added, log.String())
	}
}

func TestHooksAreCalledInTheOrderInWhichTheyWereGiven(t *testing.T) {
	t.Parallel()
	site := smallSite()
	defer site.Close()
	c := open(t, t.TempDir(), quick(site.URL+"/bees"), crawl.Options{})
	var calls []string
	for _, name := range []string{"first", "second"} {
		c.OnPage(func(gatecrawl.Settled) { calls = append(calls, name) })
	}
	if _, err := c.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if fmt.Sprint(calls) != "[first second]" {
		t.Errorf("calls: %v", calls)
	}
}

func TestAPageHookThatBlocksHoldsItsWorkerAndNoOther(t *testing.T) {
	t.Parallel()
	site := smallSite()
	defer site.Close()
	s := quick(site.URL+"/bees", site.URL+"/clocks", site.URL+"/more/clocks")
	c := open(t, t.TempDir(), s, crawl.Options{})
	var mu sync.Mutex
	settled, others := 0, make(chan struct{})
	c.OnPage(func(gatecrawl.Settled) {
		mu.Lock()
		settled++
		first, last := settled == 1, settled == 3
		mu.Unlock()
		if last {
			close(others)
		}
		if first {
			select {
			case <-others:
			case <-time.After(20 * time.Second):
				t.Error("the other pages are not visited while one hook blocks")
			}
		}
	})
	if ended, err := c.Run(t.Context()); ended != gatecrawl.Done || err != nil {
		t.Errorf("Run = %q, %v", ended, err)
	}
}

// panicking says to a process of this test that its page hook is to panic.
const panicking = "GATECRAWL_TEST_PANIC"

func TestAPanicInAHookEndsTheProcessAndLosesNothing(t *testing.T) {
	t.Parallel()
	if args := os.Getenv(panicking); args != "" {
		dir, url, _ := strings.Cut(args, " ")
		c, err := crawl.Open(dir, quick(url))
		if err != nil {
			t.Fatal(err)
		}
		c.OnPage(func(p gatecrawl.Settled) {
			if p.Depth > 0 {
				panic("a hook of the test")
			}
		})
		c.Run(t.Context())
		return
	}
	site := smallSite()
	defer site.Close()
	dir := t.TempDir()
	cmd := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$")
	cmd.Env = append(os.Environ(), panicking+"="+dir+" "+site.URL+"/")
	out, err := cmd.CombinedOutput()
	if err == nil || !strings.Contains(string(out), "panic: a hook of the test") {
		t.Fatalf("the process ends with %v, want a panic:\n%s", err, out)
	}
	c := open(t, dir, saved(t, dir), crawl.Options{})
	if n := c.Totals().Pages; n < 2 {
		t.Errorf("the job has %d pages, want those that were settled before the panic", n)
	}
	if ended, err := c.Run(t.Context()); ended != gatecrawl.Done || err != nil {
		t.Errorf("Run = %q, %v", ended, err)
	}
	if n := c.Totals(); n.Pages != 5 || n.Fetched != 5 {
		t.Errorf("the job has %d pages, of which %d were answered, want 5", n.Pages, n.Fetched)
	}
}

func TestKeptPagesHaveTheirViewsAndBytes(t *testing.T) {
	t.Parallel()
	site := smallSite()
	defer site.Close()
	c := open(t, t.TempDir(), quick(site.URL+"/"), crawl.Options{})
	if _, err := c.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	n := 0
	for k, err := range c.Kept(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		n++
		body, err := k.Body(t.Context())
		if err != nil || !strings.Contains(string(body), "<title>"+k.View.Title) || k.Verdict != page.VerdictNew {
			t.Errorf("%s: %q, %d bytes, %v", k.URL, k.View.Title, len(body), err)
		}
		if n == 2 {
			break // early, which ends the reading
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, err := range c.Kept(ctx) {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("Kept of a cancelled context yields %v", err)
		}
	}
}

// A page has the category that it declares, else the one that a model tells by its words, else none.
func TestPagesThatDeclareNoCategoryHaveOneByTheirWords(t *testing.T) {
	t.Parallel()
	words := map[string]string{"birds": "feather beak egg nest wing plumage chick flock heron wader", "clocks": "spring escapement pendulum dial gear hour hand winder chime weight"}
	var sample category.Sample
	for name, of := range words {
		for i := range 10 {
			sample.Add("h.example", fmt.Sprintf("http://h.example/%s/%d", name, i), name, "", fmt.Sprintf("%s %s page%d", of, of, i))
		}
	}
	m, err := category.Fit(sample.Examples())
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := m.Save(&b); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "subjects.model")
	if err := os.WriteFile(file, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body := map[string]string{"/": `<a href="1.html">a</a><a href="/news/2.html">b</a><a href="3.html">c</a>`, "/1.html": words["clocks"], "/news/2.html": words["birds"]}[r.URL.Path]
		fmt.Fprintf(w, "<html><title>%s</title><body><p>%s</p></body></html>", strings.Fields(body + " home")[0], body)
	}))
	defer site.Close()
	s := quick(site.URL + "/")
	s.Categories = file
	c := open(t, t.TempDir(), s, crawl.Options{})
	if _, err := c.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	got := make(map[string]string)
	for k, err := range c.Kept(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		got[strings.TrimPrefix(k.URL, site.URL)] = strings.Join(k.View.Category, " / ")
		if !slices.Equal(k.Category, k.View.Category) {
			t.Errorf("the record of %s has the category %q, its view %q", k.URL, k.Category, k.View.Category)
		}
	}
	want := map[string]string{"/": "", "/1.html": "clocks", "/news/2.html": "news", "/3.html": ""}
	if !maps.Equal(got, want) {
		t.Errorf("categories are %q, want %q", got, want)
	}
	s.Categories = file + ".gone"
	var fault *crawl.SettingError
	dir := filepath.Join(t.TempDir(), "new")
	if _, err := crawl.OpenWith(dir, s, crawl.Options{}); !errors.As(err, &fault) || !strings.Contains(err.Error(), "categories: ") || crawl.Exists(dir) {
		t.Errorf("a model that is not there: %v, and a job %v; want a fault of the setting, and none", err, crawl.Exists(dir))
	}
	s.Categories, s.TopicModel = "", file // which is no topic's
	if _, err := crawl.OpenWith(dir, s, crawl.Options{}); !errors.As(err, &fault) || !strings.Contains(err.Error(), "topic-model: ") || crawl.Exists(dir) {
		t.Errorf("a model of no topic: %v, and a job %v; want a fault of the setting, and none", err, crawl.Exists(dir))
	}
}

func TestACrawlThatIsClosedSaysSo(t *testing.T) {
	t.Parallel()
	site := smallSite()
	defer site.Close()
	c, err := crawl.Open(t.TempDir(), quick(site.URL+"/"))
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(c.Close(), c.Close()); err != nil {
		t.Error(err)
	}
	if _, err := c.Run(t.Context()); err == nil || !strings.Contains(err.Error(), "closed") {
		t.Errorf("Run after Close returns %v", err)
	}
}
