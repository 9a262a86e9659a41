package gatecrawl_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"gatecrawl.example/gatecrawl"
	"gatecrawl.example/gatecrawl/fetch"
	"gatecrawl.example/gatecrawl/frontier/seeds"
	"gatecrawl.example/gatecrawl/store"
)

// TestAHostRestsAfterARequestThatWasCutOff ends what a request may take while the host works on
// it, as the end of the lease of a partition does, and lets the crawl go on at once.
func TestAHostRestsAfterARequestThatWasCutOff(t *testing.T) {
	t.Parallel()
	const delay = 400 * time.Millisecond
	come, end := make(chan struct{}), make(chan struct{})
	var cut time.Time // before come is closed again
	gap := make(chan time.Duration, 1)
	asked := 0 // one host, one request at once
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/robots.txt" {
			http.NotFound(w, r)
			return
		}
		if asked++; asked == 1 {
			close(come)
			<-r.Context().Done()
			return
		}
		<-end
		gap <- time.Since(cut)
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, prose(1))
	}))
	defer srv.Close()
	so := store.DefaultOptions()
	so.Delay = delay
	c, _ := crawlerOn(t, gatecrawl.DefaultOptions(), so, fetch.Options{Timeout: 10 * time.Second})
	c.AskWithin(func(ctx context.Context) (context.Context, context.CancelFunc) {
		within, cancel := context.WithCancelCause(ctx)
		go func() { // ends with the first page's request, or with its own
			select {
			case <-come:
				select {
				case <-end:
				default:
					cut = time.Now()
					cancel(errors.New("the lease has run out"))
					close(end)
				}
			case <-within.Done():
			}
		}()
		return within, func() { cancel(nil) }
	})
	if _, err := c.Seed(t.Context(), seeds.Read(strings.NewReader(srv.URL), "seeds"), func(err error) { t.Error(err) }); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := <-gap; got < delay-delay/10 {
		t.Errorf("the host was asked again after %v, want %v", got, delay)
	}
}
