package gatecrawl

import (
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"sync"
	"time"

	"gatecrawl.example/gatecrawl/fetch"
	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/page"
	"gatecrawl.example/gatecrawl/warc"
)

// ArchiveIn makes the crawler write all requests and answers to an archive.
func (c *Crawler) ArchiveIn(a *warc.Archive) { c.archive = a }

// archived writes the answer of a visit to the archive, or the reason why there is none, unless the
// visit failed and will be tried again. It runs before the visit is settled: after a crash between
// the two the archive may hold an answer twice, but never lacks one.
func (c *Crawler) archived(v *visit) error {
	if c.archive == nil || v.Retry > 0 {
		return nil
	}
	var err error
	switch {
	case v.answer != nil:
		err = c.archive.Write(c.exchange(v.answer)...)
	case !v.Finished.IsZero():
		err = c.archive.Write(warc.FailureDraft(v.Page.URL, v.Page.Fetched, v.Page.Reason))
	}
	if err != nil {
		return fmt.Errorf("settle %s: %w", v.Page.URL, err)
	}
	return nil
}

// archivedRobots writes to the archive what an origin answered to the request for its robots.txt.
func (c *Crawler) archivedRobots(answers []*fetch.Response) error {
	for _, r := range answers {
		if err := c.archive.Write(c.exchange(r)...); err != nil {
			return fmt.Errorf("robots.txt %s: %w", r.URL, err)
		}
	}
	return nil
}

// answerOf returns what is kept of an answer in addition to its bytes.
func answerOf(v *visit) page.Answer {
	a := page.Answer{Header: v.answer.Header, Truncated: v.answer.Truncated, Rendered: v.resp != v.answer}
	a.IP, _, _ = net.SplitHostPort(v.answer.Addr)
	return a
}

// exchange returns the WARC records of a request and its answer, preceded by a record of the host's
// IP address if that is new.
func (c *Crawler) exchange(r *fetch.Response) []warc.Draft {
	answer := draftOf(r)
	answer.ID = warc.NewID()
	request := warc.RequestDraft(answer, r.URL.RequestURI(), r.URL.Host(), r.Asked)
	request.Fields = append(request.Fields, protocolFields(r)...)
	ds := []warc.Draft{request, answer}
	if ip := addressOf(r); ip.IsValid() && c.fetch.Direct() && c.resolved.isNew(hostname(r.URL), ip) {
		ds = append([]warc.Draft{warc.NameDraft(hostname(r.URL), r.Started, ip.String(), ip.Is6())}, ds...)
	}
	return ds
}

// draftOf returns the WARC record of an answer.
func draftOf(r *fetch.Response) warc.Draft {
	d := warc.ResponseDraft(r.URL.String(), r.Started, r.Status, r.Header, r.Body)
	if ip := addressOf(r); ip.IsValid() {
		d.Fields = append(d.Fields, warc.Field{Name: "WARC-IP-Address", Value: ip.String()})
	}
	d.Fields = append(d.Fields, protocolFields(r)...)
	if r.Truncated {
		d.Fields = append(d.Fields, warc.Field{Name: "WARC-Truncated", Value: "unspecified"})
	}
	if r.Status == http.StatusNotModified {
		return warc.NotModifiedDraft(d)
	}
	return d
}

// protocolFields returns fields that name the protocols of an answer. The message itself is always
// written as HTTP/1.1, as readers of archives expect.
func protocolFields(r *fetch.Response) (fields warc.Fields) {
	for _, p := range r.Protocols {
		fields = append(fields, warc.Field{Name: "WARC-Protocol", Value: p})
	}
	if r.Cipher != "" {
		fields = append(fields, warc.Field{Name: "WARC-Cipher-Suite", Value: r.Cipher})
	}
	return fields
}

// addressOf returns the IP address that answered, or the zero Addr if it is not known.
func addressOf(r *fetch.Response) netip.Addr {
	at, err := netip.ParseAddrPort(r.Addr)
	if err != nil {
		return netip.Addr{}
	}
	return at.Addr().Unmap().WithZone("")
}

// hostname is a URL's host without its port; "" if the host is an IP address.
func hostname(u weburl.URL) string {
	host := u.Host()
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	if len(host) == 0 || host[0] == '[' {
		return ""
	}
	if _, err := netip.ParseAddr(host); err == nil {
		return ""
	}
	return host
}

// mostResolved limits the IP addresses that a crawler remembers, at some 100 bytes each. After
// resolvedFor an address is written to the archive again.
const (
	mostResolved = 1 << 16
	resolvedFor  = 24 * time.Hour
)

// A resolved remembers which IP addresses of hosts the archive already has.
type resolved struct {
	mu    sync.Mutex
	hosts map[string]resolution
}

type resolution struct {
	ip netip.Addr
	at time.Time
}

// isNew reports whether a host's IP address has not been written for resolvedFor, and notes that it
// is written now. If too many are known it forgets an arbitrary one.
func (n *resolved) isNew(host string, ip netip.Addr) bool {
	if host == "" {
		return false
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if was, ok := n.hosts[host]; ok && was.ip == ip && time.Since(was.at) < resolvedFor {
		return false
	}
	if n.hosts == nil {
		n.hosts = make(map[string]resolution)
	}
	for other := range n.hosts {
		if len(n.hosts) < mostResolved {
			break
		}
		delete(n.hosts, other)
	}
	n.hosts[host] = resolution{ip, time.Now()}
	return true
}
