package twins

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"slices"

	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/mirror"
	"gatecrawl.example/gatecrawl/store/kv"
	"gatecrawl.example/gatecrawl/store/kv/row"
)

// manyHosts is the Fill of tables with a row for each host. A wide crawl adds new hosts nearly in the order of their keys, and
// database pages that are split stay half full with the default. Some hosts answer late: pages that are nearly full would be
// split once more for these, and little would be in the second half.
const manyHosts = 0.75

// The tables of mirrored sites.
var (
	tableSamples  = &kv.Table{Name: "samples", Fill: manyHosts} // by a host and SampleOrder: the rest of a URL's key
	tableDeferred = &kv.Table{Name: "deferred"}                 // by a URL that is deferred: its twin's key
	tableTwins    = &kv.Table{Name: "twins"}                    // by the key of a twin and that of the URL that it is fetched in place of
)

// hostRows has the hostRecord of each host. One with hostFacts is longer than the longest in the scattered table.
var hostRows = &kv.Divided{Large: &kv.Table{Name: "mirrors", Fill: manyHosts}, Small: &kv.Table{Name: "mirrors-small", ID: 't', Filter: 6}, Most: 64}

// Tables returns the tables of this package.
func Tables() []*kv.Table {
	return append(hostRows.Tables(), tableSamples, tableDeferred, tableTwins)
}

// KeyLengths returns the length of the keys of each table, in bytes.
func KeyLengths() map[*kv.Table]int {
	return map[*kv.Table]int{hostRows.Large: 6, hostRows.Small: 6, tableSamples: 14, tableDeferred: 16, tableTwins: 32}
}

// present is the value of rows that need none.
var present = []byte{1}

func sampleKey(h weburl.HostKey, order uint64) []byte {
	return binary.BigEndian.AppendUint64(append([]byte(nil), h[:]...), order)
}

func twinKey(twin, k weburl.Key) []byte { return append(twin[:], k[:]...) }

// The versions of a host's record. In the second one the sample of a host with one document is a part of it, and no row in
// tableSamples: most hosts of a wide crawl have one page.
const (
	hostForm = 2
	onlyForm = 3
)

// onlyLength is the length of hostRecord.only.
const onlyLength = 8 + 10

// A hostRecord is the row of a host in hostRows.
type hostRecord struct {
	documents uint64
	sampled   uint64
	deferred  uint64 // number of URLs that are deferred now
	named     uint64 // place of the first of its URLs that answered and that a user named; 0: none
	met       uint64 // place of the first of its URLs that answered; 0: not known
	only      []byte // its only sampled document: what follows the host in the key of its row, and the row; nil: it has more, or none
	hostFacts
}

// hostFacts is the part of a hostRecord that few hosts have.
type hostFacts struct {
	Twins []*mirror.Twin `json:"twins,omitempty"` // of its sites, over http and over https: at most one trusted twin of each, and those that were given up
	Moves []movedSite    `json:"moves,omitempty"`
}

// A movedSite counts where a site of the host redirects to.
type movedSite struct {
	From  string `json:"from"` // origins
	To    string `json:"to"`
	Same  int    `json:"same"`  // URLs that redirect to their own path there
	Other int    `json:"other"` // URLs that brought a document, or redirect elsewhere, since the first redirect
}

// maxTwins is how many twins a host may have had, of which all but one or two were given up.
const maxTwins = 6

// trusted returns the trusted twin of the site with the given origin; nil: it has none.
func (r *hostRecord) trusted(origin string) *mirror.Twin {
	for _, t := range r.Twins {
		if t.Origin == origin && t.IsTrusted() {
			return t
		}
	}
	return nil
}

// takes reports whether tw may become the twin of its site: the site has none now, and has not
// given this one up.
func (r *hostRecord) takes(tw *mirror.Twin) bool {
	for _, t := range r.Twins {
		if t.Origin == tw.Origin && (t.IsTrusted() || t.GivenUp && t.To == tw.To) {
			return false
		}
	}
	return len(r.Twins) < maxTwins
}

// meets records a URL of the host that answered.
func (r *hostRecord) meets(u URL) {
	first := func(place *uint64) {
		if *place == 0 || u.Place < *place {
			*place = u.Place
		}
	}
	first(&r.met)
	if u.Named {
		first(&r.named)
	}
}

func (r *hostRecord) encode() ([]byte, error) {
	e := row.Encoder{B: make([]byte, 0, 24)}
	form := byte(hostForm)
	if r.only != nil {
		form = onlyForm
	}
	e.Byte(form)
	e.Uint(r.documents)
	e.Uint(r.sampled)
	e.Uint(r.deferred)
	e.Uint(r.named)
	e.Uint(r.met)
	e.Bytes(r.only)
	if len(r.Twins) == 0 && len(r.Moves) == 0 {
		return e.B, nil
	}
	b, err := json.Marshal(r.hostFacts)
	e.Bytes(b)
	return e.B, err
}

// decodeHost decodes a record.
func decodeHost(b []byte) (*hostRecord, error) {
	d := row.Decoder{B: b}
	form := d.Byte()
	if form != hostForm && form != onlyForm {
		return nil, fmt.Errorf("mirror record of form %d; this version reads %d and %d", form, hostForm, onlyForm)
	}
	r := &hostRecord{documents: d.Uint(), sampled: d.Uint(), deferred: d.Uint(), named: d.Uint(), met: d.Uint()}
	if form == onlyForm {
		r.only = slices.Clone(d.Bytes(onlyLength))
	}
	if d.Err != nil {
		return nil, fmt.Errorf("mirror record: %w", d.Err)
	}
	if len(d.B) == 0 {
		return r, nil
	}
	if err := json.Unmarshal(d.B, &r.hostFacts); err != nil {
		return nil, fmt.Errorf("mirror record: %w", err)
	}
	return r, nil
}

// hostAt reads the record of a host; nil: there is none.
func hostAt(r kv.Reader, h weburl.HostKey) (*hostRecord, error) {
	b, err := hostRows.Get(r, h[:])
	if err != nil || b == nil {
		return nil, err
	}
	rec, err := decodeHost(b)
	if err != nil {
		return nil, fmt.Errorf("host %x: %w", h, err)
	}
	return rec, nil
}

// twinAt returns the twin that a URL is deferred for; ok is false if it is not deferred.
func twinAt(r kv.Reader, k weburl.Key) (twin weburl.Key, ok bool, err error) {
	b, err := r.Get(tableDeferred, k[:])
	if err != nil || b == nil {
		return twin, false, err
	}
	if len(b) != len(twin) {
		return twin, false, fmt.Errorf("url %s: deferred for a key of %d bytes", k, len(b))
	}
	return weburl.Key(b), true, nil
}
