package twins

import (
	"encoding/binary"
	"encoding/json"
	"fmt"

	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/mirror"
	"gatecrawl.example/gatecrawl/store/kv"
	"gatecrawl.example/gatecrawl/store/kv/row"
)

// manyHosts is the Fill of tables with a row a host. A commit of a wide crawl brings many
// new hosts, and pages that are split stay half full unless the engine is told.
const manyHosts = 0.9

// The tables of what a job knows of mirrored sites.
var (
	tableMirrors  = &kv.Table{Name: "mirrors", Fill: manyHosts} // by a host: what was met of it, and its twins
	tableSamples  = &kv.Table{Name: "samples", Fill: manyHosts} // by a host and SampleOrder: the rest of a URL's key
	tableDeferred = &kv.Table{Name: "deferred"}                 // by a URL that was not asked for: its twin's key
	tableTwins    = &kv.Table{Name: "twins"}                    // by the key of a twin and that of the URL that it is asked for
)

// Tables returns the tables that a store has to be opened with.
func Tables() []*kv.Table {
	return []*kv.Table{tableMirrors, tableSamples, tableDeferred, tableTwins}
}

// KeyLengths returns how many bytes the keys of each table have.
func KeyLengths() map[*kv.Table]int {
	return map[*kv.Table]int{tableMirrors: 6, tableSamples: 14, tableDeferred: 16, tableTwins: 32}
}

// present is the value of rows whose keys say all.
var present = []byte{1}

func sampleKey(h weburl.HostKey, order uint64) []byte {
	return binary.BigEndian.AppendUint64(append([]byte(nil), h[:]...), order)
}

func twinKey(twin, k weburl.Key) []byte { return append(twin[:], k[:]...) }

// hostForm is the version of a host's record.
const hostForm = 2

// A hostRecord is what the table mirrors has of a host.
type hostRecord struct {
	documents uint64
	sampled   uint64
	deferred  uint64 // URLs that are not asked for now
	named     uint64 // place of the first of its URLs, of those that answered, that a user named; 0: none
	met       uint64 // place of the first of its URLs that answered; 0: not known
	hostFacts
}

// hostFacts are what few hosts have.
type hostFacts struct {
	Twins []*mirror.Twin `json:"twins,omitempty"` // of its sites, over http and over https; one of each, and those that were given up
	Moves []movedSite    `json:"moves,omitempty"`
}

// A movedSite counts where a site of the host redirects to.
type movedSite struct {
	From  string `json:"from"` // origins
	To    string `json:"to"`
	Same  int    `json:"same"`  // URLs that redirect to their own path there
	Other int    `json:"other"` // that brought a document, or redirect to elsewhere, since the first did
}

// maxTwins is how many twins a host may have had; most were given up then.
const maxTwins = 6

// trusted returns the twin of the site with the given origin; nil: it has no trusted one.
func (r *hostRecord) trusted(origin string) *mirror.Twin {
	for _, t := range r.Twins {
		if t.Origin == origin && t.IsTrusted() {
			return t
		}
	}
	return nil
}

// takes reports whether a twin may become that of its site, which has none now, and has not
// given this one up.
func (r *hostRecord) takes(tw *mirror.Twin) bool {
	for _, t := range r.Twins {
		if t.Origin == tw.Origin && (t.IsTrusted() || t.GivenUp && t.To == tw.To) {
			return false
		}
	}
	return len(r.Twins) < maxTwins
}

// meets notes a URL of the host that answered.
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
	e.Byte(hostForm)
	e.Uint(r.documents)
	e.Uint(r.sampled)
	e.Uint(r.deferred)
	e.Uint(r.named)
	e.Uint(r.met)
	if len(r.Twins) == 0 && len(r.Moves) == 0 {
		return e.B, nil
	}
	b, err := json.Marshal(r.hostFacts)
	e.Bytes(b)
	return e.B, err
}

// decodeHost reads a record.
func decodeHost(b []byte) (*hostRecord, error) {
	d := row.Decoder{B: b}
	if f := d.Byte(); f != hostForm {
		return nil, fmt.Errorf("mirror record of form %d; this version reads %d", f, hostForm)
	}
	r := &hostRecord{documents: d.Uint(), sampled: d.Uint(), deferred: d.Uint(), named: d.Uint(), met: d.Uint()}
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

// hostAt reads what is known of a host; nil: nothing.
func hostAt(r kv.Reader, h weburl.HostKey) (*hostRecord, error) {
	b, err := r.Get(tableMirrors, h[:])
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
