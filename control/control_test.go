package control

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"gatecrawl.example/gatecrawl"
	"gatecrawl.example/gatecrawl/control/board"
	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/store"
	"gatecrawl.example/gatecrawl/store/suite"
)

// openJob starts a job that is checked and closed when the test ends.
func openJob(t *testing.T, dir string) *store.Store {
	t.Helper()
	st, err := store.Open(dir, store.DefaultOptions())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		suite.Verify(t, st)
		if err := st.Close(); err != nil {
			t.Error(err)
		}
	})
	return st
}

// An idle crawl is an open job on which nothing works.
type idle struct {
	*store.Store
	gatecrawl.Steering
}

func (i idle) Job() gatecrawl.Inspector { return i.Store }
func (i idle) Tally() gatecrawl.Tally   { return gatecrawl.Tally{} }
func (i idle) Park(ctx context.Context, host string, d time.Duration) error {
	return i.Steering.Park(ctx, host, d)
}

func noSeeds(context.Context, io.Reader, string) (AddedSeeds, error) {
	return AddedSeeds{}, errors.New("this test adds no seeds")
}

// asking returns a client that asks running crawls alone.
func asking(dir string) *Client {
	return &Client{
		Dir:    dir,
		Read:   func() (Job, error) { return nil, ErrNotRunning },
		Write:  func() (Job, error) { return nil, ErrNotRunning },
		Locked: func(error) bool { return false },
	}
}

func wantAnswer(t *testing.T, dir string, q Question, want string) {
	t.Helper()
	answer, err := asking(dir).Ask(t.Context(), q)
	if err != nil {
		t.Fatalf("Ask(%+v): %v", q, err)
	}
	defer answer.Close()
	b, err := io.ReadAll(answer)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(b), want) {
		t.Errorf("Ask(%+v) = %q, want %q in it", q, b, want)
	}
}

func TestRunningCrawlAnswers(t *testing.T) {
	dir := t.TempDir()
	shut, err := Serve(dir, &Running{Crawl: idle{openJob(t, dir), nil}, Seeds: noSeeds, Board: board.New()})
	if err != nil {
		t.Fatal(err)
	}
	defer shut()
	wantAnswer(t, dir, Question{Verb: "status"}, `"running":true`)
	if _, err := asking(dir).Ask(t.Context(), Question{Verb: "why", URL: "http://example.org/"}); !errors.Is(err, gatecrawl.ErrUnknown) {
		t.Errorf("Ask why of a URL that the job never met = %v, want ErrUnknown", err)
	}
	_, err = asking(dir).Ask(t.Context(), Question{Verb: "sing"})
	if err == nil || !strings.HasPrefix(err.Error(), `there is no question "/sing": ask one of status, `) {
		t.Errorf("Ask sing = %v, want what there is to ask", err)
	}
}

func TestARunningCrawlSaysWhatIsWrongWithAQuestion(t *testing.T) {
	dir := t.TempDir()
	shut, err := Serve(dir, &Running{Crawl: idle{openJob(t, dir), nil}, Seeds: noSeeds, Board: board.New()})
	if err != nil {
		t.Fatal(err)
	}
	defer shut()
	transport, err := transportTo(dir)
	if err != nil {
		t.Fatal(err)
	}
	to := http.Client{Transport: transport}
	for _, c := range []struct {
		q    Question
		want int
	}{
		{Question{Verb: "sing"}, http.StatusNotFound},
		{Question{Verb: ""}, http.StatusNotFound},
		{Question{Verb: "why", URL: "http://example.org/"}, http.StatusNotFound},
		{Question{Verb: "why", URL: "no address"}, http.StatusBadRequest},
		{Question{Verb: "view"}, http.StatusBadRequest},
		{Question{Verb: "status"}, http.StatusOK},
	} {
		resp, err := to.Get("http://crawl/" + c.q.Verb + "?" + c.q.values().Encode())
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != c.want {
			t.Errorf("/%s?url=%s is answered by %s, want %d", c.q.Verb, c.q.URL, resp.Status, c.want)
		}
	}
}

// TestEveryQuestionIsAnsweredAndDocumented compares Verbs with the answers and with
// docs/formats.md.
func TestEveryQuestionIsAnsweredAndDocumented(t *testing.T) {
	docs, err := os.ReadFile("../docs/formats.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(docs), "## Questions to a running crawl")
	section, _, _ = strings.Cut(section, "\n## ")
	st := openJob(t, t.TempDir())
	for _, verb := range Verbs {
		if err := Answer(t.Context(), st, Question{Verb: verb, URL: "http://example.org/", Other: "http://example.net/"}, io.Discard); errors.Is(err, errNoQuestion) {
			t.Errorf("/%s is listed and not answered", verb)
		}
		if !strings.Contains(section, "| `"+verb) {
			t.Errorf("docs/formats.md does not tell of /%s", verb)
		}
	}
}

func TestJobWithALongNameAnswersToo(t *testing.T) {
	dir := filepath.Join(t.TempDir(), strings.Repeat("long-name", 12))
	shut, err := Serve(dir, &Running{Crawl: idle{openJob(t, dir), nil}, Seeds: noSeeds, Board: board.New()})
	if err != nil {
		t.Fatal(err)
	}
	wantAnswer(t, dir, Question{Verb: "status"}, `"running":true`)
	pointer, err := os.ReadFile(filepath.Join(dir, pointerName))
	if err != nil {
		t.Fatal(err)
	}
	shut()
	for _, path := range []string{string(pointer), filepath.Dir(string(pointer)), filepath.Join(dir, pointerName)} {
		if _, err := os.Stat(path); !os.IsNotExist(err) {
			t.Errorf("after the crawl, Stat(%q) = %v, want it gone", path, err)
		}
	}
}

func TestSocketOfAKilledCrawlDoesNotDisturb(t *testing.T) {
	dir := t.TempDir()
	st := openJob(t, dir)
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: filepath.Join(dir, socketName), Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	l.SetUnlinkOnClose(false)
	l.Close()
	if _, err := asking(dir).Ask(t.Context(), Question{Verb: "status"}); !errors.Is(err, ErrNotRunning) {
		t.Errorf("Ask of a stale socket = %v, want ErrNotRunning", err)
	}
	shut, err := Serve(dir, &Running{Crawl: idle{st, nil}, Seeds: noSeeds})
	if err != nil {
		t.Fatalf("Serve over a stale socket: %v", err)
	}
	defer shut()
	wantAnswer(t, dir, Question{Verb: "status"}, `"running":true`)
}

func TestQuestionsSurviveTheirAddress(t *testing.T) {
	for _, q := range []Question{
		{Verb: "status"},
		{Verb: "pages", Verdict: page.VerdictCopy, From: 7, Limit: 9},
		{Verb: "why", URL: "http://example.org/?a=b&c=%20#"},
	} {
		if got, err := parseQuestion(q.Verb, q.values()); err != nil || got != q {
			t.Errorf("parseQuestion of %+v = %+v, %v", q, got, err)
		}
	}
}

// errLocked says that another process has a job.
var errLocked = errors.New("locked")

// A closedOnce notes that a client closed the job, and leaves that to the test's end.
type closedOnce struct {
	*store.Store
	closed bool
}

func (c *closedOnce) Close() error {
	c.closed = true
	return nil
}

func TestTheJobsFilesAnswerWhereNoCrawlRuns(t *testing.T) {
	dir := t.TempDir()
	st := &closedOnce{Store: openJob(t, dir)}
	c, tries := asking(dir), 0
	c.Locked = func(err error) bool { return errors.Is(err, errLocked) }
	c.Read = func() (Job, error) {
		if tries++; tries < 3 {
			return nil, errLocked // a crawl that is about to answer, or just ended
		}
		return st, nil
	}
	answer, err := c.Ask(t.Context(), Question{Verb: "status"})
	if err != nil {
		t.Fatalf("Ask = %v", err)
	}
	found, err := Each(answer, func(s gatecrawl.Status) error {
		if s.Job != dir {
			t.Errorf("the answer is about %s, want %s", s.Job, dir)
		}
		return nil
	})
	if err != nil || !found {
		t.Errorf("Each = %v, %v", found, err)
	}
	if err := answer.Close(); err != nil {
		t.Error(err)
	}
	if !st.closed {
		t.Error("the job is still open though its answer is closed")
	}
	c.Read = func() (Job, error) { return nil, os.ErrPermission }
	if _, err := c.Ask(t.Context(), Question{Verb: "status"}); !errors.Is(err, os.ErrPermission) {
		t.Errorf("Ask = %v, want what the job's files cannot be opened for", err)
	}
}

func TestAnAnswerThatBreaksOffNeverLooksWhole(t *testing.T) {
	for name, read := range map[string]func(io.Reader) (bool, error){
		"Each": func(r io.Reader) (bool, error) { return Each(r, func(page.Record) error { return nil }) },
		"Copy": func(r io.Reader) (bool, error) { return Copy(io.Discard, r) },
	} {
		half := io.MultiReader(strings.NewReader(`{"url":"http://a/"}`+"\n"), iotest.ErrReader(io.ErrUnexpectedEOF))
		if found, err := read(half); !found || !errors.Is(err, ErrCutOff) {
			t.Errorf("%s of half an answer = %v, %v, want ErrCutOff", name, found, err)
		}
	}
}

func TestSeedsGoToTheRunningCrawlOrElseToTheJob(t *testing.T) {
	dir := t.TempDir()
	st := openJob(t, dir)
	var got []string
	take := func(list io.Reader) AddedSeeds {
		b, err := io.ReadAll(list)
		if err != nil {
			t.Error(err)
		}
		got = append(got, string(b))
		var a AddedSeeds
		for i := range 25 {
			a.Fault(fmt.Errorf("line %d", i))
		}
		a.Added = 7
		return a
	}
	stopped := func(list io.Reader) (AddedSeeds, error) { return take(list), nil }
	shut, err := Serve(dir, &Running{Crawl: idle{st, nil}, Seeds: func(_ context.Context, list io.Reader, name string) (AddedSeeds, error) {
		if name != "a list" {
			t.Errorf("the list is called %q", name)
		}
		return take(list), nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	for _, where := range []string{"running", "between two runs", "stopped"} {
		if where != "running" {
			shut()
		}
		if where == "between two runs" {
			if shut, err = ServeBetween(dir, st, t.Fail, t.Fail); err != nil {
				t.Fatal(err)
			}
		}
		came, err := asking(dir).AddSeeds(t.Context(), strings.NewReader(where), "a list", stopped)
		if err != nil || came.Added != 7 || came.Bad != 25 || len(came.Faults) != maxFaults {
			t.Errorf("%s: AddSeeds = %+v, %v", where, came, err)
		}
	}
	if !slices.Equal(got, []string{"running", "between two runs", "stopped"}) {
		t.Errorf("the lists %q were taken", got)
	}
}

func TestPagesOfAHostAreAskedForByTheNameThatPeopleWrite(t *testing.T) {
	if got, want := (Question{Host: "Bücher.example:8080"}).kind().Host, "xn--bcher-kva.example:8080"; got != want {
		t.Errorf("the host is %q, want %q", got, want)
	}
}
