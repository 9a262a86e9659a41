package page

import (
	"encoding/binary"
	"errors"

	"gatecrawl.example/gatecrawl/frontier/weburl"
	"gatecrawl.example/gatecrawl/purify"
	"gatecrawl.example/gatecrawl/store/kv"
)

// The value of a page in TableOutlinks is a list of runs, since most links of a page are to the
// same host: the number of links (varint), the 6 bytes of the host, and the other 10 bytes of each
// link's key.

var errOutlinks = errors.New("list of links: it is not as it was written")

// PackOutlinks returns the value of a page in TableOutlinks for the keys of the URLs that it links
// to, one after the other.
func PackOutlinks(keys []byte) []byte {
	const host, all = len(weburl.HostKey{}), len(weburl.Key{})
	packed := make([]byte, 0, len(keys))
	for len(keys) >= all {
		n := 1
		for (n+1)*all <= len(keys) && string(keys[n*all:][:host]) == string(keys[:host]) {
			n++
		}
		packed = append(binary.AppendUvarint(packed, uint64(n)), keys[:host]...)
		for range n {
			packed = append(packed, keys[host:all]...)
			keys = keys[all:]
		}
	}
	return packed
}

// UnpackOutlinks decodes what PackOutlinks wrote.
func UnpackOutlinks(b []byte) (keys []byte, err error) {
	const host, all = len(weburl.HostKey{}), len(weburl.Key{})
	keys = make([]byte, 0, len(b)+len(b)/2)
	for len(b) > 0 {
		n, size := binary.Uvarint(b)
		if b = b[max(size, 0):]; size <= 0 || n == 0 || len(b) < host || n > uint64(len(b)-host)/uint64(all-host) {
			return nil, errOutlinks
		}
		of := b[:host]
		b = b[host:]
		for range n {
			keys = append(append(keys, of...), b[:all-host]...)
			b = b[all-host:]
		}
	}
	return keys, nil
}

// Outlinks returns the keys of the URLs that a kept page links to, one after the other.
func Outlinks(r kv.Reader, seq uint64) ([]byte, error) {
	b, err := r.Get(TableOutlinks, Key(seq))
	if err != nil || len(b) == 0 {
		return nil, err
	}
	return UnpackOutlinks(b)
}

// Base returns the URL that the links of a page are relative to: that of its base element, which
// may itself be relative to the page's URL, or else the page's URL.
func Base(of weburl.URL, view *purify.DocView) weburl.URL {
	if view.Base == "" {
		return of
	}
	base, err := of.Parse(view.Base)
	if err != nil {
		return of
	}
	return base
}
