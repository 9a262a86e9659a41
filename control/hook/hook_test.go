package hook_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"gatecrawl.example/gatecrawl/control/hook"
	"gatecrawl.example/gatecrawl/testserver/await"
)

// at once are waits that a test has no need to sit out.
var atOnce = []time.Duration{0, 0}

func TestAServerIsToldUntilItAnswers(t *testing.T) {
	tries, signature, body := 0, "", ""
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if tries++; tries < 3 {
			http.Error(w, "later", http.StatusServiceUnavailable)
			return
		}
		b, _ := io.ReadAll(r.Body)
		signature, body = r.Header.Get(hook.SignatureHeader), string(b)
	}))
	defer s.Close()
	o := hook.Options{URL: s.URL + "/?key=SECRET", Secret: []byte("our secret"), Waits: atOnce}
	if err := hook.Tell(t.Context(), o, map[string]int{"pages": 3}); err != nil {
		t.Fatal(err)
	}
	if tries != 3 || body != `{"pages":3}` || signature != hook.Sign([]byte("our secret"), []byte(body)) {
		t.Errorf("%d tries, body %s, signature %s", tries, body, signature)
	}
	tries = -10
	if err := hook.Tell(t.Context(), o, 1); err == nil || !strings.Contains(err.Error(), "tried 3 times: it answers 503") || strings.Contains(err.Error(), "SECRET") {
		t.Errorf("%v", err)
	}
	s.Close()
	if err := hook.Tell(t.Context(), o, 1); err == nil || strings.Contains(err.Error(), "SECRET") {
		t.Errorf("nobody listens: %v", err)
	}
}

func TestAnInterruptEndsTheWaitForAHook(t *testing.T) {
	var tries atomic.Int64
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		tries.Add(1)
		http.Error(w, "later", http.StatusServiceUnavailable)
	}))
	defer s.Close()
	ctx, cancel := context.WithCancel(t.Context())
	cancel() // before the run was told of: it is told of still
	at := strings.Replace(s.URL, "http://", "http://me:SECRET@", 1) + "/SECRET?key=SECRET"
	err := hook.Tell(ctx, hook.Options{URL: at, Waits: []time.Duration{0, time.Hour}}, 1)
	if err == nil || tries.Load() != 2 || !strings.Contains(err.Error(), "tried 2 times") || strings.Contains(err.Error(), "SECRET") {
		t.Errorf("%d tries after an interrupt, %v; want two, and no secret", tries.Load(), err)
	}
	ctx, cancel = context.WithCancel(t.Context())
	tries.Store(0)
	ended := make(chan error, 1)
	go func() { ended <- hook.Tell(ctx, hook.Options{URL: s.URL, Waits: []time.Duration{time.Hour}}, 1) }() // ends with ctx
	await.Until(t, time.Minute, func() error {
		if tries.Load() == 0 {
			return errors.New("no try yet")
		}
		return nil
	})
	cancel()
	if err := <-ended; err == nil || !strings.Contains(err.Error(), "tried once") {
		t.Errorf("interrupted while it waits: %v", err)
	}
}

func TestARedirectOfAHookIsNotFollowed(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/" {
			t.Errorf("the redirect is followed to %s", r.URL)
		}
		http.Redirect(w, r, "/other", http.StatusTemporaryRedirect)
	}))
	defer s.Close()
	if err := hook.Tell(t.Context(), hook.Options{URL: s.URL + "/", Waits: []time.Duration{}}, 1); err == nil {
		t.Error("a redirect is taken for an answer")
	}
}

func TestACommandGetsTheObject(t *testing.T) {
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip(err)
	}
	file := filepath.Join(t.TempDir(), "told")
	var out bytes.Buffer
	o := hook.Options{Command: "cat > '" + file + "'; echo done", Output: &out}
	if err := hook.Tell(t.Context(), o, map[string]string{"ended": "done"}); err != nil {
		t.Fatal(err)
	}
	if b, err := os.ReadFile(file); err != nil || string(b) != `{"ended":"done"}` || out.String() != "done\n" {
		t.Errorf("%s, %s, %v", b, out.String(), err)
	}
	if err := hook.Tell(t.Context(), hook.Options{Command: "exit 3"}, 1); err == nil || !strings.Contains(err.Error(), "exit status 3") {
		t.Errorf("%v", err)
	}
}

func TestFaultsOfAHook(t *testing.T) {
	for _, o := range []hook.Options{{URL: "example.org"}, {URL: "ftp://example.org/"}, {URL: "http://"}, {Secret: []byte("x")}} {
		if o.Validate() == nil {
			t.Errorf("%+v is taken", o)
		}
	}
}

// A server is told of the end of a run, and can see who sent it.
func Example() {
	s := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		fmt.Println(string(body), r.Header.Get(hook.SignatureHeader) == hook.Sign([]byte("secret"), body))
	}))
	defer s.Close()
	err := hook.Tell(context.Background(), hook.Options{URL: s.URL, Secret: []byte("secret")}, map[string]string{"ended": "done"})
	fmt.Println(err)
	// Output:
	// {"ended":"done"} true
	// <nil>
}
