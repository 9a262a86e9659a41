package gatecrawl

import (
	"fmt"
	"net"
	"net/http"

	"gatecrawl.example/gatecrawl/fetch"
	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/warc"
)

// ArchiveIn has the crawler write what servers answer to an archive.
func (c *Crawler) ArchiveIn(a *warc.Archive) { c.archive = a }

// archived writes the answer of a visit to the archive, unless it is a failure that has
// another try. It comes before the visit is settled: a crash between the two costs an
// answer that stands there twice, and never one that is missing.
func (c *Crawler) archived(v *visit) error {
	if c.archive == nil || v.answer == nil || v.Retry > 0 {
		return nil
	}
	if err := c.archive.Write(draftOf(v.answer)); err != nil {
		return fmt.Errorf("settle %s: %w", v.Page.URL, err)
	}
	return nil
}

// answerOf is what is kept of an answer beside its bytes.
func answerOf(v *visit) page.Answer {
	a := page.Answer{Header: v.answer.Header, Truncated: v.answer.Truncated, Rendered: v.resp != v.answer}
	a.IP, _, _ = net.SplitHostPort(v.answer.Addr)
	return a
}

// draftOf is the record of an answer.
func draftOf(r *fetch.Response) warc.Draft {
	d := warc.ResponseDraft(r.URL.String(), r.Started, r.Status, r.Header, r.Body)
	if ip, _, err := net.SplitHostPort(r.Addr); err == nil {
		d.Fields = append(d.Fields, warc.Field{Name: "WARC-IP-Address", Value: ip})
	}
	if r.Truncated {
		d.Fields = append(d.Fields, warc.Field{Name: "WARC-Truncated", Value: "unspecified"})
	}
	if r.Status == http.StatusNotModified {
		return warc.NotModifiedDraft(d)
	}
	return d
}
