package gatecrawl_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"gatecrawl.example/gatecrawl/page"
)

// with serves a page with more headers.
func (w *world) with(path, contentType, body string, headers ...string) {
	w.mux.HandleFunc("GET "+path, func(rw http.ResponseWriter, r *http.Request) {
		rw.Header().Set("Content-Type", contentType)
		for i := 0; i < len(headers); i += 2 {
			rw.Header().Add(headers[i], headers[i+1])
		}
		fmt.Fprint(rw, body)
	})
}

func TestOrdersOfAPageAreHeeded(t *testing.T) {
	t.Parallel()
	const leads = `<a href=/next>next</a>`
	meta := func(name, content string) string {
		return fmt.Sprintf("<html><head><meta name=%q content=%q></head><body>%s%s</body></html>", name, content, prose(1), leads)
	}
	for _, c := range []struct {
		name, body string
		headers    []string
		reason     string // of a refusal; "" where the page is kept
		follows    bool
	}{
		{"nothing", meta("x", "noindex"), nil, "", true},
		{"meta noindex", meta("robots", "noindex"), nil, "meta robots says noindex", true},
		{"meta none", meta("ROBOTS", "NONE"), nil, "meta robots says noindex", false},
		{"meta nofollow", meta("robots", "nofollow"), nil, "", false},
		{"meta for us", meta("gatecrawl", "noindex,nofollow"), nil, "meta robots says noindex", false},
		{"meta for another", meta("otherbot", "none"), nil, "", true},
		{"header noindex", meta("robots", "all"), []string{"X-Robots-Tag", "noindex"}, "X-Robots-Tag says noindex", true},
		{"header nofollow", meta("robots", "all"), []string{"X-Robots-Tag", "nofollow"}, "", false},
		{"header for another", meta("robots", "all"), []string{"X-Robots-Tag", "otherbot: none"}, "", true},
		{"two headers", meta("robots", "all"), []string{"X-Robots-Tag", "otherbot: noindex", "X-Robots-Tag", "gatecrawl: nofollow"}, "", false},
		{"no longer available", meta("robots", "all"), []string{"X-Robots-Tag", "unavailable_after: 25 Jun 2010 15:00:00 GMT"}, "X-Robots-Tag says noindex", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t)
			w.with("/1", "text/html", c.body, c.headers...)
			w.page("/next", prose(2))
			pages, _ := w.crawl(t.Context(), "/1")
			p := pages["/1"]
			if c.reason == "" && p.Verdict != page.VerdictNew || c.reason != "" && (p.Verdict != page.VerdictRefused || p.Rule != "noindex" || p.Reason != c.reason) {
				t.Errorf("%s, rule %q: %s; want reason %q", p.Verdict, p.Rule, p.Reason, c.reason)
			}
			if _, err := w.store.View(t.Context(), p.URL); (err == nil) != (c.reason == "") {
				t.Errorf("view: %v", err)
			}
			if got := slices.Contains(w.asked(), "/next"); got != c.follows {
				t.Errorf("followed: %v, want %v", got, c.follows)
			}
			if y, err := w.store.Why(t.Context(), w.srv.URL+"/next"); err != nil || !c.follows && y.Rule != "nofollow" {
				t.Errorf("why: %+v, %v", y, err)
			}
		})
	}
}

func TestOrdersMayBeDisregarded(t *testing.T) {
	w := newWorld(t)
	w.o.ObeyMeta = false
	w.with("/1", "text/html", "<meta name=robots content=none>"+prose(1)+`<a rel=nofollow href=/2>2</a>`, "X-Robots-Tag", "none")
	w.page("/2", prose(2))
	pages, _ := w.crawl(t.Context(), "/1")
	for _, path := range []string{"/1", "/2"} {
		if pages[path].Verdict != page.VerdictNew {
			t.Errorf("%s: %+v", path, pages[path])
		}
	}
}

func TestLinksThatAreFollowed(t *testing.T) {
	w := newWorld(t)
	w.with("/d/1", "text/html", `<html><head><base href="/d/e/"><link rel=canonical href=canonical><link rel=alternate hreflang=de href=de>
		<link rel=alternate type=application/rss+xml href=feed><link rel=stylesheet href=style><meta http-equiv=refresh content="5; url=refreshed"></head>
		<body>`+prose(1)+`<a href=plain>a</a><a rel="noopener ugc" href=ugc>a</a><a rel=sponsored href=ad>a</a><a rel=nofollow href=no>a</a>
		<img src=picture srcset="picture2 2x"><area href=area></body></html>`,
		"Link", `</h/canonical>; rel=canonical, </h/fr>; rel=alternate; hreflang=fr, </h/next>; rel=preload`)
	w.crawl(t.Context(), "/d/1")
	got := w.asked()
	slices.Sort(got)
	want := []string{"/d/1", "/d/e/area", "/d/e/canonical", "/d/e/de", "/d/e/plain", "/d/e/refreshed", "/h/canonical", "/h/fr"}
	if !slices.Equal(got, want) {
		t.Errorf("asked for %v\nwant %v", got, want)
	}
}

func TestFeedsAreReadAndFollowed(t *testing.T) {
	w := newWorld(t)
	text := strings.TrimPrefix(prose(4), "<p>")
	feed := `<?xml version="1.0"?><rss version="2.0"><channel><title>News</title><item><title>One</title><link>/1</link><description>` + text + `</description></item></channel></rss>`
	w.with("/feed", "application/rss+xml", feed)
	w.with("/lies", "text/html", strings.Replace(feed, "/1", "/2", 1))
	w.page("/1", prose(1))
	w.page("/2", prose(2))
	pages, _ := w.crawl(t.Context(), "/feed", "/lies")
	for _, path := range []string{"/1", "/2"} {
		if pages[path].Verdict != page.VerdictNew {
			t.Errorf("%s: %+v", path, pages[path])
		}
	}
	kept := "/feed"
	if pages[kept].Verdict != page.VerdictNew {
		kept = "/lies"
	}
	if p := pages[kept]; p.Title != "News" || p.PageType != "listing" || p.BodyTokens < 100 {
		t.Errorf("%+v", p)
	}
	if n := w.store.Totals(); n.New != 3 || n.Copies != 1 {
		t.Errorf("%d new, %d copies, want 3 and 1: both feeds say the same", n.New, n.Copies)
	}
}

func TestBytesOfAnyKindHaveADigest(t *testing.T) {
	w := newWorld(t)
	pdf := "%PDF-1.7\n" + strings.Repeat("stream ", 100)
	w.text("/a.pdf", "application/pdf", pdf)
	w.text("/b.pdf", "text/html", pdf) // a lie
	w.text("/c.bin", "", "\x00\x01\x02")
	pages, _ := w.crawl(t.Context(), "/a.pdf", "/b.pdf", "/c.bin")
	if n := w.store.Totals(); n.New != 2 || n.Copies != 1 {
		t.Errorf("%d new, %d copies, want 2 and 1", n.New, n.Copies)
	}
	for path, want := range map[string]string{"/a.pdf": "application/pdf", "/b.pdf": "application/pdf", "/c.bin": "application/octet-stream"} {
		if p := pages[path]; p.Type != want || len(p.Digest) != 32 {
			t.Errorf("%s: type %q, digest %q", path, p.Type, p.Digest)
		}
	}
}

// The header Refresh is one that browsers follow: PHP programs send it.
func TestTheHeaderRefreshIsFollowed(t *testing.T) {
	for _, c := range []struct{ name, header, body, to string }{
		{"of nothing", "0; url=/new/1", "", "/new/1"},
		{"of a stub", "1;URL='new/1'", "moved", "/new/1"},
		{"of a page", "0; url=/new/1", prose(2), ""},
		{"after five seconds", "5; url=/new/1", "thank you", ""},
		{"to itself", "0; url=/old", "moved", "none"},
		{"again and again", "60", prose(2), "none"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t)
			w.with("/old", "text/html", c.body, "Refresh", c.header)
			w.page("/new/1", prose(1))
			pages, _ := w.crawl(t.Context(), "/old")
			p, to := pages["/old"], pages["/new/1"]
			if c.to == "none" || c.to == "" {
				if p.Verdict != page.VerdictNew || (to.Verdict == page.VerdictNew) != (c.to == "") {
					t.Errorf("the page is %s, %s, and the target %q", p.Verdict, p.Reason, to.Verdict)
				}
				return
			}
			if want := w.srv.URL + c.to; p.Rule != "redirect" || p.Location != want || p.Reason != "redirects to "+want+" by the header Refresh" || to.Verdict != page.VerdictNew || to.Depth != 0 {
				t.Errorf("%+v, and the target is %+v", p, to)
			}
		})
	}
}

// A page that says hardly anything and is left at once is a redirect, and its target has its depth.
func TestAMetaRefreshOfAStubIsARedirect(t *testing.T) {
	const stub = `<p>This page has moved. <a href="/new/1">Click here</a>`
	for _, c := range []struct{ name, head, body, to string }{
		{"at once", `<base href="/new/"><meta http-equiv=refresh content="0; URL=1">`, stub, "/new/1"},
		{"after a second", `<meta http-equiv="Refresh" content="1;url='/new/1?session=5#top'">`, "", "/new/1?session=5"},
		{"after five seconds", `<meta http-equiv=refresh content="5; URL=/new/1">`, stub, ""},
		{"beside a text", `<meta http-equiv=refresh content="0; URL=/new/1">`, prose(2), ""},
		{"only without scripts", `<noscript><meta http-equiv=refresh content="0; URL=/new/1"></noscript>`, "<p>Loading", ""},
		{"only without scripts, with other links", `<noscript><meta http-equiv=refresh content="0; URL=/new/1"></noscript>`, stub + "<a href=/help>Help</a>", ""},
		{"only without scripts, to where its link leads", `<noscript><meta http-equiv=refresh content="1; url=/new/1" /></noscript>`, stub, "/new/1"},
		{"only without scripts, to the canonical page", `<link rel=canonical href="/new/1"><noscript><meta http-equiv=Refresh content="0;/new/1"></noscript>`, stub, "/new/1"},
		{"to itself", `<meta http-equiv=refresh content="0; URL=/old#a">`, stub, ""},
		{"to nowhere", `<meta http-equiv=refresh content="0; URL=http://[">`, stub, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t)
			w.with("/old", "text/html", "<html><head><title>Moved</title>"+c.head+"</head><body>"+c.body, "ETag", `"1"`)
			w.page("/new/1", prose(1))
			w.page("/new/1?session=5", prose(1))
			pages, _ := w.crawl(t.Context(), "/old")
			p := pages["/old"]
			if c.to == "" {
				if p.Verdict != page.VerdictNew || p.Location != "" {
					t.Errorf("%+v, want a page", p)
				}
				return
			}
			want := w.srv.URL + c.to
			if p.Verdict != page.VerdictRefused || p.Rule != "redirect" || p.Location != want || p.Reason != "redirects to "+want+" by a meta refresh" {
				t.Errorf("%+v, want a redirect to %s", p, want)
			}
			if to := pages[c.to]; to.Verdict != page.VerdictNew || to.Depth != 0 {
				t.Errorf("the target is %+v, want a page of depth 0", to)
			}
			if n := w.store.Totals(); n.New != 1 || n.Refused != 1 {
				t.Errorf("%+v, want one new page and a redirect", n)
			}
		})
	}
}
