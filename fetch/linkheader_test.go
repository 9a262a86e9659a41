package fetch

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestHeaderLinks(t *testing.T) {
	for field, want := range map[string][]HeaderLink{
		"":                             nil,
		"nonsense":                     nil,
		"<":                            nil,
		"<>; rel=canonical":            nil,
		`</a>; rel="canonical"`:        {{Target: "/a", Rel: []string{"canonical"}}},
		`</a>;rel=canonical`:           {{Target: "/a", Rel: []string{"canonical"}}},
		`< /a > ; REL = "Canonical x"`: {{Target: "/a", Rel: []string{"canonical", "x"}}},
		`</a>; rel=next, </b>; rel=prev`: {
			{Target: "/a", Rel: []string{"next"}}, {Target: "/b", Rel: []string{"prev"}},
		},
		`</a?x=1,2;3>; rel=alternate; hreflang="de-AT"; title="a, b; \"c\" <d>", </b>`: {
			{Target: "/a?x=1,2;3", Rel: []string{"alternate"}, HrefLang: "de-AT"}, {Target: "/b"},
		},
		`</a>; rel=canonical; rel=next`:   {{Target: "/a", Rel: []string{"canonical"}}},
		`</a>; rel=canonical; anchor="/"`: nil,
		`</a>; rel="canonical`:            {{Target: "/a", Rel: []string{"canonical"}}},
		`</a>; rel="x\`:                   {{Target: "/a", Rel: []string{"x"}}},
		`</a>; crossorigin; rel=preload`:  {{Target: "/a", Rel: []string{"preload"}}},
	} {
		if diff := cmp.Diff(want, HeaderLinks(http.Header{"Link": {field}})); diff != "" {
			t.Errorf("HeaderLinks(%q): -want +got\n%s", field, diff)
		}
	}
	many := strings.Repeat("</a>; rel=next, ", 1000)
	if got := len(HeaderLinks(http.Header{"Link": {many, many}})); got != maxHeaderLinks {
		t.Errorf("of 2000 links %d are read, want %d", got, maxHeaderLinks)
	}
}

func FuzzHeaderLinks(f *testing.F) {
	f.Add(`</a?x=1,2;3>; rel=alternate; hreflang="de-AT"; title="a, b; \"c\" <d>", </b>`)
	f.Add(`</a>; rel="x\`)
	f.Fuzz(func(t *testing.T, field string) {
		for _, l := range HeaderLinks(http.Header{"Link": {field, field}}) {
			if l.Target == "" || strings.ContainsAny(l.Target, ">") {
				t.Errorf("%q: target %q", field, l.Target)
			}
		}
	})
}

func FuzzContentType(f *testing.F) {
	f.Add("text/html; charset=utf-8", []byte("<html>"))
	f.Add("", []byte("%PDF-1.7"))
	f.Add("application/xml", []byte("<?xml version='1.0'?><html>"))
	f.Fuzz(func(t *testing.T, header string, body []byte) {
		kind := MediaType(header, body)
		if kind != strings.ToLower(kind) || strings.ContainsAny(kind, "; \t") {
			t.Errorf("MediaType(%q) = %q", header, kind)
		}
		if again := MediaType(kind, body); kind != "" && again != kind && !strings.Contains(strings.ToLower(header), "utf-16") {
			t.Errorf("MediaType(%q) = %q, and of that %q", header, kind, again)
		}
	})
}

func FuzzValidators(f *testing.F) {
	f.Add(`W/"x"`, "Fri, 20 Nov 2026 10:00:00 GMT")
	f.Fuzz(func(t *testing.T, tag, date string) {
		r := Response{Header: http.Header{"Etag": {tag}, "Last-Modified": {date}}}
		v := r.Validators()
		for _, value := range v.conditional(http.Header{}) {
			if strings.ContainsAny(value[0], "\r\n\x00") || len(value[0]) > maxValidator+2 {
				t.Errorf("%q, %q are sent as %q", tag, date, value)
			}
		}
	})
}
