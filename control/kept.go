package control

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"gatecrawl.example/gatecrawl"
	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/purify"
)

// A View is a DocView as it is written in JSON. Its layout is in hexadecimal, since many readers
// take numbers for floating point with 53 bits.
type View struct {
	*purify.DocView
	Layout string            `json:"layout,omitempty"` // replaces that of DocView; see LayoutDigits
	Copy   *gatecrawl.Member `json:"copy,omitempty"`   // the URL that was asked for, if its page is a copy of this one
}

// ViewOf returns a DocView as it is written in JSON.
func ViewOf(v *purify.DocView) View { return View{DocView: v, Layout: LayoutDigits(v)} }

// LayoutDigits returns a DocView's layout in hexadecimal, "" if it has none.
func LayoutDigits(v *purify.DocView) string {
	if v.Layout == 0 {
		return ""
	}
	return fmt.Sprintf("%016x", v.Layout)
}

// A Body has the bytes that a job keeps of a page.
type Body struct {
	URL  string            `json:"url"`
	Type string            `json:"content_type"` // with the charset that was used to read the bytes
	Body []byte            `json:"body"`         // base64
	Copy *gatecrawl.Member `json:"copy,omitempty"`
}

// answerView answers with the view of a URL, or that of the page that it is a copy of.
func answerView(ctx context.Context, in gatecrawl.RecordReader, q Question, enc *json.Encoder) error {
	var view *purify.DocView
	url, as, err := keptAt(ctx, in, q.URL, func(url string) (err error) {
		view, err = in.View(ctx, url)
		return err
	})
	if err != nil {
		return err
	}
	why, err := in.Why(ctx, url)
	if err != nil {
		return err
	}
	if why.Page != nil {
		view.Fields, view.FieldsCut = why.Page.Fields, why.Page.FieldsCut
		view.TextError = why.Page.TextError
	}
	view.URL = url
	v := ViewOf(view)
	v.Copy = as
	return enc.Encode(v)
}

// answerBody answers with the kept bytes of a URL, or of the page that it is a copy of.
func answerBody(ctx context.Context, in gatecrawl.RecordReader, q Question, enc *json.Encoder) error {
	var b Body
	url, as, err := keptAt(ctx, in, q.URL, func(url string) (err error) {
		b.Body, err = in.Body(ctx, url)
		return err
	})
	if err != nil {
		return err
	}
	b.URL, b.Copy = url, as
	why, err := in.Why(ctx, url)
	if err != nil {
		return err
	}
	if p := why.Page; p != nil {
		b.Type = p.Type
		if p.Charset != "" {
			b.Type += "; charset=" + p.Charset
		}
	}
	return enc.Encode(b)
}

// keptAt calls read with a URL, and if the job keeps nothing for it because the page is a copy,
// with the URL of the kept page. It returns the URL that was read, and if that is another one, in
// what way the page of the given URL is its copy. read returns gatecrawl.ErrUnknown if nothing is
// kept.
func keptAt(ctx context.Context, in gatecrawl.RecordReader, url string, read func(url string) error) (string, *gatecrawl.Member, error) {
	err := read(url)
	if !errors.Is(err, gatecrawl.ErrUnknown) {
		return url, nil, err
	}
	why, fault := in.Why(ctx, url)
	if fault != nil {
		return "", nil, fault // the job does not know the URL, and fault says so
	}
	p := why.Page
	switch {
	case p == nil:
		return "", nil, &refusal{fmt.Sprintf("%s was not fetched; crawl why tells more", url), http.StatusNotFound}
	case p.Verdict != page.VerdictCopy:
		reason := p.Reason
		if reason == "" {
			reason = "it is " + p.Type
		}
		return "", nil, &refusal{fmt.Sprintf("%s has no document to view: %s", url, reason), http.StatusNotFound}
	}
	if p.Earlier() {
		return "", nil, &refusal{fmt.Sprintf("%s is a copy of %s, which %s has: view it there", url, p.Of, p.Archive), http.StatusNotFound}
	}
	if err := read(p.Of); err != nil {
		return "", nil, err
	}
	return p.Of, &gatecrawl.Member{
		URL: p.URL, Seq: p.Seq, Class: p.Class, Level: p.Level, Distance: p.Distance, Similarity: p.Similarity, Differs: p.Differs,
	}, nil
}
