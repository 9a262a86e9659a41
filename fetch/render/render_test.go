package render

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"gatecrawl.example/gatecrawl/fetch"
	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/testserver/slow"
)

// An engine is a browser for many tests, each with a web of its own.
type engine struct {
	*Browser
	fetch func(context.Context, weburl.URL) (*fetch.Response, error)
}

// newEngine skips the test where there is no Chromium.
func newEngine(t *testing.T, o Options) *engine {
	t.Helper()
	if _, err := Find(); err != nil {
		t.Skip(err)
	}
	slow.Test(t, "starts Chromium")
	e := &engine{}
	o.Fetch = func(ctx context.Context, u weburl.URL) (*fetch.Response, error) { return e.fetch(ctx, u) }
	var err error
	if e.Browser, err = New(o); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	})
	return e
}

// A web serves pages to a browser and remembers who was asked.
type web struct {
	*httptest.Server
	f *fetch.Fetcher
	b *engine

	mu    sync.Mutex
	asked []string
	let   map[string]bool // addresses that scripts asked for by Options.Fetch
	at    []time.Time
}

// newWeb serves the given pages, and lets scripts ask for them.
func newWeb(t *testing.T, e *engine, pages map[string]string) *web {
	t.Helper()
	w := &web{b: e, let: map[string]bool{}}
	w.Server = httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		w.mu.Lock()
		w.asked, w.at = append(w.asked, r.Method+" "+r.URL.RequestURI()), append(w.at, time.Now())
		w.mu.Unlock()
		body, ok := pages[r.URL.Path]
		switch {
		case !ok:
			http.NotFound(rw, r)
		case strings.HasPrefix(body, "-> "):
			http.Redirect(rw, r, strings.TrimPrefix(body, "-> "), http.StatusFound)
		default:
			kind := "text/html; charset=utf-8"
			if strings.HasSuffix(r.URL.Path, ".js") {
				kind = "text/javascript"
			}
			rw.Header().Set("Content-Type", kind)
			fmt.Fprint(rw, body)
		}
	}))
	t.Cleanup(w.Server.Close)
	var err error
	if w.f, err = fetch.New(fetch.Options{AllowLoopback: true}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.f.Close)
	e.fetch = func(ctx context.Context, u weburl.URL) (*fetch.Response, error) {
		w.mu.Lock()
		w.let[u.String()] = true
		w.mu.Unlock()
		return w.f.Fetch(ctx, u)
	}
	return w
}

// render fetches a page and runs its scripts.
func (w *web) render(t *testing.T, path string, m fetch.Manners) (string, error) {
	t.Helper()
	u, err := weburl.Parse(w.URL + path)
	if err != nil {
		t.Fatal(err)
	}
	r, err := w.f.Fetch(t.Context(), u)
	if err != nil {
		t.Fatal(err)
	}
	html, err := w.b.Render(t.Context(), r, m)
	return string(html), err
}

func (w *web) requests() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.asked)
}

const app = `fetch("/data").then(r => r.text()).then(s => { document.body.innerHTML = "<p>" + s + "</p>" })`

func TestABrowser(t *testing.T) {
	e := newEngine(t, Options{MaxRequests: 6, MaxBody: 4000})
	for _, c := range []struct {
		name string
		test func(*testing.T, *engine)
	}{
		{"ScriptsFillThePage", scriptsFill},
		{"ScriptsReachNothingElse", scriptsReach},
		{"ScriptsHaveTheChecksOfTheFetcher", scriptsChecked},
		{"RequestsOfScriptsKeepTheirPause", scriptsPause},
		{"APageAsksForNoMoreThanItMay", scriptsMany},
		{"ACancelledPageIsNoFault", cancelled},
	} {
		t.Run(c.name, func(t *testing.T) { c.test(t, e) })
	}
}

func scriptsFill(t *testing.T, e *engine) {
	w := newWeb(t, e, map[string]string{
		"/": `<title>Übung</title><body>nothing yet<script src=/app.js></script></body>`, "/app.js": app, "/data": "-> /moved", "/moved": "filled in, 你好",
	})
	for range 2 {
		html, err := w.render(t, "/", fetch.Manners{})
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(html, "<p>filled in, 你好</p>") || !strings.Contains(html, "Übung") || strings.Contains(html, "nothing yet") {
			t.Errorf("rendered: %.500s", html)
		}
	}
	// The page once each time, its script once in all, the data each time.
	want := []string{"GET /", "GET /app.js", "GET /data", "GET /moved", "GET /", "GET /data", "GET /moved"}
	if got := w.requests(); !slices.Equal(got, want) {
		t.Errorf("asked for %q, want %q", got, want)
	}
}

func scriptsReach(t *testing.T, e *engine) {
	var outside sync.Map
	other := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { outside.Store(r.URL.Path, true) }))
	defer other.Close()
	page := `<body><script>
		const o = "` + other.URL + `", said = document.createElement("p"); document.body.append(said)
		new Image().src = o + "/picture"
		navigator.sendBeacon(o + "/beacon", "x")
		try { new WebSocket(o.replace("http", "ws") + "/socket") } catch (e) {}
		try { new Worker(URL.createObjectURL(new Blob(["fetch('" + o + "/worker')"]))) } catch (e) {}
		try { new EventSource(o + "/events") } catch (e) {}
		const f = document.createElement("iframe"); f.src = o + "/frame"; document.body.append(f)
		window.open(o + "/popup")
		fetch(o + "/post", {method: "POST", body: "x"}).catch(() => {})
		fetch("file:///etc/hostname").then(() => said.append("file")).catch(() => {})
		fetch("/closed").then(() => said.append("closed")).catch(() => said.append("refused"))
		alert("stop")
		setTimeout(() => { location = o + "/elsewhere" }, 20)
	</script></body>`
	w := newWeb(t, e, map[string]string{"/": page})
	html, err := w.render(t, "/", fetch.Manners{May: func(u weburl.URL) bool { return u.RequestURI() != "/closed" }})
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(html, "<p>refused</p>") {
		t.Errorf("rendered: %.500s", html)
	}
	outside.Range(func(path, _ any) bool {
		if !w.let[other.URL+path.(string)] {
			t.Errorf("%v was asked for past the fetcher", path)
		}
		switch path {
		case "/picture", "/beacon", "/socket", "/events", "/frame", "/popup", "/post", "/elsewhere":
			t.Errorf("%v was asked for", path)
		}
		return true
	})
	if got := w.requests(); !slices.Equal(got, []string{"GET /"}) {
		t.Errorf("asked for %q", got)
	}
}

func scriptsChecked(t *testing.T, e *engine) {
	strict, err := fetch.New(fetch.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer strict.Close()
	w := newWeb(t, e, map[string]string{
		"/": `<script>for (const u of ["/data", "http://169.254.169.254/latest", "http://10.0.0.1/"]) fetch(u).catch(() => document.title += "no ")</script>`,
	})
	var mu sync.Mutex
	var faults []error
	e.fetch = func(ctx context.Context, u weburl.URL) (*fetch.Response, error) {
		r, err := strict.Fetch(ctx, u)
		mu.Lock()
		defer mu.Unlock()
		faults = append(faults, err)
		return r, err
	}
	html, err := w.render(t, "/", fetch.Manners{})
	if err != nil || !strings.Contains(html, "<title>nonono") {
		t.Errorf("rendered: %.500s, %v", html, err)
	}
	for _, err := range faults {
		if fault, ok := errors.AsType[*fetch.Error](err); !ok || fault.Op != fetch.PhaseAddress {
			t.Errorf("a request of a script: %v, want a refused address", err)
		}
	}
	if len(faults) != 3 {
		t.Errorf("%d requests, want 3", len(faults))
	}
}

func scriptsPause(t *testing.T, e *engine) {
	const pause = time.Second
	var w *web
	for try := 1; w == nil || len(w.at) != 4; try++ {
		if try > 5 { // on a starved machine a page may count as quiet before its script runs
			t.Fatalf("%d requests, want 4", len(w.at))
		}
		w = newWeb(t, e, map[string]string{
			"/": `<script>for (let i = 0; i < 3; i++) fetch("/d?" + i)</script>`, "/d": "x",
		})
		if _, err := w.render(t, "/", fetch.Manners{Pause: pause}); err != nil {
			t.Fatal(err)
		}
	}
	for i := 1; i < len(w.at); i++ {
		// What is seen is when a request came. On a starved machine the one before it may
		// have come late, by much less than half a second.
		if got := w.at[i].Sub(w.at[i-1]); got < pause/2 {
			t.Errorf("request %d came %v after the one before it, want %v", i, got, pause)
		}
	}
}

func TestAPageThatIsNeverDoneIsTakenAsItStands(t *testing.T) {
	e := newEngine(t, Options{Timeout: 8 * time.Second, MaxRequests: 1 << 20})
	w := newWeb(t, e, map[string]string{
		"/":     `<p>here</p><script>setInterval(() => fetch("/tick"), 50)</script>`,
		"/loop": `<p>here</p><script>for (;;) {}</script>`, "/tick": "x",
	})
	if html, err := w.render(t, "/", fetch.Manners{}); err != nil || !strings.Contains(html, "<p>here</p>") {
		t.Errorf("rendered: %.500s, %v", html, err)
	}
	ended := time.Now()
	if html, err := w.render(t, "/loop", fetch.Manners{}); err == nil {
		t.Errorf("a page that never gives in was rendered: %.500s", html)
	}
	if took := time.Since(ended); took > 2*time.Minute {
		t.Errorf("it took %v", took)
	}
	if html, err := w.render(t, "/", fetch.Manners{}); err != nil || !strings.Contains(html, "<p>here</p>") {
		t.Errorf("after it: %.500s, %v", html, err)
	}
}

// TestAPageThatIsBusyOnceItHasLoadedIsSaidToBe: the error named the time limit of the page, which was not over.
func TestAPageThatIsBusyOnceItHasLoadedIsSaidToBe(t *testing.T) {
	e := newEngine(t, Options{Timeout: 60 * time.Second})
	w := newWeb(t, e, map[string]string{"/": `<p>here</p><script>addEventListener("load", () => setTimeout(() => { for (;;) {} }, 0))</script>`})
	if html, err := w.render(t, "/", fetch.Manners{}); err == nil || !strings.Contains(err.Error(), "it loaded, and is too large or too busy to be read within 5s") {
		t.Errorf("rendered: %.500s, %v; want why it cannot be read", html, err)
	}
}

// A page that takes memory without end loses its tab, and the record says why; the browser
// goes on. What it takes is bounded here too, at 3 GB.
func TestAPageThatTakesTooMuchMemoryLosesItsTab(t *testing.T) {
	const limit = 400e6
	e := newEngine(t, Options{Memory: limit, Timeout: 2 * time.Minute})
	if processesOf(os.Getpid())[0].bytes == 0 {
		t.Skip("no memory of processes can be read here")
	}
	w := newWeb(t, e, map[string]string{
		"/arrays":  `<p>here</p><script>var a = []; for (let i = 0; i < 188; i++) a.push(new Uint8Array(1 << 24).fill(1)); document.body.innerHTML = "took all"</script>`,
		"/strings": `<p>here</p><script>var a = []; for (let i = 0; i < 3e7; i++) a.push("a string that is long enough " + i + i); document.body.innerHTML = "took all"</script>`,
		"/nodes":   `<p>here</p><script>for (let i = 0; i < 3e6; i++) { let d = document.createElement("div"); d.textContent = "some text in it " + i; document.body.append(d) } document.title = "took all"</script>`,
		"/fine":    `<p>here</p><script>document.body.innerHTML = "fine"</script>`,
	})
	for _, path := range []string{"/arrays", "/strings", "/nodes"} {
		most, stop := watchMemory()
		start := time.Now()
		html, err := w.render(t, path, fetch.Manners{})
		stop()
		t.Logf("%s after %v: %v; at most %d MB in one process", path, time.Since(start), err, most.Load()/1e6)
		if err == nil || !strings.Contains(err.Error(), "more than 400 MB of memory, and its tab was closed") {
			t.Errorf("%s: rendered %.80q, %v; want its tab closed", path, html, err)
		}
		if got := most.Load(); got > 2.5e9 {
			t.Errorf("%s: a process had %d MB, the limit is %d", path, got/1e6, int64(limit/1e6))
		}
		if html, err := w.render(t, "/fine", fetch.Manners{}); err != nil || !strings.Contains(html, "fine") {
			t.Errorf("after %s: %.80q, %v", path, html, err)
		}
	}
}

// watchMemory notes how much memory a process that this one has started takes at most.
func watchMemory() (most *atomic.Int64, stop func()) {
	most = new(atomic.Int64)
	over, ended := make(chan struct{}), make(chan struct{})
	go func() { // until stop
		defer close(ended)
		tick := time.NewTicker(20 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-over:
				return
			case <-tick.C:
				for _, p := range processesOf(os.Getpid())[1:] {
					most.Store(max(most.Load(), p.bytes))
				}
			}
		}
	}()
	return most, func() { close(over); <-ended }
}

func scriptsMany(t *testing.T, e *engine) {
	w := newWeb(t, e, map[string]string{
		"/": `<script>for (let i = 0; i < 20; i++) fetch("/d?" + i); document.write("x".repeat(9000))</script>`, "/d": "x",
	})
	html, err := w.render(t, "/", fetch.Manners{})
	if err != nil || len(html) != 4000 {
		t.Errorf("%d bytes, %v, want 4000", len(html), err)
	}
	if got := len(w.requests()); got != 7 {
		t.Errorf("%d requests, want 7: the page and six more", got)
	}
}

func cancelled(t *testing.T, e *engine) {
	w := newWeb(t, e, map[string]string{"/": "<p>x"})
	u, _ := weburl.Parse(w.URL + "/")
	r, err := w.f.Fetch(t.Context(), u)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := w.b.Render(ctx, r, fetch.Manners{}); !errors.Is(err, context.Canceled) {
		t.Errorf("Render: %v, want canceled", err)
	}
}

func TestScriptsAreKeptWithinTheirBound(t *testing.T) {
	c := newCache(100)
	for i := range 50 {
		c.put(fmt.Sprint(i), &fetch.Response{Body: make([]byte, 30)})
		if c.size > 100 || int64(len(c.kept)*30) != c.size {
			t.Fatalf("%d scripts, %d bytes, want at most 100", len(c.kept), c.size)
		}
	}
	c.put("long", &fetch.Response{Body: make([]byte, 101)})
	if c.get("long") != nil || c.get("49") == nil {
		t.Error("a script that is too long is kept, or drove out the others")
	}
}

func TestValidateReportsEveryFault(t *testing.T) {
	err := Options{Tabs: -1, Timeout: -1, MaxRequests: -1, MaxBody: -1, Cache: -1}.Validate()
	for _, want := range []string{"no way to fetch", "tabs is -1", "timeout of rendering", "requests of", "largest rendered", "cache of scripts"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Validate = %v, want %q in it", err, want)
		}
	}
}
