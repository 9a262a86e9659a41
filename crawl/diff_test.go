package crawl_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"gatecrawl.example/gatecrawl"
	"gatecrawl.example/gatecrawl/crawl"
	"gatecrawl.example/gatecrawl/export"
	"gatecrawl.example/gatecrawl/page"
)

// A history is a job as export.Diff reads it.
type history struct{ gatecrawl.Inspector }

func (h history) Pages(ctx context.Context, fn func(page.Record) error) error {
	return h.Inspector.Pages(ctx, 1, fn)
}

func TestDiffSaysWhatBecameOfPages(t *testing.T) {
	t.Parallel()
	var later atomic.Bool
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		show := func(body string) { fmt.Fprintf(w, "<!DOCTYPE html><html lang=en><body>%s", body) }
		second := later.Load()
		switch r.URL.Path {
		case "/":
			links := `<a href=/same>same</a> <a href=/edited>edited</a> <a href=/gone>gone</a> <a href=/moved>moved</a> <a href=/amended>amended</a>`
			if second {
				links += ` <a href=/fresh>fresh</a>`
			}
			show("<title>Start</title><p>" + text("start") + "<p>" + links)
		case "/edited":
			body := text("edited")
			if second {
				body = strings.ReplaceAll(body, "edited-7", "rewritten-7") + " " + text("appended")
			}
			show("<title>Edited</title><p>" + body)
		case "/amended":
			dens := "was seen by nobody at all"
			if second {
				dens = "is the home of seventeen otters"
			}
			show("<title>Amended</title><p>" + text("amended") + "<p>The den by the river " + dens + " in spring.<p>" + text("rest"))
		case "/gone", "/moved":
			switch {
			case second && r.URL.Path == "/gone":
				http.NotFound(w, r)
			case second:
				http.Redirect(w, r, "/fresh", http.StatusMovedPermanently)
			default:
				show("<title>" + r.URL.Path + "</title><p>" + text(strings.Trim(r.URL.Path, "/")))
			}
		case "/same", "/fresh":
			show("<title>" + r.URL.Path + "</title><p>" + text(strings.Trim(r.URL.Path, "/")))
		default:
			http.NotFound(w, r)
		}
	}))
	defer site.Close()
	dir := t.TempDir()
	run := func() (job *crawl.Crawl) {
		s := quick(site.URL + "/")
		s.Workers, s.RecrawlCopies = 1, 1
		c, err := crawl.OpenWith(dir, s, crawl.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		return c
	}
	if err := run().Close(); err != nil {
		t.Fatal(err)
	}
	later.Store(true)
	between := time.Now()
	c := run()
	defer func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	}()
	var got []string
	err := export.Diff(t.Context(), history{c.Job()}, between, func(ch export.Change) error {
		got = append(got, ch.What+" "+strings.TrimPrefix(ch.URL, site.URL))
		if ch.What == export.ChangeChanged && strings.HasSuffix(ch.URL, "/edited") && (ch.Differs == nil || !strings.Contains(fmt.Sprint(ch.Differs.Here), "appended")) {
			t.Errorf("passages of the edited page: %+v", ch.Differs)
		}
		if ch.What == export.ChangeEdited && (ch.Differs == nil || !strings.Contains(fmt.Sprint(ch.Differs.Here), "seventeen otters") || !strings.Contains(fmt.Sprint(ch.Differs.There), "nobody at all")) {
			t.Errorf("passages of the amended page: %+v", ch.Differs)
		}
		if (ch.What == export.ChangeGone || ch.What == export.ChangeMoved) && ch.Reason == "" {
			t.Errorf("%+v has no reason", ch)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(got)
	if want := []string{"changed /edited", "edited /amended", "gone /gone", "moved /moved", "new /fresh"}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	between = time.Now()
	c = run()
	if err := export.Diff(t.Context(), history{c.Job()}, between, func(ch export.Change) error {
		t.Errorf("nothing changed since, and the next run has %+v", ch)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	n := 0
	if err := export.Diff(t.Context(), history{c.Job()}, time.Now().Add(time.Hour), func(export.Change) error { n++; return nil }); err != nil || n != 0 {
		t.Errorf("%d changes since tomorrow, %v", n, err)
	}
}

func TestAHostThatIsParkedByHandIsCountedApart(t *testing.T) {
	t.Parallel()
	site, asked, answer := chain(t, 3)
	s := quick(site.URL + "/")
	s.Workers = 1
	c := open(t, t.TempDir(), s, crawl.Options{})
	end := running(t, c)
	<-asked
	if err := c.Park(t.Context(), strings.TrimPrefix(site.URL, "http://"), time.Hour); err != nil {
		t.Fatal(err)
	}
	answer <- struct{}{}
	if e := <-end; e.err != nil || e.how != gatecrawl.Done {
		t.Fatalf("%+v", e)
	}
	n := c.Totals()
	if n.AsideHosts != 1 || n.Aside == 0 || n.ParkedHosts != 1 || n.Parked != n.Aside {
		t.Errorf("%+v, want one host parked by hand, and no other", n)
	}
}

func TestPatternsToIncludeAreAddedToARunningCrawl(t *testing.T) {
	t.Parallel()
	site, asked, answer := chain(t, 3)
	s := quick(site.URL + "/")
	s.Workers = 1
	c := open(t, t.TempDir(), s, crawl.Options{})
	end := running(t, c)
	<-asked // of /1, whose links are not queued yet
	d, err := c.Apply(gatecrawl.Change{Include: []string{`/drop/`, `/drop/`}})
	if err != nil || !slices.Equal(d.Include, []string{`/drop/`}) {
		t.Errorf("%+v, %v", d, err)
	}
	if _, err := c.Apply(gatecrawl.Change{Include: []string{`(`}}); err == nil {
		t.Error("a pattern that is none is taken")
	}
	answer <- struct{}{}
	if e := <-end; e.err != nil {
		t.Fatal(e.err)
	}
	for p, err := range c.Pages(t.Context()) {
		if err != nil || strings.HasSuffix(p.URL, "/2") && p.Status != 0 {
			t.Errorf("%s is fetched, which no pattern matches (%v)", p.URL, err)
		}
	}
}
