package control

import (
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/page"
)

// A Question is a question to a job.
type Question struct {
	Verb    string       // one of Verbs
	URL     string       // why, view, body, rule, near, linksfrom: the URL; linksto: URLs, one a line; alive, fold, list: URLs, one a line; mirror: a host or an origin
	Other   string       // mirror: the other host or origin
	Page    string       // near: a Page as JSON, for one that the job does not know; "" for URL. fold: a FoldRequest as JSON
	Parts   string       // rows: what is wanted besides the records, parted by commas: views, bodies, inlinks, links, older, records. queue: urls, to list them
	Verdict page.Verdict // pages, rows: only those with this verdict; "" for all
	From    uint64       // pages, dups: from this place in crawl order on, 1 is the first; 0 is the same. hosts: from this place in the order on
	Limit   int          // pages, dups, mirrors, near, hosts: at most so many; 0 means no limit. queue: look at so many. live: so many of each kind
	By      string       // hosts: a frontier.HostOrder

	// pages, and refused of Rule alone: only those that have each of these that is set, as in page.Kind
	Rule   string
	Reason string
	Host   string
	Status int
	Level  int
	Class  string

	Relevance float32 // pages: at least, 0 to 1
}

// Verbs are the verbs of all questions, see docs/formats.md.
var Verbs = []string{
	"status", "pages", "dups", "mirrors", "mirror", "rules", "rule", "why", "view", "body", "views", "rows", "refused", "report", "list", "linksto", "linksfrom", "near", "alive", "fold", "check", "hosts", "queue", "roots", "live",
}

// values encodes all of a question but Verb and Page as the query of a URL.
func (q Question) values() url.Values {
	v := url.Values{}
	set := func(key, value string, given bool) {
		if given {
			v.Set(key, value)
		}
	}
	set("url", q.URL, q.URL != "")
	set("other", q.Other, q.Other != "")
	set("parts", q.Parts, q.Parts != "")
	set("verdict", string(q.Verdict), q.Verdict != "")
	set("from", strconv.FormatUint(q.From, 10), q.From > 0)
	set("by", q.By, q.By != "")
	set("limit", strconv.Itoa(q.Limit), q.Limit > 0)
	set("rule", q.Rule, q.Rule != "")
	set("reason", q.Reason, q.Reason != "")
	set("host", q.Host, q.Host != "")
	set("status", strconv.Itoa(q.Status), q.Status > 0)
	set("class", q.Class, q.Class != "")
	set("relevance", strconv.FormatFloat(float64(q.Relevance), 'g', -1, 32), q.Relevance != 0)
	set("level", strconv.Itoa(q.Level), q.Level > 0)
	return v
}

// kind returns which pages are wanted.
func (q Question) kind() page.Kind {
	return page.Kind{Verdict: q.Verdict, Rule: q.Rule, Failure: q.Reason, Host: weburl.CanonicalHost(q.Host), Status: q.Status, Level: q.Level, Class: q.Class, Relevance: q.Relevance}
}

// parseQuestion decodes the query that values has encoded.
func parseQuestion(verb string, v url.Values) (q Question, err error) {
	q = Question{Verb: verb, URL: v.Get("url"), Other: v.Get("other"), Parts: v.Get("parts"), By: v.Get("by"), Verdict: page.Verdict(v.Get("verdict")),
		Rule: v.Get("rule"), Reason: v.Get("reason"), Class: v.Get("class"), Host: strings.ToLower(v.Get("host"))}
	if s := v.Get("from"); s != "" {
		if q.From, err = strconv.ParseUint(s, 10, 64); err != nil {
			return q, fmt.Errorf("from: %q is not a place in crawl order: want a number, 1 is the first", s)
		}
	}
	if s := v.Get("relevance"); s != "" {
		if q.Relevance, err = ParseRelevance(s); err != nil {
			return q, err
		}
	}
	for name, n := range map[string]*int{"limit": &q.Limit, "status": &q.Status, "level": &q.Level} {
		if s := v.Get(name); s != "" {
			if *n, err = strconv.Atoi(s); err != nil {
				return q, fmt.Errorf("%s: %q is not a number", name, s)
			}
			if *n < 0 {
				return q, fmt.Errorf("%s: %d: want 0 or more", name, *n)
			}
		}
	}
	return q, nil
}

// ParseRelevance reads a relevance, from 0 to 1.
func ParseRelevance(text string) (float32, error) {
	x, err := strconv.ParseFloat(text, 32)
	if err != nil || !(x >= 0 && x <= 1) {
		return 0, fmt.Errorf("relevance: %q: want a number from 0 to 1", text)
	}
	return float32(x), nil
}
