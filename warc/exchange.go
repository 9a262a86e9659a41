package warc

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"time"
)

// RequestDraft returns the record of the request that a response answers: a GET of target,
// which is path and query, from host. The response has to have an ID, which the record names.
func RequestDraft(response Draft, target, host string, header http.Header) Draft {
	b := fmt.Appendf(nil, "GET %s HTTP/1.1\r\nHost: %s\r\n", target, host)
	for _, name := range slices.Sorted(maps.Keys(header)) {
		for _, v := range header[name] {
			b = fmt.Appendf(b, "%s: %s\r\n", name, oneLine(v))
		}
	}
	return Draft{
		Type: Request, URL: response.URL, Date: response.Date, Kind: "application/http; msgtype=request",
		Fields: Fields{{"WARC-Concurrent-To", response.ID}}, Content: append(b, "\r\n"...),
	}
}

// FailureDraft returns the record of a request that brought no answer, and why: metadata
// with the field fetch-error.
func FailureDraft(url string, at time.Time, why string) Draft {
	return Draft{
		Type: Metadata, URL: url, Date: at, Kind: "application/warc-fields",
		Content: fmt.Appendf(nil, "fetch-error: %s\r\n", oneLine(why)),
	}
}

// NameDraft returns a record of an IP address that a host name resolved to (ISO 28500, section
// 6.4): a resource record dns:host with a line in the form of zone files (RFC 4027, RFC 1035) after
// the time (RFC 2540). It does not have the rest of the name server's answer, such as how long it
// is valid.
func NameDraft(host string, at time.Time, ip string, v6 bool) Draft {
	kind := "A"
	if v6 {
		kind = "AAAA"
	}
	return Draft{
		Type: Resource, URL: "dns:" + host, Date: at, Kind: "text/dns",
		Content: fmt.Appendf(nil, "%s\r\n%s. IN %s %s\r\n", stamp14(at), host, kind, ip),
	}
}
