package purify

import "testing"

func TestDateAndAuthorAreReadFromTheByline(t *testing.T) {
	page := `<title>Bees in winter - Site</title><nav><a href=/>Home</a></nav><h1>Bees in winter</h1><div>By <a href="/authors/ann">Ann Writer</a> · Last updated 7 June 2025</div><div>May 6, 2024</div><p>` + prose(1, 1, 9)[0]
	v := Purify([]byte(page), "text/html")
	if v.Date != "2024-05-06" || v.Author != "Ann Writer" {
		t.Errorf("Purify = date %q, author %q; want 2024-05-06, Ann Writer", v.Date, v.Author)
	}
}

func TestTheAddressNamesWhatThePageDoesNot(t *testing.T) {
	v := PurifyAt("https://example.com/en/garden-care/2024/05/06/bees", []byte("<h1>Bees</h1><p>"+prose(1, 1, 9)[0]), "text/html")
	if v.Date != "2024-05-06" || len(v.Category) != 1 || v.Category[0] != "garden care" {
		t.Errorf("PurifyAt = date %q, category %q; want 2024-05-06, [garden care]", v.Date, v.Category)
	}
}

func TestAnAuthorIsAPersonBeforeTheSite(t *testing.T) {
	const ld = `<script type="application/ld+json">{"@type":"Article","author":{"name":"Daily News"}}</script><meta property="og:site_name" content="Daily News">`
	for _, c := range []struct{ name, page, want string }{
		{"in the byline", ld + "<h1>Bees in winter</h1><div>By Ann Writer, May 6</div>", "Ann Writer"},
		{"nowhere", ld + "<h1>Bees in winter</h1>", "Daily News"},
		{"a number", "<meta name=author content=105464><h1>Bees in winter</h1>", ""},
		{"marked by itemprop", "<h1>Bees in winter</h1><p>" + prose(1, 1, 4)[0] + "<div itemprop=author>Ann Writer</div><div>by the gate</div>", "Ann Writer"},
		{"marked by rel", "<h1>Bees in winter</h1><p>Seen by a keeper, told by <a rel=author href=/ann>Ann Writer</a>, in May", "Ann Writer"},
		{"marked before all text", "<span itemprop=author></span><p>Bees", ""},
		{"marked without text", "<h1>Bees in winter</h1><span itemprop=author><meta itemprop=name content=Ann></span><div>Share</div><p>They sleep.", ""},
		{"a time", "<h1>Bees in winter</h1><p>By 10:00 a.m. they flew.", ""},
	} {
		if got := Purify([]byte(c.page), "text/html").Author; got != c.want {
			t.Errorf("%s: author is %q, want %q", c.name, got, c.want)
		}
	}
}
