package template

import (
	"encoding/binary"
	"fmt"

	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/purify"
	"gatecrawl.example/gatecrawl/store/kv"
	"gatecrawl.example/gatecrawl/store/kv/row"
)

// What is known of the templates of hosts.
var (
	// TableSites has by the host's key what its pages repeat so far. A commit of a wide crawl
	// brings many new hosts, and pages that are split stay half full unless the engine is told:
	// of 20,000 hosts of one page a row took 237 bytes of disk, and takes 129.
	TableSites = &kv.Table{Name: "sites", Fill: .9}

	// TableTemplates has by the host's key the template that is used, purify.Template.Bytes.
	TableTemplates = &kv.Table{Name: "templates"}

	// TableAgain has the pages that are to be purified again, by host and place.
	TableAgain = &kv.Table{Name: "again"}

	// TableThin has, by host and place, the blocks of a page that has few: purify.Prints
	// of 8 bytes.
	TableThin = &kv.Table{Name: "thin"}
)

// Tables returns the tables above.
func Tables() []*kv.Table {
	return []*kv.Table{TableSites, TableTemplates, TableAgain, TableThin}
}

// KeyLengths returns how many bytes every key of a table has.
func KeyLengths() map[*kv.Table]int {
	return map[*kv.Table]int{
		TableSites: len(weburl.HostKey{}), TableTemplates: len(weburl.HostKey{}),
		TableAgain: len(pageKey{}), TableThin: len(pageKey{}),
	}
}

// present is the value of a key that says all.
var present = []byte{1}

// A pageKey names a page by its host and its place in crawl order.
type pageKey [len(weburl.HostKey{}) + 8]byte

func keyOf(h weburl.HostKey, seq uint64) (k pageKey) {
	copy(k[:], h[:])
	binary.BigEndian.PutUint64(k[len(h):], seq)
	return k
}

func (k pageKey) host() weburl.HostKey { return weburl.HostKey(k[:]) }
func (k pageKey) seq() uint64          { return binary.BigEndian.Uint64(k[len(weburl.HostKey{}):]) }

// maxEarly bounds how many of a host's first pages are purified again when its template
// is known.
const maxEarly = 16

const siteForm = 1

// A siteRecord is what TableSites has of one host.
type siteRecord struct {
	early []uint64 // places of its first pages, until there is a template
	site  purify.Site
}

func (r *siteRecord) encode() []byte {
	e := row.Encoder{B: make([]byte, 0, 64)}
	e.Byte(siteForm)
	e.Uint(uint64(len(r.early)))
	for _, seq := range r.early {
		e.Uint(seq)
	}
	e.Bytes(r.site.Bytes())
	return e.B
}

func decodeSite(b []byte) (siteRecord, error) {
	d := row.Decoder{B: b}
	if f := d.Byte(); f != siteForm {
		return siteRecord{}, fmt.Errorf("site record of form %d; this version reads %d", f, siteForm)
	}
	var r siteRecord
	n := d.Uint()
	if n > maxEarly {
		return siteRecord{}, fmt.Errorf("site record: names %d first pages, and %d are the most", n, maxEarly)
	}
	for range n {
		r.early = append(r.early, d.Uint())
	}
	if d.Err != nil {
		return siteRecord{}, fmt.Errorf("site record: %w", d.Err)
	}
	site, err := purify.ParseSite(d.B)
	if err != nil {
		return siteRecord{}, err
	}
	r.site = *site
	return r, nil
}

// readSite reads what is known of a host; the zero record: nothing.
func readSite(r kv.Reader, h weburl.HostKey) (siteRecord, error) {
	b, err := r.Get(TableSites, h[:])
	if err != nil || b == nil {
		return siteRecord{}, err
	}
	return decodeSite(b)
}

// readTemplate reads a host's template; nil: it has none.
func readTemplate(r kv.Reader, h weburl.HostKey) (*purify.Template, error) {
	b, err := r.Get(TableTemplates, h[:])
	if err != nil || b == nil {
		return nil, err
	}
	t, err := purify.ParseTemplate(b)
	if err != nil {
		return nil, fmt.Errorf("template of host %x: %w", h, err)
	}
	return t, nil
}
