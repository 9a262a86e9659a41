package linkrot

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"gatecrawl.example/gatecrawl/dedup"
	"gatecrawl.example/gatecrawl/fetch"
	"gatecrawl.example/gatecrawl/purify"
)

const story = `<title>Bees in winter</title><p>A hive does not sleep. The bees form a cluster around the queen and shiver to keep
the hive warm, and the cluster slowly moves over the honey that was stored in summer. A strong hive eats twenty kilos before spring.`

// A note has too few words to tell it from another page.
const note = "<title>Sheds</title><p>The shed is open on Monday from nine until noon."

// newSite serves the story at /moved/story and, with another word, at /edited; /gone leads
// to /moved/story by two redirects, /stub and /bare by a meta refresh, /private is forbidden, and all else is another page.
func newSite(t *testing.T) (origin string, asked *[]string) {
	asked = new([]string)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/robots.txt" {
			io.WriteString(w, "User-agent: *\nDisallow: /private\n")
			return
		}
		*asked = append(*asked, r.URL.Path)
		w.Header().Set("Content-Type", "text/html")
		switch r.URL.Path {
		case "/gone":
			http.Redirect(w, r, "/hop", http.StatusMovedPermanently)
		case "/hop":
			http.Redirect(w, r, "/moved/story", http.StatusFound)
		case "/stub":
			io.WriteString(w, `<base href="/moved/"><meta http-equiv=refresh content="0; url=story"><title>Moved</title><a href=story>Click here</a>`)
		case "/bare":
			io.WriteString(w, `<meta http-equiv=refresh content="0; url=/moved/story">`)
		case "/loop":
			http.Redirect(w, r, "/loop", http.StatusFound)
		case "/moved/story":
			io.WriteString(w, story)
		case "/edited":
			io.WriteString(w, strings.Replace(story, "twenty", "thirty", 1))
		case "/note":
			io.WriteString(w, note)
		case "/404":
			http.NotFound(w, r)
		default:
			fmt.Fprintf(w, "<title>Trains</title><p>The railway at %s carries coal and timber from the northern valleys to the harbour every morning.", r.URL.Path)
		}
	}))
	t.Cleanup(s.Close)
	return s.URL, asked
}

func TestSearchTakesTheFirstPageThatIsTheLostOne(t *testing.T) {
	origin, asked := newSite(t)
	o := fetch.ClientOptions{}
	o.Fetch.AllowLoopback = true
	client, err := fetch.NewClient(o)
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	view := purify.PurifyAt(origin+"/gone", []byte(story), "text/html")
	sign := dedup.Sign([]byte(story), view)
	digest := dedup.DigestOf([]byte(story)).String()
	brief := purify.PurifyAt(origin+"/note", []byte(note), "text/html")
	briefSign := dedup.Sign([]byte(note+" "), brief)
	at := func(how string, paths ...string) (cs []Candidate) {
		for _, p := range paths {
			cs = append(cs, Candidate{URL: origin + p, How: how, Why: "because"})
		}
		return cs
	}
	var many []string
	for i := range 20 {
		many = append(many, fmt.Sprintf("/other/%d", i))
	}
	for name, c := range map[string]struct {
		lost  Lost
		alive string // path
		how   string
		asked int // pages
		tried string
	}{
		"at its own URL":           {Lost{URL: "/moved/story", Digest: digest, Sign: &sign, Title: view.Title}, "/moved/story", HowItself, 1, ""},
		"where it redirects to":    {Lost{URL: "/gone", Sign: &sign, Title: view.Title}, "/moved/story", HowRedirect, 3, "redirects to"},
		"redirected, text unknown": {Lost{URL: "/gone"}, "/moved/story", HowRedirect, 3, "redirects to"},
		"by a meta refresh":        {Lost{URL: "/stub", Sign: &sign, Title: view.Title}, "/moved/story", HowRedirect, 2, "by a meta refresh"},
		"by one, text unknown":     {Lost{URL: "/bare"}, "/moved/story", HowRedirect, 2, "by a meta refresh"},
		"edited":                   {Lost{URL: "/404", Sign: &sign, Title: view.Title, Candidates: at(HowMove, "/trains", "/edited")}, "/edited", HowMove, 3, `another page, "Trains": `},
		"text unknown":             {Lost{URL: "/404", Candidates: at(HowMove, "/moved/story")}, "", "", 2, "nothing is kept of the lost page"},
		"of few words":             {Lost{URL: "/404", Sign: &briefSign, Title: brief.Title, Candidates: at(HowGroup, "/note")}, "", "", 2, "its text is nearly the same, but too short to tell it from another page: "},
		"in a loop":                {Lost{URL: "/loop", Sign: &sign}, "", "", 1, "redirects to"},
		"forbidden":                {Lost{URL: "/private", Sign: &sign}, "", "", 0, "its robots.txt forbids it, line 2"},
		"ten are asked, no more":   {Lost{URL: "/404", Sign: &sign, Candidates: at(HowNear, many...)}, "", "", 11, "http status 404"},
	} {
		*asked = nil
		c.lost.URL = origin + c.lost.URL
		got, err := Search(t.Context(), client, &c.lost)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if alive := strings.TrimPrefix(got.Alive, origin); alive != c.alive || got.How != c.how {
			t.Errorf("%s: found %q by %q, want %q by %q", name, alive, got.How, c.alive, c.how)
		}
		if got.Alive == "" && got.Distance != -1 {
			t.Errorf("%s: nothing is found, and it is %d bits apart", name, got.Distance)
		}
		if len(*asked) != c.asked {
			t.Errorf("%s: asked for %v, want %d pages", name, *asked, c.asked)
		}
		if c.tried != "" && !slices.ContainsFunc(got.Tried, func(s string) bool { return strings.Contains(s, c.tried) }) {
			t.Errorf("%s: tried %q, want one that says %q", name, got.Tried, c.tried)
		}
	}
}
