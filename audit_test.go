package gatecrawl_test

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"

	"gatecrawl.example/gatecrawl"
	"gatecrawl.example/gatecrawl/fetch"
	"gatecrawl.example/gatecrawl/frontier"
	"gatecrawl.example/gatecrawl/frontier/seeds"
	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/store"
)

// A late store finds something for the first worker that finds its queue empty, when
// another one was told already that there is nothing.
type late struct {
	*store.Store
	found  weburl.URL
	calls  atomic.Int64
	second chan struct{}
}

func (s *late) Next(ctx context.Context) (frontier.Lease, error) {
	l, err := s.Store.Next(ctx)
	if !errors.Is(err, frontier.ErrEmpty) {
		return l, err
	}
	switch s.calls.Add(1) {
	case 1:
		<-s.second
		if _, err := s.Add(ctx, []frontier.Candidate{{URL: s.found}}); err != nil {
			return l, err
		}
		return s.Store.Next(ctx)
	case 2:
		close(s.second)
	}
	return l, err
}

func TestWhatAnAuditFindsIsFollowedWhenOthersHaveEnded(t *testing.T) {
	w := newWorld(t)
	w.page("/1", prose(1))
	w.page("/2", prose(2)+`<a href="/3">3</a>`)
	w.page("/3", prose(3))
	st, err := store.Open(t.TempDir(), w.so)
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	found, err := weburl.Parse(w.srv.URL + "/2")
	if err != nil {
		t.Fatal(err)
	}
	f, err := fetch.New(fetch.Options{AllowLoopback: true})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	scope, err := frontier.NewScope(w.sco)
	if err != nil {
		t.Fatal(err)
	}
	c, err := gatecrawl.New(w.o, &late{Store: st, found: found, second: make(chan struct{})}, f, scope, nil, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Seed(t.Context(), seeds.Read(strings.NewReader(w.srv.URL+"/1"), "seeds"), func(err error) { t.Error(err) }); err != nil {
		t.Fatal(err)
	}
	ended, err := c.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if n := st.Totals(); ended != gatecrawl.Done || n.Queued > 0 || n.Pages != 3 {
		t.Errorf("the crawl is %s with %d of 3 pages, and %d addresses wait", ended, n.Pages, n.Queued)
	}
}
