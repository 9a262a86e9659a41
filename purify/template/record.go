package template

import (
	"encoding/binary"
	"fmt"

	"github.com/cespare/xxhash/v2"

	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/purify"
	"gatecrawl.example/gatecrawl/store/kv"
	"gatecrawl.example/gatecrawl/store/kv/row"
)

// The tables of templates.
var (
	// TableTemplates has, by the host's key, its current template as purify.Template.Bytes.
	TableTemplates = &kv.Table{Name: "templates"}

	// TableAgain has the pages that are to be purified again, by host and sequence number.
	TableAgain = &kv.Table{Name: "again"}

	// TableThin has, by host and sequence number, the blocks of a thin page: size, flags and purify.Print,
	// 8 bytes each.
	TableThin = &kv.Table{Name: "thin"}

	// TableStale has, by their keys, the hosts whose template has changed since their kept pages were
	// compared last.
	TableStale = &kv.Table{Name: "stale"}

	// TableFolders, TableFolderTemplates and TableFolderThin have the same for folders of hosts, by
	// the host's key and a hash of the folder's path.
	TableFolders         = &kv.Table{Name: "folders", Fill: .9}
	TableFolderTemplates = &kv.Table{Name: "folder-templates"}
	TableFolderThin      = &kv.Table{Name: "folder-thin"}
)

// siteRows has, by the host's key, the counts of the blocks of its pages. Of a host with a page or two little is counted.
var siteRows = &kv.Divided{Large: &kv.Table{Name: "sites", Fill: .75}, Small: &kv.Table{Name: "sites-small", ID: 'p', Filter: len(weburl.HostKey{})}, Most: 256}

// Tables returns the tables above.
func Tables() []*kv.Table {
	return append(siteRows.Tables(), TableTemplates, TableAgain, TableThin, TableStale, TableFolders, TableFolderTemplates, TableFolderThin)
}

// KeyLengths returns how many bytes every key of a table has.
func KeyLengths() map[*kv.Table]int {
	const host, seq = len(weburl.HostKey{}), 8
	return map[*kv.Table]int{
		siteRows.Large: host, siteRows.Small: host, TableTemplates: host, TableStale: host, TableAgain: host + seq, TableThin: host + seq,
		TableFolders: host + folderBytes, TableFolderTemplates: host + folderBytes, TableFolderThin: host + folderBytes + seq,
	}
}

// A place is a host or one of its folders, each of which has a template.
type place struct {
	host   weburl.HostKey
	folder uint64 // hash of its path; 0: all of the host
}

const folderBytes = 8

// placesOf returns the places of a page, the host first and then its folders, the widest first, and
// whether the last folder is the page itself.
func placesOf(url string) (list []place, itself bool) {
	host := weburl.HostKeyOf(weburl.HostOf(url))
	list = []place{{host: host}}
	folders, itself := purify.FoldersOf(url)
	for _, f := range folders {
		list = append(list, place{host, max(1, xxhash.Sum64String(f))})
	}
	return list, itself
}

func (p place) key() []byte {
	k := append(make([]byte, 0, len(p.host)+folderBytes+8), p.host[:]...)
	if p.folder != 0 {
		k = binary.BigEndian.AppendUint64(k, p.folder)
	}
	return k
}

// keyOf returns the key of a page of the place.
func (p place) keyOf(seq uint64) []byte { return binary.BigEndian.AppendUint64(p.key(), seq) }

func placeIn(key []byte) place {
	p := place{host: weburl.HostKey(key)}
	if rest := key[len(p.host):]; len(rest) >= folderBytes {
		p.folder = binary.BigEndian.Uint64(rest)
	}
	return p
}

// A level is the tables of hosts or those of folders.
type level struct {
	sites           *kv.Divided
	templates, thin *kv.Table
}

var (
	hosts   = level{siteRows, TableTemplates, TableThin}
	folders = level{&kv.Divided{Large: TableFolders}, TableFolderTemplates, TableFolderThin}
)

func (p place) level() level {
	if p.folder == 0 {
		return hosts
	}
	return folders
}

// present is the value of a row that needs none.
var present = []byte{1}

// A pageKey identifies a page by its host and its sequence number.
type pageKey [len(weburl.HostKey{}) + 8]byte

func keyOf(h weburl.HostKey, seq uint64) (k pageKey) {
	copy(k[:], h[:])
	binary.BigEndian.PutUint64(k[len(h):], seq)
	return k
}

func (k pageKey) host() weburl.HostKey { return weburl.HostKey(k[:]) }
func (k pageKey) seq() uint64          { return binary.BigEndian.Uint64(k[len(weburl.HostKey{}):]) }

// maxEarly is how many of a host's first pages are purified again when its first template that has anything is made.
const maxEarly = 16

const siteForm = 1

// A siteRecord is the value of siteRows for one place.
type siteRecord struct {
	early []uint64 // sequence numbers of its first pages, until there is a template that has anything
	site  purify.Site
}

func (r *siteRecord) encode() []byte {
	e := row.Encoder{B: make([]byte, 0, 64)}
	e.Byte(siteForm)
	e.Uint(uint64(len(r.early)))
	for _, seq := range r.early {
		e.Uint(seq)
	}
	return r.site.AppendBytes(e.B)
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

// readSite reads the record of a place; the zero record if there is none.
func readSite(r kv.Reader, p place) (*siteRecord, error) {
	b, err := p.level().sites.Get(r, p.key())
	if err != nil || b == nil {
		return new(siteRecord), err
	}
	site, err := decodeSite(b)
	return &site, err
}

// readTemplate reads a place's template; nil if it has none.
func readTemplate(r kv.Reader, p place) (*purify.Template, error) {
	b, err := r.Get(p.level().templates, p.key())
	if err != nil || b == nil {
		return nil, err
	}
	t, err := purify.ParseTemplate(b)
	if err != nil {
		return nil, fmt.Errorf("template of %x: %w", p.key(), err)
	}
	return t, nil
}
